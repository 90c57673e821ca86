//! Division of 64-bit integers.
//!
//! No generation has an instruction for it, and the subroutine that Intel's compiler calls instead does not
//! work on all of them. This code uses a float to find how many divisors the rest of the dividend certainly
//! contains, subtracts these, and repeats until the rest is less than one divisor. As floats, the two numbers
//! are each off by less than 2^-22 and the inverse by 2^-20, and the margin is 2^-18. So an iteration never
//! subtracts too much, and it reduces the rest to 2^-17 of itself plus one divisor. There are at most five
//! iterations, and two for quotients below 2^17. The result does not depend on the approximation. Divisions
//! by powers of two are shifts.

use crate::ops::MapKind;

use super::recipe::MapOperands;
use crate::spirv::binary::{Op, Operand};
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::{Builder, Val};

/// Elements that are divided at a time. With more, the live values of the loop would not fit the registers.
const DIVIDED_AT_ONCE: usize = 16;

impl Builder {
    /// `a / b` or `a % b`. A divisor of 0 gives all bits set and `a`; `MIN / -1` gives `MIN` and 0.
    pub(crate) fn wide_divide(&mut self, x: MapOperands) -> Val {
        let ([a, b, _], signed) = (x.vals, x.elem.is_signed());
        let ty = a.ty;
        let quotient = x.kind == MapKind::Div;
        if let Some(bits) = x.known[1] {
            let size = if signed { (bits as i64).unsigned_abs() } else { bits };
            if size == 0 {
                return if quotient { self.constant(ty, u64::MAX) } else { a };
            }
            if size.is_power_of_two() {
                let power = size.trailing_zeros();
                return if quotient {
                    let result = self.shifted_down(signed, a, power);
                    if signed && (bits as i64) < 0 { self.op(Op::SNegate, ty, &[result]) } else { result }
                } else {
                    self.low_bits(signed, a, power)
                };
            }
        }
        if ty.count == 1 {
            // Halves are regions, which only vectors have.
            let (a, b) = (self.splat(a, 2), self.splat(b, 2));
            let pair = self.wide_divide(MapOperands { vals: [a, b, b], ..x });
            return self.element(pair, 0);
        }
        if ty.count > DIVIDED_AT_ONCE {
            let mut whole = self.undefined(ty);
            for start in (0..ty.count).step_by(DIVIDED_AT_ONCE) {
                let count = DIVIDED_AT_ONCE.min(ty.count - start);
                let place = FixedRegion::row(start, count);
                let (a, b) = (self.region(a, place, count, None), self.region(b, place, count, None));
                let part = self.wide_divide(MapOperands { vals: [a, b, b], ..x });
                whole = self.insert(whole, place, part, None);
            }
            return whole;
        }
        if self.divided_in_powers && !ty.count.is_power_of_two() {
            let place = FixedRegion::row(0, ty.count);
            let zeros = self.constant(ty.times(ty.count.next_power_of_two()), 0);
            let [a, b] = [a, b].map(|x| self.insert(zeros, place, x, None));
            let more = self.wide_divide(MapOperands { vals: [a, b, b], ..x });
            return self.region(more, place, ty.count, None);
        }
        if !signed {
            let result = self.take_off(quotient, a, b);
            return if quotient { self.ones_where_zero(b, result) } else { result };
        }
        let (a_sign, b_sign) = (self.sign(a), self.sign(b));
        let (a_size, b_size) = (self.negated_where(a_sign, a), self.negated_where(b_sign, b));
        let result = self.take_off(quotient, a_size, b_size);
        if !quotient {
            return self.negated_where(a_sign, result);
        }
        let sign = self.op(Op::BitwiseXor, ty, &[a_sign, b_sign]);
        let result = self.negated_where(sign, result);
        self.ones_where_zero(b, result)
    }

