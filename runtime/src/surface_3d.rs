//! 3-D surfaces. The host keeps one as the rows of all slices, one after the other.

use cm_dsl::backend::{Backend, Staged};
use cm_dsl::kernel::{ArgSource, Argument, ArgumentKind, ByReference, ParamKind};
use cm_dsl::stage::{Declared, DeclaredIn};
use cm_dsl::surface_3d::Surface3d;
use cm_macros::inlined;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::host_memory::zeros;
use crate::level_zero::Batches;
use crate::rect::{Rect, is_inside};
use crate::rows::{Rows, RowsMut};
use crate::surface::{Surface2D, checked_length};

/// A three-dimensional surface: `depth` slices of `width` x `height` texels of a [`Format`]. CM: `CmSurface3D`.
///
/// A surface of a GPU belongs to it, one of the CPU to all CPU devices. Its bytes are copied in and out slice by slice,
/// without padding: texel `(x, y, z)` is number `(z * height + y) * width + x`.
///
/// # In a kernel
///
/// A kernel that takes `&Surface3D` reads the surface; a kernel that takes `&mut Surface3D` reads and writes it. In the
/// kernel the surface has typed accesses, which are documented at [`Surface3d`]:
///
/// | Method | What it does |
/// |---|---|
/// | [`s.read_typed::<u32, CM_R, 1, 16>(&u, &v, &r)`](Surface3d::read_typed) | reads channels of texels by column, row and slice |
/// | [`s.write_typed::<CM_R, 1, 16>(&u, &v, &r, &m)`](Surface3d::write_typed) | writes channels of texels |
/// | [`s.write_typed_atomic::<u32, 16>(atomic::Inc, &u, &v, &r)`](Surface3d::write_typed_atomic) | updates texels atomically |
///
/// Reads outside the surface return 0; out-of-bounds writes are dropped. There are no media blocks, planes and fields.
///
/// ```
/// use cm::channels::CM_R;
/// use cm::prelude::*;
///
/// /// Adds every slice to the one before. A kernel thread does this for 8 columns of a row.
/// #[kernel]
/// fn accumulate(cube: &mut Surface3D, slices: u32) {
///     let u = Vector::<u32, 8>::from_array([0, 1, 2, 3, 4, 5, 6, 7]) + thread_origin_x() * 8;
///     let v = Vector::<u32, 8>::splat(0) + thread_origin_y();
///     let mut sum = Matrix::<u32, 1, 8>::splat(0);
///     for z in 0..slices {
///         let r = Vector::<u32, 8>::splat(0) + z;
///         sum += cube.read_typed::<u32, CM_R, 1, 8>(&u, &v, &r);
///         cube.write_typed::<CM_R, 1, 8>(&u, &v, &r, &sum);
///     }
/// }
///
/// let device = Device::best()?;
/// let mut cube = Surface3D::from_bytes(&device, Format::R8, 16, 2, 3, &[5; 96])?;
/// accumulate::launch(&device, ThreadSpace::new(2, 2)?, &mut cube, 3)?;
/// assert_eq!(cube.to_vec()?, [[5; 32], [10; 32], [15; 32]].concat());
/// # Ok::<(), cm::Error>(())
/// ```
pub struct Surface3D {
    rows: Surface2D,
}

/// The largest size in each dimension: the limit of CM, and of the images of GPUs.
const LIMIT: usize = 2048;

