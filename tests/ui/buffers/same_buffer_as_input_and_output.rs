//! One buffer cannot be both an input and an output.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u8>, y: &mut Buffer<u8>) {
    y.write(0, &x.read::<16>(0));
}

fn main() {
    let device = Device::cpu().unwrap();
    let mut buffer = Buffer::<u8>::new(&device, 16).unwrap();
    k::launch(&device, ThreadSpace::new(1, 1).unwrap(), &buffer, &mut buffer).unwrap();
}
