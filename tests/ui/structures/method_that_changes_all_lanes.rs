//! A method with `&mut self` does not know the active lanes. As a statement, its changes are undone in the others.

use cm::prelude::*;

#[registers]
struct Motion {
    cost: i32,
    line: Vector<i16, 16>,
}

#[registers]
impl Motion {
    fn halve(&mut self) -> i32 {
        self.cost = self.cost / 2;
        self.cost
    }

    fn twice(&mut self) {
        simd_if! { self.line > 0 => {
            let halved = (*self).halve();
            self.line += halved;
        } }
    }
}

#[kernel]
fn k(output: &mut Buffer<i32>) {
    let mut motion = Motion { cost: 3, line: Vector::splat(0) };
    simd_if! { motion.line > 0 => {
        let halved = motion.halve();
        motion.line += halved;
        motion.halve();
    } }
    output.write(0, &Vector::<i32, 4>::splat(motion.cost));
}

fn main() {}
