//! `bf16` and `tf32`, an `f32` without its lowest bits: element types of registers and memory. The language has no
//! operators for them: kernels convert them.

use half::bf16;
use typenum::{U2, U4};

use super::element::{Convert, Elem};
use super::sealed::Sealed;
use super::tensor::{shortened, tf32};
use cm_compiler::elem::ElemType;

/// Calls a macro with the element types for storage. The list is here and in `#[kernel]`.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_storage {
    ($callback:ident) => {
        $callback! { bf16 tf32 }
    };
}

/// Whether the elements are for storage only: floats that are recorded as their bits.
pub(crate) const fn is_storage<T: Elem>() -> bool {
    T::CUT != 0
}

macro_rules! storage {
    ($($t:ident: $variant:ident, $unsigned:ident, $size:ty, $cut:expr, |$x:ident| $rounded:expr;)*) => {$(
        impl Sealed for $t {}

        impl Elem for $t {
            const TYPE: ElemType = ElemType::$variant;
            const NAME: &'static str = stringify!($t);
            const CUT: u32 = $cut;
            type Size = $size;
            type Widened = $t;
            type Unsigned = $unsigned;
        }

        impl Convert for $t {
            const RANGE: (i128, i128) = (0, 1);

            /// The nearest `f32` first: from `i32`, `u32`, 64-bit integers and `f64` it rounds twice.
            #[inline(always)]
            fn cast_from<T: Elem>(x: T) -> Self {
                if T::CUT == Self::CUT {
                    // Also the bits of NaN.
                    return bytemuck::cast(x);
                }
                let $x = f32::cast_from(x);
                $rounded
            }

            #[inline(always)]
            fn saturate_from<T: Elem>(x: T) -> Self {
                Self::cast_from(f32::saturate_from(x))
            }

            #[inline(always)]
            fn from_i128(x: i128) -> Self {
                Self::cast_from(f32::from_i128(x))
            }
        }
    )*};
}

storage! {
    bf16: U16, u16, U2, 16, |x| Self::from_bits((shortened(x, Self::CUT) >> Self::CUT) as u16);
    tf32: U32, u32, U4, Self::CUT, |x| Self::from_f32(x);
}
