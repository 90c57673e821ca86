//! The element-wise operations: one row for each operation of the table, with all types.

use cm::compiler::ops::MapKind;
use cm::ir::Op;
use cm::prelude::*;

use super::rows::rows;

fn one(_: MapKind) -> usize {
    1
}

/// The meaning on one pair of elements, as on a group of one.
fn of_elements<N: Copy>(model: impl Fn(N, N) -> N) -> impl Fn(&[N], &[N]) -> N {
    move |x, y| model(x[0], y[0])
}

/// A truth value as the number of a mask.
fn mask<N: From<u8>>(truth: bool) -> N {
    u8::from(truth).into()
}

/// The sum of the products of bytes.
fn dot(x: i128, y: i128, x_signed: bool, y_signed: bool) -> i128 {
    let byte = |x: i128, k: i32, signed: bool| {
        let byte = (x >> (8 * k)) as u8;
        if signed { i128::from(byte as i8) } else { i128::from(byte) }
    };
    (0..4).map(|k| byte(x, k, x_signed) * byte(y, k, y_signed)).sum()
}

/// The product of two floats plus a third: if that is no `f64`, of the two next to it the one with an odd last bit, so that
/// it can be rounded again.
fn fused(x: f64, y: f64, z: f64) -> f64 {
    let sum = x * y + z;
    let plus = sum - x * y;
    let error = (x * y - (sum - plus)) + (z - plus);
    if error.is_nan() || error == 0.0 || sum.to_bits() % 2 == 1 {
        return sum;
    }
    if error > 0.0 { sum.next_up() } else { sum.next_down() }
}

/// The same of halves, with the bits of an `f32`: the conversion to a half goes through one.
fn fused_halves(x: f64, y: f64, z: f64) -> f64 {
    let bits = fused(x, y, z).to_bits();
    let short = bits >> 29 << 29;
    f64::from_bits(if short == bits { bits } else { short | 1 << 29 })
}

