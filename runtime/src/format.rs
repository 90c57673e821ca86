//! Formats of surfaces, and their edge rules.

use std::fmt;

/// The format of a surface: the size of a texel, and the edge rule.
///
/// Kernels read and write bytes; a format converts nothing. Reads beyond the edge repeat the nearest texel: a
/// byte, a word or a dword. In packed YUV they repeat the chroma of the edge pair and its outer luma.
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
    /// Four bytes: blue, green, red, alpha. CM: `A8R8G8B8`.
    Bgra8,
    /// Packed YUV 4:2:2, one word per texel: Y0 U0 Y1 V0. CM: `YUY2`.
    Yuyv,
    /// Packed YUV 4:2:2, one word per texel: U0 Y0 V0 Y1. CM: `UYVY`.
    Uyvy,
}

impl Format {
    /// The number of bytes of a texel.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Format::Rgba8.texel_bytes(), 4);
    /// assert_eq!(Format::Yuyv.texel_bytes(), 2);
    /// ```
    #[must_use]
    pub const fn texel_bytes(self) -> usize {
        match self {
            Self::R8 => 1,
            Self::R16 | Self::Yuyv | Self::Uyvy => 2,
            Self::R32 | Self::R32F | Self::Rgba8 | Self::Bgra8 => 4,
        }
    }

    /// The number of bytes that x is a multiple of in reads and writes: a texel, or a pair of texels in
    /// packed YUV.
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
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
