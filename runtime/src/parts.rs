//! What each group of kernel threads may do to the arguments while others run.

use cm_compiler::access::{Footprint, Neighbourhood, Segment, Space, Summary};
use cm_compiler::ir::{Grid, Waves};
use smallvec::SmallVec;

/// Arguments of which a launch on the CPU needs no allocation.
pub(crate) const INLINE: usize = 16;

/// An argument, as far as threads may get in each other's way there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shared {
    /// It is not written.
    Constant,
    /// A surface that is written: bytes of a row, rows, and the bytes that repeat beyond the edges.
    Surface(usize, usize, usize),
    /// A buffer that is written.
    Buffer,
}

/// What a group of kernel threads may do to an argument while others run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// All that it may do to one that is not written.
    Any,
    /// What it has to itself of a surface.
    Surface(Footprint),
    /// What it has to itself of a buffer.
    Buffer(Segment),
    /// What no other thread of its wave writes.
    InWave(Neighbourhood),
}

/// What each group of kernel threads may do to every argument while others run, all of them or those of its wave.
///
/// # Errors
/// The first argument for which it is not proven that they do not disturb each other there.
pub(crate) fn parts(
    summary: &Summary,
    grid: Grid,
    waves: Option<&Waves>,
    args: impl Iterator<Item = Shared>,
) -> Result<SmallVec<[Part; INLINE]>, usize> {
    let part = |argument, shared| match (shared, waves) {
        (Shared::Constant, _) => Some(Part::Any),
        (Shared::Surface(width, height, period), _) => {
            let space = Space { grid, surface_width: width, surface_height: height };
            match waves {
                None => summary.footprint(argument, space).map(Part::Surface),
                Some(waves) => summary.neighbourhood(argument, space, period, waves).map(Part::InWave),
            }
        }
        (Shared::Buffer, None) => summary.segment(argument, grid).map(Part::Buffer),
        (Shared::Buffer, Some(waves)) => {
            summary.buffer_neighbourhood(argument, grid, waves).map(Part::InWave)
        }
    };
    args.enumerate().map(|(argument, shared)| part(argument, shared).ok_or(argument)).collect()
}
