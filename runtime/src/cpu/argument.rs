//! The arguments of a launch and their memory.

use cm_compiler::ir::{Function, View};
use smallvec::SmallVec;

use super::buffer_borrow::BufferBorrow;
use super::surface_borrow::SurfaceBorrow;
use crate::parts::{INLINE, Part, Shared};

/// An argument on the CPU.
#[derive(Debug)]
pub(crate) enum Argument<'a> {
    Surface(SurfaceBorrow<'a>),
    Buffer(BufferBorrow<'a>),
    /// The elements of a value, row by row.
    Uniform(&'a [u8]),
}

impl Argument<'_> {
    /// Limits each thread to its part.
    pub(super) fn divide(&mut self, place: usize, part: Part) {
        match (self, part) {
            (Self::Surface(surface), Part::Surface(footprint)) => surface.divide(place, footprint),
            (Self::Buffer(buffer), Part::Buffer(segment)) => buffer.divide(segment),
            (Self::Surface(surface), Part::Surface3d(footprint)) => surface.divide_slices(place, footprint),
            (Self::Surface(surface), Part::InWave(own)) => surface.divide_in_waves(place, own),
            (Self::Buffer(buffer), Part::InWave(own)) => buffer.divide_in_waves(own),
            _ => {}
        }
    }

    /// Notes how many threads share it.
    pub(super) fn shared_by(&mut self, threads: [usize; 3]) {
        if let Self::Surface(surface) = self {
            surface.shared_by(threads);
        }
    }

    /// The same argument; valid until this one is freed.
    pub(super) fn again(&self) -> Argument<'_> {
        match self {
            Self::Surface(surface) => Argument::Surface(surface.again()),
            Self::Buffer(buffer) => Argument::Buffer(buffer.again()),
            Self::Uniform(bytes) => Argument::Uniform(bytes),
        }
    }
}

/// Memory of an argument: a part of a surface, or all of another one.
pub(super) struct Piece {
    pub(super) argument: usize,
    /// The part.
    pub(super) place: usize,
    /// The parameter through which the kernel accesses it, if there is one.
    pub(super) param: Option<usize>,
    pub(super) shared: Shared,
}

/// The memory of all arguments. Buffers of up to `copied` bytes may be copied.
pub(super) fn pieces(function: &Function, args: &[Argument<'_>], copied: usize) -> SmallVec<[Piece; INLINE]> {
    let mut pieces = SmallVec::new();
    for (argument, arg) in args.iter().enumerate() {
        let mut whole = |shared| pieces.push(Piece { argument, place: 0, param: Some(argument), shared });
        match arg {
            Argument::Surface(surface) => {
                pieces.extend(surface.sharing().enumerate().map(|(place, (view, shared))| {
                    let param = function.shows(View { of: argument, ..view });
                    Piece { argument, place, param, shared }
                }));
            }
            Argument::Buffer(buffer) => whole(buffer.sharing(copied)),
            Argument::Uniform(_) => whole(Shared::Constant),
        }
    }
    pieces
}
