//! Scratch space since Xe-HPG: the part of each thread in a surface that is given by the offset of its state.

use cm_simulator::dispatch::{Shape, SurfaceKind};
use cm_simulator::generation::Generation;
use cm_simulator::memory::Block;

use crate::stage::{Stage, bytes, dwords};

/// The offset of the surface state.
const STATE: u32 = 0x1c0;
/// Bytes of a thread.
const PART: usize = 2048;
/// The number of the thread that runs; there are three.
const THREAD: u32 = 1;

/// A stage with scratch space, and the space.
fn stage(generation: Generation) -> (Stage, Block) {
    let space = Block::filled(3 * PART, 0xee);
    let shape =
        Shape { kind: SurfaceKind::Scratch, pitch: PART as u32, width: 3, ..Shape::buffer(PART as u32) };
    let mut stage = Stage::of(generation);
    stage.states.push((STATE, space.clone(), shape));
    stage.hardware_thread = THREAD;
    (stage, space)
}

/// The numbers that a kernel spills, starting at 1.
fn spilled(count: u32) -> Vec<u8> {
    bytes(&(1..=count).collect::<Vec<_>>())
}

/// Checks that the space has the bytes at this offset of the part of the thread, and nothing else.
fn check(space: &Block, at: usize, spilled: &[u8]) {
    let mut expected = vec![0xee; 3 * PART];
    expected[THREAD as usize * PART + at..][..spilled.len()].copy_from_slice(spilled);
    assert!(space.to_vec() == expected, "at {at}");
}

/// The header with the number of the surface in dword 5.
fn header(state: u32) -> Vec<u8> {
    bytes(&[0, 0, 0, 0, 0, state << 4 | 1 << 9 | THREAD, 0, 0])
}

#[test]
fn scratch_blocks_are_of_the_surface_that_the_header_names() {
    // Two registers of 32 bytes or one of 64, at 3 times 32 bytes.
    let text = |write: u32, read: u32, offset: u32| {
        format!(
            "(W) send.dc0 (16|M0) null r0 r10:{} 0x0 {:#x}
             (W) send.dc0 (16|M0) r20 r0 null:0 0x0 {:#x} {{A@1}}",
            write >> 8,
            0x020f_0000 | (write & 3) << 12 | offset,
            0x020c_0000 | (read & 3) << 12 | (read >> 8) << 20 | offset,
        )
    };
    for (generation, registers) in [(Generation::XeHpg, 2), (Generation::XeHpc, 1)] {
        let (stage, space) = stage(generation);
        let stage = stage.with(0, &header(STATE)).with(10, &spilled(16));
        let access = registers << 8 | 1;
        let after = stage.run(&text(access, access, 3));
        check(&space, 96, &spilled(16));
        let at = 20 * stage.machine.register_bytes();
        assert_eq!(after[at..at + 64], spilled(16));
        let fault = stage.fault(&text(access, access, 63)).why;
        assert!(fault.contains("a block behind the end of scratch space"), "{fault}");
        let other = stage.with(0, &header(STATE + 64));
        let fault = other.fault(&text(access, access, 3)).why;
        assert!(fault.contains("no surface at the state 0x200 bytes behind the base of states"), "{fault}");
    }
}

#[test]
fn threads_without_a_part_of_the_surface_are_faults() {
    let (mut stage, _) = stage(Generation::XeHpg);
    stage.hardware_thread = 3;
    let stage = stage.with(0, &header(STATE));
    let fault = stage.fault("(W) send.dc0 (16|M0) r20 r0 null:0 0x0 0x021c0000").why;
    assert!(fault.contains("no scratch space for thread 3 of the device"), "{fault}");
}

#[test]
fn vectors_of_scratch_space_lie_at_an_address_and_an_offset() {
    let (stage, space) = stage(Generation::Xe2);
    // From 64 KiB on, in the form of the compiler, minus 0xff40.
    let stage = stage.with(5, &bytes(&[0x1_0000])).with(10, &spilled(32)).with(6, &bytes(&[STATE << 4]));
    let after = stage.run(
        "(W) shr (1|M0) a0.2<1>:ud r6.0<0;1,0>:ud 4:ud
         (W) send.ugm (1|M0) null r5 r10:2 0x80600000:a0.2 0x4200E504 {A@1}
         (W) send.ugm (1|M0) r20 r5 null:0 0x80600000:a0.2 0x4220E500 {A@1,$1}
         (W) mov (16|M0) r30.0<1>:ud r20.0<1;1,0>:ud {$1.dst}",
    );
    check(&space, 0xc0, &spilled(32));
    assert_eq!(dwords(&after, 2 * 20, 32), (1..=32).collect::<Vec<_>>());
    let fault = stage.fault("(W) send.ugm (1|M0) r20 r5 null:0 a0.2 0x4220E500").why;
    assert!(fault.contains("no surface at the state 0x0 bytes behind the base of states"), "{fault}");
}
