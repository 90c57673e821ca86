//! Buffers.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use cm_dsl::backend::Backend;
use cm_dsl::backend::Staged;
use cm_dsl::buffer::LinearBuffer;
use cm_dsl::elem::Elem;
use cm_dsl::kernel::{ArgSource, Argument, ArgumentKind, ByReference, ParamKind};
use cm_dsl::stage::{Declared, DeclaredIn};
use cm_macros::inlined;

use crate::device::{Device, Kind};
use crate::error::{Error, Result};
use crate::host_memory::{HostMemory, zeros};
use crate::level_zero::{Batches, DeviceMemory};
use crate::rows::{Rows, RowsMut};

/// Linear memory: `len` elements of type `T`. CM: `CmBuffer`.
///
/// A buffer of a GPU belongs to it, one of the CPU to all CPU devices. Its elements are copied in and out.
///
/// # In a kernel
///
/// A kernel that takes `&Buffer<T>` reads the buffer; a kernel that takes `&mut Buffer<T>` reads and writes it.
/// In the kernel the buffer has these methods, which are documented at [`LinearBuffer`]:
///
/// | Method | What it does | Example |
/// |---|---|---|
/// | [`read`] | reads 16 consecutive elements as a vector | `b.read::<16>(offset)` |
/// | [`read_dwaligned`] | like `read`, from any multiple of 4 bytes | `b.read_dwaligned::<16>(offset)` |
/// | [`write`] | writes a vector or a matrix | `b.write(offset, &v)` |
/// | [`read_scattered`] | gathers elements | `b.read_scattered(base, &offsets)` |
/// | [`write_scattered`] | scatters elements | `b.write_scattered(base, &offsets, &v)` |
/// | [`write_atomic`] | updates elements atomically | `b.write_atomic(atomic::Inc, &offsets)` |
/// | [`fetch_atomic`] | like `write_atomic`, and returns the old elements | `b.fetch_atomic(atomic::Inc, &offsets)` |
/// | [`format`] | reads the bytes as other elements | `b.format::<u8>().read::<16>(offset)` |
/// | [`format_mut`] | also writes them | `b.format_mut::<u8>().write(offset, &v)` |
///
/// `offset` counts bytes; `base` and `offsets` count elements.
///
/// [`read`]: LinearBuffer::read
/// [`read_dwaligned`]: LinearBuffer::read_dwaligned
/// [`write`]: LinearBuffer::write
/// [`read_scattered`]: LinearBuffer::read_scattered
/// [`write_scattered`]: LinearBuffer::write_scattered
/// [`write_atomic`]: LinearBuffer::write_atomic
/// [`fetch_atomic`]: LinearBuffer::fetch_atomic
/// [`format`]: LinearBuffer::format
/// [`format_mut`]: LinearBuffer::format_mut
///
/// Elements outside the buffer read as 0; out-of-bounds writes are dropped.
///
/// ```
/// use cm::prelude::*;
///
/// /// Adds a number to 16 elements per kernel thread.
/// #[kernel]
/// fn add(values: &mut Buffer<i32>, by: i32) {
///     let offset = thread_origin_x() * 64; // in bytes
///     let sum = values.read::<16>(offset) + by;
///     values.write(offset, &sum);
/// }
///
/// let device = Device::best()?;
/// let mut values = Buffer::from_slice(&device, &[1; 32])?;
/// add::launch(&device, ThreadSpace::new(2, 1)?, &mut values, 4)?;
/// assert_eq!(values.to_vec()?, [5; 32]);
/// # Ok::<(), cm::Error>(())
/// ```
pub struct Buffer<T: Elem> {
    bytes: BufferBytes,
    elements: PhantomData<T>,
}

/// The bytes of a buffer of any element type.
#[derive(Debug)]
pub struct BufferBytes {
    /// The first byte of the memory that belongs to the buffer.
    start: usize,
    len: usize,
    memory: Backing,
}

/// The memory. A clone is the same memory.
#[derive(Clone, Debug)]
enum Backing {
    /// On the CPU. Read-only slices share it.
    Host(Arc<HostMemory>),
    /// On a GPU.
    Device(DeviceMemory),
}

