//! 2-D blocks of memory.

use cm_simulator::generation::Generation;

use super::*;
use crate::stage::ADDRESS;

/// A block message: the rows in memory, and the position and shape of the block.
#[derive(Clone, Copy, Debug)]
struct Block2D {
    bytes: u32,
    rows: u32,
    pitch: u32,
    x: i32,
    y: i32,
    width: u32,
    height: u32,
    count: u32,
}

impl Block2D {
    fn payload(self) -> Vec<u8> {
        let shape = (self.width - 1) | (self.height - 1) << 8 | (self.count - 1) << 16;
        let mut payload = ADDRESS.to_le_bytes().to_vec();
        let (x, y) = (self.x.cast_unsigned(), self.y.cast_unsigned());
        for dword in [self.bytes - 1, self.rows - 1, self.pitch - 1, x, y, shape] {
            payload.extend(dword.to_le_bytes());
        }
        payload
    }

    /// The offset of an element in memory; `None` if it is out of bounds.
    fn address(self, size: i64, x: i64, y: i64) -> Option<usize> {
        let inside =
            (0..i64::from(self.bytes)).contains(&(x * size)) && (0..i64::from(self.rows)).contains(&y);
        inside.then(|| usize::try_from(y * i64::from(self.pitch) + x * size).unwrap())
    }
}

const MEMORY: Block2D = Block2D { bytes: 76, rows: 20, pitch: 80, x: 0, y: 0, width: 1, height: 1, count: 1 };

/// The field for a data size.
fn field(size: usize) -> u32 {
    size.trailing_zeros() << 9
}

const PACKED: u32 = 1 << 7;

/// The expected registers: rows are padded to a power of two elements, blocks to whole registers.
fn expected(block: Block2D, size: usize, order: u32, register: usize) -> Vec<u8> {
    let all = pattern(4096);
    let mut registers = vec![];
    let (width, height) = (block.width as usize, block.height as usize);
    for n in 0..block.count as usize {
        let element = |x: usize, y: usize| {
            let (x, y) = (i64::from(block.x) + (n * width + x) as i64, i64::from(block.y) + y as i64);
            let at = if x >= 0 { block.address(size as i64, x, y) } else { None };
            at.map_or(vec![0; size], |at| all[at..at + size].to_vec())
        };
        let mut rows: Vec<Vec<u8>> = vec![];
        match order {
            0 => {
                for y in 0..height {
                    rows.push((0..width).flat_map(|x| element(x, y)).collect());
                }
            }
            TRANSPOSED => {
                for x in 0..width {
                    rows.push((0..height).flat_map(|y| element(x, y)).collect());
                }
            }
            _ => {
                let dword = 4 / size;
                for y in (0..height).step_by(dword) {
                    let packed = |n: usize| element(n / dword, y + n % dword);
                    rows.push((0..width * dword).flat_map(packed).collect());
                }
            }
        }
        let length = rows[0].len().next_power_of_two();
        let mut bytes: Vec<u8> = vec![];
        for row in rows {
            bytes.extend(&row);
            bytes.resize(bytes.len() + length - row.len(), 0);
        }
        bytes.resize(bytes.len().next_multiple_of(register), 0);
        registers.extend(bytes);
    }
    registers
}

/// Elements of a row, rows, blocks.
type Shapes = &'static [(u32, u32, u32)];

