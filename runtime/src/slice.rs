//! Slices of buffers: the part of a buffer that a kernel gets.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, RangeFrom};

use cm_dsl::elem::Elem;

use crate::buffer::Buffer;
use crate::error::{Error, Result};

/// The alignment of slices in bytes: every message of every GPU accepts such addresses.
const STEP: usize = 64;

/// The elements of a buffer from a given element on: [`Buffer::slice`]. It is a [`Buffer`] that cannot be written.
pub struct BufferSlice<'a, T: Elem> {
    elements: Buffer<T>,
    buffer: PhantomData<&'a Buffer<T>>,
}

/// The elements of a buffer from a given element on: [`Buffer::slice_mut`]. It is a [`Buffer`].
///
/// The buffer has only these elements until the slice is dropped. If the slice is never dropped (`mem::forget`), the
/// buffer stays shortened.
pub struct BufferSliceMut<'a, T: Elem> {
    buffer: &'a mut Buffer<T>,
    /// The previous start of the buffer, in bytes.
    before: usize,
}

/// Slices, which kernels take as buffers.
impl<T: Elem> Buffer<T> {
    /// Returns the elements from a given element on, for kernels that read them. CM: an address in a buffer, as
    /// `SvmptrTy` or `SurfaceIndex` and an offset.
    ///
    /// A kernel counts from the first element of the slice; earlier elements are out of bounds. Nothing is copied.
    ///
    /// # Errors
    /// [`Error::BufferSlice`] if the slice is empty, or does not start at a multiple of 64 bytes.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn first(from: &Buffer<i32>, to: &mut Buffer<i32>) {
    ///     to.write(0, &from.read::<4>(0));
    /// }
    ///
    /// let device = Device::best()?;
    /// let from = Buffer::from_slice(&device, &(0..64).collect::<Vec<i32>>())?;
    /// let mut to = Buffer::new(&device, 4)?;
    /// let slice = from.slice(32..)?;
    /// first::launch(&device, ThreadSpace::new(1, 1)?, &slice, &mut to)?;
    /// assert_eq!(to.to_vec()?, [32, 33, 34, 35]);
    /// assert!(from.slice(3..).is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn slice(&self, range: RangeFrom<usize>) -> Result<BufferSlice<'_, T>> {
        let start = self.start_of(range.start)?;
        Ok(BufferSlice { elements: self.tail(start), buffer: PhantomData })
    }

    /// Returns the elements from a given element on, for kernels that write them; otherwise like
    /// [`slice`](Self::slice).
    ///
    /// # Errors
    /// The errors of [`slice`](Self::slice).
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn count(to: &mut Buffer<u32>) {
    ///     to.write(0, &Vector::from_array([1, 2, 3, 4]));
    /// }
    ///
    /// let device = Device::best()?;
    /// let mut buffer = Buffer::<u32>::new(&device, 20)?;
    /// let mut slice = buffer.slice_mut(16..)?;
    /// count::launch(&device, ThreadSpace::new(1, 1)?, &mut slice)?;
    /// drop(slice);
    /// assert_eq!(buffer.to_vec()?[15..], [0, 1, 2, 3, 4]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn slice_mut(&mut self, range: RangeFrom<usize>) -> Result<BufferSliceMut<'_, T>> {
        let start = self.start_of(range.start)?;
        let before = self.narrow(start);
        Ok(BufferSliceMut { buffer: self, before })
    }

    /// The byte where a slice starts.
    fn start_of(&self, element: usize) -> Result<usize> {
        let len = self.len();
        let start = element.checked_mul(size_of::<T>()).filter(|start| start.is_multiple_of(STEP));
        start.filter(|_| element < len).ok_or(Error::BufferSlice {
            start: element,
            len,
            elem: T::TYPE,
            step: STEP / size_of::<T>(),
        })
    }
}

impl<T: Elem> Deref for BufferSlice<'_, T> {
    type Target = Buffer<T>;

    fn deref(&self) -> &Buffer<T> {
        &self.elements
    }
}

impl<T: Elem> Deref for BufferSliceMut<'_, T> {
    type Target = Buffer<T>;

    fn deref(&self) -> &Buffer<T> {
        self.buffer
    }
}

impl<T: Elem> DerefMut for BufferSliceMut<'_, T> {
    fn deref_mut(&mut self) -> &mut Buffer<T> {
        self.buffer
    }
}

impl<T: Elem> Drop for BufferSliceMut<'_, T> {
    fn drop(&mut self) {
        self.buffer.widen(self.before);
    }
}

impl<T: Elem> fmt::Debug for BufferSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.elements.fmt(f)
    }
}

impl<T: Elem> fmt::Debug for BufferSliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.buffer.fmt(f)
    }
}
