//! The smallest and the largest number that each value can be.
//!
//! A float that is known to fit an integer type needs no saturating conversion. On registers of 32 bytes the
//! plain one is shorter: the compiler makes it of whole registers and takes the bytes afterwards.

use std::ops::RangeInclusive;

use half::f16;
use rustc_hash::FxHashMap;

use crate::dataflow::{Facts, Forward, forward, loads};
use crate::elem::ElemType;
use crate::ir::{Bits, Function, Inst, Op, ThreadId, Type, Value};
use crate::limits::GROUP_THREADS;
use crate::ops::{Class, MapKind};

/// The smallest and the largest number, both reached at most. Nothing is NaN. Of floats, either or both may be infinite:
/// then nothing is known in that direction.
type Range = (f64, f64);

/// No number at all: of what is never looked at.
const EMPTY: Range = (f64::INFINITY, f64::NEG_INFINITY);

/// The ranges of the values of a kernel.
#[derive(Debug)]
pub(crate) struct Ranges(Facts<Option<Range>>);

impl Ranges {
    /// Of this kernel.
    pub(crate) fn of(function: &Function) -> Self {
        let intervals = Intervals { stored: loads(&function.body), unset: Some(EMPTY) };
        Self(forward(&function.body, &intervals))
    }

    /// Of this kernel, where elements that nothing has set may be any numbers. Instructions compute with those, too.
    pub(crate) fn of_all_elements(function: &Function) -> Self {
        Self(forward(&function.body, &Intervals { stored: loads(&function.body), unset: None }))
    }

    /// Whether a float, cut off, is surely a number of this type of up to 16 bits.
    pub(crate) fn fits(&self, value: Value, to: ElemType) -> bool {
        let (Some(Some((low, high))), true) = (self.0.get(value), to.bytes() <= 2) else { return false };
        let (least, most) = limits(to);
        // The fraction is cut off, so that numbers less than 1 beyond the limits fit.
        *low > least - 1.0 && *high < most + 1.0
    }

    /// Whether a number may be the smallest one of a type. One that does not fit the type may wrap to it.
    pub(crate) fn may_be_smallest(&self, value: Value, elem: ElemType) -> bool {
        let (least, most) = limits(elem);
        !matches!(self.0.get(value), Some(Some((low, high))) if *low > least && *high <= most)
    }

    /// Whether these may be a number without a sign and one with, of the same size and shorter than `elem`.
    pub(crate) fn may_mix_signs(&self, unsigned: Value, signed: Value, elem: ElemType) -> bool {
        let range = |x: Value| self.0.get(x).copied().flatten();
        let (Some(a), Some(b)) = (range(unsigned), range(signed)) else { return false };
        let sizes = [(ElemType::U16, ElemType::I16), (ElemType::U32, ElemType::I32)];
        sizes.into_iter().filter(|(short, _)| short.bytes() < elem.bytes()).any(|(short, other)| {
            let within = |range: Range, ty: ElemType| range.0 >= limits(ty).0 && range.1 <= limits(ty).1;
            within(a, short) && a.1 > limits(other).1 && within(b, other) && b.0 < 0.0
        })
    }

    /// Whether all of these are numbers from 0 to `last`.
    pub(crate) fn is_at_most(&self, value: Value, last: usize) -> bool {
        matches!(self.0.get(value), Some(Some((low, high))) if *low >= 0.0 && *high <= last as f64)
    }

    /// The integers from 0 on that all elements are among, if they are.
    pub(crate) fn integers(&self, value: Value) -> Option<RangeInclusive<u32>> {
        let (low, high) = self.0.get(value).copied().flatten().filter(|range| *range != EMPTY)?;
        (low >= 0.0 && high <= f64::from(u32::MAX)).then_some(low as u32..=high as u32)
    }

    /// The least and the largest integer that a number, converted to an integer type, may be.
    pub(crate) fn bounds(&self, value: Value, elem: ElemType) -> Option<(i64, i64)> {
        let own = self.0.get(value).copied().flatten().filter(|range| *range != EMPTY);
        let (low, high) =
            own.zip(self.0.elem(value)).and_then(|(range, from)| converted(range, from, elem))?;
        Some((low as i64, high as i64))
    }

