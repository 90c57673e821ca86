//! A place is no reference.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    let mut v = input.read::<16>(0);
    *v.get_mut(3) += 1;
    *v.get_mut(4) = 2;
    output.write(0, &v);
}

fn main() {}
