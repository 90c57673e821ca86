//! Integers of the host.

/// An integer of the host, of any type. What may be such a number or a staged one is written in terms of it.
pub trait HostInteger: Copy {
    /// The number.
    fn to_i128(self) -> i128;
    /// A number, which wraps.
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
