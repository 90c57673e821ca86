//! A struct is not an element type.

use cm::prelude::*;

#[derive(Clone, Copy)]
struct Pixel;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let _pixels = Vector::<Pixel, 8>::splat(0);
    output.write(0, 0, &Vector::<u8, 4>::splat(0));
}

fn main() {}
