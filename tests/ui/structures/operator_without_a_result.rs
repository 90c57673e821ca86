//! The type of the result of an operator is an item of its trait.

use cm::prelude::*;

#[registers]
struct Motion {
    cost: i32,
    line: Vector<i16, 16>,
}

#[registers]
impl std::ops::Add for Motion {
    fn add(self, other: Self) -> Self {
        Self { cost: self.cost + other.cost, ..self }
    }
}

fn main() {}
