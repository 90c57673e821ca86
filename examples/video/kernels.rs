//! The kernels. All but the last two process a plane of bytes, whatever it contains.

use cm::prelude::*;

/// The search distance in the previous frame, in each direction.
pub const REACH: i32 = 4;
/// The sum of absolute differences of 64 bytes below which blocks are equal.
pub const SAME: i32 = 64 * 6;
/// The sum below which they are similar.
pub const SIMILAR: i32 = 64 * 12;
/// Bytes of two frames that differ by more have moved.
pub const STILL: i32 = 10;

/// The number of columns or rows of the search.
const STEPS: usize = 2 * REACH as usize + 1;
const CANDIDATES: usize = STEPS * STEPS;

/// Removes noise from a block of 8 x 8 bytes: finds the most similar block of the previous frame, up to 4
/// columns and rows away, and blends the two as far as they are similar. If blocks are equally similar, the
/// block at the same position comes first, then the first one in raster order.
#[kernel]
pub fn denoise(frame: &Surface2D, previous: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x().convert::<i32>() * 8, thread_origin_y().convert::<i32>() * 8);
    let block = frame.read::<u8, 8, 8>(x, y);
    let window = previous.read::<u8, 16, 16>(x - REACH, y - REACH);
    // The upper bits are the distance and the lower 7 bits are the number of the candidate, so the minimum
    // gives both. The centre block is number 0.
    let middle = window.select::<8, 1, 8, 1>(REACH as usize, REACH as usize);
    let mut least = distance(block, middle) * 128;
    for n in 0..CANDIDATES {
        let candidate = window.select::<8, 1, 8, 1>(n / STEPS, n % STEPS);
        least = math::min::<i32, _>(least, distance(block, candidate) * 128 + (n as i32 + 1));
    }
    let number = least & 127;
    let at = if number == 0 { CANDIDATES as i32 / 2 } else { number - 1 };
    let (column, row) = (at % STEPS as i32, at / STEPS as i32);
    let found = previous.read::<u8, 8, 8>(x - REACH + column, y - REACH + row);
    let distance = least >> 7;
    let mut result = block;
    if distance < SAME {
        result = ((block + found * 3 + 2) >> 2).convert();
    } else if distance < SIMILAR {
        result = ((block + found + 1) >> 1).convert();
    }
    output.write(x, y, &result);
}

/// The sum of absolute differences.
#[function]
fn distance(a: Matrix<u8, 8, 8>, b: Matrix<u8, 8, 8>) -> i32 {
    math::sum::<i32, _>(math::abs::<u16, _>(a - b))
}

/// Merges the two fields of a frame: bytes of odd rows that differ from the previous frame become the mean of
/// those above and below; the others do not change. A thread processes 16 columns and 8 rows.
#[kernel]
pub fn deinterlace(frame: &Surface2D, previous: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    // One additional row, below the last odd row.
    let rows = frame.read::<u8, 9, 16>(x, y);
    let before = previous.read::<u8, 8, 16>(x, y).select::<4, 2, 16, 1>(1, 0);
    let mut odd = rows.select::<4, 2, 16, 1>(1, 0);
    let mean = math::avg::<u8, _>(rows.select::<4, 2, 16, 1>(0, 0), rows.select::<4, 2, 16, 1>(2, 0));
    let moved = math::abs::<u16, _>(odd - before) > STILL;
    odd.merge(mean, &moved);
    let mut result = rows.select::<8, 1, 16, 1>(0, 0);
    result.select_mut::<4, 2, 16, 1>(1, 0).assign(odd);
    output.write(x, y, &result);
}

/// Halves width and height: each byte is computed from 4 x 4 bytes, with the weights 1, 3, 3, 1 in each
/// direction. A thread writes 8 x 8 bytes.
#[kernel]
pub fn scale(frame: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x().convert::<i32>() * 8, thread_origin_y().convert::<i32>() * 8);
    let from = frame.read_block::<u8, 18, 18>(x * 2 - 1, y * 2 - 1);
    let across: Matrix<u16, 18, 8> = (from.select::<18, 1, 8, 2>(0, 0)
        + from.select::<18, 1, 8, 2>(0, 1) * 3
        + from.select::<18, 1, 8, 2>(0, 2) * 3
        + from.select::<18, 1, 8, 2>(0, 3))
    .convert();
    let down = across.select::<8, 2, 8, 1>(0, 0)
        + across.select::<8, 2, 8, 1>(1, 0) * 3
        + across.select::<8, 2, 8, 1>(2, 0) * 3
        + across.select::<8, 2, 8, 1>(3, 0);
    output.write(x, y, &((down + 32) >> 6).convert::<u8>());
}

/// From the colours of BT.601 to those of BT.709: the weights of U and V in luma, in 1024ths.
pub const LUMA: [i32; 2] = [-118, -213];
/// The weights of the old U and V in the new ones.
pub const CHROMA: [[i32; 2]; 2] = [[1043, 117], [77, 1050]];

/// Changes luma: 8 rows of 16 bytes per thread, which have `ROWS` rows of `COLUMNS` chroma samples, each for
/// `DOWN` rows of `ACROSS` bytes.
#[kernel]
pub fn luma<const ROWS: usize, const DOWN: usize, const COLUMNS: usize, const ACROSS: usize>(
    luma: &Surface2D,
    u: &Surface2D,
    v: &Surface2D,
    output: &mut Surface2D,
) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let mut sum: Matrix<i32, 8, 16> = (luma.read::<u8, 8, 16>(x * 16, y * 8) * 1024).convert();
    let u = u.read::<u8, ROWS, COLUMNS>(x * COLUMNS as u32, y * ROWS as u32);
    let v = v.read::<u8, ROWS, COLUMNS>(x * COLUMNS as u32, y * ROWS as u32);
    let part: Matrix<i32, ROWS, COLUMNS> = ((u - 128) * LUMA[0] + (v - 128) * LUMA[1]).convert();
    for n in 0..DOWN * ACROSS {
        sum.select_mut::<ROWS, DOWN, COLUMNS, ACROSS>(n / ACROSS, n % ACROSS) += part;
    }
    output.write(x * 16, y * 8, &((sum + 512) >> 10).saturate::<u8>());
}

/// Changes chroma: 8 rows of 16 samples per thread.
#[kernel]
pub fn chroma(u: &Surface2D, v: &Surface2D, output_u: &mut Surface2D, output_v: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let (u, v) = (u.read::<u8, 8, 16>(x, y) - 128, v.read::<u8, 8, 16>(x, y) - 128);
    let new_u = (u * CHROMA[0][0] + v * CHROMA[0][1] + 512) >> 10;
    let new_v = (u * CHROMA[1][0] + v * CHROMA[1][1] + 512) >> 10;
    output_u.write(x, y, &(new_u + 128).saturate::<u8>());
    output_v.write(x, y, &(new_v + 128).saturate::<u8>());
}
