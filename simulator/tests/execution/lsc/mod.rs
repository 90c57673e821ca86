//! Messages of the load/store cache, compared with their scalar meaning.

mod atomics;
mod blocks;
mod typed;
mod vectors;

use cm_simulator::generation::Generation;

use crate::stage::Stage;

/// Generations with different payloads.
const GENERATIONS: [Generation; 3] = [Generation::XeHpg, Generation::XeHpc, Generation::Xe2];

/// A descriptor without lengths.
#[derive(Clone, Copy)]
struct Descriptor(u32);

const A16: u32 = 1 << 7;
const A32: u32 = 2 << 7;
const A64: u32 = 3 << 7;
const TRANSPOSED: u32 = 1 << 15;
const BTI: u32 = 3 << 29;

impl Descriptor {
    /// Adds the number of registers for addresses and for the response.
    fn lengths(self, payload: usize, response: usize) -> u32 {
        self.0 | u32::try_from(payload << 25 | response << 20).unwrap()
    }
}

/// Data sizes: the field, bytes in memory, bytes in registers, the first of these that is in memory.
const SIZES: [(u32, usize, usize, usize); 5] =
    [(2, 4, 4, 0), (3, 8, 8, 0), (4, 1, 4, 0), (5, 2, 4, 0), (6, 2, 4, 2)];

/// The space for the numbers of channels: whole registers, for at least half of the channels of the unit.
fn slot(generation: Generation, channels: usize, size: usize) -> usize {
    let least = if generation == Generation::XeHpg { 8 } else { 16 };
    (channels.max(least) * size).next_multiple_of(generation.register_bytes())
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Bytes that identify their position.
fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 7 + at / 256 * 3 + 1) as u8).collect()
}

/// A stage whose memory contains the pattern.
fn stage(generation: Generation) -> Stage {
    let stage = Stage::of(generation);
    assert!(stage.memory.span().write(0, &pattern(4096)));
    stage
}
