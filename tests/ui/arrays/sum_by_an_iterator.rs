//! Registers are added by a loop.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let lines = [input.read::<8>(0), input.read::<8>(32)];
    let total: Vector<i32, 8> = lines.iter().copied().sum();
    output.write(0, &total);
}


fn main() {}
