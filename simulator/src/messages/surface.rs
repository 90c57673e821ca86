//! Surfaces: their bytes, and where a texel lies.

use super::format::Format;
use crate::dispatch::{Surface, SurfaceKind, Tiling};

/// Entries of the binding table that mean something else.
pub(crate) const STATELESS: [u32; 2] = [255, 253];
pub(crate) const SHARED: u32 = 254;

/// `RAW` of `SURFACE_FORMAT`.
const RAW: u32 = 0x1ff;

/// Whether it is a buffer.
pub(crate) fn is_buffer(surface: &Surface<'_>) -> bool {
    matches!(surface.kind, SurfaceKind::Buffer | SurfaceKind::StructuredBuffer)
}

/// How many bytes belong to it.
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

/// What the driver did not say about it.
pub(crate) fn completed(mut surface: Surface<'_>) -> Surface<'_> {
    if surface.texel == 0 {
        surface.texel = Format::of(surface.format).map_or(0, Format::bytes);
    }
    surface
}

/// Where the byte of a row lies.
pub(crate) fn place(surface: &Surface<'_>, x: u64, y: u64) -> u64 {
    let pitch = u64::from(surface.pitch);
    match surface.tiling {
        Tiling::Linear => y * pitch + x,
        Tiling::X => y / 8 * 8 * pitch + x / 512 * 4096 + y % 8 * 512 + x % 512,
        Tiling::Y => y / 32 * 32 * pitch + x / 128 * 4096 + x % 128 / 16 * 512 + y % 32 * 16 + x % 16,
    }
}
