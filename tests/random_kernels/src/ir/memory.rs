//! Steps that read and write surfaces and buffers.

use cm::compiler::elem::ElemType;
use cm::compiler::limits;
use cm::compiler::ops::{
    AccessKind, AccessOperand, Address, AtomicHints, AtomicKind, Carries, Effect, LoadHints, MapKind,
    MemoryKind, StoreHints,
};
use cm::ir::{Bits, Op, ParamKind, Region, Type, Value};
use cm_test_support::arguments::{HEIGHT, WIDTH};

use super::builder::Builder;

/// The parameters of every kernel.
const INPUT: usize = 0;
const OUTPUT: usize = 1;

impl Builder {
    /// A register of this type out of the input, in as many blocks as it takes.
    pub(super) fn read(&mut self, ty: Type) -> Value {
        let elem = ty.elem().unwrap_or(ElemType::U8);
        let most = (limits::MEDIA_WIDTH / elem.bytes()).max(1);
        let x = self.random.within(0..=WIDTH / 2) as u64;
        let at = self.random.below(HEIGHT - 8) as u64;
        if ty.columns <= most && limits::media_block(ty.rows, ty.columns * elem.bytes()).is_ok() {
            let (x, y) = (self.column(x), self.coordinate(at));
            let op = Op::Access { kind: AccessKind::MediaRead, param: INPUT, operands: vec![x, y] };
            return self.value(op, ty);
        }
        // A part of each row, and the rest as it is.
        let columns = ty.columns.min(most);
        let rows = ty.rows.min(limits::MEDIA_BYTES / limits::media_pitch(columns * elem.bytes()));
        let (x, y) = (self.column(x), self.coordinate(at));
        let op = Op::Access { kind: AccessKind::MediaRead, param: INPUT, operands: vec![x, y] };
        let part = self.hidden(op, Type::new(elem, rows, columns));
        let bits = self.bits(elem);
        let whole = self.hidden(Op::Constant(Bits::Splat(bits)), ty);
        let offset =
            self.random.below(ty.columns - columns + 1) + self.random.below(ty.rows - rows + 1) * ty.columns;
        let region =
            Region { offset, dynamic: None, row_stride: ty.columns, width: columns, column_stride: 1 };
        self.value(Op::Insert(whole, region, part), ty)
    }

    /// A column to read from: mostly this one, sometimes at an edge or computed.
    fn column(&mut self, inside: u64) -> Value {
        match self.random.below(10) {
            0 => {
                let edge = self.random.pick(&[-70i32, -9, -4, -1, 50, 61, 63, 64, 100]);
                self.number(ElemType::I32, edge as u64)
            }
            1 => {
                let x = self.of(Type::scalar(ElemType::I32));
                let mask = self.number(ElemType::I32, 63);
                self.hidden(Op::map(MapKind::And, ElemType::I32, &[x, mask]), Type::scalar(ElemType::I32))
            }
            _ => self.number(ElemType::I32, inside),
        }
    }

    /// A row.
    fn coordinate(&mut self, inside: u64) -> Value {
        match self.random.below(12) {
            0 => {
                let edge = self.random.pick(&[-70i32, -3, -1, 60, 63, 64, 100]);
                self.number(ElemType::I32, edge as u64)
            }
            1 => self.of(Type::scalar(ElemType::I32)),
            _ => self.number(ElemType::I32, inside),
        }
    }

    /// A block of the value somewhere in the output, maybe over what is there.
    pub(super) fn write_anywhere(&mut self, value: Value, ty: Type) {
        let row = self.random.below(HEIGHT - 4);
        let column = self.random.below(WIDTH / 4) as u64 * 4;
        self.write_parts(value, ty, Some((column, row)));
    }

    /// The whole value in rows of the output of its own, as far as there are rows left.
    pub(super) fn observe(&mut self, value: Value, ty: Type) {
        if ty == Type::CONDITION {
            let one = self.number(ElemType::U8, 1);
            let zero = self.number(ElemType::U8, 0);
            let scalar = Type::scalar(ElemType::U8);
            let variable = self.declare(zero, scalar);
            let then = self.block(|b| b.effect(Op::Store(variable, one), scalar));
            let otherwise = self.block(|_| {});
            self.effect(Op::If(value, then, otherwise), Type::CONDITION);
            let value = self.hidden(Op::Load(variable), scalar);
            self.write_parts(value, scalar, None);
        } else {
            self.write_parts(value, ty, None);
        }
    }

