//! Integer instructions, against Rust's own arithmetic.

mod common;

use common::Result64::{Long, Predicate, Short, Word};
use common::{Result64, evaluate, integer_edges, triples};

/// Compares an instruction with a function, for all edge values and some random ones.
fn check(instructions: &str, result: Result64, expected: impl Fn(u64, u64, u64) -> u64) {
    let inputs = triples(&integer_edges());
    let got = evaluate(instructions, result, &inputs);
    for ([a, b, c], got) in inputs.iter().zip(got) {
        let expected = expected(*a, *b, *c);
        assert_eq!(got, expected, "{instructions}: a = {a:#x}, b = {b:#x}, c = {c:#x}");
    }
}

/// For each width: the PTX type's letter and width, registers, and the Rust type.
macro_rules! for_types {
    ($check:ident) => {
        $check!(u16, "u16", "rs", Short);
        $check!(i16, "s16", "rs", Short);
        $check!(u32, "u32", "r", Word);
        $check!(i32, "s32", "r", Word);
        $check!(u64, "u64", "rd", Long);
        $check!(i64, "s64", "rd", Long);
    };
}

/// As a register of the type holds it.
macro_rules! held {
    ($value:expr, $ty:ty, $result:expr) => {{
        let value: $ty = $value;
        match $result {
            Short => u64::from(value as u16),
            Word => u64::from(value as u32),
            _ => value as u64,
        }
    }};
}

macro_rules! two {
    ($op:literal, |$a:ident, $b:ident| $e:expr) => {{
        macro_rules! of_type {
            ($ty:ident, $name:literal, $r:literal, $result:expr) => {
                check(
                    &format!("{}.{} %{r}9, %{r}0, %{r}1;", $op, $name, r = $r),
                    $result,
                    |a, b, _| {
                        let ($a, $b) = (a as $ty, b as $ty);
                        held!($e, $ty, $result)
                    },
                );
            };
        }
        for_types!(of_type);
    }};
}

#[test]
fn sums_and_differences_wrap() {
    two!("add", |a, b| a.wrapping_add(b));
    two!("sub", |a, b| a.wrapping_sub(b));
}

#[test]
fn saturating_sums_stay_in_range() {
    check("add.sat.s32 %r9, %r0, %r1;", Word, |a, b, _| {
        (a as i32).saturating_add(b as i32) as u32 as u64
    });
    check("sub.sat.s32 %r9, %r0, %r1;", Word, |a, b, _| {
        (a as i32).saturating_sub(b as i32) as u32 as u64
    });
}

#[test]
fn low_products_wrap() {
    two!("mul.lo", |a, b| a.wrapping_mul(b));
}

