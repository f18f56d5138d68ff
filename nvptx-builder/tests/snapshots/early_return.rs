fn early_return(x: &mut [i32]) {
    let i = thread::global_x();
    if i >= x.len() {
        return;
    }
    let v = x[i];
    if v < 0 {
        x[i] = -v;
        return;
    }
    loop {
        x[i] += 1;
        if x[i] > 100 {
            return;
        }
    }
}
