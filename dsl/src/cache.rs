//! Cache hints: blocks of dwords, and scattered elements.
//!
//! A hint says how the L1 and the L3 cache keep the data. It changes only the speed of a kernel. GPUs from Xe-HPG on
//! have hints; other devices ignore them. Each action has its own pairs of hints, as in CM:
//!
//! | L1 | L3 | loads | stores | prefetches | atomic operations |
//! |---|---|---|---|---|---|
//! | [`Uncached`] | [`Uncached`] | yes | yes | | yes |
//! | [`Uncached`] | [`Cached`] | yes | | yes | |
//! | [`Uncached`] | [`WriteBack`] | | yes | | yes |
//! | [`Cached`] | [`Uncached`] | yes | | yes | |
//! | [`Cached`] | [`Cached`] | yes | | yes | |
//! | [`Streaming`] | [`Uncached`] | yes | yes | yes | |
//! | [`Streaming`] | [`Cached`] | yes | | yes | |
//! | [`Streaming`] | [`WriteBack`] | | yes | | |
//! | [`ReadInvalidate`] | [`Cached`] | yes | | | |
//! | [`WriteThrough`] | [`Uncached`] | | yes | | |
//! | [`WriteThrough`] | [`WriteBack`] | | yes | | |
//! | [`WriteBack`] | [`WriteBack`] | | yes | | |
//!
//! Reads are loads, and writes are stores. [`Default`](struct@Default) in both caches is allowed for all of them but
//! prefetches. Blocks of dwords have methods that end in `_cached`; [`cached`](LinearBuffer::cached) and
//! [`cached_mut`](LinearBuffer::cached_mut) give a buffer whose scattered accesses have hints.
//!
//! ```
//! use cm::cache::{Cached, Streaming, WriteBack};
//! use cm::prelude::*;
//!
//! /// Copies 256 bytes a thread, which nobody reads again soon.
//! #[kernel]
//! fn copy(x: &Buffer<u32>, y: &mut Buffer<u32>) {
//!     let offset = thread_origin_x() * 256;
//!     x.prefetch::<64>(offset + 1024);
//!     y.store_cached::<Streaming, WriteBack, _>(offset, &x.load_cached::<64, Streaming, Cached>(offset));
//! }
//!
//! let device = Device::cpu()?;
//! let numbers: Vec<u32> = (0..128).collect();
//! let x = Buffer::from_slice(&device, &numbers)?;
//! let mut y = Buffer::<u32>::new(&device, 128)?;
//! copy::launch(&device, ThreadSpace::new(2, 1)?, &x, &mut y)?;
//! assert_eq!(y.to_vec()?, numbers);
//! # Ok::<(), cm::Error>(())
//! ```

use cm_compiler::limits;
use cm_compiler::ops::{AccessKind, AtomicHints, LoadHints, PrefetchHints, StoreHints};
use cm_macros::op;

use crate::address::ByteOffset;
use crate::backend::{Backend, require};
use crate::buffer::{LinearBlock, LinearBuffer};
use crate::elem::Elem;
use crate::limits::{DwordBlock, Shape};
use crate::registers::{Offset, Vector};

macro_rules! markers {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
    )*};
}

markers! {
    /// The setting of the surface.
    Default;
    /// Not kept. CM: `CacheHint::Uncached`.
    Uncached;
    /// Kept. CM: `CacheHint::Cached`.
    Cached;
    /// Kept, and written to memory when it leaves the cache. CM: `CacheHint::WriteBack`.
    WriteBack;
    /// Kept, and written to memory at once. CM: `CacheHint::WriteThrough`.
    WriteThrough;
    /// Kept, but evicted first. CM: `CacheHint::Streaming`.
    Streaming;
    /// This is the last read. CM: `CacheHint::ReadInvalidate`.
    ReadInvalidate;
}

/// A hint for the L1 cache that a load can have together with this one for the L3 cache.
#[diagnostic::on_unimplemented(
    message = "a load cannot be `{Self}` in L1 and `{L3}` in L3",
    label = "not a pair of hints of loads",
    note = "the table in the documentation of `cm::cache` has the pairs of each action"
)]
pub trait LoadCaching<L3> {
    /// Both.
    const HINTS: LoadHints;
}

