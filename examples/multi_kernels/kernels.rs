//! The kernels of CM's tutorial 3, apart from the filter of tutorial 2.

use cm::prelude::*;

use super::sepia::in_brown;

/// The kernel of tutorial 5, for the part from row `first` on.
#[kernel]
pub fn sepia_from(input: &Surface2D, output: &mut Surface2D, first: u32) {
    let (x, y) = (thread_origin_x() * 24, thread_origin_y() * 8 + first);
    output.write(x, y, &in_brown(input.read::<u8, 8, 32>(x, y)));
}

/// Adds 1 to each byte: 64 bytes for each thread.
#[kernel]
pub fn buffer_test(input: &Buffer<u8>, output: &mut Buffer<u8>) {
    let offset = thread_origin_x() * 64;
    let mut bytes = input.read::<64>(offset);
    bytes += 1;
    output.write(offset, &bytes);
}