rows! {
    Map(MapKind), one, of_elements;
    Convert conversions {
        wrapped(i32, u8; i32) -> i8 { |a, _b| a.convert() } = |x, _y| x;
        truncated(f32, u8; f32) -> i16 { |a, _b| a.convert() } = |x, _y| x;
        limited(i32, u8; i32) -> u8 { |a, _b| a.saturate() } = |x, _y| x.clamp(0, 255);
        of_halves(f16, f16; f16) -> i16 { |a, _b| a.convert() } = |x, _y| x;
        to_halves(f32, u8; f32) -> f16 { |a, _b| a.convert() } = |x, _y| x;
        limited_halves(f16, f16; f16) -> u8 { |a, _b| a.saturate() } = |x, _y| x;
    }
    Neg negations {
        bytes(u8, u8; i32) -> i32 { |a, _b| -a } = |x, _y| -x;
        dwords(u32, u8; u32) -> u32 { |a, _b| -a } = |x, _y| -x;
        floats(f32, f32; f32) -> f32 { |a, _b| -a } = |x, _y| -x;
        halves(f16, f16; f16) -> f16 { |a, _b| -a } = |x, _y| -x;
    }
    Not complements {
        words(u16, u8; i32) -> i32 { |a, _b| !a } = |x, _y| !x;
        wide(i64, u8; i64) -> i64 { |a, _b| !a } = |x, _y| !x;
    }
    Add sums {
        bytes(u8, i8; i32) -> i32 { |a, b| a + b } = |x, y| x + y;
        narrowed(i16, u16; i32) -> u8 { |a, b| (a + b).convert() } = |x, y| x + y;
        dwords(u32, i32; u32) -> u32 { |a, b| a + b } = |x, y| x + y;
        wide(i64, u8; i64) -> i64 { |a, b| a + b } = |x, y| x + y;
        floats(f32, f32; f32) -> f32 { |a, b| a + b } = |x, y| x + y;
        halves(f16, f16; f16) -> f16 { |a, b| a + b } = |x, y| x + y;
        as_halves(f16, f16; f16) -> f16 { |a, b| math::add::<f16, _>(a, b) } = |x, y| x + y;
        limited_halves(f16, f16; f16) -> f16 {
            |a, b| math::add_sat::<f16, _>(a, b)
        } = |x, y| if x + y > 0.0 { (x + y).min(1.0) } else { 0.0 };
        as_qwords(i32, u32; i64) -> i64 { |a, b| math::add::<i64, _>(a, b) } = |x, y| x + y;
        as_floats(i32, i32; i64) -> f32 { |a, b| math::add::<f32, _>(a, b) } = |x, y| x + y;
        limited(u8, i16; i32) -> u8 { |a, b| math::add_sat::<u8, _>(a, b) } = |x, y| (x + y).clamp(0, 255);
        limited_dwords(i32, u32; i64) -> u32 {
            |a, b| math::add_sat::<u32, _>(a, b)
        } = |x, y| (x + y).clamp(0, u32::MAX.into());
        limited_floats(f32, f32; f32) -> f32 {
            |a, b| math::add_sat::<f32, _>(a, b)
        } = |x, y| if x + y > 0.0 { (x + y).min(1.0) } else { 0.0 };
    }
    Sub differences {
        bytes(u8, u8; i32) -> i32 { |a, b| a - b } = |x, y| x - y;
        dwords(i32, u32; u32) -> u32 { |a, b| a - b } = |x, y| x - y;
        floats(f32, u8; f32) -> f32 { |a, b| a - b } = |x, y| x - y;
        halves(f16, f16; f16) -> f16 { |a, b| a - b } = |x, y| x - y;
        of_floats(f32, f32; f32) -> f32 { |a, b| math::sub::<f32, _>(a, b) } = |x, y| x - y;
        of_halves(f16, f16; f16) -> f16 { |a, b| math::sub::<f16, _>(a, b) } = |x, y| x - y;
        as_words(u8, u8; i32) -> i16 { |a, b| math::sub::<i16, _>(a, b) } = |x, y| x - y;
        limited(u16, i16; i32) -> i8 {
            |a, b| math::sub_sat::<i8, _>(a, b)
        } = |x, y| (x - y).clamp(-128, 127);
        limited_dwords(i32, u32; i64) -> i32 {
            |a, b| math::sub_sat::<i32, _>(a, b)
        } = |x, y| (x - y).clamp(i32::MIN.into(), i32::MAX.into());
    }
    Mul products {
        words(i16, i16; i32) -> i32 { |a, b| a * b } = |x, y| x * y;
        dwords(u32, i8; u32) -> u32 { |a, b| a * b } = |x, y| x * y;
        floats(i16, f32; f32) -> f32 { |a, b| a * b } = |x, y| x * y;
        halves(f16, f16; f16) -> f16 { |a, b| a * b } = |x, y| x * y;
        of_floats(f32, f32; f32) -> f32 { |a, b| math::mul::<f32, _>(a, b) } = |x, y| x * y;
        of_halves(f16, f16; f16) -> f16 { |a, b| math::mul::<f16, _>(a, b) } = |x, y| x * y;
        as_bytes(u8, i8; i32) -> u8 { |a, b| math::mul::<u8, _>(a, b) } = |x, y| x * y;
        as_qwords(i32, u32; i64) -> i64 { |a, b| math::mul::<i64, _>(a, b) } = |x, y| x * y;
        limited(u8, u8; i32) -> u8 { |a, b| math::mul_sat::<u8, _>(a, b) } = |x, y| (x * y).min(255);
        limited_words(u16, u16; i64) -> i16 {
            |a, b| math::mul_sat::<i16, _>(a, b)
        } = |x, y| (x * y).min(32767);
        limited_dwords(i32, i32; i64) -> i32 {
            |a, b| math::mul_sat::<i32, _>(a, b)
        } = |x, y| (x * y).clamp(i32::MIN.into(), i32::MAX.into());
        limited_unsigned_dwords(u32, u32; u64) -> u32 {
            |a, b| math::mul_sat::<u32, _>(a, b)
        } = |x, y| (x * y).min(u32::MAX.into());
    }
    Div quotients {
        bytes(i8, i8; i32) -> i32 { |a, b| a / b } = |x, y| if y == 0 { -1 } else { x / y };
        dwords(u32, u16; u32) -> u32 { |a, b| a / b } = |x, y| if y == 0 { -1 } else { x / y };
        of_floats(f32, f32; f32) -> f32 { |a, b| a / b } = |x, y| x / y;
        of_halves(f16, f16; f16) -> f16 { |a, b| a / b } = |x, y| x / y;
        floats(f32, f32; f32) -> f32 {
            |a, b| a / math::min::<f32, _>(math::max::<f32, _>(math::abs::<f32, _>(b), 1i32), 256i32)
        } = |x, y| x / y.abs().clamp(1.0, 256.0);
        halves(f16, f16; f16) -> f16 {
            |a, b| a / math::min::<f16, _>(math::max::<f16, _>(math::abs::<f16, _>(b), 1i32), 256i32)
        } = |x, y| x / y.abs().clamp(1.0, 256.0);
    }
    Rem remainders {
        words(i16, i8; i32) -> i32 { |a, b| a % b } = |x, y| if y == 0 { x } else { x % y };
        dwords(i32, i32; i32) -> i32 { |a, b| a % b } = |x, y| if y == 0 { x } else { x % y };
    }
    And conjunctions {
        mixed(u8, i16; i32) -> i32 { |a, b| a & b } = |x, y| x & y;
        wide(u64, i32; u64) -> u64 { |a, b| a & b } = |x, y| x & y;
    }
    Or disjunctions {
        mixed(i8, u16; i32) -> i32 { |a, b| a | b } = |x, y| x | y;
        dwords(u32, u32; u32) -> u32 { |a, b| a | b } = |x, y| x | y;
    }
    Xor exclusive_disjunctions {
        mixed(u8, i8; i32) -> i32 { |a, b| a ^ b } = |x, y| x ^ y;
        wide(i64, i64; i64) -> i64 { |a, b| a ^ b } = |x, y| x ^ y;
    }
    Shl shifts_to_the_left {
        bytes(u8, u8; i32) -> i32 { |a, b| a << b } = |x, y| x << (y & 31);
        dwords(u32, i16; u32) -> u32 { |a, b| a << b } = |x, y| x << (y & 31);
        as_bytes(u8, u8; i32) -> u8 { |a, b| math::shl::<u8, _>(a, b) } = |x, y| x << (y & 31);
        as_qwords(i16, u8; i64) -> i64 { |a, b| math::shl::<i64, _>(a, b) } = |x, y| x << (y & 63);
    }
    Shr shifts_to_the_right {
        words(i16, u8; i32) -> i32 { |a, b| a >> b } = |x, y| x >> (y & 31);
        dwords(u32, u32; u32) -> u32 { |a, b| a >> b } = |x, y| x >> (y & 31);
        as_bytes(i16, u8; i32) -> i8 { |a, b| math::shr::<i8, _>(a, b) } = |x, y| x >> (y & 31);
        limited(i16, u8; i32) -> u8 {
            |a, b| math::shr_sat::<u8, _>(a, b)
        } = |x, y| (x >> (y & 31)).clamp(0, 255);
        arithmetic(u32, u8; i32) -> u32 { |a, b| math::asr::<u32, _>(a, b) } = |x, y| x >> (y & 31);
        arithmetic_qwords(u64, u8; i64) -> i64 { |a, b| math::asr::<i64, _>(a, b) } = |x, y| x >> (y & 63);
        arithmetic_limited(u32, u8; i32) -> u8 {
            |a, b| math::asr_sat::<u8, _>(a, b)
        } = |x, y| (x >> (y & 31)).clamp(0, 255);
        logical(i32, u8; u32) -> i32 { |a, b| math::lsr::<i32, _>(a, b) } = |x, y| x >> (y & 31);
        logical_words(i16, u8; u32) -> u32 { |a, b| math::lsr::<u32, _>(a, b) } = |x, y| x >> (y & 31);
        logical_qwords(i64, u8; u64) -> u64 { |a, b| math::lsr::<u64, _>(a, b) } = |x, y| x >> (y & 63);
        logical_limited(i32, u8; u32) -> u16 {
            |a, b| math::lsr_sat::<u16, _>(a, b)
        } = |x, y| (x >> (y & 31)).min(65535);
    }
    Avg averages {
        bytes(u8, u8; i32) -> u8 { |a, b| math::avg::<u8, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        signed_bytes(i8, i8; i32) -> i8 { |a, b| math::avg::<i8, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        words(u16, u16; i32) -> u16 { |a, b| math::avg::<u16, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        signed_words(i16, i16; i32) -> i16 { |a, b| math::avg::<i16, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        dwords(u32, u32; u32) -> u32 { |a, b| math::avg::<u32, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        signed_dwords(i32, i32; i32) -> i32 { |a, b| math::avg::<i32, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        qwords(u64, u64; u64) -> u64 { |a, b| math::avg::<u64, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        signed_qwords(i64, i64; i64) -> i64 { |a, b| math::avg::<i64, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        mixed(u8, i16; i32) -> i32 { |a, b| math::avg::<i32, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        mixed_dwords(u32, i8; u32) -> u32 { |a, b| math::avg::<u32, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        wrapped(i32, i16; i32) -> u8 { |a, b| math::avg::<u8, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        limited(i16, u16; i32) -> u8 {
            |a, b| math::avg_sat::<u8, _>(a, b)
        } = |x, y| ((x + y + 1) >> 1).clamp(0, 255);
        limited_words(i32, u8; i32) -> i16 {
            |a, b| math::avg_sat::<i16, _>(a, b)
        } = |x, y| ((x + y + 1) >> 1).clamp(-32768, 32767);
        of_a_number(i16, u8; i32) -> i32 { |a, _b| math::avg::<i32, _>(a, 3) } = |x, _y| (x + 4) >> 1;
    }
    Abs sizes {
        bytes(i8, u8; i32) -> u8 { |a, _b| math::abs::<u8, _>(a) } = |x, _y| x.abs();
        wrapped(i8, u8; i32) -> i8 { |a, _b| math::abs::<i8, _>(a) } = |x, _y| x.abs();
        limited(i8, u8; i32) -> i8 { |a, _b| math::abs_sat::<i8, _>(a) } = |x, _y| x.abs().min(127);
        words(i16, u8; i32) -> i32 { |a, _b| math::abs::<i32, _>(a) } = |x, _y| x.abs();
        dwords(i32, u8; i64) -> u32 { |a, _b| math::abs::<u32, _>(a) } = |x, _y| x.abs();
        limited_dwords(i32, u8; i64) -> i32 {
            |a, _b| math::abs_sat::<i32, _>(a)
        } = |x, _y| x.abs().min(i32::MAX.into());
        qwords(i64, u8; i64) -> u64 { |a, _b| math::abs::<u64, _>(a) } = |x, _y| x.abs();
        unsigned(u32, u8; u32) -> u64 { |a, _b| math::abs::<u64, _>(a) } = |x, _y| x;
        compared(i16, i16; i32) -> u16 { |a, b| math::abs::<u16, _>(a) < b } = |x, y| mask(x.abs() < y);
        as_floats(i8, u8; i32) -> f32 { |a, _b| math::abs::<f32, _>(a) } = |x, _y| x.abs();
        floats(f32, u8; f32) -> f32 { |a, _b| math::abs::<f32, _>(a) } = |x, _y| x.abs();
        halves(f16, f16; f16) -> f16 { |a, _b| math::abs::<f16, _>(a) } = |x, _y| x.abs();
        doubles(f64, u8; f64) -> f64 { |a, _b| math::abs::<f64, _>(a) } = |x, _y| x.abs();
    }
    AddSat limited_sums {
        u8s(u8, u8; i32) -> u8 { |a, b| math::add_sat::<u8, _>(a, b) } = |x, y| (x + y).clamp(0, 255);
        i8s(i8, i8; i32) -> i8 { |a, b| math::add_sat::<i8, _>(a, b) } = |x, y| (x + y).clamp(-128, 127);
        u16s(u16, u16; i32) -> u16 { |a, b| math::add_sat::<u16, _>(a, b) } = |x, y| (x + y).clamp(0, 65535);
        i16s(i16, i16; i32) -> i16 {
            |a, b| math::add_sat::<i16, _>(a, b)
        } = |x, y| (x + y).clamp(-32768, 32767);
        u32s(u32, u32; i64) -> u32 {
            |a, b| math::add_sat::<u32, _>(a, b)
        } = |x, y| (x + y).clamp(0, u32::MAX.into());
        i32s(i32, i32; i64) -> i32 {
            |a, b| math::add_sat::<i32, _>(a, b)
        } = |x, y| (x + y).clamp(i32::MIN.into(), i32::MAX.into());
        u64s(u64, u64; u64) -> u64 {
            |a, b| math::add_sat::<u64, _>(a, b)
        } = |x, y| (x + y).clamp(0, u64::MAX.into());
        i64s(i64, i64; i64) -> i64 {
            |a, b| math::add_sat::<i64, _>(a, b)
        } = |x, y| (x + y).clamp(i64::MIN.into(), i64::MAX.into());
        narrowed(i64, i64; i64) -> i16 {
            |a, b| math::add_sat::<i16, _>(a, b)
        } = |x, y| (x + y).clamp(-32768, 32767);
        mixed(u8, i8; i32) -> i16 { |a, b| math::add_sat::<i16, _>(a, b) } = |x, y| x + y;
        mixed_words(i16, u8; i32) -> i32 { |a, b| math::add_sat::<i32, _>(a, b) } = |x, y| x + y;
    }
    SubSat limited_differences {
        u8s(u8, u8; i32) -> u8 { |a, b| math::sub_sat::<u8, _>(a, b) } = |x, y| (x - y).clamp(0, 255);
        i8s(i8, i8; i32) -> i8 { |a, b| math::sub_sat::<i8, _>(a, b) } = |x, y| (x - y).clamp(-128, 127);
        u16s(u16, u16; i32) -> u16 { |a, b| math::sub_sat::<u16, _>(a, b) } = |x, y| (x - y).clamp(0, 65535);
        i16s(i16, i16; i32) -> i16 {
            |a, b| math::sub_sat::<i16, _>(a, b)
        } = |x, y| (x - y).clamp(-32768, 32767);
        u32s(u32, u32; i64) -> u32 {
            |a, b| math::sub_sat::<u32, _>(a, b)
        } = |x, y| (x - y).clamp(0, u32::MAX.into());
        i32s(i32, i32; i64) -> i32 {
            |a, b| math::sub_sat::<i32, _>(a, b)
        } = |x, y| (x - y).clamp(i32::MIN.into(), i32::MAX.into());
        u64s(u64, u64; u64) -> u64 {
            |a, b| math::sub_sat::<u64, _>(a, b)
        } = |x, y| (x - y).clamp(0, u64::MAX.into());
        i64s(i64, i64; i64) -> i64 {
            |a, b| math::sub_sat::<i64, _>(a, b)
        } = |x, y| (x - y).clamp(i64::MIN.into(), i64::MAX.into());
    }
    ShlSat limited_shifts_to_the_left {
        bytes(u8, u8; i64) -> u8 {
            |a, b| math::shl_sat::<u8, _>(a, b)
        } = |x, y| (x << (y & 31)).clamp(0, 255);
        words(i16, u8; i64) -> i16 {
            |a, b| math::shl_sat::<i16, _>(a, b)
        } = |x, y| (x << (y & 31)).clamp(-32768, 32767);
        dwords(i32, u8; i64) -> i32 {
            |a, b| math::shl_sat::<i32, _>(a, b)
        } = |x, y| (x << (y & 31)).clamp(i32::MIN.into(), i32::MAX.into());
        unsigned_dwords(u32, u8; i64) -> u32 {
            |a, b| math::shl_sat::<u32, _>(a, b)
        } = |x, y| (x << (y & 31)).clamp(0, u32::MAX.into());
        of_both_signs(i16, u8; i64) -> u32 {
            |a, b| math::shl_sat::<u32, _>(a, b)
        } = |x, y| (x << (y & 31)).clamp(0, u32::MAX.into());
        qwords(i32, u8; i64) -> i64 {
            |a, b| math::shl_sat::<i64, _>(a, b)
        } = |x, y| (x << (y & 63)).clamp(i64::MIN.into(), i64::MAX.into());
        unsigned_qwords(u64, u8; u64) -> u64 {
            |a, b| math::shl_sat::<u64, _>(a, b)
        } = |x, y| (x << (y & 63)).clamp(0, u64::MAX.into());
        by_a_number(u8, u8; i64) -> u8 { |a, _b| math::shl_sat::<u8, _>(a, 3) } = |x, _y| (x << 3).min(255);
    }
    Min minima {
        u8s(u8, u8; i32) -> u8 { |a, b| math::min::<u8, _>(a, b) } = |x, y| x.min(y);
        i8s(i8, i8; i32) -> i8 { |a, b| math::min::<i8, _>(a, b) } = |x, y| x.min(y);
        u16s(u16, u16; i32) -> u16 { |a, b| math::min::<u16, _>(a, b) } = |x, y| x.min(y);
        i16s(i16, i16; i32) -> i16 { |a, b| math::min::<i16, _>(a, b) } = |x, y| x.min(y);
        u32s(u32, u32; u32) -> u32 { |a, b| math::min::<u32, _>(a, b) } = |x, y| x.min(y);
        i32s(i32, i32; i32) -> i32 { |a, b| math::min::<i32, _>(a, b) } = |x, y| x.min(y);
        u64s(u64, u64; u64) -> u64 { |a, b| math::min::<u64, _>(a, b) } = |x, y| x.min(y);
        i64s(i64, i64; i64) -> i64 { |a, b| math::min::<i64, _>(a, b) } = |x, y| x.min(y);
        mixed(u8, i16; i32) -> u8 { |a, b| math::min::<u8, _>(a, b) } = |x, y| x.min(y);
        limited(i32, i16; i32) -> u8 {
            |a, b| math::min_sat::<u8, _>(a, b)
        } = |x, y| x.min(y).clamp(0, 255);
        in_the_common_type(u32, i8; u32) -> i64 { |a, b| math::min::<i64, _>(a, b) } = |x, y| x.min(y);
        floats(f32, f32; f32) -> f32 { |a, b| math::min::<f32, _>(a, b) } = |x, y| if y < x { y } else { x };
        halves(f16, f16; f16) -> f16 { |a, b| math::min::<f16, _>(a, b) } = |x, y| if y < x { y } else { x };
        doubles(f64, f64; f64) -> f64 { |a, b| math::min::<f64, _>(a, b) } = |x, y| if y < x { y } else { x };
        of_nan(f32, f32; f32) -> f32 {
            |a, b| math::min::<f32, _>((a - a) / (a - a), b)
        } = |x, y| if x == x { y } else { x };
        by_nan(f32, f32; f32) -> f32 {
            |a, b| math::min::<f32, _>(a, (b - b) / (b - b))
        } = |x, y| if y == y { x } else { y };
    }
    Max maxima {
        u8s(u8, u8; i32) -> u8 { |a, b| math::max::<u8, _>(a, b) } = |x, y| x.max(y);
        i8s(i8, i8; i32) -> i8 { |a, b| math::max::<i8, _>(a, b) } = |x, y| x.max(y);
        u16s(u16, u16; i32) -> u16 { |a, b| math::max::<u16, _>(a, b) } = |x, y| x.max(y);
        i16s(i16, i16; i32) -> i16 { |a, b| math::max::<i16, _>(a, b) } = |x, y| x.max(y);
        u32s(u32, u32; u32) -> u32 { |a, b| math::max::<u32, _>(a, b) } = |x, y| x.max(y);
        i32s(i32, i32; i32) -> i32 { |a, b| math::max::<i32, _>(a, b) } = |x, y| x.max(y);
        u64s(u64, u64; u64) -> u64 { |a, b| math::max::<u64, _>(a, b) } = |x, y| x.max(y);
        i64s(i64, i64; i64) -> i64 { |a, b| math::max::<i64, _>(a, b) } = |x, y| x.max(y);
        mixed(i8, u16; i32) -> i32 { |a, b| math::max::<i32, _>(a, b) } = |x, y| x.max(y);
        limited(i16, i32; i32) -> i8 {
            |a, b| math::max_sat::<i8, _>(a, b)
        } = |x, y| x.max(y).clamp(-128, 127);
        of_a_number(i16, u8; i32) -> u8 { |a, _b| math::max_sat::<u8, _>(a, 7) } = |x, _y| x.clamp(7, 255);
        floats(f32, f32; f32) -> f32 { |a, b| math::max::<f32, _>(a, b) } = |x, y| if y > x { y } else { x };
        halves(f16, f16; f16) -> f16 { |a, b| math::max::<f16, _>(a, b) } = |x, y| if y > x { y } else { x };
        doubles(f64, f64; f64) -> f64 { |a, b| math::max::<f64, _>(a, b) } = |x, y| if y > x { y } else { x };
    }
    Exp powers_of_two {
        floats(f32, f32; f32) -> f32 { |a, _b| math::exp(a) } = |x, _y| x.exp2();
        halves(f16, f16; f16) -> f16 { |a, _b| math::exp(a) } = |x, _y| x.exp2();
    }
    Log logarithms {
        floats(f32, f32; f32) -> f32 { |a, _b| math::log(math::abs::<f32, _>(a)) } = |x, _y| x.abs().log2();
        halves(f16, f16; f16) -> f16 { |a, _b| math::log(math::abs::<f16, _>(a)) } = |x, _y| x.abs().log2();
    }
    Inv reciprocals {
        floats(f32, f32; f32) -> f32 { |a, _b| math::inv(a) } = |x, _y| 1.0 / x;
        halves(f16, f16; f16) -> f16 { |a, _b| math::inv(a) } = |x, _y| 1.0 / x;
    }
    Sqrt square_roots {
        floats(f32, f32; f32) -> f32 { |a, _b| math::sqrt(math::abs::<f32, _>(a)) } = |x, _y| x.abs().sqrt();
        halves(f16, f16; f16) -> f16 { |a, _b| math::sqrt(math::abs::<f16, _>(a)) } = |x, _y| x.abs().sqrt();
    }
    Rsqrt reciprocals_of_square_roots {
        floats(f32, f32; f32) -> f32 {
            |a, _b| math::rsqrt(math::abs::<f32, _>(a))
        } = |x, _y| 1.0 / x.abs().sqrt();
        halves(f16, f16; f16) -> f16 {
            |a, _b| math::rsqrt(math::abs::<f16, _>(a))
        } = |x, _y| 1.0 / x.abs().sqrt();
    }
    Sin sines {
        floats(f32, f32; f32) -> f32 {
            |a, _b| math::sin(math::min::<f32, _>(math::max::<f32, _>(a, -9e4f32), 9e4f32))
        } = |x, _y| x.clamp(f64::from(-9e4f32), f64::from(9e4f32)).sin();
        halves(f16, f16; f16) -> f16 {
            |a, _b| math::sin(math::min::<f16, _>(math::abs::<f16, _>(a), 1024i32))
        } = |x, _y| x.abs().min(1024.0).sin();
        of_both(f32, f32; f32) -> f32 {
            |a, _b| math::sincos(math::min::<f32, _>(math::abs::<f32, _>(a), 9e4f32)).0
        } = |x, _y| x.abs().min(f64::from(9e4f32)).sin();
    }
    Cos cosines {
        halves(f16, f16; f16) -> f16 {
            |a, _b| math::cos(math::min::<f16, _>(math::abs::<f16, _>(a), 1024i32))
        } = |x, _y| x.abs().min(1024.0).cos();
        of_both(f16, f16; f16) -> f16 {
            |a, _b| math::sincos(math::min::<f16, _>(math::abs::<f16, _>(a), 1024i32)).1
        } = |x, _y| x.abs().min(1024.0).cos();
        floats(f32, f32; f32) -> f32 {
            |a, _b| math::cos(math::min::<f32, _>(math::max::<f32, _>(a, -9e4f32), 9e4f32))
        } = |x, _y| x.clamp(f64::from(-9e4f32), f64::from(9e4f32)).cos();
    }
    SqrtIeee rounded_square_roots {
        floats(f32, f32; f32) -> f32 {
            |a, _b| math::sqrt_ieee(math::abs::<f32, _>(a))
        } = |x, _y| x.abs().sqrt();
        halves(f16, f16; f16) -> f16 {
            |a, _b| math::sqrt_ieee(math::abs::<f16, _>(a))
        } = |x, _y| x.abs().sqrt();
    }
    Pow powers {
        floats(f32, f32; f32) -> f32 {
            |a, b| math::pow(a, b)
        } = |x, y| if y == 0.0 || x.abs() == 1.0 { 1.0 } else { x.abs().powf(y) };
        halves(f16, f16; f16) -> f16 {
            |a, b| math::pow(a, b)
        } = |x, y| if y == 0.0 || x.abs() == 1.0 { 1.0 } else { x.abs().powf(y) };
    }
    Rndd rounded_down {
        floats(f32, f32; f32) -> f32 { |a, _b| math::rndd::<f32, _>(a) } = |x, _y| x.floor();
        halves(f16, f16; f16) -> f16 { |a, _b| math::rndd::<f16, _>(a) } = |x, _y| x.floor();
    }
    Rndu rounded_up {
        bytes(f32, f32; f32) -> u8 { |a, _b| math::rndu::<u8, _>(a) } = |x, _y| x.ceil();
        halves(f16, f16; f16) -> f16 { |a, _b| math::rndu::<f16, _>(a) } = |x, _y| x.ceil();
    }
    Rnde rounded_to_even {
        floats(f32, f32; f32) -> f32 { |a, _b| math::rnde::<f32, _>(a) } = |x, _y| x.round_ties_even();
        halves(i16, f32; f32) -> i16 {
            |a, _b| math::rnde::<i16, _>(a * 0.5f32)
        } = |x, _y| (x * 0.5).round_ties_even();
        of_halves(f16, f16; f16) -> f16 { |a, _b| math::rnde::<f16, _>(a) } = |x, _y| x.round_ties_even();
    }
    Rndz rounded_to_zero {
        floats(f32, f32; f32) -> f32 { |a, _b| math::rndz::<f32, _>(a) } = |x, _y| x.trunc();
        halves(f16, f16; f16) -> f16 { |a, _b| math::rndz::<f16, _>(a) } = |x, _y| x.trunc();
    }
    Lzd leading_zeros {
        dwords(u32, u8; u32) -> u32 { |a, _b| math::lzd(a) } = |x, _y| (x as u32).leading_zeros().into();
    }
    Cbit bits_that_are_set {
        dwords(i32, u8; i32) -> u32 { |a, _b| math::cbit(a) } = |x, _y| (x as u32).count_ones().into();
    }
    Fbl lowest_bits {
        dwords(u32, u8; u32) -> u32 {
            |a, _b| math::fbl(a)
        } = |x, _y| if x == 0 { -1 } else { (x as u32).trailing_zeros().into() };
    }
    Fbh highest_bits {
        dwords(i32, u8; u32) -> u32 {
            |a, _b| math::fbh(a)
        } = |x, _y| match (x as i32, (x as i32).leading_zeros().max((x as i32).leading_ones())) {
            (0 | -1, _) => -1,
            (_, place) => place.into(),
        };
    }
    BfReverse reversed_bits {
        dwords(u32, u8; u32) -> u32 { |a, _b| math::bf_reverse(a) } = |x, _y| (x as u32).reverse_bits().into();
    }
    Fma fused_products_and_sums {
        floats(f32, f32; f32) -> f32 {
            |a, b| math::fma(a, b, math::fma(b, b, a))
        } = |x, y| fused(x, y, f64::from(fused(y, y, x) as f32));
        of_a_number(f32, i16; f32) -> f32 {
            |a, b| math::fma(a, 1.000_000_1f32, b.convert::<f32>())
        } = |x, y| fused(x, f64::from(1.000_000_1f32), y);
        halves(f16, f16; f16) -> f16 {
            |a, b| math::fma(a, b, b)
        } = |x, y| fused_halves(x, y, y);
        halves_and_a_number(f16, f16; f16) -> f16 {
            |a, b| math::fma(a, b, f16::from_f32(1.5))
        } = |x, y| fused_halves(x, y, 1.5);
        halves_nearby(f16, f16; f16) -> f16 {
            |a, b| math::fma(a, a, math::fma(b, b, a))
        } = |x, y| fused_halves(x, x, f16::from_f64(fused_halves(y, y, x)).to_f64());
    }
    BfExtract fields {
        unsigned(u32, u8; u32) -> u32 {
            |a, b| math::bf_extract(b, 3, a)
        } = |x, y| x >> 3 & ((1 << (y & 31)) - 1);
        signed(i32, u8; i32) -> i32 {
            |a, b| math::bf_extract(5, b, a)
        } = |x, y| {
            let (offset, width) = (y & 31, 5.min(32 - (y & 31)));
            let field = i128::from(x as u32) >> offset & ((1 << width) - 1);
            if field >> (width - 1) & 1 == 1 { field - (1 << width) } else { field }
        };
    }
    DotUu dots_of_unsigned_bytes {
        dwords(u32, u32; u32) -> u32 { |a, b| math::dp4a::<u32, _>(7, a, b) } = |x, y| 7 + dot(x, y, false, false);
    }
    DotUs dots_by_signed_bytes {
        dwords(u32, i32; i32) -> i32 { |a, b| math::dp4a::<i32, _>(7, a, b) } = |x, y| 7 + dot(x, y, false, true);
    }
    DotSu dots_of_signed_bytes {
        dwords(i32, u32; i32) -> i32 { |a, b| math::dp4a::<i32, _>(7, a, b) } = |x, y| 7 + dot(x, y, true, false);
    }
    DotSs dots_of_both_signed_bytes {
        dwords(i32, i32; i32) -> u8 {
            |a, b| math::dp4a_sat::<u8, _>(7, a, b)
        } = |x, y| (7 + dot(x, y, true, true)).clamp(0, 255);
    }
    Rol rotations_to_the_left {
        words(u16, u8; u16) -> u16 {
            |a, b| math::rol(a, b)
        } = |x, y| (x as u16).rotate_left(y as u32 & 15).into();
        qwords(i64, u8; i64) -> i64 {
            |a, b| math::rol(a, b)
        } = |x, y| (x as i64).rotate_left(y as u32 & 63).into();
    }
    Ror rotations_to_the_right {
        dwords(u32, u8; u32) -> u32 {
            |a, b| math::ror(a, b)
        } = |x, y| (x as u32).rotate_right(y as u32 & 31).into();
    }
    Lt less {
        mixed(u8, i16; i32) -> u16 { |a, b| a < b } = |x, y| mask(x < y);
        dwords(u32, i32; u32) -> u16 { |a, b| a < b } = |x, y| mask(x < y);
        floats(f32, f32; f32) -> u16 { |a, b| a < b } = |x, y| mask(x < y);
        halves(f16, f16; f16) -> u16 { |a, b| a < b } = |x, y| mask(x < y);
    }
    Le less_or_equal {
        words(i16, u16; i32) -> u16 { |a, b| a <= b } = |x, y| mask(x <= y);
        floats(f32, f32; f32) -> u16 { |a, b| a <= b } = |x, y| mask(x <= y);
        halves(f16, f16; f16) -> u16 { |a, b| a <= b } = |x, y| mask(x <= y);
    }
    Gt greater {
        bytes(i8, i8; i32) -> u16 { |a, b| a > b } = |x, y| mask(x > y);
        wide(i64, u32; i64) -> u16 { |a, b| a > b } = |x, y| mask(x > y);
        floats(f32, f32; f32) -> u16 { |a, b| a > b } = |x, y| mask(x > y);
        halves(f16, f16; f16) -> u16 { |a, b| a > b } = |x, y| mask(x > y);
    }
    Ge greater_or_equal {
        words(u16, u16; i32) -> u16 { |a, b| a >= b } = |x, y| mask(x >= y);
        floats(f32, f32; f32) -> u16 { |a, b| a >= b } = |x, y| mask(x >= y);
        halves(f16, f16; f16) -> u16 { |a, b| a >= b } = |x, y| mask(x >= y);
    }
    Eq equal {
        mixed(u8, i32; i32) -> u16 { |a, b| a == b } = |x, y| mask(x == y);
        floats(f32, f32; f32) -> u16 { |a, b| a == b } = |x, y| mask(x == y);
        halves(f16, f16; f16) -> u16 { |a, b| a == b } = |x, y| mask(x == y);
    }
    Ne not_equal {
        mixed(i8, i16; i32) -> u16 { |a, b| a != b } = |x, y| mask(x != y);
        floats(f32, f32; f32) -> u16 { |a, b| a != b } = |x, y| mask(x != y);
        halves(f16, f16; f16) -> u16 { |a, b| a != b } = |x, y| mask(x != y);
        of_nan(f32, f32; f32) -> u16 { |a, b| (a - a) / (a - a) != b } = |_x, _y| mask(true);
    }
    Merge merges {
        smaller(i16, i16; i16) -> i16 {
            |a, b| {
                let mut merged: Vector<i16, 16> = b;
                merged.merge(a, &(a < b));
                merged
            }
        } = |x, y| x.min(y);
        greater(f32, f32; f32) -> f32 {
            |a, b| {
                let mut merged: Vector<f32, 16> = b;
                merged.merge(a, &(a > b));
                merged
            }
        } = |x, y| if x > y { x } else { y };
        halves(f16, f16; f16) -> f16 {
            |a, b| {
                let mut merged: Vector<f16, 16> = b;
                merged.merge(a, &(a > b));
                merged
            }
        } = |x, y| if x > y { x } else { y };
    }
    ; no functions:
}