/// A hint for the L1 cache that a store can have together with this one for the L3 cache.
#[diagnostic::on_unimplemented(
    message = "a store cannot be `{Self}` in L1 and `{L3}` in L3",
    label = "not a pair of hints of stores",
    note = "the table in the documentation of `cm::cache` has the pairs of each action"
)]
pub trait StoreCaching<L3> {
    /// Both.
    const HINTS: StoreHints;
}

/// A hint for the L1 cache that a prefetch can have together with this one for the L3 cache.
#[diagnostic::on_unimplemented(
    message = "a prefetch cannot be `{Self}` in L1 and `{L3}` in L3",
    label = "not a pair of hints of prefetches",
    note = "the table in the documentation of `cm::cache` has the pairs of each action"
)]
pub trait PrefetchCaching<L3> {
    /// Both.
    const HINTS: PrefetchHints;
}

/// A hint for the L1 cache that an atomic operation can have together with this one for the L3 cache.
#[diagnostic::on_unimplemented(
    message = "an atomic operation cannot be `{Self}` in L1 and `{L3}` in L3",
    label = "not a pair of hints of atomic operations",
    note = "the table in the documentation of `cm::cache` has the pairs of each action"
)]
pub trait AtomicCaching<L3> {
    /// Both.
    const HINTS: AtomicHints;
}

