//! Image files: reading them, and writing them so that incomplete files are never visible.

use std::fs::{self, File};
use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::metadata::Orientation;
use image::{
    DynamicImage, ExtendedColorType, GrayImage, ImageDecoder, ImageEncoder, ImageError, ImageFormat,
    ImageReader, Luma, Rgb, RgbImage,
};

use crate::filter;

/// The decoder rejects larger files; reading one (or `/dev/zero`) would only fill memory.
const MAX_FILE_BYTES: u64 = 1 << 29;
const JPEG_QUALITY: u8 = 92;

/// An image as the filter needs it: 24 bits per pixel, and the alpha channel, which is not filtered.
pub(crate) struct Picture {
    pub(crate) rgb: RgbImage,
    pub(crate) alpha: Option<GrayImage>,
    /// The file had more than 8 bits per channel.
    pub(crate) reduced: bool,
}

/// The encoding of an output file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Png,
    Jpeg,
}

impl Encoding {
    /// The encoding for the file extension.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let extension = path.extension().map(|text| text.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("png") => Ok(Self::Png),
            Some("jpg" | "jpeg") => Ok(Self::Jpeg),
            Some(other) => bail!("{}: cannot write .{other}, only .png, .jpg and .jpeg", path.display()),
            None => bail!("{}: the name must end in .png, .jpg or .jpeg", path.display()),
        }
    }
}

/// Reads a PNG or JPEG file, whatever its name is. `per_pixel` is the memory that the caller needs for each
/// pixel.
pub(crate) fn load(path: &Path, per_pixel: usize) -> Result<Picture> {
    let picture = read_whole(path).and_then(|bytes| decode(&bytes, per_pixel));
    picture.with_context(|| format!("cannot read {}", path.display()))
}

fn read_whole(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // Opening a pipe would wait for its writer, and reading a device may never end.
    ensure!(fs::metadata(path)?.is_file(), "this is not a regular file");
    File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    ensure!(!bytes.is_empty(), "the file is empty");
    ensure!(bytes.len() as u64 <= MAX_FILE_BYTES, "the file has more than {MAX_FILE_BYTES} bytes");
    Ok(bytes)
}

/// The picture of a PNG or JPEG file's bytes.
pub(crate) fn decode(bytes: &[u8], per_pixel: usize) -> Result<Picture> {
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
    match reader.format() {
        // The decoder fills a truncated JPEG with grey.
        Some(ImageFormat::Jpeg) => ensure!(reaches_end(bytes), "the JPEG data break off"),
        // The decoder panics on a palette that ends in the middle of a colour.
        Some(ImageFormat::Png) => {
            ensure!(has_whole_colours(bytes), "the palette of the PNG ends in the middle of a colour");
        }
        _ => bail!("this is neither a PNG nor a JPEG image"),
    }
    let mut decoder = reader.into_decoder().map_err(|error| match error {
        // A single row exceeds the limit of the decoder.
        ImageError::Limits(_) => filter::too_large("the picture"),
        error => error.into(),
    })?;
    // Filter the photograph in its displayed orientation, because the output has no orientation tag.
    let orientation = decoder.orientation()?;
    check_size(&decoder, orientation, per_pixel)?;
    let mut image = DynamicImage::from_decoder(decoder)?;
    image.apply_orientation(orientation);
    let color = image.color();
    let reduced = color.bytes_per_pixel() > color.channel_count();
    if !color.has_alpha() {
        return Ok(Picture { rgb: image.into_rgb8(), alpha: None, reduced });
    }
    let rgba = image.into_rgba8();
    let (width, height) = rgba.dimensions();
    let mut rgb = RgbImage::new(width, height);
    let mut alpha = GrayImage::new(width, height);
    for ((pixel, colour), opacity) in rgba.pixels().zip(rgb.pixels_mut()).zip(alpha.pixels_mut()) {
        let [red, green, blue, level] = pixel.0;
        *colour = Rgb([red, green, blue]);
        *opacity = Luma([level]);
    }
    Ok(Picture { rgb, alpha: Some(alpha), reduced })
}

/// Rejects a picture by its header, before memory or time is spent on it. The decoder, the encoders and the
/// image containers abort the process if there is too little memory.
fn check_size(decoder: &impl ImageDecoder, orientation: Orientation, per_pixel: usize) -> Result<()> {
    let turned = matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    );
    let (width, height) = match decoder.dimensions() {
        (width, height) if turned => (height, width),
        dimensions => dimensions,
    };
    filter::check_size(width as usize, height as usize)?;
    // Decoded data exists at most three times, while it is rotated and converted; then it is freed.
    let pixels = u64::from(width) * u64::from(height);
    let decoded = decoder.total_bytes().saturating_mul(3);
    let bytes = pixels.saturating_mul(per_pixel as u64).max(decoded);
    let fits = usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    ensure!(fits, "{width} x {height} pixels take {bytes} bytes, which are more than there is memory");
    Ok(())
}

/// Whether the palettes of a PNG have three bytes for each colour.
fn has_whole_colours(bytes: &[u8]) -> bool {
    let mut rest = bytes.get(8..).unwrap_or_default();
    // A chunk: its length, its name, its data, and a checksum.
    while let Some((&[a, b, c, d], after)) = rest.split_first_chunk() {
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        if after.starts_with(b"PLTE") && !length.is_multiple_of(3) {
            return false;
        }
        rest = length.checked_add(8).and_then(|end| after.get(end..)).unwrap_or_default();
    }
    true
}

