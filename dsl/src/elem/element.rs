//! The element types.

use std::fmt::{Debug, Display};

use bytemuck::Pod;
use cm_compiler::elem::ElemType;
use half::f16;
use typenum::{U1, U2, U4, U8, Unsigned};

use super::arith::{Arith, Bits};
use super::sealed::Sealed;

/// An element type of a register: `u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64`, and `bf16` and `tf32`, which have no
/// arithmetic.
///
/// In CM: `uchar char ushort short uint int`, `unsigned long long`, `long long`, `half`, `float`, `double`.
/// You cannot add types. `bool` is not an element type: comparisons return `u16` masks.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(<i16 as Elem>::TYPE.bytes(), 2);
/// assert_eq!(<f16 as Elem>::TYPE.to_string(), "f16");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element type of a register",
    label = "not an element type",
    note = "elements are u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64 bf16 tf32; a mask is a `u16` register"
)]
pub trait Elem: Pod + PartialEq + PartialOrd + Debug + Display + Default + Convert + Send + Sync {
    /// This element type as a value. For `bf16` and `tf32` it is the type of the bits in recordings, `u16` and
    /// `u32`.
    const TYPE: ElemType;
    /// The name of the type.
    const NAME: &'static str = Self::TYPE.name();
    /// Whether the elements are floats, including `bf16` and `tf32`.
    const FLOAT: bool = Self::TYPE.is_float() || Self::CUT != 0;
    /// For an element type for storage, the number of the lowest bits of an `f32` that it lacks; 0 for other types. Not
    /// part of the public interface.
    #[doc(hidden)]
    const CUT: u32 = 0;
    /// Bytes of one element as a typenum number, for the bounds of limits. Not part of the public interface.
    #[doc(hidden)]
    type Size: Unsigned;
    /// The type after CM's integer promotion: `i32` for bytes and words, the type itself otherwise.
    type Widened: Elem;
    /// The unsigned integer of the same size; for a float, the type itself.
    type Unsigned: Elem;
}

/// Whether these are integers of 32 bits.
pub(crate) const fn is_long<T: Elem>() -> bool {
    !T::FLOAT && T::TYPE.bytes() == 4
}

/// Whether these are integers of 8 bits.
pub(crate) const fn is_byte<T: Elem>() -> bool {
    !T::FLOAT && T::TYPE.bytes() == 1
}

/// The bits of an element in the form of the IR: the lowest byte first.
pub(crate) fn bits_of<T: Elem>(x: &T) -> u64 {
    let mut bytes = [0; 8];
    bytes[..T::TYPE.bytes()].copy_from_slice(bytemuck::bytes_of(x));
    u64::from_le_bytes(bytes)
}

/// Conversions into an element type.
pub trait Convert: Sealed {
    /// Converts as Rust's `as` does: integers wrap; floats are truncated and clamped to the range of
    /// integers; NaN becomes 0; ties round to even.
    fn cast_from<T: Elem>(x: T) -> Self;

    /// Converts and clamps: integers to the range of the type, floats to 0..=1; NaN becomes 0. CM: `SAT`.
    fn saturate_from<T: Elem>(x: T) -> Self;

    /// The smallest and the largest value of an integer type; 0 and 1 of a float type.
    const RANGE: (i128, i128);

    /// Converts an integer that is known to be in range.
    fn from_i128(x: i128) -> Self;
}

/// An element type for operators and functions: all except `bf16` and `tf32`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` elements have no arithmetic: write `.convert::<f32>()`",
    label = "convert to `f32`, compute, and convert back",
    note = "`bf16` and `tf32` registers are read, written, selected, formatted, merged and converted"
)]
pub trait Numeric: Elem<Widened = Self::Common> + Arith {
    /// [`Elem::Widened`], in which sums and products of all elements of a register are computed.
    type Common: Numeric;
    /// This type. If it is not numeric, types that are made with this name are unknown, and rustc reports one error.
    #[doc(hidden)]
    type Same: Numeric;
}

/// An integer element type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer element type",
    label = "needs integer elements",
    note = "`& | ^ << >> %`, masks and index vectors take integers; `.convert::<i32>()` makes some"
)]
pub trait Int: Numeric + Bits {
    /// This type, as [`Numeric::Same`].
    #[doc(hidden)]
    type Whole: Int;
}

macro_rules! elements {
    ($($t:ty, $variant:ident, $size:ty, $widened:ty, $unsigned:ty, $($int:ident)?;)*) => {$(
        impl Sealed for $t {}

        impl Elem for $t {
            const TYPE: ElemType = ElemType::$variant;
            type Size = $size;
            type Widened = $widened;
            type Unsigned = $unsigned;
        }
        impl Numeric for $t {
            type Common = $widened;
            type Same = $t;
        }
        $(impl $int for $t {
            type Whole = $t;
        })?
    )*};
}

elements! {
    u8,  U8,  U1, i32, u8, Int;
    i8,  I8,  U1, i32, u8, Int;
    u16, U16, U2, i32, u16, Int;
    i16, I16, U2, i32, u16, Int;
    u32, U32, U4, u32, u32, Int;
    i32, I32, U4, i32, u32, Int;
    u64, U64, U8, u64, u64, Int;
    i64, I64, U8, i64, u64, Int;
    f16, F16, U2, f16, f16, ;
    f32, F32, U4, f32, f32, ;
    f64, F64, U8, f64, f64, ;
}
