//! Element types as values: the closed list on which everything else is based.

use std::fmt::{self, Display};

use half::f16;

/// Calls a macro with the table of element types, or only with their names, after its first arguments. The list exists
/// only here.
#[doc(hidden)]
#[macro_export]
macro_rules! element_table {
    ($form:ident $callback:ident { $($first:tt)* }) => {
        $crate::element_table! {
            @$form $callback { $($first)* }
            integers { U8 u8 I8 i8 U16 u16 I16 i16 U32 u32 I32 i32 U64 u64 I64 i64 }
            floats { F16 f16 F32 f32 F64 f64 }
        }
    };
    (@table $callback:ident { $($first:tt)* } integers { $($integers:tt)* } floats { $($floats:tt)* }) => {
        $callback! { $($first)* integers { $($integers)* } floats { $($floats)* } }
    };
    (@all $callback:ident { $($first:tt)* }
        integers { $($int_kind:ident $int:ident)* } floats { $($float_kind:ident $float:ident)* }
    ) => {
        $callback! { $($first)* $($int)* $($float)* }
    };
    (@integers $callback:ident { $($first:tt)* }
        integers { $($int_kind:ident $int:ident)* } floats { $($floats:tt)* }
    ) => {
        $callback! { $($first)* $($int)* }
    };
}

/// Calls a macro with the element types after its first arguments: `for_each_element!(numbers of)` is
/// `numbers! { of u8 i8 .. f64 }`.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_element {
    ($callback:ident $($first:tt)*) => { $crate::element_table! { all $callback { $($first)* } } };
}

/// The same with only the integers.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_integer {
    ($callback:ident $($first:tt)*) => { $crate::element_table! { integers $callback { $($first)* } } };
}

macro_rules! elements {
    (integers { $($int_kind:ident $int:ident)* } floats { $($float_kind:ident $float:ident)* }) => {
        /// An element type as a value.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[expect(missing_docs, reason = "the variants are the element types themselves")]
        #[non_exhaustive]
        pub enum ElemType {
            $($int_kind,)*
            $($float_kind,)*
        }

        impl ElemType {
            /// The integers.
            pub const INTEGERS: &[Self] = &[$(Self::$int_kind),*];

            /// All element types: the integers, then the floats.
            pub const ALL: &[Self] = &[$(Self::$int_kind,)* $(Self::$float_kind,)*];

            /// Size of one element in bytes.
            #[inline]
            #[must_use]
            pub const fn bytes(self) -> usize {
                match self {
                    $(Self::$int_kind => size_of::<$int>(),)*
                    $(Self::$float_kind => size_of::<$float>(),)*
                }
            }

            /// Whether it is `f16`, `f32` or `f64`.
            #[must_use]
            pub const fn is_float(self) -> bool {
                matches!(self, $(Self::$float_kind)|*)
            }

            /// Whether it is a signed integer.
            #[must_use]
            pub const fn is_signed(self) -> bool {
                match self {
                    $(Self::$int_kind => $int::MIN != 0,)*
                    $(Self::$float_kind)|* => false,
                }
            }

            /// The smallest and the largest value of an integer type; `None` for floats.
            #[must_use]
            pub const fn range(self) -> Option<(i128, i128)> {
                match self {
                    $(Self::$int_kind => Some(($int::MIN as i128, $int::MAX as i128)),)*
                    $(Self::$float_kind)|* => None,
                }
            }

            /// The integer with these bits; bits above the element are ignored. `None` for floats.
            #[must_use]
            pub const fn integer(self, bits: u64) -> Option<i128> {
                match self {
                    $(Self::$int_kind => Some(bits as $int as i128),)*
                    $(Self::$float_kind)|* => None,
                }
            }

            /// The unsigned integer of the same size; for a float, the type itself.
            #[must_use]
            pub const fn unsigned(self) -> Self {
                match self {
                    Self::I8 => Self::U8,
                    Self::I16 => Self::U16,
                    Self::I32 => Self::U32,
                    Self::I64 => Self::U64,
                    other => other,
                }
            }

            /// The name it has in Rust.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$int_kind => stringify!($int),)*
                    $(Self::$float_kind => stringify!($float),)*
                }
            }
        }
    };
}

crate::element_table!(table elements {});

impl Display for ElemType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
