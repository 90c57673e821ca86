//! Correctly rounded division of floats.
//!
//! For `f32`, the hardware has only approximations, which differ between generations. This code uses one of
//! them to get a quotient of integers that is off by a few units; the remainder, which is exact, says by how
//! much. So the result does not depend on the approximation, if that is accurate to 20 bits; every generation
//! gives 22. A division takes about 90 instructions; a division by a power of two is a multiplication.

use super::recipe::MapOperands;
use crate::spirv::binary::Op;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::{Builder, Val};
use crate::spirv::types::Ty;

/// The bits of infinity.
const INFINITE: u64 = 0x7f80_0000;
/// The hidden bit, which is above the stored fraction; also the smallest normal number.
const HIDDEN: u64 = 0x0080_0000;

/// A number as `mantissa * 2^(exponent - 127 - 23)`, with a normalised mantissa.
pub(crate) struct Parts {
    /// The bits without sign.
    pub(crate) bits: Val,
    pub(crate) mantissa: Val,
    pub(crate) exponent: Val,
}

impl Builder {
    /// `a / b`.
    pub(crate) fn float_divide(&mut self, x: MapOperands) -> Val {
        let [a, b, _] = x.vals;
        match a.ty.bits() {
            16 => {
                // Rounding the quotient of 24 bits to 11 bits gives the same as rounding the exact quotient.
                let ty = a.ty.float(32);
                let (a, b) = (self.op(Op::FConvert, ty, &[a]), self.op(Op::FConvert, ty, &[b]));
                let quotient = self.divide_singles(a, b);
                self.op(Op::FConvert, a.ty.float(16), &[quotient])
            }
            32 => match x.known[1].and_then(reciprocal) {
                Some(bits) => {
                    let factor = self.constant(a.ty, bits);
                    self.op(Op::FMul, a.ty, &[a, factor])
                }
                None => self.divide_singles(a, b),
            },
            // If the target has f64, the compiler has an exact sequence for it. In that sequence it misplaces
            // operands that are rows of an odd number of elements.
            _ => {
                let [a, b] = [a, b].map(|x| if x.ty.count > 1 { self.apart(x) } else { x });
                self.op(Op::FDiv, a.ty, &[a, b])
            }
        }
    }

    pub(crate) fn int(&mut self, op: Op, a: Val, b: Val) -> Val {
        self.op(op, a.ty, &[a, b])
    }

    pub(crate) fn with(&mut self, op: Op, a: Val, bits: u64) -> Val {
        let b = self.constant(a.ty, bits);
        self.op(op, a.ty, &[a, b])
    }

    pub(crate) fn is(&mut self, op: Op, a: Val, bits: u64) -> Val {
        let b = self.constant(a.ty, bits);
        self.op(op, a.ty.bool(), &[a, b])
    }

    pub(crate) fn choose(&mut self, condition: Val, a: Val, b: Val) -> Val {
        self.op(Op::Select, a.ty, &[condition, a, b])
    }

    pub(crate) fn parts(&mut self, x: Val, ty: Ty) -> Parts {
        let bits = self.with(Op::BitwiseAnd, x, 0x7fff_ffff);
        // A denormal number read as an integer converts to a normal float, 2^149 times as large.
        let denormal = self.is(Op::ULessThan, bits, HIDDEN);
        let scaled = self.op(Op::ConvertSToF, ty.float(32), &[bits]);
        let scaled = self.format(scaled, ty);
        let normal = self.choose(denormal, scaled, bits);
        let (shift, none) = (self.constant(ty, 149), self.constant(ty, 0));
        let shift = self.choose(denormal, shift, none);
        let exponent = self.with(Op::ShiftRightLogical, normal, 23);
        let exponent = self.int(Op::ISub, exponent, shift);
        let mantissa = self.with(Op::BitwiseAnd, normal, HIDDEN - 1);
        let mantissa = self.with(Op::BitwiseOr, mantissa, HIDDEN);
        Parts { bits, mantissa, exponent }
    }

