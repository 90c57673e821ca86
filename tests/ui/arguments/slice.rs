//! Memory is a buffer or a surface.

use cm::prelude::*;

#[kernel]
fn k(input: &[u8], output: &mut [u8]) {
    output[0] = input[0];
}


fn main() {}