#[test]
fn blocks_are_loaded_in_every_order() {
    // Bytes of an element, order, shapes.
    let shapes: [(usize, u32, Shapes); 9] = [
        (1, 0, &[(4, 1, 1), (16, 8, 1), (24, 6, 1), (64, 32, 1), (32, 8, 2), (16, 5, 4)]),
        (2, 0, &[(2, 3, 1), (16, 16, 1), (32, 32, 1), (16, 8, 2), (6, 7, 1)]),
        (4, 0, &[(1, 1, 1), (16, 8, 1), (8, 16, 2), (5, 3, 1)]),
        (8, 0, &[(1, 4, 1), (8, 8, 1), (2, 8, 4)]),
        (4, TRANSPOSED, &[(8, 8, 1), (8, 32, 1), (4, 16, 1), (3, 5, 1)]),
        (8, TRANSPOSED, &[(4, 8, 1), (2, 8, 1)]),
        (1, PACKED, &[(16, 32, 1), (4, 8, 1), (16, 4, 4)]),
        (2, PACKED, &[(16, 16, 1), (16, 32, 2), (8, 2, 2), (6, 4, 1)]),
        (2, PACKED, &[(2, 2, 1)]),
    ];
    let places = [(0, 0), (4, 3), (-8, -2), (60, 15), (-64, 0), (0, -40), (1000, 1000)];
    for generation in [Generation::XeHpc, Generation::Xe2] {
        for (size, order, shapes) in shapes {
            for &(width, height, count) in shapes {
                for (x, y) in places {
                    // Positions are in dwords of a row, or in elements if these are larger.
                    let memory = if size == 8 { Block2D { bytes: 72, ..MEMORY } } else { MEMORY };
                    let block = Block2D { x, y, width, height, count, ..memory };
                    let expected = expected(block, size, order, 64);
                    let length = expected.len() / 64;
                    let load = Descriptor(3 | field(size) | order).lengths(1, length.min(31));
                    let stage = stage(generation).with(10, &block.payload());
                    let registers = stage.run(&format!("send.ugm (1|M0) r40 r10 null:0 0x0 {load:#x}"));
                    let found = &registers[40 * 64..][..expected.len()];
                    assert_eq!(found, expected, "{size} {order:#x} {block:?}");
                }
            }
        }
    }
}

#[test]
fn blocks_are_stored_and_dropped_outside() {
    for (size, width, height) in [(1, 64, 8), (1, 24, 6), (2, 16, 8), (4, 5, 3), (8, 8, 8)] {
        for (x, y) in [(0, 0), (4, 3), (-8, -2), (60 / size as i32 / 4 * 4, 15), (0, 400)] {
            let memory = if size == 8 { Block2D { bytes: 72, ..MEMORY } } else { MEMORY };
            let block = Block2D { x, y, width, height, ..memory };
            let pitch = (width as usize).next_power_of_two() * size;
            let length = (pitch * height as usize).div_ceil(64);
            let data: Vec<u8> = (0..length * 64).map(|n| 255 - (n % 251) as u8).collect();
            let stage = stage(Generation::XeHpc).with(10, &block.payload()).with(40, &data);
            let store = Descriptor(7 | field(size)).lengths(1, 0);
            _ = stage.run(&format!("send.ugm (1|M0) null r10 r40:{length} 0x0 {store:#x}"));
            let mut expected = pattern(4096);
            for row in 0..height as usize {
                for column in 0..width as usize {
                    let (at_x, at_y) = (i64::from(x) + column as i64, i64::from(y) + row as i64);
                    if let Some(at) = block.address(size as i64, at_x, at_y) {
                        expected[at..at + size].copy_from_slice(&data[row * pitch + column * size..][..size]);
                    }
                }
            }
            assert_eq!(stage.memory.to_vec(), expected, "{size} {block:?}");
        }
    }
}

#[test]
fn offsets_of_the_descriptor_are_added() {
    let block = Block2D { x: 4, y: 3, width: 16, height: 2, ..MEMORY };
    let moved = Block2D { x: 12, y: 1, ..block };
    let load = Descriptor(3 | field(1)).lengths(1, 1);
    let extended = 8 << 12 | (-2_i32).cast_unsigned() << 22;
    let stage = stage(Generation::Xe2).with(10, &block.payload());
    let registers = stage.run(&format!("send.ugm (1|M0) r40 r10 null:0 {extended:#x} {load:#x}"));
    assert_eq!(registers[40 * 64..][..64], expected(moved, 1, 0, 64));
    let fault = super::stage(Generation::XeHpc).with(10, &block.payload());
    let fault = fault.fault(&format!("send.ugm (1|M0) r40 r10 null:0 {extended:#x} {load:#x}"));
    assert!(fault.why.starts_with("not supported: these bits"), "{}", fault.why);
}

