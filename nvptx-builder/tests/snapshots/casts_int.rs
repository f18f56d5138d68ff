fn casts_int(a: i8, b: u8, c: i16, d: u16, e: i32, f: u32, g: i64, h: u64, t: bool, out: &mut [u64]) {
    out[0] = a as u8 as u64;
    out[1] = a as i16 as u16 as u64;
    out[2] = a as u32 as u64;
    out[3] = a as u64;
    out[4] = b as i8 as i64 as u64;
    out[5] = b as u16 as u64 + b as u32 as u64;
    out[6] = c as i8 as u64;
    out[7] = c as u8 as u64;
    out[8] = d as i8 as i32 as u64 + d as i16 as i32 as u64;
    out[9] = e as i8 as u64 + e as u16 as u64 + e as u64;
    out[10] = f as i16 as i64 as u64 + f as i64 as u64;
    out[11] = g as i8 as u64 + g as i32 as u64 + g as u32 as u64;
    out[12] = h as u8 as u64 + h as i16 as u64;
    out[13] = t as u64 + t as u8 as u64 + t as i32 as u64;
}
