//! An arm that no value reaches is checked, too.

use cm::prelude::*;

#[kernel]
fn k(a: i32, input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let v = input.read::<8>(0);
    let x: i32 = match a {
        1 => v.get(0),
        _ => v.get(7),
        2 => v.get(8),
    };
    output.write(0, &Vector::<i32, 4>::splat(x));
}

fn main() {}
