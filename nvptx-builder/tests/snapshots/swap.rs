fn swap(out: &mut [u32], n: u32) {
    let mut a = 0u32;
    let mut b = 1u32;
    let mut k = 0;
    while k < n {
        let t = a;
        a = b;
        b = t + b * 0;
        k += 1;
    }
    out[0] = a;
    out[1] = b;
}
