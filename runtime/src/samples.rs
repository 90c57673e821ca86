//! Samples of pictures, and the format of a pixel with a given number of samples.

use cm_dsl::elem::{Elem, bf16, f16};

use crate::format::Format;

/// An element type of pictures and arrays that surfaces can hold: `u8 i8 u16 i16 f16 bf16 u32 i32 f32`.
///
/// A picture or array becomes a surface in the format whose texels are its pixels:
///
/// | Pixels | Format |
/// |---|---|
/// | one sample of 1, 2 or 4 bytes; one `f32` | [`R8`](Format::R8), [`R16`](Format::R16), [`R32`](Format::R32); [`R32F`](Format::R32F) |
/// | two samples of 1 or 2 bytes | [`R16`](Format::R16), [`R32`](Format::R32) |
/// | four samples of 1 byte | [`Rgba8`](Format::Rgba8) |
/// | others | each sample is a texel, in the format for one sample |
///
/// So a picture of `width` pixels of three bytes is a surface of `3 * width` texels, as in CM's tutorials; reads beyond
/// its edge repeat the last sample.
///
/// ```
/// use cm_runtime::Sample;
/// assert_eq!(<u16 as Sample>::FORMAT, cm::Format::R16);
/// ```
///
/// Other elements do not compile:
///
/// ```compile_fail,E0277
/// use cm_runtime::Sample;
/// let format = <f64 as Sample>::FORMAT;
/// ```
#[diagnostic::on_unimplemented(
    message = "elements of `{Self}` do not fit the texels of a surface",
    label = "no format has texels of this type",
    note = "surfaces take u8 i8 u16 i16 f16 bf16 u32 i32 f32: convert the elements, or use a `Buffer`"
)]
pub trait Sample: Elem {
    /// The format whose texels are one sample.
    const FORMAT: Format;
}

macro_rules! samples {
    ($($format:ident: $($sample:ty)*;)*) => {
        $($(impl Sample for $sample {
            const FORMAT: Format = Format::$format;
        })*)*
    };
}

samples! {
    R8: u8 i8;
    R16: u16 i16 f16 bf16;
    R32: u32 i32;
    R32F: f32;
}

/// The format for pixels with this number of samples, and the number of texels of a pixel.
pub(crate) const fn pixels<T: Sample>(samples: usize) -> (Format, usize) {
    match (T::FORMAT, samples) {
        (Format::R8, 2) => (Format::R16, 1),
        (Format::R16, 2) => (Format::R32, 1),
        (Format::R8, 4) => (Format::Rgba8, 1),
        (format, samples) => (format, samples),
    }
}
