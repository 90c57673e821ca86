//! One surface cannot be both an input and an output.

use cm::prelude::*;

#[kernel]
fn copy(input: &Surface2D, output: &mut Surface2D, n: u32) {
    output.write(n, 0, &input.read::<u8, 8, 32>(0, 0));
}


fn main() -> cm::Result<()> {
    let device = Device::cpu()?;
    let mut surface = Surface2D::new(&device, Format::R8, 32, 8)?;
    copy::launch(&device, ThreadSpace::new(1, 1)?, &surface, &mut surface, 0)?;
    Ok(())
}
