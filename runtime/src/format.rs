//! Formats of surfaces, and their edge rules.

use std::fmt;

use cm_compiler::ir::Plane;
use cm_compiler::ops::Texel;

/// The format of a surface: the size of a texel, and the edge rule.
///
/// Media blocks are bytes; a format does not convert them. Typed accesses, such as
/// [`read_typed`](cm_dsl::surface::Surface::read_typed), see the channels of a texel.
///
/// Reads of media blocks beyond the edge repeat the nearest texel: a byte, a word or a dword. In packed YUV they repeat
/// the chroma of the edge pair and its outer luma.
///
/// The formats `Nv12`, `P010`, `Yv12` and `I420` are planar: a luma plane, Y, followed by the chroma, which has half as
/// many columns and rows. Their width and height are even. Outside kernels such a surface is one picture, whose bytes
/// are its planes one after the other. In kernels each plane has its own rows and edges; see
/// [`Surface::plane`](cm_dsl::surface::Surface::plane). The edge texel of plane UV is a pair of samples.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn read_left(input: &Surface2D, output: &mut Surface2D) {
///     output.write(0, 0, &input.read::<u8, 1, 8>(-4, 0)); // 4 bytes outside, 4 inside
/// }
///
/// let device = Device::cpu()?;
/// for (format, expected) in [
///     (Format::R8, [1, 1, 1, 1, 1, 2, 3, 4]),
///     (Format::R16, [1, 2, 1, 2, 1, 2, 3, 4]),
///     (Format::R32, [1, 2, 3, 4, 1, 2, 3, 4]),
/// ] {
///     let width = 8 / format.texel_bytes();
///     let input = Surface2D::from_bytes(&device, format, width, 1, &[1, 2, 3, 4, 5, 6, 7, 8])?;
///     let mut output = Surface2D::new(&device, Format::R8, 8, 1)?;
///     read_left::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
///     assert_eq!(output.to_vec()?, expected);
/// }
/// # Ok::<(), cm::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Format {
    /// Texels of one byte. CM: `A8`, `P8`, `R8_UINT`.
    R8,
    /// Texels of one word. CM: `R16_UINT`, `V8U8`.
    R16,
    /// Texels of one dword. CM: `R32_UINT`.
    R32,
    /// Texels of one 32-bit float. CM: `R32F`.
    R32F,
    /// Four bytes: red, green, blue, alpha. CM: `A8B8G8R8`.
    Rgba8,
    /// Four bytes: blue, green, red, alpha. CM: `A8R8G8B8`, `X8R8G8B8`.
    Bgra8,
    /// Packed YUV 4:2:2, one word per texel: Y0 U0 Y1 V0. CM: `YUY2`.
    Yuyv,
    /// Packed YUV 4:2:2, one word per texel: U0 Y0 V0 Y1. CM: `UYVY`.
    Uyvy,
    /// Planar YUV 4:2:0 of bytes: plane Y, then plane UV, whose texels are U0 V0. CM: `NV12`.
    Nv12,
    /// Planar YUV 4:2:0 of words, with 10 bits at the top of each: plane Y, then plane UV. CM: `P010`.
    P010,
    /// Planar YUV 4:2:0 of bytes: the planes Y, V and U. CM: `YV12`.
    Yv12,
    /// Planar YUV 4:2:0 of bytes: the planes Y, U and V. CM: `I420`, `IMC3`.
    I420,
}

impl Format {
    /// Every format.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let planar = Format::ALL.iter().filter(|format| format.planes().count() > 1);
    /// assert!(planar.eq(&[Format::Nv12, Format::P010, Format::Yv12, Format::I420]));
    /// ```
    pub const ALL: &[Self] = &[
        Self::R8,
        Self::R16,
        Self::R32,
        Self::R32F,
        Self::Rgba8,
        Self::Bgra8,
        Self::Yuyv,
        Self::Uyvy,
        Self::Nv12,
        Self::P010,
        Self::Yv12,
        Self::I420,
    ];

