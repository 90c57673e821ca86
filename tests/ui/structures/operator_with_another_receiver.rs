//! An assignment that would change a copy.

use cm::prelude::*;

#[registers]
struct Motion {
    cost: i32,
    line: Vector<i16, 16>,
}

#[registers]
impl std::ops::AddAssign for Motion {
    fn add_assign(mut self, other: Self) {
        self.cost += other.cost;
    }
}

fn main() {}
