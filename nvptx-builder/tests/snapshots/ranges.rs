fn ranges(out: &mut [u32], a: i32, b: i32) {
    let mut total = 0u32;
    for k in 0..10 {
        total += k;
    }
    for k in 0..=9u8 {
        total += k as u32;
    }
    for k in 250..=255u8 {
        total += k as u32;
    }
    for k in a..b {
        total += k as u32;
    }
    for k in a..=b {
        total ^= k as u32;
    }
    for _ in 5..5usize {
        total = 0;
    }
    out[0] = total;
}
