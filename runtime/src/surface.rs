//! Surfaces.

use std::ops::Range;

use cm_compiler::ir::{Field, Plane};
use cm_compiler::spirv::{LINEAR_PITCH, LinearShape};
use cm_dsl::backend::Backend;
use cm_dsl::backend::Staged;
use cm_dsl::kernel::{ArgSource, Argument, ByReference, ParamKind};
use cm_dsl::stage::Declared;
use cm_dsl::surface::Surface;
use smallvec::SmallVec;

use crate::cpu::Layout;
use crate::device::{Device, Kind};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::level_zero::{DeviceImage, DeviceMemory};
use crate::rect::Rect;

/// A two-dimensional surface: `width` x `height` texels of a [`Format`]. CM: `CmSurface2D`.
///
/// Outside kernels a surface belongs to one device, and its bytes are copied in and out row by row, without
/// padding.
///
/// # In a kernel
///
/// A kernel that takes `&Surface2D` reads the surface; one that takes `&mut Surface2D` reads and writes it.
/// There the surface has these methods, which are documented at [`Surface`]:
///
/// | Method | What it does |
/// |---|---|
/// | [`s.read::<u8, 8, 32>(x, y)`](Surface::read) | reads a block of 8 rows of 32 bytes as a matrix |
/// | [`s.write(x, y, &m)`](Surface::write) | writes a matrix, or a vector as one row |
/// | [`s.plane(Plane::Uv)`](Surface::plane) | a plane of a picture, which has these methods too |
///
/// `x` counts bytes, `y` counts rows. Reads beyond the edge repeat the nearest texel; out-of-bounds writes
/// are dropped.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn invert(input: &Surface2D, output: &mut Surface2D) {
///     let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 8);
///     let m = input.read::<u8, 8, 32>(x, y);
///     output.write(x, y, &(255 - m).convert::<u8>());
/// }
///
/// let device = Device::best()?;
/// let input = Surface2D::from_bytes(&device, Format::R8, 64, 16, &[1; 1024])?;
/// let mut output = Surface2D::new(&device, Format::R8, 64, 16)?;
/// invert::launch(&device, ThreadSpace::new(2, 2)?, &input, &mut output)?;
/// assert_eq!(output.to_vec()?, [254; 1024]);
/// # Ok::<(), cm::Error>(())
/// ```
pub struct Surface2D {
    format: Format,
    width: usize,
    height: usize,
    /// Of a format with planes, plane Y.
    memory: Backing,
    /// The planes after it, each a surface.
    chroma: Vec<Surface2D>,
}

/// Where the rows of a surface made from a buffer are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LinearRows {
    /// The first byte.
    pub(crate) offset: usize,
    /// Bytes from one row to the next.
    pub(crate) pitch: usize,
}

impl LinearRows {
    /// The bytes of a buffer of so many rows.
    fn read(self, memory: &DeviceMemory, height: usize) -> Result<Vec<u8>> {
        let mut all = reserved(self.pitch * height)?;
        all.resize(self.pitch * height, 0);
        memory.read(&mut all)?;
        Ok(all)
    }
}

/// Most bytes of a surface in a buffer: kernels count them by `i32`, also near the edges.
const MOST_IN_BUFFER: usize = i32::MAX as usize - (1 << 10);

/// Where the bytes are.
#[derive(Debug)]
enum Backing {
    /// For the CPU.
    Host(Vec<u8>),
    /// For the CPU, over the memory of a buffer.
    Linear(Vec<u8>, LinearRows),
    /// On a GPU.
    Image(DeviceImage),
    /// On a GPU, in a buffer of whole rows.
    Memory(DeviceMemory, LinearRows),
}

