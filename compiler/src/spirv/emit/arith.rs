//! Operators, element by element.

use crate::elem::ElemType;
use crate::ops::{MapKind, Outcome};

use super::recipe::{Known, MapOperands, Recipe};
use crate::spirv::binary::Op;
use crate::spirv::facts::hazard::Hazard;
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::intrinsics::{FLAGS, Intrinsic, reduces_whole};
use crate::spirv::module::{Builder, Val};
use crate::spirv::types::{Scalar, Ty};

impl Builder {
    /// Emits an operation by its recipe; `None` for recipes that depend on more than one type.
    pub(crate) fn make(&mut self, recipe: &Recipe, operands: MapOperands) -> Option<Val> {
        let same = Ty::new(operands.elem.into(), operands.vals[0].ty.count);
        let ty = match operands.kind.outcome() {
            // SPIR-V types have no signedness.
            Outcome::Same | Outcome::Unsigned => same,
            Outcome::Mask => same.bool(),
        };
        match recipe {
            Recipe::Core(op) => Some(self.op(*op, ty, operands.vals())),
            Recipe::Intrinsic(intrinsic) => Some(self.value(*intrinsic, ty, operands.vals())),
            Recipe::Expansion(expand) => Some(expand(self, operands)),
            // `map` handles these before it prepares operands.
            Recipe::Conversion | Recipe::Missing(_) => None,
        }
    }

    /// A number for an unsigned operation, safe for every way in which it may have been made.
    pub(crate) fn unsigned(&mut self, x: Val, hazard: Hazard) -> Val {
        // A byte cannot be an extension, because no type is shorter.
        if hazard.negated || hazard.extended && x.ty.bits() > 8 { self.apart_from_longer(x) } else { x }
    }

    /// An opaque copy of a number that may be low bytes of longer numbers. The compiler copies those in place in two
    /// halves, of which the first overwrites what the second one reads, so they are moved first.
    pub(crate) fn apart_from_longer(&mut self, x: Val) -> Val {
        let x = self.own_bytes(x);
        self.apart(x)
    }

    /// Such a copy of which the optimiser knows no element.
    pub(crate) fn hidden_from_longer(&mut self, x: Val) -> Val {
        let x = self.own_bytes(x);
        self.hidden(x)
    }

    /// Bytes that are not low bytes of longer numbers.
    fn own_bytes(&mut self, x: Val) -> Val {
        let low = self.low_bytes.contains(&x.id) && x.ty.count >= 4;
        if low { self.settled(x) } else { x }
    }

    /// An opaque copy of a number: the compiler does not know how it was made, and its upper bits are really
    /// computed. It is the number ORed with a 0 that the compiler cannot identify as 0. Other ways fail: the
    /// compiler sees through splitting and rejoining halves, and aborts on the maximum of a number and itself
    /// in loops.
    pub(crate) fn apart(&mut self, x: Val) -> Val {
        self.with_zeros(Op::BitwiseOr, x, Self::hidden_zeros)
    }

    /// An integer all of whose bits are used even if only the low ones are needed: the integer shifted right
    /// by a 0 that the compiler cannot identify as 0.
    pub(crate) fn uncut(&mut self, x: Val) -> Val {
        let zeros = self.hidden_zeros(x.ty);
        self.op(Op::ShiftRightLogical, x.ty, &[x, zeros])
    }

    /// An opaque copy of a part of a sum. The optimiser computes sums in any order, also those of `apart` and `hidden`, and
    /// combines numbers that are shifted by the same count: so it is shifted by zeros of its own.
    pub(crate) fn apart_from_sums(&mut self, x: Val) -> Val {
        let zeros = self.other_zeros(x.ty);
        self.op(Op::ShiftRightLogical, x.ty, &[x, zeros])
    }

    /// An opaque copy of a part of a register. On registers of 64 bytes, the compiler splits copies of low bytes of longer
    /// numbers further than other copies, so these are moved first.
    pub(crate) fn copied_part(&mut self, x: Val) -> Val {
        if self.long_registers { self.apart_from_longer(x) } else { self.apart(x) }
    }

