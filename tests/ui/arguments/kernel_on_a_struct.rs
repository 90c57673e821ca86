//! A kernel is a function.

use cm::prelude::*;

#[kernel]
struct Blur;

fn main() {}
