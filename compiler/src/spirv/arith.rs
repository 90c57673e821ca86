//! Operators, element by element.

use crate::elem::ElemType;
use crate::ops::MapKind;
use spirv::Op;

use super::compiler_workarounds::Hazard;
use super::intrinsics::Intrinsic;
use super::module::{Builder, Val};
use super::regions::Shape;
use super::types::{Scalar, Ty};

/// What is known of the right operand: the bits of all its elements.
type Known = Option<u64>;

impl Builder {
    /// An operation on operands that are elements `elem` all; unary ones do not look at the second. Comparisons give truth values.
    pub(super) fn map(&mut self, kind: MapKind, elem: ElemType, a: Val, b: Val, known: Known) -> Val {
        use MapKind as K;
        let signed = elem.is_signed();
        let float = elem.is_float();
        if matches!(kind, K::Div | K::Rem) && elem.bytes() < 4 && !float {
            // The compiler divides words only.
            return self.narrow_divide(kind, elem, a, b);
        }
        if matches!(kind, K::Div | K::Rem) && elem.bytes() == 8 && !float {
            return self.wide_divide(kind, signed, a, b, known);
        }
        let pick = |f: Op, s: Op, u: Op| {
            if float {
                f
            } else if signed {
                s
            } else {
                u
            }
        };
        let op = match kind {
            K::Neg => pick(Op::FNegate, Op::SNegate, Op::SNegate),
            K::Not => Op::Not,
            K::Add => pick(Op::FAdd, Op::IAdd, Op::IAdd),
            K::Sub => pick(Op::FSub, Op::ISub, Op::ISub),
            K::Mul => pick(Op::FMul, Op::IMul, Op::IMul),
            K::Div if float => return self.float_divide(a, b, known),
            K::Div => return self.integer_divide(signed, a, b, known),
            K::Rem => return self.integer_remainder(signed, a, b, known),
            K::And => Op::BitwiseAnd,
            K::Or => Op::BitwiseOr,
            K::Xor => Op::BitwiseXor,
            K::Shl | K::Shr => {
                let count = self.shift_count(b, known);
                let op = if kind == K::Shl {
                    Op::ShiftLeftLogical
                } else if signed {
                    Op::ShiftRightArithmetic
                } else {
                    Op::ShiftRightLogical
                };
                return self.op(op, a.ty, &[a, count]);
            }
            K::Min => {
                let less =
                    self.op(pick(Op::FOrdLessThan, Op::SLessThan, Op::ULessThan), a.ty.bool(), &[b, a]);
                return self.op(Op::Select, a.ty, &[less, b, a]);
            }
            K::Lt | K::Le | K::Gt | K::Ge | K::Eq | K::Ne => {
                let op = match kind {
                    K::Lt => pick(Op::FOrdLessThan, Op::SLessThan, Op::ULessThan),
                    K::Le => pick(Op::FOrdLessThanEqual, Op::SLessThanEqual, Op::ULessThanEqual),
                    K::Gt => pick(Op::FOrdGreaterThan, Op::SGreaterThan, Op::UGreaterThan),
                    K::Ge => pick(Op::FOrdGreaterThanEqual, Op::SGreaterThanEqual, Op::UGreaterThanEqual),
                    K::Eq => pick(Op::FOrdEqual, Op::IEqual, Op::IEqual),
                    // NaN differs from everything.
                    _ => pick(Op::FUnordNotEqual, Op::INotEqual, Op::INotEqual),
                };
                return self.op(op, a.ty.bool(), &[a, b]);
            }
            // Not made of operands of one type.
            K::Convert | K::Merge => return a,
        };
        let operands = [a, b];
        self.op(op, a.ty, &operands[..kind.arity()])
    }

