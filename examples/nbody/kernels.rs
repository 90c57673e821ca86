//! The kernel of CM's tutorials 6 and 8.

use cm::prelude::*;

/// Bodies of a thread.
pub const OWN: usize = 32;
/// Threads of a group.
pub const GROUP: usize = 8;
/// Bodies in shared local memory, which the threads of a group read together.
pub const SHARED: usize = OWN * GROUP;

/// Moves each body by the attraction of all bodies during the time `step`. A body is a position of three
/// numbers and a mass; a velocity has three numbers and an unused one. `softening` is added to squared
/// distances.
#[kernel]
pub fn cm_nbody(
    bodies: &Buffer<f32>,
    velocities: &mut Buffer<f32>,
    moved: &mut Buffer<f32>,
    softening: f32,
    step: f32,
) {
    let shared = slm::<f32, { 4 * SHARED }>();
    let offset = linear_global_id() * 512;
    let mut own = bodies.read_linear::<128>(offset).format::<f32, 32, 4>();
    let (x, y, z) = (column(own, 0), column(own, 1), column(own, 2));
    let mut force = Matrix::<f32, 3, 32>::splat(0.0f32);
    for batch in 0..linear_group_count() {
        // Each thread loads a part of the batch.
        let at = linear_local_id() * 512;
        for part in 0..4 {
            shared.write(at + part * 128, &bodies.read::<32>(batch * 4096 + at + part * 128));
        }
        barrier();
        for pair in 0..linear_local_size() * 16 {
            let two = shared.read::<8>(pair * 32);
            for first in [0, 4] {
                let (dx, dy, dz) = (two.get(first) - x, two.get(first + 1) - y, two.get(first + 2) - z);
                let inverse = math::rsqrt(dx * dx + dy * dy + dz * dz + softening);
                let strength = inverse * inverse * inverse * two.get(first + 3);
                force.row_mut(0) += dx * strength;
                force.row_mut(1) += dy * strength;
                force.row_mut(2) += dz * strength;
            }
        }
        barrier();
    }
    let mut velocity = velocities.read_linear::<128>(offset).format::<f32, 32, 4>();
    for dimension in 0..3 {
        let faster = column(velocity, dimension) + force.row(dimension) * step;
        let place = column(own, dimension) + faster * step;
        velocity.column_mut(dimension).assign(faster.format::<f32, 32, 1>());
        own.column_mut(dimension).assign(place.format::<f32, 32, 1>());
    }
    velocities.write_linear(offset, &velocity.format::<f32>());
    moved.write_linear(offset, &own.format::<f32>());
}

/// A column as a vector.
#[function]
fn column(m: Matrix<f32, 32, 4>, number: usize) -> Vector<f32, 32> {
    m.column(number).format::<f32>()
}
