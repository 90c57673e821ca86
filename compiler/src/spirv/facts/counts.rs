//! Counts of shifts of which the optimiser knows some bits.
//!
//! Where only low bits of a shifted number are used, Intel's compiler makes a shorter shift, with the same count. The
//! optimiser takes that count for one that is not too large: it removes a shift of a byte by a multiple of 8, and of a
//! shift by at least 8 it makes anything. So such counts are hidden.

use crate::dataflow::{Backward, Facts, Forward, Origin, backward, forward, origin};
use crate::elem::ElemType;
use crate::ir::{Bits, Function, Inst, Op, Type, Value};
use crate::ops::{Class, MapKind};

/// What is known of the shifts of a kernel.
#[derive(Debug)]
pub(crate) struct Counts {
    /// What the optimiser knows of numbers.
    known: Facts<Known>,
    /// How many low bytes of numbers are used.
    used: Facts<usize>,
}

/// The bits of a number that are known to be 0, and those that are known to be 1.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Known {
    zeros: u64,
    ones: u64,
}

impl Counts {
    /// Of this kernel.
    pub(crate) fn of(function: &Function) -> Self {
        Self { known: forward(&function.body, &KnownBits), used: backward(&function.body, &UsedBytes) }
    }

    /// Whether the count of a shift of this type, of whose result only low bits are used, may be known to be too large
    /// for a byte unless it is 0. Of a count that was selected between constants, the optimiser drops one that is too
    /// large.
    pub(crate) fn may_be_known(
        &self,
        count: Value,
        elem: ElemType,
        result: Option<Value>,
        selected: bool,
    ) -> bool {
        /// The bits of a count for a byte.
        const SHORT: u64 = 7;
        if result.and_then(|result| self.used.get(result)).is_none_or(|used| *used >= elem.bytes()) {
            return false;
        }
        let known = operand(count, elem, &self.known);
        let long = (elem.bytes() as u64 * 8 - 1) & !SHORT;
        known.zeros & long != long && (known.zeros & SHORT == SHORT || selected) || known.ones & long != 0
    }

    /// Whether the optimiser does not know that the lowest bit of every element is 0.
    pub(crate) fn may_be_odd(&self, x: Value) -> bool {
        self.known.get(x).is_none_or(|known| known.zeros & 1 == 0)
    }
}

/// The bits of a type.
const fn mask(elem: ElemType) -> u64 {
    u64::MAX >> (64 - elem.bytes() as u32 * 8)
}

/// What is known of an operand in the type of an operation.
fn operand(x: Value, to: ElemType, facts: &Facts<Known>) -> Known {
    let (Some(known), Some(from)) = (facts.get(x), facts.elem(x)) else { return Known::default() };
    if from.is_float() || to.is_float() {
        return Known::default();
    }
    let sign = mask(from) ^ mask(from) >> 1;
    let (mut zeros, mut ones) = (known.zeros, known.ones);
    if !from.is_signed() || zeros & sign != 0 {
        zeros |= !mask(from);
    } else if ones & sign != 0 {
        ones |= !mask(from);
    }
    Known { zeros, ones }.of(to)
}

impl Known {
    const fn number(bits: u64) -> Self {
        Self { zeros: !bits, ones: bits }
    }

    const fn of(self, elem: ElemType) -> Self {
        Self { zeros: self.zeros & mask(elem), ones: self.ones & mask(elem) }
    }

    const fn not(self) -> Self {
        Self { zeros: self.ones, ones: self.zeros }
    }

    /// The number itself, if all of its bits are known.
    fn whole(self, elem: ElemType) -> Option<u64> {
        (self.zeros | self.ones == mask(elem)).then_some(self.ones)
    }

    /// A sum, with what is carried into the first bit.
    fn plus(self, other: Self, carried: bool) -> Self {
        let most = (!self.zeros).wrapping_add(!other.zeros).wrapping_add(carried.into());
        let least = self.ones.wrapping_add(other.ones).wrapping_add(carried.into());
        let carries = !(most ^ self.zeros ^ other.zeros) | (least ^ self.ones ^ other.ones);
        let known = (self.zeros | self.ones) & (other.zeros | other.ones) & carries;
        Self { zeros: !most & known, ones: least & known }
    }
}

struct KnownBits;

impl Forward for KnownBits {
    type Fact = Known;

    fn unknown(&self, _: Type) -> Known {
        Known::default()
    }

    fn join(&self, a: &Known, b: &Known) -> Known {
        Known { zeros: a.zeros & b.zeros, ones: a.ones & b.ones }
    }

