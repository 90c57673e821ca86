//! Staged offsets are integers as well.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u8>, y: &mut Buffer<u8>, at: f32) {
    y.write(0, &x.read::<16>(at));
}

fn main() {}
