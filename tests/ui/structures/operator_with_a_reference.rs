//! The operands of operators are values.

use cm::prelude::*;

#[registers]
struct Motion {
    cost: i32,
    line: Vector<i16, 16>,
}

#[registers]
impl std::ops::Add<&Motion> for Motion {
    type Output = Motion;
    fn add(self, other: &Motion) -> Motion {
        Motion { cost: self.cost + other.cost, line: self.line }
    }
}

#[kernel]
fn k(output: &mut Buffer<i32>) {
    let motion = Motion { cost: 3, line: Vector::splat(0) };
    output.write(0, &Vector::<i32, 4>::splat(motion.cost));
}

fn main() {}
