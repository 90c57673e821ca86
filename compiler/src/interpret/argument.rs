//! The arguments of an interpreted function, and the errors that stop it.

use std::fmt;

use thiserror::Error;

use crate::ir::{BarrierFault, Grid, Location, Type};
use crate::ops::Texel;
use crate::verify::VerifyError;

/// A surface: rows of bytes, with an edge rule. A 3-D surface is the rows of all its slices.
pub trait InterpretSurface: fmt::Debug {
    /// Fills `row` with the bytes from column `x` of row `y`; positions outside repeat the edge texel.
    fn read_row(&self, x: i32, y: i32, row: &mut [u8]);
    /// Stores `row` at column `x` of row `y`; bytes outside are dropped.
    fn write_row(&mut self, x: i32, y: i32, row: &[u8]);
    /// How its texels lie, and how many there are in a row, in a column, and one behind the other: the slices of a 3-D
    /// surface, whose rows follow each other; 1 on 2-D surfaces. A surface without texels has none of them inside.
    fn texels(&self) -> (Texel, [u32; 3]) {
        (Texel::Byte, [0; 3])
    }
}

/// A buffer: bytes by their offset.
pub trait InterpretBuffer: fmt::Debug {
    /// The number of its bytes.
    fn size(&self) -> usize;
    /// Fills `bytes` with the bytes from `offset` on; bytes outside are 0.
    fn read(&self, offset: u32, bytes: &mut [u8]);
    /// Stores `bytes` from `offset` on; bytes outside are dropped.
    fn write(&mut self, offset: u32, bytes: &[u8]);
}

/// An argument of an interpreted function.
#[non_exhaustive]
pub enum InterpretArg<'a> {
    /// A surface.
    Surface(&'a mut dyn InterpretSurface),
    /// A buffer.
    Buffer(&'a mut dyn InterpretBuffer),
    /// A value that is the same for all threads.
    Uniform {
        /// Its type.
        ty: Type,
        /// Its elements, row by row, the lowest byte of each first.
        bytes: &'a [u8],
    },
}

impl fmt::Debug for InterpretArg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Surface(surface) => f.debug_tuple("Surface").field(surface).finish(),
            Self::Buffer(buffer) => f.debug_tuple("Buffer").field(buffer).finish(),
            Self::Uniform { ty, bytes } => {
                f.debug_struct("Uniform").field("ty", ty).field("bytes", bytes).finish()
            }
        }
    }
}

/// The error that stopped an interpreted function.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum InterpretError {
    /// The number of arguments.
    #[error("{found} arguments for {expected} parameters")]
    ArgumentCount {
        /// Parameters of the function.
        expected: usize,
        /// Arguments.
        found: usize,
    },
    /// An argument that does not fit its parameter.
    #[error("the argument `{param}` is not what the kernel takes")]
    Argument {
        /// The name of the parameter.
        param: String,
    },
    /// A loop does not end, or runs for too long.
    #[error("{location}: still running after {budget} instructions")]
    Budget {
        /// The next instruction.
        location: Location,
        /// The maximum number of instructions.
        budget: u64,
    },
    /// Threads of a group that do not reach the same barrier.
    #[error(transparent)]
    Barrier(Box<BarrierFault<Location>>),
    /// The offset of a region is too large.
    #[error("{location}: the region reaches element {position} of {count}")]
    RegionOutside {
        /// The instruction.
        location: Location,
        /// The element.
        position: usize,
        /// Elements of the object.
        count: usize,
    },
    /// There is no such group.
    #[error(
        "{:?} groups of {:?} threads have no group {group}: sizes are at least 1, a group and each axis have fewer than \
         2^32 threads, and groups are numbered from 0",
        grid.groups, grid.local
    )]
    NoGroup {
        /// The groups and their threads.
        grid: Grid,
        /// The number of the group.
        group: usize,
    },
    /// There is no such thread.
    #[error("the thread space has no thread {}, {}", origin[0], origin[1])]
    NoThread {
        /// The coordinates.
        origin: [u32; 2],
    },
    /// A function that [`verify`](crate::verify::verify()) refuses.
    #[error(transparent)]
    NotVerified(#[from] VerifyError),
    /// An instruction without a meaning. Verified functions have none.
    #[error("{location}: {what}; please report this")]
    Meaningless {
        /// The instruction.
        location: Location,
        /// The error.
        what: String,
    },
}

pub(super) type Result<T> = std::result::Result<T, InterpretError>;

/// A value: the bits of its elements. A condition is one element, 0 or 1.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) ty: Type,
    pub(super) bits: Vec<u64>,
}

impl Object {
    pub(super) fn condition(x: bool) -> Self {
        Self { ty: Type::CONDITION, bits: vec![x.into()] }
    }
}

impl From<BarrierFault<Location>> for InterpretError {
    fn from(fault: BarrierFault<Location>) -> Self {
        Self::Barrier(Box::new(fault))
    }
}
