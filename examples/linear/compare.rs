//! The comparison of an image before and after, side by side.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use image::{ImageBuffer, Luma, Pixel, Rgb};

use crate::files::Picture;

/// The columns between the two images: dark, light, dark, so that they are visible on every image.
const SEPARATOR: [u8; 3] = [0, 255, 0];

/// The default name of the comparison: `photo.png` gives `photo-compare.png`.
pub(crate) fn beside(output: &Path) -> PathBuf {
    let mut name = output.file_stem().map(OsString::from).unwrap_or_default();
    name.push("-compare");
    if let Some(extension) = output.extension() {
        name.push(".");
        name.push(extension);
    }
    output.with_file_name(name)
}

/// Both pictures with a thin separator. They have the same size.
pub(crate) fn side_by_side(before: &Picture, after: &Picture) -> Picture {
    let alpha = before.alpha.as_ref().zip(after.alpha.as_ref());
    Picture {
        rgb: join(&before.rgb, &after.rgb, SEPARATOR.map(|level| Rgb([level; 3]))),
        alpha: alpha.map(|(left, right)| join(left, right, SEPARATOR.map(|_| Luma([u8::MAX])))),
        reduced: after.reduced,
    }
}

type Image<P> = ImageBuffer<P, Vec<<P as Pixel>::Subpixel>>;

fn join<P: Pixel>(left: &Image<P>, right: &Image<P>, separator: [P; 3]) -> Image<P> {
    let (width, height) = left.dimensions();
    ImageBuffer::from_fn(width * 2 + 3, height, |x, y| match x.checked_sub(width) {
        None => *left.get_pixel(x, y),
        Some(0) => separator[0],
        Some(1) => separator[1],
        Some(2) => separator[2],
        Some(beyond) => *right.get_pixel(beyond - 3, y),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{GrayImage, RgbImage};

    #[test]
    fn the_name_goes_before_the_extension() {
        assert_eq!(beside(Path::new("out/a.b.png")), Path::new("out/a.b-compare.png"));
        assert_eq!(beside(Path::new("linear.png")), Path::new("linear-compare.png"));
    }

    #[test]
    fn left_is_before_and_right_is_after() {
        let picture = |level| Picture {
            rgb: RgbImage::from_pixel(2, 1, Rgb([level; 3])),
            alpha: Some(GrayImage::from_pixel(2, 1, Luma([level]))),
            reduced: false,
        };
        let both = side_by_side(&picture(10), &picture(20));
        let reds: Vec<u8> = both.rgb.pixels().map(|pixel| pixel[0]).collect();
        assert_eq!(reds, [10, 10, 0, 255, 0, 20, 20]);
        let alpha = both.alpha.map(GrayImage::into_raw);
        assert_eq!(alpha, Some(vec![10, 10, 255, 255, 255, 20, 20]));
    }
}
