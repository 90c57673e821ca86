//! Minima, maxima, absolute values, and results that are limited to the range of their type.
//!
//! Intel's compiler has saturating intrinsics, but after extensions and negations it treats their operands as
//! numbers of the other signedness, and the optimiser makes such operations from code that it sees through.
//! So results are compared and selected, using values that the optimiser does not see through.

use crate::elem::ElemType;
use crate::ops::MapKind;

use super::arith::shift_right;
use super::recipe::MapOperands;
use crate::spirv::binary::Op;
use crate::spirv::facts::hazard::Hazard;
use crate::spirv::facts::zero_signs::is_nonzero;
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::{Builder, Val};

impl Builder {
    /// The minimum or maximum of floats. For equal ones, the instruction returns either one, and zeros may differ in sign.
    pub(crate) fn pick_either(&mut self, kind: MapKind, a: Val, b: Val) -> Val {
        let intrinsic = if kind == MapKind::Min { Intrinsic::Min } else { Intrinsic::Max };
        self.value(intrinsic, a.ty, &[a, b])
    }

    /// The minimum or maximum; of equal numbers the first one.
    pub(crate) fn pick_ordered(&mut self, x: MapOperands) -> Val {
        let [a, b, _] = x.vals;
        if x.elem.is_float() {
            if x.known[..2].iter().any(|known| is_nonzero(x.elem, *known)) {
                return self.pick_either(x.kind, a, b);
            }
            // The compiler compares more elements in halves, and copies the flags of each half twice.
            let lanes = if self.long_registers { 32 } else { 16 };
            if a.ty.bits() > 32 || a.ty.count <= lanes || !a.ty.count.is_multiple_of(lanes) {
                return self.pick_first(x.kind, a, b);
            }
            let mut all = self.undefined(a.ty);
            for start in (0..a.ty.count).step_by(lanes) {
                let [a, b] = [a, b].map(|of| self.part(of, start, lanes));
                let picked = self.pick_first(x.kind, a, b);
                all = self.insert(all, FixedRegion::row(start, lanes), picked, None);
            }
            return all;
        }
        let smallest = x.kind == MapKind::Min;
        let op = match (smallest, x.elem.is_signed()) {
            (true, true) => Op::SLessThan,
            (true, false) => Op::ULessThan,
            (false, true) => Op::SGreaterThan,
            (false, false) => Op::UGreaterThan,
        };
        let other = self.op(op, a.ty.bool(), &[b, a]);
        self.op(Op::Select, a.ty, &[other, b, a])
    }

    /// The minimum or maximum of floats; of equal ones the first one.
    fn pick_first(&mut self, kind: MapKind, a: Val, b: Val) -> Val {
        let picked = self.pick_either(kind, a, b);
        let equal = self.op(Op::FOrdEqual, a.ty.bool(), &[a, b]);
        self.op(Op::Select, a.ty, &[equal, a, picked])
    }

    /// The absolute value of a signed integer or a float.
    pub(crate) fn size(&mut self, x: MapOperands) -> Val {
        let a = x.vals[0];
        if x.elem.is_float() {
            let ty = a.ty.int(a.ty.bits());
            let (bits, no_sign) = (self.format(a, ty), self.constant(ty, u64::MAX >> (65 - ty.bits())));
            let size = self.op(Op::BitwiseAnd, ty, &[bits, no_sign]);
            return self.format(size, a.ty);
        }
        // The compiler makes the absolute value an operand modifier, even for operands of `or`, which have
        // none, and then rejects its own code. So make it a modifier of an addition; the sum is opaque.
        let (size, zeros) = (self.added_size(a), self.other_zeros(a.ty));
        self.op(Op::IAdd, a.ty, &[size, zeros])
    }

    /// The absolute value of integers, for an addition.
    pub(crate) fn added_size(&mut self, a: Val) -> Val {
        if matches!(a.ty.bits(), 16 | 32) {
            return self.value(Intrinsic::Size, a.ty, &[a]);
        }
        let (zero, negated) = (self.constant(a.ty, 0), self.op(Op::SNegate, a.ty, &[a]));
        let negative = self.op(Op::SLessThan, a.ty.bool(), &[a, zero]);
        self.op(Op::Select, a.ty, &[negative, negated, a])
    }

