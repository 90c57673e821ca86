//! CM's tutorial 3, several kernels at once: `cargo run --release --example multi_kernels -- [SIZE] [OUTPUT.png]`.
//!
//! It draws a test card of `SIZE` x `SIZE` coloured pixels. One scope launches two kernels without waiting
//! between them: the box filter for the upper half, sepia for the lower one. Another scope launches 16
//! kernels, each of which adds 1 to the result of the previous one. The program compares both with plain
//! loops, and writes the card with the result below it. `CM_DEVICE` selects the device.
//!
//! Kernels of a CM task run in any order, except where `AddSync` is between them. Launches of a scope run in
//! order.

#[path = "../sepia/by_a_loop.rs"]
pub mod by_a_loop;
pub mod kernels;
#[path = "../linear/kernels.rs"]
pub mod linear;
#[path = "../sepia/kernels.rs"]
pub mod sepia;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::picture::{self, Picture};
use cm_examples::{Arguments, Computed, on_devices, timed};

/// The number of kernels that each add 1.
const CHAIN: usize = 16;
const START: u8 = 0x55;

fn main() -> ExitCode {
    let fits = |size: usize| (48..=4080).contains(&size) && size.is_multiple_of(48);
    let arguments = Arguments::size_and_picture(1056, "a multiple of 48 up to 4080", fits);
    on_devices(arguments, |device, size| {
        let card = picture::colours(size, size);
        let input = Surface2D::from_bytes(device, Format::R8, size * 3, size, &card)?;
        let mut output = Surface2D::new(device, Format::R8, size * 3, size)?;
        let above = ThreadSpace::new(size / 8, size / 2 / 6)?;
        let below = ThreadSpace::new(size / 8, size / 2 / 8)?;
        let (done, both) = timed(|| {
            device.scope(|scope| {
                linear::linear::enqueue(scope, above, &input, &mut output)?;
                kernels::sepia_from::enqueue(scope, below, &input, &mut output, (size / 2) as u32)
            })
        });
        done?;
        let bytes = output.to_vec()?;

        let (half, loops) = (size * 3 * (size / 2), timed(|| by_loops(&card, size)));
        ensure!(bytes[..half] == loops.0[..half], "the filter and the loop differ");
        ensure!(bytes[half..] == loops.0[half..], "sepia and the loop differ");
        chain(device)?;
        let picture = Picture::of_colours(size, &[&card, &bytes]);
        let what = format!("two kernels on {size} x {size} pixels, after a chain of {CHAIN},");
        Ok(Computed::new(what, bytes, both, loops.1).with_picture(picture))
    })
}

/// Each kernel reads the buffer that the previous one wrote.
fn chain(device: &Device) -> anyhow::Result<()> {
    let mut buffers = vec![Buffer::from_slice(device, &[START; 256])?];
    for _ in 0..CHAIN {
        buffers.push(Buffer::new(device, 256)?);
    }
    let threads = ThreadSpace::new(4, 1)?;
    device.scope(|scope| {
        for next in 1..=CHAIN {
            let (read, written) = buffers.split_at_mut(next);
            kernels::buffer_test::enqueue(scope, threads, &read[next - 1], &mut written[0])?;
        }
        Ok::<(), cm::Error>(())
    })?;
    ensure!(buffers[CHAIN].to_vec()? == [START + CHAIN as u8; 256], "the chain of kernels is out of order");
    Ok(())
}

/// The box filter in the upper half, sepia in the lower one.
fn by_loops(card: &[u8], size: usize) -> Vec<u8> {
    let (width, half) = (size * 3, size * 3 * (size / 2));
    // To the right of the picture, its last byte repeats; the rows below the upper half exist.
    let at = |x: usize, y: usize| u32::from(card[y * width + x.min(width - 1)]);
    let mean = |n: usize| {
        let nine = (0..9).map(|k| at(n % width + k % 3 * 3, n / width + k / 3));
        (nine.sum::<u32>() as f32 * 0.111) as u8
    };
    let mut filtered: Vec<u8> = (0..half).map(mean).collect();
    filtered.extend(by_a_loop::in_brown(&card[half..]));
    filtered
}
