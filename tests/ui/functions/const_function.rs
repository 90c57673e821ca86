//! A function of kernels has no result when it is compiled.

use cm::prelude::*;

#[function]
const fn three() -> i32 {
    3
}

fn main() {}
