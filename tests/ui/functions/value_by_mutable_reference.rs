//! Changes to a temporary value would be lost.

use cm::prelude::*;

#[function]
fn increased(v: &mut Vector<u8, 16>) {
    *v += 1;
}

#[registers]
struct Step {
    by: u8,
}

#[registers]
impl Step {
    fn up(&self, v: &mut Vector<u8, 16>) {
        *v += self.by;
    }
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 4, 16>(0, 0);
    m += 1;
    increased(&mut m.row(0));
    let step = Step { by: 2 };
    step.up(&mut m.row(1));
    output.write(0, 0, &m);
}

fn main() {}
