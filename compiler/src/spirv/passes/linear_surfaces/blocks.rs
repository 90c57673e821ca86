//! Media blocks of surfaces in buffers.

use super::shape::{I32, Shape, row_of};
use crate::access::Affine;
use crate::elem::ElemType;
use crate::ir::{Block, Op, Region, Type, Value};
use crate::limits::{DWORD, OWORD};
use crate::ops::MapKind;
use crate::spirv::passes::expand::Expansion;

/// The column and the row of a block.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) x: Value,
    pub(super) y: Value,
}

/// What is known of the first column or row of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// A multiple of a power of two that is at least the columns or rows of the block.
    Multiple,
    /// At least 0, and far from wrapping.
    Natural,
    Anything,
}

impl Side {
    pub(super) fn of(first: Option<Affine>, count: usize) -> Self {
        match first {
            Some(first) if first.remainder(count.next_power_of_two() as i64) == Some(0) => Self::Multiple,
            Some(first) if first.is_natural() => Self::Natural,
            _ => Self::Anything,
        }
    }
}

/// An access to a surface.
pub(super) struct Access<'a> {
    pub(super) insts: &'a mut Expansion,
    /// How many other accesses of the kernel come before.
    pub(super) nth: usize,
    /// The buffer.
    pub(super) param: usize,
    pub(super) shape: Shape,
    pub(super) rows: usize,
    /// Bytes of a row.
    pub(super) width: usize,
    /// The first bytes of a row that the kernel uses: the others may be outside of the surface.
    pub(super) needed: usize,
    /// The byte of a dword in which each row starts, if it is known.
    pub(super) in_dword: Option<usize>,
    /// What is known of the column and the row.
    pub(super) sides: [Side; 2],
    /// Whether the target moves 2-D blocks by one message.
    pub(super) by_2d_blocks: bool,
}

/// A block that is read, in registers.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    /// Its rows, with the bytes that a message loads before and after them.
    pub(super) ty: Type,
    /// The first byte of the block in a row.
    pub(super) first: usize,
}

impl Kept {
    /// Rows without other bytes.
    pub(super) const fn dense(ty: Type) -> Self {
        Self { ty, first: 0 }
    }
}