    /// `a + b` or `a - b`, saturating.
    pub(crate) fn limited_sum(&mut self, x: MapOperands) -> Val {
        let (elem, [a, b, _], adds) = (x.elem, x.vals, x.kind == MapKind::AddSat);
        if elem.is_float() {
            let sum = self.op(if adds { Op::FAdd } else { Op::FSub }, a.ty, &[a, b]);
            return self.saturate(sum, elem, elem, Hazard::default());
        }
        let op = if adds { Op::IAdd } else { Op::ISub };
        if !adds && !elem.is_signed() {
            // A 0 that the compiler cannot identify as 0, see `Hazard::zero`.
            let (difference, zeros) = (self.op(op, a.ty, &[a, b]), self.other_zeros(a.ty));
            let beyond = self.op(Op::ULessThan, a.ty.bool(), &[a, b]);
            return self.op(Op::Select, a.ty, &[beyond, zeros, difference]);
        }
        if a.ty.bits() < 32 {
            // Exact in twice as many bits.
            let wide = if a.ty.bits() == 8 { ElemType::I16 } else { ElemType::I32 };
            let [a, b] = [a, b].map(|val| self.convert(val, elem, wide, Hazard::default()));
            let sum = self.op(op, a.ty, &[a, b]);
            return self.saturate(sum, wide, elem, Hazard { negated: !adds, ..Hazard::default() });
        }
        let sum = self.op(op, a.ty, &[a, b]);
        let sum = self.apart(sum);
        let (beyond, limit) = if elem.is_signed() {
            // A sum overflows if its sign differs from both operands; a difference overflows if only the
            // second operand has its sign.
            let (from_a, other) = (self.op(Op::BitwiseXor, a.ty, &[a, sum]), if adds { sum } else { a });
            let from_b = self.op(Op::BitwiseXor, a.ty, &[b, other]);
            let signs = self.op(Op::BitwiseAnd, a.ty, &[from_a, from_b]);
            let zero = self.constant(a.ty, 0);
            (self.op(Op::SLessThan, a.ty.bool(), &[signs, zero]), self.nearest_limit(a))
        } else {
            (self.op(Op::ULessThan, a.ty.bool(), &[sum, a]), self.constant(a.ty, u64::MAX))
        };
        self.op(Op::Select, a.ty, &[beyond, limit, sum])
    }

    /// `a << b`, saturating.
    pub(crate) fn limited_shift(&mut self, x: MapOperands) -> Val {
        let (a, places) = (x.vals[0], self.places(x));
        let shifted = self.op(Op::ShiftLeftLogical, a.ty, &[a, places]);
        let shifted = self.apart(shifted);
        let back = self.op(shift_right(x.elem), a.ty, &[shifted, places]);
        let limit = if x.elem.is_signed() { self.nearest_limit(a) } else { self.constant(a.ty, u64::MAX) };
        let fits = self.op(Op::IEqual, a.ty.bool(), &[back, a]);
        self.op(Op::Select, a.ty, &[fits, shifted, limit])
    }

    /// The maximum of a signed type, or the minimum if `x` is negative.
    fn nearest_limit(&mut self, x: Val) -> Val {
        let bits = x.ty.bits();
        let (places, largest) =
            (self.constant(x.ty, u64::from(bits) - 1), self.constant(x.ty, u64::MAX >> (65 - bits)));
        let signs = self.op(Op::ShiftRightArithmetic, x.ty, &[x, places]);
        self.op(Op::BitwiseXor, x.ty, &[signs, largest])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{count, kernel};
    use crate::spirv::{Target, lower};

    /// The comparisons of a minimum of floats of 64 lanes that these lines make.
    fn comparisons(lines: &str, target: Target) -> usize {
        let function = kernel(&format!(
            "%0: i32 = constant 0; %1: f32<1x64> = constant 2.0; %2: f32<1x8> = read #0 %0, %0; %3: f32<1x8> = read #0 %0, %0;
             %4: f32<1x64> = insert %1[0| 8, 8, 1], %2; %5: f32<1x64> = insert %1[8| 8, 8, 1], %3; {lines}
             %10: f32<1x8> = region %9[7| 8, 8, 1]; write #1 %0, %0, %10: f32<1x8>;\n"
        ));
        count(&lower(&function, target).unwrap(), Op::FOrdEqual)
    }

    #[test]
    fn zeros_are_compared_for_as_many_lanes_as_an_instruction_has() {
        let lines = "%9: f32<1x64> = min.f32 %4, %5;";
        assert_eq!([Target::Gen9, Target::XeHpc].map(|target| comparisons(lines, target)), [4, 2]);
    }

    #[test]
    fn zeros_of_one_sign_are_not_compared() {
        let lines =
            "%6: f32<1x64> = abs.f32 %4; %7: f32<1x64> = mul.f32 %5, %5; %9: f32<1x64> = min.f32 %6, %7;";
        assert_eq!(comparisons(lines, Target::Gen9), 0);
    }
}
