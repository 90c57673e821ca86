//! Shared local memory as elements of one type: the methods that write.

use std::fmt;
use std::ops::Deref;

use cm_macros::{inlined, op};

use crate::address::{ByteBase, ByteOffset, ElementBase};
use crate::atomic::Atomic;
use crate::backend::Backend;
use crate::buffer::{LinearBlock, LinearBuffer};
use crate::elem::{Elem, Int};
use crate::limits::{
    AtomicElem, ChannelRows, Channels, DwordBlock, Len, OwordWrite, ScatteredLanes, Shape, UntypedElem,
    VectorElem, VectorRows,
};
use crate::operators::Mask;
use crate::registers::{Matrix, Offset, PerLane, Vector};
use crate::scattered::{atomic_operations, scattered_writes};
use crate::stage::SameElement;

/// An array of shared local memory as elements `T`: of an [`Slm`](crate::slm::Slm) as it is, or by
/// [`format`](Self::format) of another type.
///
/// It is read with the methods of a [buffer](LinearBuffer), and written with the methods below, which take `&self`.
pub struct SlmView<T: Elem, B: Backend> {
    elements: LinearBuffer<T, B>,
}

impl<T: Elem, B: Backend> fmt::Debug for SlmView<T, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SlmView").field(&self.elements).finish()
    }
}

impl<T: Elem, B: Backend> Deref for SlmView<T, B> {
    type Target = LinearBuffer<T, B>;

    #[inlined]
    fn deref(&self) -> &LinearBuffer<T, B> {
        &self.elements
    }
}

/// The same bytes as elements of another type.
impl<T: Elem, B: Backend> SlmView<T, B> {
    /// The array that begins at this handle.
    #[inlined]
    pub(crate) fn new(handle: B::Buffer) -> Self {
        Self { elements: LinearBuffer::new(handle) }
    }

    /// The array as elements `V`, for reading and writing. CM: shared memory has no element type; each access has its
    /// own.
    ///
    /// - Byte offsets stay byte offsets; element numbers and bases count `V`.
    /// - The array must be a whole number of elements `V`. This is checked when the kernel is recorded.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// The threads of a group count in a dword, and exchange floats behind it.
    /// #[kernel]
    /// fn shared(output: &mut Buffer<f32>) {
    ///     let bytes = slm::<u8, 48>();
    ///     bytes.format::<u32>().write_atomic(atomic::Inc, &Vector::<u32, 4>::splat(0));
    ///     let own: Vector<f32, 4> = Vector::<u32, 4>::splat(local_id(0)).convert();
    ///     bytes.format::<f32>().write(local_id(0) * 16 + 16, &own);
    ///     barrier();
    ///     let count = bytes.format::<u32>().read::<4>(0).get(0);
    ///     output.write(local_id(0) * 32, &(bytes.format::<f32>().read::<8>(16) + count));
    /// }
    ///
    /// let mut output = Buffer::<f32>::new(&Device::cpu()?, 16)?;
    /// shared::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [2, 1, 1])?, &mut output)?;
    /// assert_eq!(output.to_vec()?[..8], [8.0, 8.0, 8.0, 8.0, 9.0, 9.0, 9.0, 9.0]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[inlined]
    pub fn format<V: Elem>(&self) -> SlmView<V, B> {
        SlmView::new(*self.elements.handle())
    }
}

impl<T: Elem, B: Backend> SlmView<T, B> {
    /// The buffer that is written: shared memory is written through a shared reference.
    #[inlined]
    fn written(&self) -> LinearBuffer<T, B> {
        LinearBuffer::copy(&self.elements)
    }

    /// Writes a vector, or a matrix row by row, starting at byte `offset`: an oword block. CM:
    /// `cm_slm_block_write`.
    ///
    /// The limits of the block and the rules for `offset` are those of [`LinearBuffer::write`]. A block that is partly
    /// outside the array is not written.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn k(output: &mut Buffer<u32>) {
    ///     let both = slm::<u32, 8>();
    ///     both.write(local_id(0) * 16, &Vector::<u32, 4>::splat(local_id(0) + 5));
    ///     barrier();
    ///     output.write(local_id(0) * 32, &both.read::<8>(0));
    /// }
    ///
    /// let mut output = Buffer::<u32>::new(&Device::cpu()?, 16)?;
    /// k::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [2, 1, 1])?, &mut output)?;
    /// assert_eq!(output.to_vec()?, [5, 5, 5, 5, 6, 6, 6, 6, 5, 5, 5, 5, 6, 6, 6, 6]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn write<M: LinearBlock<T, B>>(&self, offset: impl Offset<ByteOffset<16>, B>, block: &M)
    where
        M::Shape: OwordWrite<T>,
    {
        self.write_any(offset, block);
    }
}

