//! A kernel is a free function.

use cm::prelude::*;

struct Filter;

impl Filter {
    #[kernel]
    fn k(&self, output: &mut Surface2D) {
        output.write(0, 0, &Vector::<u8, 4>::splat(0));
    }
}

fn main() {}
