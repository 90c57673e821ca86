//! CM tutorial 4, sums of rectangles: `cargo run --release --example integral_image -- [SIZE] [OUTPUT.png]`.
//!
//! It sums a picture of `SIZE` x `SIZE` texels: each sum includes all texels above and to the left. A kernel
//! thread waits for its neighbours to the left, above, and above to the left, so threads run in waves. With
//! the sums, the mean of any square needs only four numbers; the program draws the picture and the means of
//! 31 x 31 texels. It compares the sums with a plain loop. `CM_DEVICE` selects the device.

pub mod kernels;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::picture::{self, Picture};
use cm_examples::{Arguments, Computed, bytes, on_devices, timed};
use kernels::integral_image;

/// Texels from the centre of a square to its sides.
const RADIUS: usize = 15;

fn main() -> ExitCode {
    let fits = |size: usize| (16..=4096).contains(&size) && size.is_multiple_of(16);
    let arguments = Arguments::size_and_picture(1024, "a multiple of 16 up to 4096", fits);
    on_devices(arguments, |device, size| {
        let card = picture::greys(size, size);
        let input = Surface2D::from_bytes(device, Format::R8, size, size, &card)?;
        let mut output = Surface2D::new(device, Format::R32, size, size)?;
        let threads = ThreadSpace::new(size / 16, size / 16)?.with_dependencies(DependencyPattern::WAVEFRONT);
        let event = integral_image::launch(device, threads, &input, &mut output)?;
        let mut sums = vec![0u32; size * size];
        output.read_into(&mut sums)?;
        let (expected, loops) = timed(|| by_a_loop(&card, size));
        ensure!(sums == expected, "the kernel and the loop differ");
        let picture = Picture::of_greys(size, &[&card, &means(&sums, size)]);
        let what = format!("sums of {size} x {size} texels");
        Ok(Computed::new(what, bytes(&sums, u32::to_le_bytes), event.elapsed(), loops).with_picture(picture))
    })
}

/// Each sum is the sum of its row so far plus the sum above.
fn by_a_loop(card: &[u8], size: usize) -> Vec<u32> {
    let mut sums = vec![0; size * size];
    for y in 0..size {
        let mut row = 0;
        for x in 0..size {
            row += u32::from(card[y * size + x]);
            sums[y * size + x] = row + if y > 0 { sums[(y - 1) * size + x] } else { 0 };
        }
    }
    sums
}

/// The means of squares, clipped at the edges, each from four sums.
fn means(sums: &[u32], size: usize) -> Vec<u8> {
    let before = |x: usize, y: usize| if x == 0 || y == 0 { 0 } else { sums[(y - 1) * size + x - 1] };
    let mean = |at: usize| {
        let [(left, right), (top, bottom)] =
            [at % size, at / size].map(|n| (n.saturating_sub(RADIUS), (n + RADIUS + 1).min(size)));
        let sum = before(right, bottom) + before(left, top) - before(left, bottom) - before(right, top);
        (sum / ((right - left) * (bottom - top)) as u32) as u8
    };
    (0..size * size).map(mean).collect()
}
