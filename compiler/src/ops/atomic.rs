//! Atomic operations on elements of buffers: one row each.

/// Calls a macro with the table of atomic operations.
///
/// A row is the operation's docs, its marker type and [`AtomicKind`](crate::ops::AtomicKind), its name in the
/// text of kernels, its sources beside the element itself, and what the element `old` of type `T` becomes.
#[macro_export]
macro_rules! atomic_operations {
    ($callback:ident) => {
        $callback! {
            /// `old + x`, wrapping. CM: `ATOMIC_ADD`.
            Add "atomic_add" (x), |old: T, x: T| T::add(old, x);
            /// `old - x`, wrapping. CM: `ATOMIC_SUB`.
            Sub "atomic_sub" (x), |old: T, x: T| T::sub(old, x);
            /// `old + 1`, wrapping. CM: `ATOMIC_INC`.
            Inc "atomic_inc" (), |old: T| T::add(old, T::cast_from(1u8));
            /// `old - 1`, wrapping. CM: `ATOMIC_DEC`.
            Dec "atomic_dec" (), |old: T| T::sub(old, T::cast_from(1u8));
            /// The smaller one of `old` and `x`. CM: `ATOMIC_MIN`, of `i32` elements `ATOMIC_MINSINT`.
            Min "atomic_min" (x), |old: T, x: T| if x < old { x } else { old };
            /// The larger one of `old` and `x`. CM: `ATOMIC_MAX`, of `i32` elements `ATOMIC_MAXSINT`.
            Max "atomic_max" (x), |old: T, x: T| if x > old { x } else { old };
            /// `old & x`. CM: `ATOMIC_AND`.
            And "atomic_and" (x), |old: T, x: T| T::and(old, x);
            /// `old | x`. CM: `ATOMIC_OR`.
            Or "atomic_or" (x), |old: T, x: T| T::or(old, x);
            /// `old ^ x`. CM: `ATOMIC_XOR`.
            Xor "atomic_xor" (x), |old: T, x: T| T::xor(old, x);
            /// Replaces the element by `x`. CM: `ATOMIC_XCHG`.
            Xchg "atomic_xchg" (x), |_: T, x: T| x;
            /// The first source if `old` equals the second one, else `old`. CM: `ATOMIC_CMPXCHG`.
            CmpXchg "atomic_cmpxchg" (x, compare), |old: T, x: T, compare: T| if old == compare { x } else { old };
        }
    };
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:literal ($($source:ident),*), $meaning:expr;)*) => {
        /// Which atomic operation it is.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum AtomicKind {
            $($(#[$doc])* $kind,)*
        }

        impl AtomicKind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            /// The name in the text of kernels.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// How many sources it has, beside the element itself.
            #[must_use]
            pub const fn sources(self) -> usize {
                match self {
                    $(Self::$kind => const { let names: &[&str] = &[$(stringify!($source)),*]; names.len() },)*
                }
            }
        }
    };
}

crate::atomic_operations!(kinds);
