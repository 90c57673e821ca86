//! Files that are images, nearly images, or something else.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

/// The signature of PNG files.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

fn picture() -> DynamicImage {
    RgbImage::from_fn(32, 16, |x, y| Rgb([(x * 7) as u8, (y * 11) as u8, (x * y) as u8])).into()
}

fn encoded(format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture().write_to(&mut bytes, format).expect("it is encoded");
    bytes.into_inner()
}

/// A good PNG.
pub(crate) fn png() -> Vec<u8> {
    encoded(ImageFormat::Png)
}

/// A good JPEG.
pub(crate) fn jpeg() -> Vec<u8> {
    encoded(ImageFormat::Jpeg)
}

/// A prefix of a file, up to this percentage of its length.
pub(crate) fn up_to(file: &[u8], percent: usize) -> Vec<u8> {
    file[..file.len() * percent / 100].to_vec()
}

/// A file with one byte changed, at this percentage of its length.
pub(crate) fn changed(mut file: Vec<u8>, percent: usize) -> Vec<u8> {
    let at = file.len() * percent / 100;
    file[at] ^= 0x5a;
    file
}

/// A file with the bytes `from`, which it contains, replaced by `to`.
pub(crate) fn replaced(file: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = file.windows(from.len()).position(|window| window == from).expect("the file has them");
    [&file[..at], to, &file[at + from.len()..]].concat()
}

fn chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let named = [name, data].concat();
    let mut crc = !0_u32;
    for byte in &named {
        crc ^= u32::from(*byte);
        (0..8).for_each(|_| crc = (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 });
    }
    let length = u32::try_from(data.len()).expect("a small chunk");
    [&length.to_be_bytes()[..], &named, &(!crc).to_be_bytes()].concat()
}

/// A PNG with this header: width, height, bits, colour, compression, filter, interlacing. Its data is empty.
pub(crate) fn header(width: u32, height: u32, rest: [u8; 5]) -> Vec<u8> {
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &rest].concat();
    let pieces = [chunk(b"IHDR", &header), chunk(b"IDAT", &[]), chunk(b"IEND", &[])];
    [SIGNATURE, &pieces.concat()].concat()
}

/// A PNG with another chunk after its header.
pub(crate) fn with_chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let file = png();
    let end = SIGNATURE.len() + 25;
    [&file[..end], &chunk(name, data), &file[end..]].concat()
}

/// A PNG with two bits for each pixel, and a palette of this many bytes.
pub(crate) fn palette(bytes: usize) -> Vec<u8> {
    let file = header(4, 1, [2, 3, 0, 0, 0]);
    let end = SIGNATURE.len() + 25;
    // A stored block with a filter byte and four pixels, and its checksum.
    let data = chunk(b"IDAT", b"\x78\x01\x01\x02\0\xfd\xff\0\x1b\0\x1d\0\x1c");
    [&file[..end], &chunk(b"PLTE", &vec![7; bytes]), &data, &chunk(b"IEND", &[])].concat()
}

/// A PNG without image data.
pub(crate) fn without_data() -> Vec<u8> {
    let file = png();
    [&file[..SIGNATURE.len() + 25], &chunk(b"IEND", &[])].concat()
}

/// A JPEG of a start, a frame header with this marker, precision, size and number of components, and an end.
pub(crate) fn frame(marker: u8, bits: u8, width: u16, height: u16, components: u8) -> Vec<u8> {
    let mut frame = vec![0xff, 0xd8, 0xff, marker, 0, 8 + 3 * components, bits];
    frame.extend(height.to_be_bytes());
    frame.extend(width.to_be_bytes());
    frame.push(components);
    (1..=components).for_each(|id| frame.extend([id, 0x11, 0]));
    frame.extend([0xff, 0xda, 0, 6 + 2 * components, components]);
    (1..=components).for_each(|id| frame.extend([id, 0]));
    frame.extend([0, 63, 0, 0xff, 0xd9]);
    frame
}

/// The first bytes of files of other kinds.
pub(crate) const OTHERS: [(&str, &[u8]); 12] = [
    ("gif", b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0"),
    ("bmp", b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"),
    ("webp", b"RIFF\x24\0\0\0WEBPVP8 "),
    ("tiff", b"II*\0\x08\0\0\0"),
    ("pdf", b"%PDF-1.7\n"),
    ("svg", b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
    ("html", b"<!DOCTYPE html>"),
    ("gzip", b"\x1f\x8b\x08\0\0\0\0\0"),
    ("elf", b"\x7fELF\x02\x01\x01\0"),
    ("ppm", b"P6 1 1 255 abc"),
    ("text", b"Lorem ipsum dolor sit amet"),
    ("zeros", &[0; 64]),
];
