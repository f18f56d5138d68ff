//! The Mandelbrot set, in both precisions.

use gridlaunch::prelude::*;

macro_rules! mandelbrot {
    ($(#[$doc:meta])* $name:ident, $float:ty) => {
        $(#[$doc])*
        ///
        /// Pixel (0, 0) is the point (`left`, `top`), and a pixel's side is `step`. `iterations`
        /// has `width` pixels a row and gets, for each, how many rounds of z² + c it took to leave
        /// the circle of radius 2, or `limit` where it did not.
        ///
        /// One thread a pixel, in two dimensions; threads outside of the picture do nothing.
        #[kernel(contract = false)]
        pub fn $name(
            left: $float,
            top: $float,
            step: $float,
            limit: u32,
            width: usize,
            iterations: &mut [u32],
        ) {
            let x = thread::global_x();
            let y = thread::global_y();
            let at = y * width + x;
            if x >= width || at >= iterations.len() {
                return;
            }
            let re = left + step * x as $float;
            let im = top - step * y as $float;
            let mut z_re: $float = 0.0;
            let mut z_im: $float = 0.0;
            let mut count = 0u32;
            while count < limit {
                let re_squared = z_re * z_re;
                let im_squared = z_im * z_im;
                if re_squared + im_squared > 4.0 {
                    break;
                }
                z_im = 2.0 * z_re * z_im + im;
                z_re = re_squared - im_squared + re;
                count += 1;
            }
            iterations[at] = count;
        }
    };
}

mandelbrot! {
    /// The Mandelbrot set in single precision: fast, and good to a step of about 10⁻⁶.
    mandelbrot_f32, f32
}
mandelbrot! {
    /// The Mandelbrot set in double precision: good to a step of about 10⁻¹⁴.
    mandelbrot_f64, f64
}
