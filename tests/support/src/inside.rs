//! The instructions of a thread whose blocks of surfaces in buffers are all inside of the surfaces.

use cm::Target;
use cm::compiler::ops::Texel;
use cm::ir::{Function, ParamKind, Type};
use cm::spirv::{LINEAR_PITCH, LinearShape};

use crate::arguments::Argument;
use crate::emulator::Emulator;
use crate::noise::bytes;

/// Bytes of a buffer.
const BUFFER: usize = 1 << 16;

/// The instructions that the second thread in the second row executes, on surfaces that are much larger than its blocks.
/// All numbers are 1, so loops that count to them have one round. `None` if the kernel has no surfaces, or parameters of
/// other kinds before them.
pub fn inside(emulator: &Emulator, (kernel, target, device): (&Function, Target, &str)) -> Option<u64> {
    let is_surface = |kind: ParamKind| matches!(kind, ParamKind::Surface { .. });
    let count = kernel.params.iter().take_while(|param| is_surface(param.kind)).count();
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
    let bytes = bytes(pitch * height, 1);
    let surfaces = vec![(shape, &bytes[..]); count];
    let other = |kind: ParamKind| match kind {
        ParamKind::Buffer { .. } => Some(Argument::Buffer(bytes[..BUFFER].to_vec())),
        ParamKind::Uniform { elem, rows: 1, columns: 1 } => {
            let one = if elem.is_float() { 1f32.to_le_bytes() } else { 1u32.to_le_bytes() };
            Some(Argument::Uniform(Type::scalar(elem), one.to_vec()))
        }
        _ => None,
    };
    let others =
        kernel.params.iter().skip(count).map(|param| other(param.kind)).collect::<Option<Vec<_>>>()?;
    if count == 0 {
        return None;
    }
    let count = |grid| emulator.run_on_rows((kernel, target, device), grid, &surfaces, &others).1;
    // Without the threads of the first row and of the first column, which both have the first thread.
    Some(count((2, 2)) + count((1, 1)) - count((2, 1)) - count((1, 2)))
}
