//! `RENDER_SURFACE_STATE`: Intel's PRM, Skylake, volume 2d.

use super::formats::texel_bytes;
use crate::dispatch::{Surface, SurfaceKind, Tiling};
use crate::generation::Generation;
use crate::memory::{Memory, Span};

/// Bytes of a state.
pub(super) const BYTES: usize = 64;
/// Addresses have 48 bits.
const ADDRESS_BITS: u64 = (1 << 48) - 1;

/// Bits of a dword.
fn bits(dword: u32, low: u32, count: u32) -> u32 {
    dword >> low & ((1 << count) - 1)
}

const KINDS: [SurfaceKind; 8] = [
    SurfaceKind::D1,
    SurfaceKind::D2,
    SurfaceKind::D3,
    SurfaceKind::Cube,
    SurfaceKind::Buffer,
    SurfaceKind::StructuredBuffer,
    SurfaceKind::Scratch,
    SurfaceKind::Null,
];

/// The surface that a state describes; `None` for a tiling that is not supported (W, for stencil buffers).
pub(super) fn decode(generation: Generation, state: [u32; 16], memory: &dyn Memory) -> Option<Surface<'_>> {
    let d = state;
    let kind = KINDS[bits(d[0], 29, 3) as usize];
    let is_buffer =
        matches!(kind, SurfaceKind::Buffer | SurfaceKind::StructuredBuffer | SurfaceKind::Scratch);
    let (width, height, depth) = if is_buffer {
        // The number of entries minus one, in three fields.
        let last = bits(d[2], 0, 7) | bits(d[2], 16, 14) << 7 | bits(d[3], 21, 11) << 21;
        (last.wrapping_add(1), 1, 1)
    } else {
        (bits(d[2], 0, 14) + 1, bits(d[2], 16, 14) + 1, bits(d[3], 21, 11) + 1)
    };
    let format = bits(d[0], 18, 10).min(0x1ff);
    let address = (u64::from(d[9]) << 32 | u64::from(d[8])) & ADDRESS_BITS;
    let bytes = if kind == SurfaceKind::Null { None } else { memory.at(address) };
    Some(Surface {
        bytes: bytes.unwrap_or_else(Span::none),
        address,
        kind,
        format,
        tiling: match bits(d[0], 12, 2) {
            0 => Tiling::Linear,
            2 => Tiling::X,
            1 if generation >= Generation::XeHpg => Tiling::SixtyFour,
            3 if generation >= Generation::XeHpg => Tiling::Four,
            3 => Tiling::Y,
            _ => return None,
        },
        width,
        height,
        depth,
        pitch: bits(d[3], 0, 18) + 1,
        slice_rows: bits(d[1], 0, 15) << 2,
        texel: texel_bytes(format),
        is_array: bits(d[0], 28, 1) == 1,
        first_element: bits(d[4], 18, 11),
        offset: (bits(d[5], 25, 7) * 4, bits(d[5], 21, 3) * 4),
        line_stride: (1 + bits(d[0], 11, 1), bits(d[0], 10, 1)),
        state,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Block;

    struct At(u64, Block);

    impl Memory for At {
        fn at(&self, address: u64) -> Option<Span<'_>> {
            let span = self.1.span();
            let offset = address.checked_sub(self.0)? as usize;
            span.part(offset, span.len().checked_sub(offset)?)
        }
    }

    #[test]
    fn an_image() {
        let memory = At(0x1234_5000_0000, Block::filled(8192, 0));
        let mut state = [0; 16];
        state[0] = 1 << 29 | 1 << 28 | 0x143 << 18 | 3 << 12;
        state[1] = 16;
        state[2] = 99 << 16 | 241;
        state[3] = 4 << 21 | 1023;
        state[4] = 3 << 18;
        state[5] = 2 << 25 | 1 << 21;
        state[8] = 0x5000_1000;
        state[9] = 0xffff_1234;
        let surface = decode(Generation::Gen9, state, &memory).expect("a surface");
        assert_eq!((surface.kind, surface.tiling), (SurfaceKind::D2, Tiling::Y));
        assert_eq!((surface.width, surface.height, surface.depth), (242, 100, 5));
        assert_eq!((surface.pitch, surface.slice_rows, surface.texel), (1024, 64, 1));
        assert_eq!((surface.is_array, surface.first_element, surface.offset), (true, 3, (8, 4)));
        assert_eq!(surface.line_stride, (1, 0));
        assert_eq!((surface.address, surface.bytes.len()), (0x1234_5000_1000, 4096));
        for (mode, tiling) in [(0, Tiling::Linear), (1, Tiling::SixtyFour), (2, Tiling::X), (3, Tiling::Four)]
        {
            state[0] = state[0] & !(3 << 12) | mode << 12;
            let surface = decode(Generation::XeHpg, state, &memory).expect("a surface");
            assert_eq!(surface.tiling, tiling);
        }
    }

    #[test]
    fn a_buffer() {
        let memory = At(0x1000, Block::filled(64, 0));
        let mut state = [0; 16];
        // 0xabc_def entries.
        let last = 0xabc_def - 1;
        state[0] = 4 << 29 | 0x1ff << 18;
        state[2] = last & 0x7f | (last >> 7 & 0x3fff) << 16;
        state[3] = last >> 21 << 21;
        state[8] = 0x1010;
        let surface = decode(Generation::Gen9, state, &memory).expect("a surface");
        assert_eq!((surface.kind, surface.width, surface.height), (SurfaceKind::Buffer, 0xabc_def, 1));
        assert_eq!((surface.pitch, surface.texel, surface.bytes.len()), (1, 1, 48));
        state[0] |= 1 << 11 | 1 << 10;
        assert_eq!(decode(Generation::Gen9, state, &memory).expect("a surface").line_stride, (2, 1));
    }

    #[test]
    fn no_memory_and_no_tiling() {
        let memory = At(0x1000, Block::filled(64, 0));
        let mut state = [0; 16];
        state[0] = 7 << 29;
        state[8] = 0x1000;
        assert!(decode(Generation::Gen9, state, &memory).expect("the null surface").bytes.is_empty());
        state[0] = 1 << 29;
        state[8] = 0x9000;
        assert!(decode(Generation::Gen9, state, &memory).expect("a surface").bytes.is_empty());
        state[0] |= 1 << 12;
        assert!(decode(Generation::Gen9, state, &memory).is_none());
    }
}
