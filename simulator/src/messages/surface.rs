//! Surfaces: their bytes, and the locations of texels.

use super::format::Format;
use crate::dispatch::{Surface, SurfaceKind, Tiling};

/// Binding table entries with a special meaning.
pub(crate) const STATELESS: [u32; 2] = [255, 253];
pub(crate) const SHARED: u32 = 254;

/// `RAW` of `SURFACE_FORMAT`.
const RAW: u32 = 0x1ff;

/// Whether it is a buffer.
pub(crate) fn is_buffer(surface: &Surface<'_>) -> bool {
    matches!(surface.kind, SurfaceKind::Buffer | SurfaceKind::StructuredBuffer)
}

/// The number of bytes that belong to it.
pub(crate) fn bytes_of(surface: &Surface<'_>) -> u64 {
    let bytes = match surface.kind {
        SurfaceKind::Null => 0,
        _ if is_buffer(surface) => {
            let entry = if surface.format == RAW { 1 } else { surface.pitch.max(1) };
            u64::from(surface.width) * u64::from(entry)
        }
        _ => u64::from(surface.pitch) * u64::from(surface.height) * u64::from(surface.depth.max(1)),
    };
    bytes.min(surface.bytes.len() as u64)
}

/// Fills in what the driver did not specify.
pub(crate) fn completed(mut surface: Surface<'_>) -> Surface<'_> {
    if surface.texel == 0 {
        surface.texel = Format::of(surface.format).map_or(0, Format::bytes);
    }
    surface
}

/// The offset of a byte in its tile of 128 bytes by 32 rows: INTEL_TILE_4 in `CpuSwizzleBlt.c` of Intel's
/// GmmLib; from the highest bit on y y x y x x y y x x x x.
fn in_tile(x: u64, y: u64) -> u64 {
    let rows = y % 4 * 16 + y / 4 % 2 * 256 + y / 8 % 4 * 1024;
    rows + x % 16 + x / 16 % 4 * 64 + x / 64 % 2 * 512
}

/// The offset of byte `x` of row `y`.
pub(crate) fn place(surface: &Surface<'_>, x: u64, y: u64) -> u64 {
    let pitch = u64::from(surface.pitch);
    match surface.tiling {
        Tiling::Linear => y * pitch + x,
        Tiling::X => y / 8 * 8 * pitch + x / 512 * 4096 + y % 8 * 512 + x % 512,
        Tiling::Y => y / 32 * 32 * pitch + x / 128 * 4096 + x % 128 / 16 * 512 + y % 32 * 16 + x % 16,
        Tiling::Four => y / 32 * 32 * pitch + x / 128 * 4096 + in_tile(x, y),
        // INTEL_TILE_64_8 to INTEL_TILE_64_128.
        Tiling::SixtyFour => {
            let across = match surface.texel {
                ..=1 => 2,
                2..=4 => 4,
                _ => 8,
            };
            let (width, rows) = (128 * across, 32 * (16 / across));
            let tile = y / rows * rows * pitch + x / width * 65536;
            tile + (y % rows / 32 * across + x % width / 128) * 4096 + in_tile(x, y)
        }
    }
}

/// The offset of byte `x` of row `y` of slice `z`.
pub(crate) fn place_in_slice(surface: &Surface<'_>, [x, y, z]: [u64; 3]) -> u64 {
    if surface.kind == SurfaceKind::D3 && surface.tiling == Tiling::SixtyFour {
        return in_box_tiles(surface, [x, y, z]);
    }
    place(surface, x, y + z * u64::from(surface.slice_rows))
}

/// The axes of the bits of an offset in a tile of 64 KiB of a 3-D surface, from the highest bit on (GmmLib's
/// INTEL_TILE_64_3D_8 to INTEL_TILE_64_3D_128).
const fn box_tile(texel: u32) -> &'static [u8; 16] {
    match texel {
        ..=1 => b"ZZZXYYZYZXYYXXXX",
        2 => b"ZZZYYXZYZXYYXXXX",
        4 => b"ZZYXYXZYZXYYXXXX",
        _ => b"ZZYXXXZYZXYYXXXX",
    }
}

