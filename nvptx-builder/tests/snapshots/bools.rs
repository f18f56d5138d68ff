fn bools(flags: &[bool], out: &mut [bool], all: bool) {
    let i = thread::x();
    let p = flags[i];
    let q = flags[i + 1];
    out[0] = p & q | all;
    out[1] = p ^ q;
    out[2] = !p;
    out[3] = p == q;
    out[4] = p != q;
    out[5] = p < q;
    out[6] = p >= q;
    let mut r = p;
    r &= q;
    r |= all;
    out[7] = if all { r } else { q };
}
