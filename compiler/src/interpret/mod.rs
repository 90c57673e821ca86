//! A slow and simple interpreter of recorded kernels, for tests: it runs one kernel thread, or a group of them.
//!
//! It shares no arithmetic with the CPU backend, so that tests can compare the two. Elements are kept as
//! bits.

mod access;
mod argument;
pub(crate) mod constants;
pub mod element;
mod group;
mod half;
mod product;
mod thread;
mod turns;

use argument::Result;
pub use argument::{InterpretArg, InterpretBuffer, InterpretError, InterpretSurface};

use crate::ir::{DependencyPattern, Function, Grid, Member, ParamKind, Type, Waves};
use crate::verify::verify;

/// The largest number of instructions and loop iterations that [`interpret`] executes.
pub const BUDGET: u64 = 1 << 22;

/// Runs a function for the kernel thread at `origin`, for at most [`BUDGET`] instructions. Its output goes to
/// the standard output.
///
/// # Errors
/// If [`verify`](crate::verify::verify()) refuses the function, if the arguments do not fit, if a loop does not end, if the
/// offset of a region is too large, or if a coordinate is the largest `u32`.
pub fn interpret(function: &Function, args: &mut [InterpretArg<'_>], origin: [u32; 2]) -> Result<()> {
    interpret_within(function, args, origin, BUDGET)
}

/// [`interpret`] with another budget.
///
/// # Errors
/// See [`interpret`].
pub fn interpret_within(
    function: &Function,
    args: &mut [InterpretArg<'_>],
    origin: [u32; 2],
    budget: u64,
) -> Result<()> {
    interpret_printing(function, args, origin, budget, &mut |line| println!("{line}"))
}

/// [`interpret_within`] with a function that receives the printed lines.
///
/// # Errors
/// See [`interpret`].
pub fn interpret_printing(
    function: &Function,
    args: &mut [InterpretArg<'_>],
    origin: [u32; 2],
    budget: u64,
    print: &mut dyn FnMut(String),
) -> Result<()> {
    check(function, args)?;
    // A thread space that ends with this thread.
    let [Some(width), Some(height)] = origin.map(|coordinate| coordinate.checked_add(1)) else {
        return Err(InterpretError::NoThread { origin });
    };
    let grid = Grid::single([width, height, 1]);
    turns::run(function, args, (grid, grid.group_count() - 1), &Member::alone(), (budget, print))
}

/// Runs a function for all threads of a thread space with this number of columns and rows, wave by wave of a
/// dependency pattern, for at most `budget` instructions per thread. `print` receives the printed lines. Without
/// dependencies threads run row by row.
///
/// # Errors
/// See [`interpret`].
pub fn interpret_space(
    function: &Function,
    args: &mut [InterpretArg<'_>],
    size: [u32; 2],
    dependencies: DependencyPattern,
    budget: u64,
    print: &mut dyn FnMut(String),
) -> Result<()> {
    check(function, args)?;
    let [width, height] = size;
    if dependencies == DependencyPattern::NONE {
        let grid = Grid::single([width, height, 1]);
        let mut groups = 0..grid.group_count();
        return groups.try_for_each(|group| {
            turns::run(function, args, (grid, group), &Member::alone(), (budget, &mut *print))
        });
    }
    interpret_waves(function, args, size, &Waves::new(dependencies, size), budget, print)
}

/// Runs a function for all threads of a thread space with this number of columns and rows, one wave after the
/// other. The rest is as for [`interpret_space`].
///
/// # Errors
/// See [`interpret`]; and if the waves are of a larger thread space.
pub fn interpret_waves(
    function: &Function,
    args: &mut [InterpretArg<'_>],
    size: [u32; 2],
    waves: &Waves,
    budget: u64,
    print: &mut dyn FnMut(String),
) -> Result<()> {
    check(function, args)?;
    let [width, height] = size;
    let grid = Grid::single([width, height, 1]);
    for line in (0..waves.count()).flat_map(|wave| waves.lines(wave)) {
        for [x, y] in (0..line.count).map(|n| line.origin(n)) {
            if x >= width || y >= height {
                return Err(InterpretError::NoThread { origin: [x, y] });
            }
            let group = y as usize * width as usize + x as usize;
            turns::run(function, args, (grid, group), &Member::alone(), (budget, &mut *print))?;
        }
    }
    Ok(())
}

/// Runs a function for all threads of a group, given by its number in raster order, for at most `budget`
/// instructions per thread. `print` receives the printed lines.
///
/// # Errors
/// See [`interpret`]; and if the grid has no such group.
pub fn interpret_group(
    function: &Function,
    args: &mut [InterpretArg<'_>],
    grid: Grid,
    group: usize,
    budget: u64,
    print: &mut dyn FnMut(String),
) -> Result<()> {
    check(function, args)?;
    if !grid.has_group(group) {
        return Err(InterpretError::NoGroup { grid, group });
    }
    turns::run(function, args, (grid, group), &Member::default(), (budget, print))
}

/// Checks the function, and that the arguments match its parameters.
fn check(function: &Function, args: &[InterpretArg<'_>]) -> Result<()> {
    verify(function)?;
    let expected = function.passed().count();
    if args.len() != expected {
        return Err(InterpretError::ArgumentCount { expected, found: args.len() });
    }
    for (param, arg) in function.passed().zip(args) {
        let fits = match (param.kind, arg) {
            (
                ParamKind::Surface { .. } | ParamKind::Surface3d { .. } | ParamKind::View { .. },
                InterpretArg::Surface(_),
            )
            | (ParamKind::Buffer { .. }, InterpretArg::Buffer(_)) => true,
            (ParamKind::Uniform { elem, rows, columns }, InterpretArg::Uniform { ty, bytes }) => {
                *ty == Type::new(elem, rows, columns) && bytes.len() == ty.bytes()
            }
            _ => false,
        };
        if !fits {
            return Err(InterpretError::Argument { param: param.name.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod bytes;
#[cfg(test)]
pub(crate) mod cases;
#[cfg(test)]
mod tests;