/// Whether the segments of a JPEG lead to its end marker. (An embedded thumbnail has its own end markers.)
fn reaches_end(bytes: &[u8]) -> bool {
    let mut rest = bytes.get(2..).unwrap_or_default();
    loop {
        // Skip to the next marker, between segments or through entropy-coded data.
        let Some(at) = rest.windows(2).position(|pair| pair[0] == 0xFF && pair[1] != 0xFF) else {
            return false;
        };
        let marker = rest[at + 1];
        rest = &rest[at + 2..];
        match marker {
            0xD9 => return true,
            // An escaped data byte, a restart, or another marker without content.
            0x00 | 0x01 | 0xD0..=0xD8 => {}
            _ => {
                let Some(&[high, low]) = rest.first_chunk::<2>() else { return false };
                let length = usize::from(u16::from_be_bytes([high, low]));
                rest = rest.get(length..).unwrap_or_default();
            }
        }
    }
}

/// Rejects a target early if `save` could not write it later.
pub(crate) fn check_target(path: &Path) -> Result<()> {
    Encoding::of(path)?;
    check_file(path)
}

/// Rejects a target early if `write_whole` could not write it later.
pub(crate) fn check_file(path: &Path) -> Result<()> {
    ensure!(!path.as_os_str().is_empty(), "the name of a file to write is empty");
    check_folder(folder_of(path))?;
    if let Ok(existing) = fs::metadata(path) {
        ensure!(existing.is_file(), "{}: exists and is not a file", path.display());
        ensure!(!existing.permissions().readonly(), "{}: the file is read-only", path.display());
    }
    Ok(())
}

/// Checks that a folder exists, or can be created when the first file is written.
pub(crate) fn check_folder(path: &Path) -> Result<()> {
    let there = path.ancestors().find(|folder| folder.symlink_metadata().is_ok());
    if let Some(folder) = there {
        ensure!(folder.is_dir(), "{}: is not a folder", folder.display());
    }
    Ok(())
}

/// The file that a path leads to. A link stays a link when its file is replaced.
fn resolve(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| {
        let folder = fs::canonicalize(folder_of(path));
        folder.ok().zip(path.file_name()).map_or_else(|| path.to_owned(), |(folder, name)| folder.join(name))
    })
}

pub(crate) fn same_file(one: &Path, other: &Path) -> bool {
    resolve(one) == resolve(other)
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Encodes the picture by the file extension, and writes the file completely or not at all.
pub(crate) fn save(path: &Path, picture: &Picture) -> Result<()> {
    let written = encode(picture, Encoding::of(path)?).and_then(|bytes| Ok(replace(&resolve(path), &bytes)?));
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a file completely or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    replace(&resolve(path), bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn encode(picture: &Picture, encoding: Encoding) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let (width, height) = picture.rgb.dimensions();
    let rgb = picture.rgb.as_raw();
    match (encoding, &picture.alpha) {
        (Encoding::Jpeg, _) => JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY).write_image(
            rgb,
            width,
            height,
            ExtendedColorType::Rgb8,
        )?,
        (Encoding::Png, None) => {
            PngEncoder::new(&mut bytes).write_image(rgb, width, height, ExtendedColorType::Rgb8)?;
        }
        (Encoding::Png, Some(alpha)) => {
            let pixels = picture.rgb.pixels().zip(alpha.pixels());
            let rgba: Vec<u8> = pixels.flat_map(|(rgb, alpha)| [rgb[0], rgb[1], rgb[2], alpha[0]]).collect();
            PngEncoder::new(&mut bytes).write_image(&rgba, width, height, ExtendedColorType::Rgba8)?;
        }
    }
    Ok(bytes)
}

/// Writes a temporary file beside the target and renames it: after an interruption, either the old or the new
/// file exists.
fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder_of(target))?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".linear-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As for any new file, the umask reduces these permissions.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder_of(target))?;
    file.write_all(bytes)?;
    if let Ok(existing) = fs::metadata(target) {
        file.as_file().set_permissions(existing.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(target)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_the_encoding() {
        assert_eq!(Encoding::of(Path::new("a.PNG")).ok(), Some(Encoding::Png));
        assert_eq!(Encoding::of(Path::new("a.b.JpEg")).ok(), Some(Encoding::Jpeg));
        for bad in ["a.gif", "png", ".png", "a.", ""] {
            assert!(Encoding::of(Path::new(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_jpeg_that_breaks_off_is_no_image() -> Result<()> {
        let picture = Picture { rgb: crate::card::draw(), alpha: None, reduced: false };
        let bytes = encode(&picture, Encoding::Jpeg)?;
        assert_eq!(decode(&bytes, 0)?.rgb.dimensions(), picture.rgb.dimensions());
        for length in [2, 3, 30, bytes.len() / 2, bytes.len() - 1] {
            assert!(decode(&bytes[..length], 0).is_err(), "{length} bytes");
        }
        Ok(())
    }

    #[test]
    fn alpha_survives_a_png() -> Result<()> {
        let alpha = GrayImage::from_fn(5, 3, |x, y| Luma([u8::try_from(x * 50 + y).unwrap_or(0)]));
        let picture =
            Picture { rgb: RgbImage::from_pixel(5, 3, Rgb([1, 2, 3])), alpha: Some(alpha), reduced: false };
        let back = decode(&encode(&picture, Encoding::Png)?, 0)?;
        assert_eq!((back.rgb, back.alpha, back.reduced), (picture.rgb, picture.alpha, false));
        Ok(())
    }
}
