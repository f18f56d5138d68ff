//! The same picture, computed in plain Rust on the CPU.

/// Edges of the blurred picture.
pub(crate) fn edges(size: (usize, usize), photo: &[u8]) -> Vec<u8> {
    sobel(size, &blur(size, photo))
}

fn blur((width, height): (usize, usize), photo: &[u8]) -> Vec<u8> {
    const WEIGHTS: [u32; 5] = [1, 4, 6, 4, 1];
    let pixel = |x: usize, y: usize, i: usize, j: usize| {
        let x = (x + i).saturating_sub(2).min(width - 1);
        let y = (y + j).saturating_sub(2).min(height - 1);
        WEIGHTS[i] * WEIGHTS[j] * u32::from(photo[y * width + x])
    };
    let each = |x, y| {
        let sum: u32 = (0..25).map(|k| pixel(x, y, k % 5, k / 5)).sum();
        ((sum + 128) / 256) as u8
    };
    (0..width * height).map(|at| each(at % width, at / width)).collect()
}

fn sobel((width, height): (usize, usize), input: &[u8]) -> Vec<u8> {
    const ACROSS: [[i32; 3]; 3] = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]];
    let each = |x: usize, y: usize| {
        if x == 0 || y == 0 || x == width - 1 || y == height - 1 {
            return 0;
        }
        let (mut across, mut down) = (0, 0);
        for j in 0..3 {
            for i in 0..3 {
                let value = i32::from(input[(y + j - 1) * width + x + i - 1]);
                across += ACROSS[j][i] * value;
                down += ACROSS[i][j] * value;
            }
        }
        f64::from(across * across + down * down).sqrt() as u8
    };
    (0..width * height).map(|at| each(at % width, at / width)).collect()
}
