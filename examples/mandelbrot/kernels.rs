//! The kernel of CM's example of the Mandelbrot set.

use cm::prelude::*;

/// The number of iterations until points of the plane leave the circle of radius 2, as colours: 16 pixels of
/// a row for each thread. `crunch` is the largest number of iterations.
#[kernel]
pub fn mandelbrot(output: &mut Surface2D, crunch: i32, left: f32, top: f32, scale: f32) {
    let (column, row) = (thread_origin_x() * 16, thread_origin_y());
    let mut columns = Vector::<u32, 16>::splat(0);
    columns.vector_assign(column, 1);
    let cx: Vector<f32, 16> = columns * scale + left;
    let cy = row * scale + top;

    let (mut x, mut y) = (cx, Vector::<f32, 16>::splat(cy));
    let (mut xx, mut yy): (Vector<f32, 16>, Vector<f32, 16>) = (x * x, y * y);
    let mut left_over = Vector::<i32, 16>::splat(crunch - 1);
    simd_while! { (left_over > 0) & (xx + yy < 4.0f32) => {
        y = x * y * 2.0f32 + cy;
        x = xx - yy + cx;
        xx = x * x;
        yy = y * y;
        left_over -= 1;
    } }

    let mut rounds = Vector::<i32, 16>::splat(0);
    rounds.merge(crunch - left_over, &(left_over > 0));
    let (blue, green, red) = ((rounds * 15) & 255, (rounds * 7) & 255, (rounds * 3) & 255);
    let pixels: Vector<u32, 16> = (blue | (green << 8) | (red << 16)).convert();
    output.write(column * 4, row, &pixels);
}
