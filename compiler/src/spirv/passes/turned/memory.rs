//! Matrices that blocks of a buffer are put together to, or that are written as blocks: with columns as rows, they are vectors
//! of elements.
//!
//! A scattered message moves vectors of four dwords, which become four rows of registers. So it turns four columns. As
//! blocks do, the vectors begin at multiples of 16 bytes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::shapes::Shapes;
use crate::ir::{Block, Function, Inst, Op, ParamKind, Region, Type, Value};
use crate::limits::{DWORD, OWORD};
use crate::ops::{AccessKind, Effect, LoadHints, MapKind, StoreHints};
use crate::spirv::facts::defs::Defs;
use crate::spirv::facts::sums::Sums;
use crate::spirv::passes::expand::{Expansion, LANES};
use crate::spirv::passes::neighbours::ends;

/// The elements of a vector.
const VECTOR: usize = OWORD / DWORD;

/// Where the elements of a matrix are in a buffer, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Place {
    param: usize,
    /// The offset of the first block, in bytes.
    start: Value,
    /// What is between the blocks and the matrix.
    pub(super) between: Vec<Value>,
    /// How many uses of the matrix are blocks that are written.
    pub(super) uses: usize,
    /// The data of each block, in the order of the blocks of the kernel.
    pub(super) data: Vec<Value>,
}

/// The matrices of a kernel that are whole parts of buffers.
pub(super) struct Memory {
    pub(super) read: FxHashMap<Value, Place>,
    pub(super) written: FxHashMap<Value, Place>,
}

/// The instructions that read or write a matrix as vectors: a message and its addresses.
pub(super) const fn instructions(matrix: Type) -> usize {
    1 + matrix.columns.div_ceil(VECTOR) * 3
}

impl Memory {
    pub(super) fn of(function: &Function, defs: &Defs<'_>, shapes: &Shapes) -> Self {
        let mut found = Self { read: FxHashMap::default(), written: FxHashMap::default() };
        let is_block = |inst: &Inst| {
            matches!(inst.op, Op::Access { kind: AccessKind::OwordRead | AccessKind::OwordWrite, .. })
        };
        if function.body.instructions().any(is_block) {
            let finder = Finder { function, defs, shapes, sums: Sums::of(function) };
            finder.block(&function.body, &mut found);
        }
        found
    }
}

struct Finder<'a> {
    function: &'a Function,
    defs: &'a Defs<'a>,
    shapes: &'a Shapes,
    sums: Sums,
}

/// A block of a buffer, and its elements in the matrix.
struct Part {
    /// The position of the instruction that reads or writes it.
    at: usize,
    first: usize,
    count: usize,
    param: usize,
    offset: Value,
    data: Value,
}

