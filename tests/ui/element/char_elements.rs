//! `char` of Rust is not CM's `char`, which is `i8`.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let text: Matrix<char, 8, 32> = m.convert();
    output.write(0, 0, &m);
}

fn main() {}