    /// The number of bytes of a texel; for planar formats of a texel in plane Y.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Format::Rgba8.texel_bytes(), 4);
    /// assert_eq!(Format::Yuyv.texel_bytes(), 2);
    /// ```
    #[must_use]
    pub const fn texel_bytes(self) -> usize {
        match self {
            Self::R8 | Self::Nv12 | Self::Yv12 | Self::I420 => 1,
            Self::R16 | Self::Yuyv | Self::Uyvy | Self::P010 => 2,
            Self::R32 | Self::R32F | Self::Rgba8 | Self::Bgra8 => 4,
        }
    }

    /// The number of bytes of which `x` must be a multiple in reads and writes: a texel, or a pair of texels in packed
    /// YUV. In plane UV it is twice this number.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!((Format::R16.alignment(), Format::Yuyv.alignment()), (2, 4));
    /// ```
    #[must_use]
    pub const fn alignment(self) -> usize {
        match self {
            // Two texels share their chroma.
            Self::Yuyv | Self::Uyvy => 4,
            other => other.texel_bytes(),
        }
    }

    /// Whether two texels share their chroma.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert!(Format::Uyvy.is_packed_yuv() && !Format::R16.is_packed_yuv());
    /// ```
    #[must_use]
    pub const fn is_packed_yuv(self) -> bool {
        matches!(self, Self::Yuyv | Self::Uyvy)
    }

    /// The layout of a texel; for planar formats, of a texel in plane Y.
    pub(crate) const fn texel(self) -> Texel {
        match self {
            Self::R8 | Self::Nv12 | Self::Yv12 | Self::I420 => Texel::Byte,
            Self::R16 | Self::Yuyv | Self::Uyvy | Self::P010 => Texel::Word,
            Self::R32 => Texel::Dword,
            Self::R32F => Texel::Float,
            Self::Rgba8 | Self::Bgra8 => Texel::Bytes,
        }
    }

    /// Whether typed accesses give the same on all devices: images of GPUs have the texels of this format, with the
    /// channels in this order and no others.
    pub(crate) const fn is_typed(self) -> bool {
        matches!(self, Self::R8 | Self::R16 | Self::R32 | Self::R32F | Self::Rgba8)
    }

    /// For packed YUV, the byte of a pair that is replaced by the byte two positions further on (left of the surface)
    /// or back (right of the surface): the outer luma sample is used for both.
    pub(crate) const fn replaced(self) -> Option<[usize; 2]> {
        match self {
            Self::Yuyv => Some([2, 0]),
            Self::Uyvy => Some([3, 1]),
            _ => None,
        }
    }

    /// The planes in the order of their bytes: only [`Plane::Y`] for formats without planes.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert!(Format::Nv12.planes().eq([Plane::Y, Plane::Uv]));
    /// assert!(Format::Yv12.planes().eq([Plane::Y, Plane::V, Plane::U]));
    /// assert!(Format::R8.planes().eq([Plane::Y]));
    /// ```
    pub fn planes(self) -> impl Iterator<Item = Plane> {
        std::iter::once(Plane::Y).chain(self.chroma().iter().map(|(plane, _)| *plane))
    }

    /// The planes after plane Y, which have half as many columns and rows, and the format of their texels.
    pub(crate) const fn chroma(self) -> &'static [(Plane, Self)] {
        match self {
            Self::Nv12 => &[(Plane::Uv, Self::R16)],
            Self::P010 => &[(Plane::Uv, Self::R32)],
            Self::Yv12 => &[(Plane::V, Self::R8), (Plane::U, Self::R8)],
            Self::I420 => &[(Plane::U, Self::R8), (Plane::V, Self::R8)],
            _ => &[],
        }
    }

    /// The number of the plane in the order of bytes, and the format of its texels.
    pub(crate) fn plane(self, plane: Plane) -> Option<(usize, Self)> {
        if plane == Plane::Y {
            return Some((0, self));
        }
        let index = self.chroma().iter().position(|(of, _)| *of == plane)?;
        Some((index + 1, self.chroma()[index].1))
    }

    /// Whether neighbours in a row, and for planar formats also in a column, share their chroma.
    pub(crate) fn pairs(self) -> (bool, bool) {
        let planar = !self.chroma().is_empty();
        (planar || self.is_packed_yuv(), planar)
    }

    /// The bytes of a picture with this number of bytes in plane Y: for 4:2:0, half as many follow.
    pub(crate) fn picture_bytes(self, luma: usize) -> usize {
        if self.chroma().is_empty() { luma } else { luma + luma / 2 }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
