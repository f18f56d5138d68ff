//! The grid of the launch.

super::component! {
    /// Blocks of the grid along x.
    "grid" dim_x: grid[0] = "%nctaid.x";
    /// Blocks of the grid along y.
    "grid" dim_y: grid[1] = "%nctaid.y";
    /// Blocks of the grid along z.
    "grid" dim_z: grid[2] = "%nctaid.z";
}
