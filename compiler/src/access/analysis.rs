//! Finds the accesses of a recorded kernel, and their positions.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::affine::Affine;
use super::buffer::{BufferUse, Reach};
use super::merge::Merge;
use super::numbers::{AffineFacts, AffineNumbers, Extent, LARGEST, known};
use super::obstacle::Sources;
use super::summary::{Block2dUse, Moved, Summary, SurfaceUse, TexelAccess};
use super::work::work;
use crate::dataflow::forward;
use crate::divergence::rows_stay_together;
use crate::elem::ElemType;
use crate::ir::{Bits, Function, Grid, Inst, Op, Param, ParamKind, Type, Value, View};
use crate::limits::DWORD;
use crate::ops::{Address, Carries, Dims, Effect, MapKind, MemoryKind};

/// Summarises what `function` does in thread spaces of any size, without its data.
#[must_use]
pub fn summary(function: &Function) -> Summary {
    Analysis::of(function).into_summary()
}

/// Summarises what `function` does in a launch of this grid with these arguments, without its data. The arguments are
/// the bits of the known numbers, by parameter.
#[must_use]
pub fn summary_in(function: &Function, grid: Grid, arguments: &[(usize, u64)]) -> Summary {
    Analysis::with(function, &AffineNumbers::of(function, Extent { grid, sizes: true, arguments })).summary
}

/// The single-number parameters on which the positions of accesses may depend.
#[must_use]
pub fn uniforms(function: &Function) -> Vec<usize> {
    let (mut values, mut stored, mut asked) =
        (FxHashMap::default(), FxHashMap::<_, Vec<_>>::default(), vec![]);
    for inst in function.body.instructions() {
        values.extend(inst.result.map(|result| (result, inst)));
        match &inst.op {
            Op::Declare(variable, Some(x)) | Op::Store(variable, x) => {
                stored.entry(*variable).or_default().push(*x);
            }
            // The number of times a loop adds to a variable.
            Op::Loop(_, condition, _) => asked.push(*condition),
            Op::Access { kind, operands, .. } => {
                asked.extend(operands.iter().take(kind.spec().address.operands().len()));
            }
            _ => {}
        }
    }
    let (mut seen, mut found) = (FxHashSet::default(), BTreeSet::new());
    while let Some(value) = asked.pop() {
        let Some(inst) = values.get(&value).filter(|_| seen.insert(value)) else { continue };
        match &inst.op {
            Op::Argument(n) if inst.ty.count() == 1 => _ = found.insert(*n),
            Op::Load(variable) => asked.extend(stored.get(variable).into_iter().flatten()),
            op => asked.extend(op.operands()),
        }
    }
    found.into_iter().collect()
}

/// The analysis of a function: its accesses and its numbers.
#[derive(Debug)]
pub struct Analysis {
    numbers: AffineFacts,
    summary: Summary,
}

impl Analysis {
    /// Follows the numbers of a function in thread spaces.
    #[must_use]
    pub fn of(function: &Function) -> Self {
        Self::with(function, &AffineNumbers::of(function, LARGEST))
    }

    /// The analysis of the function with these numbers.
    fn with(function: &Function, of: &AffineNumbers<'_>) -> Self {
        let numbers = forward(&function.body, of);
        let work = work(&function.body, &|inst| of.rounds(inst, &numbers));
        let summary = accesses(function, &numbers, work, of.extent.grid);
        Self { numbers, summary }
    }

    /// The summary of the function.
    #[must_use]
    pub fn into_summary(self) -> Summary {
        self.summary
    }

    /// The index of the first of these numbers that is known not to be a multiple of a dword in every thread.
    #[must_use]
    pub fn broken_dword(&self, candidates: impl IntoIterator<Item = Value>) -> Option<usize> {
        let broken = |known: Affine| !known.starts_at_multiple_of(DWORD as i64);
        candidates.into_iter().position(|candidate| known(candidate, &self.numbers).is_some_and(broken))
    }
}

