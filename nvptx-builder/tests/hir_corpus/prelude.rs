// What a kernel sees of `gridlaunch::device`, for rustc's eyes only.

pub mod thread {
    pub fn x() -> usize { 0 }
    pub fn y() -> usize { 0 }
    pub fn z() -> usize { 0 }
    pub fn global_x() -> usize { 0 }
    pub fn global_y() -> usize { 0 }
    pub fn global_z() -> usize { 0 }
    pub fn lane() -> usize { 0 }
}
pub mod block {
    pub fn x() -> usize { 0 }
    pub fn y() -> usize { 0 }
    pub fn z() -> usize { 0 }
    pub fn dim_x() -> usize { 0 }
    pub fn dim_y() -> usize { 0 }
    pub fn dim_z() -> usize { 0 }
    pub fn sync() {}
    pub fn shared<T: 'static>() -> &'static mut T { unimplemented!() }
}
pub mod grid {
    pub fn dim_x() -> usize { 0 }
    pub fn dim_y() -> usize { 0 }
    pub fn dim_z() -> usize { 0 }
}
pub mod gridlaunch {
    pub use crate as device;
    pub mod prelude {
        pub use crate::{block, grid, thread};
    }
}
