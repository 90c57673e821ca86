//! The element type of a result does not follow from an operator or a cast, which take any elements.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<u8>, output: &mut Buffer<u32>, x: f32) {
    let v = input.read::<16>(0);
    let mean = math::sum(v) / 16;
    let below = math::rndd(x) as u32;
    output.write(0, &Vector::<u32, 4>::splat(mean));
    output.write(16, &Vector::<u32, 4>::splat(below));
}

fn main() {}