/// The accesses of a function, with their positions in this grid if they are known.
fn accesses(function: &Function, numbers: &AffineFacts, work: u64, grid: Grid) -> Summary {
    let (mut accesses, mut buffers, mut blocks) = (vec![], vec![], vec![]);
    let sources = Sources::of(function);
    let mut insts = FxHashMap::default();
    let (mut conditions, mut instructions) = (false, 0);
    let all_used = OnceCell::new();
    let used = || {
        let all = || function.body.instructions().flat_map(|inst| inst.op.operands()).collect();
        all_used.get_or_init(all) as &FxHashSet<Value>
    };
    for inst in function.body.instructions() {
        instructions += 1;
        conditions |= inst.op.is_control_flow();
        insts.extend(inst.result.map(|result| (result, inst)));
        let Op::Access { kind, param: argument, operands } = &inst.op else { continue };
        let (spec, argument, location) = (kind.spec(), *argument, inst.location.clone());
        let position = operands.get(..spec.address.operands().len()).unwrap_or(operands);
        let writes = spec.effect.writes();
        if matches!(function.params.get(argument), Some(Param { kind: ParamKind::Shared { .. }, .. })) {
            // Each group has its own memory.
            continue;
        }
        match spec.memory {
            MemoryKind::Surface | MemoryKind::Surface3d => {
                let at = |n: usize| known(*operands.get(n)?, numbers);
                let moved = match (spec.address, inst.ty.elem()) {
                    (Address::Texels(dims), Some(elem)) => {
                        let atomic = matches!(spec.effect, Effect::Update(_));
                        let column = operands.first().and_then(|u| known(inside(*u, 1, &insts), numbers));
                        let slice = match dims {
                            Dims::Two => Some(Affine::constant(0)),
                            Dims::Three => at(2),
                        };
                        Moved::Texels(TexelAccess { elem, atomic, column, slice })
                    }
                    _ => {
                        let width = inst.ty.columns * inst.ty.elem().map_or(0, ElemType::bytes);
                        Moved::Block { x: at(0), width, rows: inst.ty.rows }
                    }
                };
                let obstacle = sources.obstacle(position, numbers);
                accesses.push(SurfaceUse { argument, writes, y: at(1), moved, obstacle, location });
            }
            MemoryKind::Buffer if let Carries::Block2d(form) = spec.carries => {
                let number = |n: usize| known(*operands.get(n)?, numbers);
                let constant = |n| number(n).filter(|x| x.is_constant()).map(|x| x.constant);
                let shape = [constant(0), constant(1), constant(2)];
                let (bytes, Type { rows, columns, .. }) =
                    (inst.ty.elem().map_or(1, ElemType::bytes), inst.ty);
                let [rows, columns] = form.in_memory(rows, columns, bytes);
                let column = number(3).and_then(|x| x.scaled(bytes as i64));
                let known = column.zip(number(4)).zip(shape[2]);
                let reach = known.map_or(Reach::Anywhere, |((x, y), pitch)| Reach::Rows {
                    x,
                    y,
                    width: columns * bytes,
                    rows,
                    pitch,
                });
                // A prefetch neither reads nor writes.
                if spec.effect != Effect::Prefetch {
                    let (location, obstacle) = (location.clone(), sources.obstacle(position, numbers));
                    buffers.push(BufferUse { argument, writes, reach, merge: None, obstacle, location });
                }
                blocks.push(Block2dUse { argument, elem: bytes, shape, column, location });
            }
            // Nor does a prefetch of dwords.
            MemoryKind::Buffer if spec.effect == Effect::Prefetch => {}
            MemoryKind::Buffer => {
                let start = operands.first().and_then(|offset| known(*offset, numbers));
                let reach = match (spec.address, start) {
                    (Address::Bytes { alignment }, Some(start)) => {
                        Reach::Block { start, bytes: inst.ty.bytes(), alignment: alignment.bytes() }
                    }
                    (Address::Elements | Address::Vectors, _) => {
                        let size = inst.ty.elem().map_or(1, ElemType::bytes);
                        let rows = if spec.address == Address::Vectors { inst.ty.rows } else { 1 };
                        let start = known(inside(operands[0], size, &insts), numbers)
                            .and_then(|first| first.scaled(size as i64)?.of_type(ElemType::I32, grid));
                        start.map_or(Reach::Anywhere, |start| Reach::Block {
                            start,
                            bytes: size * rows,
                            alignment: size,
                        })
                    }
                    _ => Reach::Anywhere,
                };
                let merge = match spec.effect {
                    Effect::Update(kind) if inst.result.is_none_or(|old| !used().contains(&old)) => {
                        inst.ty.elem().and_then(|elem| Merge::of(kind, elem))
                    }
                    _ => None,
                };
                let obstacle = sources.obstacle(position, numbers);
                buffers.push(BufferUse { argument, writes, reach, merge, obstacle, location });
            }
        }
    }
    let overlapping = overlapping(function, &accesses);
    let together = !conditions || rows_stay_together(function);
    Summary { accesses, buffers, blocks, overlapping, conditions, together, instructions, work }
}

/// The element numbers that may be inside a buffer, for elements of this size, or the columns that may be inside a
/// surface, of size 1. A mask replaces the numbers of the lanes that it leaves out by one outside.
fn inside(elements: Value, size: usize, insts: &FxHashMap<Value, &Inst>) -> Value {
    let source = |x: Value| insts.get(&x).map(|inst| &inst.op);
    match source(elements) {
        Some(Op::Map { kind: MapKind::Merge, operands, .. }) => match source(operands[2]) {
            // Byte numbers wrap. Numbers in the upper half are outside every buffer.
            Some(Op::Constant(Bits::Splat(element)))
                if (*element as u32).wrapping_mul(size as u32) > i32::MAX as u32 =>
            {
                operands[1]
            }
            _ => elements,
        },
        _ => elements,
    }
}

/// A written parameter that shares rows with another parameter.
fn overlapping(function: &Function, accesses: &[SurfaceUse]) -> Option<usize> {
    let shown = |access: &SurfaceUse| function.shown(access.argument);
    let written = accesses.iter().filter(|access| access.writes).find(|written| {
        let View { of, plane, field } = shown(written);
        accesses
            .iter()
            .map(shown)
            .any(|other| (other.of, other.plane) == (of, plane) && other.field.is_none() != field.is_none())
    });
    written.map(|access| access.argument)
}
