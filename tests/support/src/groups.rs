//! Runs thread groups in the interpreter.

use cm::interpret::{BUDGET, InterpretArg, InterpretError, interpret_group};
use cm::ir::{Function, Grid};

use crate::memory::Linear;

/// The buffers of a kernel after the interpreter has run all groups; `before` is their initial contents.
///
/// # Errors
/// Those of the interpreter.
pub fn interpreted(
    function: &Function,
    (groups, local): ([usize; 3], [usize; 3]),
    before: Vec<Vec<u8>>,
) -> Result<Vec<Vec<u8>>, InterpretError> {
    let [groups, local] = [groups, local].map(|numbers| numbers.map(|n| n as u32));
    let grid = Grid { groups, local };
    let mut buffers: Vec<Linear> = before.into_iter().map(Linear::new).collect();
    for group in 0..grid.group_count() {
        let mut args: Vec<_> = buffers.iter_mut().map(|buffer| InterpretArg::Buffer(buffer)).collect();
        interpret_group(function, &mut args, grid, group, BUDGET, &mut |line| println!("{line}"))?;
    }
    Ok(buffers.into_iter().map(Linear::into_bytes).collect())
}