    /// Whether a number, converted to a type, is surely one of another type.
    pub(crate) fn is_within(&self, value: Value, elem: ElemType, to: ElemType) -> bool {
        let own = self.0.get(value).copied().flatten();
        let range = own.zip(self.0.elem(value)).and_then(|(range, from)| converted(range, from, elem));
        range.is_some_and(|(low, high)| low >= limits(to).0 && high <= limits(to).1)
    }

    /// Whether a number may be less than 0.
    pub(crate) fn may_be_negative(&self, value: Value) -> bool {
        !matches!(self.0.get(value), Some(Some((low, _))) if *low >= 0.0)
    }
}

/// A range, or none if nothing is known.
#[derive(Default)]
struct Intervals {
    /// What loads give that surely give one value.
    stored: FxHashMap<Value, Value>,
    /// What variables that were never stored are.
    unset: Option<Range>,
}

impl Forward for Intervals {
    type Fact = Option<Range>;

    fn unknown(&self, ty: Type) -> Option<Range> {
        // Integers lie at least between the limits of their type.
        ty.elem().filter(|elem| !elem.is_float() && elem.bytes() <= 4).map(limits)
    }

    fn join(&self, a: &Option<Range>, b: &Option<Range>) -> Option<Range> {
        Some(join((*a)?, (*b)?))
    }

    fn unstored(&self, _: Type) -> Option<Range> {
        self.unset
    }

    fn transfer(&self, inst: &Inst, facts: &Facts<Option<Range>>) -> Option<Option<Range>> {
        if let Op::Load(variable) = &inst.op {
            let stored = inst.result.and_then(|result| self.stored.get(&result));
            if let Some(range) = stored.and_then(|value| facts.get(*value)) {
                return Some(*range);
            }
            // What changes is not followed: it mostly is a sum that grows from round to round.
            return facts.variable(*variable).map(|_| self.unknown(inst.ty));
        }
        self.known(inst, facts).map(Some)
    }
}

