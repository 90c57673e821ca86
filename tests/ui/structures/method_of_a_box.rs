//! A structure is not on a heap.

use cm::prelude::*;

#[registers]
struct Motion {
    cost: i32,
    line: Vector<i16, 16>,
}

#[registers]
impl Motion {
    fn halved(self: Box<Self>) -> i32 {
        self.cost / 2
    }
}

#[kernel]
fn k(output: &mut Buffer<i32>) {
    let motion = Motion { cost: 3, line: Vector::splat(0) };
    output.write(0, &Vector::<i32, 4>::splat(motion.cost));
}

fn main() {}
