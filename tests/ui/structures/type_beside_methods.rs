//! An `impl` block with `#[registers]` has functions and constants. Those beside a mistake stay.

use cm::prelude::*;

#[registers]
struct Motion {
    cost: i32,
    line: Vector<i16, 16>,
}

#[registers]
impl Motion {
    const MOST: i32 = 100;
    type Line = Vector<i16, 16>;

    fn halve(&mut self) {
        self.cost = self.cost / 2;
    }
}

#[kernel]
fn k(output: &mut Buffer<i32>) {
    let mut motion = Motion { cost: 3, line: Vector::splat(0) };
    motion.halve();
    output.write(0, &Vector::<i32, 4>::splat(motion.cost + Motion::MOST));
}

fn main() {}
