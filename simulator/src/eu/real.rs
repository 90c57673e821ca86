//! Float arithmetic in each rounding mode.

use crate::isa::{Rounding, flush, flush_double, fused, narrow, round_f32, round_f64, two_sum};

/// A float that instructions compute with.
pub(crate) trait Real: Copy + Default + PartialOrd {
    const ONE: Self;
    /// Whether it is a double.
    const DOUBLE: bool;
    fn add(self, other: Self, rounding: Rounding) -> Self;
    fn mul(self, other: Self, rounding: Rounding) -> Self;
    fn multiply_add(self, factor: Self, plus: Self, rounding: Rounding) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    /// The nearest integer, ties to even, with the sign of the number.
    fn round_even(self) -> Self;
    fn to_f64(self) -> f64;
    /// Exact, or the value is representable in this type.
    fn of_f64(value: f64) -> Self;
    /// Flushes a denormal to zero.
    fn flushed(self) -> Self;
    fn negated(self) -> Self;
    fn absolute(self) -> Self;
}

impl Real for f32 {
    const ONE: Self = 1.0;
    const DOUBLE: bool = false;

    #[inline(always)]
    fn add(self, other: Self, rounding: Rounding) -> Self {
        if rounding == Rounding::Nearest {
            return self + other;
        }
        let (sum, error) = two_sum(self.into(), other.into());
        if sum == 0.0 && rounding == Rounding::Down && (self.is_sign_negative() || other.is_sign_negative()) {
            return -0.0;
        }
        round_f32(sum, error, rounding)
    }

    #[inline(always)]
    fn mul(self, other: Self, rounding: Rounding) -> Self {
        if rounding == Rounding::Nearest {
            return self * other;
        }
        narrow(f64::from(self) * f64::from(other), rounding)
    }

    #[inline(always)]
    fn multiply_add(self, factor: Self, plus: Self, rounding: Rounding) -> Self {
        if rounding == Rounding::Nearest {
            return fused(self, factor, plus);
        }
        let product = f64::from(self) * f64::from(factor);
        let (sum, error) = two_sum(product, plus.into());
        let signs = product.is_sign_negative() || plus.is_sign_negative();
        if sum == 0.0 && rounding == Rounding::Down && signs {
            return -0.0;
        }
        round_f32(sum, error, rounding)
    }

    fn floor(self) -> Self {
        self.floor()
    }

    fn ceil(self) -> Self {
        self.ceil()
    }

    fn trunc(self) -> Self {
        self.trunc()
    }

    fn round_even(self) -> Self {
        self.round_ties_even().copysign(self)
    }

    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.into()
    }

    #[inline(always)]
    fn of_f64(value: f64) -> Self {
        value as Self
    }

    #[inline(always)]
    fn flushed(self) -> Self {
        flush(self)
    }

    #[inline(always)]
    fn negated(self) -> Self {
        -self
    }

    #[inline(always)]
    fn absolute(self) -> Self {
        self.abs()
    }
}

impl Real for f64 {
    const ONE: Self = 1.0;
    const DOUBLE: bool = true;

    fn add(self, other: Self, rounding: Rounding) -> Self {
        let (sum, error) = two_sum(self, other);
        if sum == 0.0 && rounding == Rounding::Down && (self.is_sign_negative() || other.is_sign_negative()) {
            return -0.0;
        }
        round_f64(sum, error, rounding, self.is_finite() && other.is_finite())
    }

    fn mul(self, other: Self, rounding: Rounding) -> Self {
        let product = self * other;
        if rounding == Rounding::Nearest {
            return product;
        }
        round_f64(product, self.mul_add(other, -product), rounding, self.is_finite() && other.is_finite())
    }

    fn multiply_add(self, factor: Self, plus: Self, rounding: Rounding) -> Self {
        let result = self.mul_add(factor, plus);
        if rounding == Rounding::Nearest {
            return result;
        }
        // The error of the result: both parts of the product plus the third number, minus the result.
        let product = self * factor;
        let low = self.mul_add(factor, -product);
        let (sum, error) = two_sum(product, plus);
        let error = (sum - result) + (error + low);
        let finite = self.is_finite() && factor.is_finite() && plus.is_finite();
        if result == 0.0
            && rounding == Rounding::Down
            && (product.is_sign_negative() || plus.is_sign_negative())
        {
            return -0.0;
        }
        round_f64(result, error, rounding, finite)
    }

    fn floor(self) -> Self {
        self.floor()
    }

    fn ceil(self) -> Self {
        self.ceil()
    }

    fn trunc(self) -> Self {
        self.trunc()
    }

    fn round_even(self) -> Self {
        self.round_ties_even().copysign(self)
    }

    fn to_f64(self) -> f64 {
        self
    }

    fn of_f64(value: f64) -> Self {
        value
    }

    fn flushed(self) -> Self {
        flush_double(self)
    }

    fn negated(self) -> Self {
        -self
    }

    fn absolute(self) -> Self {
        self.abs()
    }
}