impl Intervals {
    /// What is known of a result beyond its type.
    fn known(&self, inst: &Inst, facts: &Facts<Option<Range>>) -> Option<Range> {
        let elem = inst.ty.elem()?;
        // An operand in the type of an operation.
        let operand = |x: Value, to: ElemType| converted((*facts.get(x)?)?, facts.elem(x)?, to);
        match &inst.op {
            Op::Constant(Bits::Splat(bits)) => number(*bits, elem).map(|x| (x, x)),
            Op::Constant(Bits::Each(each)) => {
                each.iter().try_fold(EMPTY, |all, &bits| number(bits, elem).map(|x| join(all, (x, x))))
            }
            Op::Thread(ThreadId::Local(_)) => Some((0.0, GROUP_THREADS as f64 - 1.0)),
            Op::Map { kind: MapKind::Convert, saturate: false, operands, .. } => operand(operands[0], elem),
            Op::Map { kind: MapKind::Convert, operands, .. } if !elem.is_float() => {
                let (low, high) = (*facts.get(operands[0])?)?;
                let (least, most) = limits(elem);
                // Only 64-bit integers have numbers beyond the limits.
                if elem.bytes() > 4 && (high > most || elem.is_signed() && low < least) {
                    return None;
                }
                // A float is cut off.
                Some((low.trunc().clamp(least, most), high.trunc().clamp(least, most)))
            }
            Op::Map { kind, saturate: false, .. } if kind.class().is_comparison() => Some((0.0, 1.0)),
            Op::Map { kind, common: of, saturate: false, operands } if operands.len() == 1 => {
                let a = operand(operands[0], *of)?;
                let range = match kind {
                    _ if a == EMPTY => return None,
                    MapKind::Rndd => (a.0.floor(), a.1.floor()),
                    MapKind::Rndu => (a.0.ceil(), a.1.ceil()),
                    MapKind::Rndz => (a.0.trunc(), a.1.trunc()),
                    MapKind::Rnde => (a.0.round_ties_even(), a.1.round_ties_even()),
                    MapKind::Neg => (-a.1, -a.0),
                    MapKind::Not if of.is_signed() => (-1.0 - a.1, -1.0 - a.0),
                    MapKind::Abs if a.0 <= 0.0 && a.1 >= 0.0 => (0.0, a.1.max(-a.0)),
                    MapKind::Abs => (a.0.abs().min(a.1.abs()), a.0.abs().max(a.1.abs())),
                    _ => return None,
                };
                rounded(range, elem)
            }
            Op::Map { kind: kind @ (MapKind::Min | MapKind::Max), common: of, saturate: false, operands }
                if of.is_float() =>
            {
                // If one is NaN, the result is the other one.
                let known = operands.iter().filter_map(|x| operand(*x, *of)).collect::<Vec<_>>();
                let range = match (kind, &known[..]) {
                    (_, []) => return None,
                    (_, all) if all.contains(&EMPTY) => return None,
                    (MapKind::Min, [a]) => (f64::NEG_INFINITY, a.1),
                    (_, [a]) => (a.0, f64::INFINITY),
                    (MapKind::Min, all) => (all[0].0.min(all[1].0), all[0].1.min(all[1].1)),
                    (_, all) => (all[0].0.max(all[1].0), all[0].1.max(all[1].1)),
                };
                Some(range)
            }
            Op::Map { kind, common: of, saturate: false, operands } => {
                let [a, b] = operands[..] else { return None };
                let (a, b) = (operand(a, *of)?, operand(b, *of)?);
                if a == EMPTY || b == EMPTY {
                    return Some(EMPTY);
                }
                if [a.0, a.1, b.0, b.1].iter().any(|x| x.is_infinite()) {
                    return None;
                }
                let range = match kind {
                    _ if !of.is_float()
                        && kind.class() != Class::Product
                        && let Some(range) = of_bits(*kind, *of, a, b) =>
                    {
                        range
                    }
                    MapKind::Add => (a.0 + b.0, a.1 + b.1),
                    MapKind::Sub => (a.0 - b.1, a.1 - b.0),
                    MapKind::Mul => {
                        let all = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
                        all.iter().fold(EMPTY, |range, &x| join(range, (x, x)))
                    }
                    _ => return None,
                };
                // A sum is rounded twice here, which may differ in the last bit.
                let slack = match (of.is_float(), kind) {
                    (true, MapKind::Add | MapKind::Sub) => range.0.abs().max(range.1.abs()) * 1e-6,
                    _ => 0.0,
                };
                rounded((range.0 - slack, range.1 + slack), *of)
            }
            _ => None,
        }
    }
}

/// What operations on bits, shifts and choices give of integers.
fn of_bits(kind: MapKind, of: ElemType, a: Range, b: Range) -> Option<Range> {
    let largest = a.1.max(b.1).max(-1.0 - a.0).max(-1.0 - b.0);
    // All bits that either may have.
    let bits = u64::MAX.checked_shr((largest as u64).leading_zeros()).unwrap_or(0) as f64;
    // Of the places, only as many bits count as the type needs.
    let most = (8 * of.bytes()).min(32) as f64;
    let places = (b.0 == b.1 && (0.0..most).contains(&b.0)).then(|| 2f64.powi(b.0 as i32));
    Some(match kind {
        MapKind::And if a.0 >= 0.0 && b.0 >= 0.0 => (0.0, a.1.min(b.1)),
        MapKind::And if a.0 >= 0.0 => (0.0, a.1),
        MapKind::And if b.0 >= 0.0 => (0.0, b.1),
        MapKind::Or | MapKind::Xor if a.0 >= 0.0 && b.0 >= 0.0 => (0.0, bits),
        MapKind::And | MapKind::Or | MapKind::Xor => (-1.0 - bits, bits),
        MapKind::Shl => (a.0 * places?, a.1 * places?),
        MapKind::Shr => ((a.0 / places?).floor(), (a.1 / places?).floor()),
        MapKind::Min => (a.0.min(b.0), a.1.min(b.1)),
        MapKind::Max => (a.0.max(b.0), a.1.max(b.1)),
        MapKind::Avg => (a.0.min(b.0), a.1.max(b.1)),
        _ => return None,
    })
}

