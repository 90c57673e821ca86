//! Integers of the host.

/// Implements a trait for each of them:
/// `host_integers! { impl [K: Counts<B>, B: Backend] Offset<K, B> { .. } }`.
///
/// Not one implementation for all types that have a bound: with that rustc would not know which one an
/// argument was meant for, and would not say what is wrong with it.
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

/// An integer of the host, of any type.
pub trait HostInteger: Copy {
    /// The number.
    fn to_i128(self) -> i128;
    /// Converts a number, which wraps.
    fn wrap(x: i128) -> Self;
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl HostInteger for $t {
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
