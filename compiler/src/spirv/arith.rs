//! Operators, element by element.

use crate::elem::ElemType;
use crate::ops::{MapKind, Outcome};

use super::binary::Op;
use super::compiler_workarounds::Hazard;
use super::intrinsics::{FLAGS, Intrinsic, reduces_whole};
use super::module::{Builder, Val};
use super::recipe::{Known, MapOperands, Recipe};
use super::regions::FixedRegion;
use super::types::{Scalar, Ty};

impl Builder {
    /// An operation by its recipe; `None` if that is none of one type.
    pub(super) fn make(&mut self, recipe: &Recipe, operands: MapOperands) -> Option<Val> {
        let same = Ty::new(operands.elem.into(), operands.vals[0].ty.count);
        let ty = match operands.kind.outcome() {
            // There are no signs in SPIR-V.
            Outcome::Same | Outcome::Unsigned => same,
            Outcome::Mask => same.bool(),
        };
        match recipe {
            Recipe::Core(op) => Some(self.op(*op, ty, operands.vals())),
            Recipe::Intrinsic(intrinsic) => Some(self.value(*intrinsic, ty, operands.vals())),
            Recipe::Expansion(expand) => Some(expand(self, operands)),
            // `map` has taken these before it prepares operands.
            Recipe::Conversion | Recipe::Missing(_) => None,
        }
    }

    /// A number that an unsigned operation takes as it is, whatever it was made by.
    pub(super) fn unsigned(&mut self, x: Val, hazard: Hazard) -> Val {
        // Nothing is shorter than a byte, so a byte is no extension.
        if hazard.negated || hazard.extended && x.ty.bits() > 8 { self.apart(x) } else { x }
    }

    /// A number as a value of its own, of which the compiler does not know how it was made, and whose upper
    /// bits are really there: with the bits of a number that is always 0, which the compiler does not know.
    /// (It sees through halves that are taken apart and put together, and aborts over the larger one of a
    /// number and itself in loops.)
    pub(super) fn apart(&mut self, x: Val) -> Val {
        self.with_zeros(Op::BitwiseOr, x, Self::hidden_zeros)
    }

    /// An integer all of whose bits count, also where the lower ones alone are used: shifted to lower places, by a 0 that
    /// the compiler does not know.
    pub(super) fn uncut(&mut self, x: Val) -> Val {
        let zeros = self.hidden_zeros(x.ty);
        self.op(Op::ShiftRightLogical, x.ty, &[x, zeros])
    }

    /// A copy of rows of a register as a value of its own. Of bytes it is made in words: the compiler makes the copy in
    /// place, in two halves, of which the first one overwrites what the second one reads if the rows start anywhere.
    pub(super) fn copied_rows(&mut self, x: Val) -> Val {
        if x.ty.scalar != Scalar::Int(8) || !self.skewed.contains(&x.id) {
            return self.apart(x);
        }
        let words = self.convert(x, ElemType::U8, ElemType::U16, Hazard::default());
        let words = self.uncut(words);
        self.convert(words, ElemType::U16, ElemType::U8, Hazard::default())
    }

    /// The bits of a value combined with zeros.
    fn with_zeros(&mut self, op: Op, x: Val, zeros: fn(&mut Self, Ty) -> Val) -> Val {
        let ty = x.ty.int(x.ty.bits());
        let (bits, zeros) = (self.format(x, ty), zeros(self, ty));
        let own = self.op(op, ty, &[bits, zeros]);
        self.format(own, x.ty)
    }

    /// A zero that the compiler does not know.
    fn hidden_zero(&mut self) -> Val {
        if !self.groups {
            // Launches of such kernels have one plane.
            return self.value(Intrinsic::GroupIdZ, Ty::I32, &[]);
        }
        // The sign of the width of a group.
        let sizes = self.value(Intrinsic::LocalSize, Ty::I32.times(3), &[]);
        let (width, places) = (self.element(sizes, 0), self.i32(31));
        self.op(Op::ShiftRightArithmetic, Ty::I32, &[width, places])
    }

    /// Zeros that the compiler does not know.
    pub(super) fn hidden_zeros(&mut self, ty: Ty) -> Val {
        let zero = self.hidden_zero();
        let zero = if ty.bits() == 32 { zero } else { self.op(Op::UConvert, ty.one(), &[zero]) };
        self.splat(zero, ty.count)
    }

    /// A value of its own of which the optimiser may know elements: `apart` would keep the bits that are set.
    pub(super) fn hidden(&mut self, x: Val) -> Val {
        self.with_zeros(Op::IAdd, x, Self::other_zeros)
    }

    /// `hidden` where the optimiser may know elements, else `apart`.
    pub(super) fn own(&mut self, x: Val, hazard: Hazard) -> Val {
        if hazard.folded || hazard.partly { self.hidden(x) } else { self.apart(x) }
    }