impl Finder<'_> {
    fn block(&self, block: &Block, found: &mut Memory) {
        for inner in block.insts.iter().flat_map(|inst| inst.op.blocks()) {
            self.block(inner, found);
        }
        // The positions of results, and of the instructions that write data.
        let results = block.insts.iter().enumerate().filter_map(|(at, inst)| Some((inst.result?, at)));
        let at: FxHashMap<Value, usize> = results.collect();
        let written = block.insts.iter().enumerate().filter_map(|(at, inst)| match &inst.op {
            Op::Access { kind: AccessKind::OwordWrite, operands, .. } => Some((*operands.last()?, at)),
            _ => None,
        });
        let written: FxHashMap<Value, usize> = written.collect();
        for (end, inst) in block.insts.iter().enumerate() {
            let Some(x) = inst.result else { continue };
            let matrix = self.shapes.of(inst.ty);
            let dwords = matrix.elem().is_some_and(|elem| elem.bytes() == DWORD);
            let fits = matrix.columns.is_multiple_of(VECTOR)
                && matrix.rows.is_power_of_two()
                && matrix.rows <= LANES;
            if matrix.rows < 2 || !dwords || !fits {
                continue;
            }
            let read = self
                .parts_read(inst, &at)
                .and_then(|(parts, between)| self.place(block, parts, between, end));
            found.read.extend(read.map(|place| (x, place)));
            let parts = self.parts_written(inst, &written);
            let place = parts.and_then(|(parts, between)| {
                let end = parts.iter().map(|part| part.at).max()?;
                self.place(block, parts, between, end)
            });
            found.written.extend(place.map(|place| (x, place)));
        }
    }

    /// The blocks that a matrix is put together of, and what is in between.
    fn parts_read(&self, inst: &Inst, at: &FxHashMap<Value, usize>) -> Option<(Vec<Part>, Vec<Value>)> {
        let (mut parts, mut between) = (vec![], vec![]);
        let (mut inst, mut left) = (inst, inst.ty.count());
        let read = |inst: &Inst, first: usize| match &inst.op {
            Op::Access { kind: AccessKind::OwordRead, param, operands } => {
                let data = inst.result?;
                let (at, count, offset) = (*at.get(&data)?, inst.ty.count(), *operands.first()?);
                Some(Part { at, first, count, param: *param, offset, data })
            }
            _ => None,
        };
        while left > 0 {
            let next = match inst.op {
                Op::Format(of) => of,
                Op::Insert(whole, region, part) => {
                    let part = read(self.defs.get(part)?, region.offset)?;
                    if region.dynamic.is_some() || !region.is_contiguous(part.count) || part.count > left {
                        return None;
                    }
                    between.push(part.data);
                    left -= part.count;
                    parts.push(part);
                    whole
                }
                _ => {
                    let whole = read(inst, 0).filter(|whole| whole.count == left)?;
                    between.push(whole.data);
                    left = 0;
                    parts.push(whole);
                    continue;
                }
            };
            if left > 0 {
                let of = self.defs.get(next)?;
                if of.ty.count() != inst.ty.count() || of.ty.elem() != inst.ty.elem() {
                    return None;
                }
                between.push(next);
                inst = of;
            }
        }
        Some((parts, between))
    }

    /// The blocks that a matrix is written as, and what is in between.
    fn parts_written(
        &self,
        inst: &Inst,
        written: &FxHashMap<Value, usize>,
    ) -> Option<(Vec<Part>, Vec<Value>)> {
        let (mut parts, mut between) = (vec![], vec![]);
        let mut x = inst.result?;
        let format = self.defs.users(x).iter().find_map(|user| match user.op {
            Op::Format(_) if user.ty.count() == inst.ty.count() && user.ty.elem() == inst.ty.elem() => {
                user.result
            }
            _ => None,
        });
        if let Some(format) = format {
            between.push(format);
            x = format;
        }
        for user in self.defs.users(x) {
            let (data, first) = match (&user.op, user.result) {
                (Op::Region(_, region), Some(data))
                    if region.dynamic.is_none()
                        && region.is_contiguous(user.ty.count())
                        && self.defs.user(data).is_some() =>
                {
                    (data, region.offset)
                }
                (Op::Access { kind: AccessKind::OwordWrite, .. }, None) => (x, 0),
                _ => continue,
            };
            let Some(at) = written.get(&data).copied() else { continue };
            let writer = self.defs.users(data).iter().find_map(|user| match &user.op {
                Op::Access { kind: AccessKind::OwordWrite, param, operands } => {
                    Some((*param, *operands.first()?, user.ty.count()))
                }
                _ => None,
            });
            let (param, offset, count) = writer?;
            if data != x {
                between.push(data);
            }
            parts.push(Part { at, first, count, param, offset, data });
        }
        let is_whole = parts.iter().map(|part| part.count).sum::<usize>() == inst.ty.count();
        let other = format.is_some_and(|format| self.defs.users(format).len() != parts.len());
        (is_whole && !other).then_some((parts, between))
    }

    /// The place of a matrix, if its blocks follow each other in a buffer of such elements, and nothing else may change the
    /// buffer, or read what is written, between the first block and the position `end`.
    fn place(&self, block: &Block, mut parts: Vec<Part>, between: Vec<Value>, end: usize) -> Option<Place> {
        parts.sort_by_key(|part| part.first);
        let first = parts.first()?;
        let (param, start) = (first.param, first.offset);
        let of = self.sums.get(start)?;
        let mut next = 0;
        for part in &parts {
            let distance = of.distance(self.sums.get(part.offset)?)?;
            if part.first != next || part.param != param || distance as usize != next * DWORD {
                return None;
            }
            next += part.count;
        }
        let kind = &self.function.params.get(param)?.kind;
        matches!(kind, ParamKind::Buffer { elem, .. } if elem.bytes() == DWORD).then_some(())?;
        let own: FxHashSet<usize> = parts.iter().map(|part| part.at).collect();
        let start_at = *own.iter().min()?;
        let writes = own.iter().any(|at| block.insts[*at].result.is_none());
        let disturbs = |(at, inst): (usize, &Inst)| {
            let other = match &inst.op {
                Op::Access { kind, param: other, .. } if *other == param => {
                    let effect = kind.spec().effect;
                    writes || effect.writes() || matches!(effect, Effect::Update(_))
                }
                _ => ends(inst),
            };
            other && !own.contains(&at)
        };
        let among = block.insts.iter().enumerate().take(end + 1).skip(start_at);
        let is_free = !among.into_iter().any(disturbs);
        let uses = if between.len() > parts.len() { 1 } else { parts.len() };
        parts.sort_by_key(|part| part.at);
        let data = parts.iter().map(|part| part.data).collect();
        is_free.then_some(Place { param, start, between, uses, data })
    }
}

