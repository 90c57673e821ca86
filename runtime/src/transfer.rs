//! Copies of surfaces and buffers in a scope, which do not wait.

use std::fmt;
use std::marker::PhantomData;

use cm_dsl::elem::Elem;
use smallvec::SmallVec;

use crate::buffer::Buffer;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::host_memory::{reserved, zeros};
use crate::level_zero::DeviceBytes;
use crate::rows::{Rows, RowsMut, packed};
use crate::scope::Scope;
use crate::surface::{Surface2D, check_length};
use crate::surface_3d::Surface3D;

/// A pending copy of the elements of a surface or buffer to the host; see [`Surface2D::enqueue_read`] and
/// [`Buffer::enqueue_read`]. CM: the event of `EnqueueCopyGPUToCPU`.
///
/// It holds the contents at the time it was enqueued, whatever is written later, and may outlive the scope. Dropping it
/// discards the elements and does not wait.
///
/// ```
/// use cm::prelude::*;
/// let device = Device::best()?;
/// let mut buffer = Buffer::from_slice(&device, &[1u16, 2, 3])?;
/// let old = device.scope(|scope| {
///     let old = buffer.enqueue_read(scope)?;
///     buffer.enqueue_write(scope, &[4, 5, 6])?;
///     Ok::<_, cm::Error>(old)
/// })?;
/// assert_eq!(old.to_vec()?, [1, 2, 3]);
/// assert_eq!(buffer.to_vec()?, [4, 5, 6]);
/// # Ok::<(), cm::Error>(())
/// ```
#[must_use = "a download that nobody reads copies for nothing"]
pub struct Download<T: Elem> {
    parts: SmallVec<[Part; 1]>,
    /// Bytes of all parts.
    bytes: usize,
    /// The format, if it is a surface.
    format: Option<Format>,
    elements: PhantomData<T>,
}

/// The bytes of a plane or a buffer.
struct Part {
    bytes: usize,
    source: Source,
}

/// The source of the bytes.
enum Source {
    /// They are already on the host.
    Host(Vec<u8>),
    /// A GPU. Its rows of this size are a pitch apart.
    Device { bytes: DeviceBytes, row: usize, pitch: usize },
}

impl<T: Elem> Download<T> {
    /// Waits for the elements and returns them; rows of surfaces have no padding.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::LevelZero`] if the GPU reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::best()?;
    /// let surface = Surface2D::from_bytes(&device, Format::R8, 2, 1, &[1, 2])?;
    /// let download = device.scope(|scope| surface.enqueue_read(scope))?;
    /// assert_eq!(download.to_vec()?, [1, 2]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut elements = zeros(self.bytes / size_of::<T>())?;
        self.read_into(&mut elements)?;
        Ok(elements)
    }

    /// Waits for the elements and copies them to the caller's memory.
    ///
    /// # Errors
    /// [`Error::WrongLength`] or [`Error::BufferLength`] if there are more or fewer elements; [`Error::LevelZero`] if
    /// the GPU reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::best()?;
    /// let surface = Surface2D::from_bytes(&device, Format::R8, 2, 1, &[1, 2])?;
    /// let download = device.scope(|scope| surface.enqueue_read(scope))?;
    /// let mut bytes = [0; 2];
    /// download.read_into(&mut bytes)?;
    /// assert_eq!(bytes, [1, 2]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn read_into(&self, to: &mut [T]) -> Result<()> {
        match self.format {
            Some(format) => check_length(format, self.bytes, size_of_val(to))?,
            None if size_of_val(to) != self.bytes => {
                return Err(Error::BufferLength { expected: self.bytes / size_of::<T>(), found: to.len() });
            }
            None => {}
        }
        let mut to: &mut [u8] = bytemuck::cast_slice_mut(to);
        for part in &self.parts {
            let (here, rest) = to.split_at_mut(part.bytes);
            match &part.source {
                Source::Host(bytes) => here.copy_from_slice(bytes),
                Source::Device { bytes, row, pitch } => {
                    let (row, height) = (*row, part.bytes / row);
                    bytes.copy_to(0, *pitch, RowsMut::pitched(here, row, row, height))?;
                }
            }
            to = rest;
        }
        Ok(())
    }
}

