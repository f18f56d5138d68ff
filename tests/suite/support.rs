//! Inputs, comparisons and a stream.

use gridlaunch::prelude::*;

/// A stream of its own on the device under test.
pub(crate) fn stream() -> Stream {
    Device::any().and_then(|device| device.new_stream()).expect("a device under test")
}

/// Blocks of 64 threads for `len` elements; at least one.
pub(crate) fn blocks(len: usize) -> u32 {
    u32::try_from(len.div_ceil(64).max(1)).expect("a small test")
}

/// Every value with every value.
pub(crate) fn pairs<T: Copy>(values: &[T]) -> (Vec<T>, Vec<T>) {
    values.iter().flat_map(|a| values.iter().map(|b| (*a, *b))).unzip()
}

/// Values at which operations go wrong.
pub(crate) trait Edges: Sized + Copy {
    fn edges() -> Vec<Self>;
}

macro_rules! integer_edges {
    ($($t:ident)*) => {$(
        impl Edges for $t {
            fn edges() -> Vec<$t> {
                let mut values = vec![
                    $t::MIN, $t::MIN + 1, $t::MIN / 2, $t::MIN + 10,
                    $t::MAX, $t::MAX - 1, $t::MAX / 2, $t::MAX / 2 + 1, $t::MAX / 3,
                ];
                // Truncated where the type is small. The last ones do not fit a float's mantissa.
                let wide = [0i64, 1, 2, 3, 5, 7, 10, 100, -1, -2, -3, -7, -10, -100,
                    (1 << 24) + 1, (1 << 31) + 1, (1 << 32) - 1, (1 << 53) + 1, -(1 << 54) - 2];
                values.extend(wide.map(|value| value as $t));
                values.sort_unstable();
                values.dedup();
                values
            }
        }
    )*};
}
integer_edges!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! float_edges {
    ($($t:ident)*) => {$(
        impl Edges for $t {
            fn edges() -> Vec<$t> {
                let mut values = vec![
                    $t::NAN, $t::INFINITY, $t::MAX, $t::MIN_POSITIVE, $t::MIN_POSITIVE / 4.0,
                    $t::EPSILON, 0.0, 0.1, 0.5, 0.999_999_9, 1.0, 1.5, 2.0, 2.5, 3.0, 7.0, 10.0,
                    126.9, 127.5, 128.0, 128.9, 129.0, 255.5, 256.0, 32_767.5, 32_768.0, 32_769.0,
                    65_535.5, 65_536.0, 16_777_217.0, 1e20, 1e-20,
                ];
                // Around the limits of the wide integers.
                let powers = [31, 32, 63, 64].map(|exponent| (2.0 as $t).powi(exponent));
                values.extend(powers);
                values.extend(powers.map(|power| power - power * $t::EPSILON));
                values.extend(powers.map(|power| power + power * $t::EPSILON));
                let negative: Vec<$t> = values.iter().map(|value| -value).collect();
                values.extend(negative);
                values
            }
        }
    )*};
}
float_edges!(f32 f64);

/// Equality of results: bit for bit, but that any NaN is as good as any other.
pub(crate) trait Same: Copy + std::fmt::Debug {
    fn same(self, other: Self) -> bool;
}

macro_rules! same {
    ($($t:ident)*) => {$(
        impl Same for $t {
            fn same(self, other: Self) -> bool {
                self == other
            }
        }
    )*};
}
same!(bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! same_float {
    ($($t:ident)*) => {$(
        impl Same for $t {
            fn same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
            }
        }
    )*};
}
same_float!(f32 f64);

/// Compares element by element; `describe` says what the element at an index is.
#[track_caller]
pub(crate) fn assert_same<T: Same>(
    found: &[T],
    expected: &[T],
    describe: impl Fn(usize) -> String,
) {
    assert_eq!(found.len(), expected.len());
    let wrong = found.iter().zip(expected).position(|(found, expected)| !found.same(*expected));
    if let Some(at) = wrong {
        let (found, expected) = (found[at], expected[at]);
        panic!("{}: the device says {found:?}, Rust says {expected:?}", describe(at));
    }
}

/// Launches a kernel of one input and one output slice, with one thread per element of the input
/// and more, and compares with what its host twin makes of them.
macro_rules! assert_as_on_host {
    ($kernel:ident, $input:expr, $output:expr) => {{
        let (input, mut expected) = ($input, $output);
        let stream = $crate::support::stream();
        let blocks = $crate::support::blocks(input.len());
        let there = stream.upload(&input)?;
        let mut output = stream.upload(&expected)?;
        $kernel.configure(blocks, 64).on(&stream).launch((&there, &mut output))?;
        $kernel::on_host(blocks, 64, &input, &mut expected);
        let describe = |at| format!("{}, output {at}", stringify!($kernel));
        $crate::support::assert_same(&stream.download(&output)?, &expected, describe);
    }};
}
pub(crate) use assert_as_on_host;
