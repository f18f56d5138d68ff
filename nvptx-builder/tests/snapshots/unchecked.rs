fn unchecked(x: &[f64], y: &mut [f64]) {
    let i = thread::global_x();
    if i < x.len() {
        unsafe {
            *y.get_unchecked_mut(i) = *x.get_unchecked(i) * 2.0;
        }
    }
}
