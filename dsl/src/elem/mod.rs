//! Element types: the sealed list, what each of them is, and how CM promotes them.

mod arith;
mod convert;
mod promote;

use std::fmt::{Debug, Display};

use bytemuck::Pod;
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

/// An element type as a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the variants are the element types themselves")]
pub enum ElemType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
}

impl ElemType {
    /// All of them: the integers, then the floats.
    pub const ALL: [Self; 11] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::U64,
        Self::I64,
        Self::F16,
        Self::F32,
        Self::F64,
    ];

    /// Size of one element in bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Whether it is `f16`, `f32` or `f64`.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    /// Whether it is a signed integer.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// The integer that an element of these bits is; bits above the element do not count. `None` for floats.
    #[must_use]
    pub const fn integer(self, bits: u64) -> Option<i128> {
        Some(match self {
            Self::U8 => bits as u8 as i128,
            Self::I8 => bits as i8 as i128,
            Self::U16 => bits as u16 as i128,
            Self::I16 => bits as i16 as i128,
            Self::U32 => bits as u32 as i128,
            Self::I32 => bits as i32 as i128,
            Self::U64 => bits as i128,
            Self::I64 => bits as i64 as i128,
            Self::F16 | Self::F32 | Self::F64 => return None,
        })
    }

    /// The name it has in Rust.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

impl Display for ElemType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

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
