//! The accesses that each group of kernel threads may make to the arguments while others run.

use cm_compiler::access::{Footprint, Footprint3d, Merge, Neighbourhood, Segment, Space, Summary};
use cm_compiler::ir::{Grid, Waves};
use smallvec::SmallVec;

/// The number of arguments for which a launch on the CPU needs no allocation.
pub(crate) const INLINE: usize = 16;

/// An argument, with the properties that decide whether threads may conflict.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Shared {
    /// It is not written.
    Constant,
    /// A surface that is written: bytes of a row, rows, and the bytes that repeat beyond the edges.
    Surface(usize, usize, usize),
    /// A 3-D surface that is written: bytes of a row, rows of a slice, and bytes of a texel.
    Surface3d(usize, usize, usize),
    /// A buffer that is written, and whether threads may change copies of it.
    Buffer { copied: bool },
}

/// The accesses that a group of kernel threads may make to an argument while others run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// All reads: the argument is not written.
    Any,
    /// The group's own part of a surface; `None` if the kernel does not access it.
    Surface(Option<Footprint>),
    /// The group's own part of a 3-D surface.
    Surface3d(Footprint3d),
    /// The group's own part of a buffer.
    Buffer(Segment),
    /// A copy, which is later combined with the others.
    Copy(Merge),
    /// The part that no other thread of its wave writes; without waves, no other thread.
    InWave(Neighbourhood),
}

/// The accesses that each group of kernel threads may make to every argument and view, by parameter, while others run:
/// all other groups, or those of its wave.
///
/// # Errors
/// The first parameter for which it is not proven that groups do not conflict.
pub(crate) fn parts(
    summary: &Summary,
    grid: Grid,
    waves: Option<&Waves>,
    args: impl Iterator<Item = (Option<usize>, Shared)>,
) -> Result<SmallVec<[Part; INLINE]>, usize> {
    if let Some(param) = summary.overlapping_view() {
        return Err(param);
    }
    let unused = |param| !summary.accesses().iter().any(|access| access.argument == param);
    let space = |surface_width, surface_height, period| Space { grid, surface_width, surface_height, period };
    let part = |param, shared| match (shared, waves) {
        (Shared::Constant, _) => Some(Part::Any),
        (Shared::Surface(..) | Shared::Surface3d(..), _) if unused(param) => Some(Part::Surface(None)),
        (Shared::Surface(width, height, period), _) => {
            let space = space(width, height, period);
            let own = waves.is_none().then(|| summary.footprint(param, space)).flatten();
            own.map(|footprint| Part::Surface(Some(footprint)))
                .or_else(|| summary.neighbourhood(param, space, waves).map(Part::InWave))
        }
        (Shared::Surface3d(width, height, texel), _) => {
            let own = waves.is_none().then(|| summary.footprint_3d(param, grid, texel)).flatten();
            // Threads that access the same texels of any slices may conflict.
            let in_wave = || summary.neighbourhood(param, space(width, height, texel), waves);
            own.map(Part::Surface3d).or_else(|| in_wave().map(Part::InWave))
        }
        (Shared::Buffer { copied }, waves) => {
            let own = waves.is_none().then(|| summary.segment(param, grid)).flatten();
            let apart = own
                .map(Part::Buffer)
                .or_else(|| summary.buffer_neighbourhood(param, grid, waves).map(Part::InWave));
            apart.or_else(|| summary.merge(param).filter(|_| copied).map(Part::Copy))
        }
    };
    args.map(|(param, shared)| match param {
        Some(param) => part(param, shared).ok_or(param),
        // A part of a surface that the kernel does not use.
        None => Ok(Part::Surface(None)),
    })
    .collect()
}

/// Whether it is proven that threads of a group do not conflict in arguments of which groups have these parts.
pub(crate) fn threads_are_apart<'a>(
    summary: &Summary,
    grid: Grid,
    mut args: impl Iterator<Item = ((Option<usize>, Shared), &'a Part)>,
) -> bool {
    let space = |surface_width, surface_height, period| Space { grid, surface_width, surface_height, period };
    args.all(|((param, shared), part)| match (param, shared, part) {
        // The order of what changes copies does not affect the result.
        (None, ..) | (_, Shared::Constant, _) | (_, _, Part::Copy(_)) => true,
        (
            Some(param),
            Shared::Surface(width, height, period) | Shared::Surface3d(width, height, period),
            _,
        ) => summary.threads_are_apart(param, space(width, height, period)),
        (Some(param), Shared::Buffer { .. }, _) => summary.threads_are_apart_in_buffer(param, grid),
    })
}
