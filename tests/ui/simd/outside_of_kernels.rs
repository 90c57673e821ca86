//! The SIMD macros exist only in `#[kernel]` and `#[function]`.

use cm::prelude::*;

fn f(mut v: Vector<u8, 16>) -> Vector<u8, 16> {
    simd_if! { v > 3 => {
        v += 1;
    } }
    v
}

fn main() {}
