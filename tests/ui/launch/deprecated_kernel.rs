//! The warning is at the use, not at the kernel.

#![deny(deprecated)]

use cm::prelude::*;

#[kernel]
#[deprecated(note = "write `copy`")]
pub fn old(input: &Surface2D, output: &mut Surface2D) {
    output.write(0, 0, &input.read::<u8, 8, 32>(0, 0));
}

fn main() -> cm::Result<()> {
    let device = Device::cpu()?;
    let input = Surface2D::new(&device, Format::R8, 32, 8)?;
    let mut output = Surface2D::new(&device, Format::R8, 32, 8)?;
    old::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
    Ok(())
}
