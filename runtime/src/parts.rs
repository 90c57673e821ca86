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
    /// Of a part of a surface; `None` if the kernel does not access it.
    Surface(Option<Footprint>),
    /// Of a buffer.
    Buffer(Segment),
}

/// What each group of kernel threads has to itself of every argument and view, by the parameter that it is, if it is
/// one; `None` where that is not
/// proven of all.
pub(crate) fn parts(
    summary: &Summary,
    grid: Grid,
    args: impl Iterator<Item = (Option<usize>, Shared)>,
) -> Option<SmallVec<[Part; INLINE]>> {
    if summary.has_overlapping_views() {
        return None;
    }
    args.map(|(param, shared)| match shared {
        Shared::Constant => Some(Part::Any),
        Shared::Surface(width, height) => {
            let accessed = |param: &usize| summary.accesses().iter().any(|access| access.argument == *param);
            let Some(param) = param.filter(accessed) else { return Some(Part::Surface(None)) };
            let space = Space { grid, surface_width: width, surface_height: height };
            summary.footprint(param, space).map(|footprint| Part::Surface(Some(footprint)))
        }
        Shared::Buffer => summary.segment(param?, grid).map(Part::Buffer),
    })
    .collect()
}
