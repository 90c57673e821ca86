//! The maximum of the standard library is for host values, also beside a literal.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Buffer<i32>, damping: i32, strength: i32) {
    let shift = std::cmp::max(0, damping - strength);
    output.write(0, &Vector::<i32, 4>::splat(shift));
}

fn main() {}
