//! Atomic operations on elements of buffers: one row each.

/// Calls a macro with the table of atomic operations.
///
/// A row is the operation's docs, its marker type and [`AtomicKind`](crate::ops::AtomicKind), its name in the
/// text of kernels, its elements (`integers`, or also floats: `numbers`), its sources beside the element itself, and
/// what the element `old` of type `T` becomes.
#[macro_export]
macro_rules! atomic_operations {
    ($callback:ident) => {
        $callback! {
            /// `old + x`; integers wrap. CM: `ATOMIC_ADD`, of floats `ATOMIC_FADD`.
            Add "atomic_add" numbers (x), |old: T, x: T| T::add(old, x);
            /// `old - x`; integers wrap. CM: `ATOMIC_SUB`, of floats `ATOMIC_FSUB`.
            Sub "atomic_sub" numbers (x), |old: T, x: T| T::sub(old, x);
            /// `old + 1`, wrapping. CM: `ATOMIC_INC`.
            Inc "atomic_inc" integers (), |old: T| T::add(old, T::cast_from(1u8));
            /// `old - 1`, wrapping. CM: `ATOMIC_DEC`.
            Dec "atomic_dec" integers (), |old: T| T::sub(old, T::cast_from(1u8));
            /// The smaller one of `old` and `x`; `old` if one is a NaN. CM: `ATOMIC_MIN`, of signed elements
            /// `ATOMIC_MINSINT`, of floats `ATOMIC_FMIN`.
            Min "atomic_min" numbers (x), |old: T, x: T| if x < old { x } else { old };
            /// The larger one of `old` and `x`; `old` if one is a NaN. CM: `ATOMIC_MAX`, of signed elements
            /// `ATOMIC_MAXSINT`, of floats `ATOMIC_FMAX`.
            Max "atomic_max" numbers (x), |old: T, x: T| if x > old { x } else { old };
            /// `old & x`. CM: `ATOMIC_AND`.
            And "atomic_and" integers (x), |old: T, x: T| T::and(old, x);
            /// `old | x`. CM: `ATOMIC_OR`.
            Or "atomic_or" integers (x), |old: T, x: T| T::or(old, x);
            /// `old ^ x`. CM: `ATOMIC_XOR`.
            Xor "atomic_xor" integers (x), |old: T, x: T| T::xor(old, x);
            /// Replaces the element by `x`. CM: `ATOMIC_XCHG`.
            Xchg "atomic_xchg" numbers (x), |_: T, x: T| x;
            /// The first source if `old` equals the second one, else `old`. Floats are equal as numbers: 0.0 and -0.0
            /// are, a NaN and itself are not. CM: `ATOMIC_CMPXCHG`, of floats `ATOMIC_FCMPWR`, whose sources are in the
            /// other order.
            CmpXchg "atomic_cmpxchg" numbers (x, compare),
                |old: T, x: T, compare: T| if old == compare { x } else { old };
        }
    };
}

macro_rules! kinds {
    ($(
        $(#[$doc:meta])* $kind:ident $name:literal $elements:ident ($($source:ident),*), $meaning:expr;
    )*) => {
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

            /// Whether it is an operation of floats, too.
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
