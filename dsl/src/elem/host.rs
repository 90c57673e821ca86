//! Host integers.

/// Implements a trait for each host integer type:
/// `host_integers! { impl [K: Counts<B>, B: Backend] Offset<K, B> { .. } }`.
///
/// This is not a blanket implementation: with a blanket implementation rustc would not know which type an argument was
/// meant for, and could not explain the error.
macro_rules! host_integers {
    (impl $generics:tt $trait:path { $($body:tt)* }) => {
        cm_compiler::for_each_integer!(host_integers @each $generics $trait; { $($body)* });
        host_integers!(@each $generics $trait; { $($body)* } usize isize);
    };
    (@each $generics:tt $trait:path; $body:tt $($t:ident)*) => {
        $(host_integers!(@one $generics $trait; $body $t);)*
    };
    (@one [$($generics:tt)*] $trait:path; { $($body:tt)* } $t:ident) => {
        impl<$($generics)*> $trait for $t {
            $($body)*
        }
    };
}
pub(crate) use host_integers;

/// A host integer of any type.
pub trait HostInteger: Copy {
    /// The smallest and the largest number.
    const LIMITS: (i128, i128);
    /// The number.
    fn to_i128(self) -> i128;
    /// Converts a number, which wraps.
    fn wrap(x: i128) -> Self;
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl HostInteger for $t {
            const LIMITS: (i128, i128) = ($t::MIN as i128, $t::MAX as i128);

            #[inline(always)]
            fn to_i128(self) -> i128 {
                self as i128
            }

            #[inline(always)]
            fn wrap(x: i128) -> Self {
                x as $t
            }
        }
    )*};
}

cm_compiler::for_each_integer!(integers);
integers! { usize isize }
