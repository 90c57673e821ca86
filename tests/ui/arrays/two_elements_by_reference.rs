//! A function cannot change two elements by reference.

use cm::prelude::*;

#[function]
fn exchange(a: &mut Vector<u8, 32>, b: &mut Vector<u8, 32>) {
    let old = *a;
    *a = *b;
    *b = old;
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mut lines = [v; 4];
    exchange(&mut lines[0], &mut lines[1]);
    output.write(0, 0, &lines[0]);
}

fn main() {}
