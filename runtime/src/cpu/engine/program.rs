//! A recorded kernel, ready to run: its registers have places, and its operations are functions.

use cm_compiler::ir::{Bits, Field, Label, Location, Plane, ThreadId};
use cm_compiler::ops::{AccessSpec, SyncKind};
use cm_compiler::printf::Template;

use super::elements::{Change, Compute};
use super::rows::BEYOND;

/// Where a register is in the arena. The elements of a thread are aligned to their size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    /// Bytes before it, for each kernel thread that runs.
    pub(super) bytes: usize,
    /// Registers before it, each of which has [`BEYOND`] bytes more.
    pub(super) registers: usize,
}

impl Slot {
    /// The byte of the arena where it starts, for so many threads.
    pub(super) fn start(self, threads: usize) -> usize {
        self.bytes * threads + self.registers * BEYOND
    }

    /// The place of an element that has so many bytes of each thread before it.
    pub(super) fn at(self, byte: usize) -> Self {
        Self { bytes: self.bytes + byte, ..self }
    }

    /// The place of a register of which an element that has so many bytes before it is here.
    pub(super) fn before(self, byte: usize) -> Self {
        Self { bytes: self.bytes - byte, ..self }
    }
}

/// The elements of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    /// How many.
    pub(super) count: usize,
    /// The bytes of each. A condition is one byte, 0 or 1.
    pub(super) size: usize,
}

impl Shape {
    pub(super) fn bytes(self) -> usize {
        self.count * self.size
    }
}

/// Elements that are copied from a register to another: neighbours in both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) count: usize,
}

/// Elements of a register that are read or replaced.
#[derive(Debug)]
pub(super) enum Part {
    /// These runs, of the register to the part or the other way round.
    Known(Box<[Run]>),
    /// The same, from a `u32` element on that each thread has: at most `last`, since the runs lie inside then.
    From { start: Slot, last: usize, runs: Box<[Run]> },
}

/// An instruction.
#[derive(Debug)]
pub(super) enum Step {
    /// A register from others, row by row. A row has `count` elements; the pitches are the bytes of a thread from a
    /// row to the next one, first those of the result.
    Compute {
        run: Compute,
        to: Slot,
        from: [Slot; 3],
        count: usize,
        other: usize,
        rows: usize,
        pitches: [usize; 4],
    },
    /// A register as it is.
    Copy { to: Slot, from: Slot, bytes: usize },
    /// A register of zeros.
    Clear { to: Slot, bytes: usize },
    /// A variable gets a value, in the threads that are here. If not all are, `run` stores rows of elements: its
    /// operands are a byte of each element, 0 or 1, and the rows.
    Store { run: Compute, to: Slot, from: Slot, shape: Shape },
    /// A number that threads know about themselves.
    Thread { to: Slot, id: ThreadId },
    /// All elements as one: the upper ones are combined with the first ones, until one is left. It takes two more
    /// registers of the same size.
    Reduce { run: Compute, to: Slot, from: Slot, spare: [Slot; 2], shape: Shape },
    /// Part of a register.
    Region { to: Slot, from: Slot, part: Part, size: usize },
    /// A part of a register is replaced.
    Insert { to: Slot, value: Slot, part: Part, size: usize },
    /// An access to memory.
    Access(Access),
    /// The time.
    Clock { to: Slot },
    /// A barrier, or half of one.
    Sync { kind: SyncKind, at: &'static Location },
    /// A line.
    Print { template: &'static Template, values: Box<[Shown]> },
    /// One of two blocks.
    If { condition: Slot, then: Box<[Step]>, otherwise: Box<[Step]> },
    /// The first block, and the second one as long as the condition holds.
    Loop { first: Box<[Step]>, condition: Slot, body: Box<[Step]> },
    /// A block that breaks leave.
    Labelled { label: Label, body: Box<[Step]> },
    /// Leaves the block of a label.
    Break(Label),
}

/// An access to the memory of a parameter.
#[derive(Debug)]
pub(super) struct Access {
    pub(super) spec: AccessSpec,
    pub(super) param: usize,
    /// Coordinates, a byte, the numbers of elements, or a picture and coordinates.
    pub(super) address: [Slot; 5],
    /// What is written, or the sources of a change.
    pub(super) data: [Slot; 2],
    /// What is read.
    pub(super) to: Slot,
    pub(super) shape: Shape,
    /// Elements of a row of the block.
    pub(super) columns: usize,
    /// What an atomic operation makes of an element.
    pub(super) change: Option<Change>,
    pub(super) at: &'static Location,
}

/// A value that is printed.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) slot: Slot,
    pub(super) shape: Shape,
    pub(super) elem: cm_compiler::elem::ElemType,
    pub(super) columns: usize,
}

/// Memory that a parameter is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Part of the surface that is argument `of`.
    Surface { of: usize, plane: Plane, field: Option<Field> },
    /// The buffer that is this argument.
    Buffer(usize),
    /// An array of the group, of so many bytes.
    Shared(usize),
    /// None: a value.
    Value,
}

/// A kernel that is ready to run.
#[derive(Debug)]
pub(in crate::cpu) struct Program {
    pub(super) body: Box<[Step]>,
    /// The end of the arena.
    pub(super) end: Slot,
    /// Registers that do not change.
    pub(super) constants: Vec<(Slot, Shape, &'static Bits)>,
    /// Registers that arguments are, by their number.
    pub(super) arguments: Vec<(Slot, Shape, usize)>,
    pub(super) places: Box<[Place]>,
    /// The most bytes of an access, for each kernel thread.
    pub(super) staged: usize,
}
