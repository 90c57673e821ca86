//! A mistake in the signature of an operator is one error.

use cm::prelude::*;

#[registers]
struct Motion {
    cost: i32,
    line: Vector<i16, 16>,
}

#[registers]
impl std::ops::Add for Motion {
    type Output = Self;
    fn add(self, other: impl Copy) -> Self {
        Self { cost: self.cost + other.cost, line: other.line }
    }
}

fn main() {}
