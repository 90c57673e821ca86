//! The element type of a result does not follow from an operator, a cast or a write, which take any elements.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<u8>, output: &mut Surface2D, x: f32) {
    let v = input.read::<16>(0);
    let mean = math::sum(v) / 16;
    let below = math::rndd(x) as i32;
    let mut total = Vector::<u32, 16>::splat(mean + below);
    total += math::abs(v - 3);
    output.write(0, 0, &math::max(v, 9));
    output.write(0, 1, &total);
}

fn main() {}
