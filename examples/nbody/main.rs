//! CM's tutorials 6 and 8, thread groups and buffers: `cargo run --release --example nbody -- [SIZE] [OUTPUT.png]`.
//!
//! `SIZE` bodies attract each other, for two time steps. The threads of a group together read bodies into
//! shared local memory, and each thread computes the forces on 32 bodies. The program compares with plain
//! loops, and draws the positions of the bodies. `CM_DEVICE` selects the device.
//!
//! CM's program uses the mass of the wrong body, and computes with bodies that do not exist if there are
//! fewer than 4096. This program does not.

pub mod kernels;

use std::mem::swap;
use std::process::ExitCode;

use cm::prelude::*;
use cm_examples::picture::Picture;
use cm_examples::{Arguments, Computed, bytes, ensure_close, numbers, on_devices, timed};
use kernels::{GROUP, SHARED, cm_nbody};

const STEPS: usize = 2;
const SOFTENING: f32 = 0.001;
const STEP: f32 = 0.001;
/// Devices approximate `rsqrt`: the allowed difference to the loops.
const BOUND: f32 = 1e-4;

fn main() -> ExitCode {
    let fits = |size: usize| (SHARED..=1 << 16).contains(&size) && size.is_multiple_of(SHARED);
    let arguments = Arguments::size_and_picture(8192, "a multiple of 256 up to 65536", fits);
    on_devices(arguments, |device, size| {
        let start = discs(size);
        let mut bodies = Buffer::from_slice(device, &start)?;
        let mut moved = Buffer::<f32>::new(device, 4 * size)?;
        let mut velocities = Buffer::<f32>::new(device, 4 * size)?;
        let groups = ThreadGroups::new([size / SHARED, 1, 1], [GROUP, 1, 1])?;
        let (done, time) = timed(|| {
            for _ in 0..STEPS {
                cm_nbody::launch(device, groups, &bodies, &mut velocities, &mut moved, SOFTENING, STEP)?;
                swap(&mut bodies, &mut moved);
            }
            Ok::<(), cm::Error>(())
        });
        done?;
        let found = [bodies.to_vec()?, velocities.to_vec()?].concat();
        let (expected, loops) = timed(|| by_loops(start));
        ensure_close(&found, &expected, BOUND)?;
        let what = format!("{STEPS} steps of {size} bodies");
        let picture = Picture::of_greys(512, &[&drawn(&found[..4 * size])]);
        let bytes = bytes(&found, f32::to_le_bytes);
        Ok(Computed::new(what, bytes, time, loops).with_floats_within(2.0 * BOUND).with_picture(picture))
    })
}

/// Two discs of bodies in a cube from -1 to 1.
fn discs(size: usize) -> Vec<f32> {
    let mut numbers = numbers(6).map(|n| (n >> 8) as f32 / 16_777_216.0);
    let mut next = || numbers.next().unwrap_or_default();
    let body = |n: usize| {
        let (angle, radius) = (next() * std::f32::consts::TAU, next() * 0.4);
        let side = if n.is_multiple_of(2) { 0.45 } else { -0.45 };
        [side + radius * angle.cos(), side + radius * angle.sin(), next() * 0.1, 0.5 + next()]
    };
    (0..size).flat_map(body).collect()
}

/// The positions and velocities of the bodies after all steps.
fn by_loops(mut bodies: Vec<f32>) -> Vec<f32> {
    let mut velocities = vec![0.0; bodies.len()];
    for _ in 0..STEPS {
        let before = bodies.clone();
        for (body, velocity) in bodies.chunks_mut(4).zip(velocities.chunks_mut(4)) {
            let mut force = [0.0; 3];
            for other in before.chunks(4) {
                let [dx, dy, dz] = [other[0] - body[0], other[1] - body[1], other[2] - body[2]];
                let inverse = 1.0 / (dx * dx + dy * dy + dz * dz + SOFTENING).sqrt();
                let strength = inverse * inverse * inverse * other[3];
                force[0] += dx * strength;
                force[1] += dy * strength;
                force[2] += dz * strength;
            }
            for (n, force) in force.into_iter().enumerate() {
                velocity[n] += force * STEP;
                body[n] += velocity[n] * STEP;
            }
        }
    }
    [bodies, velocities].concat()
}

/// The bodies in a picture of 512 x 512 pixels, seen from above.
fn drawn(bodies: &[f32]) -> Vec<u8> {
    let mut picture = vec![0u8; 512 * 512];
    for body in bodies.chunks(4) {
        let [x, y] = [body[0], body[1]].map(|place| ((place + 1.0) * 256.0) as usize);
        if x < 512 && y < 512 {
            picture[y * 512 + x] = picture[y * 512 + x].saturating_add(90);
        }
    }
    picture
}
