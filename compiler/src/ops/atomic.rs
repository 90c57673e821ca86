//! Atomic operations on elements of buffers and on texels: one row each.

use super::{AtomicHints, Dims};

/// Calls a macro with the table of atomic operations.
///
/// A row is the operation's docs, its marker type and [`AtomicKind`](crate::ops::AtomicKind), its name in the text of
/// kernels, its elements (`integers`, or also floats: `numbers`), its sources in addition to the element itself, and
/// the new element for the element `old` of type `T`.
#[macro_export]
macro_rules! atomic_operations {
    ($callback:ident) => {
        $callback! {
            /// `old + x`; integers wrap. CM: `ATOMIC_ADD`, for floats `ATOMIC_FADD`.
            Add "atomic_add" numbers (x), |old: T, x: T| T::add(old, x);
            /// `old - x`; integers wrap. CM: `ATOMIC_SUB`, for floats `ATOMIC_FSUB`.
            Sub "atomic_sub" numbers (x), |old: T, x: T| T::sub(old, x);
            /// `old + 1`, wrapping. CM: `ATOMIC_INC`.
            Inc "atomic_inc" integers (), |old: T| T::add(old, T::cast_from(1u8));
            /// `old - 1`, wrapping. CM: `ATOMIC_DEC`.
            Dec "atomic_dec" integers (), |old: T| T::sub(old, T::cast_from(1u8));
            /// The smaller of `old` and `x`; `old` if one of them is NaN. CM: `ATOMIC_MIN`, for signed elements
            /// `ATOMIC_MINSINT`, for floats `ATOMIC_FMIN`.
            Min "atomic_min" numbers (x), |old: T, x: T| if x < old { x } else { old };
            /// The larger of `old` and `x`; `old` if one of them is NaN. CM: `ATOMIC_MAX`, for signed elements
            /// `ATOMIC_MAXSINT`, for floats `ATOMIC_FMAX`.
            Max "atomic_max" numbers (x), |old: T, x: T| if x > old { x } else { old };
            /// `old & x`. CM: `ATOMIC_AND`.
            And "atomic_and" integers (x), |old: T, x: T| T::and(old, x);
            /// `old | x`. CM: `ATOMIC_OR`.
            Or "atomic_or" integers (x), |old: T, x: T| T::or(old, x);
            /// `old ^ x`. CM: `ATOMIC_XOR`.
            Xor "atomic_xor" integers (x), |old: T, x: T| T::xor(old, x);
            /// Replaces the element by `x`. CM: `ATOMIC_XCHG`.
            Xchg "atomic_xchg" numbers (x), |_: T, x: T| x;
            /// The first source if `old` equals the second source, otherwise `old`. Floats are compared as numbers: 0.0
            /// and -0.0 are equal, NaN and itself are not. CM: `ATOMIC_CMPXCHG`, for floats `ATOMIC_FCMPWR`, whose
            /// sources are in the other order.
            CmpXchg "atomic_cmpxchg" numbers (x, compare),
                |old: T, x: T, compare: T| if old == compare { x } else { old };
        }
    };
}

macro_rules! kinds {
    ($(
        $(#[$doc:meta])* $kind:ident $name:literal $elements:ident ($($source:ident),*), $meaning:expr;
    )*) => {
        /// An atomic operation.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum AtomicKind {
            $($(#[$doc])* $kind,)*
        }

        impl AtomicKind {
            /// All atomic operations.
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            /// The name in the text of kernels, with these cache hints.
            #[must_use]
            pub const fn name(self, hints: AtomicHints) -> &'static str {
                match (self, hints) {
                    $(
                        (Self::$kind, AtomicHints::Default) => $name,
                        (Self::$kind, AtomicHints::UncachedUncached) => concat!($name, "_uc_uc"),
                        (Self::$kind, AtomicHints::UncachedWriteBack) => concat!($name, "_uc_wb"),
                    )*
                }
            }

            /// The name of the access to texels in the text of kernels.
            #[must_use]
            pub const fn typed_name(self, dims: Dims) -> &'static str {
                match (dims, self) {
                    $(
                        (Dims::Two, Self::$kind) => concat!("typed_", $name),
                        (Dims::Three, Self::$kind) => concat!("typed_3d_", $name),
                    )*
                }
            }

            /// The number of its sources, not counting the element itself.
            #[must_use]
            pub const fn sources(self) -> usize {
                match self {
                    $(Self::$kind => const { let names: &[&str] = &[$(stringify!($source)),*]; names.len() },)*
                }
            }

            /// Whether it also supports floats.
            #[must_use]
            pub const fn takes_floats(self) -> bool {
                match self {
                    $(Self::$kind => kinds!(@floats $elements),)*
                }
            }
        }
    };
    (@floats integers) => { false };
    (@floats numbers) => { true };
}

crate::atomic_operations!(kinds);
