//! Operators wrap or saturate where their results are converted.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<u8>, output: &mut Buffer<u8>) {
    let v = input.read::<16>(0);
    let sum: Vector<u8, 16> = v.wrapping_add(v);
    output.write(0, &sum.saturating_sub(1));
}

fn main() {}
