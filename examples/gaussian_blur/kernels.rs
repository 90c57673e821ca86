//! The kernels of CM's example of a recursive Gaussian filter, for pixels of four bytes.

use cm::prelude::*;

/// Filters 16 columns of bytes down and up. The coefficients are those of Deriche's filter: a0 to a3, b1, b2,
/// and the sums for all pixels before the first and after the last one. `forward` receives the result of the
/// downward pass.
#[kernel]
pub fn vertical(
    input: &Surface2D,
    forward: &mut Surface2D,
    output: &mut Surface2D,
    coefficients: Vector<f32, 8>,
    height: u32,
) {
    let x = thread_origin_x() * 16;
    let k = coefficients;
    let mut last: Vector<f32, 16> = input.read::<u8, 1, 16>(x, 0).row(0).convert();
    let mut y1: Vector<f32, 16> = last * k.get(6);
    let mut y2 = y1;
    let mut row = 0u32;
    while row < height {
        let this: Vector<f32, 16> = input.read::<u8, 1, 16>(x, row).row(0).convert();
        let sum = this * k.get(0) + last * k.get(1) - (y1 * k.get(4) + y2 * k.get(5));
        forward.write(x * 4, row, &sum);
        last = this;
        y2 = y1;
        y1 = sum;
        row += 1;
    }

    let mut next: Vector<f32, 16> = input.read::<u8, 1, 16>(x, height - 1).row(0).convert();
    let mut after = next;
    y1 = next * k.get(7);
    y2 = y1;
    while row > 0 {
        row -= 1;
        let sum = next * k.get(2) + after * k.get(3) - (y1 * k.get(4) + y2 * k.get(5));
        let both = sum + forward.read::<f32, 1, 16>(x * 4, row).row(0);
        output.write(x, row, &both.saturate::<u8>());
        after = next;
        next = input.read::<u8, 1, 16>(x, row).row(0).convert();
        y2 = y1;
        y1 = sum;
    }
}

/// The same to the right and to the left, for 8 rows of pixels.
#[kernel]
pub fn horizontal(
    input: &Surface2D,
    forward: &mut Surface2D,
    output: &mut Surface2D,
    coefficients: Vector<f32, 8>,
    width: u32,
) {
    let y = thread_origin_y() * 8;
    let k = coefficients;
    let mut last: Matrix<f32, 8, 4> = input.read::<u8, 8, 4>(0, y).convert();
    let mut y1: Matrix<f32, 8, 4> = last * k.get(6);
    let mut y2 = y1;
    let mut column = 0u32;
    while column < width {
        let this: Matrix<f32, 8, 4> = input.read::<u8, 8, 4>(column * 4, y).convert();
        let sum = this * k.get(0) + last * k.get(1) - (y1 * k.get(4) + y2 * k.get(5));
        forward.write(column * 16, y, &sum);
        last = this;
        y2 = y1;
        y1 = sum;
        column += 1;
    }

    // The last pixel. CM's kernel reads that at a quarter of the width, which is a byte offset there.
    let mut next: Matrix<f32, 8, 4> = input.read::<u8, 8, 4>(width * 4 - 4, y).convert();
    let mut after = next;
    y1 = next * k.get(7);
    y2 = y1;
    while column > 0 {
        column -= 1;
        let sum = next * k.get(2) + after * k.get(3) - (y1 * k.get(4) + y2 * k.get(5));
        let both = sum + forward.read::<f32, 8, 4>(column * 16, y);
        output.write(column * 4, y, &both.saturate::<u8>());
        after = next;
        next = input.read::<u8, 8, 4>(column * 4, y).convert();
        y2 = y1;
        y1 = sum;
    }
}
