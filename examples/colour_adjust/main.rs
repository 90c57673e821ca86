//! CM's example `ColorAdjustSIMDCF`: `cargo run --release --example colour_adjust -- [SIZE] [OUTPUT.png]`.
//!
//! It rotates the hues of a test card of `SIZE` x `SIZE` pixels by a third of the circle and increases the
//! saturation, with integers and with a branch for each pixel of a vector. It compares every byte with a
//! plain loop, and writes the card with the result below it. `CM_DEVICE` selects the device.
//!
//! CM has three kernels, for the hue, the saturation and both; one of them contains 22144 instead of 262144.
//! This is the third one, which replaces the others if the rotation or the change of saturation is zero.

pub mod kernels;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::picture::{self, Picture};
use cm_examples::{Arguments, Computed, on_devices, timed};
use kernels::{BLUE, CIRCLE, GREEN, SCALE};

const TURN: i32 = CIRCLE / 3;
/// The saturation in 128ths.
const SATURATION: i32 = 160;

fn main() -> ExitCode {
    let fits = |size: usize| (16..=4096).contains(&size) && size.is_multiple_of(16);
    let arguments = Arguments::size_and_picture(1024, "a multiple of 16 up to 4096", fits);
    on_devices(arguments, |device, size| {
        let card = picture::colours_and_alpha(size, size);
        let input = Surface2D::from_bytes(device, Format::Bgra8, size, size, &card)?;
        let mut output = Surface2D::new(device, Format::Bgra8, size, size)?;
        let threads = ThreadSpace::new(size / 16, size / 8)?;
        let event = kernels::adjust_hue_and_saturation::launch(
            device,
            threads,
            &input,
            &mut output,
            TURN,
            SATURATION,
        )?;
        let adjusted = output.to_vec()?;
        let (expected, loops) = timed(|| card.chunks_exact(4).flat_map(by_a_loop).collect::<Vec<_>>());
        ensure!(adjusted == expected, "the kernel and the loop differ");
        let picture = Picture::of_four_bytes(size, &[&card, &adjusted]);
        let what = format!("hues and saturation of {size} x {size} pixels changed");
        Ok(Computed::new(what, adjusted, event.elapsed(), loops).with_picture(picture))
    })
}

fn by_a_loop(pixel: &[u8]) -> [u8; 4] {
    let [b, g, r] = [pixel[0], pixel[1], pixel[2]].map(i32::from);
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    let (light, chroma) = (most + least, most - least);
    let part = SCALE[chroma as usize];
    let hue = match most {
        _ if chroma == 0 => 0,
        most if most == r => (g - b) * part,
        most if most == g => (b - r) * part + GREEN,
        _ => (r - g) * part + BLUE,
    };
    let chroma = ((chroma * SATURATION) >> 7).min(light).min(510 - light);
    let darkest = (light - chroma) >> 1;
    let channel = |own: i32| {
        let away = (hue + TURN - own).rem_euclid(CIRCLE);
        let away = away.min(CIRCLE - away);
        let more = if away <= CIRCLE / 6 { chroma } else { (chroma * (GREEN - away) * 6 + CIRCLE / 2) >> 19 };
        (if away >= GREEN { darkest } else { darkest + more }) as u8
    };
    [channel(BLUE), channel(GREEN), channel(0), pixel[3]]
}
