//! Surfaces.

use std::num::NonZero;

use cm_compiler::ir::{Field, Plane};
use cm_compiler::spirv::{LINEAR_PITCH, LinearShape};
use cm_dsl::backend::Backend;
use cm_dsl::backend::Staged;
use cm_dsl::kernel::{ArgSource, Argument, ArgumentKind, ByReference, ParamKind};
use cm_dsl::stage::{Declared, DeclaredIn};
use cm_dsl::surface::Surface;
use cm_macros::inlined;
use smallvec::SmallVec;

use crate::cpu::Layout;
use crate::device::{Device, Kind};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::host_memory::{HostMemory, zeros};
use crate::level_zero::{Batches, DeviceBytes, DeviceImage, DeviceMemory};
use crate::rect::{Rect, is_inside};
use crate::rows::{Planes, Rows, RowsMut, bytes_of};

/// A two-dimensional surface: `width` x `height` texels of a [`Format`]. CM: `CmSurface2D`.
///
/// A surface of a GPU belongs to it, one of the CPU to all CPU devices. Its bytes are copied in and out row by row,
/// without padding.
///
/// # In a kernel
///
/// A kernel that takes `&Surface2D` reads the surface; a kernel that takes `&mut Surface2D` reads and writes it.
/// In the kernel the surface has these methods, which are documented at [`Surface`]:
///
/// | Method | What it does |
/// |---|---|
/// | [`s.read::<u8, 8, 32>(x, y)`](Surface::read) | reads a block of 8 rows of 32 bytes as a matrix |
/// | [`s.write(x, y, &m)`](Surface::write) | writes a matrix, or a vector as one row |
/// | [`s.plane(Plane::Uv)`](Surface::plane) | returns a plane of a picture, which has the same methods |
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
    /// For planar formats, plane Y.
    memory: Backing,
    /// The planes after plane Y, each a surface.
    chroma: Vec<Surface2D>,
    /// Of a 3-D surface: the slices whose rows these are, one after the other.
    slices: Option<usize>,
}

/// Where the rows of a surface made from a buffer are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LinearRows {
    /// The first byte.
    pub(crate) offset: usize,
    /// Bytes from one row to the next.
    pub(crate) pitch: usize,
}

/// The largest number of bytes of a surface in a buffer: kernels count them in `i32`, also near the edges.
const MOST_IN_BUFFER: usize = i32::MAX as usize - (1 << 10);

/// The most bytes of a row of a surface in a buffer, and the most rows: the numbers of messages for 2-D blocks have 24 bits,
/// and the rows of a field are two pitches apart.
const LONGEST_IN_BUFFER: usize = 1 << 23;

/// Where the bytes are.
#[derive(Debug)]
enum Backing {
    /// For the CPU.
    Host(HostMemory),
    /// For the CPU, over the memory of a buffer.
    Linear(HostMemory, LinearRows),
    /// On a GPU.
    Image(DeviceImage),
    /// On a GPU, in a buffer of whole rows.
    Memory(DeviceMemory, LinearRows),
}

impl Surface2D {
    /// Creates a surface of zero bytes; `width` in texels, `height` in rows. CM: `CreateSurface2D`.
    ///
    /// Both are at least 1. A row has less than 2 GiB, and there are fewer than 2^31 rows. GPUs have lower
    /// [limits](../cm/guide/limits/index.html), such as 16384 texels in each dimension on Gen9.
    ///
    /// # Errors
    /// [`Error::EmptySurface`], [`Error::OddWidth`] for YUV, [`Error::OddHeight`] for planar YUV,
    /// [`Error::SurfaceTooLarge`] or [`Error::OutOfMemory`]; [`Error::SurfaceInBuffer`] if surfaces of the device are in
    /// buffers and this one has 2 GiB or more; [`Error::LevelZero`] if the GPU does not support the format or the size.
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

    /// The slices of a 3-D surface whose rows these are.
    pub(crate) const fn slices(&self) -> Option<usize> {
        self.slices
    }

    /// Bytes of a row.
    pub(crate) const fn row_bytes(&self) -> usize {
        self.width * self.format.texel_bytes()
    }

    /// Bytes from one row to the next.
    pub(crate) fn pitch(&self) -> usize {
        self.apart().map_or(self.row_bytes(), |rows| rows.pitch)
    }

