fn arithmetic_64(a: &[i64], b: &[u64], out: &mut [i64], out2: &mut [u64], n: usize, k: isize) {
    let i = thread::global_y();
    let x = a[i];
    let y = b[i];
    out[i] = (x * x - -x) ^ (x & 0xff) | !x + k as i64;
    out2[i] = y * 5 + y - (y & 0xffff_ffff_0000_0000) ^ !y + n as u64;
}
