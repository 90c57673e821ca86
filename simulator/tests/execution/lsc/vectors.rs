//! Gathers, scatters, blocks.

use cm_simulator::generation::Generation;
use cm_simulator::memory::Block;

use super::*;
use crate::stage::ADDRESS;

/// The offsets of channels in memory: scattered, aligned to 16 bytes.
fn offset(channel: usize) -> usize {
    (channel * 11 + 5) % 61 * 32
}

/// The address payload.
fn addresses(generation: Generation, channels: usize, size: usize, first: u64) -> Vec<u8> {
    let mut payload = vec![0; slot(generation, channels, size)];
    for channel in 0..channels {
        let address = first + offset(channel) as u64;
        payload[channel * size..][..size].copy_from_slice(&address.to_le_bytes()[..size]);
    }
    payload
}

#[test]
fn elements_are_gathered_and_scattered_in_every_size() {
    for generation in GENERATIONS {
        let widest = if generation == Generation::XeHpg { 16 } else { 32 };
        for (field, memory, register, first) in SIZES {
            for (elements, count) in [1, 2, 3, 4].into_iter().enumerate() {
                for channels in [1, 4, 8, 16, 32].into_iter().filter(|&channels| channels <= widest) {
                    let mask = 0xa5a5_f00d_u32;
                    let address = slot(generation, channels, 8) / generation.register_bytes();
                    let data = count * slot(generation, channels, register) / generation.register_bytes();
                    if data > 31 {
                        continue;
                    }
                    let bits = A64 | field << 9 | (elements as u32) << 12;
                    let mut stage = stage(generation).with(10, &addresses(generation, channels, 8, ADDRESS));
                    stage.mask = mask;
                    let load = Descriptor(bits).lengths(address, data);
                    let registers =
                        stage.run(&format!("send.ugm ({channels}|M0) r40 r10 null:0 0x0 {load:#x}"));
                    let all = pattern(4096);
                    let at = |place: usize, channel: usize| {
                        40 * generation.register_bytes()
                            + place * slot(generation, channels, register)
                            + channel * register
                    };
                    for channel in 0..channels {
                        for place in 0..count {
                            let mut expected = vec![0; register];
                            if mask >> channel & 1 != 0 {
                                expected[first..first + memory]
                                    .copy_from_slice(&all[offset(channel) + place * memory..][..memory]);
                            }
                            let found = &registers[at(place, channel)..][..register];
                            assert_eq!(
                                found, expected,
                                "{generation:?} {field} {channels}: {channel}.{place}"
                            );
                        }
                    }
                    // The loaded data are stored to other memory.
                    let store = Descriptor(bits | 4).lengths(address, 0);
                    let mut stage =
                        stage.with(40, &registers[at(0, 0)..][..data * generation.register_bytes()]);
                    stage.memory = Block::filled(4096, 0xee);
                    _ = stage.run(&format!("send.ugm ({channels}|M0) null r10 r40:{data} 0x0 {store:#x}"));
                    let mut expected = vec![0xee; 4096];
                    for channel in (0..channels).filter(|channel| mask >> channel & 1 != 0) {
                        let range = offset(channel)..offset(channel) + count * memory;
                        expected[range.clone()].copy_from_slice(&all[range]);
                    }
                    assert_eq!(stage.memory.to_vec(), expected, "{generation:?} {field} {channels} {count}");
                }
            }
        }
    }
}

