//! `while let` matches a host value.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut numbers = [1, 2].into_iter();
    while let Some(_) = numbers.next() {}
    output.write(0, 0, &m);
}

fn main() {}
