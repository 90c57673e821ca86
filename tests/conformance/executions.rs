//! All executions of a kernel whose threads form a row: in the interpreter and on each device.

use cm::interpret::{InterpretArg, interpret};
use cm::ir::Function;
use cm::prelude::*;
use cm_test_support::devices::devices;
use cm_test_support::memory::Linear;
use cm_test_support::numbers::elements;

/// The contents of the last buffer, of `len` elements, after each execution, with the name of the execution.
/// The kernel takes the `inputs` before the last buffer; `launch` runs it on a device.
pub(crate) fn executions<U: Elem>(
    function: &Function,
    inputs: &[&[u8]],
    (threads, len): (usize, usize),
    launch: impl Fn(&Device, ThreadSpace, &mut Buffer<U>) -> cm::Result<Event>,
) -> Vec<(String, Vec<U>)> {
    let mut buffers: Vec<Linear> = inputs.iter().map(|bytes| Linear::new(bytes.to_vec())).collect();
    buffers.push(Linear::new(vec![0; len * size_of::<U>()]));
    for x in 0..threads as u32 {
        let mut args: Vec<InterpretArg<'_>> =
            buffers.iter_mut().map(|buffer| InterpretArg::Buffer(buffer)).collect();
        interpret(function, &mut args, [x, 0]).unwrap();
    }
    let written = buffers.pop().expect("the last buffer").into_bytes();
    let mut found = vec![("the interpreter".to_owned(), elements(&written))];
    for device in devices(1) {
        let mut out = Buffer::<U>::new(&device, len).unwrap();
        launch(&device, ThreadSpace::new(threads, 1).unwrap(), &mut out).unwrap();
        found.push((device.name().to_owned(), out.to_vec().unwrap()));
    }
    found
}