#[test]
fn a_prefetch_and_a_channel_that_is_off_touch_nothing() {
    let block = Block2D { width: 16, height: 2, ..MEMORY };
    let mut stage = stage(Generation::XeHpc).with(10, &block.payload()).with(40, &[7; 64]);
    let (prefetch, load) = (Descriptor(3).lengths(1, 0), Descriptor(3).lengths(1, 1));
    _ = stage.run(&format!("send.ugm (1|M0) null r10 null:0 0x0 {prefetch:#x}"));
    stage.mask = 2;
    let registers = stage.run(&format!("send.ugm (1|M0) r40 r10 null:0 0x0 {load:#x}"));
    assert_eq!(registers[40 * 64..][..64], [7; 64]);
}

#[test]
fn limits_of_the_hardware_are_checked() {
    let good = Block2D { width: 16, height: 4, ..MEMORY };
    let load = 3 | field(1);
    let cases = [
        (Block2D { bytes: 60, ..good }, load, "rows of 60 bytes"),
        (Block2D { bytes: 78, ..good }, load, "rows of 78 bytes"),
        (Block2D { pitch: 72, ..good }, load, "a pitch of 72 bytes"),
        (Block2D { pitch: 64, ..good }, load, "a pitch of 64 bytes"),
        (Block2D { x: 2, ..good }, load, "a block at element 2"),
        (Block2D { width: 6, ..good }, load, "blocks of 6 bytes"),
        (Block2D { width: 64, count: 2, ..good }, load, "2 blocks of 64 bytes"),
        (Block2D { count: 3, ..good }, load, "3 blocks"),
        (Block2D { height: 33, ..good }, load, "blocks of 33 rows"),
        (good, load | TRANSPOSED, "a transposed block of 16 by 4 elements of 1 bytes"),
        (good, 3 | field(4) | TRANSPOSED, "a transposed block of 16 by 4 elements of 4 bytes"),
        (good, 3 | field(4) | PACKED, "a packed block"),
        (Block2D { height: 6, ..good }, load | PACKED, "a packed block of 16 by 6 elements of 1 bytes"),
        (good, load | PACKED | TRANSPOSED, "not supported: 2-D blocks that are transposed and packed"),
        (good, 3 | 4 << 9, "not supported: 2-D blocks of elements that become dwords"),
        (good, load | 3 << 29, "a 2-D block of memory that names a surface"),
        (Block2D { height: 9, ..good }, 7, "a store of 1 blocks of 9 rows"),
        (good, 7 | PACKED, "a store of 1 blocks of 4 rows in the order Packed"),
        (Block2D { height: 8, ..good }, load, "blocks of 2 registers in a response of 1"),
    ];
    for (block, bits, expected) in cases {
        let descriptor = Descriptor(bits).lengths(1, usize::from(bits & 7 == 3));
        let stage = stage(Generation::XeHpc).with(10, &block.payload());
        let fault = stage.fault(&format!("send.ugm (1|M0) r40 r10 null:0 0x0 {descriptor:#x}"));
        assert!(fault.why.contains(expected), "{block:?} {bits:#x}: {}", fault.why);
    }
    let mut payload = good.payload();
    payload[0] = 32;
    let descriptor = Descriptor(load).lengths(1, 1);
    let text = |channels: u32| format!("send.ugm ({channels}|M0) r40 r10 null:0 0x0 {descriptor:#x}");
    let fault = stage(Generation::XeHpc).with(10, &payload).fault(&text(1));
    assert!(fault.why.contains("which is not a multiple of 64"), "{}", fault.why);
    let fault = stage(Generation::XeHpc).with(10, &good.payload()).fault(&text(16));
    assert!(fault.why.contains("more than one channel"), "{}", fault.why);
    let fault = stage(Generation::XeHpg).with(10, &good.payload()).fault(&text(1));
    assert!(fault.why.contains("which this generation does not have"), "{}", fault.why);
}