    fn transfer(&self, inst: &Inst, facts: &Facts<Known>) -> Option<Known> {
        let elem = inst.ty.elem().filter(|elem| !elem.is_float())?;
        let known = match &inst.op {
            Op::Constant(Bits::Splat(bits)) => Known::number(*bits),
            Op::Constant(Bits::Each(each)) => {
                each.iter().map(|bits| Known::number(*bits)).reduce(|a, b| self.join(&a, &b))?
            }
            Op::Map { kind: MapKind::Convert, saturate: false, operands, .. } => {
                operand(operands[0], elem, facts)
            }
            Op::Map { kind, saturate: false, .. } if kind.class().is_comparison() => {
                Known::number(0).of_bit()
            }
            Op::Map { kind, common, saturate: false, operands } if !common.is_float() => {
                let of = |n: usize| operands.get(n).map(|x| operand(*x, *common, facts));
                let a = of(0)?;
                let b = || of(1);
                // Counts are taken by their low bits.
                let count = || Some(of(1)?.whole(*common)? & (common.bytes() as u64 * 8 - 1));
                match kind {
                    MapKind::Not => a.not(),
                    MapKind::Neg => Known::number(0).plus(a.not(), true),
                    MapKind::And => Known { zeros: a.zeros | b()?.zeros, ones: a.ones & b()?.ones },
                    MapKind::Or => Known { zeros: a.zeros & b()?.zeros, ones: a.ones | b()?.ones },
                    MapKind::Xor => Known {
                        zeros: a.zeros & b()?.zeros | a.ones & b()?.ones,
                        ones: a.zeros & b()?.ones | a.ones & b()?.zeros,
                    },
                    MapKind::Add => a.plus(b()?, false),
                    MapKind::Sub => a.plus(b()?.not(), true),
                    MapKind::Mul => {
                        let places = a.zeros.trailing_ones() + b()?.zeros.trailing_ones();
                        Known { zeros: !u64::MAX.checked_shl(places).unwrap_or(0), ones: 0 }
                    }
                    MapKind::Shl => {
                        let count = count()?;
                        Known { zeros: a.zeros << count | !(u64::MAX << count), ones: a.ones << count }
                    }
                    MapKind::Shr if !common.is_signed() => {
                        let count = count()?;
                        let above = mask(*common) & !(mask(*common) >> count);
                        Known { zeros: a.zeros >> count | above, ones: a.ones >> count }
                    }
                    MapKind::Min | MapKind::Max => self.join(&a, &b()?),
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(known.of(elem))
    }
}

impl Known {
    /// The same with a first bit that is not known.
    const fn of_bit(self) -> Self {
        Self { zeros: self.zeros & !1, ones: self.ones & !1 }
    }
}

/// So many low bytes of every element.
struct UsedBytes;

impl Backward for UsedBytes {
    type Fact = usize;

    fn everything(&self, ty: Type) -> usize {
        ty.elem().map_or(0, ElemType::bytes)
    }

    fn join(&self, a: &usize, b: &usize) -> usize {
        *a.max(b)
    }

    fn ask(&self, inst: &Inst, operand: Type, own: Option<&usize>) -> Option<usize> {
        // Nobody uses the result.
        let own = own.copied().unwrap_or(0);
        match (&inst.op, origin(&inst.op)) {
            (Op::Map { kind, common, saturate: false, .. }, _)
                if !common.is_float() && operand.elem().is_some_and(|elem| !elem.is_float()) =>
            {
                let low = kind.class().is_cut_early();
                let selects = kind.class() == Class::Selection;
                match kind.class() {
                    Class::Conversion => Some(own.min(common.bytes())),
                    _ => (low || selects).then_some(own),
                }
            }
            (Op::Declare(..) | Op::Store(..), _) | (_, Origin::Elements(_)) => Some(own),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    /// Whether the count `%9`, made of words by these lines, may be known.
    fn known(lines: &str) -> bool {
        let start = "%0: i32 = constant 0| %1: u16<1x8> = read #0 %0, %0| %2: i32 = constant 3| %3: i32 = constant 8|";
        let cut = "%10: i32<1x8> = shl.i32 %4, %9| %11: u8<1x8> = convert %10| %12: condition = any %11|";
        let lines = format!("{start} %4: i32<1x8> = convert %1| {lines}| {cut}").replace('|', " @0:1:1\n");
        let function = parse(&format!("file 0 \"k.rs\" kernel k(i: read surface) {{ {lines} }}")).unwrap();
        Counts::of(&function).may_be_known(Value(9), ElemType::I32, Some(Value(10)), false)
    }

    #[test]
    fn counts_that_are_too_large_for_bytes() {
        assert!(!known("%9: i32<1x8> = add.i32 %4, %4"));
        assert!(known("%5: i32<1x8> = splat %2| %9: i32<1x8> = shl.i32 %4, %5"));
        assert!(known("%5: i32<1x8> = splat %3| %9: i32<1x8> = mul.i32 %4, %5"));
        assert!(known("%5: i32<1x8> = splat %3| %9: i32<1x8> = or.i32 %4, %5"));
        let low = "%5: i32<1x8> = splat %2| %6: i32<1x8> = and.i32 %4, %5|";
        assert!(known(&format!("{low} %7: i32<1x8> = splat %3| %9: i32<1x8> = add.i32 %6, %7")));
        assert!(!known(&format!("{low} %9: i32<1x8> = add.i32 %6, %5")));
        // Known to be 0.
        assert!(!known("%5: i32<1x8> = splat %0| %9: i32<1x8> = and.i32 %4, %5"));
    }
}