impl Surface3D {
    /// Creates a surface of zero bytes; `width` in texels, `height` in rows, `depth` in slices. CM: `CreateSurface3D`.
    ///
    /// # Errors
    /// [`Error::Surface3d`] if a size is not from 1 to 2048, or the format is not `R8`, `R16`, `R32`, `R32F`
    /// or `Rgba8`; [`Error::SurfaceTooLarge`] if its bytes exceed the address space; [`Error::OutOfMemory`]; [`Error::SurfaceInBuffer`] if the GPU has no images and the
    /// surface has 2 GiB or more; [`Error::LevelZero`] if the GPU does not support the size.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::cpu()?;
    /// let surface = Surface3D::new(&device, Format::R16, 3, 2, 2)?;
    /// assert_eq!(surface.to_vec()?, [0; 24]);
    /// assert!(Surface3D::new(&device, Format::R16, 3, 0, 2).is_err());
    /// assert!(Surface3D::new(&device, Format::Nv12, 4, 2, 2).is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn new(device: &Device, format: Format, width: usize, height: usize, depth: usize) -> Result<Self> {
        Self::filled(device, format, [width, height, depth], None)
    }

    /// The number of texels in a row.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let surface = Surface3D::new(&Device::cpu()?, Format::R16, 4, 3, 2)?;
    /// assert_eq!(surface.width(), 4);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub const fn width(&self) -> usize {
        self.rows.width()
    }

    /// The number of rows in a slice.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let surface = Surface3D::new(&Device::cpu()?, Format::R16, 4, 3, 2)?;
    /// assert_eq!(surface.height(), 3);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub const fn height(&self) -> usize {
        self.rows.height() / self.depth()
    }

    /// The number of slices.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let surface = Surface3D::new(&Device::cpu()?, Format::R16, 4, 3, 2)?;
    /// assert_eq!(surface.depth(), 2);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub const fn depth(&self) -> usize {
        match self.rows.slices() {
            Some(slices) => slices,
            None => 1,
        }
    }

    /// The format of the texels.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let surface = Surface3D::new(&Device::cpu()?, Format::R16, 4, 3, 2)?;
    /// assert_eq!(surface.format(), Format::R16);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub const fn format(&self) -> Format {
        self.rows.format()
    }

    /// The rows of all slices.
    pub(crate) const fn rows(&self) -> &Surface2D {
        &self.rows
    }

    /// The rows of all slices.
    pub(crate) const fn rows_mut(&mut self) -> &mut Surface2D {
        &mut self.rows
    }

    /// Columns, rows and slices.
    pub(crate) const fn size(&self) -> [usize; 3] {
        [self.width(), self.height(), self.depth()]
    }

    /// A surface with the bytes of these rows, those of all slices, or with zeros.
    pub(crate) fn filled(
        device: &Device,
        format: Format,
        size: [usize; 3],
        bytes: Option<(&[u8], Pitches)>,
    ) -> Result<Self> {
        let [width, height, depth] = checked(format, size)?;
        let rows = bytes.and_then(|(bytes, pitches)| pitches.rows(bytes, size, format));
        let rows = Surface2D::of_one_plane(device, format, [width, height * depth], Some(depth), rows)?;
        let mut surface = Self { rows };
        // Slices with padding between them are copied one by one.
        if let Some((bytes, pitches)) = bytes
            && pitches.rows(bytes, size, format).is_none()
        {
            surface.copy_in([0; 3], size, bytes, pitches)?;
        }
        Ok(surface)
    }

    /// Checks that a box has texels and is inside the surface.
    pub(crate) fn check_box(&self, start: [usize; 3], size: [usize; 3]) -> Result<()> {
        let surface = self.size();
        let inside = (0..3).all(|axis| size[axis] > 0 && is_inside(start[axis], size[axis], surface[axis]));
        if inside { Ok(()) } else { Err(Error::Box3d { start, size, surface }) }
    }

    /// The rows of a box in one slice.
    fn rect([x, y, z]: [usize; 3], [width, height, _]: [usize; 3], rows: usize) -> Rect {
        Rect { x, y: z * rows + y, width, height }
    }

    /// Copies a box that is inside the surface to rows with these pitches.
    pub(crate) fn copy_out(
        &self,
        [x, y, z]: [usize; 3],
        size: [usize; 3],
        to: &mut [u8],
        pitches: Pitches,
    ) -> Result<()> {
        let Pitches { row: row_pitch, slice } = pitches;
        let (row, [_, height, depth]) = (size[0] * self.format().texel_bytes(), size);
        if size == self.size() && slice == height * row_pitch {
            let to = RowsMut::pitched(to, row_pitch, row, height * depth);
            return self.rows.read_plane(self.rows.whole(), to);
        }
        for n in 0..depth {
            let rect = Self::rect([x, y, z + n], size, self.height());
            let to = RowsMut::pitched(&mut to[n * slice..], row_pitch, row, height);
            self.rows.read_plane(rect, to)?;
        }
        Ok(())
    }

    /// Copies rows with these pitches to a box that is inside the surface.
    pub(crate) fn copy_in(
        &mut self,
        [x, y, z]: [usize; 3],
        size: [usize; 3],
        from: &[u8],
        pitches: Pitches,
    ) -> Result<()> {
        if let Some(rows) = pitches.rows(from, size, self.format()).filter(|_| size == self.size()) {
            return self.rows.write_plane(self.rows.whole(), rows, None);
        }
        let Pitches { row: row_pitch, slice } = pitches;
        let (texel, [width, height, depth]) = (self.format().texel_bytes(), size);
        let rows = |n: usize| Rows::pitched(&from[n * slice..], row_pitch, width * texel, height);
        if self.rows.in_buffer(None).is_some() {
            // A part of a buffer is written by writing all of it, so all slices are changed at once.
            let whole = Pitches::packed(self.format(), self.size());
            let mut all = zeros(self.length())?;
            self.copy_out([0; 3], self.size(), &mut all, whole)?;
            for n in 0..depth {
                let first = (z + n) * whole.slice + y * whole.row + x * texel;
                rows(n).copy_to(&mut all[first..], whole.row);
            }
            return self.copy_in([0; 3], self.size(), &all, whole);
        }
        // Only the last copy waits. Others may be submitted by another thread meanwhile.
        let batches = Batches::default();
        for n in 0..depth {
            let rect = Self::rect([x, y, z + n], size, self.height());
            self.rows.write_plane(rect, rows(n), (n + 1 < depth).then_some(&batches))?;
        }
        batches.check()
    }

    /// Bytes of all texels.
    pub(crate) fn length(&self) -> usize {
        self.rows.length()
    }
}

