//! Matrices that blocks of a buffer are put together to, or that are written as blocks: with columns as rows, they are vectors
//! of elements.
//!
//! A scattered message moves vectors of up to four dwords, which become rows of registers. So it turns as many columns. As
//! blocks do, the matrix begins at a multiple of 16 bytes, and so does the padding at the end of a buffer: vectors of two or
//! four dwords are inside or outside of it as a whole. Messages of the load/store cache might read or write all or nothing of
//! a vector of three at the end, so they move single elements. Without that cache, a vector may be of two blocks, if offsets
//! grow with threads.

use rustc_hash::{FxHashMap, FxHashSet};

use super::part::flipped;
use super::shapes::Shapes;
use crate::elem::ElemType;
use crate::ir::{Bits, Block, Function, Inst, Op, ParamKind, Region, Type, Value};
use crate::limits::{DWORD, OWORD, SCATTERED_LANES};
use crate::ops::{AccessKind, LoadHints, MapKind, StoreHints};
use crate::spirv::facts::defs::Defs;
use crate::spirv::facts::known_zeros::KnownZeros;
use crate::spirv::facts::sums::Sums;
use crate::spirv::passes::expand::Expansion;
use crate::spirv::passes::neighbours::ends;

/// The lanes of a message on most devices.
const MESSAGE_LANES: usize = 16;

/// Where the elements of a matrix are in a buffer, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Place {
    param: usize,
    /// The offset of the first block, in bytes.
    start: Value,
    /// The elements of a vector.
    vector: usize,
    /// The first element of each block.
    starts: Vec<usize>,
    /// Whether no block reaches beyond the last offset, 2^32 - 1.
    is_apart: bool,
    /// Whether offsets grow with threads. Then a block reaches beyond the last offset only if its thread is far behind the
    /// largest buffers, and all of the thread's blocks are treated as outside.
    grows: bool,
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

impl Memory {
    pub(super) fn of(function: &Function, defs: &Defs<'_>, shapes: &Shapes, cached: bool) -> Self {
        let mut found = Self { read: FxHashMap::default(), written: FxHashMap::default() };
        let is_block = |inst: &Inst| {
            matches!(inst.op, Op::Access { kind: AccessKind::OwordRead | AccessKind::OwordWrite, .. })
        };
        if function.body.instructions().any(is_block) {
            let (sums, zeros) = (Sums::of(function), KnownZeros::of(function));
            let finder = Finder { function, defs, shapes, sums, zeros, cached };
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
    zeros: KnownZeros,
    /// Whether messages go through a load/store cache.
    cached: bool,
}

/// A block of a buffer, and its elements in the matrix.
struct Piece {
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
            let lanes = matrix.rows.is_power_of_two() && (2..=SCATTERED_LANES).contains(&matrix.rows);
            if !dwords || !lanes {
                continue;
            }
            let read = self
                .parts_read(inst, &at)
                .and_then(|(parts, between)| self.place(block, parts, between, (end, matrix.columns)));
            found.read.extend(read.map(|place| (x, place)));
            let parts = self.parts_written(inst, &written);
            let place = parts.and_then(|(parts, between)| {
                let end = parts.iter().map(|part| part.at).max()?;
                self.place(block, parts, between, (end, matrix.columns))
            });
            found.written.extend(place.map(|place| (x, place)));
        }
    }

