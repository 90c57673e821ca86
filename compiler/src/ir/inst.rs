//! Instructions.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::thread::ThreadId;
use super::ty::{Label, Type, Value, Variable};
use crate::elem::ElemType;
use crate::ops::{AccessKind, Computed, Effect, GroupKind, MapKind, Precision, SyncKind};
use crate::printf::Template;

/// The position of an instruction in the source.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    /// The file.
    // Static where it was recorded, owned where it was parsed.
    pub file: std::borrow::Cow<'static, str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// The elements of a constant: the bits of each element, row by row, or of one element for all.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Bits {
    /// All elements have these bits.
    Splat(u64),
    /// Each element.
    Each(Vec<u64>),
}

/// A region of the linearised elements of a value: element `(r, c)` of it is element
/// `offset + r * row_stride + c * column_stride`, for `c` below `width`; it is taken row by row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Region {
    /// The first element; with a dynamic offset, the known part.
    pub offset: usize,
    /// A `u32` that is added to the offset. The region must stay inside.
    pub dynamic: Option<Value>,
    /// Elements from one row to the next.
    pub row_stride: usize,
    /// Elements of a row.
    pub width: usize,
    /// Elements from one column to the next.
    pub column_stride: usize,
}

/// What an instruction does. Operands are values; the type of the result is in [`Inst`].
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Op {
    /// A constant with these elements.
    Constant(Bits),
    /// The uniform argument of this parameter.
    Argument(usize),
    /// An id or size of the thread: `u32`.
    Thread(ThreadId),
    /// Every element is the scalar.
    Splat(Value),
    /// An element-wise operation, computed in the type `common`, to which operands are converted if the kind says so.
    /// With `saturate` the exact result is clamped to the range of that type instead of wrapped.
    Map {
        /// The operation.
        kind: MapKind,
        /// The type in which it is computed; the type of the result, except for comparisons.
        common: ElemType,
        /// CM's `SAT`.
        saturate: bool,
        /// The operands, as many as the kind has.
        operands: Operands,
    },
    /// An operation on groups: neighbours in the linearised operands are combined, as many as the kind says. Every
    /// element of a group holds its result.
    Group {
        /// The operation.
        kind: GroupKind,
        /// The type in which it is computed, to which operands are converted if the kind says so.
        common: ElemType,
        /// The operands, as many as the kind has.
        operands: Operands,
    },
    /// The product of two matrices is added to a third one: `accumulator`, `u32` of
    /// [`DPAS_DEPTH`](crate::limits::DPAS_DEPTH) rows that hold the factors `b` of each column, and `u32` of as many
    /// columns that hold the factors `a` of each row. Each sum of floats is rounded, starting with the first factor of
    /// the first dword.
    Dpas {
        /// The type of the column factors. CM: of `src1`.
        b: Precision,
        /// The type of the row factors. CM: of `src2`.
        a: Precision,
        /// The sums so far, the column factors, and the row factors.
        operands: Operands,
    },
    /// A reduction of the elements to one. The elements from the largest power of two below their number on are
    /// combined with the first elements, each on the right of its partner, and so on until one is left. This order
    /// decides how floats are rounded.
    Reduce {
        /// The operation that combines two elements, one that [reduces](MapKind::reduces).
        kind: MapKind,
        /// The type in which it is computed, to which elements are converted.
        common: ElemType,
        /// The elements.
        operand: Value,
    },
    /// A copy of a region.
    Region(Value, Region),
    /// The first value with a region replaced by the elements of the second, which has the same element type.
    Insert(Value, Region, Value),
    /// Element `index[k]` of the linearised value; `index` is `u32` and clamped to the last element.
    Iselect(Value, Value),
    /// The same bytes; the result may have fewer.
    Format(Value),
    /// Bit `k` of a `u32` as element `k`, 0 or 1; 0 from element 32 on.
    UnpackMask(Value),
    /// The lowest bit of element `k` as bit `k` of a `u32`; elements from 32 on do not count.
    PackMask(Value),
    /// A condition: at least one element is not zero.
    Any(Value),
    /// A condition: no element is zero.
    All(Value),
    /// A condition known while recording.
    Known(bool),
    /// The negated condition.
    Not(Value),
    /// Both conditions.
    And(Value, Value),
    /// At least one of two conditions.
    Or(Value, Value),
    /// A new variable, with an initial value or with any value. Its type is the type of the instruction.
    Declare(Variable, Option<Value>),
    /// The value of a variable now.
    Load(Variable),
    /// Stores a value in a variable.
    Store(Variable, Value),
    /// An access to the memory of a parameter, as its kind describes it. The type is that of the read or
    /// written data.
    Access {
        /// The kind of access.
        kind: AccessKind,
        /// The parameter.
        param: usize,
        /// Address and data.
        operands: Vec<Value>,
    },
    /// The timestamp: `u32<1x4>`, of which the first two elements are the lower and the upper half of the time
    /// and the third is not 0 if the thread was interrupted.
    Clock,
    /// Waits for other threads of the group, or signals them, with the operands that the kind has. The type is
    /// [`Type::CONDITION`].
    Sync(SyncKind, Operands),
    /// Prints a line. The type is [`Type::CONDITION`].
    Print {
        /// The line, with a placeholder for each value.
        template: Template,
        /// The values.
        values: Vec<Value>,
    },
    /// Executes one of two blocks.
    If(Value, Block, Block),
    /// A loop: while the condition that the first block computes holds, the second block runs. The values of the first
    /// block are live in the second one.
    Loop(Block, Value, Block),
    /// A block that a break of its label leaves.
    Labelled(Label, Block),
    /// Leaves the labelled block around it: the last instruction of a block.
    Break(Label),
}

