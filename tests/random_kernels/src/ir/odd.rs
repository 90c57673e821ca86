//! Random kernels of odd widths, as users write them: blocks of 3 to 64 columns, arithmetic on dwords that is
//! converted back at once, minima and maxima by `merge`, regions and their replacement, and bytes as words.

use cm::compiler::elem::ElemType;
use cm::compiler::limits;
use cm::compiler::ops::{AccessKind, MapKind};
use cm::ir::{Function, Op, Param, ParamKind, Region, Type, Value};
use cm_test_support::arguments::{HEIGHT, WIDTH};

use super::builder::{Builder, INDEX};

/// Columns of blocks.
const COLUMNS: [usize; 22] =
    [3, 5, 7, 8, 11, 12, 15, 16, 18, 20, 24, 26, 28, 30, 31, 32, 32, 32, 36, 48, 60, 64];
/// Rows of blocks.
const ROWS: [usize; 11] = [1, 2, 3, 4, 5, 6, 7, 8, 8, 10, 16];
/// Columns of regions.
const PARTS: [usize; 11] = [1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 30];
/// Types of elements that surfaces have.
const READ: [ElemType; 8] = [
    ElemType::U8,
    ElemType::U8,
    ElemType::U8,
    ElemType::I8,
    ElemType::U16,
    ElemType::I16,
    ElemType::U32,
    ElemType::I32,
];
/// The types that assignments convert to.
const ASSIGNED: [ElemType; 7] =
    [ElemType::U8, ElemType::I16, ElemType::I16, ElemType::U16, ElemType::U8, ElemType::I8, ElemType::I32];
/// The types that other conversions convert to.
const CONVERTED: [ElemType; 7] =
    [ElemType::U8, ElemType::I8, ElemType::I16, ElemType::U16, ElemType::I32, ElemType::U32, ElemType::F32];
/// Operations on integers.
const INTEGER_KINDS: [MapKind; 19] = [
    MapKind::Add,
    MapKind::Add,
    MapKind::Add,
    MapKind::Sub,
    MapKind::Sub,
    MapKind::Mul,
    MapKind::Mul,
    MapKind::And,
    MapKind::Or,
    MapKind::Xor,
    MapKind::Shl,
    MapKind::Shr,
    MapKind::Shr,
    MapKind::Lt,
    MapKind::Le,
    MapKind::Gt,
    MapKind::Ge,
    MapKind::Eq,
    MapKind::Ne,
];
/// Operations on floats.
const FLOAT_KINDS: [MapKind; 5] = [MapKind::Add, MapKind::Sub, MapKind::Mul, MapKind::Lt, MapKind::Ge];
/// Numbers that operations take.
const INTEGERS: [u64; 17] =
    [0, 1, 2, 3, 4, 7, 8, 16, 31, 38, 66, 100, 128, 255, 256, 0xffff_ffff, 0xffff_ffda];
/// See [`INTEGERS`].
const FLOATS: [f32; 7] = [0.5, 0.111, 2.0, -1.0, 255.0, 1.5, 100.25];
/// Surfaces that the last values are written to.
const OUTPUTS: usize = 4;
/// Larger registers are not used again.
const LARGE: usize = 2048;

/// The kernel of odd widths of a seed.
#[must_use]
pub fn odd(seed: u64) -> Function {
    let mut builder = Builder::new(seed);
    let body = builder.block(|b| {
        for _ in 0..b.random.within(1..=3) {
            b.odd_read();
        }
        for _ in 0..b.random.within(3..=16) {
            b.odd_step();
        }
        let last: Vec<_> = b.values.iter().rev().take(OUTPUTS).rev().copied().collect();
        for (n, (value, ty)) in last.into_iter().enumerate() {
            b.odd_write(n + 1, value, ty);
        }
    });
    let surface = |name: String, writable| Param { name, kind: ParamKind::Surface { writable } };
    let outputs = (0..OUTPUTS).map(|n| surface(format!("output{n}"), true));
    let params = [surface("input".into(), false)].into_iter().chain(outputs).collect();
    Function::new("random", params, body)
}

/// The type that CM computes values of this type in.
fn computed_in(elem: ElemType) -> ElemType {
    if elem.is_float() { elem } else { ElemType::I32 }
}

impl Builder {
    /// A value, unless it is large, for the next steps.
    fn kept(&mut self, op: Op, ty: Type) -> Value {
        let value = self.hidden(op, ty);
        if ty.bytes() < LARGE {
            self.values.push((value, ty));
        }
        value
    }

    /// A value, new ones more often.
    fn late(&mut self) -> (Value, Type) {
        let count = self.values.len();
        let at = match self.random.flip() {
            true => count - 1 - self.random.below(count.min(4)),
            false => self.random.below(count),
        };
        self.values[at]
    }

    /// A value of this shape.
    fn shaped(&mut self, ty: Type) -> Option<(Value, Type)> {
        let alike = |other: Type| (other.rows, other.columns) == (ty.rows, ty.columns);
        let all: Vec<_> = self.values.iter().filter(|(_, other)| alike(*other)).copied().collect();
        (!all.is_empty()).then(|| self.random.pick(&all))
    }

