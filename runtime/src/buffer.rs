//! Buffers.

use std::marker::PhantomData;

use cm_dsl::backend::Backend;
use cm_dsl::buffer::LinearBuffer;
use cm_dsl::elem::Elem;
use cm_dsl::kernel::{ArgSource, Argument, ByReference, ParamKind};
use cm_dsl::stage::{Declared, Staged};

use crate::{Device, Error, Result};

/// Linear memory: `len` elements `T`. CM: `CmBuffer`.
///
/// In a kernel's signature `&Buffer<T>` is a buffer that it reads and `&mut Buffer<T>` one that it also writes; what it
/// does with them stands at [`LinearBuffer`].
#[derive(Debug)]
pub struct Buffer<T: Elem> {
    bytes: BufferBytes,
    elements: PhantomData<T>,
}

/// The bytes of a buffer, whatever its elements.
#[derive(Debug)]
pub struct BufferBytes {
    bytes: Vec<u8>,
}

impl<T: Elem> Buffer<T> {
    /// A buffer of `len` elements, all of them zero.
    ///
    /// # Errors
    /// [`Error::EmptyBuffer`], [`Error::BufferTooLarge`] or [`Error::OutOfMemory`].
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::cpu()?;
    /// let buffer = Buffer::<f32>::new(&device, 3)?;
    /// assert_eq!(buffer.to_vec()?, [0.0; 3]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn new(device: &Device, len: usize) -> Result<Self> {
        let mut buffer = Self::unfilled(device, len)?;
        buffer.bytes.bytes.resize(len * size_of::<T>(), 0);
        Ok(buffer)
    }

    /// A buffer of these elements.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::cpu()?;
    /// let buffer = Buffer::from_slice(&device, &[1u16, 2, 3])?;
    /// assert_eq!(buffer.to_vec()?, [1, 2, 3]);
    /// assert_eq!(buffer.len(), 3);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn from_slice(device: &Device, elements: &[T]) -> Result<Self> {
        let mut buffer = Self::unfilled(device, elements.len())?;
        buffer.bytes.bytes.extend_from_slice(bytemuck::cast_slice(elements));
        Ok(buffer)
    }

    /// The elements.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut elements = Vec::new();
        elements
            .try_reserve_exact(self.len())
            .map_err(|_| Error::OutOfMemory { bytes: self.bytes.bytes.len() })?;
        elements.resize(self.len(), T::default());
        bytemuck::cast_slice_mut(&mut elements).copy_from_slice(&self.bytes.bytes);
        Ok(elements)
    }

    /// Gives the buffer these elements: all of them.
    ///
    /// # Errors
    /// [`Error::BufferLength`] if there are more or fewer; the buffer stays as it is.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::cpu()?;
    /// let mut buffer = Buffer::<u8>::new(&device, 3)?;
    /// buffer.write_slice(&[1, 2, 3])?;
    /// assert_eq!(buffer.to_vec()?, [1, 2, 3]);
    /// assert!(buffer.write_slice(&[1, 2]).is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn write_slice(&mut self, elements: &[T]) -> Result<()> {
        let (expected, found) = (self.len(), elements.len());
        if found != expected {
            return Err(Error::BufferLength { expected, found });
        }
        self.bytes.bytes.copy_from_slice(bytemuck::cast_slice(elements));
        Ok(())
    }

    /// How many elements there are, at least one.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "no buffer is empty")]
    pub const fn len(&self) -> usize {
        self.bytes.bytes.len() / size_of::<T>()
    }

    pub(crate) const fn erased(&self) -> &BufferBytes {
        &self.bytes
    }

    pub(crate) const fn erased_mut(&mut self) -> &mut BufferBytes {
        &mut self.bytes
    }

    fn unfilled(_: &Device, len: usize) -> Result<Self> {
        // Kernels count bytes by 32 bits, of which the upper half is outside of every buffer.
        let limit = i32::MAX as usize / size_of::<T>();
        match len {
            0 => Err(Error::EmptyBuffer),
            _ if len > limit => Err(Error::BufferTooLarge { len, elem: T::TYPE, limit }),
            _ => {
                let bytes = len * size_of::<T>();
                let mut all = Vec::new();
                all.try_reserve_exact(bytes).map_err(|_| Error::OutOfMemory { bytes })?;
                Ok(Self { bytes: BufferBytes { bytes: all }, elements: PhantomData })
            }
        }
    }
}

impl Buffer<u8> {
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes.bytes
    }

    /// A buffer again of what [`into_bytes`](Self::into_bytes) gave.
    pub(crate) const fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes: BufferBytes { bytes }, elements: PhantomData }
    }
}

impl BufferBytes {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl<T: Elem, B: Backend> Staged<B> for Buffer<T> {
    type Ty = LinearBuffer<T, B>;
}

impl<T: Elem, B: Backend> Declared<B> for Buffer<T> {
    type Ty = LinearBuffer<T, B>;
}

impl<T: Elem> Argument<ByReference> for Buffer<T> {
    type Host = Self;
    type Bound<B: Backend> = LinearBuffer<T, B>;
    const KIND: ParamKind = ParamKind::Buffer { elem: T::TYPE, writable: false };

    #[inline(always)]
    fn bind<B: Backend>(source: &mut impl ArgSource<B>) -> LinearBuffer<T, B> {
        LinearBuffer::new(source.buffer())
    }
}