/// The pairs of every row.
macro_rules! pairs {
    ($(
        $(#[$doc:meta])* $hints:ident $block:literal $elements:literal {
            $($(#[$pair_doc:meta])* $pair:ident $l1:ident $l3:ident $end:literal;)*
        }
    )*) => {
        $($(pairs!(@one $hints $pair $l1 $l3);)*)*
    };
    (@one LoadHints $pair:ident $l1:ident $l3:ident) => { pairs!(@of LoadCaching LoadHints $pair $l1 $l3); };
    (@one StoreHints $pair:ident $l1:ident $l3:ident) => { pairs!(@of StoreCaching StoreHints $pair $l1 $l3); };
    (@one PrefetchHints $pair:ident $l1:ident $l3:ident) => {
        pairs!(@of PrefetchCaching PrefetchHints $pair $l1 $l3);
    };
    (@one AtomicHints $pair:ident $l1:ident $l3:ident) => { pairs!(@of AtomicCaching AtomicHints $pair $l1 $l3); };
    (@of $caching:ident $hints:ident $pair:ident $l1:ident $l3:ident) => {
        impl $caching<$l3> for $l1 {
            const HINTS: $hints = $hints::$pair;
        }
    };
}

cm_compiler::cache_hints!(pairs);

/// Blocks of dwords: one message to the load/store cache from Xe-HPG on.
impl<T: Elem, B: Backend> LinearBuffer<T, B> {
    /// Reads `N` consecutive elements, starting at byte `offset`. CM: `cm_load<T, N>(buffer, offset)`.
    ///
    /// - The block has 4, 8, 16, 32, 64, 128 or 256 bytes, or 512 if the elements have 8 bytes; `cargo check` enforces this.
    /// - From Xe-HPG on a block is one message. One of 512 bytes is two messages on Xe-HPG. From Xe-HPC on it is two if the
    ///   offset is not known to be a multiple of 8, or if the elements of the buffer itself have other sizes.
    /// - `offset` counts bytes. It is an unsigned 32-bit number and a multiple of 4. It is checked like the offset of
    ///   [`read_dwaligned`](Self::read_dwaligned); the lowest 2 bits of scalars that are not checked are ignored.
    /// - Bytes outside the buffer read as 0.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn sum(x: &Buffer<u16>, y: &mut Buffer<u32>) {
    ///     let all = x.load::<128>(4); // 256 bytes
    ///     y.store(thread_origin_x() * 4, &Vector::<u32, 1>::splat(math::sum::<u32, _>(all)));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let x = Buffer::from_slice(&device, &[1u16; 200])?;
    /// let mut y = Buffer::<u32>::new(&device, 2)?;
    /// sum::launch(&device, ThreadSpace::new(2, 1)?, &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [128; 2]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn load<const N: usize>(&self, offset: impl Offset<ByteOffset<4>, B>) -> Vector<T, N, B>
    where
        Shape<1, N>: DwordBlock<T>,
    {
        self.load_any(offset)
    }

    /// Reads a block like [`load`](Self::load), with hints for the L1 and the L3 cache. CM:
    /// `cm_load<T, N, .., L1, L3>(buffer, offset)`.
    ///
    /// ```
    /// use cm::cache::{Cached, Uncached};
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn copy(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    ///     y.store(0, &x.load_cached::<16, Uncached, Cached>(0));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let x = Buffer::from_slice(&device, &[0.5; 16])?;
    /// let mut y = Buffer::<f32>::new(&device, 16)?;
    /// copy::launch(&device, ThreadSpace::new(1, 1)?, &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [0.5; 16]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn load_cached<const N: usize, L1: LoadCaching<L3>, L3>(
        &self,
        offset: impl Offset<ByteOffset<4>, B>,
    ) -> Vector<T, N, B>
    where
        Shape<1, N>: DwordBlock<T>,
    {
        self.load_cached_any::<N, L1, L3>(offset)
    }

    /// Writes a vector, or a matrix row by row, starting at byte `offset`. CM: `cm_store<T, N>(buffer, offset, v)`.
    ///
    /// The size and the rules for `offset` are those of [`load`](Self::load). Out-of-bounds writes are dropped, byte by
    /// byte.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn fill(y: &mut Buffer<u8>) {
    ///     y.store(4, &Vector::<u8, 8>::splat(7));
    /// }
    ///
    /// let mut y = Buffer::<u8>::new(&Device::cpu()?, 16)?;
    /// fill::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut y)?;
    /// assert_eq!(y.to_vec()?, [0, 0, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7, 0, 0, 0, 0]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn store<M: LinearBlock<T, B>>(&mut self, offset: impl Offset<ByteOffset<4>, B>, block: &M)
    where
        M::Shape: DwordBlock<T>,
    {
        self.store_any(offset, block);
    }

    /// Writes a block like [`store`](Self::store), with hints for the L1 and the L3 cache. CM:
    /// `cm_store<T, N, .., L1, L3>(buffer, offset, v)`.
    ///
    /// ```
    /// use cm::cache::{Streaming, WriteBack};
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn fill(y: &mut Buffer<u32>) {
    ///     y.store_cached::<Streaming, WriteBack, _>(0, &Vector::<u32, 4>::splat(7));
    /// }
    ///
    /// let mut y = Buffer::<u32>::new(&Device::cpu()?, 4)?;
    /// fill::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut y)?;
    /// assert_eq!(y.to_vec()?, [7; 4]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn store_cached<L1: StoreCaching<L3>, L3, M: LinearBlock<T, B>>(
        &mut self,
        offset: impl Offset<ByteOffset<4>, B>,
        block: &M,
    ) where
        M::Shape: DwordBlock<T>,
    {
        self.store_cached_any::<L1, L3, M>(offset, block);
    }

    /// Loads `N` consecutive elements, starting at byte `offset`, into both caches. CM:
    /// `cm_prefetch<T, N>(buffer, offset)`.
    ///
    /// The size and the rules for `offset` are those of [`load`](Self::load). A prefetch changes only the speed of
    /// a kernel. It may reach past the end of the buffer. Devices without such messages ignore it.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn copy(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    ///     for i in 0..4 {
    ///         x.prefetch::<16>((i + 1) * 64);
    ///         y.store(i * 64, &x.load::<16>(i * 64));
    ///     }
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let x = Buffer::from_slice(&device, &[3u32; 64])?;
    /// let mut y = Buffer::<u32>::new(&device, 64)?;
    /// copy::launch(&device, ThreadSpace::new(1, 1)?, &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [3; 64]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn prefetch<const N: usize>(&self, offset: impl Offset<ByteOffset<4>, B>)
    where
        Shape<1, N>: DwordBlock<T>,
    {
        self.prefetch_any::<N>(offset);
    }

    /// Loads elements into the caches like [`prefetch`](Self::prefetch), with hints for the L1 and the L3 cache. CM:
    /// `cm_prefetch<T, N, .., L1, L3>(buffer, offset)`.
    ///
    /// ```
    /// use cm::cache::{Cached, Uncached};
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn warm(x: &Buffer<u32>) {
    ///     x.prefetch_cached::<64, Uncached, Cached>(thread_origin_x() * 256);
    /// }
    ///
    /// let x = Buffer::<u32>::new(&Device::cpu()?, 256)?;
    /// warm::launch(&Device::cpu()?, ThreadSpace::new(4, 1)?, &x)?;
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn prefetch_cached<const N: usize, L1: PrefetchCaching<L3>, L3>(
        &self,
        offset: impl Offset<ByteOffset<4>, B>,
    ) where
        Shape<1, N>: DwordBlock<T>,
    {
        self.prefetch_cached_any::<N, L1, L3>(offset);
    }
}

/// Blocks of dwords without bounds: the size is checked when the kernel is recorded.
impl<T: Elem, B: Backend> LinearBuffer<T, B> {
    /// [`load`](Self::load) without a bound. The size is checked when the kernel is recorded.
    #[op]
    pub fn load_any<const N: usize>(&self, offset: impl Offset<ByteOffset<4>, B>) -> Vector<T, N, B> {
        self.load_cached_any::<N, Default, Default>(offset)
    }

    /// [`load_cached`](Self::load_cached) without a bound. The size is checked when the kernel is recorded.
    #[op]
    pub fn load_cached_any<const N: usize, L1: LoadCaching<L3>, L3>(
        &self,
        offset: impl Offset<ByteOffset<4>, B>,
    ) -> Vector<T, N, B> {
        require::<B>(const { limits::dword_block(T::TYPE.bytes(), N * T::TYPE.bytes()) });
        let kind = AccessKind::Load(L1::HINTS);
        Vector::from_reg(B::read_bytes::<T, 1, N>(kind, self.handle(), offset.value()))
    }

    /// [`store`](Self::store) without a bound. The size is checked when the kernel is recorded.
    #[op]
    pub fn store_any<M: LinearBlock<T, B>>(&mut self, offset: impl Offset<ByteOffset<4>, B>, block: &M) {
        self.store_cached_any::<Default, Default, M>(offset, block);
    }

    /// [`store_cached`](Self::store_cached) without a bound. The size is checked when the kernel is recorded.
    #[op]
    pub fn store_cached_any<L1: StoreCaching<L3>, L3, M: LinearBlock<T, B>>(
        &mut self,
        offset: impl Offset<ByteOffset<4>, B>,
        block: &M,
    ) {
        require::<B>(const { limits::dword_block(T::TYPE.bytes(), M::BYTES) });
        block.write_to(AccessKind::Store(L1::HINTS), self.handle_mut(), offset.value());
    }

    /// [`prefetch`](Self::prefetch) without a bound. The size is checked when the kernel is recorded.
    #[op]
    pub fn prefetch_any<const N: usize>(&self, offset: impl Offset<ByteOffset<4>, B>) {
        self.prefetch_cached_any::<N, Cached, Cached>(offset);
    }

    /// [`prefetch_cached`](Self::prefetch_cached) without a bound. The size is checked when the kernel is recorded.
    #[op]
    pub fn prefetch_cached_any<const N: usize, L1: PrefetchCaching<L3>, L3>(
        &self,
        offset: impl Offset<ByteOffset<4>, B>,
    ) {
        require::<B>(const { limits::dword_block(T::TYPE.bytes(), N * T::TYPE.bytes()) });
        B::prefetch::<T, 1, N>(AccessKind::Prefetch(L1::HINTS), self.handle(), offset.value());
    }
}
