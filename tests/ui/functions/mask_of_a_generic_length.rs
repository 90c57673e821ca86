//! In a function with generic sizes, the bound of a limit is repeated.

use cm::prelude::*;

#[function]
fn first<const N: usize>(v: Vector<u16, N>) -> u32 {
    math::fbl(math::pack_mask(v == 3))
}

#[kernel]
fn k(output: &mut Buffer<u32>) {
    output.write(0, &(Vector::<u32, 4>::splat(0) + first(Vector::<u16, 16>::splat(3))));
}

fn main() {}
