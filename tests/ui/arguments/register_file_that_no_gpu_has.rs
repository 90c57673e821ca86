//! The register file of a kernel is one that GPUs have.

use cm::prelude::*;

#[kernel(register_file = 6000)]
fn k() {}

#[function(register_file = large)]
fn f() {}

#[derive(Arguments)]
#[arguments(register_file = 8192)]
struct A<'a> {
    output: &'a mut Surface2D,
}

fn main() {}
