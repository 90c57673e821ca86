//! The element type of a result follows from the call or from its use, but an operator takes any elements.

use cm::prelude::*;

#[function]
fn first<T: Elem>(v: Vector<u8, 16>) -> Scalar<T> {
    v.get(0).convert::<T>()
}

#[kernel]
fn k(input: &Buffer<u8>, output: &mut Buffer<u32>) {
    let next = first(input.read::<16>(0)) + 1;
    output.write(0, &Vector::<u32, 4>::splat(next));
}

fn main() {}
