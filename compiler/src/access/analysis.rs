//! Follows affine numbers through a recorded kernel.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::affine::Affine;
use super::buffer::{BufferUse, Reach};
use super::counted::{Counted, Counters, Rounds};
use super::merge::Merge;
use super::summary::{Block2dAccess, Moved, Summary, SurfaceUse, TexelAccess};
use super::work::work;
use crate::dataflow::{Facts, Forward, forward, loads};
use crate::elem::ElemType;
use crate::ir::{Bits, Function, Grid, Inst, Op, Param, ParamKind, ThreadId, Type, Value, View};
use crate::limits::{DWORD, THREAD_SPACE};
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
    AffineNumbers::of(function, Extent { grid, sizes: true, arguments }).analysis(function).summary
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

/// The threads for which numbers are followed.
#[derive(Clone, Copy)]
struct Extent<'a> {
    grid: Grid,
    /// Whether this is the grid of the launch. If not, it has at most these groups, of one thread.
    sizes: bool,
    /// The known arguments.
    arguments: &'a [(usize, u64)],
}

/// The largest thread space: a kernel is analysed once for thread spaces of any size.
const LARGEST: Extent<'_> = Extent {
    grid: Grid::single([THREAD_SPACE as u32, THREAD_SPACE as u32, 1]),
    sizes: false,
    arguments: &[],
};

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
        AffineNumbers::of(function, LARGEST).analysis(function)
    }

    /// The summary of the function.
    #[must_use]
    pub fn into_summary(self) -> Summary {
        self.summary
    }

    /// The index of the first of these numbers that is known not to be a multiple of a dword in every thread.
    #[must_use]
    pub fn broken_dword(&self, candidates: impl IntoIterator<Item = Value>) -> Option<usize> {
        let broken = |known: Affine| !known.is_multiple_of(DWORD as i64);
        candidates.into_iter().position(|candidate| known(candidate, &self.numbers).is_some_and(broken))
    }
}

/// The accesses of a function, with their positions in this grid if they are known.
fn accesses(function: &Function, numbers: &AffineFacts, work: u64, grid: Grid) -> Summary {
    let (mut accesses, mut buffers, mut blocks) = (vec![], vec![], vec![]);
    let mut insts = FxHashMap::default();
    let (mut staged, mut instructions) = (false, 0);
    let all_used = OnceCell::new();
    let used = || {
        let all = || function.body.instructions().flat_map(|inst| inst.op.operands()).collect();
        all_used.get_or_init(all) as &FxHashSet<Value>
    };
    for inst in function.body.instructions() {
        instructions += 1;
        staged |= inst.op.is_control_flow();
        insts.extend(inst.result.map(|result| (result, inst)));
        let Op::Access { kind, param: argument, operands } = &inst.op else { continue };
        let (spec, argument, location) = (kind.spec(), *argument, inst.location.clone());
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
                accesses.push(SurfaceUse { argument, writes, y: at(1), moved, location });
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
                    let location = location.clone();
                    buffers.push(BufferUse { argument, writes, reach, merge: None, location });
                }
                blocks.push(Block2dAccess { argument, elem: bytes, shape, column, location });
            }
            // Nor does a prefetch of dwords.
            MemoryKind::Buffer if spec.effect == Effect::Prefetch => {}
            MemoryKind::Buffer => {
                let start = operands.first().and_then(|offset| known(*offset, numbers));
                let reach = match (spec.address, start) {
                    (Address::Bytes { alignment }, Some(start)) => {
                        Reach::Block { start, bytes: inst.ty.bytes(), alignment: alignment.bytes() }
                    }
                    (Address::Elements, _) => {
                        let size = inst.ty.elem().map_or(1, ElemType::bytes);
                        let start = known(inside(operands[0], size, &insts), numbers)
                            .and_then(|first| first.scaled(size as i64)?.of_type(ElemType::I32, grid));
                        start.map_or(Reach::Anywhere, |start| Reach::Block {
                            start,
                            bytes: size,
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
                buffers.push(BufferUse { argument, writes, reach, merge, location });
            }
        }
    }
    let overlapping = overlapping(function, &accesses);
    Summary::new(accesses, (buffers, blocks), overlapping, staged, (instructions, work))
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

type AffineFacts = Facts<Option<Affine>>;

fn known(value: Value, numbers: &AffineFacts) -> Option<Affine> {
    numbers.get(value).copied().flatten()
}

/// Numbers as affine functions, if they are known; for vectors, the set that contains every element.
struct AffineNumbers<'a> {
    /// Variables are followed only by their last store,
    loads: FxHashMap<Value, Value>,
    /// and if loops count them.
    counters: Counters,
    extent: Extent<'a>,
}

impl Forward for AffineNumbers<'_> {
    type Fact = Option<Affine>;

    fn unknown(&self, _: Type) -> Option<Affine> {
        None
    }

    fn join(&self, a: &Option<Affine>, b: &Option<Affine>) -> Option<Affine> {
        a.filter(|_| a == b)
    }

    fn transfer(&self, inst: &Inst, numbers: &AffineFacts) -> Option<Option<Affine>> {
        Some(inst.ty.elem().and_then(|elem| self.number(inst, elem, numbers)))
    }
}

