fn geometry(out: &mut [usize]) {
    out[0] = thread::x() + thread::y() + thread::z();
    out[1] = block::x() + block::y() + block::z();
    out[2] = block::dim_x() + block::dim_y() + block::dim_z();
    out[3] = grid::dim_x() + grid::dim_y() + grid::dim_z();
    out[4] = thread::global_x() + thread::global_y() + thread::global_z();
    out[5] = thread::lane();
}
