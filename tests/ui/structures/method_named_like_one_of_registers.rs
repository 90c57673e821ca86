//! The macros know the methods of registers, and the functions that create them, by their names.

use cm::prelude::*;

#[registers]
struct Motion {
    cost: i32,
    line: Vector<i16, 16>,
}

#[registers]
impl Motion {
    fn select(&self) -> i32 {
        self.cost
    }

    fn from_array(cost: i32) -> Self {
        Self { cost, line: Vector::splat(0) }
    }

    fn halved(&self) -> i32 {
        self.cost / 2
    }
}

#[kernel]
fn k(output: &mut Buffer<i32>) {
    let motion = Motion { cost: 3, line: Vector::splat(0) };
    output.write(0, &Vector::<i32, 4>::splat(motion.halved()));
}

fn main() {}
