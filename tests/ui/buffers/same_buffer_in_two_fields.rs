//! One buffer cannot be both an input and an output, in a structure too.

use cm::prelude::*;

#[derive(Arguments)]
struct Images<'a> {
    from: &'a Buffer<u8>,
    to: &'a mut Buffer<u8>,
}

#[kernel]
fn k(images: Images<'_>) {
    images.to.write(0, &images.from.read::<16>(0));
}

fn main() {
    let device = Device::cpu().unwrap();
    let mut buffer = Buffer::<u8>::new(&device, 16).unwrap();
    let images = Images { from: &buffer, to: &mut buffer };
    k::launch(&device, ThreadSpace::new(1, 1).unwrap(), images).unwrap();
}
