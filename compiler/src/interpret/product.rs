//! Products of matrices.

use super::element;
use super::half;
use crate::ops::{MapKind, Precision};

/// A factor of a dword, as an element of the sums.
fn factor(factor: Precision, dword: u32, place: usize) -> u64 {
    let bits = dword >> (place * factor.bits());
    let signed = |bits: i32| u64::from(bits as u32);
    match factor {
        Precision::U4 => u64::from(bits % 16),
        Precision::S4 => signed((bits % 16) as i32 - if bits & 8 == 0 { 0 } else { 16 }),
        Precision::U8 => u64::from(bits % 256),
        Precision::S8 => signed(i32::from(bits as i8)),
        Precision::Bf => u64::from(bits << 16),
        // Every half is an `f32`.
        Precision::Hf => u64::from((half::to_f64(bits as u16) as f32).to_bits()),
        Precision::Tf32 => u64::from(bits >> 13 << 13),
    }
}

/// A sum and the products of the factors of a column and a row, one after the other.
pub(super) fn summed(b: Precision, a: Precision, sum: u64, dwords: impl Iterator<Item = (u32, u32)>) -> u64 {
    let elem = b.accumulator();
    let mut sum = sum;
    for (column, row) in dwords {
        for place in 0..b.per_dword() {
            let product =
                element::map(MapKind::Mul, elem, [factor(a, row, place), factor(b, column, place), 0]);
            sum = element::map(MapKind::Add, elem, [sum, product, 0]);
        }
    }
    sum
}
