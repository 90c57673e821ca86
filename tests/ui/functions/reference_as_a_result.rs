//! A method that changes its structure returns nothing, and other functions return values.

use cm::prelude::*;

#[registers]
struct Sums {
    line: Vector<i32, 8>,
}

#[registers]
impl Sums {
    fn add(&mut self, line: Vector<i32, 8>) -> &mut Self {
        self.line += line;
        self
    }
}

#[function]
fn first(lines: &[Vector<i32, 8>; 2]) -> &Vector<i32, 8> {
    &lines[0]
}

fn main() {}