    /// An opaque copy of rows of a register. Bytes are copied as words: the compiler copies bytes in place in
    /// two halves, and if the rows may start anywhere, the first half overwrites what the second one reads.
    pub(crate) fn copied_rows(&mut self, x: Val) -> Val {
        if x.ty.scalar != Scalar::Int(8) || !self.skewed.contains(&x.id) {
            return self.copied_part(x);
        }
        self.separate(x)
    }

    /// Such a copy of rows that are a copy already: other zeros, so that both remain.
    pub(crate) fn moved_rows(&mut self, x: Val) -> Val {
        if x.ty.scalar == Scalar::Int(8) { self.copied_rows(x) } else { self.hidden(x) }
    }

    /// The bits of a value, combined with zeros by `op`.
    fn with_zeros(&mut self, op: Op, x: Val, zeros: fn(&mut Self, Ty) -> Val) -> Val {
        if self.odd_shapes && x.ty.scalar == Scalar::Int(8) && x.ty.count > 1 {
            return self.as_words(x, |builder, words| builder.with_zeros(op, words, zeros));
        }
        if x.ty.bits() == 64 && !self.long_registers && self.rows.contains_key(&x.id) {
            // If the target lacks 64-bit integers, the compiler crashes on rows of them.
            return self.longs_together(x);
        }
        let ty = x.ty.int(x.ty.bits());
        let (bits, zeros) = (self.format(x, ty), zeros(self, ty));
        let own = self.op(op, ty, &[bits, zeros]);
        self.format(own, x.ty)
    }

    /// A zero that the compiler cannot identify as 0.
    fn hidden_zero(&mut self) -> Val {
        if !self.groups {
            // Launches of such kernels have one plane of groups.
            return self.value(Intrinsic::GroupIdZ, Ty::I32, &[]);
        }
        // The sign bit of the group width.
        let sizes = self.value(Intrinsic::LocalSize, Ty::I32.times(3), &[]);
        let (width, places) = (self.element(sizes, 0), self.i32(31));
        self.op(Op::ShiftRightArithmetic, Ty::I32, &[width, places])
    }

    /// Zeros that the compiler cannot identify as 0.
    pub(crate) fn hidden_zeros(&mut self, ty: Ty) -> Val {
        let zero = self.hidden_zero();
        let zero = if ty.bits() == 32 { zero } else { self.op(Op::UConvert, ty.one(), &[zero]) };
        self.splat(zero, ty.count)
    }

    /// A pair of these zeros, from which the compiler takes repeated ones without a copy.
    fn hidden_pair(&mut self) -> Val {
        let zero = self.hidden_zero();
        self.splat(zero, 2)
    }

    /// Whether a constant of dwords is a pair that is repeated more often than the compiler, which makes eight elements by
    /// an instruction, needs instructions to repeat it.
    pub(crate) fn is_repeated_pair(&self, ty: Ty, each: &[u64]) -> bool {
        let repeated = || each.iter().zip(&each[2..]).all(|(a, b)| a == b);
        self.long_registers && ty.bits() == 32 && each.len() > 16 && repeated()
    }

    /// A pair of dwords, repeated. The compiler does not know its first dword, and so makes the pair before it repeats it.
    pub(crate) fn repeated_pair(&mut self, ty: Ty, [first, second]: [u64; 2]) -> Val {
        let (zero, dwords) = (self.hidden_zero(), ty.int(32));
        let [first, second] = [first, second].map(|bits| self.constant(Ty::I32, bits));
        let first = self.op(Op::IAdd, Ty::I32, &[zero, first]);
        let pair = self.undefined(Ty::I32.times(2));
        let pair = self.insert(pair, FixedRegion::row(0, 1), first, None);
        let pair = self.insert(pair, FixedRegion::row(1, 1), second, None);
        let all = FixedRegion { row_stride: 0, ..FixedRegion::row(0, 2) };
        let all = self.region(pair, all, dwords.count, None);
        self.format(all, ty)
    }

