//! Floats have no `{:x}`.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    printf!("half = {:x}", m.get(0, 0) * 0.5f32);
    output.write(0, 0, &m);
}

fn main() {}
