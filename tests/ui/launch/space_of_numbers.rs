//! A launch takes a thread space or thread groups.

use cm::prelude::*;

#[kernel]
fn fill(output: &mut Surface2D) {
    output.write(0, 0, &Vector::<u8, 32>::splat(1));
}

fn main() -> cm::Result<()> {
    let device = Device::cpu()?;
    let mut output = Surface2D::new(&device, Format::R8, 32, 8)?;
    fill::launch(&device, (10, 20), &mut output)?;
    Ok(())
}