impl Extent<'_> {
    /// An id or size of the thread.
    fn id(self, id: ThreadId) -> Option<Affine> {
        let Grid { groups, local } = self.grid;
        match id {
            ThreadId::Origin(axis) => {
                let size = i64::from(local[axis as usize]);
                Affine::group(axis as usize).scaled(size)?.add(Affine::local(axis as usize))
            }
            _ if !self.sizes => None,
            ThreadId::Local(axis) => Some(Affine::local(axis as usize)),
            ThreadId::LocalSize(axis) => Some(Affine::constant(local[axis as usize].into())),
            ThreadId::Group(axis) => Some(Affine::group(axis as usize)),
            ThreadId::GroupCount(axis) => Some(Affine::constant(groups[axis as usize].into())),
        }
    }
}

impl<'a> AffineNumbers<'a> {
    fn of(function: &Function, extent: Extent<'a>) -> Self {
        Self { loads: loads(&function.body), counters: Counters::of(&function.body), extent }
    }

    /// The analysis of the function with these numbers.
    fn analysis(&self, function: &Function) -> Analysis {
        let numbers = forward(&function.body, self);
        let rounds = |inst: &Inst| {
            let rest = self.later_rounds(self.counters.rounds(inst)?, &numbers)?;
            u64::try_from(rest).ok()?.checked_add(1)
        };
        let summary = accesses(function, &numbers, work(&function.body, &rounds), self.extent.grid);
        Analysis { numbers, summary }
    }

    /// The number of iterations of a loop after the first one.
    fn later_rounds(&self, rounds: &Rounds, numbers: &AffineFacts) -> Option<i64> {
        let grid = self.extent.grid;
        let Rounds { start, step, bound, inclusive, common } = *rounds;
        let of_comparison = |x: Value| known(x, numbers)?.converted(numbers.elem(x)?, common, grid);
        let (first, bound) = (of_comparison(start)?, of_comparison(bound)?);
        // In an unsigned comparison, numbers below zero are the largest.
        if !common.is_signed() && (first.range(grid).0 < 0 || bound.range(grid).0 < 0) {
            return None;
        }
        let (between, by) = (bound.add(first.scaled(-1)?)?, known(step, numbers)?);
        if !between.is_constant() || !by.is_constant() || by.constant <= 0 {
            return None;
        }
        let last = (between.constant - i64::from(!inclusive)).max(0) / by.constant;
        // A counter that wraps does not end the loop.
        first.spread_by(last + 1, by.constant)?.of_type(numbers.elem(start)?, grid)?;
        Some(last)
    }

    /// The numbers of a counted variable in the iterations of its loop.
    fn in_rounds(&self, counted: &Counted, elem: ElemType, numbers: &AffineFacts) -> Option<Affine> {
        let grid = self.extent.grid;
        let last = self.later_rounds(&counted.rounds, numbers)?;
        let step = known(counted.step, numbers).filter(|step| step.is_constant())?.constant;
        let step = if counted.down { step.checked_neg()? } else { step };
        known(counted.start, numbers)?.spread_by(last, step)?.of_type(elem, grid)
    }

