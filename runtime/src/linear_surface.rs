//! Surfaces over the memory of a buffer, and the requirements of media blocks on it.

use std::fmt;

use cm_compiler::access::SurfaceUse;

use crate::buffer::Buffer;
use crate::device::{Device, Kind};
use crate::error::{Error, LevelZeroError, Result};
use crate::format::Format;
use crate::recording::Recording;
use crate::rows::check_pitch;
use crate::surface::{LinearRows, Surface2D, checked_length};

/// The largest number of rows of a media block in a surface that was made from a buffer.
const MOST_ROWS: usize = 16;
/// The alignment of the row pitch of such a surface.
const PITCH: usize = 64;
/// The alignment of the address of its first texel.
const ADDRESS: usize = 16;

/// The error of [`Surface2D::from_buffer`], with the buffer.
///
/// `?` makes it an [`Error`].
///
/// ```
/// use cm::prelude::*;
/// let device = Device::cpu()?;
/// let buffer = Buffer::from_slice(&device, &[1u8; 64])?;
/// let refused = Surface2D::from_buffer(&device, buffer, 0, Format::R8, 64, 2, 64).unwrap_err();
/// assert!(matches!(refused.error(), cm::Error::ShortBuffer { needed: 128, found: 64 }));
/// assert_eq!(refused.into_buffer().to_vec()?, [1; 64]);
/// # Ok::<(), cm::Error>(())
/// ```
#[derive(thiserror::Error)]
#[error("{error}")]
pub struct FromBufferError {
    // Boxed, because results hold them in place of a surface.
    buffer: Box<Buffer<u8>>,
    #[source]
    error: Box<Error>,
}

/// The message, as that of [`Error`].
impl fmt::Debug for FromBufferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.error, f)
    }
}

impl FromBufferError {
    /// The reason.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// Returns the buffer, unchanged.
    #[must_use]
    pub fn into_buffer(self) -> Buffer<u8> {
        *self.buffer
    }
}

impl From<FromBufferError> for Error {
    fn from(refused: FromBufferError) -> Self {
        *refused.error
    }
}

/// Surfaces over the memory of a buffer, on the CPU only.
impl Surface2D {
    /// Creates a surface over the memory of a buffer: row `y` starts at byte `offset + y * row_pitch`.
    /// OpenCL: an image created from a buffer.
    ///
    /// `width` in texels, `height` in rows, `offset` and `row_pitch` in bytes. Bytes between the rows are not
    /// part of the surface and do not change. [`into_buffer`](Self::into_buffer) returns the buffer.
    ///
    /// Kernels have more requirements. `launch` returns an error unless the row pitch is a multiple of 64, the address
    /// of the first texel is a multiple of 16 (the address of the buffer is), and blocks have at most 16 rows.
    ///
    /// # Errors
    /// [`FromBufferError`], which returns the buffer. Its reason is one of the errors of [`new`](Self::new);
    /// [`LevelZeroError::LinearSurface`] on a GPU; [`Error::LinearPlanes`] for a
    /// planar format; [`Error::RowPitch`] if the pitch is shorter than a row, 2^31 or more, or not a multiple of the texel
    /// size;
    /// [`Error::ShortBuffer`] if the last row ends after the end of the buffer.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::cpu()?;
    /// let buffer = Buffer::from_slice(&device, &[1u8; 192])?;
    /// let mut surface = Surface2D::from_buffer(&device, buffer, 64, Format::R8, 3, 2, 64)?;
    /// surface.write_bytes(&[2, 3, 4, 5, 6, 7])?;
    /// let bytes = surface.into_buffer().map(|buffer| buffer.to_vec()).transpose()?.unwrap_or_default();
    /// assert_eq!((&bytes[63..68], &bytes[128..132]), (&[1, 2, 3, 4, 1][..], &[5, 6, 7, 1][..]));
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn from_buffer(
        device: &Device,
        buffer: Buffer<u8>,
        offset: usize,
        format: Format,
        width: usize,
        height: usize,
        row_pitch: usize,
    ) -> std::result::Result<Self, FromBufferError> {
        let rows = LinearRows { offset, pitch: row_pitch };
        match fits(device, &buffer, rows, format, width, height) {
            Ok(()) => match buffer.into_bytes() {
                Ok(bytes) => Ok(Self::over(format, width, height, bytes, rows)),
                Err(buffer) => Err(refused(buffer, LevelZeroError::LinearSurface.into())),
            },
            Err(error) => Err(refused(buffer, error)),
        }
    }

    /// Returns the buffer that the surface was made from; `None` if it was not made from one.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::cpu()?;
    /// let buffer = Buffer::from_slice(&device, &[1u8; 64])?;
    /// let surface = Surface2D::from_buffer(&device, buffer, 0, Format::R8, 64, 1, 64)?;
    /// assert!(surface.into_buffer().is_some());
    /// assert!(Surface2D::new(&device, Format::R8, 64, 1)?.into_buffer().is_none());
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub fn into_buffer(self) -> Option<Buffer<u8>> {
        self.into_memory().map(Buffer::from_bytes)
    }
}

fn refused(buffer: Buffer<u8>, error: Error) -> FromBufferError {
    FromBufferError { buffer: Box::new(buffer), error: Box::new(error) }
}

/// Checks that the buffer has these rows of a surface.
fn fits(
    device: &Device,
    buffer: &Buffer<u8>,
    LinearRows { offset, pitch }: LinearRows,
    format: Format,
    width: usize,
    height: usize,
) -> Result<()> {
    checked_length(format, width, height)?;
    if !format.chroma().is_empty() {
        return Err(Error::LinearPlanes { format });
    }
    if matches!(device.kind(), Kind::LevelZero(_)) {
        return Err(LevelZeroError::LinearSurface.into());
    }
    let row = width * format.texel_bytes();
    check_pitch(format, row, pitch)?;
    // The last row needs no padding.
    let end = pitch
        .checked_mul(height - 1)
        .and_then(|last| last.checked_add(row)?.checked_add(offset))
        .unwrap_or(usize::MAX);
    if end > buffer.len() {
        return Err(Error::ShortBuffer { needed: end, found: buffer.len() });
    }
    Ok(())
}

/// Checks that media blocks support a kernel's access to a surface that was made from a buffer.
pub(crate) fn check(recording: &Recording, surface: &Surface2D, access: &SurfaceUse) -> Result<()> {
    let Some(LinearRows { pitch, .. }) = surface.linear() else { return Ok(()) };
    let (kernel, argument) = (recording.name(), recording.parameter(access.argument));
    // The rules of `cl_intel_media_block_io` for images made from buffers; the CPU itself would not need them.
    if !pitch.is_multiple_of(PITCH) {
        return Err(Error::LinearPitch { kernel, argument, row_pitch: pitch, multiple: PITCH });
    }
    if !surface.bytes().is_some_and(|bytes| bytes.as_ptr().addr().is_multiple_of(ADDRESS)) {
        return Err(Error::LinearAddress { kernel, argument, multiple: ADDRESS });
    }
    if access.rows() > MOST_ROWS {
        return Err(Error::LinearRows {
            kernel,
            argument,
            rows: access.rows(),
            limit: MOST_ROWS,
            file: access.location.file.clone().into_owned(),
            line: access.location.line,
        });
    }
    Ok(())
}
