fn arithmetic_32(a: &[i32], b: &[u32], out: &mut [i32], out2: &mut [u32]) {
    let i = thread::global_x();
    let x = a[i];
    let y = b[i];
    out[i] = (x * 3 - -x) ^ (x & 0xff) | !x;
    out2[i] = y * 5 + y - (y & 0xff) ^ !y;
}
