//! The kernel of CM's tutorial 5.

use cm::prelude::*;

/// The weights for blue, green and red of two pixels of a row, as the eight numbers that `dp4` adds in groups
/// of four: for each pixel blue, green and red, and another number with weight 0.
const BLUE: [f32; 8] = [0.101, 0.531, 0.291, 0.0, 0.0, 0.101, 0.531, 0.291];
const GREEN: [f32; 8] = [0.161, 0.691, 0.361, 0.0, 0.0, 0.161, 0.691, 0.361];
const RED: [f32; 8] = [0.201, 0.741, 0.411, 0.0, 0.0, 0.201, 0.741, 0.411];

/// Tints packed pixels of blue, green and red brown: 8 pixels of 8 rows for each thread.
#[kernel]
pub fn sepia(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 24, thread_origin_y() * 8);
    output.write(x, y, &in_brown(input.read::<u8, 8, 32>(x, y)));
}

/// 8 pixels of each row, tinted brown; the last 8 bytes of a row are ignored.
#[function]
pub fn in_brown(bytes: Matrix<u8, 8, 32>) -> Matrix<u8, 8, 24> {
    let pixels: Matrix<f32, 8, 32> = bytes.convert();
    let mut brown = Matrix::<u8, 8, 24>::splat(0);
    for row in 0..8 {
        for column in [0, 6, 12, 18] {
            // Four numbers that start with a pixel, and four that end with the last number of the next pixel.
            let two = pixels.replicate::<2, 2, 4, 1>(row, column);
            let blue: Vector<f32, 8> = math::dp4(Vector::from_array(BLUE), two);
            let green: Vector<f32, 8> = math::dp4(Vector::from_array(GREEN), two);
            let mut both: Vector<f32, 8> = math::dp4(Vector::from_array(RED), two);
            both.merge(blue, 0b0001_0010u16);
            both.merge(green, 0b0010_0100u16);
            let sepia: Vector<u8, 6> = both.select::<6, 1>(1).saturate();
            brown.row_mut(row).select_mut::<6, 1>(column).assign(sepia);
        }
    }
    brown
}
