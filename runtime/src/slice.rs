//! Slices of buffers: the part of a buffer that a kernel gets.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, Deref, DerefMut, Range, RangeBounds};

use cm_dsl::elem::Elem;

use crate::buffer::{Buffer, Whole};
use crate::error::{Error, Result};

/// The alignment of slices in bytes: every message of every GPU accepts such addresses.
const STEP: usize = 64;

/// Some elements of a buffer: [`Buffer::slice`]. It is a [`Buffer`] that cannot be written.
pub struct BufferSlice<'a, T: Elem> {
    elements: Buffer<T>,
    buffer: PhantomData<&'a Buffer<T>>,
}

/// Some elements of a buffer: [`Buffer::slice_mut`]. It is a [`Buffer`].
///
/// The buffer has only these elements until the slice is dropped. If the slice is never dropped (`mem::forget`), the
/// buffer stays shortened.
pub struct BufferSliceMut<'a, T: Elem> {
    buffer: &'a mut Buffer<T>,
    before: Whole,
}

/// Slices, which kernels take as buffers.
impl<T: Elem> Buffer<T> {
    /// Returns the elements in a range, for kernels that read them. CM: an address in a buffer, as `SvmptrTy` or
    /// `SurfaceIndex` and an offset.
    ///
    /// A kernel counts from the first element of the slice. Elements before and after the slice are out of bounds.
    /// Nothing is copied. On a GPU the kernel compares positions with the end of a slice that ends inside its
    /// buffer, so that a launch with `slice(n..)` takes fewer instructions than one with `slice(n..m)`.
    ///
    /// # Errors
    /// [`Error::BufferSlice`] if the slice is empty or not inside the buffer, or does not start at a multiple of 64
    /// bytes.
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
    /// first::launch(&device, ThreadSpace::new(1, 1)?, &*from.slice(32..35)?, &mut to)?;
    /// assert_eq!(to.to_vec()?, [32, 33, 34, 0]);
    /// assert!(from.slice(3..).is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<BufferSlice<'_, T>> {
        let bytes = self.bytes_of(range)?;
        Ok(BufferSlice { elements: self.part(bytes), buffer: PhantomData })
    }

    /// Returns the elements in a range, for kernels that write them; otherwise like [`slice`](Self::slice).
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
    /// let mut buffer = Buffer::<u32>::new(&device, 24)?;
    /// let mut slice = buffer.slice_mut(16..19)?;
    /// count::launch(&device, ThreadSpace::new(1, 1)?, &mut slice)?;
    /// drop(slice);
    /// assert_eq!(buffer.to_vec()?[15..20], [0, 1, 2, 3, 0]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<BufferSliceMut<'_, T>> {
        let bytes = self.bytes_of(range)?;
        let before = self.narrow(bytes);
        Ok(BufferSliceMut { buffer: self, before })
    }

    /// The bytes of a slice.
    fn bytes_of(&self, range: impl RangeBounds<usize>) -> Result<Range<usize>> {
        let len = self.len();
        let start = match range.start_bound() {
            Bound::Included(&start) => Some(start),
            Bound::Excluded(&before) => before.checked_add(1),
            Bound::Unbounded => Some(0),
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.checked_add(1),
            Bound::Excluded(&end) => Some(end),
            Bound::Unbounded => Some(len),
        };
        let (start, end) = (start.unwrap_or(usize::MAX), end.unwrap_or(usize::MAX));
        let step = STEP / size_of::<T>();
        if start >= end || end > len || !start.is_multiple_of(step) {
            return Err(Error::BufferSlice { start, end, len, elem: T::TYPE, step });
        }
        Ok(start * size_of::<T>()..end * size_of::<T>())
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
        self.buffer.widen(&self.before);
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