    /// A number as a value of its own, of which the compiler does not know how it was made, and whose upper bits are really
    /// there: with the bits of a number that is
    /// always 0, which the compiler does not know. (It sees through halves that are taken apart and put together, and
    /// aborts over the larger one of a number and itself in loops.)
    pub(super) fn extended(&mut self, x: Val) -> Val {
        if x.ty.bits() == 8 {
            return x;
        }
        let ty = x.ty.int(x.ty.bits());
        let (bits, zeros) = (self.format(x, ty), self.hidden_zeros(ty));
        let own = self.op(Op::BitwiseOr, ty, &[bits, zeros]);
        self.format(own, x.ty)
    }

    /// Zeros that the compiler does not know: thread spaces have two dimensions.
    pub(super) fn hidden_zeros(&mut self, ty: Ty) -> Val {
        let zero = self.value(Intrinsic::GroupIdZ, Ty::I32, &[]);
        let zero = if ty.bits() == 32 { zero } else { self.op(Op::UConvert, ty.one(), &[zero]) };
        self.splat(zero, ty.count)
    }

    /// The low and the high halves of numbers, of a vector.
    pub(super) fn halves(&mut self, x: Val) -> (Val, Val) {
        let count = x.ty.count;
        let halves = self.format(x, x.ty.int(x.ty.bits() / 2).times(count * 2));
        (
            self.region(halves, every_other(0, count), count, None),
            self.region(halves, every_other(1, count), count, None),
        )
    }

    /// Numbers of their low and high halves, which are vectors.
    pub(super) fn joined(&mut self, low: Val, high: Val) -> Val {
        let count = low.ty.count;
        let empty = self.constant(low.ty.times(count * 2), 0);
        let whole = self.insert(empty, every_other(0, count), low, None);
        let whole = self.insert(whole, every_other(1, count), high, None);
        self.format(whole, low.ty.int(low.ty.bits() * 2))
    }

    /// A product as a value of its own, which is not merged into an addition: one instruction, the larger one of it and
    /// itself.
    pub(super) fn rounded(&mut self, x: Val) -> Val {
        self.value(Intrinsic::Max, x.ty, &[x, x])
    }

    /// Counts are taken by their low bits; SPIR-V leaves larger ones undefined.
    fn shift_count(&mut self, count: Val, known: Known) -> Val {
        let low = u64::from(count.ty.bits() - 1);
        match known {
            Some(bits) => self.constant(count.ty, bits & low),
            None => {
                let low = self.constant(count.ty, low);
                self.op(Op::BitwiseAnd, count.ty, &[count, low])
            }
        }
    }

    /// `a / b`; a divisor 0 gives all bits set, `MIN / -1` gives `MIN`. Both are undefined in SPIR-V.
    fn integer_divide(&mut self, signed: bool, a: Val, b: Val, known: Known) -> Val {
        let ty = a.ty;
        let op = if signed { Op::SDiv } else { Op::UDiv };
        let ones = self.constant(ty, u64::MAX);
        match divisor(signed, ty, known) {
            Divisor::Zero => return ones,
            Divisor::MinusOne => return self.op(Op::SNegate, ty, &[a]),
            Divisor::Harmless => return self.op(op, ty, &[a, b]),
            Divisor::Unknown => {}
        }
        let (zero, minus_one, safe) = self.safe_divisor(signed, b);
        let mut quotient = self.op(op, ty, &[a, safe]);
        if let Some(minus_one) = minus_one {
            let negated = self.op(Op::SNegate, ty, &[a]);
            quotient = self.op(Op::Select, ty, &[minus_one, negated, quotient]);
        }
        self.op(Op::Select, ty, &[zero, ones, quotient])
    }

    /// Division of bytes and words, in 32 bits.
    fn narrow_divide(&mut self, kind: MapKind, elem: ElemType, a: Val, b: Val) -> Val {
        let wide = if elem.is_signed() { ElemType::I32 } else { ElemType::U32 };
        let (a, b) =
            (self.convert(a, elem, wide, Hazard::default()), self.convert(b, elem, wide, Hazard::default()));
        let result = self.map(kind, wide, a, b, None);
        self.convert(result, wide, elem, Hazard::default())
    }

