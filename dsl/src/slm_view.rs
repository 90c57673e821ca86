//! Shared local memory viewed as elements of another type.

use std::fmt;
use std::ops::Deref;

use cm_macros::{inlined, op};

use crate::address::{ByteBase, ByteOffset, ElementBase};
use crate::atomic::Atomic;
use crate::backend::Backend;
use crate::buffer::{LinearBlock, LinearBuffer};
use crate::elem::{Elem, Int};
use crate::limits::{
    ChannelRows, Channels, DwordBlock, Len, OwordWrite, ScatteredLanes, Shape, SharedAtomicElem, UntypedElem,
};
use crate::operators::Mask;
use crate::registers::{Matrix, Offset, Vector};
use crate::scattered::{atomic_operations, scattered_writes};
use crate::slm::Slm;
use crate::stage::SameElement;

/// An array of shared local memory as elements `T`: [`Slm::format`]. It has the methods of [`Slm`].
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

impl<T: Elem, const N: usize, B: Backend> Slm<T, N, B> {
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
        SlmView { elements: LinearBuffer::new(*self.handle()) }
    }
}

impl<T: Elem, B: Backend> SlmView<T, B> {
    /// The buffer that is written: shared memory is written through a shared reference.
    #[inlined]
    fn written(&self) -> LinearBuffer<T, B> {
        LinearBuffer::copy(&self.elements)
    }

    /// [`Slm::write`] of these elements.
    #[op]
    pub fn write<M: LinearBlock<T, B>>(&self, offset: impl Offset<ByteOffset<16>, B>, block: &M)
    where
        M::Shape: OwordWrite<T>,
    {
        self.write_any(offset, block);
    }

    /// [`Slm::write_any`] of these elements.
    #[op]
    pub fn write_any<M: LinearBlock<T, B>>(&self, offset: impl Offset<ByteOffset<16>, B>, block: &M) {
        self.written().write_any(offset, block);
    }

    /// [`Slm::store`] of these elements.
    #[op]
    pub fn store<M: LinearBlock<T, B>>(&self, offset: impl Offset<ByteOffset<4>, B>, block: &M)
    where
        M::Shape: DwordBlock<T>,
    {
        self.store_any(offset, block);
    }

    /// [`Slm::store_any`] of these elements.
    #[op]
    pub fn store_any<M: LinearBlock<T, B>>(&self, offset: impl Offset<ByteOffset<4>, B>, block: &M) {
        self.written().store_any(offset, block);
    }

    /// [`Slm::write_linear`] of these elements.
    #[op]
    pub fn write_linear<const M: usize>(
        &self,
        offset: impl Offset<ByteOffset<16>, B>,
        elements: &Vector<T, M, B>,
    ) {
        self.written().write_linear(offset, elements);
    }
}

/// The methods of every row that writes.
macro_rules! methods {
    (
        $what:literal $caching:ident $default:expr;
        $(
            $(#[$doc:meta])*
            shared
            $(#[$shared_doc:meta])*
            $name:ident $any:ident [$($generics:tt)*] ($($arg:ident: $ty:ty),*) -> $out:ty
            where [$($buffer_bounds:tt)*] [$($bounds:tt)*] |$buffer:ident, $hints:ident| $body:expr;
        )*
    ) => {
        #[doc = concat!($what, ".")]
        impl<T: Elem, B: Backend> SlmView<T, B> {
            $(
                #[doc = concat!("[`Slm::", stringify!($name), "`] of these elements.")]
                #[op]
                pub fn $name<$($generics)*, const L: usize>(&self, $($arg: $ty),*) -> $out
                where
                    $($bounds)*,
                    Shape<1, L>: ScatteredLanes,
                {
                    self.$any($($arg),*)
                }

                #[doc = concat!("[`Slm::", stringify!($any), "`] of these elements.")]
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
