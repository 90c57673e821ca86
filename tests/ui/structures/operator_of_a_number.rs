//! A number on the left of an operator of a structure.

use cm::prelude::*;

#[registers]
struct Motion {
    cost: i32,
    line: Vector<i16, 16>,
}

#[registers]
impl std::ops::Mul<Motion> for i32 {
    type Output = Motion;
    fn mul(self, other: Motion) -> Motion {
        Motion { cost: self * other.cost, ..other }
    }
}

fn main() {}
