//! Copies of the bytes of surfaces: as a whole, by rows with a pitch, by rectangles.

use cm_dsl::elem::Elem;

use crate::device::Device;
use crate::error::Result;
use crate::format::Format;
use crate::host_memory::zeros;
use crate::rect::Rect;
use crate::rows::{packed, pitched};
use crate::surface::{Surface2D, check_length, checked_length};

/// Bytes and elements in and out.
impl Surface2D {
    /// Creates a surface from its bytes: `width * height` texels, rows without padding. `width` in texels,
    /// `height` in rows. For planar formats these are the bytes of all planes, one after the other in the order of
    /// [`Format::planes`]. CM: `CreateSurface2D` and `WriteSurface`.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new), and [`Error::WrongLength`](crate::Error::WrongLength) if there are more or
    /// fewer bytes.
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
        let length = checked_length(format, width, height)?;
        check_length(format, length, bytes.len())?;
        Self::filled(device, format, width, height, Some((bytes, &packed(format, width, height))))
    }

    /// Creates a surface from rows with a pitch: row `y` starts at byte `y * row_pitch` of `rows`. `width` in
    /// texels, `height` in rows, `row_pitch` in bytes. CM: `CreateSurface2D` and `WriteSurfaceStride`.
    ///
    /// The last row needs no padding, and bytes after it are ignored, so `rows` may begin in the middle of a larger
    /// picture. For planar formats the rows of all planes follow each other in the order of [`Format::planes`]; the
    /// pitch of the planes U and V is half of `row_pitch`.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new); [`Error::RowPitch`](crate::Error::RowPitch) if the pitch is shorter than a
    /// row, is not a multiple of the texel size, or is odd although it must be halved;
    /// [`Error::ShortRows`](crate::Error::ShortRows) if the last row ends after the end of `rows`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::best()?;
    /// let surface = Surface2D::from_rows(&device, Format::R8, 2, 2, &[1, 2, 0, 3, 4], 3)?;
    /// assert_eq!(surface.to_vec()?, [1, 2, 3, 4]);
    /// assert!(Surface2D::from_rows(&device, Format::R8, 2, 2, &[1, 2, 0, 3], 3).is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn from_rows(
        device: &Device,
        format: Format,
        width: usize,
        height: usize,
        rows: &[u8],
        row_pitch: usize,
    ) -> Result<Self> {
        checked_length(format, width, height)?;
        let planes = pitched(format, width, height, row_pitch, rows.len())?;
        Self::filled(device, format, width, height, Some((rows, &planes)))
    }

    /// Creates a surface from elements. Their bytes are the bytes that [`from_bytes`](Self::from_bytes) takes.
    ///
    /// # Errors
    /// The errors of [`from_bytes`](Self::from_bytes).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::best()?;
    /// let surface = Surface2D::from_slice(&device, Format::R32F, 2, 1, &[0.5f32, 1.5])?;
    /// let mut elements = [0f32; 2];
    /// surface.read_into(&mut elements)?;
    /// assert_eq!(elements, [0.5, 1.5]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn from_slice<T: Elem>(
        device: &Device,
        format: Format,
        width: usize,
        height: usize,
        elements: &[T],
    ) -> Result<Self> {
        Self::from_bytes(device, format, width, height, bytemuck::cast_slice(elements))
    }

    /// Copies all bytes out, rows without padding. Waits for all earlier launches. CM: `ReadSurface`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); [`Error::LevelZero`](crate::Error::LevelZero) if the GPU
    /// reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let surface = Surface2D::from_bytes(&Device::best()?, Format::R16, 1, 2, &[1, 2, 3, 4])?;
    /// assert_eq!(surface.to_vec()?, [1, 2, 3, 4]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        self.read_rect(0, 0, self.width(), self.height())
    }

    /// Copies all elements to the caller's memory: the bytes of [`to_vec`](Self::to_vec), as elements of any
    /// type. Waits for all earlier launches. CM: `ReadSurface`.
    ///
    /// # Errors
    /// [`Error::WrongLength`](crate::Error::WrongLength) if there are more or fewer bytes;
    /// [`Error::LevelZero`](crate::Error::LevelZero) if the GPU reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let surface = Surface2D::from_bytes(&Device::best()?, Format::R16, 1, 2, &[1, 2, 3, 4])?;
    /// let (mut bytes, mut words) = ([0u8; 4], [0u16; 2]);
    /// surface.read_into(&mut bytes)?;
    /// surface.read_into(&mut words)?;
    /// assert_eq!(bytes, [1, 2, 3, 4]);
    /// assert_eq!(words, [0x0201, 0x0403].map(u16::from_le));
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn read_into<T: Elem>(&self, to: &mut [T]) -> Result<()> {
        let to: &mut [u8] = bytemuck::cast_slice_mut(to);
        check_length(self.format(), self.length(), to.len())?;
        self.copy_out(self.whole(), to, &packed(self.format(), self.width(), self.height()))
    }

    /// Copies all bytes to rows with a pitch, in the layout of [`from_rows`](Self::from_rows). The bytes between the
    /// rows and after them do not change. Waits for all earlier launches. CM: `ReadSurfaceStride`.
    ///
    /// # Errors
    /// [`Error::RowPitch`](crate::Error::RowPitch) and [`Error::ShortRows`](crate::Error::ShortRows) as for
    /// [`from_rows`](Self::from_rows); [`Error::LevelZero`](crate::Error::LevelZero) if the GPU reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let surface = Surface2D::from_bytes(&Device::best()?, Format::R8, 2, 2, &[1, 2, 3, 4])?;
    /// let mut rows = [9; 6];
    /// surface.read_rows(&mut rows, 3)?;
    /// assert_eq!(rows, [1, 2, 9, 3, 4, 9]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn read_rows(&self, rows: &mut [u8], row_pitch: usize) -> Result<()> {
        let planes = pitched(self.format(), self.width(), self.height(), row_pitch, rows.len())?;
        self.copy_out(self.whole(), rows, &planes)
    }

    /// Overwrites all bytes, rows without padding. CM: `WriteSurface`.
    ///
    /// # Errors
    /// [`Error::WrongLength`](crate::Error::WrongLength) if there are more or fewer bytes; the surface is then
    /// unchanged. [`Error::LevelZero`](crate::Error::LevelZero) if the GPU reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut surface = Surface2D::new(&Device::best()?, Format::R8, 2, 2)?;
    /// surface.write_bytes(&[1, 2, 3, 4])?;
    /// assert_eq!(surface.to_vec()?, [1, 2, 3, 4]);
    /// assert!(surface.write_bytes(&[1, 2, 3]).is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn write_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_rect(0, 0, self.width(), self.height(), bytes)
    }

    /// Overwrites all bytes with the bytes of elements, like [`write_bytes`](Self::write_bytes).
    ///
    /// # Errors
    /// The errors of [`write_bytes`](Self::write_bytes).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut surface = Surface2D::new(&Device::best()?, Format::R16, 2, 1)?;
    /// surface.write_slice(&[7u16, 8])?;
    /// let mut elements = [0u16; 2];
    /// surface.read_into(&mut elements)?;
    /// assert_eq!(elements, [7, 8]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn write_slice<T: Elem>(&mut self, elements: &[T]) -> Result<()> {
        self.write_bytes(bytemuck::cast_slice(elements))
    }

    /// Overwrites all bytes with rows with a pitch, in the layout of [`from_rows`](Self::from_rows). CM:
    /// `WriteSurfaceStride`.
    ///
    /// # Errors
    /// [`Error::RowPitch`](crate::Error::RowPitch) and [`Error::ShortRows`](crate::Error::ShortRows) as for
    /// [`from_rows`](Self::from_rows); the surface is then unchanged. [`Error::LevelZero`](crate::Error::LevelZero)
    /// if the GPU reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut surface = Surface2D::new(&Device::best()?, Format::R8, 2, 2)?;
    /// surface.write_rows(&[1, 2, 0, 0, 3, 4], 4)?;
    /// assert_eq!(surface.to_vec()?, [1, 2, 3, 4]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn write_rows(&mut self, rows: &[u8], row_pitch: usize) -> Result<()> {
        let planes = pitched(self.format(), self.width(), self.height(), row_pitch, rows.len())?;
        self.copy_in(self.whole(), rows, &planes, None)
    }

    /// Copies the bytes of a rectangle out, rows without padding. Its first texel is in column `x` of row
    /// `y`; `x` and `width` in texels, `y` and `height` in rows. For planar formats the result is a picture in the
    /// same format.
    ///
    /// # Errors
    /// [`Error::Rectangle`](crate::Error::Rectangle) if the rectangle is empty, is not inside the surface, or splits
    /// texels that share their chroma; otherwise as [`to_vec`](Self::to_vec).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::best()?;
    /// let surface = Surface2D::from_bytes(&device, Format::R8, 3, 2, &[1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(surface.read_rect(1, 0, 2, 2)?, [2, 3, 5, 6]);
    /// assert!(surface.read_rect(2, 0, 2, 2).is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn read_rect(&self, x: usize, y: usize, width: usize, height: usize) -> Result<Vec<u8>> {
        let rect = self.checked(Rect { x, y, width, height })?;
        let length = self.format().picture_bytes(width * height * self.format().texel_bytes());
        let mut bytes = zeros(length)?;
        self.copy_out(rect, &mut bytes, &packed(self.format(), width, height))?;
        Ok(bytes)
    }

    /// Overwrites the bytes of a rectangle, rows without padding; the arguments are those of
    /// [`read_rect`](Self::read_rect).
    ///
    /// # Errors
    /// The errors of [`read_rect`](Self::read_rect) and [`write_bytes`](Self::write_bytes); the surface is then
    /// unchanged.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::best()?;
    /// let mut surface = Surface2D::new(&device, Format::R16, 2, 2)?;
    /// surface.write_rect(1, 0, 1, 2, &[1, 2, 3, 4])?;
    /// assert_eq!(surface.to_vec()?, [0, 0, 1, 2, 0, 0, 3, 4]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn write_rect(
        &mut self,
        x: usize,
        y: usize,
        width: usize,
        height: usize,
        bytes: &[u8],
    ) -> Result<()> {
        let rect = self.checked(Rect { x, y, width, height })?;
        let luma = width * height * self.format().texel_bytes();
        check_length(self.format(), self.format().picture_bytes(luma), bytes.len())?;
        self.copy_in(rect, bytes, &packed(self.format(), width, height), None)
    }
}