    /// The position of the rows if the surface was made from a buffer.
    pub(crate) const fn linear(&self) -> Option<LinearRows> {
        match &self.memory {
            Backing::Linear(_, rows) => Some(*rows),
            Backing::Host(_) | Backing::Image(_) | Backing::Memory(..) => None,
        }
    }

    /// The position of the rows if they may not be contiguous.
    const fn apart(&self) -> Option<LinearRows> {
        match &self.memory {
            Backing::Linear(_, rows) | Backing::Memory(_, rows) => Some(*rows),
            Backing::Host(_) | Backing::Image(_) => None,
        }
    }

    /// The bytes from the first texel on, if the CPU has them: `height` complete rows, a pitch apart.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match &self.memory {
            Backing::Host(bytes) => Some(bytes),
            Backing::Linear(bytes, rows) => Some(&bytes[rows.offset..]),
            Backing::Image(_) | Backing::Memory(..) => None,
        }
    }

    /// The bytes and the layout of each plane, if the CPU has them.
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

    /// The plane that a view shows; the surface itself for plane Y.
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

    /// The buffer, if a GPU has the surface in one; the byte in it at which the surface or a field of it begins; and
    /// the layout from there on.
    pub(crate) fn in_buffer(&self, field: Option<Field>) -> Option<(&DeviceMemory, usize, LinearShape)> {
        let Backing::Memory(memory, LinearRows { offset, pitch }) = &self.memory else { return None };
        let (first, step, height) = match field {
            None => (0, 1, self.height / self.slices.unwrap_or(1)),
            Some(field) => (field.first(), 2, field.rows(self.height)),
        };
        let shape = LinearShape {
            pitch: step * pitch,
            width: self.row_bytes(),
            height,
            slices: self.slices,
            period: self.format.alignment(),
            replaced: self.format.replaced(),
            texel: self.format.texel(),
        };
        Some((memory, offset + first * pitch, shape))
    }

    /// The layout of the bytes.
    pub(crate) fn layout(&self) -> Layout {
        let Self { format, height, .. } = *self;
        let number = |slices| u16::try_from(slices).ok().and_then(NonZero::new);
        let slices = self.slices.map(|slices| number(slices).expect("3-D surfaces have 1 to 2048 slices"));
        Layout { format, width: self.row_bytes(), pitch: self.pitch(), height, slices }
    }

    /// Whether the surface belongs to a device.
    pub(crate) fn is_on(&self, device: &Device) -> bool {
        match (&self.memory, device.kind()) {
            (Backing::Host(_) | Backing::Linear(..), Kind::Cpu(_)) => true,
            (Backing::Image(image), Kind::LevelZero(gpu)) => image.is_on(gpu),
            (Backing::Memory(memory, _), Kind::LevelZero(gpu)) => memory.is_on(gpu),
            _ => false,
        }
    }

    /// Starts the copy of the rows from a GPU, if one has them.
    pub(crate) fn read_device(&self) -> Result<Option<DeviceBytes>> {
        match &self.memory {
            Backing::Host(_) | Backing::Linear(..) => Ok(None),
            Backing::Image(image) => image.read(self.whole()).map(Some),
            Backing::Memory(memory, _) => memory.read().map(Some),
        }
    }

    /// The surface over the memory of a buffer that contains all rows.
    pub(crate) fn over(
        format: Format,
        width: usize,
        height: usize,
        bytes: HostMemory,
        rows: LinearRows,
    ) -> Self {
        Self { format, width, height, memory: Backing::Linear(bytes, rows), chroma: vec![], slices: None }
    }

    /// All of the buffer's memory, if the surface was made from one.
    pub(crate) fn into_memory(self) -> Option<HostMemory> {
        match self.memory {
            Backing::Linear(bytes, _) => Some(bytes),
            Backing::Host(_) | Backing::Image(_) | Backing::Memory(..) => None,
        }
    }

    /// The rectangle, if it is inside the surface.
    pub(crate) fn checked(&self, rect: Rect) -> Result<Rect> {
        let Rect { x, y, width, height } = rect;
        let whole = |paired: bool, at: usize, extent: usize| {
            !paired || at.is_multiple_of(2) && extent.is_multiple_of(2)
        };
        let (columns, rows) = self.format.pairs();
        let pairs = whole(columns, x, width) && whole(rows, y, height);
        let inside = is_inside(x, width, self.width) && is_inside(y, height, self.height);
        if pairs && inside && width > 0 && height > 0 {
            return Ok(rect);
        }
        let (surface_width, surface_height, format) = (self.width, self.height, self.format);
        Err(Error::Rectangle { x, y, width, height, surface_width, surface_height, format })
    }

    /// Checks that a picture or array of this size and format matches the surface.
    #[cfg(any(feature = "image", feature = "ndarray"))]
    pub(crate) fn check_picture(&self, format: Format, width: usize, height: usize) -> Result<()> {
        if (format, width, height) == (self.format, self.width, self.height) {
            return Ok(());
        }
        let (surface_width, surface_height, surface_format) = (self.width, self.height, self.format);
        Err(Error::OtherPicture { width, height, format, surface_width, surface_height, surface_format })
    }

    /// The whole surface.
    pub(crate) const fn whole(&self) -> Rect {
        Rect { x: 0, y: 0, width: self.width, height: self.height }
    }

    /// Bytes of all planes.
    pub(crate) fn length(&self) -> usize {
        self.format.picture_bytes(self.row_bytes() * self.height)
    }

    /// The part of each plane that belongs to a rectangle of the surface.
    fn parts(rect: Rect) -> impl Iterator<Item = Rect> {
        std::iter::once(rect).chain(std::iter::repeat(rect.halved()))
    }

    /// Copies a rectangle inside the surface to the rows of planes.
    pub(crate) fn copy_out(&self, rect: Rect, to: &mut [u8], planes: &Planes) -> Result<()> {
        for ((plane, part), rows) in self.planes().zip(Self::parts(rect)).zip(planes) {
            plane.read_plane(part, rows.of_mut(to))?;
        }
        Ok(())
    }

    /// Copies the rows of planes to a rectangle inside the surface. Waits for a GPU, or adds its batches to `batches`.
    pub(crate) fn copy_in(
        &mut self,
        rect: Rect,
        from: &[u8],
        planes: &Planes,
        batches: Option<&Batches>,
    ) -> Result<()> {
        for (n, (part, rows)) in Self::parts(rect).zip(planes).enumerate() {
            let plane = if n == 0 { &mut *self } else { &mut self.chroma[n - 1] };
            plane.write_plane(part, rows.of(from), batches)?;
        }
        Ok(())
    }

    /// The first byte of a plane's rectangle in the bytes of all rows.
    fn start(&self, rect: Rect) -> usize {
        let first = self.apart().map_or(0, |rows| rows.offset);
        first + rect.y * self.pitch() + rect.x * self.format.texel_bytes()
    }

    /// Copies a rectangle out; for planar formats a rectangle of plane Y.
    pub(crate) fn read_plane(&self, rect: Rect, to: RowsMut<'_>) -> Result<()> {
        let (start, pitch) = (self.start(rect), self.pitch());
        match &self.memory {
            Backing::Host(memory) | Backing::Linear(memory, _) => to.copy_from(&memory[start..], pitch),
            Backing::Image(image) => image.read(rect)?.copy_to(0, to.row, to)?,
            Backing::Memory(memory, _) => memory.copy_to(start, pitch, to)?,
        }
        Ok(())
    }

    /// Overwrites a rectangle; for planar formats a rectangle of plane Y.
    pub(crate) fn write_plane(
        &mut self,
        rect: Rect,
        from: Rows<'_>,
        batches: Option<&Batches>,
    ) -> Result<()> {
        let (start, pitch) = (self.start(rect), self.pitch());
        let all = (rect.width, rect.height) == (self.width, self.height);
        match &mut self.memory {
            Backing::Host(memory) | Backing::Linear(memory, _) => from.copy_to(&mut memory[start..], pitch),
            Backing::Image(image) => image.write(rect, from, batches)?,
            Backing::Memory(memory, _) if all => memory.write(from, pitch, batches)?,
            Backing::Memory(memory, _) => {
                let mut bytes = zeros(pitch * self.height)?;
                memory.copy_to(0, pitch * self.height, RowsMut::one(&mut bytes))?;
                from.copy_to(&mut bytes[start..], pitch);
                memory.write(Rows::one(&bytes), pitch * self.height, batches)?;
            }
        }
        Ok(())
    }

    /// A surface with the bytes of these planes, or with zeros.
    pub(crate) fn filled(
        device: &Device,
        format: Format,
        width: usize,
        height: usize,
        bytes: Option<(&[u8], &Planes)>,
    ) -> Result<Self> {
        checked_length(format, width, height)?;
        let rows = |n: usize| bytes.map(|(bytes, planes)| planes[n].of(bytes));
        let mut surface = Self::of_one_plane(device, format, [width, height], None, rows(0))?;
        for (n, (_, format)) in format.chroma().iter().enumerate() {
            let plane = Self::of_one_plane(device, *format, [width / 2, height / 2], None, rows(n + 1))?;
            surface.chroma.push(plane);
        }
        Ok(surface)
    }

    /// A surface without the planes after plane Y; or the rows of all slices of a 3-D surface.
    pub(crate) fn of_one_plane(
        device: &Device,
        format: Format,
        [width, height]: [usize; 2],
        slices: Option<usize>,
        rows: Option<Rows<'_>>,
    ) -> Result<Self> {
        let row = width * format.texel_bytes();
        let memory = match device.kind() {
            // `checked_length` has counted these bytes.
            Kind::Cpu(_) => Backing::Host(HostMemory::filled(row * height, |memory| {
                if let Some(rows) = rows {
                    rows.append_to(memory);
                }
            })?),
            Kind::LevelZero(gpu) if device.has_surfaces_in_buffers() => {
                let linear = LinearRows { offset: 0, pitch: row.next_multiple_of(LINEAR_PITCH) };
                if linear.pitch > LONGEST_IN_BUFFER || height > LONGEST_IN_BUFFER {
                    return Err(Error::SurfaceTooLarge { width, height, format, limit: LONGEST_IN_BUFFER });
                }
                let size = linear.pitch.saturating_mul(height);
                if size > MOST_IN_BUFFER {
                    return Err(Error::SurfaceInBuffer { bytes: size, limit: MOST_IN_BUFFER });
                }
                // 2-D blocks load powers of two of bytes: of the last row of a field also bytes behind it.
                Backing::Memory(DeviceMemory::new(gpu, (size, LINEAR_PITCH), rows, linear.pitch)?, linear)
            }
            Kind::LevelZero(gpu) => {
                Backing::Image(DeviceImage::new(gpu, format, [width, height], slices, rows)?)
            }
        };
        Ok(Self { format, width, height, memory, chroma: vec![], slices })
    }
}