/// Bytes from row to row and from slice to slice.
#[derive(Clone, Copy)]
pub(crate) struct Pitches {
    pub(crate) row: usize,
    pub(crate) slice: usize,
}

impl Pitches {
    /// Those of a box without padding.
    pub(crate) fn packed(format: Format, [width, height, _]: [usize; 3]) -> Self {
        let row = width * format.texel_bytes();
        Self { row, slice: row * height }
    }

    /// The rows of a box as those of one slice, if there is no padding between slices.
    fn rows(self, bytes: &[u8], [width, height, depth]: [usize; 3], format: Format) -> Option<Rows<'_>> {
        let row = width * format.texel_bytes();
        (self.slice == self.row * height).then(|| Rows::pitched(bytes, self.row, row, height * depth))
    }
}

/// The size of a 3-D surface of this format, if it is legal.
pub(crate) fn checked(format: Format, size: [usize; 3]) -> Result<[usize; 3]> {
    let [width, height, depth] = size;
    if !format.is_typed() || !size.iter().all(|size| (1..=LIMIT).contains(size)) {
        return Err(Error::Surface3d { width, height, depth, format, limit: LIMIT });
    }
    // On 32-bit targets the largest sizes have more bytes than the address space.
    checked_length(format, width, height * depth).map(|_| size)
}

#[doc(hidden)]
impl<B: Backend> Staged<B> for Surface3D {
    type Ty = Surface3d<B>;
}

#[doc(hidden)]
impl<B: Backend> Declared<B> for Surface3D {
    type Ty = Surface3d<B>;
}

#[doc(hidden)]
impl<B: Backend, const FILE: usize> DeclaredIn<B, FILE> for Surface3D {
    type Ty = Surface3d<B>;
}

#[doc(hidden)]
impl Argument<ByReference> for Surface3D {
    type Host = Self;
    type Bound<B: Backend> = Surface3d<B>;
    type Lent<'l, B: Backend> = &'l mut Surface3d<B>;
    const KIND: ArgumentKind = ArgumentKind::One(ParamKind::Surface3d { writable: false });

    #[inlined]
    fn bind<B: Backend>(source: &mut impl ArgSource<B>) -> Surface3d<B> {
        Surface3d::new(source.surface())
    }

    #[inlined]
    fn copy<B: Backend>(bound: &Surface3d<B>) -> Surface3d<B> {
        Surface3d::copy(bound)
    }

    #[inlined]
    fn lend<B: Backend>(bound: &mut Surface3d<B>) -> &mut Surface3d<B> {
        bound
    }
}
