//! Error diffusion (Floyd and Steinberg) on blocks of texels, as a wavefront.

use cm::prelude::*;

/// Columns and rows of a block, in texels.
pub const BLOCK: [usize; 2] = [16, 4];
/// How many texels further to the left each row of a block begins than the row above. A row waits for texels
/// of the row above, up to one column further to the right.
pub const SLANT: usize = 4;
/// Columns of `errors` to the left of the picture, and rows above it. They are 0.
pub const BORDER: [usize; 2] = [16, 1];

/// Makes every texel black or white and passes the error on: 7/16 to the right, and 3/16, 5/16 and 1/16 to
/// the three texels below. A thread processes a slanted block of 16 x 4 texels, after the blocks to the left,
/// above, and above to the right: `WAVEFRONT26`. `errors` has the error of every texel, in a picture with a
/// [`BORDER`].
#[kernel]
pub fn error_diffusion(input: &Surface2D, columns: i32, output: &mut Surface2D, errors: &mut Surface2D) {
    let x = thread_origin_x().convert::<i32>() * 16;
    let y = thread_origin_y().convert::<i32>() * 4;
    wait();

    // The errors of the row above, from 4 texels left of the row to 4 texels right of it.
    let mut above = Vector::<i32, 24>::splat(0);
    above.assign(errors.read::<i16, 1, 24>((x + 12) * 2, y).row(0));
    for row in 0..4 {
        let left = x - row as i32 * 4;
        let texels = input.read::<u8, 1, 16>(left, y + row as i32);
        // The errors of this row from 4 texels to the left on, which belong to the left block.
        let before = errors.read::<i16, 1, 8>((left + 8) * 2, y + row as i32 + 1);
        let mut own = Vector::<i32, 20>::splat(0);
        own.select_mut::<4, 1>(0).assign(before.row(0).select::<4, 1>(4));
        // The shares of all neighbours except the left one.
        let shares: Vector<i32, 16> =
            above.select::<16, 1>(3) + above.select::<16, 1>(4) * 5 + above.select::<16, 1>(5) * 3;
        let mut column = Vector::<i32, 16>::splat(0);
        column.vector_assign(0, 1);
        column += left;
        let inside = (column >= 0) & (column < columns);
        let mut out = Vector::<u8, 16>::splat(0);
        for n in 0..16 {
            let share = shares.select::<1, 1>(n) + own.select::<1, 1>(n + 3) * 7;
            let value = texels.row(0).select::<1, 1>(n) + (share >> 4);
            let mut white = Vector::<i32, 1>::splat(0);
            white.merge(255, value > 127);
            out.select_mut::<1, 1>(n).assign(white);
            own.select_mut::<1, 1>(n + 4).merge(value - white, inside.select::<1, 1>(n));
        }
        output.write(left, y + row as i32, &out);
        let rounded: Vector<i16, 16> = own.select::<16, 1>(4).convert();
        errors.write((left + 16) * 2, y + row as i32 + 1, &rounded);
        // The next row begins 4 texels further to the left: the row above it is this one, preceded by texels
        // of the left block.
        above.select_mut::<4, 1>(0).assign(before.row(0).select::<4, 1>(0));
        above.select_mut::<20, 1>(4).assign(own);
    }
    fence();
    signal();
}
