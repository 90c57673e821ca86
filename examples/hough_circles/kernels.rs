//! The kernel of CM's example `HoughCircle`.

use cm::prelude::*;

/// The number of angles of a quarter circle.
pub const ANGLES: usize = 96;

/// Each edge pixel votes for the centres of all circles of one radius that it may be on. `steps` has the
/// sines of the angles times the radius, then the cosines. A vote increments the element of `votes` for the
/// centre.
#[kernel]
pub fn hough_circle(
    edges: &Surface2D,
    steps: &Buffer<f32>,
    votes: &mut Buffer<u32>,
    width: i32,
    height: i32,
) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 8);
    let tile = edges.read::<u8, 8, 8>(x, y);
    if !tile.any() {
        return;
    }
    let mut pixel = 0u32;
    while pixel < 64 {
        if tile.get(pixel / 8, pixel % 8) > 0 {
            let (px, py) = (x + pixel % 8, y + pixel / 8);
            let mut angle = 0u32;
            while angle < 96 {
                let down = steps.read::<8>(angle * 4);
                let across = steps.read::<8>(angle * 4 + 384);
                for (right, below) in [(1.0f32, 1.0f32), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                    let cx: Vector<i32, 8> = math::rndd::<f32, _>(across * right + px + 0.5f32).convert();
                    let cy: Vector<i32, 8> = math::rndd::<f32, _>(down * below + py + 0.5f32).convert();
                    // An index that is out of bounds gets no vote.
                    let mut at = cy * width + cx;
                    at.merge(-1, &((cx < 0) | (cx >= width) | (cy < 0) | (cy >= height)));
                    votes.write_atomic(atomic::Inc, &at);
                }
                angle += 8;
            }
        }
        pixel += 1;
    }
}