    /// A value as this type.
    fn typed(&mut self, value: Value, from: Type, elem: ElemType) -> Value {
        if from.elem() == Some(elem) {
            return value;
        }
        self.hidden(Op::convert(value, elem), from.with_elem(elem))
    }

    fn odd_read(&mut self) {
        let elem = self.random.pick(&READ);
        let (rows, columns) = loop {
            let (columns, rows) = (self.random.pick(&COLUMNS), self.random.pick(&ROWS));
            if limits::media_block(rows, columns * elem.bytes()).is_ok() {
                break (rows, columns);
            }
        };
        let x = self.random.below(WIDTH - columns * elem.bytes() + 1) as u64;
        let y = self.random.below(HEIGHT - rows) as u64;
        let op = self.block_of_input(x, y);
        self.kept(op, Type::new(elem, rows, columns));
    }

    /// Reads the input from here.
    fn block_of_input(&mut self, x: u64, y: u64) -> Op {
        let operands = vec![self.number(ElemType::I32, x), self.number(ElemType::I32, y)];
        Op::Access { kind: AccessKind::MediaRead, param: 0, operands }
    }

    /// Rows, columns and steps of a register, as `select` takes them, and the region's rows.
    fn selected(&mut self, ty: Type) -> (Region, usize) {
        let column_stride = self.random.pick(&[1, 1, 1, 1, 2, 3, 4]);
        let step = self.random.pick(&[1, 1, 1, 2]);
        let (most, rows) = (ty.columns.div_ceil(column_stride), ty.rows.div_ceil(step));
        let width = match self.random.below(6) {
            0 => most,
            1 | 2 => self.random.within(1..=most),
            _ => most.min(self.random.pick(&PARTS)),
        };
        let rows = self.random.within(1..=rows);
        let row = self.random.below(ty.rows - (rows - 1) * step);
        let column = self.random.below(ty.columns - (width - 1) * column_stride);
        let (offset, row_stride) = (row * ty.columns + column, step * ty.columns);
        (Region { offset, dynamic: None, row_stride, width, column_stride }, rows)
    }

    fn odd_step(&mut self) {
        let (x, ty) = self.late();
        let Some(elem) = ty.elem() else { return };
        match self.random.below(26) {
            0 | 1 => self.odd_read(),
            2..=6 => {
                let (region, rows) = self.selected(ty);
                self.kept(Op::Region(x, region), Type::new(elem, rows, region.width));
            }
            7..=12 => self.odd_map(x, ty, elem),
            13 | 14 => {
                let to = self.random.pick(&CONVERTED);
                let limited = self.random.once_in(3) && !to.is_float();
                let op = if limited { Op::saturate(x, to) } else { Op::convert(x, to) };
                self.kept(op, ty.with_elem(to));
            }
            15 if elem.bytes() >= 4 => {
                let negated = elem.is_float() || self.random.flip();
                let kind = if negated { MapKind::Neg } else { MapKind::Not };
                self.kept(Op::map(kind, elem, &[x]), ty);
            }
            15 => {
                let wide = self.typed(x, ty, ElemType::I32);
                let wide_ty = ty.with_elem(ElemType::I32);
                let negated = self.hidden(Op::map(MapKind::Neg, ElemType::I32, &[wide]), wide_ty);
                self.kept(Op::convert(negated, elem), ty);
            }
            16..=18 => self.odd_merge(x, ty, elem),
            19..=21 => self.odd_insert(x, ty, elem),
            22 => self.odd_format(x, ty, elem),
            23 => {
                // A variable that is stored twice.
                let variable = self.declare(x, ty);
                let loaded = self.hidden(Op::Load(variable), ty);
                let common = computed_in(elem);
                let op = Op::map(MapKind::Add, common, &[loaded, x]);
                let sum = self.hidden(op, ty.with_elem(common));
                let sum = self.typed(sum, ty.with_elem(common), elem);
                self.effect(Op::Store(variable, sum), ty);
                self.kept(Op::Load(variable), ty);
            }
            24 if ty.rows.is_power_of_two() => {
                // A row that is known at run time only.
                let op = self.block_of_input(3, 5);
                let bits = self.hidden(op, INDEX);
                let last = self.number(ElemType::U32, ty.rows as u64 - 1);
                let row = self.hidden(Op::map(MapKind::And, ElemType::U32, &[bits, last]), INDEX);
                let columns = self.number(ElemType::U32, ty.columns as u64);
                let offset = self.hidden(Op::map(MapKind::Mul, ElemType::U32, &[row, columns]), INDEX);
                let region = Region { dynamic: Some(offset), ..Region::contiguous(0, ty.columns) };
                self.kept(Op::Region(x, region), Type::new(elem, 1, ty.columns));
            }
            25 => {
                // Elements picked by indices.
                let (index, of) = self.late();
                if of.count() <= 64 && of.elem().is_some_and(|elem| !elem.is_float()) {
                    let index = self.typed(index, of, ElemType::U32);
                    let row = Type::new(ElemType::U32, 1, of.count());
                    let flat = Op::Region(index, Region::contiguous(0, of.count()));
                    let index = if of.rows == 1 { index } else { self.hidden(flat, row) };
                    self.kept(Op::Iselect(x, index), row.with_elem(elem));
                }
            }
            _ => {}
        }
    }

