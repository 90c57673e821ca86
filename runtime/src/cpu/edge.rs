//! The results of reads beyond the edge of a surface, by its format.

use crate::format::Format;

/// The byte of a row of `width` bytes that a read at byte column `x` gets.
///
/// Inside it is byte `x`. Outside it is the byte at the same position of the first or last texel; in packed YUV the
/// chroma of the edge pair is kept, and its outer luma is used for both.
pub(super) fn column(format: Format, width: usize, x: i64) -> usize {
    // In `i64`, because `x` counts from a coordinate that may be the largest `i32`.
    let last = width as i64;
    if (0..last).contains(&x) {
        return x as usize;
    }
    let period = format.alignment() as i64;
    // A power of two.
    let phase = x & (period - 1);
    // A row always holds a whole pattern: texels are whole, and packed YUV has pairs.
    let start = if x < 0 { 0 } else { last - period };
    let replaced = format.replaced().map(|[left, right]| if x < 0 { left } else { right });
    let phase = phase as usize;
    let phase = if replaced == Some(phase) { phase ^ 2 } else { phase };
    start as usize + phase
}

#[cfg(test)]
mod tests {
    use super::column;
    use crate::format::Format;

    /// Two dwords before, the row, two dwords after.
    fn around(format: Format, row: &str) -> String {
        let bytes = row.as_bytes();
        let width = bytes.len();
        (-8..width as i64 + 8).map(|x| char::from(bytes[column(format, width, x)])).collect()
    }

    #[test]
    fn every_format_repeats_its_edge() {
        let table = [
            (Format::R8, "abcd", "aaaaaaaaabcddddddddd"),
            (Format::R8, "abc", "aaaaaaaaabccccccccc"),
            (Format::R8, "a", "aaaaaaaaaaaaaaaaa"),
            (Format::R16, "abcd", "abababababcdcdcdcdcd"),
            (Format::R32, "abcd", "abcdabcdabcdabcdabcd"),
            (Format::R32F, "abcdefgh", "abcdabcdabcdefghefghefgh"),
            (Format::Rgba8, "abcdefgh", "abcdabcdabcdefghefghefgh"),
            (Format::Bgra8, "abcdefgh", "abcdabcdabcdefghefghefgh"),
            // y0 u y1 v: left y0 u y0 v, right y1 u y1 v
            (Format::Yuyv, "yuzv", "yuyvyuyvyuzvzuzvzuzv"),
            (Format::Yuyv, "yuzvYUZV", "yuyvyuyvyuzvYUZVZUZVZUZV"),
            // u y0 v y1: left u y0 v y0, right u y1 v y1
            (Format::Uyvy, "uyvz", "uyvyuyvyuyvzuzvzuzvz"),
            (Format::Uyvy, "uyvzUYVZ", "uyvyuyvyuyvzUYVZUZVZUZVZ"),
        ];
        for (format, row, expected) in table {
            assert_eq!(around(format, row), expected, "{format} {row}");
        }
    }

    #[test]
    fn far_outside_is_still_an_edge() {
        for format in [Format::R8, Format::R16, Format::R32, Format::Yuyv, Format::Uyvy] {
            for x in [i64::from(i32::MIN), i64::from(i32::MAX) + 64] {
                assert!(column(format, 8, x) < 8, "{format} {x}");
            }
        }
    }
}
