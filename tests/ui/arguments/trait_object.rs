//! A kernel calls only functions that are known when it is compiled.

use cm::prelude::*;

pub trait Filter {
    fn weight(&self) -> i32;
}

#[kernel]
fn k(filter: &dyn Filter, output: &mut Buffer<i32>) {
    output.write(0, &Vector::<i32, 4>::splat(filter.weight()));
}


fn main() {}
