//! Surfaces.

use cm_dsl::backend::Backend;
use cm_dsl::kernel::{ArgSource, Argument, ByReference, ParamKind};
use cm_dsl::stage::{Declared, Staged};
use cm_dsl::surface::Surface;

use crate::linear_surface::Rows;
use crate::{Device, Error, Format, Result};

/// A two-dimensional surface: `width` x `height` texels of a format. CM: `CmSurface2D`.
///
/// Bytes go in and out tightly packed, row by row. In a kernel's signature `&Surface2D` is a surface that it reads
/// and `&mut Surface2D` one that it also writes.
#[derive(Debug)]
pub struct Surface2D {
    format: Format,
    width: usize,
    height: usize,
    bytes: Vec<u8>,
    /// Where the rows lie if the bytes are those of a buffer.
    linear: Option<Rows>,
}

impl Surface2D {
    /// A surface whose bytes are zero; `width` in texels.
    ///
    /// # Errors
    /// [`Error::EmptySurface`], [`Error::OddWidth`] for packed YUV, [`Error::SurfaceTooLarge`] or
    /// [`Error::OutOfMemory`].
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::cpu()?;
    /// let surface = Surface2D::new(&device, Format::R16, 3, 2)?;
    /// assert_eq!(surface.to_vec()?, [0; 12]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn new(device: &Device, format: Format, width: usize, height: usize) -> Result<Self> {
        let mut surface = Self::unfilled(device, format, width, height)?;
        surface.bytes.resize(surface.byte_len(), 0);
        Ok(surface)
    }

    /// A surface with these bytes: `width * height` texels, rows without padding; `width` in texels.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`Error::WrongLength`] if there are more or fewer bytes.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::cpu()?;
    /// let surface = Surface2D::from_bytes(&device, Format::R8, 2, 2, &[1, 2, 3, 4])?;
    /// assert_eq!(surface.to_vec()?, [1, 2, 3, 4]);
    /// assert!(Surface2D::from_bytes(&device, Format::R8, 2, 2, &[1, 2, 3]).is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn from_bytes(
        device: &Device,
        format: Format,
        width: usize,
        height: usize,
        bytes: &[u8],
    ) -> Result<Self> {
        let mut surface = Self::checked(device, format, width, height)?;
        surface.check_length(bytes)?;
        surface.reserve()?;
        surface.bytes.extend_from_slice(bytes);
        Ok(surface)
    }

    /// The bytes, rows without padding.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(self.byte_len())
            .map_err(|_| Error::OutOfMemory { bytes: self.byte_len() })?;
        match self.linear {
            None => bytes.extend_from_slice(&self.bytes),
            Some(Rows { pitch, .. }) => {
                for row in self.bytes().chunks(pitch).take(self.height) {
                    bytes.extend_from_slice(&row[..self.row_bytes()]);
                }
            }
        }
        Ok(bytes)
    }

    /// Gives the surface these bytes: all of them, rows without padding.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if there are more or fewer bytes; the surface stays as it is.
    pub fn write_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.check_length(bytes)?;
        let (row, pitch) = (self.row_bytes(), self.pitch());
        for (to, from) in self.bytes_mut().chunks_mut(pitch).zip(bytes.chunks(row)) {
            to[..row].copy_from_slice(from);
        }
        Ok(())
    }

    /// Texels of a row.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    #[must_use]
    pub const fn height(&self) -> usize {
        self.height
    }

    /// The format.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Bytes of a row.
    pub(crate) const fn row_bytes(&self) -> usize {
        self.width * self.format.texel_bytes()
    }

    /// Bytes from one row to the next.
    pub(crate) fn pitch(&self) -> usize {
        self.linear.map_or(self.row_bytes(), |rows| rows.pitch)
    }

    /// Where the rows lie if the surface was made from a buffer.
    pub(crate) const fn linear(&self) -> Option<Rows> {
        self.linear
    }

    /// The bytes from the first texel on: `height` rows, a pitch apart, each of which is complete.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[self.linear.map_or(0, |rows| rows.offset)..]
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.linear.map_or(0, |rows| rows.offset)..]
    }

    /// The surface over the memory of a buffer, in which all rows lie.
    pub(crate) fn over(self, bytes: Vec<u8>, rows: Rows) -> Self {
        Self { bytes, linear: Some(rows), ..self }
    }

    /// All of the memory.
    pub(crate) fn into_memory(self) -> Vec<u8> {
        self.bytes
    }

    const fn byte_len(&self) -> usize {
        self.row_bytes() * self.height
    }

    fn check_length(&self, bytes: &[u8]) -> Result<()> {
        let (expected, found) = (self.byte_len(), bytes.len());
        let (texel, format) = (self.format.texel_bytes(), self.format);
        if found == expected { Ok(()) } else { Err(Error::WrongLength { expected, found, texel, format }) }
    }

    fn unfilled(device: &Device, format: Format, width: usize, height: usize) -> Result<Self> {
        let mut surface = Self::checked(device, format, width, height)?;
        surface.reserve()?;
        Ok(surface)
    }

    fn reserve(&mut self) -> Result<()> {
        let bytes = self.byte_len();
        self.bytes.try_reserve_exact(bytes).map_err(|_| Error::OutOfMemory { bytes })
    }

    pub(crate) fn checked(_: &Device, format: Format, width: usize, height: usize) -> Result<Self> {
        // Kernels count bytes and rows by `i32`.
        let limit = i32::MAX as usize;
        if width == 0 || height == 0 {
            return Err(Error::EmptySurface { width, height });
        }
        let row = width.checked_mul(format.texel_bytes()).filter(|&row| row <= limit && height <= limit);
        if row.and_then(|row| row.checked_mul(height)).is_none_or(|bytes| isize::try_from(bytes).is_err()) {
            return Err(Error::SurfaceTooLarge { width, height, format, limit });
        }
        if format.is_packed_yuv() && !width.is_multiple_of(2) {
            return Err(Error::OddWidth { width, format });
        }
        Ok(Self { format, width, height, bytes: Vec::new(), linear: None })
    }
}

impl<B: Backend> Staged<B> for Surface2D {
    type Ty = Surface<B>;
}

impl<B: Backend> Declared<B> for Surface2D {
    type Ty = Surface<B>;
}

impl Argument<ByReference> for Surface2D {
    type Host = Self;
    type Bound<B: Backend> = Surface<B>;
    const KIND: ParamKind = ParamKind::Surface { writable: false };

    #[inline(always)]
    fn bind<B: Backend>(source: &mut impl ArgSource<B>) -> Surface<B> {
        Surface::new(source.surface())
    }
}