/// Bytes of a surface, if they can be counted.
pub(crate) fn checked_length(format: Format, width: usize, height: usize) -> Result<usize> {
    // Kernels count bytes and rows in `i32`.
    let limit = i32::MAX as usize;
    if width == 0 || height == 0 {
        return Err(Error::EmptySurface { width, height });
    }
    let row = width.checked_mul(format.texel_bytes()).filter(|&row| row <= limit && height <= limit);
    // Rust allocates at most `isize::MAX` bytes.
    let length = row.and_then(|row| bytes_of(row, height, isize::MAX as usize));
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

/// Checks that the expected number of bytes is passed.
pub(crate) fn check_length(format: Format, expected: usize, found: usize) -> Result<()> {
    let texel = format.texel_bytes();
    if found == expected { Ok(()) } else { Err(Error::WrongLength { expected, found, texel, format }) }
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
impl<B: Backend, const FILE: usize> DeclaredIn<B, FILE> for Surface2D {
    type Ty = Surface<B>;
}

#[doc(hidden)]
impl Argument<ByReference> for Surface2D {
    type Host = Self;
    type Bound<B: Backend> = Surface<B>;
    type Lent<'l, B: Backend> = &'l mut Surface<B>;
    const KIND: ArgumentKind = ArgumentKind::One(ParamKind::Surface { writable: false });

    #[inlined]
    fn bind<B: Backend>(source: &mut impl ArgSource<B>) -> Surface<B> {
        Surface::new(source.surface())
    }

    #[inlined]
    fn copy<B: Backend>(bound: &Surface<B>) -> Surface<B> {
        Surface::copy(bound)
    }

    #[inlined]
    fn lend<B: Backend>(bound: &mut Surface<B>) -> &mut Surface<B> {
        bound
    }
}
