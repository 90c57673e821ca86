//! A dword aligned block has at most 128 bytes as well.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u64>, y: &mut Buffer<u64>) {
    let v = x.read_dwaligned::<20>(4);
    y.write(0, &v.select::<16, 1>(0));
}

fn main() {}