impl Access<'_> {
    pub(super) fn bytes(&self) -> Type {
        Type::new(ElemType::U8, self.rows, self.width)
    }

    /// Whether the block is inside of the surface.
    fn inside(&mut self, Place { x, y }: Place) -> Value {
        let [width, height] = [self.shape.width(self.insts), self.shape.height(self.insts)];
        let [columns, rows] = self.sides;
        let across = self.fits((x, columns), width, self.needed);
        let down = self.fits((y, rows), height, self.rows);
        self.insts.emit(Op::And(down, across), Type::CONDITION)
    }

    /// Whether `count` numbers from `first` on are at least 0 and below a limit.
    fn fits(&mut self, (first, side): (Value, Side), limit: Value, count: usize) -> Value {
        let more = self.insts.i32(count as i64 - 1);
        // A sum may wrap.
        let last = self.one(if side == Side::Multiple { MapKind::Or } else { MapKind::Add }, first, more);
        // As unsigned numbers, those below 0 are large.
        let [last, limit] = [last, limit].map(|x| self.unsigned(x, 1));
        let below = Op::map(MapKind::Lt, ElemType::U32, &[last, limit]);
        let below = self.insts.emit(below, Type::scalar(ElemType::U16));
        let below = self.insts.emit(Op::Any(below), Type::CONDITION);
        if side != Side::Anything {
            return below;
        }
        let zero = self.insts.i32(0);
        let from = self.compare(MapKind::Ge, first, zero, 1);
        let from = self.insts.emit(Op::Any(from), Type::CONDITION);
        self.insts.emit(Op::And(from, below), Type::CONDITION)
    }

    pub(super) fn read(mut self, place: Place, ty: Type, result: Value) {
        let size = ty.elem().map_or(1, ElemType::bytes);
        // The messages return zeros outside of the surface. So they need not wait for the test, and the compiler has all
        // payloads in one basic block.
        let (block, kept) = match self.by_2d_blocks {
            true => self.read_2d(place, size),
            false => (None, Kept::dense(self.bytes())),
        };
        let variable = self.insts.variable();
        self.insts.push(Op::Declare(variable, block), None, kept.ty);
        let inside = self.inside(place);
        let blocks = self.nested(|access| {
            if let Some(block) = if access.by_2d_blocks { None } else { access.read_rows(place) } {
                access.insts.push(Op::Store(variable, block), None, kept.ty);
            }
        });
        let elements = self.nested(|access| access.read_elements(place, (variable, kept)));
        self.insts.push(Op::If(inside, blocks, elements), None, Type::CONDITION);
        if kept.ty == ty {
            self.insts.push(Op::Load(variable), Some(result), ty);
            return;
        }
        let block = self.insts.emit(Op::Load(variable), kept.ty);
        let whole = Type { columns: kept.ty.columns / size, ..ty };
        if whole == ty {
            self.insts.push(Op::Format(block), Some(result), ty);
            return;
        }
        // In the elements of the kernel the rows can be operands of instructions.
        let block = self.format(block, kept.ty, whole);
        let start = Region::contiguous(kept.first / size, ty.columns);
        let rows = Region { row_stride: whole.columns, ..start };
        self.insts.push(Op::Region(block, rows), Some(result), ty);
    }

    pub(super) fn write(mut self, place: Place, ty: Type, data: Value) {
        let bytes = self.bytes();
        let data = if ty == bytes { data } else { self.insts.emit(Op::Format(data), bytes) };
        let inside = match self.by_2d_blocks {
            true if self.in_dword == Some(0) => return self.write_2d(place, data),
            true => self.is_multiple(place.x, DWORD),
            false if self.width.is_multiple_of(OWORD) => {
                let start = self.start(place);
                let aligned = self.is_multiple(start, OWORD);
                let inside = self.inside(place);
                self.insts.emit(Op::And(inside, aligned), Type::CONDITION)
            }
            false => return self.write_elements(place, data),
        };
        let blocks = self.nested(|access| match access.by_2d_blocks {
            true => access.write_2d(place, data),
            false => access.write_rows(place, data),
        });
        let elements = self.nested(|access| access.write_elements(place, data));
        self.insts.push(Op::If(inside, blocks, elements), None, Type::CONDITION);
    }

    /// Whether a number is a multiple of a power of two.
    fn is_multiple(&mut self, number: Value, of: usize) -> Value {
        let (low, zero) = (self.insts.i32(of as i64 - 1), self.insts.i32(0));
        let low = self.one(MapKind::And, number, low);
        let aligned = self.compare(MapKind::Eq, low, zero, 1);
        self.insts.emit(Op::Any(aligned), Type::CONDITION)
    }

    /// The byte of the buffer at a place, without the edge rule.
    pub(super) fn start(&mut self, Place { x, y }: Place) -> Value {
        let pitch = self.shape.pitch(self.insts);
        let row = self.one(MapKind::Mul, y, pitch);
        self.one(MapKind::Add, row, x)
    }

    /// Emits instructions for each row, which are given its number. More than two rows are a loop.
    pub(super) fn for_rows(&mut self, mut emit: impl FnMut(&mut Access<'_>, Value)) {
        if self.rows <= 2 {
            for row in 0..self.rows {
                let row = self.insts.i32(row as i64);
                emit(self, row);
            }
            return;
        }
        let (counter, zero) = (self.insts.variable(), self.insts.i32(0));
        self.insts.push(Op::Declare(counter, Some(zero)), None, I32);
        let mut repeat = None;
        let test = self.nested(|access| {
            let row = access.insts.emit(Op::Load(counter), I32);
            let rows = access.insts.i32(access.rows as i64);
            let below = access.compare(MapKind::Lt, row, rows, 1);
            repeat = Some(access.insts.emit(Op::Any(below), Type::CONDITION));
        });
        let body = self.nested(|access| {
            let row = access.insts.emit(Op::Load(counter), I32);
            emit(access, row);
            let one = access.insts.i32(1);
            let next = access.one(MapKind::Add, row, one);
            access.insts.push(Op::Store(counter, next), None, I32);
        });
        if let Some(repeat) = repeat {
            self.insts.push(Op::Loop(test, repeat, body), None, Type::CONDITION);
        }
    }

    /// Bytes of the row of a block with this number, from `at` on. Also the types of these bytes and of the block, in
    /// elements as long as possible: the compiler moves single bytes in several steps if it does not know where they are.
    pub(super) fn part_of_row(
        &mut self,
        row: Value,
        kept: Kept,
        (at, count): (usize, usize),
    ) -> (Region, [Type; 2]) {
        let (stride, at) = (kept.ty.columns, kept.first + at);
        let elem = match (stride | kept.first | count) % DWORD {
            0 => ElemType::U32,
            2 => ElemType::U16,
            _ => ElemType::U8,
        };
        let [stride, at, count] = [stride, at, count].map(|bytes| bytes / elem.bytes());
        let elements = self.insts.i32(stride as i64);
        let first = self.one(MapKind::Mul, row, elements);
        let region =
            Region { offset: at, dynamic: Some(self.unsigned(first, 1)), ..Region::contiguous(0, count) };
        (region, [row_of(elem, count), Type::new(elem, self.rows, stride)])
    }

    /// The same bytes as another type.
    pub(super) fn format(&mut self, x: Value, from: Type, to: Type) -> Value {
        if from == to { x } else { self.insts.emit(Op::Format(x), to) }
    }

    pub(super) fn nested(&mut self, emit: impl FnOnce(&mut Access<'_>)) -> Block {
        let Self { nth, param, shape, rows, width, needed, in_dword, sides, by_2d_blocks, .. } = *self;
        let nested = self.insts.nested(|insts| {
            emit(&mut Access {
                insts,
                nth,
                param,
                shape,
                rows,
                width,
                needed,
                in_dword,
                sides,
                by_2d_blocks,
            });
        });
        nested.0
    }

    pub(super) fn splat(&mut self, x: Value, count: usize) -> Value {
        if count == 1 { x } else { self.insts.emit(Op::Splat(x), row_of(ElemType::I32, count)) }
    }

    pub(super) fn one(&mut self, kind: MapKind, a: Value, b: Value) -> Value {
        self.map(kind, a, b, 1)
    }

    pub(super) fn map(&mut self, kind: MapKind, a: Value, b: Value, count: usize) -> Value {
        self.insts.emit(Op::map(kind, ElemType::I32, &[a, b]), row_of(ElemType::I32, count))
    }

    pub(super) fn compare(&mut self, kind: MapKind, a: Value, b: Value, count: usize) -> Value {
        self.insts.emit(Op::map(kind, ElemType::I32, &[a, b]), row_of(ElemType::U16, count))
    }

    pub(super) fn merge(&mut self, mask: Value, a: Value, b: Value) -> Value {
        self.insts
            .emit(Op::map(MapKind::Merge, ElemType::I32, &[mask, a, b]), row_of(ElemType::I32, self.width))
    }

    pub(super) fn unsigned(&mut self, x: Value, count: usize) -> Value {
        self.insts.emit(Op::convert(x, ElemType::U32), row_of(ElemType::U32, count))
    }
}