impl<T: Elem> Buffer<T> {
    /// Creates a buffer of `len` zero elements. CM: `CreateBuffer`.
    ///
    /// `len` is at least 1, and the elements take less than 2 GiB.
    ///
    /// # Errors
    /// [`Error::EmptyBuffer`], [`Error::BufferTooLarge`] or [`Error::OutOfMemory`]; [`Error::LevelZero`] if
    /// the GPU reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::cpu()?;
    /// let buffer = Buffer::<f32>::new(&device, 3)?;
    /// assert_eq!(buffer.to_vec()?, [0.0; 3]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn new(device: &Device, len: usize) -> Result<Self> {
        Self::filled(device, len, None)
    }

    /// Creates a buffer from its elements. CM: `CreateBuffer` and `WriteSurface`.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
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
        Self::filled(device, elements.len(), Some(bytemuck::cast_slice(elements)))
    }

    /// Copies all elements out. Waits for all earlier launches. CM: `ReadSurface`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::LevelZero`] if the GPU reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let buffer = Buffer::from_slice(&Device::best()?, &[0.5f32, 1.5])?;
    /// assert_eq!(buffer.to_vec()?, [0.5, 1.5]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut elements = zeros(self.len())?;
        self.read_into(&mut elements)?;
        Ok(elements)
    }

    /// Copies all elements to the caller's memory. Waits for all earlier launches. CM: `ReadSurface`.
    ///
    /// # Errors
    /// [`Error::BufferLength`] if there are more or fewer elements; [`Error::LevelZero`] if the GPU reports an
    /// error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let buffer = Buffer::from_slice(&Device::best()?, &[0.5f32, 1.5])?;
    /// let mut elements = [0.0; 2];
    /// buffer.read_into(&mut elements)?;
    /// assert_eq!(elements, [0.5, 1.5]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn read_into(&self, to: &mut [T]) -> Result<()> {
        self.check_length(to.len())?;
        let bytes = bytemuck::cast_slice_mut(to);
        match &self.bytes.memory {
            Backing::Host(memory) => bytes.copy_from_slice(&memory[self.bytes.range()]),
            Backing::Device(memory) => memory.copy_to(0, self.bytes.len, RowsMut::one(bytes))?,
        }
        Ok(())
    }

    /// Overwrites all elements. CM: `WriteSurface`.
    ///
    /// # Errors
    /// [`Error::BufferLength`] if there are more or fewer elements; the buffer is then unchanged.
    /// [`Error::LevelZero`] if the GPU reports an error.
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
        self.copy_in(elements, None)
    }

    /// The number of elements, which is at least one.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Buffer::<u16>::new(&Device::cpu()?, 3)?.len(), 3);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "no buffer is empty")]
    pub const fn len(&self) -> usize {
        self.bytes.len / size_of::<T>()
    }

    pub(crate) const fn erased(&self) -> &BufferBytes {
        &self.bytes
    }

    pub(crate) const fn erased_mut(&mut self) -> &mut BufferBytes {
        &mut self.bytes
    }

    /// Checks that the number of elements is that of the buffer.
    fn check_length(&self, found: usize) -> Result<()> {
        let expected = self.len();
        if found == expected { Ok(()) } else { Err(Error::BufferLength { expected, found }) }
    }

    /// Overwrites all elements. Waits for a GPU, or adds its batch to `batches`.
    pub(crate) fn copy_in(&mut self, elements: &[T], batches: Option<&Batches>) -> Result<()> {
        self.check_length(elements.len())?;
        let (bytes, range): (&[u8], _) = (bytemuck::cast_slice(elements), self.bytes.range());
        match &mut self.bytes.memory {
            Backing::Host(memory) => Arc::make_mut(memory)[range].copy_from_slice(bytes),
            Backing::Device(memory) => memory.write(Rows::one(bytes), bytes.len(), batches)?,
        }
        Ok(())
    }

    /// A buffer of these bytes, or of zeros.
    fn filled(device: &Device, len: usize, bytes: Option<&[u8]>) -> Result<Self> {
        // Kernels count bytes in 32 bits; numbers in the upper half are outside every buffer.
        let limit = i32::MAX as usize / size_of::<T>();
        if len == 0 {
            return Err(Error::EmptyBuffer);
        }
        if len > limit {
            return Err(Error::BufferTooLarge { len, elem: T::TYPE, limit });
        }
        let len = len * size_of::<T>();
        let memory = match device.kind() {
            Kind::Cpu(_) => {
                let memory =
                    HostMemory::filled(len, |memory| memory.extend_from_slice(bytes.unwrap_or_default()))?;
                Backing::Host(Arc::new(memory))
            }
            Kind::LevelZero(gpu) => {
                Backing::Device(DeviceMemory::new(gpu, (len, 0), bytes.map(Rows::one), len)?)
            }
        };
        Ok(Self { bytes: BufferBytes { start: 0, len, memory }, elements: PhantomData })
    }

    /// A part of the same memory, for reading.
    pub(crate) fn part(&self, bytes: Range<usize>) -> Self {
        let memory = self.bytes.memory.clone();
        let mut part = Self { bytes: BufferBytes { memory, ..self.bytes }, elements: PhantomData };
        part.narrow(bytes);
        part
    }

    /// Limits the view to these of its bytes; returns what [`widen`](Self::widen) needs.
    pub(crate) fn narrow(&mut self, bytes: Range<usize>) -> Whole {
        let before = Whole { bytes: self.bytes.range(), memory: self.bytes.memory.len() };
        let start = before.bytes.start;
        self.bytes.set_range(start + bytes.start..start + bytes.end);
        before
    }

    /// Restores the view from before [`narrow`](Self::narrow), unless a buffer of another length has replaced this one.
    pub(crate) fn widen(&mut self, before: &Whole) {
        let whole = self.bytes.memory.len();
        self.bytes.set_range(if before.memory == whole { before.bytes.clone() } else { 0..whole });
    }
}

