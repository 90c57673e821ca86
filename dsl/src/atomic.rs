//! Atomic operations, as [`write_atomic`](crate::buffer::LinearBuffer::write_atomic) takes them: with their sources.
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

use crate::backend::Backend;
use crate::limits::AtomicElem;
use crate::ops::AtomicKind;
use crate::registers::Vector;
use crate::stage::SameElement;

/// The sources of an atomic operation; what is not there is `None`.
pub type Sources<T, B, const N: usize> = [Option<<B as Backend>::Reg<T, 1, N>>; 2];

/// An atomic operation on `N` elements `T`, with its sources.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an atomic operation on {N} elements of type `{T}`",
    label = "not an atomic operation on {N} elements",
    note = "operations are `atomic::Inc`, `atomic::Add(&x)`, `atomic::CmpXchg(&x, &compare)` and the like; sources are \
            references to vectors of as many elements as there are offsets"
)]
pub trait Atomic<T: AtomicElem, const N: usize, B: Backend> {
    /// Which it is.
    const KIND: AtomicKind;
    /// Its sources.
    #[track_caller]
    fn sources(self) -> Sources<T, B, N>;
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($($source:ident $field:tt),*);)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<$($source),*>($(pub $source),*);

        impl<'a, T: AtomicElem + SameElement<V>, V: crate::elem::Elem, const N: usize, B: Backend> Atomic<T, N, B>
            for $name<$(operations!(@vector 'a V N B $source)),*>
        {
            const KIND: AtomicKind = AtomicKind::$name;
            #[inline(always)]
            fn sources(self) -> Sources<T, B, N> {
                let mut sources = [None; 2];
                $(sources[$field] = Some(T::same::<B, 1, N>((*self.$field).into_reg()));)*
                sources
            }
        }
    )*};
    (@vector $a:lifetime $v:ident $n:ident $b:ident $source:ident) => { &$a Vector<$v, $n, $b> };
}

operations! {
    /// `old + x`, wrapping. CM: `ATOMIC_ADD`.
    Add(X 0);
    /// `old - x`, wrapping. CM: `ATOMIC_SUB`.
    Sub(X 0);
    /// The smaller one of `old` and `x`. CM: `ATOMIC_MIN`, of `i32` elements `ATOMIC_MINSINT`.
    Min(X 0);
    /// The larger one of `old` and `x`. CM: `ATOMIC_MAX`, of `i32` elements `ATOMIC_MAXSINT`.
    Max(X 0);
    /// `old & x`. CM: `ATOMIC_AND`.
    And(X 0);
    /// `old | x`. CM: `ATOMIC_OR`.
    Or(X 0);
    /// `old ^ x`. CM: `ATOMIC_XOR`.
    Xor(X 0);
    /// `x`. CM: `ATOMIC_XCHG`.
    Xchg(X 0);
    /// `CmpXchg(&x, &compare)`: `x` where `old` is equal to `compare`, else `old`. CM: `ATOMIC_CMPXCHG`.
    CmpXchg(X 0, Y 1);
}

macro_rules! without_sources {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl<T: AtomicElem, const N: usize, B: Backend> Atomic<T, N, B> for $name {
            const KIND: AtomicKind = AtomicKind::$name;
            #[inline(always)]
            fn sources(self) -> Sources<T, B, N> {
                [None; 2]
            }
        }
    )*};
}

without_sources! {
    /// `old + 1`, wrapping. CM: `ATOMIC_INC`.
    Inc;
    /// `old - 1`, wrapping. CM: `ATOMIC_DEC`.
    Dec;
}
