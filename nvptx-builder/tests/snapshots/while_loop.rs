fn while_loop(out: &mut [u32]) {
    let i = thread::x();
    let mut n = i as u32;
    let mut steps = 0;
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { n * 3 + 1 };
        steps += 1;
    }
    out[i] = steps;
}
