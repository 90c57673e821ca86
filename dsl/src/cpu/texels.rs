//! Typed accesses: channels of texels, and atomic operations on them, of one thread after the other, texel by texel.
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use cm_compiler::ops::{ChannelMask, Texel};

use super::arrays::{Lanes, zeroed};
use super::checked_surface::SurfaceAccess;
use super::untyped::{read_block, write_block};
use crate::elem::Elem;
use crate::ops::AtomicOp;

/// Bytes of a channel in a register.
const DWORD: usize = size_of::<u32>();

/// The byte column and the row of a texel, counted through all slices; `None` outside.
fn position(texel: Texel, [width, height, depth]: [u32; 3], [u, v, r]: [u32; 3]) -> Option<[i32; 2]> {
    if u >= width || v >= height || r >= depth {
        return None;
    }
    let row = u64::from(r) * u64::from(height) + u64::from(v);
    Some([i32::try_from(u as usize * texel.bytes()).ok()?, i32::try_from(row).ok()?])
}

/// All channels of a texel; 0 outside.
fn read_texel<S: SurfaceAccess>(surface: &S, place: [u32; 3]) -> [u32; Texel::CHANNELS] {
    let mut channels = [0; Texel::CHANNELS];
    let (texel, extent) = surface.texels();
    let Some(position) = position(texel, extent, place) else { return channels };
    let (mut bytes, size) = ([0; DWORD], texel.channel_bytes());
    read_block(surface, position, texel.bytes(), &mut bytes[..texel.bytes()]);
    for (channel, value) in channels.iter_mut().enumerate() {
        *value = match texel.start(channel) {
            Some(start) => {
                let mut dword = [0; DWORD];
                dword[..size].copy_from_slice(&bytes[start..start + size]);
                u32::from_le_bytes(dword)
            }
            None => texel.missing(channel),
        };
    }
    channels
}

/// Writes a channel of a texel. What is outside is dropped, and so is a channel that the texel lacks.
fn write_channel<S: SurfaceAccess>(surface: &mut S, place: [u32; 3], channel: usize, dword: u32) {
    let (texel, extent) = surface.texels();
    let (Some([x, y]), Some(start)) = (position(texel, extent, place), texel.start(channel)) else { return };
    let (bytes, size) = (texel.limited(dword).to_le_bytes(), texel.channel_bytes());
    write_block(surface, [x + start as i32, y], size, &bytes[..size]);
}

/// Reads channels of the texels at these columns, rows and slices: a row of dwords for each channel.
pub fn read_texels<S: SurfaceAccess>(
    surface: &S,
    channels: ChannelMask,
    places: &[[u32; 3]],
    bytes: &mut [u8],
) {
    for (k, place) in places.iter().enumerate() {
        let texel = read_texel(surface, *place);
        for (row, channel) in channels.channels().enumerate() {
            let at = (row * places.len() + k) * DWORD;
            bytes[at..at + DWORD].copy_from_slice(&texel[channel].to_le_bytes());
        }
    }
}

/// Writes channels of the texels at these columns, rows and slices, in order.
pub fn write_texels<S: SurfaceAccess>(
    surface: &mut S,
    channels: ChannelMask,
    places: &[[u32; 3]],
    bytes: &[u8],
) {
    let (dwords, _) = bytes.as_chunks::<DWORD>();
    for (channel, row) in channels.channels().zip(dwords.chunks(places.len().max(1))) {
        for (place, dword) in places.iter().zip(row) {
            write_channel(surface, *place, channel, u32::from_le_bytes(*dword));
        }
    }
}

/// Updates the texels at these columns, rows and slices, one after the other: `change` has the index of a texel and its
/// red channel. Texels outside are 0, and are not changed.
pub fn update_texels<S: SurfaceAccess>(
    surface: &mut S,
    places: &[[u32; 3]],
    mut change: impl FnMut(usize, u32) -> u32,
) {
    for (k, place) in places.iter().enumerate() {
        let [old, ..] = read_texel(surface, *place);
        let new = change(k, old);
        write_channel(surface, *place, 0, new);
    }
}

/// The texels of a thread, by their first `D` coordinates; those of a 2-D surface are in slice 0.
fn places<const N: usize, const L: usize, const D: usize>(
    coordinates: &[Lanes<u32, N, 1, L>; D],
    thread: usize,
) -> [[u32; 3]; L] {
    let mut places = [[0; 3]; L];
    for n in 0..D {
        for k in 0..L {
            places[k][n] = coordinates[n][0][thread][k];
        }
    }
    places
}

pub(super) fn read<T: Elem, const N: usize, const R: usize, const L: usize, const D: usize>(
    surface: &impl SurfaceAccess,
    channels: ChannelMask,
    place: [Lanes<u32, N, 1, L>; D],
) -> Lanes<T, N, R, L> {
    let mut rows: Lanes<T, N, R, L> = zeroed();
    for n in 0..N {
        let mut block = [[T::default(); L]; R];
        let bytes = bytemuck::cast_slice_mut(block.as_flattened_mut());
        read_texels(surface, channels, &places(&place, n), bytes);
        for r in 0..R {
            rows[r][n] = block[r];
        }
    }
    rows
}

pub(super) fn update<O: AtomicOp<T>, T: Elem, const N: usize, const L: usize, const D: usize>(
    surface: &mut impl SurfaceAccess,
    place: [Lanes<u32, N, 1, L>; D],
    [source]: &Lanes<T, N, 1, L>,
    [compare]: &Lanes<T, N, 1, L>,
) -> Lanes<T, N, 1, L> {
    let mut before: Lanes<T, N, 1, L> = zeroed();
    for n in 0..N {
        update_texels(surface, &places(&place, n), |k, old| {
            let old: T = bytemuck::cast(old);
            before[0][n][k] = old;
            bytemuck::cast(O::changed(old, source[n][k], compare[n][k]))
        });
    }
    before
}

pub(super) fn write<T: Elem, const N: usize, const R: usize, const L: usize, const D: usize>(
    surface: &mut impl SurfaceAccess,
    channels: ChannelMask,
    place: [Lanes<u32, N, 1, L>; D],
    rows: &Lanes<T, N, R, L>,
) {
    for n in 0..N {
        let mut block = [[T::default(); L]; R];
        for r in 0..R {
            block[r] = rows[r][n];
        }
        let bytes = bytemuck::cast_slice(block.as_flattened());
        write_texels(surface, channels, &places(&place, n), bytes);
    }
}