impl<T: Elem> fmt::Debug for Download<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Download").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// Copies in a scope.
impl Surface2D {
    /// Overwrites all bytes after all earlier launches of the scope, rows without padding. CM:
    /// `EnqueueCopyCPUToGPU`.
    ///
    /// The bytes are copied before it returns. It does not wait for the device, which continues with earlier launches
    /// in the meantime. On the CPU it is the same as [`write_bytes`](Self::write_bytes).
    ///
    /// # Errors
    /// The errors of [`write_bytes`](Self::write_bytes), and [`Error::ScopeDevice`] if the surface belongs to another
    /// device than the scope. The scope returns the errors of the device.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn invert(input: &Surface2D, output: &mut Surface2D) {
    ///     let (x, y) = (thread_origin_x() * 16, thread_origin_y());
    ///     output.write(x, y, &(255 - input.read::<u8, 1, 16>(x, y)).convert::<u8>());
    /// }
    ///
    /// let device = Device::best()?;
    /// let mut input = Surface2D::new(&device, Format::R8, 16, 1)?;
    /// let mut output = Surface2D::new(&device, Format::R8, 16, 1)?;
    /// let frames = device.scope(|scope| {
    ///     let mut frames = vec![];
    ///     for n in 0..3 {
    ///         input.enqueue_write(scope, &[n; 16])?;
    ///         invert::enqueue(scope, ThreadSpace::new(1, 1)?, &input, &mut output)?;
    ///         frames.push(output.enqueue_read(scope)?);
    ///     }
    ///     Ok::<_, cm::Error>(frames)
    /// })?;
    /// for (n, frame) in frames.iter().enumerate() {
    ///     assert_eq!(frame.to_vec()?, [255 - n as u8; 16]);
    /// }
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn enqueue_write(&mut self, scope: &Scope<'_>, bytes: &[u8]) -> Result<()> {
        scope.check_device(self.is_on(scope.device()))?;
        check_length(self.format(), self.length(), bytes.len())?;
        let planes = packed(self.format(), self.width(), self.height());
        self.copy_in(self.whole(), bytes, &planes, Some(scope.batches()))
    }

    /// Copies all bytes out after all earlier launches of the scope, rows without padding. CM:
    /// `EnqueueCopyGPUToCPU`.
    ///
    /// It submits the commands so far to a GPU and does not wait. [`Download::to_vec`] and [`Download::read_into`] wait
    /// for this copy, but not for later commands of the scope. On the CPU the bytes are copied immediately.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::ScopeDevice`] if the surface belongs to another device than the scope. The
    /// scope and the download return the errors of the device.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::best()?;
    /// let mut surface = Surface2D::from_bytes(&device, Format::R8, 2, 1, &[1, 2])?;
    /// device.scope(|scope| {
    ///     let first = surface.enqueue_read(scope)?;
    ///     surface.enqueue_write(scope, &[3, 4])?;
    ///     assert_eq!(first.to_vec()?, [1, 2]);
    ///     Ok::<(), cm::Error>(())
    /// })?;
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn enqueue_read(&self, scope: &Scope<'_>) -> Result<Download<u8>> {
        scope.check_device(self.is_on(scope.device()))?;
        let parts: Result<_> = self.planes().map(Part::of_plane).collect();
        let (parts, bytes, format) = (parts?, self.length(), Some(self.format()));
        scope.submit()?;
        Ok(Download { parts, bytes, format, elements: PhantomData })
    }
}