/// The view of a buffer before it was narrowed.
pub(crate) struct Whole {
    bytes: Range<usize>,
    /// Bytes of its memory.
    memory: usize,
}

impl Backing {
    /// Bytes of the memory.
    fn len(&self) -> usize {
        match self {
            Self::Host(bytes) => bytes.len(),
            Self::Device(memory) => memory.memory_len(),
        }
    }
}

impl Buffer<u8> {
    /// The bytes, if the CPU has them; otherwise the buffer.
    pub(crate) fn into_bytes(self) -> std::result::Result<HostMemory, Self> {
        let range = self.bytes.range();
        match self.bytes.memory {
            // The rest belongs to nobody: a slice was never dropped.
            Backing::Host(bytes) if range.len() < bytes.len() => Ok(bytes.copied(range)),
            Backing::Host(bytes) => Ok(Arc::unwrap_or_clone(bytes)),
            Backing::Device(_) => Err(self),
        }
    }

    /// A buffer of the bytes that [`into_bytes`](Self::into_bytes) returned.
    pub(crate) fn from_bytes(bytes: HostMemory) -> Self {
        let bytes = BufferBytes { start: 0, len: bytes.len(), memory: Backing::Host(Arc::new(bytes)) };
        Self { bytes, elements: PhantomData }
    }
}

impl BufferBytes {
    /// The bytes of the memory that belong to the buffer.
    const fn range(&self) -> Range<usize> {
        self.start..self.start + self.len
    }

    /// Sets the bytes of the memory. They start at a multiple of the size of every element type.
    fn set_range(&mut self, bytes: Range<usize>) {
        (self.start, self.len) = (bytes.start, bytes.len());
        if let Backing::Device(memory) = &mut self.memory {
            memory.set_bytes(bytes);
        }
    }

    /// The bytes, if the CPU has them.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match &self.memory {
            Backing::Host(bytes) => Some(&bytes[self.range()]),
            Backing::Device(_) => None,
        }
    }

    /// The number of bytes.
    pub(crate) const fn byte_len(&self) -> usize {
        self.len
    }

    /// The bytes, if the CPU has them.
    pub(crate) fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        let range = self.range();
        match &mut self.memory {
            // It is not shared, unless a slice was never dropped. That slice keeps the old elements.
            Backing::Host(bytes) => Some(&mut Arc::make_mut(bytes)[range]),
            Backing::Device(_) => None,
        }
    }

    /// Whether the buffer belongs to a device.
    pub(crate) fn is_on(&self, device: &Device) -> bool {
        match (&self.memory, device.kind()) {
            (Backing::Host(_), Kind::Cpu(_)) => true,
            (Backing::Device(memory), Kind::LevelZero(gpu)) => memory.is_on(gpu),
            _ => false,
        }
    }

    /// The memory, if a GPU has it.
    pub(crate) fn device(&self) -> Option<&DeviceMemory> {
        match &self.memory {
            Backing::Host(_) => None,
            Backing::Device(memory) => Some(memory),
        }
    }
}

#[doc(hidden)]
impl<T: Elem, B: Backend> Staged<B> for Buffer<T> {
    type Ty = LinearBuffer<T, B>;
}

#[doc(hidden)]
impl<T: Elem, B: Backend> Declared<B> for Buffer<T> {
    type Ty = LinearBuffer<T, B>;
}

#[doc(hidden)]
impl<T: Elem, B: Backend, const FILE: usize> DeclaredIn<B, FILE> for Buffer<T> {
    type Ty = LinearBuffer<T, B>;
}

#[doc(hidden)]
impl<T: Elem> Argument<ByReference> for Buffer<T> {
    type Host = Self;
    type Bound<B: Backend> = LinearBuffer<T, B>;
    type Lent<'l, B: Backend> = &'l mut LinearBuffer<T, B>;
    const KIND: ArgumentKind = ArgumentKind::One(ParamKind::Buffer { elem: T::TYPE, writable: false });

    #[inlined]
    fn bind<B: Backend>(source: &mut impl ArgSource<B>) -> LinearBuffer<T, B> {
        LinearBuffer::new(source.buffer())
    }

    #[inlined]
    fn copy<B: Backend>(bound: &LinearBuffer<T, B>) -> LinearBuffer<T, B> {
        LinearBuffer::copy(bound)
    }

    #[inlined]
    fn lend<B: Backend>(bound: &mut LinearBuffer<T, B>) -> &mut LinearBuffer<T, B> {
        bound
    }
}
