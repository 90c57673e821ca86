//! An annotation does not show the elements: registers of other shapes enter it, too.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<u8>, output: &mut Buffer<u32>) {
    let v = input.read::<16>(0);
    let words: Vector<u32, 4> = v.format();
    let mut square: Matrix<u8, 4, 4> = v.format();
    square = words.format();
    output.write(0, &square.format::<u32>());
}

fn main() {}
