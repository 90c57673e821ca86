//! A dword aligned block starts at a multiple of 4 bytes.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u8>, y: &mut Buffer<u8>) {
    y.write(0, &x.read_dwaligned::<16>(6));
}

fn main() {}
