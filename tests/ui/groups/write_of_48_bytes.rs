//! Blocks that are written have 16, 32, 64 or 128 bytes, in shared memory as in buffers.

use cm::prelude::*;

#[kernel]
fn fill(output: &mut Buffer<u32>) {
    let shared = slm::<u32, 64>();
    shared.write(0, &Vector::<u32, 12>::splat(1));
    output.write(0, &shared.read::<16>(0));
}

fn main() {}
