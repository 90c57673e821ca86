//! Packed matrices have 8 or 16 columns.

use cm::prelude::*;

#[kernel]
fn k() {
    let b = math::vnni(Matrix::<u8, 32, 5>::splat(1));
}

fn main() {}
