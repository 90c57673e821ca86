//! Finds floats of which nobody sees the sign of a zero.
//!
//! Of equal numbers, `min` and `max` give the first one, which decides the sign of a zero. The instruction of the hardware
//! may give either one, so a comparison and a selection follow it, unless no user sees the difference: comparisons,
//! absolute values, powers of two, and conversions to integers treat both zeros alike, and sums and products
//! of numbers that differ only in the sign of a zero do so as well.
//!
//! Zeros of numbers that are never -0 have one sign: integers, absolute values, powers and squares.

use crate::dataflow::{Backward, Facts, Forward, Origin, backward, forward, origin};
use crate::elem::ElemType;
use crate::ir::{Bits, Function, Inst, Op, Type, Value};
use crate::ops::{Class, MapKind};

/// Whether users see the signs of zeros, and which numbers may be -0.
#[derive(Debug)]
pub(crate) struct ZeroSigns {
    seen: Facts<bool>,
    negative: Facts<bool>,
}

impl ZeroSigns {
    /// Of this kernel.
    pub(crate) fn of(function: &Function) -> Self {
        Self { seen: backward(&function.body, &Seen), negative: forward(&function.body, &Negative) }
    }

    /// Whether a user sees the sign of a zero in this result.
    pub(crate) fn seen(&self, result: Option<Value>) -> bool {
        result.and_then(|result| self.seen.get(result)).is_some_and(|seen| *seen)
    }

    /// Whether an element of a number of a type, or of the type `of` that the number is converted to, may be -0.
    pub(crate) fn may_be_negative(&self, x: Value, of: ElemType) -> bool {
        may_be_negative(&self.negative, x, of)
    }
}

/// Whether a number that is converted to a type may be -0: a small negative float may become -0.
fn may_be_negative(facts: &Facts<bool>, x: Value, to: ElemType) -> bool {
    match facts.elem(x) {
        Some(elem) if elem.is_float() => elem != to || facts.get(x).is_none_or(|negative| *negative),
        from => from.is_none(),
    }
}

/// Whether these are the known bits of a float that is not zero.
pub(crate) fn is_nonzero(elem: ElemType, known: Option<u64>) -> bool {
    let sign = 1 << (elem.bytes() * 8 - 1);
    known.is_some_and(|bits| bits & !sign != 0)
}

/// Whether an element may be -0.
struct Negative;

impl Forward for Negative {
    type Fact = bool;

    fn unknown(&self, ty: Type) -> bool {
        ty.elem().is_none_or(ElemType::is_float)
    }

    fn join(&self, a: &bool, b: &bool) -> bool {
        *a || *b
    }

    fn unstored(&self, _: Type) -> bool {
        false
    }

    fn transfer(&self, inst: &Inst, facts: &Facts<bool>) -> Option<bool> {
        let elem = inst.ty.elem().filter(|elem| elem.is_float())?;
        let zero = 1 << (elem.bytes() * 8 - 1);
        match &inst.op {
            Op::Constant(Bits::Splat(bits)) => Some(*bits == zero),
            Op::Constant(Bits::Each(each)) => Some(each.contains(&zero)),
            Op::Map { kind: MapKind::Convert, saturate: false, operands, .. } => {
                Some(may_be_negative(facts, operands[0], elem))
            }
            Op::Map { kind, common, saturate: false, operands } if *common == elem => match kind {
                MapKind::Abs | MapKind::Exp => Some(false),
                MapKind::Mul if operands[0] == operands[1] => Some(false),
                MapKind::Min | MapKind::Max => {
                    Some(operands.iter().any(|x| may_be_negative(facts, *x, elem)))
                }
                _ => None,
            },
            Op::Reduce { kind: MapKind::Min | MapKind::Max, common, operand } if *common == elem => {
                Some(may_be_negative(facts, *operand, elem))
            }
            _ => None,
        }
    }
}

struct Seen;

impl Backward for Seen {
    type Fact = bool;

    fn everything(&self, _: Type) -> bool {
        true
    }

    fn join(&self, a: &bool, b: &bool) -> bool {
        *a || *b
    }

