//! A block of several messages must fit the register file that the kernel declares.

use cm::prelude::*;

#[kernel(register_file = 8192)]
fn k(input: &Surface2D, bytes: &Buffer<u8>, output: &mut Surface2D) {
    let block = input.read_block::<u8, 64, 127>(0, 0);
    let larger = input.read_block::<u8, 64, 128>(0, 0);
    let linear = bytes.read_linear::<8192>(0);
    output.write(0, 0, &block.select::<4, 1, 8, 1>(0, 0));
    output.write(0, 4, &larger.select::<4, 1, 8, 1>(0, 0));
    output.write(0, 8, &linear.select::<8, 1>(0));
}

fn main() {}