#[test]
fn blocks_lie_one_element_after_the_other() {
    for generation in GENERATIONS {
        for (field, size) in [(2_u32, 4_usize), (3, 8)] {
            for (elements, count) in [1, 2, 3, 4, 8, 16, 32, 64].into_iter().enumerate() {
                let length = (count * size).div_ceil(generation.register_bytes());
                let bits = A64 | field << 9 | (elements as u32) << 12 | TRANSPOSED;
                let stage = stage(generation).with(10, &(ADDRESS + 24).to_le_bytes());
                let load = Descriptor(bits).lengths(1, length);
                let store = Descriptor(bits | 4).lengths(1, 0);
                let add = 512;
                let registers = stage.run(&format!(
                    "send.ugm (1|M0) r40 r10 null:0 0x0 {load:#x}
                     add (1|M0) r10.0<1>:ud r10.0<0;1,0>:ud {add:#x}:ud
                     send.ugm (1|M0) null r10 r40:{length} 0x0 {store:#x} {{A@1}}"
                ));
                let expected = &pattern(4096)[24..24 + count * size];
                assert_eq!(&registers[40 * generation.register_bytes()..][..count * size], expected);
                assert_eq!(
                    &stage.memory.to_vec()[24 + 512..][..count * size],
                    expected,
                    "{generation:?} {count}"
                );
            }
        }
    }
}

#[test]
fn components_of_a_mask_are_packed() {
    let generation = Generation::XeHpc;
    for mask in 1..16_u32 {
        let count = mask.count_ones() as usize;
        let bits = A64 | 2 << 9 | mask << 12;
        let load = Descriptor(bits | 2).lengths(2, count);
        let store = Descriptor(bits | 6).lengths(2, 0);
        let stage = stage(generation).with(10, &addresses(generation, 16, 8, ADDRESS));
        let registers = stage.run(&format!("send.ugm (16|M0) r40 r10 null:0 0x0 {load:#x}"));
        let components: Vec<usize> = (0..4).filter(|component| mask >> component & 1 != 0).collect();
        let all = pattern(4096);
        for channel in 0..16 {
            for (place, component) in components.iter().enumerate() {
                let found = &registers[(40 + place) * 64 + channel * 4..][..4];
                assert_eq!(found, &all[offset(channel) + component * 4..][..4], "{mask:#x}");
            }
        }
        let mut stage = stage.with(40, &registers[40 * 64..][..count * 64]);
        stage.memory = Block::filled(4096, 0xee);
        _ = stage.run(&format!("send.ugm (16|M0) null r10 r40:{count} 0x0 {store:#x}"));
        let mut expected = vec![0xee; 4096];
        for channel in 0..16 {
            for component in &components {
                let range = offset(channel) + component * 4..offset(channel) + component * 4 + 4;
                expected[range.clone()].copy_from_slice(&all[range]);
            }
        }
        assert_eq!(stage.memory.to_vec(), expected, "{mask:#x}");
    }
    let fault = stage(generation)
        .fault(&format!("send.ugm (16|M0) r40 r10 null:0 0x0 {:#x}", A64 | 2 << 9 | 2 | 2 << 25));
    assert!(fault.why.contains("without components"), "{}", fault.why);
}

#[test]
fn channels_lie_at_equal_distances_of_a_strided_message() {
    let stage = stage(Generation::XeHpc).with(10, &(ADDRESS + 64).to_le_bytes());
    let pitch: i32 = 12;
    let stage = stage.with(10, &[&(ADDRESS + 64).to_le_bytes()[..], &pitch.to_le_bytes()].concat());
    let load = Descriptor(A64 | 2 << 9 | 1).lengths(1, 1);
    let registers = stage.run(&format!("send.ugm (16|M0) r40 r10 null:0 0x0 {load:#x}"));
    for channel in 0..16 {
        assert_eq!(&registers[40 * 64 + channel * 4..][..4], &pattern(4096)[64 + channel * 12..][..4]);
    }
}

#[test]
fn shared_memory_has_addresses_of_16_and_32_bits_and_ends() {
    for (bits, size) in [(A16, 2), (A32, 4)] {
        let generation = Generation::XeHpg;
        let mut stage = stage(generation).with(10, &addresses(generation, 16, size, 0));
        let shared = Block::filled(1000, 0);
        assert!(shared.span().write(0, &pattern(1000)));
        stage.shared = Some(shared.clone());
        let length = slot(generation, 16, size) / 32;
        let load = Descriptor(bits | 2 << 9).lengths(length, 2);
        let store = Descriptor(bits | 2 << 9 | 4).lengths(length, 0);
        let registers = stage.run(&format!(
            "send.slm (16|M0) r40 r10 null:0 0x0 {load:#x}
             add (16|M0) r50.0<1>:ud r40.0<1;1,0>:ud 0x1:ud
             send.slm (16|M0) null r10 r50:2 0x0 {store:#x} {{A@1}}"
        ));
        let mut expected = pattern(1000);
        for channel in 0..16 {
            let at = offset(channel);
            let old = if at + 4 <= 1000 { number(&pattern(1000)[at..at + 4]) } else { 0 };
            assert_eq!(number(&registers[40 * 32 + channel * 4..][..4]), old, "{size} {channel}");
            if at + 4 <= 1000 {
                expected[at..at + 4].copy_from_slice(&(old as u32).wrapping_add(1).to_le_bytes());
            }
        }
        assert_eq!(shared.to_vec(), expected);
    }
}

#[test]
fn buffers_have_edges_and_offsets() {
    let buffer = Block::filled(64, 0);
    assert!(buffer.span().write(0, &pattern(64)));
    for (generation, offset) in [(Generation::XeHpg, 0_i64), (Generation::Xe2, 8), (Generation::Xe2, -8)] {
        let register = generation.register_bytes();
        let lanes: Vec<u8> = (0..16_u32).flat_map(|lane| (lane * 8).to_le_bytes()).collect();
        let stage = stage(generation).with(10, &lanes).with_buffer(7, &buffer);
        let load = Descriptor(BTI | A32 | 2 << 9).lengths(64 / register, 64 / register);
        let extended = 7 << 24 | (offset as u32 & 0xfff) << 12;
        let registers = stage.run(&format!("send.ugm (16|M0) r40 r10 null:0 {extended:#x} {load:#x}"));
        for lane in 0..16 {
            let at = usize::try_from(lane * 8 + offset).unwrap_or(usize::MAX);
            let expected = pattern(64).get(at..at.wrapping_add(4)).map_or(0, number);
            let found = number(&registers[40 * register + lane as usize * 4..][..4]);
            assert_eq!(found, expected, "{generation:?} {offset} {lane}");
        }
    }
    // An offset to the memory address.
    let stage = stage(Generation::Xe2).with(10, &(ADDRESS + 64).to_le_bytes());
    let load = Descriptor(A64 | 2 << 9 | TRANSPOSED).lengths(1, 1);
    let registers =
        stage.run(&format!("send.ugm (1|M0) r40 r10 null:0 {:#x} {load:#x}", (-4_i32 as u32) << 12));
    assert_eq!(registers[40 * 64..][..4], pattern(4096)[60..64]);
}

#[test]
fn a_load_without_destination_touches_nothing() {
    let stage = stage(Generation::XeHpc);
    let load = Descriptor(A64 | 2 << 9).lengths(2, 0);
    _ = stage.run(&format!("send.ugm (16|M0) null r10 null:0 0x0 {load:#x}"));
    let fault = stage.fault(&format!("send.ugm (16|M0) r40 r10 null:0 0x0 {:#x}", load | 1 << 20));
    assert!(fault.why.contains("memory access fault"), "{}", fault.why);
}

#[test]
fn the_status_has_a_bit_for_each_channel() {
    let mut stage = stage(Generation::XeHpc).with(10, &addresses(Generation::XeHpc, 16, 8, ADDRESS));
    stage.mask = 0x1234;
    let status = Descriptor(A64 | 2 << 9 | 0x1b).lengths(2, 1);
    let registers = stage.run(&format!("send.ugm (16|M0) r40 r10 null:0 0x0 {status:#x}"));
    assert_eq!(number(&registers[40 * 64..][..4]), 0x1234);
}

#[test]
fn fences_end_nothing() {
    for (name, descriptor) in [("ugm", 0x0214_171f_u32), ("slm", 0x0210_011f), ("tgm", 0x0210_271f)] {
        _ = stage(Generation::XeHpg).run(&format!("send.{name} (1|M0) r9 r0 null:0 0x0 {descriptor:#x}"));
    }
    _ = stage(Generation::XeHpg).run("send.ugm (1|M0) r9 r0 null:0 0x0 0x0210651f");
    let fault = stage(Generation::XeHpc).fault("send.ugm (1|M0) r9 r0 null:0 0x0 0x0210651f");
    assert!(fault.why.starts_with("not supported: a fence of scope"), "{}", fault.why);
}

#[test]
fn what_no_message_has_is_refused() {
    let vector = A64 | 2 << 9;
    let cases = [
        ("send.ugm (16|M0) r40 r10", 0, vector & !A64, "without a size of addresses"),
        ("send.ugm (16|M0) r40 r10", 0, A32 | 2 << 9, "not supported: flat addresses of this size"),
        ("send.slm (16|M0) r40 r10", 0, vector, "not supported: flat addresses of this size"),
        ("send.slm (16|M0) r40 r10", 0, A32 | 2 << 9, "a group without shared local memory"),
        ("send.slm (16|M0) r40 r10", 0, A32 | 2 << 9 | 1 << 16, "caching 0x1, which no such message has"),
        ("send.ugm (16|M0) r40 r10", 0, vector | 1 << 16, "caching 0x1"),
        ("send.ugm (16|M0) r40 r10", 0, vector | 4 << 12, "8 elements of each channel"),
        ("send.ugm (16|M0) r40 r10", 0, vector | TRANSPOSED, "a block of more than one channel"),
        ("send.ugm (1|M0) r40 r10", 0, A64 | 5 << 9 | TRANSPOSED, "not supported: data of this size"),
        ("send.ugm (16|M0) r40 r10", 0, A64, "not supported: data of this size"),
        ("send.ugm (16|M0) r40 r10", 0, A64 | 7 << 9, "not supported: data of size 7"),
        ("send.ugm (16|M0) r40 r10", 0x1000, vector, "not supported: these bits of the extended descriptor"),
        ("send.ugm (16|M0) r40 r10", 0, vector | 1 << 29, "not supported: surfaces by the offset"),
        ("send.ugm (16|M0) r40 r10", 0, vector | 0x1d, "not supported: operation 0x1d"),
        ("send.ugm (16|M0) r40 r10", 254 << 24, BTI | vector, "not supported: entry 254"),
        ("send.ugm (16|M0) r40 r10", 9 << 24, BTI | vector, "no surface at entry 9"),
        ("send.tgm (16|M0) r40 r10", 0, vector, "not supported: operation 0x0"),
    ];
    for (instruction, extended, bits, expected) in cases {
        let descriptor = Descriptor(bits).lengths(2, 2);
        let fault =
            stage(Generation::XeHpc).fault(&format!("{instruction} null:0 {extended:#x} {descriptor:#x}"));
        assert!(fault.why.contains(expected), "{instruction} {descriptor:#x}: {}", fault.why);
    }
    let stage = stage(Generation::XeHpc).with(10, &(ADDRESS + 2).to_le_bytes());
    let load = Descriptor(vector | TRANSPOSED).lengths(1, 1);
    let fault = stage.fault(&format!("send.ugm (1|M0) r40 r10 null:0 0x0 {load:#x}"));
    assert!(fault.why.contains("is not aligned to 4 bytes"), "{}", fault.why);
}
