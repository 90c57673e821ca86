//! Element types: the sealed list, what each of them is, and how CM promotes them.

mod arith;
mod convert;
mod promote;

use std::fmt::{Debug, Display};

use bytemuck::Pod;
pub use cm_compiler::elem::ElemType;
pub use half::f16;
pub use promote::{Promote, Promoted, ShiftBy};
use typenum::{U1, U2, U4, U8, Unsigned};

pub use arith::{Arith, Bits};
pub use convert::Convert;
pub(crate) use convert::f16_from_f64;

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
    /// Bytes of one element, as a typenum number.
    type Size: Unsigned;
    /// What CM's integer promotion makes of it: `i32` for bytes and words, itself otherwise.
    type Widened: Elem;
}

/// Code without bounds checks relies on what elements do.
mod sealed {
    pub trait Sealed {}
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
        impl sealed::Sealed for $t {}

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
