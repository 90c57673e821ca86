//! A mask is not a condition.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut n: Matrix<u8, 8, 32> = m;
    while n > 100 {
        n.assign(n - 1);
    }
    output.write(0, 0, &m);
}

fn main() {}