    fn write_parts(&mut self, value: Value, ty: Type, at: Option<(u64, usize)>) {
        let value = self.plain(value, ty);
        let mut first = at;
        self.write_blocks(value, ty, 0, |b, rows| {
            if at.is_some() {
                return first.take().map(|(x, y)| (OUTPUT, x, y));
            }
            let y = b.row;
            if y + rows > HEIGHT {
                return None;
            }
            b.row += rows;
            Some((OUTPUT, 0, y))
        });
    }

    /// Writes a register in blocks of whole dwords, which `filler` completes. `place` gives the parameter,
    /// column and row of a block with this number of rows; the rest is dropped if there is none.
    pub(super) fn write_blocks(
        &mut self,
        value: Value,
        ty: Type,
        filler: u64,
        mut place: impl FnMut(&mut Self, usize) -> Option<(usize, u64, usize)>,
    ) {
        let Some(elem) = ty.elem() else { return };
        let size = elem.bytes();
        let most = limits::MEDIA_WIDTH / size;
        for column in (0..ty.columns).step_by(most) {
            let columns = most.min(ty.columns - column);
            let padded = (columns * size).next_multiple_of(limits::DWORD) / size;
            let rows = limits::MEDIA_BYTES / limits::media_pitch(padded * size);
            for row in (0..ty.rows).step_by(rows) {
                let rows = rows.min(ty.rows - row);
                let Some((param, x, y)) = place(self, rows) else { return };
                let part = if (rows, columns) == (ty.rows, ty.columns) {
                    value
                } else {
                    let offset = row * ty.columns + column;
                    let region = Region { offset, row_stride: ty.columns, ..Region::contiguous(0, columns) };
                    self.hidden(Op::Region(value, region), Type::new(elem, rows, columns))
                };
                let block = Type::new(elem, rows, padded);
                let part = if padded == columns {
                    part
                } else {
                    let filler = self.hidden(Op::Constant(Bits::Splat(filler)), block);
                    let region = Region { row_stride: padded, ..Region::contiguous(0, columns) };
                    self.hidden(Op::Insert(filler, region, part), block)
                };
                let operands =
                    vec![self.number(ElemType::I32, x), self.number(ElemType::I32, y as u64), part];
                self.effect(Op::Access { kind: AccessKind::MediaWrite, param, operands }, block);
            }
        }
    }

    /// Any access to any buffer that takes it; on every GPU with the same bits.
    pub(super) fn buffer(&mut self) {
        let buffers: Vec<(usize, ElemType, bool)> = self
            .params
            .iter()
            .enumerate()
            .filter_map(|(n, param)| match param.kind {
                ParamKind::Buffer { elem, writable } => Some((n, elem, writable)),
                _ => None,
            })
            .collect();
        if buffers.is_empty() {
            return;
        }
        let (param, own, writable) = self.random.pick(&buffers);
        // One access in four is to elements of another type.
        let elem = if self.random.below(4) == 0 { self.random.pick(ElemType::ALL) } else { own };
        let kinds: Vec<AccessKind> = AccessKind::all()
            .filter(|kind| {
                let spec = kind.spec();
                spec.memory == MemoryKind::Buffer
                    && spec.takes(elem)
                    && (writable || !spec.effect.writes())
                    && !has_other_bits(spec.effect, elem)
                    && !has_hints(*kind)
            })
            .collect();
        let kind = self.random.pick(&kinds);
        let spec = kind.spec();
        let ty = self.carried(spec.carries, spec.effect.writes(), elem);
        let mut operands = vec![];
        if spec.address == Address::Pitched {
            // Bytes of a row, rows, and bytes from row to row, as launches take them.
            let shape = self.random.pick(&[[64, 8, 64], [64, 3, 80], [128, 5, 128]]);
            operands.extend(shape.map(|number| self.number(ElemType::I32, number)));
        }
        for operand in spec.types().skip(operands.len()) {
            operands.push(match operand {
                AccessOperand::One(elem) => self.near(Type::scalar(elem)),
                AccessOperand::Each(elem) if spec.effect == Effect::Write => {
                    self.apart(ty.with_elem(elem), 1)
                }
                AccessOperand::Each(elem) => self.near(ty.with_elem(elem)),
                AccessOperand::Column(elem)
                    if spec.effect == Effect::Write && spec.carries == Carries::Vectors =>
                {
                    self.apart(Type::new(elem, 1, ty.columns), ty.rows as u64)
                }
                AccessOperand::Column(elem) => self.near(Type::new(elem, 1, ty.columns)),
                AccessOperand::Data => {
                    let x = self.of(ty);
                    self.plain(x, ty)
                }
            });
        }
        let op = Op::Access { kind, param, operands };
        if op.has_result() {
            self.value(op, ty);
        } else {
            self.effect(op, ty);
        }
    }

