//! Executions of a kernel with an input, an output and a position: on the CPU, interpreted, and as machine
//! code for Gen9.

use cm::interpret::{InterpretArg, interpret};
use cm::ir::{Function, Type};
use cm::prelude::*;
use cm::spirv::lower;
use cm::text::parse;
use cm::verify::verify;
use cm::{Error, LevelZeroError};

use super::model::Picture;
use cm_test_support::devices::{level_zero, takes};
use cm_test_support::emulator::{Emulator, Run};
use cm_test_support::memory::Memory;

/// `launch` of such a kernel.
pub(crate) type Launch = fn(&Device, ThreadSpace, &Surface2D, &mut Surface2D, i32, i32) -> cm::Result<Event>;

pub(crate) fn surface(device: &Device, picture: &Picture) -> Surface2D {
    let texels = picture.width / picture.format.texel_bytes();
    Surface2D::from_bytes(device, picture.format, texels, picture.height, &picture.bytes).unwrap()
}

/// The bytes of the output after a launch of one thread, on the CPU and by Level Zero if it has a device that
/// [takes] the example.
pub(crate) fn launched(
    launch: Launch,
    input: &Picture,
    output: &Picture,
    (x, y): (i32, i32),
    example: usize,
) -> Vec<u8> {
    let on = |device: &Device| {
        let mut written = surface(device, output);
        let one = ThreadSpace::new(1, 1).unwrap();
        launch(device, one, &surface(device, input), &mut written, x, y)?;
        written.to_vec()
    };
    let bytes = on(&Device::cpu().unwrap()).unwrap();
    if let Some(gpu) = level_zero().filter(|gpu| takes(gpu, example)) {
        match on(gpu) {
            // Positions from arguments may be anywhere.
            Err(Error::LevelZero(LevelZeroError::PackedYuvEdge { .. })) => {
                assert!(input.format.is_packed_yuv() || output.format.is_packed_yuv());
            }
            found => assert!(found.unwrap() == bytes, "{} at ({x}, {y})", gpu.name()),
        }
    }
    bytes
}

/// The same for the recorded kernel.
pub(crate) fn interpreted(function: &Function, input: &Picture, output: &Picture, x: i32, y: i32) -> Vec<u8> {
    verify(function).unwrap();
    let memory = |picture: &Picture| {
        Memory::new(picture.format.texel_bytes(), picture.width, picture.height, &picture.bytes)
    };
    let (mut input, mut output) = (memory(input), memory(output));
    let (x, y) = (x.to_le_bytes(), y.to_le_bytes());
    let ty = Type::new(cm::elem::ElemType::I32, 1, 1);
    let mut args = [
        InterpretArg::Surface(&mut input),
        InterpretArg::Surface(&mut output),
        InterpretArg::Uniform { ty, bytes: &x },
        InterpretArg::Uniform { ty, bytes: &y },
    ];
    interpret(function, &mut args, [0, 0]).unwrap();
    output.bytes()
}

/// Checks that a recorded kernel equals its parsed text.
pub(crate) fn same_as_its_text(function: &Function) {
    assert_eq!(parse(&function.to_string()).as_ref(), Ok(function));
}

/// The same for its machine code. The output is initially dark.
pub(crate) fn executed(emulator: &Emulator, function: &Function, input: &Picture, x: i32, y: i32) -> Vec<u8> {
    let module = lower(function, Target::Gen9).unwrap();
    let run = Run {
        module: &module,
        device: "skl",
        kernel: &function.name,
        input: &input.bytes,
        pitch: input.width,
        rows: input.height,
        grid: (1, 1),
        arguments: &[x, y].map(|n| n.to_le_bytes().to_vec()),
    };
    emulator.run_with(&run, input.format.texel_bytes())
}