    /// `a % b`; a divisor 0 gives `a`, `MIN % -1` gives 0.
    fn integer_remainder(&mut self, signed: bool, a: Val, b: Val, known: Known) -> Val {
        let ty = a.ty;
        let op = if signed { Op::SRem } else { Op::UMod };
        match divisor(signed, ty, known) {
            Divisor::Zero => return a,
            Divisor::MinusOne => return self.constant(ty, 0),
            Divisor::Harmless => return self.op(op, ty, &[a, b]),
            Divisor::Unknown => {}
        }
        // Instead of -1 the divisor is 1, whose remainder is 0 as well.
        let (zero, _, safe) = self.safe_divisor(signed, b);
        let remainder = self.op(op, ty, &[a, safe]);
        self.op(Op::Select, ty, &[zero, a, remainder])
    }

    /// Where the divisor is 0, where it is -1, and the divisor with 1 in these places.
    fn safe_divisor(&mut self, signed: bool, b: Val) -> (Val, Option<Val>, Val) {
        let ty = b.ty;
        let (none, one) = (self.constant(ty, 0), self.constant(ty, 1));
        let zero = self.op(Op::IEqual, ty.bool(), &[b, none]);
        let safe = self.op(Op::Select, ty, &[zero, one, b]);
        if !signed {
            return (zero, None, safe);
        }
        let ones = self.constant(ty, u64::MAX);
        let minus_one = self.op(Op::IEqual, ty.bool(), &[b, ones]);
        let safe = self.op(Op::Select, ty, &[minus_one, one, safe]);
        (zero, Some(minus_one), safe)
    }

    /// Where elements are not zero.
    pub(super) fn nonzero(&mut self, x: Val) -> Val {
        let zero = self.constant(x.ty, 0);
        // NaN is not zero, and -0.0 is.
        let op = if x.ty.scalar.is_float() { Op::FUnordNotEqual } else { Op::INotEqual };
        self.op(op, x.ty.bool(), &[x, zero])
    }

    /// Where the lowest bit is set.
    pub(super) fn odd(&mut self, x: Val) -> Val {
        let one = self.constant(x.ty, 1);
        let bit = self.op(Op::BitwiseAnd, x.ty, &[x, one]);
        self.nonzero(bit)
    }

    /// Truth values as numbers 1 and 0.
    pub(super) fn numbers(&mut self, x: Val, scalar: Scalar) -> Val {
        let ty = Ty::new(scalar, x.ty.count);
        let (one, zero) = (self.constant(ty, 1), self.constant(ty, 0));
        self.op(Op::Select, ty, &[x, one, zero])
    }

    /// Whether all (or any) truth values hold.
    pub(super) fn reduce(&mut self, x: Val, all: bool) -> Val {
        if x.ty.count == 1 {
            return x;
        }
        // The intrinsic takes what a flag register holds.
        let (intrinsic, both) =
            if all { (Intrinsic::All, Op::LogicalAnd) } else { (Intrinsic::Any, Op::LogicalOr) };
        let mut result: Option<Val> = None;
        let mut start = 0;
        while start < x.ty.count {
            let count = (x.ty.count - start).min(32);
            let part = self.part(x, start, count);
            let holds = if count == 1 { part } else { self.value(intrinsic, Ty::BOOL, &[part]) };
            result = Some(match result {
                None => holds,
                Some(before) => self.op(both, Ty::BOOL, &[before, holds]),
            });
            start += count;
        }
        result.unwrap_or(x)
    }
}

/// `count` elements, from element `offset` on.
const fn every_other(offset: usize, count: usize) -> Shape {
    Shape { offset, row_stride: count * 2, width: count, column_stride: 2 }
}

enum Divisor {
    Zero,
    MinusOne,
    Harmless,
    Unknown,
}

fn divisor(signed: bool, ty: Ty, known: Known) -> Divisor {
    let ones = u64::MAX >> (64 - ty.bits());
    match known {
        None => Divisor::Unknown,
        Some(0) => Divisor::Zero,
        Some(bits) if signed && bits == ones => Divisor::MinusOne,
        Some(_) => Divisor::Harmless,
    }
}