/// An instruction: what it does, its result, and its line.
#[derive(Clone, PartialEq, Debug)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// The number of its result, if it has one.
    pub result: Option<Value>,
    /// The type of its result; for `Declare` that of the variable; otherwise that of the value written or
    /// [`Type::CONDITION`] where there is none.
    pub ty: Type,
    /// Its position in the source.
    pub location: Location,
}

/// The operands of an operation on elements or groups: up to three values.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operands {
    values: [Value; 3],
    count: usize,
}

impl Operands {
    /// These operands; only the first three are kept.
    #[must_use]
    pub fn new(operands: &[Value]) -> Self {
        let (mut values, count) = ([Value(0); 3], operands.len().min(3));
        values[..count].copy_from_slice(&operands[..count]);
        Self { values, count }
    }
}

impl Deref for Operands {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.values[..self.count]
    }
}

impl DerefMut for Operands {
    fn deref_mut(&mut self) -> &mut [Value] {
        &mut self.values[..self.count]
    }
}

impl fmt::Debug for Operands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Instructions in order.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Block {
    /// The instructions.
    pub insts: Vec<Inst>,
}

impl Region {
    /// The region of `count` neighbours from element `offset` on.
    #[must_use]
    pub const fn contiguous(offset: usize, count: usize) -> Self {
        Self { offset, dynamic: None, row_stride: count, width: count, column_stride: 1 }
    }

    /// The position of element `n` of the region, without the unknown part of the offset.
    #[must_use]
    pub const fn position(&self, n: usize) -> usize {
        self.offset + n / self.width * self.row_stride + n % self.width * self.column_stride
    }

    /// The positions of `count` elements, without the unknown part of the offset.
    pub(crate) fn positions(&self, count: usize) -> impl Iterator<Item = usize> {
        (0..count).map(|n| self.position(n))
    }

    /// Whether `count` elements are neighbours.
    pub(crate) const fn is_contiguous(&self, count: usize) -> bool {
        (self.column_stride == 1 || self.width == 1 || count == 1)
            && (count <= self.width || self.row_stride == self.width)
    }

    /// Whether the region is all elements of a register of `count` elements.
    pub(crate) const fn is_whole(&self, count: usize) -> bool {
        self.dynamic.is_none() && self.offset == 0 && self.is_contiguous(count)
    }
}

/// The operands of an operation, shared or mutable like the operation.
macro_rules! operands {
    ($op:expr, $iter:ident) => {
        match $op {
            Op::Constant(_)
            | Op::Argument(_)
            | Op::Thread(_)
            | Op::Known(_)
            | Op::Load(_)
            | Op::Clock
            | Op::Labelled(..)
            | Op::Break(_) => vec![],
            Op::Declare(_, init) => init.$iter().collect(),
            Op::Splat(x)
            | Op::Format(x)
            | Op::UnpackMask(x)
            | Op::PackMask(x)
            | Op::Reduce { operand: x, .. }
            | Op::Any(x)
            | Op::All(x)
            | Op::Not(x)
            | Op::Store(_, x)
            | Op::If(x, ..)
            | Op::Loop(_, x, _) => vec![x],
            Op::Map { operands, .. }
            | Op::Group { operands, .. }
            | Op::Dpas { operands, .. }
            | Op::Sync(_, operands) => operands.$iter().collect(),
            Op::Iselect(a, b) | Op::And(a, b) | Op::Or(a, b) => vec![a, b],
            Op::Region(x, region) => [x].into_iter().chain(region.dynamic.$iter()).collect(),
            Op::Insert(x, region, value) => [x, value].into_iter().chain(region.dynamic.$iter()).collect(),
            Op::Access { operands, .. } | Op::Print { values: operands, .. } => operands.$iter().collect(),
        }
    };
}

