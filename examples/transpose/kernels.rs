//! The kernels of CM's example of transposition. CM calls them `tranpose8` and `tranpose16`.

use cm::prelude::*;

/// Transposes a square matrix in place, in tiles of 8 x 8. A thread to the right of the diagonal swaps two
/// tiles; a thread below it does nothing.
#[kernel]
pub fn transpose8(matrix: &mut Surface2D) {
    let (column, row) = (thread_origin_x(), thread_origin_y());
    if row > column {
        return;
    }
    let right = turned(matrix.read::<i32, 8, 8>(column * 32, row * 8));
    if row < column {
        let left = turned(matrix.read::<i32, 8, 8>(row * 32, column * 8));
        matrix.write(column * 32, row * 8, &left);
    }
    matrix.write(row * 32, column * 8, &right);
}

/// The same in tiles of 16 x 16: two of the four 8 x 8 tiles in each are swapped.
#[kernel]
pub fn transpose16(matrix: &mut Surface2D) {
    let (column, row) = (thread_origin_x(), thread_origin_y());
    if row > column {
        return;
    }
    let right = turned_16(matrix.read_block::<i32, 16, 16>(column * 64, row * 16));
    if row < column {
        let left = turned_16(matrix.read_block::<i32, 16, 16>(row * 64, column * 16));
        matrix.write_block(column * 64, row * 16, &left);
    }
    matrix.write_block(row * 64, column * 16, &right);
}

/// Transposes a tile in three passes, each of which interleaves the rows of both halves.
#[function]
fn turned(tile: Matrix<i32, 8, 8>) -> Matrix<i32, 8, 8> {
    between(between(between(tile)))
}

#[function]
fn between(tile: Matrix<i32, 8, 8>) -> Matrix<i32, 8, 8> {
    let mut next = tile;
    for row in 0..8 {
        // Each element twice, from half a row of the upper half and half a row of the lower half; the merge
        // takes them alternately.
        let above = tile.replicate::<4, 1, 2, 0>(row / 2, row % 2 * 4);
        let below = tile.replicate::<4, 1, 2, 0>(row / 2 + 4, row % 2 * 4);
        next.row_mut(row).merge_else(above, below, 0x55u16);
    }
    next
}

#[function]
fn turned_16(tile: Matrix<i32, 16, 16>) -> Matrix<i32, 16, 16> {
    let mut next = tile;
    for (row, column) in [(0, 0), (0, 8), (8, 0), (8, 8)] {
        let part = turned(tile.select::<8, 1, 8, 1>(row, column));
        next.select_mut::<8, 1, 8, 1>(column, row).assign(part);
    }
    next
}
