//! The instructions of a thread whose blocks of surfaces in buffers are all inside of the surfaces.

use cm::Target;
use cm::compiler::ops::Texel;
use cm::ir::{Function, Op, ParamKind};
use cm::spirv::{LINEAR_PITCH, LinearShape};

use crate::emulator::Emulator;
use crate::noise::stream;

/// The instructions that the second thread in the second row executes, on surfaces that are much larger than its blocks.
/// `None` if the kernel has other parameters than surfaces, or loops.
pub fn inside(emulator: &Emulator, (kernel, target, device): (&Function, Target, &str)) -> Option<u64> {
    let only_surfaces = kernel.params.iter().all(|param| matches!(param.kind, ParamKind::Surface { .. }));
    if !only_surfaces || kernel.body.instructions().any(|inst| matches!(inst.op, Op::Loop(..))) {
        return None;
    }
    let (pitch, height) = (16 * LINEAR_PITCH, 64);
    let shape = LinearShape {
        pitch,
        width: pitch,
        height,
        slices: None,
        period: 1,
        replaced: None,
        texel: Texel::Byte,
    };
    let mut next = stream(1);
    let bytes: Vec<u8> = (0..pitch * height).map(|_| (next() >> 7) as u8).collect();
    let surfaces = vec![(shape, &bytes[..]); kernel.params.len()];
    let count = |grid| emulator.run_on_rows((kernel, target, device), grid, &surfaces, &[]).1;
    // Without the threads of the first row and of the first column, which both have the first thread.
    Some(count((2, 2)) + count((1, 1)) - count((2, 1)) - count((1, 2)))
}
