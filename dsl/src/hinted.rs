//! Scattered accesses with cache hints.

use std::marker::PhantomData;

use cm_macros::{inlined, op};

use crate::address::{ByteBase, ElementBase};
use crate::atomic::Atomic;
use crate::backend::Backend;
use crate::buffer::LinearBuffer;
use crate::cache::{AtomicCaching, LoadCaching, PrefetchCaching, StoreCaching};
use crate::elem::{Elem, Int};
use crate::limits::{
    AtomicElem, ChannelRows, Channels, Len, ScatteredLanes, Shape, UntypedElem, VectorElem, VectorRows,
};
use crate::operators::Mask;
use crate::registers::{Matrix, Offset, PerLane, Vector};
use crate::scattered::{
    atomic_operations, elements, masked, scaled, scattered_prefetches, scattered_reads, scattered_writes,
};
use crate::stage::SameElement;

/// A buffer whose scattered reads and prefetches have these hints for the L1 and the L3 cache:
/// [`LinearBuffer::cached`].
#[derive(Debug)]
pub struct Hinted<'a, T: Elem, B: Backend, L1, L3> {
    buffer: &'a LinearBuffer<T, B>,
    hints: PhantomData<(L1, L3)>,
}

impl<T: Elem, B: Backend, L1, L3> Clone for Hinted<'_, T, B, L1, L3> {
    #[inlined]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Elem, B: Backend, L1, L3> Copy for Hinted<'_, T, B, L1, L3> {}

/// A buffer whose scattered writes and atomic operations have these hints for the L1 and the L3 cache:
/// [`LinearBuffer::cached_mut`]. Each method consumes it.
#[derive(Debug)]
pub struct HintedMut<'a, T: Elem, B: Backend, L1, L3> {
    buffer: &'a mut LinearBuffer<T, B>,
    hints: PhantomData<(L1, L3)>,
}

/// Cache hints of scattered accesses.
impl<T: Elem, B: Backend> LinearBuffer<T, B> {
    /// The buffer, for scattered reads and prefetches with hints for the L1 and the L3 cache. CM: the template
    /// arguments `L1` and `L3` of `cm_load` and `cm_prefetch`.
    ///
    /// - The module [`cache`](crate::cache) has the pairs of hints of each action; `cargo check` enforces them.
    /// - Hints change only the speed of a kernel. GPUs before Xe-HPG and the CPU ignore them. They are also ignored if
    ///   the kernel writes the buffer and has scattered accesses of it without hints, whose messages do not keep the
    ///   order of accesses to the caches.
    ///
    /// ```
    /// use cm::cache::{Cached, Streaming};
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn gather(x: &Buffer<u32>, at: &Buffer<u32>, y: &mut Buffer<u32>) {
    ///     let at = at.read::<8>(thread_origin_x() * 32);
    ///     y.write(thread_origin_x() * 32, &x.cached::<Streaming, Cached>().read_scattered(0, &at));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let x = Buffer::from_slice(&device, &[10u32, 11, 12, 13, 14, 15, 16, 17])?;
    /// let at = Buffer::from_slice(&device, &[7u32, 6, 5, 4, 3, 2, 1, 0])?;
    /// let mut y = Buffer::<u32>::new(&device, 8)?;
    /// gather::launch(&device, ThreadSpace::new(1, 1)?, &x, &at, &mut y)?;
    /// assert_eq!(y.to_vec()?, [17, 16, 15, 14, 13, 12, 11, 10]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[inlined]
    pub fn cached<L1, L3>(&self) -> Hinted<'_, T, B, L1, L3> {
        Hinted { buffer: self, hints: PhantomData }
    }

    /// The buffer, for scattered writes and atomic operations with hints for the L1 and the L3 cache. CM: the template
    /// arguments `L1` and `L3` of `cm_store` and `cm_atomic`.
    ///
    /// The rules are those of [`cached`](Self::cached).
    ///
    /// ```
    /// use cm::cache::{Uncached, WriteBack};
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn count(bytes: &Buffer<u8>, bins: &mut Buffer<u32>) {
    ///     let bytes = bytes.read::<16>(thread_origin_x() * 16);
    ///     bins.cached_mut::<Uncached, WriteBack>().write_atomic(atomic::Inc, &bytes);
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let bytes = Buffer::from_slice(&device, &[7u8; 16])?;
    /// let mut bins = Buffer::<u32>::new(&device, 256)?;
    /// count::launch(&device, ThreadSpace::new(1, 1)?, &bytes, &mut bins)?;
    /// assert_eq!(bins.to_vec()?[7], 16);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[inlined]
    pub fn cached_mut<L1, L3>(&mut self) -> HintedMut<'_, T, B, L1, L3> {
        HintedMut { buffer: self, hints: PhantomData }
    }
}

/// The methods of every row, with hints.
macro_rules! methods {
    (
        $hinted:ident $what:literal $caching:ident;
        $(
            $name:ident $any:ident [$($generics:tt)*] ($($arg:ident: $ty:ty),*) -> $out:ty
            where [$($bounds:tt)*] |$buffer:ident, $hints:ident| $body:expr;
        )*
    ) => {
        #[doc = concat!($what, " with cache hints.")]
        impl<T: Elem, B: Backend, L1, L3> $hinted<'_, T, B, L1, L3> {
            $(
                #[doc = concat!("[`LinearBuffer::", stringify!($name), "`] with these hints.")]
                #[op]
                pub fn $name<$($generics)*, const L: usize>(self, $($arg: $ty),*) -> $out
                where
                    $($bounds)*,
                    L1: $caching<L3>,
                    Shape<1, L>: ScatteredLanes,
                {
                    self.$any($($arg),*)
                }
            )*
        }

        #[doc = concat!($what, " with cache hints, without bounds: the number of elements is checked when the kernel is recorded.")]
        impl<T: Elem, B: Backend, L1, L3> $hinted<'_, T, B, L1, L3> {
            $(
                #[doc = concat!("[`LinearBuffer::", stringify!($any), "`] with these hints.")]
                #[op]
                pub fn $any<$($generics)*, const L: usize>(self, $($arg: $ty),*) -> $out
                where
                    $($bounds)*,
                    L1: $caching<L3>,
                {
                    let ($buffer, $hints) = (self.buffer, L1::HINTS);
                    $body
                }
            )*
        }
    };
}

macro_rules! reads {
    (
        $what:literal $caching:ident $default:expr;
        $(
            $(#[$doc:meta])*
            $name:ident $any:ident $generics:tt $args:tt -> $out:ty
            where $bounds:tt |$buffer:ident, $hints:ident| $body:expr;
        )*
    ) => {
        methods! {
            Hinted $what $caching;
            $($name $any $generics $args -> $out where $bounds |$buffer, $hints| $body;)*
        }
    };
}

macro_rules! writes {
    (
        $what:literal $caching:ident $default:expr;
        $(
            $(#[$doc:meta])*
            shared
            $(#[$shared_doc:meta])*
            $name:ident $any:ident $generics:tt $args:tt -> $out:ty
            where $bounds:tt |$buffer:ident, $hints:ident| $body:expr;
        )*
    ) => {
        methods! {
            HintedMut $what $caching;
            $($name $any $generics $args -> $out where $bounds |$buffer, $hints| $body;)*
        }
    };
}

scattered_reads!(reads);
scattered_prefetches!(reads);
scattered_writes!(writes);
atomic_operations!(writes);