    /// An opaque copy of a value of which the optimiser may know elements. `apart` would not hide the bits
    /// that are set.
    pub(crate) fn hidden(&mut self, x: Val) -> Val {
        self.with_zeros(Op::IAdd, x, Self::other_zeros)
    }

    /// `hidden` if the optimiser may know elements, else `apart`.
    pub(crate) fn own(&mut self, x: Val, hazard: Hazard) -> Val {
        if hazard.folded || hazard.partly { self.hidden_from_longer(x) } else { self.apart(x) }
    }

    /// Zeros that the compiler cannot identify as the zeros of `apart` or as any earlier zeros. If two
    /// combinations with the same zeros follow each other, it removes one.
    pub(crate) fn other_zeros(&mut self, ty: Ty) -> Val {
        self.zeros += 1;
        let zero = if ty.count == 1 { self.hidden_zero() } else { self.hidden_pair() };
        // A product with an odd number keeps all bits unknown.
        let odd = self.constant(zero.ty, self.zeros * 2 + 1);
        let zero = self.op(Op::IMul, zero.ty, &[zero, odd]);
        let of = ty.times(zero.ty.count);
        let zero = match ty.bits() {
            32 => zero,
            64 => self.op(Op::SConvert, of, &[zero]),
            _ => self.op(Op::UConvert, of, &[zero]),
        };
        if ty.count <= 2 { zero } else { self.repeat(zero, ty.count) }
    }

    /// The low and the high halves of the elements of a vector.
    pub(crate) fn halves(&mut self, x: Val) -> (Val, Val) {
        let count = x.ty.count;
        let halves = self.format(x, x.ty.int(x.ty.bits() / 2).times(count * 2));
        (
            self.region(halves, every_other(0, count), count, None),
            self.region(halves, every_other(1, count), count, None),
        )
    }

    /// The numbers with these low and high halves, which are vectors.
    pub(crate) fn joined(&mut self, low: Val, high: Val) -> Val {
        let count = low.ty.count;
        let empty = self.constant(low.ty.times(count * 2), 0);
        let whole = self.insert(empty, every_other(0, count), low, None);
        let whole = self.insert(whole, every_other(1, count), high, None);
        self.format(whole, low.ty.int(low.ty.bits() * 2))
    }

    /// `a << b` or `a >> b`. Only the low bits of a count are used, since SPIR-V leaves larger counts
    /// undefined.
    pub(crate) fn shift(&mut self, x: MapOperands) -> Val {
        let (a, count) = (x.vals[0], self.places(x));
        let op = if x.kind == MapKind::Shl { Op::ShiftLeftLogical } else { shift_right(x.elem) };
        let shifted = self.op(op, a.ty, &[a, count]);
        // If only low bits of the result are used, the compiler emits a shorter shift and takes the count
        // modulo its size.
        let narrowed = x.kind == MapKind::Shl && x.known[1].is_none();
        if narrowed { self.kept_long(shifted) } else { shifted }
    }

