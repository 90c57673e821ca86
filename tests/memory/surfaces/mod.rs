//! Surfaces: reads and writes across every edge, and every error of surfaces, thread spaces, devices and
//! launches.

use cm::Format;
use cm_test_support::noise;

mod contents;
mod errors;
mod fields;
mod planes;
mod reads;
mod slices;
mod writes;

/// Every format with its edge rule. The two lists are for positions before and after the row. Beyond an edge,
/// a pattern repeats whose period in bytes is the length of the list. For each position in the pattern, the
/// list gives the byte of the first or last group that appears there.
///
/// Packed YUV keeps the chroma of the edge pair and repeats its outer luma. Y0 U0 Y1 V0 becomes Y0 U0 Y0 V0
/// on the left and Y1 U0 Y1 V0 on the right; U0 Y0 V0 Y1 becomes U0 Y0 V0 Y0 and U0 Y1 V0 Y1.
const FORMATS: [(Format, &[usize], &[usize]); 8] = [
    (Format::R8, &[0], &[0]),
    (Format::R16, &[0, 1], &[0, 1]),
    (Format::R32, &[0, 1, 2, 3], &[0, 1, 2, 3]),
    (Format::R32F, &[0, 1, 2, 3], &[0, 1, 2, 3]),
    (Format::Rgba8, &[0, 1, 2, 3], &[0, 1, 2, 3]),
    (Format::Bgra8, &[0, 1, 2, 3], &[0, 1, 2, 3]),
    (Format::Yuyv, &[0, 1, 0, 3], &[2, 1, 2, 3]),
    (Format::Uyvy, &[0, 1, 2, 1], &[0, 3, 2, 3]),
];

/// The bytes of a surface: rows of `width` bytes.
#[derive(Clone, Debug)]
struct Bytes {
    format: Format,
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Bytes {
    /// Bytes that differ from their neighbours.
    fn new(format: Format, width: usize, height: usize, seed: usize) -> Self {
        Self { format, width, height, bytes: noise::bytes(width * height, seed) }
    }

    /// The byte that a read gives at any position.
    fn at(&self, x: i64, y: i64) -> u8 {
        let (_, left, right) =
            FORMATS[FORMATS.iter().position(|rule| rule.0 == self.format).expect("a format")];
        let (width, group) = (self.width as i64, left.len() as i64);
        let column = if x < 0 {
            left[x.rem_euclid(group) as usize]
        } else if x < width {
            x as usize
        } else {
            self.width - left.len() + right[((x - width) % group) as usize]
        };
        let row = y.clamp(0, self.height as i64 - 1) as usize;
        self.bytes[row * self.width + column]
    }

    /// Stores a block; out-of-bounds bytes are dropped.
    fn put(&mut self, x: i64, y: i64, row_bytes: usize, block: &[u8]) {
        for (n, &byte) in block.iter().enumerate() {
            let (x, y) = (x + (n % row_bytes) as i64, y + (n / row_bytes) as i64);
            if (0..self.width as i64).contains(&x) && (0..self.height as i64).contains(&y) {
                self.bytes[y as usize * self.width + x as usize] = byte;
            }
        }
    }

    fn surface(&self, device: &cm::Device) -> cm::Surface2D {
        let texels = self.width / self.format.texel_bytes();
        cm::Surface2D::from_bytes(device, self.format, texels, self.height, &self.bytes).expect("a surface")
    }
}
