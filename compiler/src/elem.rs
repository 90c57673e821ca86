//! Element types as values: the closed list that everything else is written in terms of.

use std::fmt::{self, Display};

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

    /// The smallest and the largest value of an integer type; `None` for floats.
    #[must_use]
    pub const fn range(self) -> Option<(i128, i128)> {
        let bits = self.bytes() * 8;
        if self.is_float() {
            None
        } else if self.is_signed() {
            Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
        } else {
            Some((0, (1 << bits) - 1))
        }
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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Calls a macro with the element types behind its first arguments: `for_each_element!(numbers of)` is
/// `numbers! { of u8 i8 .. f64 }`.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_element {
    ($callback:ident $($first:tt)*) => {
        $callback! { $($first)* u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64 }
    };
}

/// The same with the integers among them.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_integer {
    ($callback:ident $($first:tt)*) => {
        $callback! { $($first)* u8 i8 u16 i16 u32 i32 u64 i64 }
    };
}
