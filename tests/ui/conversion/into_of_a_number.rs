//! Numbers of the kernel change their type by `as`.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<u32>, output: &mut Buffer<u64>) {
    let v = input.read::<16>(0);
    let bits: u64 = math::pack_mask(v > 3).into();
    output.write(0, &Vector::<u64, 2>::splat(bits));
}

fn main() {}
