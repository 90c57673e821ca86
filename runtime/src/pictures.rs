//! Surfaces from and to the buffers of the crate image. This is a feature: users who do not enable it neither build
//! that crate nor depend on its versions.

use std::ops::{Deref, DerefMut};

use image::{DynamicImage, GenericImageView as _, ImageBuffer, Pixel, SubImage};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::host_memory::zeros;
use crate::rect::is_inside;
use crate::samples::{Sample, pixels};
use crate::surface::Surface2D;

/// A picture in memory from which a surface can be made: an `ImageBuffer`, a `SubImage` of one, or a `DynamicImage`.
///
/// Implement it for your own picture types.
///
/// ```
/// use cm::prelude::*;
/// use cm_runtime::{Picture, PictureRows};
///
/// /// A frame of a decoder, whose rows are padded.
/// struct Frame {
///     bytes: Vec<u8>,
/// }
///
/// impl Picture for Frame {
///     fn picture_rows(&self) -> cm::Result<PictureRows<'_>> {
///         Ok(PictureRows { format: Format::R8, width: 2, height: 2, rows: &self.bytes, row_pitch: 4 })
///     }
/// }
///
/// let frame = Frame { bytes: vec![1, 2, 0, 0, 3, 4] };
/// let surface = Surface2D::from_image(&Device::best()?, &frame)?;
/// assert_eq!(surface.to_vec()?, [1, 2, 3, 4]);
/// # Ok::<(), cm::Error>(())
/// ```
pub trait Picture {
    /// Its rows.
    ///
    /// # Errors
    /// If it is a part that is not inside its image, or no format holds its pixels.
    fn picture_rows(&self) -> Result<PictureRows<'_>>;
}

/// A picture in memory to which the bytes of a surface can be copied: an `ImageBuffer` or a `SubImage` of one.
pub trait PictureMut {
    /// Its rows.
    ///
    /// # Errors
    /// If it is a part that is not inside its image.
    fn picture_rows_mut(&mut self) -> Result<PictureRowsMut<'_>>;
}

/// The rows of a picture, as [`Surface2D::from_rows`] takes them.
#[derive(Clone, Copy, Debug)]
pub struct PictureRows<'a> {
    /// The format that holds its pixels.
    pub format: Format,
    /// Texels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The bytes from the first texel on.
    pub rows: &'a [u8],
    /// Bytes from one row to the next.
    pub row_pitch: usize,
}

/// The rows of a picture for writing, like [`PictureRows`].
#[derive(Debug)]
pub struct PictureRowsMut<'a> {
    /// The format that holds its pixels.
    pub format: Format,
    /// Texels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The bytes from the first texel on.
    pub rows: &'a mut [u8],
    /// Bytes from one row to the next.
    pub row_pitch: usize,
}

impl<P, C> Picture for ImageBuffer<P, C>
where
    P: Pixel<Subpixel: Sample>,
    C: Deref<Target = [P::Subpixel]>,
{
    fn picture_rows(&self) -> Result<PictureRows<'_>> {
        rows_of(self, (0, 0), self.dimensions())
    }
}

impl<P, C> Picture for SubImage<&ImageBuffer<P, C>>
where
    P: Pixel<Subpixel: Sample>,
    C: Deref<Target = [P::Subpixel]>,
{
    fn picture_rows(&self) -> Result<PictureRows<'_>> {
        rows_of(self.inner(), self.offsets(), self.dimensions())
    }
}

impl Picture for DynamicImage {
    fn picture_rows(&self) -> Result<PictureRows<'_>> {
        match self {
            Self::ImageLuma8(picture) => picture.picture_rows(),
            Self::ImageLumaA8(picture) => picture.picture_rows(),
            Self::ImageRgb8(picture) => picture.picture_rows(),
            Self::ImageRgba8(picture) => picture.picture_rows(),
            Self::ImageLuma16(picture) => picture.picture_rows(),
            Self::ImageLumaA16(picture) => picture.picture_rows(),
            Self::ImageRgb16(picture) => picture.picture_rows(),
            Self::ImageRgba16(picture) => picture.picture_rows(),
            Self::ImageRgb32F(picture) => picture.picture_rows(),
            Self::ImageRgba32F(picture) => picture.picture_rows(),
            other => Err(Error::PictureType { found: format!("{:?}", other.color()) }),
        }
    }
}

