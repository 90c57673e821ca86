//! A buffer has the element type of the parameter.

use cm::prelude::*;

#[kernel]
fn k(x: &mut Buffer<u8>) {
    x.write(0, &x.read::<16>(0));
}

fn main() {
    let device = Device::cpu().unwrap();
    let mut buffer = Buffer::<u16>::new(&device, 16).unwrap();
    k::launch(&device, ThreadSpace::new(1, 1).unwrap(), &mut buffer).unwrap();
}
