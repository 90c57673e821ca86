//! A kernel accesses only its arguments.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let x = unsafe { core::mem::zeroed::<u32>() };
    output.write(0, 0, &m);
}

fn main() {}