    /// What a message to a buffer carries.
    fn carried(&mut self, carries: Carries, writes: bool, elem: ElemType) -> Type {
        let bytes = elem.bytes();
        if carries == Carries::Owords {
            let (least, most) = (limits::OWORD / bytes, limits::OWORD_BLOCK / bytes);
            let all: Vec<usize> = (least..=most)
                .filter(|columns| !writes || limits::oword_write(columns * bytes).is_ok())
                .collect();
            return Type::new(elem, 1, self.random.pick(&all));
        }
        if carries == Carries::Dwords {
            return Type::new(elem, 1, (limits::DWORD << self.random.below(7)).div_ceil(bytes));
        }
        if carries == Carries::Vectors {
            return Type::new(elem, self.random.pick(&[2, 3, 4, 8]), 1 << self.random.below(6));
        }
        if let Carries::Block2d(form) = carries {
            let all = (1..=16).flat_map(|rows| (1..=32).map(move |columns| (rows, columns)));
            let all: Vec<(usize, usize)> = all
                .filter(|(rows, columns)| {
                    limits::load_2d(form, bytes, *rows, *columns).is_ok()
                        && (!writes || limits::store_2d(bytes, *rows, *columns).is_ok())
                })
                .collect();
            let (rows, columns) = self.random.pick(&all);
            return Type::new(elem, rows, columns);
        }
        let (rows, columns) = self.random.pick(&[(1, 1), (1, 2), (2, 2), (1, 8), (4, 4), (1, 16), (1, 32)]);
        Type::new(elem, rows, columns)
    }

    /// Offsets or element numbers that are inside more often than not.
    fn near(&mut self, ty: Type) -> Value {
        let x = self.of(ty);
        if self.random.once_in(8) {
            return x;
        }
        let last = self.random.pick(&[15, 127, 255, 511]);
        let most = self.hidden(Op::Constant(Bits::Splat(last)), ty);
        self.hidden(Op::map(MapKind::And, ty.elem().unwrap_or(ElemType::U32), &[x, most]), ty)
    }

    /// The first numbers of vectors of `length` elements of which no two overlap: which of two writes stays is not defined.
    fn apart(&mut self, ty: Type, length: u64) -> Value {
        let step = self.random.pick(&[length, length + 2, length + 6, 0x1000_0000 + length]);
        let mut all: Vec<u64> = (0..ty.count() as u64).map(|n| (n * step) & 0xffff_ffff).collect();
        for n in 1..all.len() {
            let other = self.random.below(n + 1);
            all.swap(n, other);
        }
        let all = self.hidden(Op::Constant(Bits::Each(all)), ty);
        let first = self.near(Type::scalar(ElemType::U32));
        let first = self.hidden(Op::Splat(first), ty);
        self.hidden(Op::map(MapKind::Add, ElemType::U32, &[all, first]), ty)
    }
}

/// Whether it has cache hints and is a 2-D block or a scattered access, of which there are as many as of all other accesses together.
fn has_hints(kind: AccessKind) -> bool {
    match kind {
        AccessKind::Load2d(hints, _) => hints != LoadHints::Default,
        AccessKind::Store2d(hints) => hints != StoreHints::Default,
        AccessKind::Gather(hints) | AccessKind::GatherVectors(hints) => hints != LoadHints::Default,
        AccessKind::Scatter(hints) | AccessKind::ScatterVectors(hints) => hints != StoreHints::Default,
        AccessKind::Atomic(_, hints) => hints != AtomicHints::Default,
        AccessKind::Prefetch2d(_) | AccessKind::PrefetchElements(_) => true,
        _ => false,
    }
}

/// Whether an access is not one of every GPU, or may make a NaN of what the buffer held.
fn has_other_bits(effect: Effect, elem: ElemType) -> bool {
    match effect {
        Effect::Update(kind) => {
            elem.bytes() > 4 || elem.is_float() && matches!(kind, AtomicKind::Add | AtomicKind::Sub)
        }
        Effect::Read | Effect::Write | Effect::Prefetch => false,
    }
}
