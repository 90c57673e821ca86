//! The element types.

use std::fmt::{Debug, Display};

use bytemuck::Pod;
use cm_compiler::elem::ElemType;
use half::f16;
use typenum::{U1, U2, U4, U8, Unsigned};

use super::arith::{Arith, Bits};
use super::sealed::Sealed;

/// An element type of a register: `u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64`.
///
/// The list is closed; it is CM's (`uchar char ushort short uint int`, `unsigned long long`,
/// `long long`, `half`, `float`, `double`). `bool` is not an element: comparisons give `u16` masks.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(<i16 as Elem>::TYPE.bytes(), 2);
/// assert_eq!(<f16 as Elem>::TYPE.to_string(), "f16");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element type of a register",
    label = "not an element type",
    note = "elements are u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64; a mask is a `u16` register"
)]
pub trait Elem:
    Pod + PartialEq + PartialOrd + Debug + Display + Default + Arith + Convert + Send + Sync
{
    /// Which element type this is, as a value.
    const TYPE: ElemType;
    /// Bytes of one element as a number of typenum's, for the bounds of limits. No promise to users.
    #[doc(hidden)]
    type Size: Unsigned;
    /// What CM's integer promotion makes of it: `i32` for bytes and words, itself otherwise.
    type Widened: Elem;
}

/// Conversions into an element type.
pub trait Convert: Sealed {
    /// Rust's `as`: integers wrap, floats truncate and saturate, NaN becomes 0, rounding is to even.
    fn cast_from<T: Elem>(x: T) -> Self;

    /// CM's `SAT`: integers are limited to the range of the type, floats to 0..=1; NaN becomes 0.
    fn saturate_from<T: Elem>(x: T) -> Self;

    /// The smallest and the largest value of an integer type; of a float type, of what converts exactly.
    const RANGE: (i128, i128);

    /// An integer known to be in range.
    fn from_i128(x: i128) -> Self;
}

/// An integer element type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer element type",
    label = "needs integer elements",
    note = "`& | ^ << >> %`, masks and index vectors take integers; `.convert::<i32>()` makes some"
)]
pub trait Int: Elem + Bits {}

macro_rules! elements {
    ($($t:ty, $variant:ident, $size:ty, $widened:ty, $($int:ident)?;)*) => {$(
        impl Sealed for $t {}

        impl Elem for $t {
            const TYPE: ElemType = ElemType::$variant;
            type Size = $size;
            type Widened = $widened;
        }
        $(impl $int for $t {})?
    )*};
}

elements! {
    u8,  U8,  U1, i32, Int;
    i8,  I8,  U1, i32, Int;
    u16, U16, U2, i32, Int;
    i16, I16, U2, i32, Int;
    u32, U32, U4, u32, Int;
    i32, I32, U4, i32, Int;
    u64, U64, U8, u64, Int;
    i64, I64, U8, i64, Int;
    f16, F16, U2, f16, ;
    f32, F32, U4, f32, ;
    f64, F64, U8, f64, ;
}
