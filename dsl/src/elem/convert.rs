//! Conversion of one element: CM's assignment conversion and its `SAT` form.

use cm_compiler::elem::ElemType;
use half::f16;
use num_traits::AsPrimitive;

use super::element::{Convert, Elem};
use super::short;

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Convert for $t {
            const RANGE: (i128, i128) = ($t::MIN as i128, $t::MAX as i128);

            #[inline(always)]
            fn cast_from<T: Elem>(x: T) -> Self {
                as_(x)
            }

            #[inline(always)]
            fn saturate_from<T: Elem>(x: T) -> Self {
                if const { T::FLOAT } {
                    return as_(x);
                }
                // The bounds lie in both types, so the comparison can be made in the source type.
                let low = T::from_i128(Self::RANGE.0.max(T::RANGE.0));
                let high = T::from_i128(Self::RANGE.1.min(T::RANGE.1));
                let x = if x < low { low } else { x };
                let x = if x > high { high } else { x };
                x.as_()
            }

            #[inline(always)]
            fn from_i128(x: i128) -> Self {
                x as $t
            }
        }
    )*};
}

cm_compiler::for_each_integer!(integers);

macro_rules! floats {
    ($($t:ident, $zero:expr, $one:expr, $cast:expr;)*) => {$(
        impl Convert for $t {
            const RANGE: (i128, i128) = (0, 1);

            #[inline(always)]
            fn cast_from<T: Elem>(x: T) -> Self {
                $cast(x)
            }

            #[inline(always)]
            fn saturate_from<T: Elem>(x: T) -> Self {
                let x = Self::cast_from(x);
                // Written so that NaN and -0.0 give 0.
                if x > $zero { if x < $one { x } else { $one } } else { $zero }
            }

            #[inline(always)]
            fn from_i128(x: i128) -> Self {
                (x as i32).as_()
            }
        }
    )*};
}

floats! {
    f16, f16::ZERO, f16::ONE, f16_from;
    f32, 0.0, 1.0, as_;
    f64, 0.0, 1.0, as_;
}

#[inline(always)]
fn f16_from<T: Elem>(x: T) -> f16 {
    if const { matches!(T::TYPE, ElemType::F64) } {
        f16_from_f64(x.as_())
    } else if const { matches!(T::TYPE, ElemType::F16) } {
        // The bits of a NaN too.
        x.as_()
    } else {
        short::rounded(x.as_())
    }
}

/// Rust's `as`.
#[inline(always)]
fn as_<T: Elem + AsPrimitive<U>, U: Copy + 'static>(x: T) -> U
where
    f32: AsPrimitive<U>,
{
    if const { matches!(T::TYPE, ElemType::F16) } { short::widened(x.as_()).as_() } else { x.as_() }
}

/// Rounds once. `f16::from_f64` goes by way of the nearest `f32` or drops the low half of the fraction, which
/// depends on the CPU.
#[inline(always)]
pub(crate) fn f16_from_f64(x: f64) -> f16 {
    let near = x as f32;
    let (bits, exact) = (near.to_bits(), f64::from(near));
    // Rounding to odd keeps what the second rounding needs to know: whether anything was cut off.
    let odd = if exact == x || !near.is_finite() || bits % 2 == 1 {
        near
    } else if exact.abs() < x.abs() {
        f32::from_bits(bits + 1)
    } else {
        f32::from_bits(bits - 1)
    };
    short::rounded(odd)
}
