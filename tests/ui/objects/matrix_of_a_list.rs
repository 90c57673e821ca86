//! A matrix is made of rows.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Buffer<i32>) {
    let m = Matrix::<i32, 2, 4>::from_array([1, 2, 3, 4, 5, 6, 7, 8]);
    output.write(0, &m.row(0));
}

fn main() {}