    /// The blocks that a matrix is put together of, and what is in between.
    fn parts_read(&self, inst: &Inst, at: &FxHashMap<Value, usize>) -> Option<(Vec<Piece>, Vec<Value>)> {
        let (mut parts, mut between) = (vec![], vec![]);
        let (matrix, mut inst, mut left) = (inst, inst, inst.ty.count());
        let read = |inst: &Inst, first: usize| match &inst.op {
            Op::Access { kind: AccessKind::OwordRead, param, operands } => {
                let data = inst.result?;
                let (at, count, offset) = (*at.get(&data)?, inst.ty.count(), *operands.first()?);
                Some(Piece { at, first, count, param: *param, offset, data })
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
                    between.extend((matrix.result != Some(whole.data)).then_some(whole.data));
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
    ) -> Option<(Vec<Piece>, Vec<Value>)> {
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
            parts.push(Piece { at, first, count, param, offset, data });
        }
        let is_whole = parts.iter().map(|part| part.count).sum::<usize>() == inst.ty.count();
        let other = format.is_some_and(|format| self.defs.users(format).len() != parts.len());
        (is_whole && !other).then_some((parts, between))
    }

    /// The elements of the longest vectors for a matrix of so many columns, whose blocks start at these elements. No vector is
    /// of two blocks.
    fn vector(&self, columns: usize, starts: &[usize]) -> usize {
        let fits = |vector: &usize| {
            let divides =
                columns.is_multiple_of(*vector) && starts.iter().all(|first| first.is_multiple_of(*vector));
            divides && !(self.cached && *vector == 3)
        };
        [4, 2, 3].into_iter().find(fits).unwrap_or(1)
    }

    /// The place of a matrix, if its blocks follow each other in a buffer of such elements, and nothing else may change the
    /// buffer, or read what is written, between the first block and the position `end`.
    fn place(
        &self,
        block: &Block,
        mut parts: Vec<Piece>,
        between: Vec<Value>,
        (end, columns): (usize, usize),
    ) -> Option<Place> {
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
                    writes || kind.spec().effect.writes()
                }
                _ => ends(inst),
            };
            other && !own.contains(&at)
        };
        let among = block.insts.iter().enumerate().take(end + 1).skip(start_at);
        let is_free = !among.into_iter().any(disturbs);
        let uses = if between.len() > parts.len() { 1 } else { parts.len() };
        let starts: Vec<usize> = parts.iter().map(|part| part.first).collect();
        let grows = self.sums.grows_with_threads(start);
        let vector = self.vector(columns, if grows { &[] } else { &starts });
        let zeros = self.zeros.low_zeros(start).clamp(OWORD.trailing_zeros(), u32::BITS - 1);
        let is_inside = |part: &Piece| {
            let [first, bytes] = [part.first, part.count].map(|elements| elements * DWORD);
            first % (1 << zeros) + bytes <= 1 << zeros
        };
        let is_apart = parts.iter().all(is_inside);
        parts.sort_by_key(|part| part.at);
        let data = parts.iter().map(|part| part.data).collect();
        is_free.then_some(Place { param, start, vector, starts, is_apart, grows, between, uses, data })
    }
}

/// The rows of message `n` in a matrix with columns as rows.
const fn rows(n: usize, part: Type) -> Region {
    let all = Region::contiguous(n * part.count(), part.count());
    Region { row_stride: part.columns, width: part.columns, ..all }
}

impl Place {
    /// The instructions that read or write a matrix as vectors, messages and their addresses, beyond those of its blocks.
    pub(super) const fn instructions(&self, matrix: Type) -> usize {
        let messages = matrix.columns.div_ceil(self.vector) * matrix.rows.div_ceil(MESSAGE_LANES);
        (4 + messages * if self.is_apart || self.grows { 3 } else { 4 }).saturating_sub(self.data.len() * 2)
    }

    /// Reads the matrix with columns as rows.
    pub(super) fn read(&self, matrix: Type, insts: &mut Expansion) -> Value {
        let turned = flipped(matrix);
        let part = Type { rows: self.vector, ..turned };
        let mut whole = None;
        for (n, numbers) in self.numbers(matrix, insts).into_iter().enumerate() {
            let kind = match self.vector {
                1 => AccessKind::Gather(LoadHints::Default),
                _ => AccessKind::GatherVectors(LoadHints::Default),
            };
            let read = insts.emit(Op::Access { kind, param: self.param, operands: vec![numbers] }, part);
            if part == turned {
                return read;
            }
            let before = whole.unwrap_or_else(|| insts.undefined(turned));
            whole = Some(insts.emit(Op::Insert(before, rows(n, part), read), turned));
        }
        whole.unwrap_or_else(|| insts.undefined(turned))
    }

    /// Writes the matrix, which has columns as rows.
    pub(super) fn write(&self, turned: Value, matrix: Type, insts: &mut Expansion) {
        let part = Type { rows: self.vector, columns: matrix.rows, ..matrix };
        for (n, numbers) in self.numbers(matrix, insts).into_iter().enumerate() {
            let data = insts.emit(Op::Region(turned, rows(n, part)), part);
            let kind = match self.vector {
                1 => AccessKind::Scatter(StoreHints::Default),
                _ => AccessKind::ScatterVectors(StoreHints::Default),
            };
            insts.push(Op::Access { kind, param: self.param, operands: vec![numbers, data] }, None, part);
        }
    }

