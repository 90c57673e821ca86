//! The right operand of an operator has the type that its trait names.

use cm::prelude::*;

#[registers]
struct Motion {
    cost: i32,
    line: Vector<i16, 16>,
}

#[registers]
impl std::ops::MulAssign<Vector<i16, 16>> for Motion {
    fn mul_assign(&mut self, by: Vector<i16, 16>) {
        self.line *= by;
    }
}

#[kernel]
fn k(input: &Buffer<i16>, output: &mut Buffer<i16>) {
    let mut motion = Motion { cost: 0, line: input.read::<16>(0) };
    motion *= input.read::<8>(32);
    output.write(0, &motion.line);
}

fn main() {}
