//! What each group of kernel threads has to itself.

use cm_compiler::access::{Footprint, Segment, Space, Summary};
use cm_compiler::ir::Grid;
use smallvec::SmallVec;

/// Arguments of which a launch on the CPU needs no allocation.
pub(crate) const INLINE: usize = 16;

/// An argument, as far as threads may get in each other's way there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shared {
    /// It is not written.
    Constant,
    /// A surface that is written: bytes of a row, and rows.
    Surface(usize, usize),
    /// A buffer that is written.
    Buffer,
}

/// What each group of kernel threads has to itself of an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// All that it may do to one that is not written.
    Any,
    /// Of a surface.
    Surface(Footprint),
    /// Of a buffer.
    Buffer(Segment),
}

/// What each group of kernel threads has to itself of every argument, by its parameter; `None` where that is not
/// proven of all.
pub(crate) fn parts(
    summary: &Summary,
    grid: Grid,
    args: impl Iterator<Item = (usize, Shared)>,
) -> Option<SmallVec<[Part; INLINE]>> {
    args.map(|(param, shared)| match shared {
        Shared::Constant => Some(Part::Any),
        Shared::Surface(width, height) => summary
            .footprint(param, Space { grid, surface_width: width, surface_height: height })
            .map(Part::Surface),
        Shared::Buffer => summary.segment(param, grid).map(Part::Buffer),
    })
    .collect()
}