/// An offset in a surface whose tiles are boxes of bytes, rows and slices. The tiles of as many slices as a tile has follow
/// each other.
fn in_box_tiles(surface: &Surface<'_>, position: [u64; 3]) -> u64 {
    let axes = box_tile(surface.texel);
    let (mut rest, mut inside, mut size) = (position, 0, [1_u64; 3]);
    for (bit, axis) in axes.iter().rev().enumerate() {
        let axis = usize::from(axis - b'X');
        inside |= (rest[axis] & 1) << bit;
        rest[axis] >>= 1;
        size[axis] *= 2;
    }
    // What is left counts tiles.
    let across = u64::from(surface.pitch) / size[0];
    let down = u64::from(surface.slice_rows) / size[1];
    ((rest[2] * down + rest[1]) * across + rest[0]) << axes.len() | inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::Shape;
    use crate::memory::Span;

    /// The bits of an offset in a tile from the highest on, in the notation of GmmLib.
    fn expected(bits: &str, x: u64, y: u64) -> u64 {
        let (mut x, mut y) = (x, y);
        bits.bytes().rev().enumerate().fold(0, |place, (bit, axis)| {
            let from = if axis == b'X' { &mut x } else { &mut y };
            let value = *from & 1;
            *from >>= 1;
            place | value << bit
        })
    }

    /// A tile of 64 KiB is a box: its bytes of a row, rows and slices; every byte has its own place.
    #[test]
    fn tiles_of_3d_surfaces_are_boxes() {
        for (texel, [width, rows, slices]) in [
            (1, [64, 32, 32]),
            (2, [64, 32, 32]),
            (4, [128, 32, 16]),
            (8, [256, 16, 16]),
            (16, [256, 16, 16]),
        ] {
            let shape = Shape {
                kind: SurfaceKind::D3,
                tiling: Tiling::SixtyFour,
                texel,
                pitch: 3 * width as u32,
                ..Shape::buffer(0)
            };
            let mut surface = shape.surface(Span::none(), 0);
            surface.slice_rows = 2 * rows as u32;
            let at = |x, y, z| place_in_slice(&surface, [x, y, z]);
            let mut seen = vec![false; 1 << 16];
            for z in 0..slices {
                for (x, y) in (0..rows).flat_map(|y| (0..width).map(move |x| (x, y))) {
                    let place = &mut seen[at(x, y, z) as usize];
                    assert!(!*place, "{texel}: {x} {y} {z}");
                    *place = true;
                }
            }
            assert!(seen.into_iter().all(|seen| seen), "{texel}");
            // Texels of 16 bytes of a row, then pairs of rows, are next to each other.
            assert_eq!(
                [at(15, 0, 0), at(0, 1, 0), at(0, 2, 0), at(16, 0, 0), at(0, 0, 1)],
                [15, 16, 32, 64, 128]
            );
            // The next tiles in a row, in a slice, and behind.
            assert_eq!([at(width, 0, 0), at(0, rows, 0), at(0, 0, slices)], [1 << 16, 3 << 16, 6 << 16]);
        }
    }

    /// In other tilings, slices are rows below each other.
    #[test]
    fn slices_are_below_each_other() {
        for (kind, tiling) in [(SurfaceKind::D3, Tiling::Y), (SurfaceKind::D2, Tiling::SixtyFour)] {
            let shape = Shape { kind, tiling, texel: 4, pitch: 1024, ..Shape::buffer(0) };
            let mut surface = shape.surface(Span::none(), 0);
            surface.slice_rows = 64;
            assert_eq!(place_in_slice(&surface, [36, 5, 3]), place(&surface, 36, 5 + 3 * 64));
        }
    }

    #[test]
    fn bytes_lie_where_their_tile_has_them() {
        for (tiling, texel, bits) in [
            (Tiling::X, 4, "YYYXXXXXXXXX"),
            (Tiling::Y, 4, "XXXYYYYYXXXX"),
            (Tiling::Four, 4, "YYXYXXYYXXXX"),
            (Tiling::SixtyFour, 1, "YYYXYYXYXXYYXXXX"),
            (Tiling::SixtyFour, 2, "YYXXYYXYXXYYXXXX"),
            (Tiling::SixtyFour, 4, "YYXXYYXYXXYYXXXX"),
            (Tiling::SixtyFour, 8, "YXXXYYXYXXYYXXXX"),
            (Tiling::SixtyFour, 16, "YXXXYYXYXXYYXXXX"),
        ] {
            let width = 1_u32 << bits.matches('X').count();
            let rows = 1_u64 << bits.matches('Y').count();
            let shape = Shape { tiling, texel, pitch: 3 * width, width: 3 * width, ..Shape::buffer(0) };
            let surface = shape.surface(Span::none(), 0);
            let tile = 1 << bits.len();
            for y in 0..rows {
                for x in (0..u64::from(width)).step_by(7) {
                    let inside = expected(bits, x, y);
                    assert_eq!(place(&surface, x, y), inside, "{tiling:?} {texel} {x} {y}");
                    // The third tile in a row, and the second row of tiles.
                    let (beyond, below) = (x + 2 * u64::from(width), y + rows);
                    assert_eq!(
                        place(&surface, beyond, below),
                        inside + 5 * tile,
                        "{tiling:?} {texel} {x} {y}"
                    );
                }
            }
        }
    }
}