/// Forms without bounds: their sizes are checked when the kernel is recorded, not by `cargo check`.
///
/// Const-generic kernels and functions use them automatically. Call them in your own generic functions.
impl<T: Elem, B: Backend> SlmView<T, B> {
    /// [`write`](Self::write) without a bound. The block is checked when the kernel is recorded.
    #[op]
    pub fn write_any<M: LinearBlock<T, B>>(&self, offset: impl Offset<ByteOffset<16>, B>, block: &M) {
        self.written().write_any(offset, block);
    }
}

/// Blocks of dwords.
impl<T: Elem, B: Backend> SlmView<T, B> {
    /// Writes a vector, or a matrix row by row, starting at any multiple of 4 bytes. CM: `cm_store_slm`.
    ///
    /// The size and the rules for `offset` are those of [`LinearBuffer::store`]. A block that is partly outside the
    /// array is not written.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn k(output: &mut Buffer<u32>) {
    ///     let both = slm::<u32, 4>();
    ///     both.store(local_id(0) * 8, &Vector::<u32, 2>::splat(local_id(0) + 5));
    ///     barrier();
    ///     output.store(local_id(0) * 16, &both.load::<4>(0));
    /// }
    ///
    /// let mut output = Buffer::<u32>::new(&Device::cpu()?, 8)?;
    /// k::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [2, 1, 1])?, &mut output)?;
    /// assert_eq!(output.to_vec()?, [5, 5, 6, 6, 5, 5, 6, 6]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn store<M: LinearBlock<T, B>>(&self, offset: impl Offset<ByteOffset<4>, B>, block: &M)
    where
        M::Shape: DwordBlock<T>,
    {
        self.store_any(offset, block);
    }

    /// [`store`](Self::store) without a bound. The size is checked when the kernel is recorded.
    #[op]
    pub fn store_any<M: LinearBlock<T, B>>(&self, offset: impl Offset<ByteOffset<4>, B>, block: &M) {
        self.written().store_any(offset, block);
    }
}

/// Blocks of any size, as several messages.
impl<T: Elem, B: Backend> SlmView<T, B> {
    /// Writes a vector of any size, starting at byte `offset`. CM: `cmtl::WriteLinear`.
    ///
    /// A matrix is written as a vector of its elements, row by row: `tile.write_linear(0, &m.format::<f32>())`.
    ///
    /// It is equivalent to several [`write`](Self::write)s. The rules for the size and `offset` are those of
    /// [`LinearBuffer::write_linear`].
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn k(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    ///     let tile = slm::<u32, 40>();
    ///     tile.write_linear(0, &input.read_linear::<40>(0));
    ///     barrier();
    ///     output.write_linear(0, &tile.read_linear::<40>(0));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let input = Buffer::from_slice(&device, &[7u32; 40])?;
    /// let mut output = Buffer::<u32>::new(&device, 40)?;
    /// k::launch(&device, ThreadGroups::new([1, 1, 1], [1, 1, 1])?, &input, &mut output)?;
    /// assert_eq!(output.to_vec()?, [7; 40]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn write_linear<const M: usize>(
        &self,
        offset: impl Offset<ByteOffset<16>, B>,
        elements: &Vector<T, M, B>,
    ) {
        self.written().write_linear(offset, elements);
    }
}

/// The methods of every row that writes: the methods of buffers, with `&self`.
macro_rules! methods {
    (
        $what:literal $caching:ident $default:expr;
        $(
            $(#[$doc:meta])*
            shared
            $(#[$shared_doc:meta])*
            $name:ident $any:ident [$($generics:tt)*] ($($arg:ident: $ty:ty),*) -> $out:ty
            where [$($bounds:tt)*] |$buffer:ident, $hints:ident| $body:expr;
        )*
    ) => {
        #[doc = concat!($what, ".")]
        impl<T: Elem, B: Backend> SlmView<T, B> {
            $(
                $(#[$shared_doc])*
                #[op]
                pub fn $name<$($generics)*, const L: usize>(&self, $($arg: $ty),*) -> $out
                where
                    $($bounds)*,
                    Shape<1, L>: ScatteredLanes,
                {
                    self.$any($($arg),*)
                }
            )*
        }

        #[doc = concat!($what, " without bounds: the number of elements is checked when the kernel is recorded.")]
        impl<T: Elem, B: Backend> SlmView<T, B> {
            $(
                #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") without a bound. The number")]
                /// of elements is checked when the kernel is recorded.
                #[op]
                pub fn $any<$($generics)*, const L: usize>(&self, $($arg: $ty),*) -> $out
                where
                    $($bounds)*,
                {
                    self.written().$any($($arg),*)
                }
            )*
        }
    };
}

scattered_writes!(methods);
atomic_operations!(methods);