impl<P, C> PictureMut for ImageBuffer<P, C>
where
    P: Pixel<Subpixel: Sample>,
    C: DerefMut<Target = [P::Subpixel]>,
{
    fn picture_rows_mut(&mut self) -> Result<PictureRowsMut<'_>> {
        let size = self.dimensions();
        rows_of_mut(self, (0, 0), size)
    }
}

impl<P, C> PictureMut for SubImage<&mut ImageBuffer<P, C>>
where
    P: Pixel<Subpixel: Sample>,
    C: DerefMut<Target = [P::Subpixel]>,
{
    fn picture_rows_mut(&mut self) -> Result<PictureRowsMut<'_>> {
        let (at, size) = (self.offsets(), self.dimensions());
        rows_of_mut(self.inner_mut(), at, size)
    }
}

/// The rows of a part of a picture.
fn rows_of<P, C>(picture: &ImageBuffer<P, C>, at: (u32, u32), size: (u32, u32)) -> Result<PictureRows<'_>>
where
    P: Pixel<Subpixel: Sample>,
    C: Deref<Target = [P::Subpixel]>,
{
    let Part { format, width, height, start, row_pitch } = part::<P>(picture.dimensions(), at, size)?;
    let bytes: &[u8] = bytemuck::cast_slice(picture);
    // An empty part may begin after the end.
    let rows = bytes.get(start..).unwrap_or_default();
    Ok(PictureRows { format, width, height, rows, row_pitch })
}

/// The rows of a part of a picture, for writing.
fn rows_of_mut<P, C>(
    picture: &mut ImageBuffer<P, C>,
    at: (u32, u32),
    size: (u32, u32),
) -> Result<PictureRowsMut<'_>>
where
    P: Pixel<Subpixel: Sample>,
    C: DerefMut<Target = [P::Subpixel]>,
{
    let Part { format, width, height, start, row_pitch } = part::<P>(picture.dimensions(), at, size)?;
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(picture);
    let rows = bytes.get_mut(start..).unwrap_or_default();
    Ok(PictureRowsMut { format, width, height, rows, row_pitch })
}

/// The position of a part of a picture.
struct Part {
    format: Format,
    width: usize,
    height: usize,
    start: usize,
    row_pitch: usize,
}

fn part<P: Pixel<Subpixel: Sample>>(whole: (u32, u32), at: (u32, u32), size: (u32, u32)) -> Result<Part> {
    let numbers = |(x, y): (u32, u32)| (x as usize, y as usize);
    let ((picture_width, picture_height), (x, y), (width, height)) =
        (numbers(whole), numbers(at), numbers(size));
    if !is_inside(x, width, picture_width) || !is_inside(y, height, picture_height) {
        return Err(Error::PicturePart { x, y, width, height, picture_width, picture_height });
    }
    let samples = usize::from(P::CHANNEL_COUNT);
    let (format, texels) = pixels::<P::Subpixel>(samples);
    let pixel = samples * size_of::<P::Subpixel>();
    let row_pitch = picture_width * pixel;
    Ok(Part { format, width: width * texels, height, start: y * row_pitch + x * pixel, row_pitch })
}

