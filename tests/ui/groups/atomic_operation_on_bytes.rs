//! Atomic operations on shared memory take elements of 16 or 32 bits.

use cm::prelude::*;

#[kernel]
fn count(input: &Buffer<u8>, output: &mut Buffer<u8>) {
    let bins = slm::<u8, 256>();
    bins.write_atomic(atomic::Inc, &input.read::<16>(0));
    output.write(0, &bins.read::<16>(0));
}

fn main() {}
