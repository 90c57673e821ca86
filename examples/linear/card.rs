//! The test card: flat colours, ramps, and every kind of detail that a blur changes. It uses only integers,
//! so it is the same everywhere.

use image::{Rgb, RgbImage};

const WIDTH: u32 = 480;
const HEIGHT: u32 = 270;

/// Colour bars, ramps, and below them three panels of this size with gaps between.
const BARS_BOTTOM: u32 = 64;
const RAMPS_BOTTOM: u32 = 104;
const PANEL: u32 = 156;
const PANEL_LEFT: [u32; 3] = [4, 162, 320];
const PANEL_TOP: u32 = 110;

const WHITE: Rgb<u8> = Rgb([255; 3]);
const BLACK: Rgb<u8> = Rgb([0; 3]);
const GROUND: Rgb<u8> = Rgb([40, 44, 52]);

pub(crate) fn draw() -> RgbImage {
    RgbImage::from_fn(WIDTH, HEIGHT, |x, y| {
        if y < BARS_BOTTOM {
            bar(x * 8 / WIDTH)
        } else if y < RAMPS_BOTTOM {
            ramp((y - BARS_BOTTOM) / 10, level(x * 256 / WIDTH))
        } else {
            panel(x, y).unwrap_or(GROUND)
        }
    })
}

/// The pixel of the panel at this position, if there is one.
fn panel(x: u32, y: u32) -> Option<Rgb<u8>> {
    let y = y.checked_sub(PANEL_TOP).filter(|&y| y < PANEL)?;
    let inside = |left| x.checked_sub(left).filter(|&x: &u32| x < PANEL);
    PANEL_LEFT.into_iter().zip([zone_plate, gratings, rings_and_text]).find_map(|(left, draw)| {
        let draw: fn(u32, u32) -> Rgb<u8> = draw;
        Some(draw(inside(left)?, y))
    })
}

fn level(value: u32) -> u8 {
    u8::try_from(value).unwrap_or(u8::MAX)
}

/// White, yellow, cyan, green, magenta, red, blue, black, from left to right.
fn bar(index: u32) -> Rgb<u8> {
    let channel = |bit: u32| if index & bit == 0 { 235 } else { 16 };
    Rgb([channel(2), channel(4), channel(1)])
}

/// Grey, red, green, blue, from top to bottom.
fn ramp(index: u32, level: u8) -> Rgb<u8> {
    match index {
        0 => Rgb([level; 3]),
        1 => Rgb([level, 0, 0]),
        2 => Rgb([0, level, 0]),
        _ => Rgb([0, 0, level]),
    }
}

/// Rings that become finer outwards, up to one pixel per half wave at the edge.
fn zone_plate(x: u32, y: u32) -> Rgb<u8> {
    let radius = PANEL / 2;
    let squared = x.abs_diff(radius).pow(2) + y.abs_diff(radius).pow(2);
    if squared >= radius.pow(2) {
        return GROUND;
    }
    // The phase in 256ths of a period; the wave is a smooth polynomial instead of a cosine.
    let phase = squared * 64 / radius % 256;
    let rise = phase.abs_diff(128);
    Rgb([level(rise * rise * (384 - 2 * rise) * 255 / 128_u32.pow(3)); 3])
}

/// Vertical and horizontal stripes, and checkerboards, 1 to 4 pixels wide.
fn gratings(x: u32, y: u32) -> Rgb<u8> {
    const CELL: u32 = 39;
    const ROW: u32 = 52;
    if x % CELL >= CELL - 3 || y % ROW >= ROW - 3 {
        return GROUND;
    }
    let width = x / CELL + 1;
    let (column, line) = (x % CELL / width, y % ROW / width);
    let lit = match y / ROW {
        0 => column % 2 == 0,
        1 => line % 2 == 0,
        _ => (column + line) % 2 == 0,
    };
    if lit { WHITE } else { BLACK }
}

/// Thin coloured rings, and lines of small text below.
fn rings_and_text(x: u32, y: u32) -> Rgb<u8> {
    const CENTRE: u32 = 50;
    const TEXT_TOP: u32 = 104;
    if let Some(y) = y.checked_sub(TEXT_TOP) {
        return text(x, y);
    }
    let distance = (x.abs_diff(PANEL / 2).pow(2) + y.abs_diff(CENTRE).pow(2)).isqrt();
    if distance <= CENTRE && distance.is_multiple_of(7) { bar(distance / 7 % 7) } else { BLACK }
}

