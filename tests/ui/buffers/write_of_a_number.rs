//! The written value is a register.

use cm::prelude::*;

#[kernel]
fn k(y: &mut Buffer<u32>) {
    y.write(0, &7u32);
}

fn main() {}
