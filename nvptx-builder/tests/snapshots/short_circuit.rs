fn short_circuit(x: &[i32], out: &mut [i32]) {
    let i = thread::x();
    if i < x.len() && x[i] > 0 {
        out[0] = 1;
    }
    if i >= x.len() || x[i] == 7 || x[i] == 9 {
        out[1] = 1;
    }
    let both = i < x.len() && x[i] < 0;
    let cheap = i > 3 && i < 9;
    if both || !cheap {
        out[2] = 1;
    }
    if !(i < x.len() && !(x[i] > 5)) {
        out[3] = 1;
    }
}
