//! Correctly rounded division of floats.
//!
//! For `f32`, the hardware has only approximations, which differ between generations. This code uses one of
//! them to get a quotient that is off by little more than half a unit of its last place; the remainder, which is exact, says
//! whether the next number is nearer. So the result does not depend on the approximation, if that is accurate to 20 bits;
//! every generation gives 22. A division takes about 45 instructions, one of halves 10; a division by a power of two is a
//! multiplication.

use super::recipe::MapOperands;
use crate::spirv::binary::Op;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::{Builder, Val};
use crate::spirv::types::Ty;

/// The bits of infinity.
const INFINITE: u64 = 0x7f80_0000;
/// The hidden bit, which is above the stored fraction; also the smallest normal number.
const HIDDEN: u64 = 0x0080_0000;

/// The bits of a fraction, above which the exponent is.
const FRACTION: u64 = 23;
/// The bit of the sign.
const SIGN: u64 = 0x8000_0000;

/// A number times a power of two, and the bits of that power as a float.
struct Scaled {
    number: Val,
    factor: Val,
}

/// A quotient, and the approximation of the reciprocal of the divisor that it was made of.
struct Guess {
    inverse: Val,
    quotient: Val,
}

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
                let quotient = self.divide_halves(a, b);
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

    /// Halves as `f32`, which no step of the division leaves the range of.
    fn divide_halves(&mut self, a: Val, b: Val) -> Val {
        let guess = self.guess(a, b);
        let special = self.int(Op::FMul, a, guess.inverse);
        let size = self.without_sign(guess.quotient);
        self.unless_special(size, guess.quotient, special)
    }

    fn divide_singles(&mut self, a: Val, b: Val) -> Val {
        let (float, ty) = (a.ty, a.ty.int(32));
        let [a, b] = [a, b].map(|x| self.format(x, ty));
        let sign = self.int(Op::BitwiseXor, a, b);
        let sign = self.with(Op::BitwiseAnd, sign, SIGN);
        let [a, b] = [a, b].map(|x| self.near_one(x, float));
        let guess = self.guess(a.number, b.number);
        let special = self.int(Op::FMul, a.number, guess.inverse);

        // The exponent field of the product of the two factors that undo the scaling. One factor might be no float.
        let field = self.int(Op::ISub, b.factor, a.factor);
        let field = self.with(Op::IAdd, field, 254 << FRACTION);
        let first = self.with(Op::ShiftRightLogical, field, 1);
        let first = self.with(Op::BitwiseAnd, first, INFINITE);
        let second = self.int(Op::ISub, field, first);

        // The unit of the last place: that of 24 bits, or that of denormal numbers, in which the quotient has fewer bits.
        let bits = self.format(guess.quotient, ty);
        let exponent = self.with(Op::BitwiseAnd, bits, INFINITE);
        let normal = self.with(Op::ISub, exponent, FRACTION << FRACTION);
        let least = self.constant(ty, (127 + 254 - 149) << FRACTION);
        let least = self.int(Op::ISub, least, field);
        let denormal = self.op(Op::SGreaterThan, ty.bool(), &[least, normal]);
        let unit = self.choose(denormal, least, normal);

        // Adding a number whose last place is that unit rounds to it.
        let large = self.with(Op::IAdd, least, FRACTION << FRACTION | HIDDEN >> 1);
        let none = self.constant(ty, 0);
        let large = self.choose(denormal, large, none);
        let large = self.format(large, float);
        let rounded = self.int(Op::FAdd, guess.quotient, large);
        let rounded = self.int(Op::FSub, rounded, large);

        // The remainder is exact. If it is more than half a unit times the divisor, the next quotient is nearer. At exactly
        // half, the guess was exact, and so it was rounded to even.
        let left = self.remainder(a.number, b.number, rounded);
        let half = self.with(Op::ISub, unit, HIDDEN);
        let half = self.format(half, float);
        let half = self.int(Op::FMul, b.number, half);
        let size = self.without_sign(left);
        let left = self.format(left, ty);
        let beyond = self.op(Op::FOrdGreaterThan, ty.bool(), &[size, half]);
        let step = self.with(Op::BitwiseAnd, left, SIGN);
        let step = self.int(Op::BitwiseOr, step, unit);
        let step = self.format(step, float);
        let next = self.int(Op::FAdd, rounded, step);
        let nearest = self.choose(beyond, next, rounded);

        let [first, second] = [first, second].map(|factor| self.format(factor, float));
        let result = self.int(Op::FMul, nearest, first);
        let result = self.int(Op::FMul, result, second);
        let result = self.unless_special(guess.quotient, result, special);
        let result = self.format(result, ty);
        let result = self.int(Op::BitwiseOr, result, sign);
        self.format(result, float)
    }

    /// The size of a number times a power of two: from 2^-22 to 4, unless it is 0, infinity or NaN.
    fn near_one(&mut self, bits: Val, float: Ty) -> Scaled {
        let exponent = self.with(Op::BitwiseAnd, bits, INFINITE);
        let most = self.constant(bits.ty, 254 << FRACTION);
        let factor = self.int(Op::ISub, most, exponent);
        let smallest = self.constant(bits.ty, HIDDEN);
        let is_less = self.op(Op::SLessThan, bits.ty.bool(), &[factor, smallest]);
        let factor = self.choose(is_less, smallest, factor);
        let (number, scale) = (self.format(bits, float), self.format(factor, float));
        let size = self.without_sign(number);
        Scaled { number: self.int(Op::FMul, size, scale), factor }
    }

    /// A quotient that is off by little more than half a unit of its last place; exactly that if it has at most 24 bits.
    fn guess(&mut self, a: Val, b: Val) -> Guess {
        let inverse = self.value(Intrinsic::Inverse, b.ty, &[b]);
        let one = self.float(b.ty, 1.0);
        let off = self.remainder(one, b, inverse);
        let better = self.product_and_sum([inverse, off, inverse]);
        let quotient = self.int(Op::FMul, a, better);
        let left = self.remainder(a, b, quotient);
        Guess { inverse, quotient: self.product_and_sum([left, better, quotient]) }
    }

    /// `a - b * quotient`, rounded once.
    fn remainder(&mut self, a: Val, b: Val, quotient: Val) -> Val {
        let negative = self.op(Op::FNegate, b.ty, &[b]);
        self.product_and_sum([negative, quotient, a])
    }

    /// The number without its sign.
    fn without_sign(&mut self, x: Val) -> Val {
        let bits = self.format(x, x.ty.int(32));
        let size = self.with(Op::BitwiseAnd, bits, SIGN - 1);
        self.format(size, x.ty)
    }

    /// `special` where the size of the guess is 0 or NaN: there, an operand is 0, infinity or NaN.
    fn unless_special(&mut self, size: Val, result: Val, special: Val) -> Val {
        let zero = self.float(size.ty, 0.0);
        let is_number = self.op(Op::FOrdGreaterThan, size.ty.bool(), &[size, zero]);
        self.choose(is_number, result, special)
    }
}

/// The reciprocal of a power of two, if it is a normal number: then the division is a multiplication by it.
fn reciprocal(bits: u64) -> Option<u64> {
    let x = f32::from_bits(bits as u32);
    let inverse = x.recip();
    let exact = bits & (HIDDEN - 1) == 0 && x.is_normal() && inverse.is_normal();
    exact.then(|| u64::from(inverse.to_bits()))
}