    /// Zeros that the compiler does not know to be those of `apart`, nor any made before: it would remove a
    /// combination with these where another one follows.
    pub(super) fn other_zeros(&mut self, ty: Ty) -> Val {
        self.zeros += 1;
        let zero = self.hidden_zero();
        // Products with odd numbers keep all bits unknown.
        let odd = self.constant(Ty::I32, self.zeros * 2 + 1);
        let zero = self.op(Op::IMul, Ty::I32, &[zero, odd]);
        let zero = match ty.bits() {
            32 => zero,
            64 => self.op(Op::SConvert, ty.one(), &[zero]),
            _ => self.op(Op::UConvert, ty.one(), &[zero]),
        };
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

    /// `a << b` or `a >> b`. Counts are taken by their low bits; SPIR-V leaves larger ones undefined.
    pub(super) fn shift(&mut self, x: MapOperands) -> Val {
        let (a, count) = (x.vals[0], self.places(x));
        let op = if x.kind == MapKind::Shl { Op::ShiftLeftLogical } else { shift_right(x.elem) };
        let shifted = self.op(op, a.ty, &[a, count]);
        // Where only low bits are used, the compiler makes a shorter shift, by the count modulo its size.
        let narrowed = x.kind == MapKind::Shl && x.known[1].is_none();
        if narrowed { self.kept_long(shifted) } else { shifted }
    }

    /// The count of a shift: its low bits.
    pub(super) fn places(&mut self, x: MapOperands) -> Val {
        let b = x.vals[1];
        let low = u64::from(b.ty.bits() - 1);
        match x.known[1] {
            Some(bits) => self.constant(b.ty, bits & low),
            None => {
                let low = self.constant(b.ty, low);
                self.op(Op::BitwiseAnd, b.ty, &[b, low])
            }
        }
    }

    /// 64-bit numbers put together of their halves, so that nothing is narrowed to one of them.
    pub(super) fn kept_long(&mut self, x: Val) -> Val {
        if x.ty.bits() < 64 {
            return x;
        }
        let count = x.ty.count;
        let halves = self.format(x, x.ty.int(32).times(count * 2));
        let mut whole = self.constant(halves.ty, 0);
        for half in 0..2 {
            let part = self.region(halves, every_other(half, count), count, None);
            whole = self.insert(whole, every_other(half, count), part, None);
        }
        self.format(whole, x.ty)
    }

    /// `a / b`; a divisor 0 gives all bits set, `MIN / -1` gives `MIN`. Both are undefined in SPIR-V.
    pub(super) fn integer_divide(&mut self, x: MapOperands) -> Val {
        let ([a, b, _], signed) = (x.vals, x.elem.is_signed());
        let ty = a.ty;
        let op = if signed { Op::SDiv } else { Op::UDiv };
        let ones = self.constant(ty, u64::MAX);
        match divisor(signed, ty, x.known[1]) {
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
    pub(super) fn narrow_divide(&mut self, x: MapOperands) -> Val {
        let wide = if x.elem.is_signed() { ElemType::I32 } else { ElemType::U32 };
        let [a, b, _] = x.vals;
        // Without hazards: `operands` has made values of their own of those that had one.
        let [a, b] = [a, b].map(|val| self.convert(val, x.elem, wide, Hazard::default()));
        let x_wide = MapOperands { elem: wide, vals: [a, b, b], known: [None; 3], ..x };
        let result = match x.kind {
            MapKind::Div => self.integer_divide(x_wide),
            _ => self.integer_remainder(x_wide),
        };
        self.convert(result, wide, x.elem, Hazard::default())
    }

    /// `a % b`; a divisor 0 gives `a`, `MIN % -1` gives 0.
    pub(super) fn integer_remainder(&mut self, x: MapOperands) -> Val {
        let ([a, b, _], signed) = (x.vals, x.elem.is_signed());
        let ty = a.ty;
        let op = if signed { Op::SRem } else { Op::UMod };
        match divisor(signed, ty, x.known[1]) {
            Divisor::Zero => return a,
            Divisor::MinusOne => return self.constant(ty, 0),
            Divisor::Harmless => return self.op(op, ty, &[a, b]),
            Divisor::Unknown => {}
        }
        // Instead of -1 the divisor is 1, whose remainder is 0 as well.
        let (zero, _, safe) = self.safe_divisor(signed, b);
        let remainder = if signed {
            self.op(op, ty, &[a, safe])
        } else {
            // The newest compiler aborts over a quotient and a remainder of the same numbers ("freeze"), and over a product
            // that it knows to be that of a quotient and its divisor.
            let quotient = self.op(Op::UDiv, ty, &[a, safe]);
            let quotient = self.apart(quotient);
            let product = self.op(Op::IMul, ty, &[quotient, safe]);
            self.op(Op::ISub, ty, &[a, product])
        };
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

    /// Whether all (or any) truth values hold; `branched` if that is only branched on.
    pub(super) fn reduce(&mut self, x: Val, all: bool, branched: bool) -> Val {
        if x.ty.count == 1 {
            return x;
        }
        // The intrinsic takes what a flag register holds, or pairs of those.
        let (intrinsic, both) =
            if all { (Intrinsic::All, Op::LogicalAnd) } else { (Intrinsic::Any, Op::LogicalOr) };
        // Of what is selected or combined the compiler makes no parts, and ends the process.
        if reduces_whole(x.ty.count) && (branched || x.ty.count <= FLAGS) {
            return self.value(intrinsic, Ty::BOOL, &[x]);
        }
        // Parts of numbers: newer compilers crash on parts of truth values.
        let numbers = self.numbers(x, Scalar::Int(16));
        let mut result: Option<Val> = None;
        let mut start = 0;
        while start < x.ty.count {
            let count = (x.ty.count - start).min(FLAGS);
            let part = self.part(numbers, start, count);
            let part = self.nonzero(part);
            // A single one is a scalar, which the intrinsic does not take.
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

/// To lower places, by sign.
pub(super) const fn shift_right(elem: ElemType) -> Op {
    if elem.is_signed() { Op::ShiftRightArithmetic } else { Op::ShiftRightLogical }
}

/// `count` elements, from element `offset` on.
const fn every_other(offset: usize, count: usize) -> FixedRegion {
    FixedRegion { offset, row_stride: count * 2, width: count, column_stride: 2 }
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