    /// The number of every element of a result of this type, in every thread.
    fn number(&self, inst: &Inst, elem: ElemType, numbers: &AffineFacts) -> Option<Affine> {
        let grid = self.extent.grid;
        let converted = |x: Value, to| known(x, numbers)?.converted(numbers.elem(x)?, to, grid);
        match &inst.op {
            Op::Constant(Bits::Splat(bits)) => {
                Affine::constant(i64::try_from(elem.integer(*bits)?).ok()?).of_type(elem, grid)
            }
            Op::Constant(Bits::Each(all)) => {
                let number = |bits: &u64| i64::try_from(elem.integer(*bits)?).ok();
                Affine::any_of(&all.iter().map(number).collect::<Option<Vec<_>>>()?)?.of_type(elem, grid)
            }
            Op::Splat(x) | Op::Region(x, _) | Op::Iselect(x, _) => known(*x, numbers),
            Op::Thread(id) => self.extent.id(*id)?.of_type(elem, grid),
            Op::Argument(n) => {
                let (_, bits) = self.extent.arguments.iter().find(|(argument, _)| argument == n)?;
                Affine::constant(i64::try_from(elem.integer(*bits)?).ok()?).of_type(elem, grid)
            }
            Op::Load(_) => {
                let result = inst.result?;
                match (self.loads.get(&result), self.counters.loads.get(&result)) {
                    (Some(stored), _) => known(*stored, numbers),
                    (None, Some(counted)) => self.in_rounds(counted, elem, numbers),
                    (None, None) => None,
                }
            }
            Op::Map { kind: MapKind::Convert, saturate: false, operands, .. } => converted(operands[0], elem),
            Op::Map { kind, common, saturate: false, operands } => {
                let [a, b] = operands[..] else { return None };
                let (a, b) = (converted(a, *common)?, converted(b, *common)?);
                let result = match kind {
                    MapKind::Add => a.add(b),
                    MapKind::Sub => a.add(b.scaled(-1)?),
                    MapKind::Mul => a.mul(b),
                    // Larger counts exceed 32 bits, or wrap.
                    MapKind::Shl if b.is_constant() && (0..32).contains(&b.constant) => {
                        a.scaled(1 << b.constant)
                    }
                    // Below zero a `u32` is another number.
                    MapKind::Div if a.range(grid).0 >= 0 => a.divided(b),
                    MapKind::Shr
                        if a.range(grid).0 >= 0 && b.is_constant() && (0..32).contains(&b.constant) =>
                    {
                        a.divided(Affine::constant(1 << b.constant))
                    }
                    _ => None,
                };
                result?.of_type(elem, grid)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::cases::{Case, RandomNumbers, push};
    use crate::interpret::element;
    use crate::ir::{Axis, Block};

    /// A number that the analysis knows as affine has that value in every thread.
    #[test]
    fn affine_numbers_are_what_is_computed() {
        let (mut numbers, mut found) = (RandomNumbers::new(), 0);
        for case in Case::all() {
            for _ in 0..2 {
                let mut block = Block::default();
                let word = Type::scalar(ElemType::U32);
                // Each operand is `thread * factor + constant`, wrapped in its type.
                let terms: Vec<(Axis, u64, u64, ElemType)> = case
                    .elems
                    .iter()
                    .map(|elem| {
                        let axis = if numbers.next() % 2 == 0 { Axis::X } else { Axis::Y };
                        let factor = [0, 0, 1, 4, 24][numbers.next() as usize % 5];
                        let constant = [0, 1, 4, 31, 0xffff_fff0][numbers.next() as usize % 5];
                        (axis, factor, constant, *elem)
                    })
                    .collect();
                let values: Vec<Value> = terms
                    .iter()
                    .map(|&(axis, factor, constant, elem)| {
                        let thread = push(&mut block, Op::Thread(ThreadId::Origin(axis)), word);
                        let factor = push(&mut block, Op::Constant(Bits::Splat(factor)), word);
                        let constant = push(&mut block, Op::Constant(Bits::Splat(constant)), word);
                        let product = Op::map(MapKind::Mul, ElemType::U32, &[thread, factor]);
                        let product = push(&mut block, product, word);
                        let sum = Op::map(MapKind::Add, ElemType::U32, &[product, constant]);
                        let sum = push(&mut block, sum, word);
                        push(&mut block, Op::convert(sum, elem), Type::scalar(elem))
                    })
                    .collect();
                let result = push(&mut block, case.op(&values), Type::scalar(case.result()));
                let function = Function { name: "k".into(), params: vec![], named_barriers: 0, body: block };
                let Some(affine) = known(result, &Analysis::of(&function).numbers) else { continue };
                found += 1;
                for (x, y) in [(0, 0), (1, 0), (0, 1), (17, 300), (2046, 2046)] {
                    let operands: Vec<u64> = terms
                        .iter()
                        .map(|&(axis, factor, constant, elem)| {
                            let thread = if axis == Axis::X { x } else { y };
                            let sum = (thread * factor + constant) & 0xffff_ffff;
                            element::convert(ElemType::U32, elem, sum)
                        })
                        .collect();
                    let number = affine.group[0] * x as i64 + affine.group[1] * y as i64 + affine.constant;
                    let bits = number as u64 & element::mask(case.result());
                    assert_eq!(
                        case.evaluate(&case.repeated(&operands)),
                        bits,
                        "{case:?} in thread {x}, {y}: {terms:?}"
                    );
                }
            }
        }
        assert!(found > 1000, "{found}");
    }

    /// The facts about the elements of a vector hold for each of them, in every thread.
    #[test]
    fn elements_of_vectors_are_among_what_is_known() {
        const LANES: usize = 4;
        let (mut numbers, mut found) = (RandomNumbers::new(), 0);
        for case in Case::all() {
            for _ in 0..4 {
                let mut block = Block::default();
                // Each operand is `thread * factor + constants`, as its type.
                let terms: Vec<(u64, [u64; LANES], ElemType)> = case
                    .elems
                    .iter()
                    .map(|elem| {
                        let factor = [0, 1, 4, 24][numbers.next() as usize % 4];
                        let from: &[u64] = [&[0, 4, 8, 60][..], &[1, 2, 7], &[8], &[0xffff_fff0, 16]]
                            [numbers.next() as usize % 4];
                        let constants = [(); LANES].map(|()| from[numbers.next() as usize % from.len()]);
                        (factor, constants, *elem)
                    })
                    .collect();
                let (word, words) = (Type::scalar(ElemType::U32), Type::new(ElemType::U32, 1, LANES));
                let values: Vec<Value> = terms
                    .iter()
                    .map(|&(factor, constants, elem)| {
                        let thread = push(&mut block, Op::Thread(ThreadId::Origin(Axis::X)), word);
                        let factor = push(&mut block, Op::Constant(Bits::Splat(factor)), word);
                        let product = Op::map(MapKind::Mul, ElemType::U32, &[thread, factor]);
                        let product = push(&mut block, product, word);
                        let product = push(&mut block, Op::Splat(product), words);
                        let constants = push(&mut block, Op::Constant(Bits::Each(constants.to_vec())), words);
                        let sum = Op::map(MapKind::Add, ElemType::U32, &[product, constants]);
                        let sum = push(&mut block, sum, words);
                        push(&mut block, Op::convert(sum, elem), Type::new(elem, 1, LANES))
                    })
                    .collect();
                let result = push(&mut block, case.op(&values), Type::new(case.result(), 1, LANES));
                let function = Function { name: "k".into(), params: vec![], named_barriers: 0, body: block };
                let Some(affine) = known(result, &Analysis::of(&function).numbers) else { continue };
                found += usize::from(affine.spread > 0);
                for (x, lane) in [0, 1, 17, 2046].into_iter().flat_map(|x| (0..LANES).map(move |n| (x, n))) {
                    let operands: Vec<u64> = terms
                        .iter()
                        .map(|&(factor, constants, elem)| {
                            let sum = (x * factor + constants[lane]) & 0xffff_ffff;
                            element::convert(ElemType::U32, elem, sum)
                        })
                        .collect();
                    let least = affine.group[0] * x as i64 + affine.constant;
                    let bits = case.evaluate(&case.repeated(&operands));
                    let more = bits.wrapping_sub(least as u64) & element::mask(case.result());
                    assert!(
                        more <= affine.spread as u64 && more.is_multiple_of(affine.stride as u64),
                        "{case:?} in thread {x}, lane {lane}: {terms:?}: {affine:?}, {bits}"
                    );
                }
            }
        }
        assert!(found > 1000, "{found}");
    }
}