impl Place {
    /// Reads the matrix with columns as rows.
    pub(super) fn read(&self, matrix: Type, insts: &mut Expansion) -> Value {
        let turned = super::part::flipped(matrix);
        let part = Type { rows: VECTOR, ..turned };
        let mut whole = None;
        for (n, numbers) in self.numbers(matrix, insts).into_iter().enumerate() {
            let kind = AccessKind::GatherVectors(LoadHints::Default);
            let read = insts.emit(Op::Access { kind, param: self.param, operands: vec![numbers] }, part);
            if part == turned {
                return read;
            }
            let before = whole.unwrap_or_else(|| insts.undefined(turned));
            let region = Region::contiguous(n * part.count(), part.count());
            let region = Region { row_stride: part.columns, width: part.columns, ..region };
            whole = Some(insts.emit(Op::Insert(before, region, read), turned));
        }
        whole.unwrap_or_else(|| insts.undefined(turned))
    }

    /// Writes the matrix, which has columns as rows.
    pub(super) fn write(&self, turned: Value, matrix: Type, insts: &mut Expansion) {
        let part = Type { rows: VECTOR, columns: matrix.rows, ..matrix };
        for (n, numbers) in self.numbers(matrix, insts).into_iter().enumerate() {
            let region = Region {
                offset: n * part.count(),
                dynamic: None,
                row_stride: part.columns,
                width: part.columns,
                column_stride: 1,
            };
            let data = insts.emit(Op::Region(turned, region), part);
            let kind = AccessKind::ScatterVectors(StoreHints::Default);
            insts.push(Op::Access { kind, param: self.param, operands: vec![numbers, data] }, None, part);
        }
    }

    /// The numbers of the first elements of the vectors of each message.
    fn numbers(&self, matrix: Type, insts: &mut Expansion) -> Vec<Value> {
        use crate::elem::ElemType::U32;
        let one = Type::scalar(U32);
        let each = Type::new(U32, 1, matrix.rows);
        let splat = |insts: &mut Expansion, number: usize| insts.constant(number as u64, each);
        // As the offsets of blocks, in whole owords.
        let mask = insts.constant(u64::from(!(OWORD as u32 - 1)), one);
        let start = insts.map(MapKind::And, U32, &[self.start, mask], one);
        let start = insts.splat(start, each);
        let rows = (0..matrix.rows).map(|row| (row * matrix.columns * DWORD) as u64).collect();
        let rows = insts.emit(Op::Constant(crate::ir::Bits::Each(rows)), each);
        let first = insts.map(MapKind::Add, U32, &[start, rows], each);
        let shift = splat(insts, DWORD.trailing_zeros() as usize);
        (0..matrix.columns / VECTOR)
            .map(|n| {
                let place = splat(insts, n * OWORD);
                let bytes = if n == 0 { first } else { insts.map(MapKind::Add, U32, &[first, place], each) };
                insts.map(MapKind::Shr, U32, &[bytes, shift], each)
            })
            .collect()
    }
}