#[test]
fn high_products_are_the_upper_halves() {
    check("mul.hi.u16 %rs9, %rs0, %rs1;", Short, |a, b, _| {
        u64::from(((u32::from(a as u16) * u32::from(b as u16)) >> 16) as u16)
    });
    check("mul.hi.s16 %rs9, %rs0, %rs1;", Short, |a, b, _| {
        u64::from(((i32::from(a as i16) * i32::from(b as i16)) >> 16) as u16)
    });
    check("mul.hi.u32 %r9, %r0, %r1;", Word, |a, b, _| {
        (u64::from(a as u32) * u64::from(b as u32)) >> 32
    });
    check("mul.hi.s32 %r9, %r0, %r1;", Word, |a, b, _| {
        u64::from(((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32)
    });
    check("mul.hi.u64 %rd9, %rd0, %rd1;", Long, |a, b, _| {
        ((u128::from(a) * u128::from(b)) >> 64) as u64
    });
    check("mul.hi.s64 %rd9, %rd0, %rd1;", Long, |a, b, _| {
        ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64
    });
}

#[test]
fn wide_products_are_exact() {
    check("mul.wide.u16 %r9, %rs0, %rs1;", Word, |a, b, _| {
        u64::from(u32::from(a as u16) * u32::from(b as u16))
    });
    check("mul.wide.s16 %r9, %rs0, %rs1;", Word, |a, b, _| {
        u64::from((i32::from(a as i16) * i32::from(b as i16)) as u32)
    });
    check("mul.wide.u32 %rd9, %r0, %r1;", Long, |a, b, _| {
        u64::from(a as u32) * u64::from(b as u32)
    });
    check("mul.wide.s32 %rd9, %r0, %r1;", Long, |a, b, _| {
        (i64::from(a as i32) * i64::from(b as i32)) as u64
    });
}

#[test]
fn multiply_add() {
    check("mad.lo.s32 %r9, %r0, %r1, %r2;", Word, |a, b, c| {
        u64::from((a as u32).wrapping_mul(b as u32).wrapping_add(c as u32))
    });
    check("mad.lo.u64 %rd9, %rd0, %rd1, %rd2;", Long, |a, b, c| a.wrapping_mul(b).wrapping_add(c));
    check("mad.lo.u16 %rs9, %rs0, %rs1, %rs2;", Short, |a, b, c| {
        u64::from((a as u16).wrapping_mul(b as u16).wrapping_add(c as u16))
    });
    check("mad.hi.u32 %r9, %r0, %r1, %r2;", Word, |a, b, c| {
        let high = ((u64::from(a as u32) * u64::from(b as u32)) >> 32) as u32;
        u64::from(high.wrapping_add(c as u32))
    });
    check("mad.wide.u32 %rd9, %r0, %r1, %rd2;", Long, |a, b, c| {
        (u64::from(a as u32) * u64::from(b as u32)).wrapping_add(c)
    });
    check("mad.wide.s32 %rd9, %r0, %r1, %rd2;", Long, |a, b, c| {
        (i64::from(a as i32) * i64::from(b as i32)).wrapping_add(c as i64) as u64
    });
    check("sad.s32 %r9, %r0, %r1, %r2;", Word, |a, b, c| {
        u64::from((c as u32).wrapping_add((a as i32).abs_diff(b as i32)))
    });
}

#[test]
fn quotients_truncate_and_by_zero_are_all_ones() {
    two!("div", |a, b| if b == 0 { !0 } else { a.wrapping_div(b) });
}

#[test]
fn remainders_have_the_dividends_sign() {
    two!("rem", |a, b| if b == 0 { a } else { a.wrapping_rem(b) });
}

#[test]
fn minimum_and_maximum_know_the_sign() {
    two!("min", |a, b| a.min(b));
    two!("max", |a, b| a.max(b));
}

#[test]
fn negation_and_absolute_value_wrap_at_the_lowest() {
    for (ty, r, result) in [("s16", "rs", Short), ("s32", "r", Word), ("s64", "rd", Long)] {
        let sign = |a: u64| match result {
            Short => i64::from(a as i16),
            Word => i64::from(a as i32),
            _ => a as i64,
        };
        check(&format!("neg.{ty} %{r}9, %{r}0;"), result, |a, _, _| {
            held!(sign(a).wrapping_neg(), i64, result)
        });
        check(&format!("abs.{ty} %{r}9, %{r}0;"), result, |a, _, _| {
            held!(sign(a).wrapping_abs(), i64, result)
        });
    }
}

#[test]
fn bitwise_logic() {
    for (bits, r, result) in [(16, "rs", Short), (32, "r", Word), (64, "rd", Long)] {
        let two = |op: &str| format!("{op}.b{bits} %{r}9, %{r}0, %{r}1;");
        check(&two("and"), result, |a, b, _| held!(a & b, u64, result));
        check(&two("or"), result, |a, b, _| held!(a | b, u64, result));
        check(&two("xor"), result, |a, b, _| held!(a ^ b, u64, result));
        check(&format!("not.b{bits} %{r}9, %{r}0;"), result, |a, _, _| held!(!a, u64, result));
        check(&format!("cnot.b{bits} %{r}9, %{r}0;"), result, |a, _, _| {
            u64::from(held!(a, u64, result) == 0)
        });
    }
}

#[test]
fn shift_counts_are_clamped() {
    for (bits, r, result) in [(16u32, "rs", Short), (32, "r", Word), (64, "rd", Long)] {
        let count = |b: u64| b as u32;
        check(&format!("shl.b{bits} %{r}9, %{r}0, %r1;"), result, |a, b, _| {
            held!(if count(b) >= bits { 0 } else { a << count(b) }, u64, result)
        });
        check(&format!("shr.u{bits} %{r}9, %{r}0, %r1;"), result, |a, b, _| {
            let a: u64 = held!(a, u64, result);
            if count(b) >= bits { 0 } else { a >> count(b) }
        });
        check(&format!("shr.s{bits} %{r}9, %{r}0, %r1;"), result, |a, b, _| {
            let a = match result {
                Short => i64::from(a as i16),
                Word => i64::from(a as i32),
                _ => a as i64,
            };
            held!(a >> count(b).min(63), i64, result)
        });
    }
}

#[test]
fn funnel_shifts() {
    let both = |a: u64, b: u64| (b & 0xffff_ffff) << 32 | a & 0xffff_ffff;
    check("shf.l.clamp.b32 %r9, %r0, %r1, %r2;", Word, |a, b, n| {
        (both(a, b) << (n as u32).min(32)) >> 32
    });
    check("shf.l.wrap.b32 %r9, %r0, %r1, %r2;", Word, |a, b, n| (both(a, b) << (n & 31)) >> 32);
    check("shf.r.clamp.b32 %r9, %r0, %r1, %r2;", Word, |a, b, n| {
        both(a, b) >> (n as u32).min(32) & 0xffff_ffff
    });
    check("shf.r.wrap.b32 %r9, %r0, %r1, %r2;", Word, |a, b, n| {
        both(a, b) >> (n & 31) & 0xffff_ffff
    });
}

#[test]
fn counting_and_finding_bits() {
    check("popc.b32 %r9, %r0;", Word, |a, _, _| (a as u32).count_ones().into());
    check("popc.b64 %r9, %rd0;", Word, |a, _, _| a.count_ones().into());
    check("clz.b32 %r9, %r0;", Word, |a, _, _| (a as u32).leading_zeros().into());
    check("clz.b64 %r9, %rd0;", Word, |a, _, _| a.leading_zeros().into());
    check("brev.b32 %r9, %r0;", Word, |a, _, _| (a as u32).reverse_bits().into());
    check("brev.b64 %rd9, %rd0;", Long, |a, _, _| a.reverse_bits());
    let none = u64::from(u32::MAX);
    let top = |a: u64| a.checked_ilog2().map_or(none, u64::from);
    check("bfind.u32 %r9, %r0;", Word, |a, _, _| top(a & none));
    check("bfind.u64 %r9, %rd0;", Word, |a, _, _| top(a));
    check("bfind.s32 %r9, %r0;", Word, |a, _, _| {
        let a = a as i32;
        top((if a < 0 { !a } else { a }) as u64)
    });
    check("bfind.s64 %r9, %rd0;", Word, |a, _, _| {
        let a = a as i64;
        top((if a < 0 { !a } else { a }) as u64)
    });
    check("bfind.shiftamt.u32 %r9, %r0;", Word, |a, _, _| match a as u32 {
        0 => none,
        a => a.leading_zeros().into(),
    });
    check("bfind.shiftamt.s64 %r9, %rd0;", Word, |a, _, _| {
        let a = a as i64;
        match if a < 0 { !a } else { a } {
            0 => none,
            a => a.leading_zeros().into(),
        }
    });
}

/// `bfe` as the *PTX ISA* words it, bit by bit.
fn extract(a: u64, position: u64, length: u64, bits: u64, signed: bool) -> u64 {
    let (position, length) = (position & 0xff, length & 0xff);
    let at = |bit: u64| a >> bit & 1;
    let sign = if !signed || length == 0 { 0 } else { at((position + length - 1).min(bits - 1)) };
    (0..bits).fold(0, |d, i| {
        let bit = if i < length && position + i < bits { at(position + i) } else { sign };
        d | bit << i
    })
}

fn insert(a: u64, b: u64, position: u64, length: u64, bits: u64) -> u64 {
    let (position, length) = (position & 0xff, length & 0xff);
    (0..bits).fold(b, |d, i| {
        let into = position + i;
        if i < length && into < bits { d & !(1 << into) | (a >> i & 1) << into } else { d }
    })
}

#[test]
fn bit_fields() {
    let low = |a: u64| a & 0xffff_ffff;
    check("bfe.u32 %r9, %r0, %r1, %r2;", Word, |a, b, c| extract(low(a), b, c, 32, false));
    check("bfe.s32 %r9, %r0, %r1, %r2;", Word, |a, b, c| extract(low(a), b, c, 32, true));
    check("bfe.u64 %rd9, %rd0, %r1, %r2;", Long, |a, b, c| extract(a, b, c, 64, false));
    check("bfe.s64 %rd9, %rd0, %r1, %r2;", Long, |a, b, c| extract(a, b, c, 64, true));
    check("bfi.b32 %r9, %r0, %r1, %r2, %r0;", Word, |a, b, c| insert(low(a), low(b), c, a, 32));
    check("bfi.b32 %r9, %r0, %r1, 5, 7;", Word, |a, b, _| insert(low(a), low(b), 5, 7, 32));
    check("bfi.b64 %rd9, %rd0, %rd1, %r2, 20;", Long, |a, b, c| insert(a, b, c, 20, 64));
}

#[test]
fn byte_permutations() {
    let bytes = |a: u64, b: u64| ((b & 0xffff_ffff) << 32 | a & 0xffff_ffff).to_le_bytes();
    check("prmt.b32 %r9, %r0, %r1, %r2;", Word, |a, b, c| {
        (0..4).fold(0, |d, i| {
            let nibble = c >> (4 * i) & 15;
            let byte = bytes(a, b)[nibble as usize & 7];
            let byte = if nibble < 8 {
                byte
            } else if byte < 128 {
                0
            } else {
                255
            };
            d | u64::from(byte) << (8 * i)
        })
    });
    let pick = |a, b, picks: [u64; 4]| {
        picks.iter().rev().fold(0, |d, at| d << 8 | u64::from(bytes(a, b)[*at as usize & 7]))
    };
    check("prmt.b32.f4e %r9, %r0, %r1, %r2;", Word, |a, b, c| {
        pick(a, b, [0, 1, 2, 3].map(|i| (c & 3) + i))
    });
    check("prmt.b32.b4e %r9, %r0, %r1, %r2;", Word, |a, b, c| {
        pick(a, b, [0, 1, 2, 3].map(|i| 8 + (c & 3) - i))
    });
    check("prmt.b32.rc8 %r9, %r0, %r1, %r2;", Word, |a, b, c| pick(a, b, [c & 3; 4]));
    check("prmt.b32.rc16 %r9, %r0, %r1, %r2;", Word, |a, b, c| {
        let h = (c & 1) * 2;
        pick(a, b, [h, h + 1, h, h + 1])
    });
    check("prmt.b32.ecl %r9, %r0, %r1, %r2;", Word, |a, b, c| {
        pick(a, b, [0, 1, 2, 3].map(|i: u64| i.max(c & 3)))
    });
    check("prmt.b32.ecr %r9, %r0, %r1, %r2;", Word, |a, b, c| {
        pick(a, b, [0, 1, 2, 3].map(|i: u64| i.min(c & 3)))
    });
}

#[test]
fn three_input_logic() {
    for table in [0u64, 0x80, 0x96, 0xe8, 0xca, 0x1b, 0xff] {
        check(&format!("lop3.b32 %r9, %r0, %r1, %r2, {table};"), Word, |a, b, c| {
            (0..32).fold(0, |d, i| {
                let row = (a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1;
                d | (table >> row & 1) << i
            })
        });
    }
}

#[test]
fn comparisons_know_the_sign() {
    use std::cmp::Ordering;
    type Holds = fn(Ordering) -> bool;
    let cases: [(&str, Holds, &str); 16] = [
        ("eq", Ordering::is_eq, "u"),
        ("eq", Ordering::is_eq, "s"),
        ("eq", Ordering::is_eq, "b"),
        ("ne", Ordering::is_ne, "u"),
        ("ne", Ordering::is_ne, "s"),
        ("ne", Ordering::is_ne, "b"),
        ("lt", Ordering::is_lt, "u"),
        ("lt", Ordering::is_lt, "s"),
        ("le", Ordering::is_le, "u"),
        ("le", Ordering::is_le, "s"),
        ("gt", Ordering::is_gt, "s"),
        ("ge", Ordering::is_ge, "s"),
        ("lo", Ordering::is_lt, "u"),
        ("ls", Ordering::is_le, "u"),
        ("hi", Ordering::is_gt, "u"),
        ("hs", Ordering::is_ge, "u"),
    ];
    for (name, holds, kind) in cases {
        for (bits, r) in [(16, "rs"), (32, "r"), (64, "rd")] {
            let text = format!("setp.{name}.{kind}{bits} %p9, %{r}0, %{r}1;");
            let unused = 64 - bits;
            check(&text, Predicate, |a, b, _| {
                // At the top, the unused bits do not matter.
                let (a, b) = (a << unused, b << unused);
                holds(if kind == "s" { (a as i64).cmp(&(b as i64)) } else { a.cmp(&b) }).into()
            });
        }
    }
}

#[test]
fn comparisons_combine_with_a_predicate() {
    let less = |a: u64, b: u64| (a as i32) < b as i32;
    let third = |c: u64| c & 1 != 0;
    let prepare = "and.b32 %r10, %r2, 1; setp.ne.u32 %p1, %r10, 0;";
    for (word, both) in [
        ("and", (|x, y| x && y) as fn(bool, bool) -> bool),
        ("or", |x, y| x || y),
        ("xor", |x, y| x != y),
    ] {
        check(
            &format!("{prepare} setp.lt.{word}.s32 %p9|%p8, %r0, %r1, %p1;"),
            Predicate,
            |a, b, c| both(less(a, b), third(c)).into(),
        );
        check(
            &format!("{prepare} setp.lt.{word}.s32 %p8|%p9, %r0, %r1, %p1;"),
            Predicate,
            |a, b, c| both(!less(a, b), third(c)).into(),
        );
        check(
            &format!("{prepare} setp.lt.{word}.s32 %p9, %r0, %r1, !%p1;"),
            Predicate,
            |a, b, c| both(less(a, b), !third(c)).into(),
        );
    }
    check("setp.lt.s32 %p9|%p8, %r0, %r1; mov.pred %p9, %p8;", Predicate, |a, b, _| {
        (!less(a, b)).into()
    });
}

#[test]
fn set_and_select() {
    check("set.lt.u32.s32 %r9, %r0, %r1;", Word, |a, b, _| {
        if (a as i32) < b as i32 { 0xffff_ffff } else { 0 }
    });
    check("set.lt.f32.u32 %r9, %r0, %r1;", Word, |a, b, _| {
        if (a as u32) < b as u32 { 1.0f32.to_bits().into() } else { 0 }
    });
    for (ty, r, result) in [("b16", "rs", Short), ("b32", "r", Word), ("f64", "rd", Long)] {
        let text = format!("setp.lt.s32 %p1, %r0, %r1; selp.{ty} %{r}9, %{r}0, %{r}2, %p1;");
        check(&text, result, |a, b, c| {
            held!(if (a as i32) < b as i32 { a } else { c }, u64, result)
        });
    }
    check("slct.u32.s32 %r9, %r0, %r1, %r2;", Word, |a, b, c| {
        u64::from(if c as i32 >= 0 { a as u32 } else { b as u32 })
    });
    check("slct.b64.f32 %rd9, %rd0, %rd1, %r2;", Long, |a, b, c| {
        if f32::from_bits(c as u32) >= 0.0 { a } else { b }
    });
}

#[test]
fn predicate_logic() {
    let prepare = "setp.lt.s32 %p1, %r0, %r1; setp.lt.s32 %p2, %r1, %r2;";
    let (x, y) = (|a: u64, b: u64| (a as i32) < b as i32, |b: u64, c: u64| (b as i32) < c as i32);
    check(&format!("{prepare} and.pred %p9, %p1, %p2;"), Predicate, |a, b, c| {
        (x(a, b) & y(b, c)).into()
    });
    check(&format!("{prepare} or.pred %p9, %p1, %p2;"), Predicate, |a, b, c| {
        (x(a, b) | y(b, c)).into()
    });
    check(&format!("{prepare} xor.pred %p9, %p1, %p2;"), Predicate, |a, b, c| {
        (x(a, b) ^ y(b, c)).into()
    });
    check(&format!("{prepare} not.pred %p9, %p1;"), Predicate, |a, b, _| (!x(a, b)).into());
    check("mov.pred %p9, 1;", Predicate, |_, _, _| 1);
}

#[test]
fn guards_leave_other_lanes_alone() {
    check("mov.u32 %r9, 7; setp.lt.s32 %p1, %r0, %r1; @%p1 mov.u32 %r9, %r2;", Word, |a, b, c| {
        if (a as i32) < b as i32 { u64::from(c as u32) } else { 7 }
    });
    check(
        "mov.u64 %rd9, 7; setp.lt.s32 %p1, %r0, %r1; @!%p1 mov.u64 %rd9, %rd2;",
        Long,
        |a, b, c| {
            if (a as i32) < b as i32 { 7 } else { c }
        },
    );
    check(
        "setp.lt.s32 %p9, %r0, %r1; setp.lt.s32 %p1, %r1, %r2; @%p1 setp.eq.u32 %p9, %r0, %r2;",
        Predicate,
        |a, b, c| {
            let changed = (b as i32) < c as i32;
            u64::from(if changed { a as u32 == c as u32 } else { (a as i32) < b as i32 })
        },
    );
}

#[test]
fn packing_and_unpacking() {
    check("mov.b64 %rd9, {%r0, %r1};", Long, |a, b, _| b << 32 | a & 0xffff_ffff);
    check("mov.b64 {%r9, %r10}, %rd0;", Word, |a, _, _| a & 0xffff_ffff);
    check("mov.b64 {%r10, %r9}, %rd0;", Word, |a, _, _| a >> 32);
    check("mov.b64 {_, %r9}, %rd0;", Word, |a, _, _| a >> 32);
    check("mov.b32 %r9, {%rs0, %rs1};", Word, |a, b, _| (b & 0xffff) << 16 | a & 0xffff);
    check("mov.b32 {%rs10, %rs9}, %r0;", Short, |a, _, _| a >> 16 & 0xffff);
    check("mov.b64 %rd9, {%rs0, %rs1, %rs2, %rs0};", Long, |a, b, c| {
        (a & 0xffff) << 48 | (c & 0xffff) << 32 | (b & 0xffff) << 16 | a & 0xffff
    });
    check("mov.b64 {%rs1, %rs2, %rs9, %rs3}, %rd0;", Short, |a, _, _| a >> 32 & 0xffff);
    check("mov.b64 %rd9, %rd0;", Long, |a, _, _| a);
    check("mov.b16 %rs9, %rs1;", Short, |_, b, _| b & 0xffff);
}

#[test]
fn immediates_of_every_form() {
    check("add.s32 %r9, %r0, -5;", Word, |a, _, _| u64::from((a as u32).wrapping_sub(5)));
    check("add.s64 %rd9, %rd0, 0xffffffffffffffff;", Long, |a, _, _| a.wrapping_sub(1));
    check("add.u16 %rs9, %rs0, -1;", Short, |a, _, _| u64::from((a as u16).wrapping_sub(1)));
    check("setp.lt.s16 %p9, %rs0, -1;", Predicate, |a, _, _| u64::from((a as i16) < -1));
    check("mov.b32 %r9, 0f3f800000;", Word, |_, _, _| 0x3f80_0000);
    check("mov.f64 %rd9, 0d3ff0000000000000;", Long, |_, _, _| 1.0f64.to_bits());
    check("add.f32 %r9, %r0, 1.5; mov.b32 %r9, 3;", Word, |_, _, _| 3);
}