    /// The numbers of the first elements of the vectors of each message.
    fn numbers(&self, matrix: Type, insts: &mut Expansion) -> Vec<Value> {
        let bytes: Vec<usize> = (0..matrix.rows).map(|row| row * matrix.columns * DWORD).collect();
        let vector = self.vector * DWORD;
        let vectors = matrix.columns / self.vector;
        if self.is_apart || self.grows {
            return self.following((bytes, None), vectors, insts);
        }
        // The vectors of the same blocks follow each other.
        let blocks =
            |n: usize| -> Vec<usize> { bytes.iter().map(|own| self.block(own + n * vector)).collect() };
        let mut numbers = vec![];
        while numbers.len() < vectors {
            let first = numbers.len();
            let own = blocks(first);
            let within = bytes.iter().zip(&own).map(|(byte, block)| byte + first * vector - block).collect();
            let end = (first + 1..vectors).find(|n| blocks(*n) != own).unwrap_or(vectors);
            numbers.extend(self.following((own, Some(within)), end - first, insts));
        }
        numbers
    }

    /// A start that is not so large that offsets wrap: those behind the largest buffers become the first of them.
    fn outside(&self, start: Value, insts: &mut Expansion) -> Value {
        let one = Type::scalar(ElemType::U32);
        let end = insts.constant(1 << 31, one);
        insts.map(MapKind::Min, ElemType::U32, &[start, end], one)
    }

    /// The first byte of the block of a byte.
    fn block(&self, byte: usize) -> usize {
        self.starts.iter().map(|first| first * DWORD).filter(|first| *first <= byte).max().unwrap_or(0)
    }

    /// The numbers of the elements at these offsets in bytes, and of `count` - 1 vectors behind them. If the offsets are those
    /// of blocks, the elements are `within` so many bytes of these: the offset of a block wraps, but a block does not, so what
    /// begins before the buffer is outside as a whole.
    fn following(
        &self,
        (offsets, within): (Vec<usize>, Option<Vec<usize>>),
        count: usize,
        insts: &mut Expansion,
    ) -> Vec<Value> {
        let each = Type::new(ElemType::U32, 1, offsets.len());
        let constant = |numbers: Vec<usize>, insts: &mut Expansion| match numbers[..] {
            [first, ref others @ ..] if others.iter().all(|other| *other == first) => {
                insts.constant(first as u64, each)
            }
            _ => insts.emit(Op::Constant(Bits::Each(numbers.iter().map(|n| *n as u64).collect())), each),
        };
        let map = |insts: &mut Expansion, kind, a, b| insts.map(kind, ElemType::U32, &[a, b], each);
        let plus = |to: Value, n: usize, insts: &mut Expansion| match n {
            0 => to,
            _ => {
                let plus = insts.constant(n as u64, each);
                map(insts, MapKind::Add, to, plus)
            }
        };
        // As the offsets of blocks, in whole owords.
        let one = Type::scalar(ElemType::U32);
        let mask = insts.constant(u64::from(!(OWORD as u32 - 1)), one);
        let start = insts.map(MapKind::And, ElemType::U32, &[self.start, mask], one);
        let start = if self.grows && !self.is_apart { self.outside(start, insts) } else { start };
        let start = insts.splat(start, each);
        let offsets = constant(offsets, insts);
        let blocks = map(insts, MapKind::Add, start, offsets);
        let shift = insts.constant(u64::from(DWORD.trailing_zeros()), each);
        let Some(within) = within else {
            // Single elements are joined to vectors later, by their numbers.
            if self.vector == 1 {
                let first = map(insts, MapKind::Shr, blocks, shift);
                return (0..count).map(|n| plus(first, n, insts)).collect();
            }
            let number = |n: usize| {
                let bytes = plus(blocks, n * self.vector * DWORD, insts);
                map(insts, MapKind::Shr, bytes, shift)
            };
            return (0..count).map(number).collect();
        };
        let sign = insts.constant(1 << 31, each);
        let before = map(insts, MapKind::And, blocks, sign);
        let within = constant(within, insts);
        let first = map(insts, MapKind::Add, blocks, within);
        let number = |n: usize| {
            let bytes = plus(first, n * self.vector * DWORD, insts);
            let bytes = map(insts, MapKind::Or, bytes, before);
            map(insts, MapKind::Shr, bytes, shift)
        };
        (0..count).map(number).collect()
    }
}

#[cfg(test)]
mod tests;
