//! Every implementation of the structure names its fields, also where nothing can be left out.

use cm::prelude::*;

#[registers]
struct Motion {
    cost: i32,
    #[cfg(test)]
    line: Vector<i16, 16>,
}

fn main() {}
