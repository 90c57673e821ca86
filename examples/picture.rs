//! Pictures with packed pixels of blue, green and red, one byte each.

use std::io::Cursor;
use std::path::Path;

use anyhow::Context;
use image::{ImageFormat, RgbImage};

/// A picture for a file.
#[derive(Clone, Debug)]
pub struct Picture {
    width: usize,
    /// Blue, green, red.
    bytes: Vec<u8>,
}

impl Picture {
    /// Stacks pictures of blue, green and red vertically; each is `width` pixels wide.
    #[must_use]
    pub fn of_colours(width: usize, pictures: &[&[u8]]) -> Self {
        Self { width, bytes: pictures.concat() }
    }

    /// Stacks grey pictures vertically; each is `width` pixels wide, with one byte for each pixel.
    #[must_use]
    pub fn of_greys(width: usize, pictures: &[&[u8]]) -> Self {
        Self { width, bytes: pictures.concat().iter().flat_map(|&grey| [grey; 3]).collect() }
    }

    /// Stacks pictures of blue, green, red and a fourth byte, which is omitted, vertically.
    #[must_use]
    pub fn of_four_bytes(width: usize, pictures: &[&[u8]]) -> Self {
        Self {
            width,
            bytes: pictures.concat().chunks_exact(4).flat_map(|pixel| &pixel[..3]).copied().collect(),
        }
    }

    /// Writes the picture as PNG.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let mut bytes = self.bytes.clone();
        bytes.chunks_exact_mut(3).for_each(<[u8]>::reverse);
        let height = bytes.len() / 3 / self.width;
        let picture = RgbImage::from_raw(self.width as u32, height as u32, bytes)
            .context("pictures have whole pixels")?;
        // Encode first, so that a failing write is an error and not a warning of the encoder's buffer.
        let mut encoded = Cursor::new(Vec::new());
        picture.write_to(&mut encoded, ImageFormat::Png)?;
        std::fs::write(path, encoded.into_inner()).with_context(|| format!("writing {}", path.display()))
    }
}

/// A colour test card with edges and gradients, `width` x `height` pixels of blue, green and red.
#[must_use]
pub fn colours(width: usize, height: usize) -> Vec<u8> {
    let pixel = |x: usize, y: usize| {
        let (column, row) = (x % 80, y % 80);
        let disc = column.abs_diff(40).pow(2) + row.abs_diff(40).pow(2) < 34 * 34;
        let [across, down] = [x * 255 / width, y * 255 / height];
        let [b, g, r] =
            if disc { [255 - across, down, across] } else { [across / 2, across / 2, down / 2 + 60] };
        [b as u8, g as u8, r as u8]
    };
    (0..width * height).flat_map(|at| pixel(at % width, at / width)).collect()
}

/// [`colours`] with a fourth byte of 255.
#[must_use]
pub fn colours_and_alpha(width: usize, height: usize) -> Vec<u8> {
    colours(width, height).chunks_exact(3).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect()
}

/// The green channel of [`colours`].
#[must_use]
pub fn greys(width: usize, height: usize) -> Vec<u8> {
    colours(width, height).chunks_exact(3).map(|pixel| pixel[1]).collect()
}