    /// An operation with another register or a number, mostly converted at once, as assignments do.
    fn odd_map(&mut self, x: Value, ty: Type, elem: ElemType) {
        let other = if self.random.once_in(3) { None } else { self.shaped(ty) };
        let common = if elem.is_float() {
            elem
        } else {
            let (signed, unsigned, float) = (ElemType::I32, ElemType::U32, ElemType::F32);
            self.random.pick(&[signed, signed, signed, unsigned, float])
        };
        // An operation on integers takes no floats.
        let other =
            other.filter(|(_, of)| common.is_float() || of.elem().is_some_and(|elem| !elem.is_float()));
        let kinds: &[MapKind] = if common.is_float() { &FLOAT_KINDS } else { &INTEGER_KINDS };
        let kind = self.random.pick(kinds);
        let y = match other {
            Some((y, _)) => y,
            None => {
                let bits = match common.is_float() {
                    true => self.random.pick(&FLOATS).to_bits().into(),
                    false => self.random.pick(&INTEGERS),
                };
                let number = self.number(common, bits);
                self.hidden(Op::Splat(number), ty.with_elem(common))
            }
        };
        let is_mask = kind.class().is_comparison();
        let of = if is_mask { ElemType::U16 } else { common };
        let value = self.kept(Op::map(kind, common, &[x, y]), ty.with_elem(of));
        if !is_mask && !self.random.once_in(4) {
            let to = self.random.pick(&ASSIGNED);
            let limited = self.random.once_in(4);
            let op = if limited { Op::saturate(value, to) } else { Op::convert(value, to) };
            self.kept(op, ty.with_elem(to));
        }
    }

    /// One of two registers element by element, mostly by their order: minima, maxima and absolute values.
    fn odd_merge(&mut self, x: Value, ty: Type, elem: ElemType) {
        let Some((y, of)) = self.shaped(ty) else { return };
        let y = self.typed(y, of, elem);
        let mask_ty = ty.with_elem(ElemType::U16);
        let masks: Vec<_> = self.values.iter().filter(|(_, of)| *of == mask_ty).copied().collect();
        let mask = if !masks.is_empty() && self.random.flip() {
            self.random.pick(&masks).0
        } else {
            let kind = self.random.pick(&[MapKind::Lt, MapKind::Gt, MapKind::Le, MapKind::Ge]);
            self.hidden(Op::map(kind, computed_in(elem), &[x, y]), mask_ty)
        };
        self.kept(Op::map(MapKind::Merge, elem, &[mask, x, y]), ty);
    }

    /// A part of a register replaced: by a register of that shape, or by the sum of the part with itself.
    fn odd_insert(&mut self, x: Value, ty: Type, elem: ElemType) {
        let (region, rows) = self.selected(ty);
        let part_ty = Type::new(elem, rows, region.width);
        let part = match self.shaped(part_ty) {
            Some((part, of)) => self.typed(part, of, elem),
            None => {
                let part = self.hidden(Op::Region(x, region), part_ty);
                let common = computed_in(elem);
                let sum = Op::map(MapKind::Add, common, &[part, part]);
                let sum = self.hidden(sum, part_ty.with_elem(common));
                self.typed(sum, part_ty.with_elem(common), elem)
            }
        };
        self.kept(Op::Insert(x, region, part), ty);
    }

    /// The bytes of a register as other integers, in rows of any length that divides them.
    fn odd_format(&mut self, x: Value, ty: Type, elem: ElemType) {
        let to = self.random.pick(&[ElemType::U8, ElemType::U16, ElemType::I16, ElemType::U32]);
        if elem.is_float() || !ty.bytes().is_multiple_of(to.bytes()) {
            return;
        }
        let count = ty.bytes() / to.bytes();
        let columns: Vec<usize> = (1..=count).filter(|columns| count.is_multiple_of(*columns)).collect();
        let columns = self.random.pick(&columns);
        self.kept(Op::Format(x), Type::new(to, count / columns, columns));
    }

    /// The value in a surface of its own, as far as it has room, in blocks of whole dwords.
    fn odd_write(&mut self, param: usize, value: Value, ty: Type) {
        let integer = if ty.elem().is_some_and(ElemType::is_float) { Some(ElemType::I32) } else { ty.elem() };
        let Some(elem) = integer else { return };
        let value = self.typed(value, ty, elem);
        let mut next = 0;
        self.write_blocks(value, ty.with_elem(elem), 0x5a, |_, rows| {
            let y = next;
            next += rows;
            (next <= HEIGHT).then_some((param, 0, y))
        });
    }
}
