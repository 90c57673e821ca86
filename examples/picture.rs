//! Pictures of packed pixels of blue, green and red, a byte each.

use std::io::Cursor;

use anyhow::Context;
use image::{ImageFormat, RgbImage};

/// A card of colours with edges and gradients, `width` x `height` pixels.
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

/// Writes pictures below each other to the file that the first argument of the program names, if there is one; returns
/// how to go on in the sentence that says so.
///
/// # Errors
/// If the file cannot be written.
pub fn write(width: usize, pictures: &[&[u8]]) -> anyhow::Result<String> {
    let Some(path) = std::env::args_os().nth(1) else { return Ok(String::new()) };
    let path = std::path::Path::new(&path);
    let mut bytes = pictures.concat();
    bytes.chunks_exact_mut(3).for_each(<[u8]>::reverse);
    let height = bytes.len() / 3 / width;
    let picture = RgbImage::from_raw(width as u32, height as u32, bytes).context("whole pixels")?;
    // Encoded first: a file that cannot be written whole is an error, not a warning of the encoder's buffer.
    let mut encoded = Cursor::new(Vec::new());
    picture.write_to(&mut encoded, ImageFormat::Png)?;
    std::fs::write(path, encoded.into_inner()).with_context(|| format!("writing {}", path.display()))?;
    Ok(format!(", written to {},", path.display()))
}