fn join(a: Range, b: Range) -> Range {
    (a.0.min(b.0), a.1.max(b.1))
}

/// The limits of an integer type of up to 32 bits; of others, numbers that computing with `f64` keeps exact.
fn limits(elem: ElemType) -> Range {
    // Below 2^53, up to which `f64` has every integer.
    const EXACT: f64 = 9e15;
    match elem.range() {
        Some((low, high)) => ((low as f64).max(-EXACT), (high as f64).min(EXACT)),
        None => (-EXACT, EXACT),
    }
}

/// What an operation makes of an exact result. Integers wrap if they leave their type; floats are rounded,
/// which keeps their order.
fn rounded(range: Range, elem: ElemType) -> Option<Range> {
    if !elem.is_float() {
        let (low, high) = limits(elem);
        return (range.0 >= low && range.1 <= high).then_some(range);
    }
    // `f64` is not computed exactly here, and f16 not needed.
    (elem == ElemType::F32 && range.0.abs() < 1e30 && range.1.abs() < 1e30)
        .then_some((f64::from(range.0 as f32), f64::from(range.1 as f32)))
}

fn converted(range: Range, from: ElemType, to: ElemType) -> Option<Range> {
    if range == EMPTY {
        return Some(EMPTY);
    }
    if from == to {
        return Some(range);
    }
    // Cut off towards zero; if it fits, it is not wrapped.
    let range = if from.is_float() && !to.is_float() { (range.0.trunc(), range.1.trunc()) } else { range };
    rounded(range, to)
}

/// The number that bits of a type are; `None` if it is not finite.
pub(crate) fn number(bits: u64, elem: ElemType) -> Option<f64> {
    let x = match elem {
        ElemType::F16 | ElemType::F32 | ElemType::F64 => float(bits, elem),
        // Larger integers are not exact here.
        _ => elem.integer(bits).filter(|_| elem.bytes() <= 4)? as f64,
    };
    x.is_finite().then_some(x)
}

fn float(bits: u64, elem: ElemType) -> f64 {
    match elem {
        ElemType::F16 => f16::from_bits(bits as u16).to_f64(),
        ElemType::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::cases::facts_and_results;

    /// Whatever is computed of numbers between those of the operands lies between those of the result.
    #[test]
    fn results_lie_in_their_ranges() {
        let mut known = 0;
        for (case, interval, results) in facts_and_results(&Intervals::default()) {
            let Some((low, high)) = interval else { continue };
            known += 1;
            for (bits, result) in results {
                let exact = case.result().integer(result).map(|x| x as f64);
                let x = exact.unwrap_or_else(|| float(result, case.result()));
                let inside = low <= x && x <= high;
                assert!(inside, "{case:?} {bits:x?} gives {result:#x}, not in {low}..={high}");
            }
        }
        assert!(known > 1000, "{known}");
    }
    /// Only the low bits of the number of places count, as many as the type needs.
    #[test]
    fn shifts_by_more_places_than_bits() {
        let shifted = |elem, places: f64| of_bits(MapKind::Shr, elem, (0.0, 65535.0), (places, places));
        assert_eq!(shifted(ElemType::U16, 15.0), Some((0.0, 1.0)));
        assert_eq!(shifted(ElemType::U32, 17.0), Some((0.0, 0.0)));
        assert_eq!(shifted(ElemType::U16, 17.0), None);
        assert_eq!(shifted(ElemType::U8, 8.0), None);
    }

    #[test]
    fn bits_of_large_numbers() {
        for largest in [1, 2, 3, 255, 256, (1 << 49) - 1, 1 << 49, 1 << 51, (1 << 51) + 1] {
            let most = (u64::MAX >> u64::leading_zeros(largest)) as f64;
            let both = ((0.0, largest as f64), (0.0, 0.0));
            assert_eq!(of_bits(MapKind::Or, ElemType::I64, both.0, both.1), Some((0.0, most)), "{largest}");
        }
    }
}