    /// The count of a shift: only its low bits.
    pub(crate) fn places(&mut self, x: MapOperands) -> Val {
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

    /// 64-bit numbers that are reassembled from their halves, so that the compiler cannot narrow the
    /// operation to one half.
    pub(crate) fn kept_long(&mut self, x: Val) -> Val {
        if x.ty.bits() < 64 {
            return x;
        }
        let count = x.ty.count;
        let halves = self.in_dwords(x);
        let mut whole = self.constant(halves.ty, 0);
        for half in 0..2 {
            let part = self.region(halves, every_other(half, count), count, None);
            whole = self.insert(whole, every_other(half, count), part, None);
        }
        self.format(whole, x.ty)
    }

    /// `a / b`. A divisor of 0 gives all bits set, and `MIN / -1` gives `MIN`; SPIR-V leaves both undefined.
    pub(crate) fn integer_divide(&mut self, x: MapOperands) -> Val {
        let ([a, b, _], signed) = (x.vals, x.elem.is_signed());
        let ty = a.ty;
        let op = if signed { Op::SDiv } else { Op::UDiv };
        let ones = self.constant(ty, u64::MAX);
        match divisor(signed, ty, x.known[1]) {
            Divisor::Zero => return ones,
            Divisor::MinusOne => return self.op(Op::SNegate, ty, &[a]),
            Divisor::Harmless => return self.divided_by_constant(op, x),
            Divisor::Unknown => {}
        }
        let (zero, minus_one, safe) = self.safe_divisor(signed, b);
        let mut quotient = self.divided(op, a, safe);
        if let Some(minus_one) = minus_one {
            let negated = self.op(Op::SNegate, ty, &[a]);
            quotient = self.op(Op::Select, ty, &[minus_one, negated, quotient]);
        }
        self.op(Op::Select, ty, &[zero, ones, quotient])
    }

    /// A quotient or remainder of integers. GPUs from Xe-HPG on cannot divide integers. The installed compiler computes the
    /// quotient in floats, with products and sums that are not rounded in between. For a single element, and for the last
    /// one of an odd number, it does round, and quotients of dividends above 24 bits are wrong. So their number is made
    /// even.
    fn divided(&mut self, op: Op, a: Val, b: Val) -> Val {
        let count = a.ty.count;
        if !self.divided_in_pairs || a.ty.bits() != 32 || count.is_multiple_of(2) {
            return self.op(op, a.ty, &[a, b]);
        }
        if count == 1 {
            // It would compute only one of two equal elements.
            let [a, b] = [a, b].map(|x| self.splat(x, 2));
            let a = self.apart(a);
            let pair = self.op(op, a.ty, &[a, b]);
            let twice = FixedRegion { offset: 0, row_stride: 0, width: 2, column_stride: 0 };
            let pair = self.region(pair, twice, 2, None);
            return self.element(pair, 0);
        }
        let place = FixedRegion::row(0, count);
        let [a, b] = [a, b].map(|x| {
            let ones = self.constant(x.ty.times(count + 1), 1);
            self.insert(ones, place, x, None)
        });
        let result = self.op(op, a.ty, &[a, b]);
        self.region(result, place, count, None)
    }

    /// A quotient or remainder by a constant that may be an operand of SPIR-V.
    fn divided_by_constant(&mut self, op: Op, x: MapOperands) -> Val {
        let [a, b, _] = x.vals;
        match x.known[1] {
            // The compiler multiplies by the inverse of an unsigned constant.
            _ if !x.elem.is_signed() => self.op(op, a.ty, &[a, b]),
            // If it knows the constant, and one element of the result is used, the compiler computes a single quotient.
            Some(bits) if self.divided_in_pairs => {
                let divisor = self.constant(b.ty.one(), bits);
                let divisor = self.apart(divisor);
                let divisor = self.splat(divisor, b.ty.count);
                self.divided(op, a, divisor)
            }
            _ => self.divided(op, a, b),
        }
    }

    /// Division of bytes and words, computed in 32 bits.
    pub(crate) fn narrow_divide(&mut self, x: MapOperands) -> Val {
        let wide = if x.elem.is_signed() { ElemType::I32 } else { ElemType::U32 };
        let [a, b, _] = x.vals;
        // No hazards: `operands` has already replaced values that had one by opaque copies.
        let [a, b] = [a, b].map(|val| self.convert(val, x.elem, wide, Hazard::default()));
        let x_wide = MapOperands { elem: wide, vals: [a, b, b], known: [None; 3], ..x };
        let result = match x.kind {
            MapKind::Div => self.integer_divide(x_wide),
            _ => self.integer_remainder(x_wide),
        };
        self.convert(result, wide, x.elem, Hazard::default())
    }

    /// `a % b`. A divisor of 0 gives `a`, and `MIN % -1` gives 0.
    pub(crate) fn integer_remainder(&mut self, x: MapOperands) -> Val {
        let ([a, b, _], signed) = (x.vals, x.elem.is_signed());
        let ty = a.ty;
        let op = if signed { Op::SRem } else { Op::UMod };
        match divisor(signed, ty, x.known[1]) {
            Divisor::Zero => return a,
            Divisor::MinusOne => return self.constant(ty, 0),
            Divisor::Harmless => return self.divided_by_constant(op, x),
            Divisor::Unknown => {}
        }
        // The divisor 1 replaces -1: its remainder is also 0.
        let (zero, _, safe) = self.safe_divisor(signed, b);
        let remainder = if signed {
            self.divided(op, a, safe)
        } else {
            // The newest compiler aborts on a quotient and a remainder of the same numbers ("freeze"), and on
            // a product that it recognises as that of a quotient and its divisor.
            let quotient = self.divided(Op::UDiv, a, safe);
            let quotient = self.apart(quotient);
            let product = self.op(Op::IMul, ty, &[quotient, safe]);
            self.op(Op::ISub, ty, &[a, product])
        };
        self.op(Op::Select, ty, &[zero, a, remainder])
    }

    /// Where the divisor is 0, where it is -1, and the divisor with both replaced by 1.
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

    /// Where elements are nonzero.
    pub(crate) fn nonzero(&mut self, x: Val) -> Val {
        let zero = self.constant(x.ty, 0);
        // NaN counts as nonzero, -0.0 as zero.
        let op = if x.ty.scalar.is_float() { Op::FUnordNotEqual } else { Op::INotEqual };
        self.op(op, x.ty.bool(), &[x, zero])
    }

    /// Where the lowest bit is set.
    pub(crate) fn odd(&mut self, x: Val) -> Val {
        let one = self.constant(x.ty, 1);
        let bit = self.op(Op::BitwiseAnd, x.ty, &[x, one]);
        let bit = if x.ty.bits() == 32 { self.contiguous_mask(bit) } else { bit };
        self.nonzero(bit)
    }

    /// Truth values as the numbers 1 and 0.
    pub(crate) fn numbers(&mut self, x: Val, scalar: Scalar) -> Val {
        let ty = Ty::new(scalar, x.ty.count);
        let (one, zero) = (self.constant(ty, 1), self.constant(ty, 0));
        self.op(Op::Select, ty, &[x, one, zero])
    }

    /// Whether all (or any) truth values are true. `branched`: the result is only used by a branch.
    pub(crate) fn reduce(&mut self, x: Val, all: bool, branched: bool) -> Val {
        if x.ty.count == 1 {
            return x;
        }
        // The intrinsic takes as many truth values as a flag register holds, or halves of that size.
        let (intrinsic, both) =
            if all { (Intrinsic::All, Op::LogicalAnd) } else { (Intrinsic::Any, Op::LogicalOr) };
        // The compiler does not split the operand of a result that is selected or combined, and crashes.
        if reduces_whole(x.ty.count) && (branched || x.ty.count <= FLAGS) {
            return self.value(intrinsic, Ty::BOOL, &[x]);
        }
        // The vector is split as numbers, because newer compilers crash on parts of truth values.
        let numbers = self.numbers(x, Scalar::Int(16));
        let mut result: Option<Val> = None;
        let mut start = 0;
        while start < x.ty.count {
            let count = (x.ty.count - start).min(FLAGS);
            let part = self.part(numbers, start, count);
            let part = self.nonzero(part);
            // A single truth value is a scalar, which the intrinsic does not take.
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

/// The right shift: arithmetic for signed types.
pub(crate) const fn shift_right(elem: ElemType) -> Op {
    if elem.is_signed() { Op::ShiftRightArithmetic } else { Op::ShiftRightLogical }
}

/// `count` elements, every second one from element `offset` on.
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
