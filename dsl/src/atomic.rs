//! Atomic operations for [`write_atomic`](crate::buffer::LinearBuffer::write_atomic) and
//! [`fetch_atomic`](crate::buffer::LinearBuffer::fetch_atomic).
//!
//! An operation carries its sources: `atomic::Inc` has none, `atomic::Add(&x)` has one, and
//! `atomic::CmpXchg(&x, &compare)` has two. Sources are vectors with one element per offset, or numbers for
//! all of them: `atomic::Add(1)`.
//!
//! ```
//! use cm::prelude::*;
//!
//! #[kernel]
//! fn count(values: &Buffer<u8>, bins: &mut Buffer<u32>) {
//!     let values = values.read::<16>(thread_origin_x() * 16);
//!     bins.write_atomic(atomic::Inc, &values);
//! }
//!
//! let device = Device::cpu()?;
//! let values = Buffer::from_slice(&device, &[7u8; 64])?;
//! let mut bins = Buffer::<u32>::new(&device, 256)?;
//! count::launch(&device, ThreadSpace::new(4, 1)?, &values, &mut bins)?;
//! assert_eq!(bins.to_vec()?[7], 64);
//! # Ok::<(), cm::Error>(())
//! ```

use cm_macros::{inlined, op};

use crate::backend::Backend;
use crate::elem::Elem;
use crate::limits::{AtomicElem, AtomicInt};
use crate::ops::AtomicOp;
use crate::ops::atomic as operation;
use crate::registers::{Scalar, Vector};
use crate::stage::SameElement;

/// The sources of an atomic operation; `None` for missing sources.
pub type Sources<T, B, const N: usize> = [Option<<B as Backend>::Reg<T, 1, N>>; 2];

/// An atomic operation on `N` elements `T`, with its sources.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an atomic operation on {N} elements of type `{T}`",
    label = "not an atomic operation on {N} elements",
    note = "operations are `atomic::Inc`, `atomic::Add(&x)`, `atomic::CmpXchg(&x, &compare)` and the like; \
            sources are references to vectors of as many elements as there are offsets, or numbers"
)]
pub trait Atomic<T: AtomicElem, const N: usize, B: Backend> {
    /// Which operation it is.
    type Op: AtomicOp<T>;
    /// Its sources.
    #[track_caller]
    fn sources(self) -> Sources<T, B, N>;
}

/// A source of an atomic operation on `N` elements `T`: a vector, or a number for all of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a source of an atomic operation on {N} elements of type `{T}`",
    label = "not {N} elements of type `{T}`",
    note = "sources are references to vectors of as many elements as there are offsets, or numbers of the type of the elements"
)]
pub trait Source<T: Elem, const N: usize, B: Backend> {
    /// One element for each offset.
    #[track_caller]
    fn source(self) -> B::Reg<T, 1, N>;
}

impl<T: Elem + SameElement<V>, V: Elem, const N: usize, B: Backend> Source<T, N, B> for &Vector<V, N, B> {
    #[inlined]
    fn source(self) -> B::Reg<T, 1, N> {
        T::same::<B, 1, N>((*self).into_reg())
    }
}

impl<T: Elem + SameElement<V>, V: Elem, const N: usize, B: Backend> Source<T, N, B> for Scalar<V, B> {
    #[op]
    fn source(self) -> B::Reg<T, 1, N> {
        B::splat(T::same::<B, 1, 1>(self.into_reg()))
    }
}

impl<T: Elem + SameElement<V>, V: Elem, const N: usize, B: Backend> Source<T, N, B> for &Scalar<V, B> {
    #[op]
    fn source(self) -> B::Reg<T, 1, N> {
        (*self).source()
    }
}

/// A number of the host.
impl<T: AtomicElem, const N: usize, B: Backend> Source<T, N, B> for T {
    #[op]
    fn source(self) -> B::Reg<T, 1, N> {
        B::constant([[self; N]])
    }
}

/// The type of every row of the table, with its sources.
macro_rules! operations {
    ($(
        $(#[$doc:meta])* $kind:ident $name:literal $elements:ident $sources:tt, $meaning:expr;
    )*) => {
        $(operations!(@elements $(#[$doc])* $kind $elements $sources);)*
    };
    (@elements $(#[$doc:meta])* $kind:ident integers $sources:tt) => {
        operations!(@one $(#[$doc])* $kind [AtomicInt] $sources);
    };
    (@elements $(#[$doc:meta])* $kind:ident numbers $sources:tt) => {
        operations!(@one $(#[$doc])* $kind [AtomicElem] $sources);
    };
    (@one $(#[$doc:meta])* $kind:ident [$($bounds:tt)*] ()) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $kind;

        impl<T: $($bounds)*, const N: usize, B: Backend> Atomic<T, N, B> for $kind {
            type Op = operation::$kind;
            #[inlined]
            fn sources(self) -> Sources<T, B, N> {
                [None; 2]
            }
        }
    };
    (@one $(#[$doc:meta])* $kind:ident [$($bounds:tt)*] ($x:ident)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $kind<X>(pub X);

        impl<T: $($bounds)*, X: Source<T, N, B>, const N: usize, B: Backend> Atomic<T, N, B> for $kind<X> {
            type Op = operation::$kind;
            #[inlined]
            fn sources(self) -> Sources<T, B, N> {
                [Some(self.0.source()), None]
            }
        }
    };
    (@one $(#[$doc:meta])* $kind:ident [$($bounds:tt)*] ($x:ident, $y:ident)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $kind<X, Y>(pub X, pub Y);

        impl<T: $($bounds)*, X: Source<T, N, B>, Y: Source<T, N, B>, const N: usize, B: Backend>
            Atomic<T, N, B> for $kind<X, Y>
        {
            type Op = operation::$kind;
            #[inlined]
            fn sources(self) -> Sources<T, B, N> {
                [Some(self.0.source()), Some(self.1.source())]
            }
        }
    };
}

cm_compiler::atomic_operations!(operations);
