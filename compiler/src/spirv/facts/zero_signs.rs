//! Finds floats of which nobody sees the sign of a zero.
//!
//! Of equal numbers, `min` and `max` give the first one, which decides the sign of a zero. The instruction of the hardware
//! may give either one, so a comparison and a selection follow it, unless no user sees the difference: comparisons,
//! absolute values, powers of two, and conversions to integers treat both zeros alike, and sums and products
//! of numbers that differ only in the sign of a zero do so as well.

use crate::dataflow::{Backward, Facts, Origin, backward, origin};
use crate::elem::ElemType;
use crate::ir::{Function, Inst, Op, Type, Value};
use crate::ops::{Class, MapKind};

/// Whether users see the signs of zeros.
#[derive(Debug)]
pub(crate) struct ZeroSigns(Facts<bool>);

impl ZeroSigns {
    /// Of this kernel.
    pub(crate) fn of(function: &Function) -> Self {
        Self(backward(&function.body, &Seen))
    }

    /// Whether a user sees the sign of a zero in this result.
    pub(crate) fn seen(&self, result: Option<Value>) -> bool {
        result.and_then(|result| self.0.get(result)).is_some_and(|seen| *seen)
    }
}

/// Whether these are the known bits of a float that is not zero.
pub(crate) fn is_nonzero(elem: ElemType, known: Option<u64>) -> bool {
    let sign = 1 << (elem.bytes() * 8 - 1);
    known.is_some_and(|bits| bits & !sign != 0)
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
    use crate::text::parse;

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
