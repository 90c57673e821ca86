//! Texels, and rectangles of surfaces.

use cm_simulator::dispatch::{Shape, SurfaceKind, Tiling};
use cm_simulator::generation::Generation;
use cm_simulator::memory::Block;

use super::*;

/// `R8G8B8A8_UINT`, `R32_UINT`.
const RGBA8: u32 = 0x0cb;
const R32: u32 = 0x0d7;

const WIDTH: u32 = 9;
const HEIGHT: u32 = 6;

fn surface(generation: Generation, format: u32, block: &Block) -> Stage {
    let mut stage = stage(generation);
    let (kind, tiling) = (SurfaceKind::D2, Tiling::Linear);
    let shape = Shape { kind, format, tiling, width: WIDTH, height: HEIGHT, depth: 1, pitch: 64, texel: 4 };
    stage.surfaces.push((5, block.clone(), shape));
    stage
}

fn texels() -> Block {
    let block = Block::filled(64 * HEIGHT as usize, 0);
    assert!(block.span().write(0, &pattern(64 * HEIGHT as usize)));
    block
}

/// The coordinates of a channel, some of them outside of the surface.
fn coordinates(channel: usize) -> (u32, u32) {
    ((channel as u32 * 5) % 11, (channel as u32 * 3) % 7)
}

/// Coordinates of channels, in registers.
fn payload(generation: Generation, channels: usize) -> Vec<u8> {
    let slot = slot(generation, channels, 4);
    let mut payload = vec![0; slot * 2];
    for channel in 0..channels {
        let (u, v) = coordinates(channel);
        payload[channel * 4..][..4].copy_from_slice(&u.to_le_bytes());
        payload[slot + channel * 4..][..4].copy_from_slice(&v.to_le_bytes());
    }
    payload
}

#[test]
fn components_of_texels_are_loaded_and_stored() {
    for generation in GENERATIONS {
        let channels = if generation == Generation::XeHpg { 8 } else { 16 };
        for mask in 1..16_u32 {
            let components: Vec<usize> = (0..4).filter(|component| mask >> component & 1 != 0).collect();
            let block = texels();
            let stage = surface(generation, RGBA8, &block).with(10, &payload(generation, channels));
            let bits = BTI | A32 | 2 << 9 | mask << 12;
            let load = Descriptor(bits | 2).lengths(2, components.len());
            let store = Descriptor(bits | 6).lengths(2, 0);
            let count = components.len();
            let width = channels * count;
            // Each number is incremented and stored.
            let mut text = format!("send.tgm ({channels}|M0) r40 r10 null:0 {:#x} {load:#x}\n", 5 << 24);
            for n in 0..count {
                text += &format!("add ({channels}|M0) r{0}.0<1>:ud r{0}.0<1;1,0>:ud 0x1:ud\n", 40 + n);
            }
            text +=
                &format!("send.tgm ({channels}|M0) null r10 r40:{count} {:#x} {store:#x} {{A@1}}", 5 << 24);
            let registers = stage.run(&text);
            let mut expected = pattern(64 * HEIGHT as usize);
            let before = expected.clone();
            for channel in 0..channels {
                let (u, v) = coordinates(channel);
                let inside = u < WIDTH && v < HEIGHT;
                for (n, component) in components.iter().enumerate() {
                    let at = (v * 64 + u * 4) as usize + component;
                    let texel = if inside { u32::from(before[at]) } else { 0 };
                    let found = &registers[(40 + n) * generation.register_bytes() + channel * 4..][..4];
                    assert_eq!(number(found), u64::from(texel) + 1, "{mask:#x} {channel} of {width}");
                    if inside {
                        expected[at] = (texel + 1).min(255) as u8;
                    }
                }
            }
            assert_eq!(block.to_vec(), expected, "{generation:?} {mask:#x}");
        }
    }
}

#[test]
fn atomics_change_texels() {
    let generation = Generation::XeHpc;
    let block = texels();
    let data: Vec<u8> = (0..16_u32).flat_map(|channel| (channel + 1).to_le_bytes()).collect();
    let stage = surface(generation, R32, &block).with(10, &payload(generation, 16)).with(20, &data);
    let add = Descriptor(BTI | A32 | 2 << 9 | 0x0c).lengths(2, 1);
    let registers = stage.run(&format!("send.tgm (16|M0) r40 r10 r20:1 {:#x} {add:#x}", 5 << 24));
    let mut expected = pattern(64 * HEIGHT as usize);
    for channel in 0..16 {
        let (u, v) = coordinates(channel);
        let mut old = 0;
        if u < WIDTH && v < HEIGHT {
            let texel = &mut expected[(v * 64 + u * 4) as usize..][..4];
            old = number(texel);
            let new = (old as u32).wrapping_add(channel as u32 + 1);
            texel.copy_from_slice(&new.to_le_bytes());
        }
        assert_eq!(number(&registers[40 * 64 + channel * 4..][..4]), old, "{channel}");
    }
    assert_eq!(block.to_vec(), expected);
}

