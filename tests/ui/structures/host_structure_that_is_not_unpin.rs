use std::marker::PhantomPinned;

use cm::prelude::*;

struct Taps<const N: usize>(PhantomPinned);

impl<const N: usize> Taps<N> {
    fn count() -> u8 {
        N as u8
    }
}

#[kernel]
fn pinned(output: &mut Surface2D) {
    let count = Taps::<4>::count();
    output.write(0, 0, &Vector::<u8, 4>::splat(count));
}

fn main() {}