const LINES: [(&str, Rgb<u8>, Rgb<u8>); 5] = [
    ("C FOR METAL IN RUST", WHITE, BLACK),
    ("3X3 BOX FILTER: LINEAR", BLACK, WHITE),
    ("SELECT ROW FORMAT MERGE", Rgb([255, 220, 0]), Rgb([0, 40, 120])),
    ("READ 8X32, WRITE 6X24", Rgb([220, 0, 0]), Rgb([230, 230, 230])),
    ("0.111 X SUM OF NINE", Rgb([0, 230, 90]), BLACK),
];

/// One pixel of the lines of text.
fn text(x: u32, y: u32) -> Rgb<u8> {
    const PITCH: u32 = 10;
    let (row, y) = ((y / PITCH) as usize, y % PITCH);
    let Some(&(line, ink, paper)) = LINES.get(row) else { return GROUND };
    let at = x.checked_sub(4).zip(y.checked_sub(1)).filter(|&(_, y)| y < 7);
    let lit = at.is_some_and(|(x, y)| {
        let (index, column) = ((x / 6) as usize, x % 6);
        let rows = line.as_bytes().get(index).map_or([0; 7], |&letter| glyph(letter));
        column < 5 && rows[y as usize] >> (4 - column) & 1 == 1
    });
    if lit { ink } else { paper }
}

/// The letters of the lines, 5 x 7 pixels, one row per byte, with the leftmost column in bit 4.
fn glyph(letter: u8) -> [u8; 7] {
    match letter {
        b'A' => [0x0E, 0x11, 0x11, 0x1F, 0x11, 0x11, 0x11],
        b'B' => [0x1E, 0x11, 0x11, 0x1E, 0x11, 0x11, 0x1E],
        b'C' => [0x0E, 0x11, 0x10, 0x10, 0x10, 0x11, 0x0E],
        b'D' => [0x1E, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1E],
        b'E' => [0x1F, 0x10, 0x10, 0x1E, 0x10, 0x10, 0x1F],
        b'F' => [0x1F, 0x10, 0x10, 0x1E, 0x10, 0x10, 0x10],
        b'G' => [0x0E, 0x11, 0x10, 0x17, 0x11, 0x11, 0x0E],
        b'I' => [0x0E, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0E],
        b'L' => [0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x1F],
        b'M' => [0x11, 0x1B, 0x15, 0x15, 0x11, 0x11, 0x11],
        b'N' => [0x11, 0x19, 0x15, 0x13, 0x11, 0x11, 0x11],
        b'O' => [0x0E, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0E],
        b'R' => [0x1E, 0x11, 0x11, 0x1E, 0x14, 0x12, 0x11],
        b'S' => [0x0F, 0x10, 0x10, 0x0E, 0x01, 0x01, 0x1E],
        b'T' => [0x1F, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04],
        b'U' => [0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0E],
        b'W' => [0x11, 0x11, 0x11, 0x15, 0x15, 0x1B, 0x11],
        b'X' => [0x11, 0x11, 0x0A, 0x04, 0x0A, 0x11, 0x11],
        b'0' => [0x0E, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0E],
        b'1' => [0x04, 0x0C, 0x04, 0x04, 0x04, 0x04, 0x0E],
        b'2' => [0x0E, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1F],
        b'3' => [0x1F, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0E],
        b'4' => [0x02, 0x06, 0x0A, 0x12, 0x1F, 0x02, 0x02],
        b'6' => [0x06, 0x08, 0x10, 0x1E, 0x11, 0x11, 0x0E],
        b'8' => [0x0E, 0x11, 0x11, 0x0E, 0x11, 0x11, 0x0E],
        b'.' => [0, 0, 0, 0, 0, 0x0C, 0x0C],
        b',' => [0, 0, 0, 0, 0x0C, 0x04, 0x08],
        b':' => [0, 0x0C, 0x0C, 0, 0x0C, 0x0C, 0],
        _ => [0; 7],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_is_drawn() {
        for (line, ..) in LINES {
            assert!(line.len() <= 25, "{line:?} is wider than its panel");
            for letter in line.bytes().filter(|&letter| letter != b' ') {
                assert_ne!(glyph(letter), [0; 7], "no glyph for {:?}", char::from(letter));
            }
        }
    }

    #[test]
    fn bars_are_in_order() {
        let card = draw();
        assert_eq!((*card.get_pixel(0, 0), *card.get_pixel(WIDTH - 1, 0)), (Rgb([235; 3]), Rgb([16; 3])));
        assert_eq!(*card.get_pixel(5 * WIDTH / 8, 0), Rgb([235, 16, 16]));
    }
}
