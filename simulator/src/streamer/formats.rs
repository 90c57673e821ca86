//! Formats of surfaces: `SURFACE_FORMAT` of Intel's PRM (Skylake, volume 2d, `RENDER_SURFACE_STATE`).

/// The first number of a range of formats, and the bytes of a texel. 0: unknown.
const TEXELS: [(u32, u32); 12] = [
    (0x000, 16),
    (0x040, 12),
    (0x080, 8),
    (0x0c0, 4),
    (0x100, 2),
    (0x140, 1),
    (0x180, 0),
    (0x182, 2), // YCRCB_NORMAL, YCRCB_SWAPUVY
    (0x184, 0),
    (0x18f, 2), // YCRCB_SWAPUV, YCRCB_SWAPY
    (0x191, 0),
    (RAW, 1),
];

/// Bytes.
pub(super) const RAW: u32 = 0x1ff;

/// Bytes of a texel.
pub(super) fn texel_bytes(format: u32) -> u32 {
    let behind = TEXELS.partition_point(|(first, _)| *first <= format);
    TEXELS[behind - 1].1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_texels() {
        assert!(TEXELS.is_sorted_by(|left, right| left.0 < right.0));
        for (format, bytes) in [
            (0x000, 16), // R32G32B32A32_FLOAT
            (0x040, 12), // R32G32B32_FLOAT
            (0x080, 8),  // R16G16B16A16_UNORM
            (0x0c7, 4),  // R8G8B8A8_UNORM
            (0x0d7, 4),  // R32_UINT
            (0x10d, 2),  // R16_UINT
            (0x143, 1),  // R8_UINT
            (0x182, 2),  // YCRCB_NORMAL
            (0x190, 2),  // YCRCB_SWAPY
            (0x1a0, 0),
            (RAW, 1),
        ] {
            assert_eq!(texel_bytes(format), bytes, "{format:#x}");
        }
    }
}
