fn größe(länge: usize, r#in: &[u16], out: &mut [u16]) {
    let i = thread::x();
    if i < länge {
        out[i] = r#in[i];
    }
}