/// The pattern of the operations that define a value and do nothing else.
macro_rules! values {
    () => {
        Op::Constant(_)
            | Op::Argument(_)
            | Op::Thread(_)
            | Op::Known(_)
            | Op::Load(_)
            | Op::Clock
            | Op::Splat(_)
            | Op::Format(_)
            | Op::UnpackMask(_)
            | Op::PackMask(_)
            | Op::Reduce { .. }
            | Op::Any(_)
            | Op::All(_)
            | Op::Not(_)
            | Op::Map { .. }
            | Op::Group { .. }
            | Op::Dpas { .. }
            | Op::Iselect(..)
            | Op::And(..)
            | Op::Or(..)
            | Op::Region(..)
            | Op::Insert(..)
    };
}

/// The blocks of an operation, shared or mutable like the operation.
macro_rules! blocks {
    ($op:expr) => {
        match $op {
            Op::If(_, first, second) | Op::Loop(first, _, second) => [Some(first), Some(second)],
            Op::Labelled(_, block) => [Some(block), None],
            values!()
            | Op::Declare(..)
            | Op::Store(..)
            | Op::Access { .. }
            | Op::Print { .. }
            | Op::Sync(..)
            | Op::Break(_) => [None, None],
        }
        .into_iter()
        .flatten()
    };
}

impl Op {
    /// An element-wise operation that wraps.
    #[must_use]
    pub fn map(kind: MapKind, common: ElemType, operands: &[Value]) -> Self {
        Self::Map { kind, common, saturate: false, operands: Operands::new(operands) }
    }

    /// Rust's `as` to this type.
    #[must_use]
    pub fn convert(x: Value, to: ElemType) -> Self {
        Self::map(MapKind::Convert, to, &[x])
    }

    /// CM's `SAT` conversion to this type.
    #[must_use]
    pub fn saturate(x: Value, to: ElemType) -> Self {
        Self::Map { kind: MapKind::Convert, common: to, saturate: true, operands: Operands::new(&[x]) }
    }

    /// An operation of one of the tables, computed in this type.
    #[must_use]
    pub fn of(kind: Computed, common: ElemType, operands: &[Value]) -> Self {
        let operands = Operands::new(operands);
        match kind {
            Computed::Map(kind, saturate) => Self::Map { kind, common, saturate, operands },
            Computed::Group(kind) => Self::Group { kind, common, operands },
        }
    }

    /// For an operation of one of the tables: the operation, the type in which it is computed, and its operands.
    #[must_use]
    pub fn computed(&self) -> Option<(Computed, ElemType, Operands)> {
        match *self {
            Self::Map { kind, common, saturate, operands } => {
                Some((Computed::Map(kind, saturate), common, operands))
            }
            Self::Group { kind, common, operands } => Some((Computed::Group(kind), common, operands)),
            _ => None,
        }
    }

    /// The values that it uses, except those of blocks inside it.
    #[must_use]
    pub fn operands(&self) -> Vec<Value> {
        let operands: Vec<&Value> = operands!(self, iter);
        operands.into_iter().copied().collect()
    }

    /// The places of [`operands`](Self::operands), in the same order.
    #[must_use]
    pub fn operands_mut(&mut self) -> Vec<&mut Value> {
        operands!(self, iter_mut)
    }

    /// Whether the instruction defines a value.
    #[must_use]
    pub const fn has_result(&self) -> bool {
        match self {
            Self::Declare(..)
            | Self::Store(..)
            | Self::Print { .. }
            | Self::Sync(..)
            | Self::If(..)
            | Self::Loop(..)
            | Self::Labelled(..)
            | Self::Break(_) => false,
            Self::Access { kind, .. } => kind.spec().effect.has_result(),
            values!() => true,
        }
    }

    /// Whether it only computes its result: it ends, and changes neither variables nor memory. So it may also run where
    /// nothing needs the result.
    #[must_use]
    pub const fn only_computes(&self) -> bool {
        match self {
            Self::Access { kind, .. } => matches!(kind.spec().effect, Effect::Read),
            values!() => true,
            _ => false,
        }
    }

    /// The blocks inside it, in order of execution.
    #[must_use]
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = &Block> {
        blocks!(self)
    }

    /// The blocks inside it, mutable.
    pub fn blocks_mut(&mut self) -> impl Iterator<Item = &mut Block> {
        blocks!(self)
    }

    /// Whether all threads of a group must reach it.
    #[must_use]
    pub const fn is_group_barrier(&self) -> bool {
        matches!(self, Self::Sync(kind, _) if kind.is_of_all())
    }

    /// Whether it decides which instructions run next.
    #[must_use]
    pub fn is_control_flow(&self) -> bool {
        matches!(self, Self::Break(_)) || self.blocks().next().is_some()
    }
}
