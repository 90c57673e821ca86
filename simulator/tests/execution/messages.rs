//! Messages to memory, surfaces and the sampler.

use cm_simulator::dispatch::{Shape, SurfaceKind, Tiling};
use cm_simulator::memory::Block;

use crate::stage::{ADDRESS, Stage, bytes, dwords};

/// A descriptor: entry, type, other bits, registers of payload and response, whether there is a header.
fn descriptor(entry: u32, kind: u32, bits: u32, length: u32, response: u32, header: bool) -> u32 {
    entry | bits | kind << 14 | u32::from(header) << 19 | response << 20 | length << 25
}

fn filled(length: u8) -> Block {
    let block = Block::filled(length.into(), 0);
    assert!(block.span().write(0, &(0..length).collect::<Vec<_>>()));
    block
}

/// The dwords of a block.
fn contents(block: &Block) -> Vec<u32> {
    dwords(&block.to_vec(), 0, block.to_vec().len() / 4)
}

const PORT_0: u32 = 0xa;
const PORT_1: u32 = 0xc;

#[test]
fn blocks_of_owords_move_whole_registers() {
    let (from, to) = (filled(128), Block::filled(128, 0));
    let stage = Stage::new().with_buffer(1, &from).with_buffer(2, &to).with(10, &bytes(&[0, 0, 1]));
    let read = descriptor(1, 0, 2 << 8, 1, 1, true);
    let write = descriptor(2, 8, 2 << 8, 2, 0, true);
    stage.run(&format!(
        "(W) send (8|M0) r11 r10 {PORT_0:#x} {read:#x}
         (W) send (8|M0) null r10 {PORT_0:#x} {write:#x}"
    ));
    assert_eq!(to.to_vec()[16..48], from.to_vec()[16..48]);
    assert!(to.to_vec()[..16].iter().chain(&to.to_vec()[48..]).all(|byte| *byte == 0));
}

#[test]
fn what_is_outside_of_a_buffer_reads_as_zero_and_is_not_written() {
    let block = filled(32);
    let stage = Stage::new()
        .with_buffer(1, &block)
        .with(10, &bytes(&[0, 4, 28, 32, 36, u32::MAX, 8, 12]))
        .with(11, &bytes(&[9; 8]));
    let read = descriptor(1, 1, 2 << 12 | 0xe << 8, 1, 1, false);
    let write = descriptor(1, 9, 2 << 12 | 0xe << 8, 2, 0, false);
    let registers = stage.run(&format!(
        "send (8|M0) r20 r10 {PORT_1:#x} {read:#x}
         send (8|M0) null r10 {PORT_1:#x} {write:#x}"
    ));
    let dword = |at: u32| u32::from_le_bytes([0, 1, 2, 3].map(|n| u8::try_from(at + n).unwrap()));
    assert_eq!(dwords(&registers, 20, 8), [dword(0), dword(4), dword(28), 0, 0, 0, dword(8), dword(12)]);
    assert_eq!(contents(&block), [9, 9, 9, 9, dword(16), dword(20), dword(24), 9]);
}

#[test]
fn bytes_are_scattered_and_gathered() {
    let block = filled(64);
    let stage = Stage::new().with_buffer(1, &block).with(10, &bytes(&[0, 1, 2, 3, 63, 9, 62, 7]));
    for (size, mask) in [(0, 0xff_u32), (1, 0xffff), (2, u32::MAX)] {
        let read = descriptor(1, 4, size << 10, 1, 1, false);
        let registers = stage.run(&format!("send (8|M0) r20 r10 {PORT_0:#x} {read:#x}"));
        let expected: Vec<u32> = [0_u32, 1, 2, 3, 63, 9, 62, 7]
            .iter()
            .map(|at| {
                let byte = |n| if at + n < 64 { at + n } else { 0 };
                (byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24) & mask
            })
            .collect();
        assert_eq!(dwords(&registers, 20, 8), expected, "{size}");
    }
}

type Meaning = fn(u32, u32, u32) -> u32;

/// `MDC_AOP`: operation numbers, numbers of sources, and the new value in memory.
const ATOMICS: [(u32, u32, Meaning); 15] = [
    (1, 1, |old, a, _| old & a),
    (2, 1, |old, a, _| old | a),
    (3, 1, |old, a, _| old ^ a),
    (4, 1, |_, a, _| a),
    (5, 0, |old, _, _| old.wrapping_add(1)),
    (6, 0, |old, _, _| old.wrapping_sub(1)),
    (7, 1, |old, a, _| old.wrapping_add(a)),
    (8, 1, |old, a, _| old.wrapping_sub(a)),
    (9, 1, |old, a, _| a.wrapping_sub(old)),
    (10, 1, |old, a, _| if old.cast_signed() > a.cast_signed() { old } else { a }),
    (11, 1, |old, a, _| if old.cast_signed() < a.cast_signed() { old } else { a }),
    (12, 1, |old, a, _| if old > a { old } else { a }),
    (13, 1, |old, a, _| if old < a { old } else { a }),
    (14, 2, |old, a, b| if old == a { b } else { old }),
    (15, 0, |old, _, _| old.wrapping_sub(1)),
];

#[test]
fn atomic_operations_change_buffers_memory_and_texels() {
    let old = [0, 1, 5, 0x8000_0000, u32::MAX, 77, 0x7fff_ffff, 100];
    let (a, b) = ([5, 1, 5, 1, 0, 77, u32::MAX, 1000], [11, 12, 13, 14, 15, 16, 17, 18]);
    let offsets: Vec<u32> = (0..8).map(|lane| lane * 4).collect();
    let addresses: Vec<u8> = (0..8).flat_map(|lane| (ADDRESS + lane * 4).to_le_bytes()).collect();
    for (operation, sources, meaning) in ATOMICS {
        let after: Vec<u32> = (0..8).map(|lane| meaning(old[lane], a[lane], b[lane])).collect();
        let given = if operation == 15 { after.clone() } else { old.to_vec() };
        let begin = |block: &Block| assert!(block.span().write(0, &bytes(&old)));
        let sent = |stage: &Stage, kind: u32, bits: u32, coordinates: u32| {
            let bits = bits | operation << 8 | 1 << 13;
            let message = descriptor(1, kind, bits, coordinates + sources, 1, false);
            let registers = stage.run(&format!("send (8|M0) r20 r10 {PORT_1:#x} {message:#x}"));
            assert_eq!(dwords(&registers, 20, 8), given, "operation {operation} of message {kind:#x}");
        };
        // In a buffer.
        let block = Block::filled(32, 0);
        begin(&block);
        let stage = Stage::new().with_buffer(1, &block).with(10, &bytes(&offsets));
        let stage = stage.with(11, &bytes(&a)).with(12, &bytes(&b));
        sent(&stage, 0x02, 1 << 12, 1);
        assert_eq!(contents(&block), after, "operation {operation}");
        // At addresses.
        let stage = Stage::new().with(10, &addresses).with(12, &bytes(&a)).with(13, &bytes(&b));
        begin(&stage.memory);
        sent(&stage, 0x12, 0, 2);
        assert_eq!(contents(&stage.memory)[..8], after, "operation {operation}");
        // On texels of eight columns.
        let block = Block::filled(32, 0);
        begin(&block);
        let columns: Vec<u32> = (0..8).collect();
        let mut stage = Stage::new().with(10, &bytes(&columns)).with(12, &bytes(&a)).with(13, &bytes(&b));
        stage.surfaces.push((1, block.clone(), texels(Tiling::Linear, 32)));
        sent(&stage, 0x06, 0, 2);
        assert_eq!(contents(&block), after, "operation {operation}");
    }
}

/// A surface with format R32_UINT, eight columns and one row.
fn texels(tiling: Tiling, pitch: u32) -> Shape {
    Shape { kind: SurfaceKind::D2, format: 0x0d7, tiling, width: 8, height: 1, depth: 1, pitch, texel: 4 }
}

#[test]
fn atomic_operations_of_qwords_and_floats() {
    let addresses: Vec<u8> = (0..8).flat_map(|lane| (ADDRESS + lane * 8).to_le_bytes()).collect();
    let adds: Vec<u8> = (0..8_u64).flat_map(|lane| (lane << 40 | 1).to_le_bytes()).collect();
    let stage = Stage::new().with(10, &addresses).with(12, &adds);
    let message = descriptor(255, 0x12, 7 << 8 | 1 << 12, 4, 0, false);
    stage.run(&format!("send (8|M0) null r10 {PORT_1:#x} {message:#x}"));
    assert_eq!(stage.memory.to_vec()[..64], adds);
    let old = [1.0_f32, -1.0, 0.0, 5.0, 2.0, 2.0, f32::NAN, 8.0].map(f32::to_bits);
    let new = [2.0_f32, -2.0, 0.0, 4.0, 2.0, 3.0, 1.0, 9.0].map(f32::to_bits);
    for (operation, expected) in
        [(1, [2.0_f32, -1.0, 0.0, 5.0, 2.0, 3.0, 1.0, 9.0]), (2, [1.0, -2.0, 0.0, 4.0, 2.0, 2.0, 1.0, 8.0])]
    {
        let block = Block::filled(32, 0);
        assert!(block.span().write(0, &bytes(&old)));
        let offsets: Vec<u32> = (0..8).map(|lane| lane * 4).collect();
        let stage = Stage::new().with_buffer(1, &block).with(10, &bytes(&offsets)).with(11, &bytes(&new));
        let message = descriptor(1, 0x1b, operation << 8 | 1 << 12, 2, 0, false);
        stage.run(&format!("send (8|M0) null r10 {PORT_1:#x} {message:#x}"));
        assert_eq!(contents(&block), expected.map(f32::to_bits), "operation {operation}");
    }
}

#[test]
fn shared_local_memory_is_the_groups() {
    let mut stage = Stage::new().with(10, &bytes(&[0, 4, 8, 12, 16, 20, 24, 28]));
    let shared = filled(64);
    stage.shared = Some(shared.clone());
    let message = descriptor(254, 0x02, 7 << 8 | 1 << 12 | 1 << 13, 2, 1, false);
    let before = contents(&shared);
    let registers =
        stage.with(11, &bytes(&[1; 8])).run(&format!("send (8|M0) r20 r10 {PORT_1:#x} {message:#x}"));
    assert_eq!(dwords(&registers, 20, 8), before[..8]);
    let after: Vec<u32> = before.iter().enumerate().map(|(n, old)| old + u32::from(n < 8)).collect();
    assert_eq!(contents(&shared), after);
}

#[test]
fn media_blocks_repeat_the_edge_and_drop_what_is_outside() {
    for tiling in [Tiling::Linear, Tiling::X, Tiling::Y] {
        let pitch = if tiling == Tiling::X { 512 } else { 128 };
        let shape = Shape {
            kind: SurfaceKind::D2,
            format: 0x143,
            tiling,
            width: 20,
            height: 6,
            depth: 1,
            pitch,
            texel: 1,
        };
        let (from, to) = (Block::filled(512 * 32, 0), Block::filled(512 * 32, 0));
        // Typed messages write each texel, so the tiling is not computed here.
        let mut stage = Stage::new();
        stage.surfaces = vec![(1, from.clone(), shape), (2, to.clone(), shape)];
        let texel = |x: i64, y: i64| (y * 20 + x) as u32;
        let write = descriptor(1, 0x0d, 1 << 12 | 0xe << 8, 3, 0, false);
        for y in 0..6_u32 {
            for x in (0..20_u32).step_by(4) {
                stage.mask = 0xf;
                let columns = [x, x + 1, x + 2, x + 3];
                let values = columns.map(|x| texel(x.into(), y.into()));
                let stage = Stage { surfaces: stage.surfaces.clone(), ..Stage::new() };
                let mut stage =
                    stage.with(10, &bytes(&columns)).with(11, &bytes(&[y; 4])).with(12, &bytes(&values));
                stage.mask = 0xf;
                stage.run(&format!("send (8|M0) null r10 {PORT_1:#x} {write:#x}"));
            }
        }
        // Eight columns and four rows, at every position around the surface.
        for (x, y) in [(0, 0), (-3, -2), (15, 4), (40, 1), (-30, 2), (5, 90), (12, 2)] {
            let header = [x as u32, y as u32, 3 << 16 | 7];
            let read = descriptor(1, 4, 0, 1, 1, true);
            let write = descriptor(2, 0x0a, 0, 2, 0, true);
            let whole = Stage { surfaces: stage.surfaces.clone(), ..Stage::new() }.with(10, &bytes(&header));
            let registers = whole.run(&format!(
                "(W) send (8|M0) r11 r10 {PORT_1:#x} {read:#x}
                 (W) send (8|M0) null r10 {PORT_1:#x} {write:#x}"
            ));
            let clamped =
                |column: i64, row: i64| texel((x + column).clamp(0, 19), (y + row).clamp(0, 5)) as u8;
            let expected: Vec<u8> =
                (0..4).flat_map(|row| (0..8).map(move |column| clamped(column, row))).collect();
            assert_eq!(registers[11 * 32..12 * 32], expected, "{tiling:?} {x} {y}");
        }
        // The part inside of the surface has been written, and nothing else.
        let loaded = |x: u32, y: u32| {
            let read = descriptor(2, 0x05, 1 << 12 | 0xe << 8, 2, 1, false);
            let one = Stage { surfaces: stage.surfaces.clone(), mask: 1, ..Stage::new() };
            let one = one.with(10, &bytes(&[x])).with(11, &bytes(&[y]));
            dwords(&one.run(&format!("send (8|M0) r20 r10 {PORT_1:#x} {read:#x}")), 20, 1)[0]
        };
        assert_eq!(loaded(0, 0), texel(0, 0));
        assert_eq!((loaded(19, 5), loaded(12, 2), loaded(19, 3)), (texel(19, 5), texel(12, 2), texel(19, 3)));
        assert_eq!((loaded(9, 0), loaded(0, 5), loaded(20, 0)), (0, 0, 0));
    }
}

#[test]
fn the_sampler_loads_and_filters() {
    let block = Block::filled(64, 0);
    let texels = [0.0_f32, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0];
    assert!(block.span().write(0, &bytes(&texels.map(f32::to_bits))));
    let shape = Shape {
        kind: SurfaceKind::D2,
        format: 0x0d8,
        tiling: Tiling::Linear,
        width: 4,
        height: 2,
        depth: 1,
        pitch: 16,
        texel: 4,
    };
    let mut stage = Stage::new()
        .with(10, &bytes(&[0, 3, 4, 1]))
        .with(11, &bytes(&[0, 1, 0, 1]))
        .with(14, &bytes(&[0.5_f32, 1.0, 4.0, 2.5].map(f32::to_bits)))
        .with(15, &bytes(&[0.5_f32, 0.5, 0.5, 1.0].map(f32::to_bits)));
    stage.surfaces.push((1, block, shape));
    stage.mask = 0xf;
    // Infinite coordinates have no neighbours, and no weights.
    stage = stage.with(17, &bytes(&[f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.5].map(f32::to_bits)));
    stage = stage.with(18, &bytes(&[0.5_f32.to_bits(); 4]));
    let sampler = |kind: u32, length: u32| 1 | kind << 12 | 1 << 17 | 4 << 20 | length << 25;
    let registers = stage.run(&format!(
        "send (8|M0) r20 r10 0x2 {:#x}
         send (8|M0) r30 r14 0x2 {:#x}
         send (8|M0) r40 r17 0x2 {:#x}",
        sampler(0x1a, 2),
        sampler(0x18, 2),
        sampler(0x18, 2)
    ));
    let floats =
        |register| dwords(&registers, register, 4).into_iter().map(f32::from_bits).collect::<Vec<_>>();
    assert_eq!(floats(20), [0.0, 13.0, 0.0, 11.0]);
    assert_eq!(floats(30), [0.0, 0.5, 1.5, 7.0]);
    assert_eq!(floats(33), [1.0; 4]);
    assert!(floats(40)[..3].iter().all(|value| value.is_nan()) && floats(40)[3] == 0.0);
}
