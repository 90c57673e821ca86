//! A staged number does not become one of the host.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mut lines = [v; 4];
    let i: u32 = thread_origin_x();
    lines[i as usize].get_mut(0).assign(1);
    output.write(0, 0, &lines[0]);
}

fn main() {}
