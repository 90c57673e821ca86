//! Copies of the bytes of 3-D surfaces: as a whole, by rows and slices with pitches, by boxes.

use std::fmt;

use cm_dsl::elem::Elem;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::host_memory::zeros;
use crate::rows::check_pitch;
use crate::surface::check_length;
use crate::surface_3d::{Pitches, Surface3D, checked};

/// The format and the size.
impl fmt::Debug for Surface3D {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surface3D")
            .field("format", &self.format())
            .field("width", &self.width())
            .field("height", &self.height())
            .field("depth", &self.depth())
            .finish_non_exhaustive()
    }
}

/// Bytes and elements in and out.
impl Surface3D {
    /// Creates a surface from its bytes: slices of rows, without padding. `width` in texels, `height` in
    /// rows, `depth` in slices. CM: `CreateSurface3D` and `WriteSurface`.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new), and [`Error::WrongLength`] if there are more or fewer bytes.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::best()?;
    /// let surface = Surface3D::from_bytes(&device, Format::R8, 2, 1, 2, &[1, 2, 3, 4])?;
    /// assert_eq!(surface.to_vec()?, [1, 2, 3, 4]);
    /// assert!(Surface3D::from_bytes(&device, Format::R8, 2, 1, 2, &[1, 2]).is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn from_bytes(
        device: &Device,
        format: Format,
        width: usize,
        height: usize,
        depth: usize,
        bytes: &[u8],
    ) -> Result<Self> {
        let size = checked(format, [width, height, depth])?;
        check_length(format, width * height * depth * format.texel_bytes(), bytes.len())?;
        Self::filled(device, format, size, Some((bytes, Pitches::packed(format, size))))
    }

    /// Creates a surface from elements. Their bytes are the bytes that [`from_bytes`](Self::from_bytes) takes.
    ///
    /// # Errors
    /// The errors of [`from_bytes`](Self::from_bytes).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::best()?;
    /// let surface = Surface3D::from_slice(&device, Format::R32F, 1, 1, 2, &[0.5f32, 1.5])?;
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
        depth: usize,
        elements: &[T],
    ) -> Result<Self> {
        Self::from_bytes(device, format, width, height, depth, bytemuck::cast_slice(elements))
    }

    /// Copies all bytes out, slices and rows without padding. Waits for all earlier launches. CM: `ReadSurface`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::LevelZero`] if the GPU reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let surface = Surface3D::from_bytes(&Device::best()?, Format::R16, 1, 1, 2, &[1, 2, 3, 4])?;
    /// assert_eq!(surface.to_vec()?, [1, 2, 3, 4]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        self.read_box([0; 3], self.size())
    }

    /// Copies all elements to the caller's memory: the bytes of [`to_vec`](Self::to_vec), as elements of any
    /// type. Waits for all earlier launches. CM: `ReadSurface`.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if there are more or fewer bytes; [`Error::LevelZero`] if the GPU reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let surface = Surface3D::from_bytes(&Device::best()?, Format::R16, 1, 1, 2, &[1, 2, 3, 4])?;
    /// let mut words = [0u16; 2];
    /// surface.read_into(&mut words)?;
    /// assert_eq!(words, [0x0201, 0x0403].map(u16::from_le));
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn read_into<T: Elem>(&self, to: &mut [T]) -> Result<()> {
        let to: &mut [u8] = bytemuck::cast_slice_mut(to);
        check_length(self.format(), self.length(), to.len())?;
        self.copy_out([0; 3], self.size(), to, Pitches::packed(self.format(), self.size()))
    }

    /// Overwrites all bytes, slices and rows without padding. CM: `WriteSurface`.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if there are more or fewer bytes; the surface is then unchanged.
    /// [`Error::LevelZero`] if the GPU reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut surface = Surface3D::new(&Device::best()?, Format::R8, 2, 1, 2)?;
    /// surface.write_bytes(&[1, 2, 3, 4])?;
    /// assert_eq!(surface.to_vec()?, [1, 2, 3, 4]);
    /// assert!(surface.write_bytes(&[1, 2, 3]).is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn write_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_box([0; 3], self.size(), bytes)
    }

    /// Overwrites all bytes with the bytes of elements, like [`write_bytes`](Self::write_bytes).
    ///
    /// # Errors
    /// The errors of [`write_bytes`](Self::write_bytes).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut surface = Surface3D::new(&Device::best()?, Format::R16, 1, 1, 2)?;
    /// surface.write_slice(&[7u16, 8])?;
    /// let mut elements = [0u16; 2];
    /// surface.read_into(&mut elements)?;
    /// assert_eq!(elements, [7, 8]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn write_slice<T: Elem>(&mut self, elements: &[T]) -> Result<()> {
        self.write_bytes(bytemuck::cast_slice(elements))
    }

    /// Overwrites all bytes with rows and slices with pitches: row `y` of slice `z` starts at byte
    /// `z * slice_pitch + y * row_pitch` of `rows`. Both pitches are in bytes. The last row needs no padding, and bytes
    /// after it are ignored.
    ///
    /// # Errors
    /// [`Error::RowPitch`] if the row pitch is shorter than a row or not a multiple of the texel size;
    /// [`Error::SlicePitch`] if the slice pitch is shorter than a slice or not a multiple of the texel size;
    /// [`Error::ShortRows`] if the last row ends after the end of `rows`. The surface is then unchanged.
    /// [`Error::LevelZero`] if the GPU reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut surface = Surface3D::new(&Device::best()?, Format::R8, 2, 2, 2)?;
    /// surface.write_rows(&[1, 2, 0, 3, 4, 0, 0, 5, 6, 0, 7, 8], 3, 7)?;
    /// assert_eq!(surface.to_vec()?, [1, 2, 3, 4, 5, 6, 7, 8]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn write_rows(&mut self, rows: &[u8], row_pitch: usize, slice_pitch: usize) -> Result<()> {
        let pitches = self.pitched(rows.len(), row_pitch, slice_pitch)?;
        self.copy_in([0; 3], self.size(), rows, pitches)
    }

    /// Copies all bytes to rows and slices with pitches, in the layout of [`write_rows`](Self::write_rows). The bytes
    /// between the rows and after them do not change. Waits for all earlier launches.
    ///
    /// # Errors
    /// The errors of [`write_rows`](Self::write_rows).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let surface = Surface3D::from_bytes(&Device::best()?, Format::R8, 1, 2, 2, &[1, 2, 3, 4])?;
    /// let mut rows = [9; 9];
    /// surface.read_rows(&mut rows, 2, 6)?;
    /// assert_eq!(rows, [1, 9, 2, 9, 9, 9, 3, 9, 4]); // 9 was there before
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn read_rows(&self, rows: &mut [u8], row_pitch: usize, slice_pitch: usize) -> Result<()> {
        let pitches = self.pitched(rows.len(), row_pitch, slice_pitch)?;
        self.copy_out([0; 3], self.size(), rows, pitches)
    }

    /// Copies the bytes of a box out, slices and rows without padding. `start` is the column, row and slice
    /// of its first texel, `size` its columns, rows and slices. Waits for all earlier launches.
    ///
    /// # Errors
    /// [`Error::Box3d`] if the box is empty or not inside the surface; otherwise as [`to_vec`](Self::to_vec).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::best()?;
    /// let surface = Surface3D::from_bytes(&device, Format::R8, 2, 2, 2, &[1, 2, 3, 4, 5, 6, 7, 8])?;
    /// assert_eq!(surface.read_box([1, 0, 0], [1, 2, 2])?, [2, 4, 6, 8]);
    /// assert_eq!(surface.read_box([0, 0, 1], [2, 2, 1])?, [5, 6, 7, 8]);
    /// assert!(surface.read_box([1, 0, 0], [2, 1, 1]).is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn read_box(&self, start: [usize; 3], size: [usize; 3]) -> Result<Vec<u8>> {
        self.check_box(start, size)?;
        let length = size.iter().product::<usize>() * self.format().texel_bytes();
        let mut bytes = zeros(length)?;
        self.copy_out(start, size, &mut bytes, Pitches::packed(self.format(), size))?;
        Ok(bytes)
    }

    /// Overwrites the bytes of a box, slices and rows without padding; the first two arguments are those of
    /// [`read_box`](Self::read_box).
    ///
    /// # Errors
    /// The errors of [`read_box`](Self::read_box) and [`write_bytes`](Self::write_bytes); the surface is then
    /// unchanged.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut surface = Surface3D::new(&Device::best()?, Format::R8, 2, 1, 2)?;
    /// surface.write_box([1, 0, 0], [1, 1, 2], &[7, 8])?;
    /// assert_eq!(surface.to_vec()?, [0, 7, 0, 8]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn write_box(&mut self, start: [usize; 3], size: [usize; 3], bytes: &[u8]) -> Result<()> {
        self.check_box(start, size)?;
        let length = size.iter().product::<usize>() * self.format().texel_bytes();
        check_length(self.format(), length, bytes.len())?;
        self.copy_in(start, size, bytes, Pitches::packed(self.format(), size))
    }

    /// The pitches, if they fit the surface and `bytes` bytes contain all rows.
    fn pitched(&self, bytes: usize, row_pitch: usize, slice_pitch: usize) -> Result<Pitches> {
        let [width, height, depth] = self.size();
        let multiple = self.format().texel_bytes();
        let row = width * multiple;
        check_pitch(self.format(), row, row_pitch)?;
        let short = |needed| Error::ShortRows { needed, found: bytes };
        // The last row of a slice needs no padding.
        let slice = row_pitch.checked_mul(height - 1).and_then(|last| last.checked_add(row));
        let slice = slice.ok_or_else(|| short(usize::MAX))?;
        if slice_pitch < slice || !slice_pitch.is_multiple_of(multiple) {
            return Err(Error::SlicePitch { slice_pitch, slice, multiple });
        }
        let end = slice_pitch.checked_mul(depth - 1).and_then(|last| last.checked_add(slice));
        let end = end.ok_or_else(|| short(usize::MAX))?;
        if end > bytes { Err(short(end)) } else { Ok(Pitches { row: row_pitch, slice: slice_pitch }) }
    }
}
