//! Reads and replaces bytes at distances for which the hardware has no regions: in rows of all lengths, from
//! all columns, between other bytes, and overlapping.

use cm::prelude::*;
use cm_test_support::emulator::{Emulator, Run};

use super::{HEIGHT, WIDTH, image};

/// Reverses the channels of `R` rows; the first `SOME` of them, then the first one again.
#[kernel]
fn channels<const R: usize, const C: usize, const STEP: usize, const W: usize, const SOME: usize>(
    input: &Surface2D,
    output: &mut Surface2D,
) {
    let y = thread_origin_y() * R;
    let block = input.read::<u8, R, W>(4, y);
    let mut out = input.read::<u8, R, W>(8, y);
    for channel in 0..SOME {
        let other = block.select::<R, 1, C, STEP>(0, STEP - 1 - channel);
        out.select_mut::<R, 1, C, STEP>(0, channel).assign(other * 3 + channel as u32);
    }
    output.write(0, y, &out);
    out.select_mut::<R, 1, C, STEP>(0, 0).assign(block.select::<R, 1, C, STEP>(0, 0));
    out.select_mut::<1, 1, C, STEP>(R - 1, 1).assign(block.select::<1, 1, C, STEP>(R - 1, 2));
    output.write(0, y + HEIGHT / 2, &out);
}

#[test]
fn channels_of_bytes_give_the_bytes_of_the_cpu() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    macro_rules! same {
        ($($rows:literal x $columns:literal, $some:literal of $step:literal as $width:literal;)*) => {$({
            type Kernel = channels<$rows, $columns, $step, $width, $some>;
            let device = Device::cpu().unwrap();
            let bytes = image();
            let input = Surface2D::from_bytes(&device, Format::R8, WIDTH, HEIGHT, &bytes).unwrap();
            let mut output = Surface2D::new(&device, Format::R8, WIDTH, HEIGHT).unwrap();
            let space = ThreadSpace::new(1, HEIGHT / 2 / $rows).unwrap();
            Kernel::launch(&device, space, &input, &mut output).unwrap();
            for &(device, target) in emulator.devices() {
                let run = Run {
                    module: &Kernel::spirv_for(target).unwrap(),
                    device,
                    kernel: "channels",
                    input: &bytes,
                    pitch: WIDTH,
                    rows: HEIGHT,
                    grid: (1, HEIGHT / 2 / $rows),
                    arguments: &[],
                };
                let found = emulator.run(&run);
                assert!(
                    found == output.to_vec().unwrap(),
                    "{} of {} channels of {} x {} on {device}", $some, $step, $rows, $columns
                );
            }
        })*};
    }
    same! {
        4 x 16, 3 of 3 as 48;
        4 x 16, 2 of 3 as 48;
        1 x 16, 3 of 3 as 48;
        6 x 8, 3 of 3 as 24;
        3 x 20, 3 of 3 as 60;
        4 x 8, 5 of 5 as 40;
        4 x 8, 4 of 5 as 40;
        2 x 8, 6 of 6 as 48;
        4 x 8, 7 of 7 as 56;
    }
}

/// Sums of three bytes of each texel of `STEP` bytes, with weights, and the third byte of other sums.
#[kernel]
fn weighted<const R: usize, const C: usize, const STEP: usize, const W: usize>(
    input: &Surface2D,
    output: &mut Surface2D,
) {
    let y = thread_origin_y() * R;
    let block = input.read::<u8, R, W>(4, y);
    let (a, b) = (block.select::<R, 1, C, STEP>(0, 0), block.select::<R, 1, C, STEP>(0, 1));
    let c = block.select::<R, 1, C, STEP>(0, 2);
    let sum = a * 77 + b * 150 + c * 29 + 128;
    output.write(0, y, &(sum >> 8).convert::<u8>());
    let other: Matrix<i32, R, C> = c * 255 + b * 3 + a * 255 + sum * 40000;
    output.write(64, y, &(other >> 16).convert::<u8>());
    output.write(0, y + HEIGHT / 2, &(other >> 24).convert::<u8>());
}

#[test]
fn weighted_sums_of_bytes_give_the_bytes_of_the_cpu() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    macro_rules! same {
        ($($rows:literal x $columns:literal, $step:literal as $width:literal;)*) => {$({
            type Kernel = weighted<$rows, $columns, $step, $width>;
            let device = Device::cpu().unwrap();
            let bytes = image();
            let input = Surface2D::from_bytes(&device, Format::R8, WIDTH, HEIGHT, &bytes).unwrap();
            let mut output = Surface2D::new(&device, Format::R8, WIDTH, HEIGHT).unwrap();
            let space = ThreadSpace::new(1, HEIGHT / 2 / $rows).unwrap();
            Kernel::launch(&device, space, &input, &mut output).unwrap();
            let expected = output.to_vec().unwrap();
            for &(device, target) in emulator.devices() {
                let run = Run {
                    module: &Kernel::spirv_for(target).unwrap(),
                    device,
                    kernel: "weighted",
                    input: &bytes,
                    pitch: WIDTH,
                    rows: HEIGHT,
                    grid: (1, HEIGHT / 2 / $rows),
                    arguments: &[],
                };
                assert!(emulator.run(&run) == expected, "{} x {} texels of {} bytes on {device}", $rows, $columns, $step);
            }
        })*};
    }
    same! {
        4 x 16, 3 as 48;
        1 x 16, 3 as 48;
        4 x 8, 3 as 24;
        3 x 20, 3 as 60;
        4 x 8, 4 as 32;
        4 x 8, 5 as 40;
        2 x 8, 6 as 48;
    }
}
