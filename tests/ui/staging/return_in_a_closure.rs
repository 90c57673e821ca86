//! A closure cannot contain `return`.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let doubled = |x: i32| -> i32 {
        if x > 100 {
            return x;
        }
        x * 2
    };
    output.write(0, 0, &(m + doubled(thread_origin_x().convert())).convert::<u8>());
}

fn main() {}
