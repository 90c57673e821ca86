//! Operators take elements whose promotion is known. A function of any elements moves and converts them.

use cm::prelude::*;

#[function]
fn mean<T: Elem, const N: usize>(a: Vector<T, N>, b: Vector<T, N>) -> Vector<T, N> {
    ((a + b + 1) >> 1).convert()
}

fn main() {}
