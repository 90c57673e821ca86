//! The fields have names.

use cm::prelude::*;

#[registers]
struct Line(i32, Vector<u8, 32>);

fn main() {}
