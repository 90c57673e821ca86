//! The kernels. All but the last two take a plane of bytes, whatever it holds.

use cm::prelude::*;

/// How far blocks are looked for in the previous frame, each way.
pub const REACH: i32 = 4;
/// The sum of absolute differences of 64 bytes below which blocks are the same.
pub const SAME: i32 = 64 * 6;
/// That below which they are similar.
pub const SIMILAR: i32 = 64 * 12;
/// Bytes of two frames that differ by more have moved.
pub const STILL: i32 = 10;

/// Columns, rows and both of the search.
const STEPS: usize = 2 * REACH as usize + 1;
const CANDIDATES: usize = STEPS * STEPS;

/// Removes noise of a block of 8 x 8 bytes: finds the most similar block of the previous frame, in up to 4 columns and
/// rows each way, and blends the two as far as they are the same. Of equally similar blocks the one that has not moved
/// comes first, then the first one in raster order.
#[kernel]
pub fn denoise(frame: &Surface2D, previous: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x().convert::<i32>() * 8, thread_origin_y().convert::<i32>() * 8);
    let block = frame.read::<u8, 8, 8>(x, y);
    let window = previous.read::<u8, 16, 16>(x - REACH, y - REACH);
    // The distance in the upper bits and the number of the candidate in the lower 7, so that the minimum has both. The
    // block in the middle is number 0.
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

/// Makes a frame of two fields one picture: bytes of odd rows that differ from the previous frame become the mean of
/// those above and below; the others stay. A thread has 16 columns and 8 rows.
#[kernel]
pub fn deinterlace(frame: &Surface2D, previous: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    // One more, below the last odd row.
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

/// Halves width and height: each byte is made of 4 x 4, with the weights 1, 3, 3, 1 each way. A thread writes 8 x 8.
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

/// From the colours of BT.601 to those of BT.709: what luma takes of U and V, in 1024ths.
pub const LUMA: [i32; 2] = [-118, -213];
/// What the new U and V take of the old ones.
pub const CHROMA: [[i32; 2]; 2] = [[1043, 117], [77, 1050]];

/// Changes luma: 8 rows of 16 bytes a thread, for which there are `ROWS` rows of `COLUMNS` samples of chroma, each for
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

/// Changes chroma: 8 rows of 16 samples a thread.
#[kernel]
pub fn chroma(u: &Surface2D, v: &Surface2D, output_u: &mut Surface2D, output_v: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let (u, v) = (u.read::<u8, 8, 16>(x, y) - 128, v.read::<u8, 8, 16>(x, y) - 128);
    let new_u = (u * CHROMA[0][0] + v * CHROMA[0][1] + 512) >> 10;
    let new_v = (u * CHROMA[1][0] + v * CHROMA[1][1] + 512) >> 10;
    output_u.write(x, y, &(new_u + 128).saturate::<u8>());
    output_v.write(x, y, &(new_v + 128).saturate::<u8>());
}
