//! Shared memory has no atomic operations of 64 bits.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Buffer<u32>) {
    let cells = slm::<u64, 16>();
    cells.write_atomic(atomic::Inc, &output.read::<16>(0));
}

fn main() {}
