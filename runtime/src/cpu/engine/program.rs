//! A recorded kernel that is ready to run: registers have places, and operations are functions.

use cm_compiler::ir::{Bits, Field, Label, Location, Plane, ThreadId};
use cm_compiler::ops::{AccessSpec, SyncKind};
use cm_compiler::printf::Template;

use super::elements::{Change, Compute};
use super::rows::BEYOND;

/// The place of a register in the arena. Elements are aligned to their size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    /// The bytes before it for each kernel thread that runs.
    pub(super) bytes: usize,
    /// The number of registers before it. Each of them has [`BEYOND`] more bytes.
    pub(super) registers: usize,
}

impl Slot {
    /// The byte of the arena at which it starts, for this number of threads.
    pub(super) fn start(self, threads: usize) -> usize {
        self.bytes * threads + self.registers * BEYOND
    }

    /// The place of an element that has `byte` bytes of each thread before it.
    pub(super) fn at(self, byte: usize) -> Self {
        Self { bytes: self.bytes + byte, ..self }
    }

    /// The place of the register in which an element with `byte` bytes before it is at this place.
    pub(super) fn before(self, byte: usize) -> Self {
        Self { bytes: self.bytes - byte, ..self }
    }
}

/// The elements of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    /// Their number.
    pub(super) count: usize,
    /// The size of each in bytes. A condition is one byte, 0 or 1.
    pub(super) size: usize,
}

impl Shape {
    pub(super) fn bytes(self) -> usize {
        self.count * self.size
    }
}

/// Elements that are copied from one register to another. They are contiguous in both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) count: usize,
}

/// The elements of a register that are read or replaced.
#[derive(Debug)]
pub(super) enum Part {
    /// These runs, from the register to the part or in reverse.
    Known(Box<[Run]>),
    /// These runs, shifted by an offset that each thread has in a `u32`. Up to `last`, the runs stay inside.
    From { start: Slot, last: usize, runs: Box<[Run]> },
}

/// An instruction.
#[derive(Debug)]
pub(super) enum Step {
    /// Computes a register from others, row by row. A row has `count` elements. The pitches, first that of
    /// the result, are the bytes of a thread from one row to the next.
    Compute {
        run: Compute,
        to: Slot,
        from: [Slot; 3],
        count: usize,
        other: usize,
        rows: usize,
        pitches: [usize; 4],
    },
    /// Copies a register.
    Copy { to: Slot, from: Slot, bytes: usize },
    /// Fills a register with zeros.
    Clear { to: Slot, bytes: usize },
    /// Stores a value in a variable, for the active threads. If not all threads are active, `run` stores rows
    /// of elements: its operands are a byte mask and the rows.
    Store { run: Compute, to: Slot, from: Slot, shape: Shape },
    /// Writes a thread id.
    Thread { to: Slot, id: ThreadId },
    /// Reduces all elements to one: combines the upper elements with the lower ones until one is left. It
    /// needs two spare registers of the same size.
    Reduce { run: Compute, to: Slot, from: Slot, spare: [Slot; 2], shape: Shape },
    /// Reads a part of a register.
    Region { to: Slot, from: Slot, part: Part, size: usize },
    /// Replaces a part of a register.
    Insert { to: Slot, value: Slot, part: Part, size: usize },
    /// Accesses memory.
    Access(Access),
    /// Reads the clock.
    Clock { to: Slot },
    /// A barrier, or half of one, with its numbers.
    Sync { kind: SyncKind, operands: Box<[Slot]>, at: &'static Location },
    /// Prints a line.
    Print { template: &'static Template, values: Box<[Shown]> },
    /// Runs one of two blocks.
    If { condition: Slot, then: Box<[Step]>, otherwise: Box<[Step]> },
    /// Runs the first block, and the second one while the condition is true.
    Loop { first: Box<[Step]>, condition: Slot, body: Box<[Step]> },
    /// A block that a break can leave.
    Labelled { label: Label, body: Box<[Step]> },
    /// Leaves the block with a label.
    Break(Label),
}

/// An access to the memory of a parameter.
#[derive(Debug)]
pub(super) struct Access {
    pub(super) spec: AccessSpec,
    pub(super) param: usize,
    /// Coordinates, a byte offset, element indices, or a picture and coordinates.
    pub(super) address: [Slot; 5],
    /// The data to write, or the sources of an update.
    pub(super) data: [Slot; 2],
    /// The data that is read.
    pub(super) to: Slot,
    pub(super) shape: Shape,
    /// Elements of a row of the block.
    pub(super) columns: usize,
    /// The update of an element by an atomic operation.
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

/// The memory of a parameter.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// A part of the surface that is argument `of`.
    Surface { of: usize, plane: Plane, field: Option<Field> },
    /// The buffer that is this argument.
    Buffer(usize),
    /// An array of the group, with this many bytes.
    Shared(usize),
    /// No memory: the parameter is a value.
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
    /// Registers that contain arguments, with the argument numbers.
    pub(super) arguments: Vec<(Slot, Shape, usize)>,
    pub(super) places: Box<[Place]>,
    /// The largest number of bytes of an access, for each kernel thread.
    pub(super) staged: usize,
}