/// Pictures of the crate `image`, with its feature.
impl Surface2D {
    /// Creates a surface from a picture, with its size and the format of its pixels; see [`Sample`].
    ///
    /// The rows are copied once, also for a `SubImage`.
    ///
    /// # Errors
    /// The errors of [`from_rows`](Self::from_rows); [`Error::PicturePart`] for a `SubImage` that is not inside its
    /// image.
    ///
    /// ```
    /// use cm::prelude::*;
    /// use image::{GenericImageView, GrayImage, RgbaImage};
    ///
    /// let device = Device::best()?;
    /// let surface = Surface2D::from_image(&device, &RgbaImage::new(4, 3))?;
    /// assert_eq!((surface.format(), surface.width(), surface.height()), (Format::Rgba8, 4, 3));
    ///
    /// let grey = GrayImage::from_fn(4, 3, |x, y| [(10 * y + x) as u8].into());
    /// let part = Surface2D::from_image(&device, &grey.view(1, 1, 2, 2))?;
    /// assert_eq!(part.to_vec()?, [11, 12, 21, 22]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn from_image(device: &Device, picture: &impl Picture) -> Result<Self> {
        let PictureRows { format, width, height, rows, row_pitch } = picture.picture_rows()?;
        Self::from_rows(device, format, width, height, rows, row_pitch)
    }

    /// Overwrites all texels with a picture.
    ///
    /// # Errors
    /// [`Error::OtherPicture`] if its size or the format of its pixels is not that of the surface; otherwise the errors
    /// of [`from_image`](Self::from_image). The surface is then unchanged.
    ///
    /// ```
    /// use cm::prelude::*;
    /// use image::GrayImage;
    /// let mut surface = Surface2D::new(&Device::best()?, Format::R8, 2, 1)?;
    /// surface.write_image(&GrayImage::from_raw(2, 1, vec![5, 6]).expect("2 pixels"))?;
    /// assert_eq!(surface.to_vec()?, [5, 6]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn write_image(&mut self, picture: &impl Picture) -> Result<()> {
        let PictureRows { format, width, height, rows, row_pitch } = picture.picture_rows()?;
        self.check_picture(format, width, height)?;
        self.write_rows(rows, row_pitch)
    }

    /// Copies all texels to a new picture with this pixel type.
    ///
    /// # Errors
    /// [`Error::OtherPicture`] if such pixels have another format, or the surface ends within a pixel; otherwise the
    /// errors of [`to_vec`](Self::to_vec).
    ///
    /// ```
    /// use cm::prelude::*;
    /// use image::{Luma, Rgb};
    /// let surface = Surface2D::from_bytes(&Device::best()?, Format::R8, 6, 1, &[1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(surface.to_image::<Luma<u8>>()?.dimensions(), (6, 1));
    /// assert_eq!(surface.to_image::<Rgb<u8>>()?.get_pixel(1, 0).0, [4, 5, 6]);
    /// assert!(surface.to_image::<Luma<u16>>().is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn to_image<P>(&self) -> Result<ImageBuffer<P, Vec<P::Subpixel>>>
    where
        P: Pixel<Subpixel: Sample>,
    {
        let (format, texels) = pixels::<P::Subpixel>(P::CHANNEL_COUNT.into());
        // Pixels without channels fit no surface.
        let columns = self.width().checked_div(texels).unwrap_or(0);
        self.check_picture(format, columns * texels, self.height())?;
        let mut elements = zeros::<P::Subpixel>(self.length() / size_of::<P::Subpixel>())?;
        self.read_into(&mut elements)?;
        // A surface has fewer than 2^31 columns and rows.
        let picture = ImageBuffer::from_raw(columns as u32, self.height() as u32, elements);
        Ok(picture.unwrap_or_else(|| unreachable!("as many samples as the surface has")))
    }

    /// Copies all texels to the caller's picture, or to a part of it.
    ///
    /// # Errors
    /// [`Error::OtherPicture`] if its size or the format of its pixels is not that of the surface;
    /// [`Error::PicturePart`] for a `SubImage` that is not inside its image; otherwise the errors of
    /// [`read_rows`](Self::read_rows).
    ///
    /// ```
    /// use cm::prelude::*;
    /// use image::{GenericImage, GrayImage};
    /// let surface = Surface2D::from_bytes(&Device::best()?, Format::R8, 2, 1, &[5, 6])?;
    /// let mut grey = GrayImage::new(4, 2);
    /// surface.read_image(&mut grey.sub_image(1, 1, 2, 1))?;
    /// assert_eq!(*grey, [0, 0, 0, 0, 0, 5, 6, 0]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn read_image(&self, picture: &mut impl PictureMut) -> Result<()> {
        let PictureRowsMut { format, width, height, rows, row_pitch } = picture.picture_rows_mut()?;
        self.check_picture(format, width, height)?;
        self.read_rows(rows, row_pitch)
    }
}