impl Surface2D {
    /// Creates a surface of zero bytes; `width` in texels, `height` in rows. CM: `CreateSurface2D`.
    ///
    /// # Errors
    /// [`Error::EmptySurface`], [`Error::OddWidth`] for YUV, [`Error::OddHeight`] for planar YUV,
    /// [`Error::SurfaceTooLarge`] or [`Error::OutOfMemory`]; [`Error::LevelZero`] if the GPU does not support the
    /// format or the size.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::cpu()?;
    /// let surface = Surface2D::new(&device, Format::R16, 3, 2)?;
    /// assert_eq!(surface.to_vec()?, [0; 12]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn new(device: &Device, format: Format, width: usize, height: usize) -> Result<Self> {
        Self::filled(device, format, width, height, None)
    }

    /// Creates a surface from its bytes: `width * height` texels, rows without padding. `width` in texels,
    /// `height` in rows. Of a format with planes these are the bytes of all planes, one after the other in the
    /// order of [`Format::planes`]. CM: `CreateSurface2D` and `WriteSurface`.
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
        Self::filled(device, format, width, height, Some(bytes))
    }

    /// Copies all bytes out, rows without padding. Waits for the launches before it. CM: `ReadSurface`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::LevelZero`] if the GPU reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let surface = Surface2D::from_bytes(&Device::best()?, Format::R16, 1, 2, &[1, 2, 3, 4])?;
    /// assert_eq!(surface.to_vec()?, [1, 2, 3, 4]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        self.read_rect(0, 0, self.width, self.height)
    }

    /// Overwrites all bytes, rows without padding. CM: `WriteSurface`.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if there are more or fewer bytes; the surface is then unchanged.
    /// [`Error::LevelZero`] if the GPU reports an error.
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
        self.write_rect(0, 0, self.width, self.height, bytes)
    }

    /// Copies the bytes of a rectangle out, rows without padding. Its first texel is in column `x` of row
    /// `y`; `x` and `width` in texels, `y` and `height` in rows. Of a format with planes it is a picture of that
    /// format.
    ///
    /// # Errors
    /// [`Error::Rectangle`] if the rectangle is empty, is not inside the surface, or splits texels that share
    /// their chroma; otherwise as [`to_vec`](Self::to_vec).
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
        let mut bytes = reserved(self.format.picture_bytes(width * height * self.format.texel_bytes()))?;
        self.append_to(rect, &mut bytes)?;
        self.chroma.iter().try_for_each(|plane| plane.append_to(rect.halved(), &mut bytes))?;
        Ok(bytes)
    }

    /// Overwrites the bytes of a rectangle, rows without padding; the arguments are those of
    /// [`read_rect`](Self::read_rect).
    ///
    /// # Errors
    /// As [`read_rect`](Self::read_rect) and [`write_bytes`](Self::write_bytes); the surface is then
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
        let luma = width * height * self.format.texel_bytes();
        check_length(self.format, self.format.picture_bytes(luma), bytes)?;
        let (luma, chroma) = bytes.split_at(luma);
        self.overwrite(rect, luma)?;
        let each = chroma.len() / self.chroma.len().max(1);
        for (n, plane) in self.chroma.iter_mut().enumerate() {
            plane.overwrite(rect.halved(), &chroma[n * each..(n + 1) * each])?;
        }
        Ok(())
    }

    /// The number of texels in a row.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let surface = Surface2D::new(&Device::cpu()?, Format::R16, 3, 2)?;
    /// assert_eq!(surface.width(), 3);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let surface = Surface2D::new(&Device::cpu()?, Format::R16, 3, 2)?;
    /// assert_eq!(surface.height(), 2);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub const fn height(&self) -> usize {
        self.height
    }

    /// The format of the texels.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let surface = Surface2D::new(&Device::cpu()?, Format::R16, 3, 2)?;
    /// assert_eq!(surface.format(), Format::R16);
    /// # Ok::<(), cm::Error>(())
    /// ```
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
        self.apart().map_or(self.row_bytes(), |rows| rows.pitch)
    }

    /// Where the rows lie if the surface was made from a buffer.
    pub(crate) const fn linear(&self) -> Option<LinearRows> {
        match &self.memory {
            Backing::Linear(_, rows) => Some(*rows),
            Backing::Host(_) | Backing::Image(_) | Backing::Memory(..) => None,
        }
    }

    /// Where the rows lie if they need not be one behind the other.
    const fn apart(&self) -> Option<LinearRows> {
        match &self.memory {
            Backing::Linear(_, rows) | Backing::Memory(_, rows) => Some(*rows),
            Backing::Host(_) | Backing::Image(_) => None,
        }
    }

    /// The bytes from the first texel on, if the CPU has them: `height` rows, a pitch apart, each of which is
    /// complete.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match &self.memory {
            Backing::Host(bytes) => Some(bytes),
            Backing::Linear(bytes, rows) => Some(&bytes[rows.offset..]),
            Backing::Image(_) | Backing::Memory(..) => None,
        }
    }

    /// The bytes of each plane and how they lie, if the CPU has them.
    pub(crate) fn planes_mut(&mut self) -> impl Iterator<Item = Option<(&mut [u8], Layout)>> {
        let layouts: SmallVec<[Layout; 1]> = self.planes().map(Self::layout).collect();
        std::iter::once(&mut self.memory)
            .chain(self.chroma.iter_mut().map(|plane| &mut plane.memory))
            .zip(layouts)
            .map(|(memory, layout)| match memory {
                Backing::Host(bytes) => Some((&mut bytes[..], layout)),
                Backing::Linear(bytes, rows) => Some((&mut bytes[rows.offset..], layout)),
                Backing::Image(_) | Backing::Memory(..) => None,
            })
    }

    /// The planes, the surface itself first.
    pub(crate) fn planes(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.chroma)
    }

    /// The plane of which a view shows rows; the surface itself for plane Y.
    pub(crate) fn plane(&self, plane: Plane) -> Option<&Self> {
        self.planes().nth(self.format.plane(plane)?.0)
    }

    /// The image, if a GPU has it.
    pub(crate) fn image(&self) -> Option<&DeviceImage> {
        match &self.memory {
            Backing::Host(_) | Backing::Linear(..) | Backing::Memory(..) => None,
            Backing::Image(image) => Some(image),
        }
    }

    /// The buffer, if a GPU has the surface in one, and how a field of it or all of it lies there.
    pub(crate) fn in_buffer(&self, field: Option<Field>) -> Option<(&DeviceMemory, LinearShape)> {
        let Backing::Memory(memory, LinearRows { offset, pitch }) = &self.memory else { return None };
        let (first, step, height) = match field {
            None => (0, 1, self.height),
            Some(field) => (field.first(), 2, field.rows(self.height)),
        };
        let shape = LinearShape {
            first: offset + first * pitch,
            pitch: step * pitch,
            width: self.row_bytes(),
            height,
            period: self.format.alignment(),
            replaced: self.format.replaced(),
        };
        Some((memory, shape))
    }

    /// How the bytes lie.
    pub(crate) fn layout(&self) -> Layout {
        Layout { format: self.format, width: self.row_bytes(), pitch: self.pitch(), height: self.height }
    }

    /// The surface over the memory of a buffer, in which all rows lie.
    pub(crate) fn over(
        format: Format,
        width: usize,
        height: usize,
        bytes: Vec<u8>,
        rows: LinearRows,
    ) -> Self {
        Self { format, width, height, memory: Backing::Linear(bytes, rows), chroma: vec![] }
    }

    /// All of the buffer's memory, if the surface was made from one.
    pub(crate) fn into_memory(self) -> Option<Vec<u8>> {
        match self.memory {
            Backing::Linear(bytes, _) => Some(bytes),
            Backing::Host(_) | Backing::Image(_) | Backing::Memory(..) => None,
        }
    }

    /// A rectangle that is inside.
    fn checked(&self, rect: Rect) -> Result<Rect> {
        let Rect { x, y, width, height } = rect;
        let inside = |start: usize, extent: usize, size: usize| {
            extent > 0 && start.checked_add(extent).is_some_and(|end| end <= size)
        };
        let whole = |paired: bool, at: usize, extent: usize| {
            !paired || at.is_multiple_of(2) && extent.is_multiple_of(2)
        };
        let (columns, rows) = self.format.pairs();
        let pairs = whole(columns, x, width) && whole(rows, y, height);
        if pairs && inside(x, width, self.width) && inside(y, height, self.height) {
            return Ok(rect);
        }
        let (surface_width, surface_height, format) = (self.width, self.height, self.format);
        Err(Error::Rectangle { x, y, width, height, surface_width, surface_height, format })
    }

    /// Where the pieces of a rectangle are among the bytes of the CPU.
    fn rows(&self, rect: Rect) -> impl Iterator<Item = Range<usize>> + use<> {
        // `use<>`: the ranges must not borrow the surface, whose bytes are written by them.
        let (texel, pitch) = (self.format.texel_bytes(), self.pitch());
        let first = self.apart().map_or(0, |rows| rows.offset);
        // Whole rows without anything between them are one piece.
        let (pieces, bytes) = if rect.width * texel == pitch {
            (1, rect.height * pitch)
        } else {
            (rect.height, rect.width * texel)
        };
        (rect.y..rect.y + pieces).map(move |y| {
            let start = first + y * pitch + rect.x * texel;
            start..start + bytes
        })
    }

    /// Appends the bytes of a rectangle, of a format with planes of plane Y.
    fn append_to(&self, rect: Rect, bytes: &mut Vec<u8>) -> Result<()> {
        match &self.memory {
            Backing::Host(memory) | Backing::Linear(memory, _) => {
                self.rows(rect).for_each(|row| bytes.extend_from_slice(&memory[row]));
            }
            Backing::Image(image) => {
                let start = bytes.len();
                bytes.resize(start + rect.width * rect.height * self.format.texel_bytes(), 0);
                image.read(rect, &mut bytes[start..])?;
            }
            Backing::Memory(memory, rows) => {
                let all = rows.read(memory, self.height)?;
                self.rows(rect).for_each(|row| bytes.extend_from_slice(&all[row]));
            }
        }
        Ok(())
    }

    /// Overwrites a rectangle, of a format with planes of plane Y.
    fn overwrite(&mut self, rect: Rect, mut bytes: &[u8]) -> Result<()> {
        let rows = self.rows(rect);
        match &mut self.memory {
            Backing::Host(memory) | Backing::Linear(memory, _) => {
                for row in rows {
                    let (piece, rest) = bytes.split_at(row.len());
                    memory[row].copy_from_slice(piece);
                    bytes = rest;
                }
            }
            Backing::Image(image) => image.write(rect, bytes)?,
            Backing::Memory(memory, linear) => {
                let mut all = linear.read(memory, self.height)?;
                for row in rows {
                    let (piece, rest) = bytes.split_at(row.len());
                    all[row].copy_from_slice(piece);
                    bytes = rest;
                }
                memory.write(&all)?;
            }
        }
        Ok(())
    }

    /// A surface with these bytes, or with zeros.
    fn filled(
        device: &Device,
        format: Format,
        width: usize,
        height: usize,
        bytes: Option<&[u8]>,
    ) -> Result<Self> {
        let length = checked_length(format, width, height)?;
        if let Some(bytes) = bytes {
            check_length(format, length, bytes)?;
        }
        let luma = width * height * format.texel_bytes();
        let (first, rest) = (bytes.map(|bytes| &bytes[..luma]), bytes.map(|bytes| &bytes[luma..]));
        let mut surface = Self::of_one_plane(device, format, width, height, first)?;
        let planes = format.chroma();
        for (n, (_, format)) in planes.iter().enumerate() {
            let part =
                rest.map(|rest| &rest[n * rest.len() / planes.len()..(n + 1) * rest.len() / planes.len()]);
            surface.chroma.push(Self::of_one_plane(device, *format, width / 2, height / 2, part)?);
        }
        Ok(surface)
    }

    /// A surface without the planes after plane Y.
    fn of_one_plane(
        device: &Device,
        format: Format,
        width: usize,
        height: usize,
        bytes: Option<&[u8]>,
    ) -> Result<Self> {
        let length = width * height * format.texel_bytes();
        let memory = match device.kind() {
            Kind::Cpu(_) => {
                let mut memory = reserved(length)?;
                match bytes {
                    Some(bytes) => memory.extend_from_slice(bytes),
                    None => memory.resize(length, 0),
                }
                Backing::Host(memory)
            }
            Kind::LevelZero(gpu) if device.has_surfaces_in_buffers() => {
                let row = width * format.texel_bytes();
                let rows = LinearRows { offset: 0, pitch: row.next_multiple_of(LINEAR_PITCH) };
                let size = rows.pitch.saturating_mul(height);
                if size > MOST_IN_BUFFER {
                    return Err(Error::SurfaceInBuffer { bytes: size, limit: MOST_IN_BUFFER });
                }
                let padded = match bytes {
                    None => None,
                    Some(bytes) => {
                        let mut padded = reserved(size)?;
                        for row in bytes.chunks(row) {
                            padded.extend_from_slice(row);
                            padded.resize(padded.len().next_multiple_of(LINEAR_PITCH), 0);
                        }
                        Some(padded)
                    }
                };
                Backing::Memory(DeviceMemory::new(gpu, size, padded.as_deref())?, rows)
            }
            Kind::LevelZero(gpu) => Backing::Image(DeviceImage::new(gpu, format, width, height, bytes)?),
        };
        Ok(Self { format, width, height, memory, chroma: vec![] })
    }
}

