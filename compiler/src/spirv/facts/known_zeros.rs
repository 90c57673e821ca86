//! Finds numbers that Intel's optimiser may know to be 0 because none of their bits can be set.
//!
//! It makes a negation of a difference of floats from 0, which of 0 gives -0. That the first float is 0 may follow from
//! the bits of the integer that it was converted from: a byte shifted right by 8, or the lowest bit of an even number.

use crate::dataflow::{Facts, Forward, forward};
use crate::elem::ElemType;
use crate::ir::{Bits, Function, Inst, Op, Type, Value};
use crate::ops::{Class, MapKind};

/// The numbers of a kernel that may be known to be 0.
#[derive(Debug)]
pub(crate) struct KnownZeros(Facts<Possible>);

impl KnownZeros {
    pub(crate) fn of(function: &Function) -> Self {
        Self(forward(&function.body, &PossibleBits))
    }

    pub(crate) fn contains(&self, value: Value) -> bool {
        self.0.get(value).is_some_and(|own| own.set == 0)
    }

    /// How many of the low bits of all elements are 0.
    pub(crate) fn low_zeros(&self, value: Value) -> u32 {
        self.0.get(value).map_or(0, |own| own.set.trailing_zeros())
    }
}

/// The bits of an element that may be set, and those that are set in any case. Of floats, only 0 is followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Possible {
    set: u64,
    always: u64,
}

impl Possible {
    const ZERO: Self = Self { set: 0, always: 0 };

    const fn any_of(set: u64) -> Self {
        Self { set, always: 0 }
    }
}

struct PossibleBits;

impl Forward for PossibleBits {
    type Fact = Possible;

    fn unknown(&self, ty: Type) -> Possible {
        Possible::any_of(ty.elem().map_or(1, all))
    }

    fn join(&self, a: &Possible, b: &Possible) -> Possible {
        Possible { set: a.set | b.set, always: a.always & b.always }
    }

    fn unstored(&self, _: Type) -> Possible {
        Possible { set: 0, always: u64::MAX }
    }

    fn transfer(&self, inst: &Inst, facts: &Facts<Possible>) -> Option<Possible> {
        let elem = inst.ty.elem()?;
        match &inst.op {
            Op::Constant(Bits::Splat(bits)) => Some(Possible { set: *bits, always: *bits }),
            Op::Constant(Bits::Each(each)) => Some(Possible {
                set: each.iter().fold(0, |all, bits| all | bits),
                always: each.iter().fold(u64::MAX, |all, bits| all & bits),
            }),
            Op::Map { kind: MapKind::Convert, saturate, operands, .. } => {
                let x = operands[0];
                let converted = converted(*facts.get(x)?, facts.elem(x)?, elem);
                Some(if *saturate && facts.get(x)?.set != 0 { self.unknown(inst.ty) } else { converted })
            }
            Op::Map { kind, common, saturate: false, operands } if !common.is_float() => {
                let [a, b] = operands[..] else { return None };
                let operand = |x: Value| Some(converted(*facts.get(x)?, facts.elem(x)?, *common));
                combined(*kind, *common, operand(a)?, operand(b)?)
            }
            // The bytes of 0 are 0.
            Op::Format(x) if facts.get(*x)?.set == 0 => Some(Possible::ZERO),
            Op::Format(_) => Some(self.unknown(inst.ty)),
            _ => None,
        }
    }
}

/// All bits of an element.
const fn all(elem: ElemType) -> u64 {
    u64::MAX >> (64 - elem.bytes() * 8)
}

/// The bits from the highest one of these down.
const fn down(bits: u64) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> bits.leading_zeros() }
}

/// A number as another type.
fn converted(x: Possible, from: ElemType, to: ElemType) -> Possible {
    if x.set == 0 || from == to {
        return x;
    }
    if from.is_float() || to.is_float() {
        return Possible::any_of(all(to));
    }
    let sign = |bits: u64| {
        let negative = from.is_signed() && bits >> (from.bytes() * 8 - 1) & 1 == 1;
        (bits | if negative { !all(from) } else { 0 }) & all(to)
    };
    Possible { set: sign(x.set), always: sign(x.always) }
}

