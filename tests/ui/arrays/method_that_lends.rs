//! Methods of arrays that lend the elements to other code are refused.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Buffer<i32>) {
    let mut lines = [Vector::<i32, 8>::splat(1); 4];
    lines[0] += 1;
    let first = lines.as_ref()[0];
    let second = lines.get(1);
    output.write(0, &first);
}

fn main() {}
