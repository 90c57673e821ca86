//! The meaning of atomic operations on an element.

use cm_compiler::ops::AtomicKind;
use cm_macros::inlined;

use crate::elem::{Elem, Int, Numeric};

/// An atomic operation on elements of type `T`.
pub trait AtomicOp<T: Elem>: Copy + 'static {
    /// The kind of operation.
    const KIND: AtomicKind;
    /// The new element. `x` is the first source and `compare` the second source, if the operation has them.
    fn changed(old: T, x: T, compare: T) -> T;
}

macro_rules! meanings {
    ($(
        $(#[$doc:meta])* $kind:ident $name:literal $elements:ident ($($source:ident),*), $meaning:expr;
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $kind;

        meanings!(@one $kind $elements ($meaning) $($source)*);
    )*};
    (@one $kind:ident integers $meaning:tt $($source:ident)*) => {
        meanings!(@of $kind Int $meaning $($source)*);
    };
    (@one $kind:ident numbers $meaning:tt $($source:ident)*) => {
        meanings!(@of $kind Numeric $meaning $($source)*);
    };
    (@of $kind:ident $elements:ident $meaning:tt $($source:ident)*) => {
        impl<T: $elements> AtomicOp<T> for $kind {
            const KIND: AtomicKind = AtomicKind::$kind;
            #[inlined]
            fn changed(old: T, x: T, compare: T) -> T {
                let _ = (x, compare);
                meanings!(@call $meaning old, x, compare; $($source)*)
            }
        }
    };
    (@call $meaning:tt $old:ident, $x:ident, $compare:ident;) => { $meaning($old) };
    (@call $meaning:tt $old:ident, $x:ident, $compare:ident; $a:ident) => { $meaning($old, $x) };
    (@call $meaning:tt $old:ident, $x:ident, $compare:ident; $a:ident $b:ident) => { $meaning($old, $x, $compare) };
}

cm_compiler::atomic_operations!(meanings);
