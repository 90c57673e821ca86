//! The kernels of CM's example `sharpen`, for pixels of four bytes.

use cm::prelude::*;

/// The weights of nine pixels.
pub const WEIGHTS: [f32; 9] =
    [4e-8, 5.852e-5, 9.618_92e-3, 0.205_399_63, 0.569_845_7, 0.205_399_63, 9.618_92e-3, 5.852e-5, 4e-8];
/// How much pixels become lighter and darker, in 128ths.
pub const AMOUNT: i32 = 96;

/// Replaces each pixel of 4 rows by the weighted sum of nine, 8 pixels at a time from left to right. The
/// first 4 and the last 4 pixels of a row do not change.
#[kernel]
pub fn horizontal_blur(input: &Surface2D, output: &mut Surface2D, width: u32) {
    let y = thread_origin_y() * 4;
    let mut window = Matrix::<u8, 4, 64>::splat(0);
    window.select_mut::<4, 1, 32, 1>(0, 0).assign(input.read::<u8, 4, 32>(0, y));
    output.write(0, y, &window.select::<4, 1, 16, 1>(0, 0));
    let mut x = 32u32;
    while x < width * 4 {
        window.select_mut::<4, 1, 32, 1>(0, 32).assign(input.read::<u8, 4, 32>(x, y));
        let mut sum = Matrix::<f32, 4, 32>::splat(0.0f32);
        for (k, weight) in WEIGHTS.into_iter().enumerate() {
            // The ninth pixel is the first one of the next eight.
            sum += window.select::<4, 1, 32, 1>(0, k * 4) * weight;
        }
        output.write(x - 16, y, &sum.saturate::<u8>());
        let right = window.select::<4, 1, 32, 1>(0, 32);
        window.select_mut::<4, 1, 32, 1>(0, 0).assign(right);
        x += 32;
    }
    output.write(x - 16, y, &window.select::<4, 1, 16, 1>(0, 16));
}

/// The same for 4 columns, 8 rows at a time from top to bottom.
#[kernel]
pub fn vertical_blur(input: &Surface2D, output: &mut Surface2D, height: u32) {
    let x = thread_origin_x() * 16;
    let mut window = Matrix::<u8, 16, 16>::splat(0);
    window.select_mut::<8, 1, 16, 1>(0, 0).assign(input.read::<u8, 8, 16>(x, 0));
    output.write(x, 0, &window.select::<4, 1, 16, 1>(0, 0));
    let mut y = 8u32;
    while y < height {
        window.select_mut::<8, 1, 16, 1>(8, 0).assign(input.read::<u8, 8, 16>(x, y));
        let mut sum = Matrix::<f32, 8, 16>::splat(0.0f32);
        for (k, weight) in WEIGHTS.into_iter().enumerate() {
            sum += window.select::<8, 1, 16, 1>(k, 0) * weight;
        }
        output.write(x, y - 4, &sum.saturate::<u8>());
        let below = window.select::<8, 1, 16, 1>(8, 0);
        window.select_mut::<8, 1, 16, 1>(0, 0).assign(below);
        y += 8;
    }
    output.write(x, y - 4, &window.select::<4, 1, 16, 1>(4, 0));
}

/// Unsharp masking: the difference of a pixel from the blurred one makes it lighter or darker.
#[kernel]
pub fn simple_usm(input: &Surface2D, blurred: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let sharp: Matrix<i32, 4, 16> = input.read::<u8, 4, 16>(x, y).convert();
    let soft: Matrix<i32, 4, 16> = blurred.read::<u8, 4, 16>(x, y).convert();
    let difference = math::abs::<i32, _>(sharp - soft);

    // The "screen" and "multiply" of CM, with the difference of a pixel from its surroundings.
    let screen = 255 - math::quot((255 - sharp) * (255 - difference), 255);
    let multiply = math::quot(sharp * (255 - difference), 255);
    let mut lighter = sharp;
    lighter.merge(screen, &(sharp > soft));
    let mut darker = sharp;
    darker.merge(multiply, &(sharp < soft));

    let light = (sharp * (128 - AMOUNT) + lighter * AMOUNT) >> 7;
    let both = (light * (128 - AMOUNT) + (light + darker - sharp) * AMOUNT) >> 7;
    output.write(x, y, &both.saturate::<u8>());
}