/// The result of an operation on integers, as far as the optimiser follows bits.
fn combined(kind: MapKind, elem: ElemType, a: Possible, b: Possible) -> Option<Possible> {
    let (all, width) = (all(elem), elem.bytes() as u32 * 8);
    let negative = |x: Possible| elem.is_signed() && x.set >> (width - 1) & 1 == 1;
    let unsigned = !negative(a) && !negative(b);
    // Shifts by the low bits of a constant.
    let places = (b.set == b.always).then_some(b.set as u32 & (width - 1));
    let set = match kind {
        MapKind::And => a.set & b.set,
        MapKind::Or => return Some(Possible { set: a.set | b.set, always: a.always | b.always }),
        MapKind::Xor => a.set | b.set,
        MapKind::Shl => a.set << places?,
        MapKind::Shr if !negative(a) => a.set >> places?,
        MapKind::Add if unsigned => {
            let sum = down(a.set | b.set);
            (sum << 1 | sum) & low_zeros(a.set | b.set)
        }
        MapKind::Sub | MapKind::Add => low_zeros(a.set | b.set),
        MapKind::Mul if a.set == 0 || b.set == 0 => 0,
        MapKind::Mul => u64::MAX.checked_shl(a.set.trailing_zeros() + b.set.trailing_zeros()).unwrap_or(0),
        MapKind::Div if unsigned && b.always > 0 => down(a.set / b.always),
        MapKind::Rem if unsigned && b.always > 0 => down(a.set.min(b.set)),
        // One of both.
        MapKind::Min if unsigned => down(a.set.min(b.set)) & (a.set | b.set),
        MapKind::Max | MapKind::Avg if unsigned => down(a.set.max(b.set)),
        MapKind::Lt if unsigned && a.always >= b.set => 0,
        MapKind::Gt if unsigned && b.always >= a.set => 0,
        MapKind::Le if unsigned && a.always > b.set => 0,
        MapKind::Ge if unsigned && b.always > a.set => 0,
        MapKind::Eq if a.always & !b.set != 0 || b.always & !a.set != 0 => 0,
        _ if kind.class() == Class::Order || kind.class() == Class::Equality => 1,
        _ => return None,
    };
    Some(Possible::any_of(set & all))
}

/// All bits that are not below the lowest one of these.
const fn low_zeros(bits: u64) -> u64 {
    if bits == 0 { 0 } else { u64::MAX << bits.trailing_zeros() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::cases::facts_and_results;
    use crate::spirv::alike::kernel;

    #[test]
    fn results_have_only_possible_bits() {
        let mut known = 0;
        for (case, possible, results) in facts_and_results(&PossibleBits) {
            known += usize::from(possible != PossibleBits.unknown(Type::scalar(case.result())));
            for (bits, result) in results {
                let right = result & !possible.set == 0 && possible.always & !result == 0;
                assert!(right, "{case:?} {bits:x?} gives {result:#x}, not {possible:x?}");
            }
        }
        assert!(known > 500, "{known}");
    }

    /// Whether `%9` of these lines, which take the bytes `%1` and the dwords `%2`, is known to be 0.
    fn is_zero(lines: &str) -> bool {
        let function = kernel(&format!(
            "%0: i32 = constant 8; %1: u8<1x8> = read #0 %0, %0; %2: u32<1x8> = read #0 %0, %0;
             %3: u32<1x8> = constant 8; {lines}
             write #1 %0, %0, %9: f32<1x8>;\n"
        ));
        KnownZeros::of(&function).contains(Value(9))
    }

    #[test]
    fn low_bits_of_multiples() {
        let function = kernel(
            "%0: i32 = constant 8; %1: u32<1x8> = read #0 %0, %0; %2: u32<1x8> = constant 12; %3: u32<1x8> = mul.u32 %1, %2;
             %4: u32<1x8> = add.u32 %3, %0; %5: u32<1x8> = add.u32 %3, %1; %6: u32<1x8> = min.u32 %3, %2;
             write #1 %0, %0, %5: u32<1x8>;\n"
                .replace("add.u32 %3, %0", "add.u32 %3, %2")
                .as_str(),
        );
        let zeros = KnownZeros::of(&function);
        assert_eq!([1, 3, 4, 5, 6].map(|n| zeros.low_zeros(Value(n))), [0, 2, 2, 0, 2]);
    }

    #[test]
    fn zeros_of_bits() {
        assert!(is_zero("%4: u32<1x8> = shr.u32 %1, %3; %9: f32<1x8> = convert %4;"));
        assert!(!is_zero("%4: u32<1x8> = shr.u32 %2, %3; %9: f32<1x8> = convert %4;"));
        assert!(is_zero(
            "%4: u32<1x8> = shl.u32 %2, %3; %5: u8<1x8> = convert %4; %9: f32<1x8> = convert %5;"
        ));
        assert!(is_zero(
            "%4: u32<1x8> = constant 300; %5: u16<1x8> = gt.u32 %1, %4; %9: f32<1x8> = saturate %5;"
        ));
        assert!(!is_zero(
            "%4: u32<1x8> = constant 200; %5: u16<1x8> = gt.u32 %1, %4; %9: f32<1x8> = convert %5;"
        ));
    }
}
