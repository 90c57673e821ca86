//! Buffers viewed as elements of another type.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use cm_macros::{inlined, op};

use crate::backend::Backend;
use crate::buffer::LinearBuffer;
use crate::elem::Elem;
use crate::stage::Lent;

/// A buffer as elements `T`, for reading: [`LinearBuffer::format`]. It has the methods of [`LinearBuffer`].
pub struct BufferView<'a, T: Elem, B: Backend> {
    elements: LinearBuffer<T, B>,
    of: PhantomData<&'a LinearBuffer<T, B>>,
}

/// A buffer as elements `T`, for reading and writing: [`LinearBuffer::format_mut`]. It has the methods of
/// [`LinearBuffer`].
pub struct BufferViewMut<'a, T: Elem, B: Backend> {
    elements: LinearBuffer<T, B>,
    of: PhantomData<&'a mut LinearBuffer<T, B>>,
}

impl<T: Elem, B: Backend> fmt::Debug for BufferView<'_, T, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BufferView").field(&self.elements).finish()
    }
}

impl<T: Elem, B: Backend> fmt::Debug for BufferViewMut<'_, T, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BufferViewMut").field(&self.elements).finish()
    }
}

impl<T: Elem, B: Backend> Deref for BufferView<'_, T, B> {
    type Target = LinearBuffer<T, B>;

    #[inlined]
    fn deref(&self) -> &LinearBuffer<T, B> {
        &self.elements
    }
}

impl<T: Elem, B: Backend> Deref for BufferViewMut<'_, T, B> {
    type Target = LinearBuffer<T, B>;

    #[inlined]
    fn deref(&self) -> &LinearBuffer<T, B> {
        &self.elements
    }
}

impl<T: Elem, B: Backend> DerefMut for BufferViewMut<'_, T, B> {
    #[inlined]
    fn deref_mut(&mut self) -> &mut LinearBuffer<T, B> {
        &mut self.elements
    }
}

/// The same bytes as elements of another type.
impl<T: Elem, B: Backend> LinearBuffer<T, B> {
    /// The buffer as elements `V`, for reading. CM: a `SurfaceIndex` has no element type; each access has its own.
    ///
    /// - The view has all methods of a buffer of `V`. Byte offsets stay byte offsets; element numbers and bases count
    ///   `V`.
    /// - The lowest byte of an element comes first (little endian).
    /// - The view ends where the buffer ends. If the buffer ends inside of an element `V`, scattered accesses treat this
    ///   element as outside; blocks have the bytes that are inside.
    /// - Byte numbers wrap at 2^32: element `n` begins at byte `n * size_of::<V>()` modulo 2^32.
    /// - `&buffer.format::<V>()` is an argument for a `#[function]` that takes `&Buffer<V>`.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// A record has a header of 4 dwords, and 16 bytes that the first dword scales.
    /// #[kernel]
    /// fn scaled(records: &Buffer<u8>, output: &mut Buffer<f32>) {
    ///     let start = thread_origin_x() * 32;
    ///     let scale = records.format::<f32>().read::<4>(start).get(0);
    ///     output.write(thread_origin_x() * 64, &(records.read::<16>(start + 16) * scale));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let mut record = vec![3u8; 32];
    /// record[..4].copy_from_slice(&0.5f32.to_le_bytes());
    /// let records = Buffer::from_slice(&device, &record)?;
    /// let mut output = Buffer::<f32>::new(&device, 16)?;
    /// scaled::launch(&device, ThreadSpace::new(1, 1)?, &records, &mut output)?;
    /// assert_eq!(output.to_vec()?, [1.5; 16]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[inlined]
    pub fn format<V: Elem>(&self) -> BufferView<'_, V, B> {
        BufferView { elements: LinearBuffer::new(*self.handle()), of: PhantomData }
    }

    /// The buffer as elements `V`, for reading and writing: [`format`](Self::format) of `&mut Buffer`.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// Counts in the first dword of a buffer of bytes, and writes bytes behind it.
    /// #[kernel]
    /// fn count(bytes: &mut Buffer<u8>) {
    ///     bytes.format_mut::<u32>().write_atomic(atomic::Inc, &Vector::<u32, 8>::splat(0));
    ///     bytes.write(16, &Vector::<u8, 16>::splat(7));
    /// }
    ///
    /// let mut bytes = Buffer::<u8>::new(&Device::cpu()?, 32)?;
    /// count::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut bytes)?;
    /// let bytes = bytes.to_vec()?;
    /// assert_eq!((&bytes[..4], &bytes[16..]), (&[8, 0, 0, 0][..], &[7; 16][..]));
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[inlined]
    pub fn format_mut<V: Elem>(&mut self) -> BufferViewMut<'_, V, B> {
        BufferViewMut { elements: LinearBuffer::new(*self.handle()), of: PhantomData }
    }
}

/// A function takes a view by `&mut` as it is: there is nothing to copy.
impl<T: Elem, B: Backend> Lent<B> for BufferViewMut<'_, T, B> {
    type Variable = LinearBuffer<T, B>;

    #[op]
    fn lend(&self) -> LinearBuffer<T, B> {
        LinearBuffer::copy(&self.elements)
    }

    #[op]
    fn give_back(&mut self, _: &LinearBuffer<T, B>) {}
}