    /// Unsigned `a / b` or `a % b`. For a divisor of 0 nothing is subtracted: the quotient is 0, the
    /// remainder `a`.
    fn take_off(&mut self, quotient: bool, a: Val, b: Val) -> Val {
        let ty = a.ty;
        let float = ty.float(32);
        let divisor = self.rough(b);
        let inverse = self.value(Intrinsic::Inverse, float, &[divisor]);
        let margin = self.float(float, 1.0 - 2f64.powi(-18));
        let inverse = self.op(Op::FMul, float, &[inverse, margin]);
        // For a divisor of 0 this is the largest number, and no number is larger.
        let one = self.constant(ty, 1);
        let least = self.op(Op::ISub, ty, &[b, one]);

        let left = self.variable(ty);
        self.effect(Op::Store, vec![Operand::Id(left), Operand::Id(a.id)]);
        let total = quotient.then(|| self.variable(ty));
        if let Some(total) = total {
            let none = self.constant(ty, 0);
            self.effect(Op::Store, vec![Operand::Id(total), Operand::Id(none.id)]);
        }
        let (head, inside, end) = (self.fresh(), self.fresh(), self.fresh());
        self.end_block(Op::Branch, &[head]);
        self.begin_block(head);
        let rest = self.op_with(Op::Load, ty, vec![Operand::Id(left)]);
        let more = self.op(Op::UGreaterThan, ty.bool(), &[rest, least]);
        let any = self.reduce(more, false, true);
        self.end_block(Op::BranchConditional, &[any.id, inside, end]);

        self.begin_block(inside);
        let times = self.rough(rest);
        let times = self.op(Op::FMul, float, &[times, inverse]);
        let (nothing, once) = (self.float(float, 0.0), self.float(float, 1.0));
        let below = self.op(Op::FOrdLessThan, float.bool(), &[times, once]);
        // Subtract at least one divisor in each iteration; otherwise the loop would not end.
        let times = self.op(Op::Select, float, &[below, once, times]);
        let times = self.op(Op::Select, float, &[more, times, nothing]);
        let times = self.cut_in_halves(times);
        let product = self.op(Op::IMul, ty, &[times, b]);
        let rest = self.op(Op::ISub, ty, &[rest, product]);
        self.effect(Op::Store, vec![Operand::Id(left), Operand::Id(rest.id)]);
        if let Some(total) = total {
            let sum = self.op_with(Op::Load, ty, vec![Operand::Id(total)]);
            let sum = self.op(Op::IAdd, ty, &[sum, times]);
            self.effect(Op::Store, vec![Operand::Id(total), Operand::Id(sum.id)]);
        }
        self.end_block(Op::Branch, &[head]);
        self.begin_block(end);
        self.op_with(Op::Load, ty, vec![Operand::Id(total.unwrap_or(left))])
    }

    /// An unsigned number as `f32`, off by three roundings.
    fn rough(&mut self, x: Val) -> Val {
        let float = x.ty.float(32);
        let (low, high) = self.halves(x);
        let (low, high) = (self.op(Op::ConvertUToF, float, &[low]), self.op(Op::ConvertUToF, float, &[high]));
        let scale = self.float(float, 2f64.powi(32));
        let high = self.op(Op::FMul, float, &[high, scale]);
        self.op(Op::FAdd, float, &[high, low])
    }

    /// Truncates an `f32` from 0 to below 2^64 to an integer. The differences of its parts are exact.
    fn cut_in_halves(&mut self, x: Val) -> Val {
        let ty = x.ty.int(32);
        let (down, up) = (self.float(x.ty, 2f64.powi(-32)), self.float(x.ty, 2f64.powi(32)));
        let high = self.op(Op::FMul, x.ty, &[x, down]);
        let high = self.value(Intrinsic::FloatToUnsigned, ty, &[high]);
        let above = self.op(Op::ConvertUToF, x.ty, &[high]);
        let above = self.op(Op::FMul, x.ty, &[above, up]);
        let low = self.op(Op::FSub, x.ty, &[x, above]);
        let low = self.value(Intrinsic::FloatToUnsigned, ty, &[low]);
        self.joined(low, high)
    }

    /// `a / 2^power`, rounded towards zero.
    fn shifted_down(&mut self, signed: bool, a: Val, power: u32) -> Val {
        if power == 0 {
            return a;
        }
        let count = self.constant(a.ty, u64::from(power));
        if !signed {
            return self.op(Op::ShiftRightLogical, a.ty, &[a, count]);
        }
        let excess = self.excess(a, power);
        let sum = self.op(Op::IAdd, a.ty, &[a, excess]);
        self.op(Op::ShiftRightArithmetic, a.ty, &[sum, count])
    }

    /// `a % 2^power`, with the sign of `a`.
    fn low_bits(&mut self, signed: bool, a: Val, power: u32) -> Val {
        let low = self.constant(a.ty, (1 << power) - 1);
        if !signed {
            return self.op(Op::BitwiseAnd, a.ty, &[a, low]);
        }
        let excess = self.excess(a, power);
        let sum = self.op(Op::IAdd, a.ty, &[a, excess]);
        let bits = self.op(Op::BitwiseAnd, a.ty, &[sum, low]);
        self.op(Op::ISub, a.ty, &[bits, excess])
    }

    /// The bias that makes a shift of negative numbers round towards zero.
    fn excess(&mut self, a: Val, power: u32) -> Val {
        let sign = self.sign(a);
        let low = self.constant(a.ty, (1 << power) - 1);
        self.op(Op::BitwiseAnd, a.ty, &[sign, low])
    }

    /// -1 for negative numbers, else 0.
    fn sign(&mut self, x: Val) -> Val {
        let last = self.constant(x.ty, 63);
        self.op(Op::ShiftRightArithmetic, x.ty, &[x, last])
    }

    /// `-x` where the sign is -1.
    fn negated_where(&mut self, sign: Val, x: Val) -> Val {
        let flipped = self.op(Op::BitwiseXor, x.ty, &[x, sign]);
        self.op(Op::ISub, x.ty, &[flipped, sign])
    }

    /// All bits set where the divisor is 0.
    fn ones_where_zero(&mut self, divisor: Val, quotient: Val) -> Val {
        let (zero, ones) = (self.constant(divisor.ty, 0), self.constant(divisor.ty, u64::MAX));
        let by_zero = self.op(Op::IEqual, divisor.ty.bool(), &[divisor, zero]);
        self.op(Op::Select, divisor.ty, &[by_zero, ones, quotient])
    }
}
