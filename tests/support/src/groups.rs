//! Runs thread groups in the interpreter.

use cm::compiler::elem::ElemType;
use cm::interpret::{BUDGET, InterpretArg, InterpretError, interpret_group};
use cm::ir::{Function, Grid, Type};

use crate::memory::Linear;

/// The buffers of a kernel after the interpreter has run all groups; `before` is their initial contents.
///
/// # Errors
/// Those of the interpreter.
pub fn interpreted(
    function: &Function,
    space: ([usize; 3], [usize; 3]),
    before: Vec<Vec<u8>>,
) -> Result<Vec<Vec<u8>>, InterpretError> {
    run(function, space, before, None)
}

/// The same for a kernel with buffers and then a `u32`.
///
/// # Errors
/// Those of the interpreter.
pub fn interpreted_with(
    function: &Function,
    space: ([usize; 3], [usize; 3]),
    before: Vec<Vec<u8>>,
    number: [u8; 4],
) -> Result<Vec<Vec<u8>>, InterpretError> {
    run(function, space, before, Some(&number))
}

fn run(
    function: &Function,
    (groups, local): ([usize; 3], [usize; 3]),
    before: Vec<Vec<u8>>,
    number: Option<&[u8; 4]>,
) -> Result<Vec<Vec<u8>>, InterpretError> {
    let [groups, local] = [groups, local].map(|numbers| numbers.map(|n| n as u32));
    let grid = Grid { groups, local };
    let mut buffers: Vec<Linear> = before.into_iter().map(Linear::new).collect();
    for group in 0..grid.group_count() {
        let mut args: Vec<_> = buffers.iter_mut().map(|buffer| InterpretArg::Buffer(buffer)).collect();
        let ty = Type::scalar(ElemType::U32);
        args.extend(number.map(|bytes| InterpretArg::Uniform { ty, bytes }));
        interpret_group(function, &mut args, grid, group, BUDGET, &mut |line| println!("{line}"))?;
    }
    Ok(buffers.into_iter().map(Linear::into_bytes).collect())
}
