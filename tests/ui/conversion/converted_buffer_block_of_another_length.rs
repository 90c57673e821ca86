//! `.convert()` of a block of a buffer changes the elements, not their number.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<u8>, output: &mut Buffer<i32>) {
    let v: Vector<i32, 8> = input.read::<16>(0).convert();
    output.write(0, &v.select::<8, 1>(0));
}

fn main() {}