#[test]
fn rectangles_repeat_the_edge_and_are_dropped_outside() {
    for (x, y, width, height) in [(0, 0, 4, 4), (-6, -2, 12, 4), (28, 3, 32, 8), (0, 0, 64, 4), (8, 1, 1, 1)]
    {
        let block = texels();
        let payload: Vec<u8> = [0, 0, 0, 0, 0, x, y, (width - 1) | (height - 1) << 8]
            .iter()
            .flat_map(|dword: &i32| dword.to_le_bytes())
            .collect();
        let pitch = (width as usize).next_power_of_two().max(4);
        let length = (pitch * height as usize).div_ceil(64);
        let data: Vec<u8> = (0..length * 64).map(|n| 200 - n as u8 % 100).collect();
        let stage = surface(Generation::Xe2, RGBA8, &block).with(10, &payload).with(60, &data);
        let load = Descriptor(BTI | 3).lengths(1, length);
        let store = Descriptor(BTI | 7).lengths(1, 0);
        let registers = stage.run(&format!(
            "send.tgm (1|M0) r40 r10 null:0 {0:#x} {load:#x}
             send.tgm (1|M0) null r10 r60:{length} {0:#x} {store:#x}",
            5 << 24
        ));
        let before = pattern(64 * HEIGHT as usize);
        let mut expected = before.clone();
        for row in 0..height {
            for column in 0..width {
                // Whole texels are repeated at the edge.
                let (texel, v) = ((x + column).div_euclid(4).clamp(0, 8), (y + row).clamp(0, 5));
                let byte = before[(v * 64 + texel * 4 + (x + column).rem_euclid(4)) as usize];
                let at = row as usize * pitch + column as usize;
                assert_eq!(registers[40 * 64 + at], byte, "{x} {y} {column} {row}");
                let (to_x, to_y) = (x + column, y + row);
                if (0..36).contains(&to_x) && (0..6).contains(&to_y) {
                    expected[(to_y * 64 + to_x) as usize] = data[at];
                }
            }
        }
        assert_eq!(block.to_vec(), expected, "{x} {y} {width} {height}");
    }
}

#[test]
fn limits_are_checked() {
    let texel = BTI | A32 | 2 << 9 | 1 << 12;
    let cases = [
        (Generation::XeHpg, "(16|M0)", texel | 2, "more than 8 channels"),
        (Generation::XeHpc, "(32|M0)", texel | 2, "more than 16 channels"),
        (Generation::XeHpc, "(16|M0)", texel & !(1 << 12) | 2, "without components"),
        (Generation::XeHpc, "(16|M0)", texel & !A32 | A64 | 2, "whose numbers are no dwords"),
        (Generation::XeHpc, "(16|M0)", texel & !BTI | 2, "a message for surfaces without a surface"),
        (Generation::XeHpc, "(16|M0)", texel | 1 << 16 | 2, "caching 0x1"),
        (Generation::XeHpc, "(1|M0)", BTI | 3, "which this generation does not have"),
        (Generation::Xe2, "(16|M0)", BTI | 3, "more than one channel"),
    ];
    for (generation, size, bits, expected) in cases {
        let stage = surface(generation, RGBA8, &texels());
        let descriptor = Descriptor(bits).lengths(2, 1);
        let fault = stage.fault(&format!("send.tgm {size} r40 r10 null:0 {:#x} {descriptor:#x}", 5 << 24));
        assert!(fault.why.contains(expected), "{size} {descriptor:#x}: {}", fault.why);
    }
    let block = [0_i32, 0, 0, 0, 0, 0, 0, 63 | 4 << 8].map(i32::to_le_bytes).concat();
    let stage = surface(Generation::Xe2, RGBA8, &texels()).with(10, &block);
    let descriptor = Descriptor(BTI | 3).lengths(1, 5);
    let fault = stage.fault(&format!("send.tgm (1|M0) r40 r10 null:0 {:#x} {descriptor:#x}", 5 << 24));
    assert!(fault.why.contains("a 2-D block of 64 bytes by 5 rows"), "{}", fault.why);
}
