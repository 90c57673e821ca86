//! Kernels that rewrite blocks of texels, compared with a scalar function of a block, on every device.

use cm::prelude::*;

use crate::devices::devices;

/// Texels of a row, and rows: two blocks by two.
pub const WIDTH: usize = 32;
/// Rows.
pub const HEIGHT: usize = 8;

/// The texels of one kernel thread.
pub type Block = [[u8; 16]; 4];

/// Runs a kernel on every device and compares every block with the scalar function.
///
/// # Panics
/// If a block differs, or a launch fails.
pub fn check(
    bytes: &[u8],
    launch: impl Fn(&Device, ThreadSpace, &Surface2D, &mut Surface2D) -> cm::Result<Event>,
    scalar: impl Fn(Block) -> Block,
) {
    for device in devices(4) {
        let input = Surface2D::from_bytes(&device, Format::R8, WIDTH, HEIGHT, bytes).unwrap();
        let mut output = Surface2D::new(&device, Format::R8, WIDTH, HEIGHT).unwrap();
        launch(&device, ThreadSpace::new(WIDTH / 16, HEIGHT / 4).unwrap(), &input, &mut output).unwrap();
        let found = output.to_vec().unwrap();
        for (bx, by) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let block = |bytes: &[u8]| -> Block {
                std::array::from_fn(|r| std::array::from_fn(|c| bytes[(by * 4 + r) * WIDTH + bx * 16 + c]))
            };
            assert_eq!(block(&found), scalar(block(bytes)), "block {bx}, {by} on {device:?}");
        }
    }
}

/// Applies a function to every texel.
pub fn each(block: Block, f: impl Fn(u8) -> u8) -> Block {
    block.map(|row| row.map(&f))
}
