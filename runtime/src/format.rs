//! Formats of surfaces, and the edge rule of each.

use std::fmt;

/// The format of a surface: the size of a texel, and what lies beyond the edge.
///
/// Kernels read and write bytes; no format converts anything. Positions outside a surface read as the nearest
/// edge texel: one byte, word or dword repeated, and for packed YUV the chroma of the edge pair with its
/// outer luma.
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
    /// Packed YUV 4:2:2, a word a texel: Y0 U0 Y1 V0. CM: `YUY2`.
    Yuyv,
    /// Packed YUV 4:2:2, a word a texel: U0 Y0 V0 Y1. CM: `UYVY`.
    Uyvy,
}

impl Format {
    /// Bytes of a texel.
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

    /// Bytes after which the pattern beyond an edge repeats; media blocks start at a multiple of it.
    ///
    /// It is a texel, and a pair of texels for packed YUV.
    #[must_use]
    pub const fn alignment(self) -> usize {
        match self {
            // Two texels share their chroma.
            Self::Yuyv | Self::Uyvy => 4,
            other => other.texel_bytes(),
        }
    }

    /// Whether two texels share their chroma.
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