    fn ask(&self, inst: &Inst, _: Type, own: Option<&bool>) -> Option<bool> {
        // Nobody uses the result.
        let own = own.copied().unwrap_or(false);
        match (&inst.op, origin(&inst.op)) {
            (Op::Map { kind, common, .. }, _) => match kind.class() {
                Class::Conversion if !common.is_float() => Some(false),
                Class::Order | Class::Equality => Some(false),
                Class::Conversion
                | Class::Sum
                | Class::Product
                | Class::Between
                | Class::Limited
                | Class::Selection => Some(own),
                _ => match kind {
                    MapKind::Abs | MapKind::Exp => Some(false),
                    MapKind::Neg
                    | MapKind::Fma
                    | MapKind::Rndd
                    | MapKind::Rndu
                    | MapKind::Rnde
                    | MapKind::Rndz => Some(own),
                    _ => None,
                },
            },
            (Op::Reduce { .. } | Op::Declare(..) | Op::Store(..), _) | (_, Origin::Elements(_)) => Some(own),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::cases::facts_and_results;
    use crate::text::parse;

    #[test]
    fn results_are_negative_zeros_only_where_they_may_be() {
        let mut known = 0;
        for (case, negative, results) in facts_and_results(&Negative) {
            let elem = case.result();
            known += usize::from(elem.is_float() && !negative);
            for (bits, result) in results {
                let is_negative = elem.is_float() && result == 1 << (elem.bytes() * 8 - 1);
                assert!(negative || !is_negative, "{case:?} {bits:x?} gives -0");
            }
        }
        assert!(known > 20, "{known}");
    }

    #[test]
    fn absolute_values_integers_and_squares_are_never_negative_zeros() {
        let may_be = |lines: &str| {
            let lines = format!("%0: i32 = constant 0| %1: f32<1x8> = read #0 %0, %0| {lines}|")
                .replace('|', " @0:1:1\n");
            let params = "i: read surface, o: write surface";
            let function = parse(&format!("file 0 \"k.rs\" kernel k({params}) {{ {lines} }}")).unwrap();
            ZeroSigns::of(&function).may_be_negative(Value(9), ElemType::F32)
        };
        assert!(!may_be(
            "%2: f32<1x8> = abs.f32 %1| %3: f32<1x8> = mul.f32 %1, %1| %9: f32<1x8> = min.f32 %2, %3"
        ));
        assert!(!may_be("%2: i32<1x8> = convert %1| %9: f32<1x8> = convert %2"));
        assert!(!may_be("%2: f32<1x8> = abs.f32 %1| %9: f32 = reduce max.f32 %2"));
        assert!(may_be("%2: f32<1x8> = abs.f32 %1| %9: f32<1x8> = min.f32 %2, %1"));
        assert!(may_be("%2: f32<1x8> = abs.f32 %1| %9: f32<1x8> = mul.f32 %2, %1"));
        assert!(may_be("%2: f16<1x8> = convert %1| %9: f32<1x8> = convert %2"));
        assert!(may_be("%9: f32<1x8> = constant -0.0"));
    }

    /// Whether these lines, which use the float `%1`, see the sign of a zero in it.
    fn seen(lines: &str) -> bool {
        let lines = format!("%0: i32 = constant 0| %1: f32<1x8> = read #0 %0, %0| {lines}|")
            .replace('|', " @0:1:1\n");
        let params = "i: read surface, o: write surface";
        let function = parse(&format!("file 0 \"k.rs\" kernel k({params}) {{ {lines} }}")).unwrap();
        ZeroSigns::of(&function).seen(Some(Value(1)))
    }

    #[test]
    fn comparisons_and_conversions_do_not_see_it() {
        assert!(!seen("%2: i32<1x8> = convert %1| write #1 %0, %0, %2: i32<1x8>"));
        assert!(!seen("%2: u8<1x8> = saturate %1| write #1 %0, %0, %2: u8<1x8>"));
        assert!(!seen("%2: u16<1x8> = lt.f32 %1, %1| write #1 %0, %0, %2: u16<1x8>"));
        assert!(!seen("%2: f32<1x8> = exp %1| write #1 %0, %0, %2: f32<1x8>"));
        assert!(!seen(
            "%2: f32<1x8> = mul.f32 %1, %1| %3: i32<1x8> = convert %2| write #1 %0, %0, %3: i32<1x8>"
        ));
        assert!(!seen("%2: f32 = reduce add.f32 %1| %3: f32<1x8> = splat %2| %4: u16<1x8> = eq.f32 %3, %1"));
        assert!(!seen("%2: i32 = constant 1"));
    }

    #[test]
    fn memory_bits_and_divisions_see_it() {
        assert!(seen("write #1 %0, %0, %1: f32<1x8>"));
        assert!(seen("%2: f32<1x8> = add.f32 %1, %1| write #1 %0, %0, %2: f32<1x8>"));
        assert!(seen("%2: f16<1x8> = convert %1| write #1 %0, %0, %2: f16<1x8>"));
        assert!(seen(
            "%2: f32<1x8> = div.f32 %1, %1| %3: i32<1x8> = convert %2| write #1 %0, %0, %3: i32<1x8>"
        ));
        assert!(seen(
            "%2: i32<1x8> = format %1| %3: u16<1x8> = lt.i32 %2, %2| write #1 %0, %0, %3: u16<1x8>"
        ));
        let stored = "var $0: f32<1x8> = %1| %2: f32<1x8> = load $0| write #1 %0, %0, %2: f32<1x8>";
        assert!(seen(stored));
        let both = "%2: i32<1x8> = convert %1| write #1 %0, %0, %2: i32<1x8>| write #1 %0, %0, %1: f32<1x8>";
        assert!(seen(both));
    }

    #[test]
    fn constants_that_are_not_zero() {
        assert!(is_nonzero(ElemType::F32, Some(0x3f80_0000)) && is_nonzero(ElemType::F16, Some(0x8001)));
        assert!(!is_nonzero(ElemType::F32, Some(0x8000_0000)) && !is_nonzero(ElemType::F16, Some(0)));
        assert!(!is_nonzero(ElemType::F32, None));
    }
}
