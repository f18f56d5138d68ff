fn out_of_bounds_constant(x: &mut [u8]) {
    let a = [1u8, 2, 3];
    let i = x[0] as usize;
    x[1] = a[i];
    x[2] = 10 / x[3];
}
