//! What each kernel thread has to itself.

use cm_compiler::access::{Footprint, Segment, Space, Summary};
use smallvec::SmallVec;

use crate::thread_space::ThreadSpace;

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

/// What each kernel thread has to itself of an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// All that it may do to one that is not written.
    Any,
    /// Of a surface.
    Surface(Footprint),
    /// Of a buffer.
    Buffer(Segment),
}

/// A surface in a thread space.
pub(crate) fn extent(space: ThreadSpace, surface_width: usize, surface_height: usize) -> Space {
    Space { width: space.width(), height: space.height(), surface_width, surface_height }
}

/// What each kernel thread has to itself of every argument; `None` where that is not proven of all.
pub(crate) fn parts(
    summary: &Summary,
    space: ThreadSpace,
    args: impl Iterator<Item = Shared>,
) -> Option<SmallVec<[Part; INLINE]>> {
    args.enumerate()
        .map(|(argument, shared)| match shared {
            Shared::Constant => Some(Part::Any),
            Shared::Surface(width, height) => {
                summary.footprint(argument, extent(space, width, height)).map(Part::Surface)
            }
            Shared::Buffer => summary.segment(argument, space.width(), space.height()).map(Part::Buffer),
        })
        .collect()
}
