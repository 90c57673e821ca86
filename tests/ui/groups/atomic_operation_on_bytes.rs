//! Atomic operations are on dword integers, in shared memory as in buffers.

use cm::prelude::*;

#[kernel]
fn count(input: &Buffer<u8>, output: &mut Buffer<u8>) {
    let bins = slm::<u8, 256>();
    bins.write_atomic(atomic::Inc, &input.read::<16>(0));
    output.write(0, &bins.read::<16>(0));
}

fn main() {}
