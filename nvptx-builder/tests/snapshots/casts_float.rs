fn casts_float(x: f32, y: f64, a: i8, b: u8, c: i16, d: u16, e: i32, f: u32, g: i64, h: u64, ints: &mut [i64], floats: &mut [f32], doubles: &mut [f64]) {
    ints[0] = x as i8 as i64 + x as u8 as i64 + x as i16 as i64 + x as u16 as i64;
    ints[1] = x as i32 as i64 + x as u32 as i64 + x as i64 + x as u64 as i64;
    ints[2] = y as i8 as i64 + y as u8 as i64 + y as i16 as i64 + y as u16 as i64;
    ints[3] = y as i32 as i64 + y as u32 as i64 + y as i64 + y as u64 as i64;
    floats[0] = a as f32 + b as f32 + c as f32 + d as f32;
    floats[1] = e as f32 + f as f32 + g as f32 + h as f32;
    doubles[0] = a as f64 + b as f64 + c as f64 + d as f64;
    doubles[1] = e as f64 + f as f64 + g as f64 + h as f64;
    floats[2] = y as f32;
    doubles[2] = x as f64;
}