/// Copies in a scope.
impl Surface3D {
    /// Overwrites all bytes after all earlier launches of the scope, slices and rows without padding. CM:
    /// `EnqueueCopyCPUToGPU`.
    ///
    /// It does not wait, like [`Surface2D::enqueue_write`].
    ///
    /// # Errors
    /// The errors of [`write_bytes`](Self::write_bytes), and [`Error::ScopeDevice`] if the surface belongs to another
    /// device than the scope. The scope returns the errors of the device.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::best()?;
    /// let mut surface = Surface3D::new(&device, Format::R8, 2, 1, 2)?;
    /// device.scope(|scope| surface.enqueue_write(scope, &[1, 2, 3, 4]))?;
    /// assert_eq!(surface.to_vec()?, [1, 2, 3, 4]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn enqueue_write(&mut self, scope: &Scope<'_>, bytes: &[u8]) -> Result<()> {
        self.rows_mut().enqueue_write(scope, bytes)
    }

    /// Copies all bytes out after all earlier launches of the scope, slices and rows without padding. CM:
    /// `EnqueueCopyGPUToCPU`.
    ///
    /// It does not wait, like [`Surface2D::enqueue_read`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::ScopeDevice`] if the surface belongs to another device than the scope. The
    /// scope and the download return the errors of the device.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::best()?;
    /// let surface = Surface3D::from_bytes(&device, Format::R8, 1, 2, 2, &[1, 2, 3, 4])?;
    /// let download = device.scope(|scope| surface.enqueue_read(scope))?;
    /// assert_eq!(download.to_vec()?, [1, 2, 3, 4]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn enqueue_read(&self, scope: &Scope<'_>) -> Result<Download<u8>> {
        self.rows().enqueue_read(scope)
    }
}

impl Part {
    fn of_plane(plane: &Surface2D) -> Result<Self> {
        let (row, bytes) = (plane.row_bytes(), plane.row_bytes() * plane.height());
        let source = match (plane.bytes(), plane.read_device()?) {
            (_, Some(bytes)) => Source::Device { bytes, row, pitch: plane.pitch() },
            (Some(from), None) => {
                let mut to = reserved(bytes)?;
                Rows::pitched(from, plane.pitch(), row, plane.height()).append_to(&mut to);
                Source::Host(to)
            }
            (None, None) => unreachable!("the bytes are somewhere"),
        };
        Ok(Self { bytes, source })
    }
}

/// Copies in a scope.
impl<T: Elem> Buffer<T> {
    /// Overwrites all elements after all earlier launches of the scope. CM: `EnqueueCopyCPUToGPU`.
    ///
    /// The elements are copied before it returns, and it does not wait for the device. On the CPU it is the same as
    /// [`write_slice`](Self::write_slice).
    ///
    /// # Errors
    /// The errors of [`write_slice`](Self::write_slice), and [`Error::ScopeDevice`] if the buffer belongs to another
    /// device than the scope. The scope returns the errors of the device.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::best()?;
    /// let mut buffer = Buffer::<f32>::new(&device, 2)?;
    /// device.scope(|scope| buffer.enqueue_write(scope, &[0.5, 1.5]))?;
    /// assert_eq!(buffer.to_vec()?, [0.5, 1.5]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn enqueue_write(&mut self, scope: &Scope<'_>, elements: &[T]) -> Result<()> {
        scope.check_device(self.erased().is_on(scope.device()))?;
        self.copy_in(elements, Some(scope.batches()))
    }

    /// Copies all elements out after all earlier launches of the scope. CM: `EnqueueCopyGPUToCPU`.
    ///
    /// It submits the commands so far to a GPU and does not wait; the [`Download`] waits. On the CPU the elements are
    /// copied immediately.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::ScopeDevice`] if the buffer belongs to another device than the scope. The
    /// scope and the download return the errors of the device.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::best()?;
    /// let buffer = Buffer::from_slice(&device, &[0.5f32, 1.5])?;
    /// let download = device.scope(|scope| buffer.enqueue_read(scope))?;
    /// assert_eq!(download.to_vec()?, [0.5, 1.5]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn enqueue_read(&self, scope: &Scope<'_>) -> Result<Download<T>> {
        scope.check_device(self.erased().is_on(scope.device()))?;
        let bytes = self.len() * size_of::<T>();
        let source = match (self.erased().bytes(), self.erased().device()) {
            (Some(from), _) => {
                let mut to = reserved(bytes)?;
                to.extend_from_slice(from);
                Source::Host(to)
            }
            (None, Some(memory)) => Source::Device { bytes: memory.read()?, row: bytes, pitch: bytes },
            (None, None) => unreachable!("the bytes are somewhere"),
        };
        scope.submit()?;
        let parts = SmallVec::from_iter([Part { bytes, source }]);
        Ok(Download { parts, bytes, format: None, elements: PhantomData })
    }
}