/// Bytes of a surface, if it can be counted.
pub(crate) fn checked_length(format: Format, width: usize, height: usize) -> Result<usize> {
    // Kernels count bytes and rows by `i32`.
    let limit = i32::MAX as usize;
    if width == 0 || height == 0 {
        return Err(Error::EmptySurface { width, height });
    }
    let row = width.checked_mul(format.texel_bytes()).filter(|&row| row <= limit && height <= limit);
    // Rust allocates at most `isize::MAX` bytes.
    let length = row.and_then(|row| row.checked_mul(height)).filter(|&bytes| isize::try_from(bytes).is_ok());
    let length = length.ok_or(Error::SurfaceTooLarge { width, height, format, limit })?;
    let (columns, rows) = format.pairs();
    if columns && !width.is_multiple_of(2) {
        return Err(Error::OddWidth { width, format });
    }
    if rows && !height.is_multiple_of(2) {
        return Err(Error::OddHeight { height, format });
    }
    Ok(format.picture_bytes(length))
}

fn check_length(format: Format, expected: usize, bytes: &[u8]) -> Result<()> {
    let (found, texel) = (bytes.len(), format.texel_bytes());
    if found == expected { Ok(()) } else { Err(Error::WrongLength { expected, found, texel, format }) }
}

/// An empty vector with room for so many bytes.
fn reserved(bytes: usize) -> Result<Vec<u8>> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(bytes).map_err(|_| Error::OutOfMemory { bytes })?;
    Ok(memory)
}

#[doc(hidden)]
impl<B: Backend> Staged<B> for Surface2D {
    type Ty = Surface<B>;
}

#[doc(hidden)]
impl<B: Backend> Declared<B> for Surface2D {
    type Ty = Surface<B>;
}

#[doc(hidden)]
impl Argument<ByReference> for Surface2D {
    type Host = Self;
    type Bound<B: Backend> = Surface<B>;
    const KIND: ParamKind = ParamKind::Surface { writable: false };

    #[inline(always)]
    fn bind<B: Backend>(source: &mut impl ArgSource<B>) -> Surface<B> {
        Surface::new(source.surface())
    }
}
