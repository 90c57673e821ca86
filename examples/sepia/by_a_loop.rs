//! Sepia without cm.

/// Tints packed pixels brown, two at a time. `dp4` computes `(a + b) + (c + d)` and rounds each sum. The 0 is
/// the last number for the first pixel and the first number for the second pixel.
#[must_use]
pub fn in_brown(pixels: &[u8]) -> Vec<u8> {
    let weights = [[0.101f32, 0.531, 0.291], [0.161, 0.691, 0.361], [0.201, 0.741, 0.411]];
    let brown = |two: &[u8]| {
        let pixel = |at: usize| [two[at], two[at + 1], two[at + 2]].map(f32::from);
        let ([b, g, r], [d, h, s]) = (pixel(0), pixel(3));
        let first = weights.map(|[x, y, z]| ((b * x + g * y) + r * z) as u8);
        let second = weights.map(|[x, y, z]| (d * x + (h * y + s * z)) as u8);
        [first, second].concat()
    };
    pixels.chunks(6).flat_map(brown).collect()
}
