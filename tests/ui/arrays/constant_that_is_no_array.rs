//! A type with an index of its own is no constant array.

use std::ops::Index;

use cm::prelude::*;

struct Squares;

impl Index<usize> for Squares {
    type Output = u32;
    fn index(&self, _: usize) -> &u32 {
        &4
    }
}

const SQUARES: Squares = Squares;

#[kernel]
fn k(output: &mut Buffer<u32>) {
    output.write(0, &Vector::<u32, 4>::splat(SQUARES[2]));
}

fn main() {}
