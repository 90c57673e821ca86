//! All executions of a kernel.

use cm::interpret::{InterpretArg, interpret};
use cm::ir::{Function, Type};
use cm::prelude::*;
use cm::spirv::lower_in_form;
use cm::text::parse;
use cm::verify::verify;
use cm_test_support::emulator::Emulator;
use cm_test_support::memory::Linear;

/// The type of uniform arguments.
pub(crate) type Uniform = u32;

pub(crate) fn bytes_of<T: Elem>(elements: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(elements).to_vec()
}

/// The contents of the last buffer after the kernel was interpreted, and after the machine code of each of
/// its forms on Gen9 was executed.
pub(crate) fn executions(
    function: &Function,
    (width, height): (u32, u32),
    buffers: &[Vec<u8>],
    uniforms: &[Uniform],
) -> Vec<(String, Vec<u8>)> {
    verify(function).unwrap();
    assert_eq!(parse(&function.to_string()).as_ref(), Ok(function));
    let mut memory: Vec<Linear> = buffers.iter().cloned().map(Linear::new).collect();
    let ty = Type::new(cm::elem::ElemType::U32, 1, 1);
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let mut args: Vec<_> = memory.iter_mut().map(|buffer| InterpretArg::Buffer(buffer)).collect();
        args.extend(uniforms.iter().map(|x| InterpretArg::Uniform { ty, bytes: bytemuck::bytes_of(x) }));
        interpret(function, &mut args, [x, y]).unwrap();
    }
    let mut found = vec![("interpreted".into(), memory.pop().unwrap().into_bytes())];
    if let Some(emulator) = Emulator::find() {
        let before: Vec<&[u8]> = buffers.iter().map(|bytes| &bytes[..]).collect();
        let arguments: Vec<Vec<u8>> = uniforms.iter().map(|x| bytemuck::bytes_of(x).to_vec()).collect();
        for target in [Target::Gen9, Target::XeHpc] {
            let module = lower_in_form(function, target, Target::Gen9).unwrap();
            let grid = (width as usize, height as usize);
            let mut after =
                emulator.run_on_buffers((&module, "skl"), &function.name, grid, &before, &arguments);
            found.push((format!("executed in the form for {target}"), after.pop().unwrap()));
        }
    }
    found
}

/// Launches a kernel with buffers and numbers, interprets and executes it, and compares the last buffer with
/// the expected contents.
macro_rules! check {
    ($kernel:ty, $space:expr, [$($input:expr),*], $output:expr, [$($uniform:expr),*], $expected:expr) => {{
        let space: (u32, u32) = $space;
        let output = $output;
        let before = vec![$($crate::subgroups::executions::bytes_of(&$input),)* $crate::subgroups::executions::bytes_of(&output)];
        let function = <$kernel>::ir().unwrap();
        let mut found =
            $crate::subgroups::executions::executions(&function, space, &before, &[$($uniform),*]);
        for device in cm_test_support::devices::devices(2) {
            let mut buffer = Buffer::from_slice(&device, &output).unwrap();
            let threads = ThreadSpace::new(space.0 as usize, space.1 as usize).unwrap();
            <$kernel>::launch(
                &device,
                threads,
                $(&Buffer::from_slice(&device, &$input).unwrap(),)*
                &mut buffer,
                $($uniform,)*
            )
            .unwrap();
            let how = format!("launched on {}", device.name());
            found.push((how, $crate::subgroups::executions::bytes_of(&buffer.to_vec().unwrap())));
        }
        let expected = $expected;
        for (how, bytes) in found {
            let elements = expected.iter().zip(bytes.chunks(size_of_val(&expected[0])));
            for (n, (want, got)) in elements.enumerate() {
                assert_eq!(
                    bytemuck::bytes_of(want), got,
                    "{}, {how}: element {n}, expected {want}\n{function}", stringify!($kernel),
                );
            }
            assert_eq!(bytes.len(), size_of_val(&expected[..]));
        }
    }};
}
pub(crate) use check;