    fn divide_singles(&mut self, a: Val, b: Val) -> Val {
        let (float, ty) = (a.ty, a.ty.int(32));
        let (a, b) = (self.format(a, ty), self.format(b, ty));
        let sign = self.int(Op::BitwiseXor, a, b);
        let sign = self.with(Op::BitwiseAnd, sign, 0x8000_0000);
        let (a, b) = (self.parts(a, ty), self.parts(b, ty));

        // The quotient of the mantissas must lie in 1..2.
        let smaller = self.op(Op::ULessThan, ty.bool(), &[a.mantissa, b.mantissa]);
        let (one, none) = (self.constant(ty, 1), self.constant(ty, 0));
        let doubled = self.choose(smaller, one, none);
        let dividend = self.int(Op::ShiftLeftLogical, a.mantissa, doubled);
        let exponent = self.int(Op::ISub, a.exponent, b.exponent);
        let exponent = self.int(Op::ISub, exponent, doubled);
        let exponent = self.with(Op::IAdd, exponent, 127);

        // A guess of 26 bits that is off by a few units: 2^-20 of 2^26 is 64.
        let divisor = self.op(Op::ConvertSToF, float, &[b.mantissa]);
        let inverse = self.value(Intrinsic::Inverse, float, &[divisor]);
        let guess = self.op(Op::ConvertSToF, float, &[dividend]);
        let guess = self.int(Op::FMul, guess, inverse);
        let scale = self.float(float, 2f64.powi(25));
        let guess = self.int(Op::FMul, guess, scale);
        let guess = self.op(Op::ConvertFToS, ty, &[guess]);

        // The remainder is less than 64 divisors of 24 bits, so 32 bits of it are enough.
        let all = self.with(Op::ShiftLeftLogical, dividend, 25);
        let product = self.int(Op::IMul, guess, b.mantissa);
        let left = self.int(Op::ISub, all, product);
        let off = self.op(Op::ConvertSToF, float, &[left]);
        let off = self.int(Op::FMul, off, inverse);
        let off = self.value(Intrinsic::RoundEven, float, &[off]);
        let off = self.op(Op::ConvertFToS, ty, &[off]);
        let quotient = self.int(Op::IAdd, guess, off);
        let product = self.int(Op::IMul, off, b.mantissa);
        let left = self.int(Op::ISub, left, product);
        // The guess was rounded to nearest, so the remainder may be negative; then the remainder is too small
        // by one divisor.
        let negative = self.is(Op::SLessThan, left, 0);
        let borrowed = self.choose(negative, one, none);
        let quotient = self.int(Op::ISub, quotient, borrowed);
        let back = self.choose(negative, b.mantissa, none);
        let left = self.int(Op::IAdd, left, back);
        let inexact = self.is(Op::INotEqual, left, 0);
        let sticky = self.choose(inexact, one, none);
        let quotient = self.int(Op::BitwiseOr, quotient, sticky);

        // Round to even at 24 bits, or at fewer if the result is denormal. A shift by 27 leaves 0.
        let least = self.constant(ty, 1);
        let low = self.is(Op::SLessThan, exponent, 1);
        let stored = self.choose(low, least, exponent);
        let shift = self.int(Op::ISub, stored, exponent);
        let shift = self.with(Op::IAdd, shift, 2);
        let far = self.is(Op::SGreaterThan, shift, 27);
        let farthest = self.constant(ty, 27);
        let shift = self.choose(far, farthest, shift);
        let below = self.with(Op::ISub, shift, 1);
        let half = self.int(Op::ShiftLeftLogical, one, below);
        let half = self.with(Op::ISub, half, 1);
        let odd = self.int(Op::ShiftRightLogical, quotient, shift);
        let odd = self.with(Op::BitwiseAnd, odd, 1);
        let rounded = self.int(Op::IAdd, quotient, half);
        let rounded = self.int(Op::IAdd, rounded, odd);
        let rounded = self.int(Op::ShiftRightLogical, rounded, shift);
        // The hidden bit increments the exponent, and so does a carry out of the fraction.
        let stored = self.with(Op::ISub, stored, 1);
        let stored = self.with(Op::ShiftLeftLogical, stored, 23);
        let result = self.int(Op::IAdd, stored, rounded);

        let (zero, infinite) = (self.constant(ty, 0), self.constant(ty, INFINITE));
        let overflow = self.is(Op::SGreaterThan, exponent, 254);
        let result = self.choose(overflow, infinite, result);
        let (to_zero, by_zero) = (self.is(Op::IEqual, a.bits, 0), self.is(Op::IEqual, b.bits, 0));
        let (of_inf, by_inf) = (self.is(Op::IEqual, a.bits, INFINITE), self.is(Op::IEqual, b.bits, INFINITE));
        let gives_zero = self.op(Op::LogicalOr, ty.bool(), &[to_zero, by_inf]);
        let gives_inf = self.op(Op::LogicalOr, ty.bool(), &[of_inf, by_zero]);
        let result = self.choose(gives_zero, zero, result);
        let result = self.choose(gives_inf, infinite, result);
        let result = self.int(Op::BitwiseOr, result, sign);
        // 0 / 0 and infinity / infinity satisfy both.
        let neither = self.op(Op::LogicalAnd, ty.bool(), &[gives_zero, gives_inf]);
        let (a_nan, b_nan) =
            (self.is(Op::UGreaterThan, a.bits, INFINITE), self.is(Op::UGreaterThan, b.bits, INFINITE));
        let nan = self.op(Op::LogicalOr, ty.bool(), &[a_nan, b_nan]);
        let nan = self.op(Op::LogicalOr, ty.bool(), &[nan, neither]);
        let quiet = self.constant(ty, 0x7fc0_0000);
        let result = self.choose(nan, quiet, result);
        self.format(result, float)
    }
}

/// The reciprocal of a power of two, if it is a normal number: then the division is a multiplication by it.
fn reciprocal(bits: u64) -> Option<u64> {
    let x = f32::from_bits(bits as u32);
    let inverse = x.recip();
    let exact = bits & (HIDDEN - 1) == 0 && x.is_normal() && inverse.is_normal();
    exact.then(|| u64::from(inverse.to_bits()))
}
