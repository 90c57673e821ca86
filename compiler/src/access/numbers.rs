//! Follows affine numbers through a recorded kernel.

use rustc_hash::FxHashMap;

use super::affine::Affine;
use super::counted::{Counted, Counters, Rounds, Step};
use crate::dataflow::{Facts, Forward, loads};
use crate::elem::ElemType;
use crate::ir::{Bits, Function, Grid, Inst, Op, ThreadId, Type, Value};
use crate::limits::THREAD_SPACE;
use crate::ops::MapKind;

/// The threads for which numbers are followed.
#[derive(Clone, Copy)]
pub(super) struct Extent<'a> {
    pub(super) grid: Grid,
    /// Whether this is the grid of the launch. If not, it has at most these groups, of one thread.
    pub(super) sizes: bool,
    /// The known arguments.
    pub(super) arguments: &'a [(usize, u64)],
}

/// The largest thread space: a kernel is analysed once for thread spaces of any size.
pub(super) const LARGEST: Extent<'_> = Extent {
    grid: Grid::single([THREAD_SPACE as u32, THREAD_SPACE as u32, 1]),
    sizes: false,
    arguments: &[],
};

/// The numbers of values.
pub(super) type AffineFacts = Facts<Elements>;

/// The numbers of the elements of a value, if they are known.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Elements {
    /// The set that contains every element.
    all: Option<Affine>,
    /// Each element, if more is known about one of them than about all.
    each: Vec<Option<Affine>>,
}

/// The largest number of elements that are followed one by one: a position and a few more.
const SHORT: usize = 8;

/// What is known about all elements of a value.
pub(super) fn known(value: Value, numbers: &AffineFacts) -> Option<Affine> {
    numbers.get(value)?.all
}

/// What is known about an element of a value.
fn element(value: Value, index: usize, numbers: &AffineFacts) -> Option<Affine> {
    let Elements { all, each } = numbers.get(value)?;
    each.get(index).copied().unwrap_or(*all)
}

/// Numbers as affine functions, if they are known.
pub(super) struct AffineNumbers<'a> {
    /// Variables are followed only by their last store,
    loads: FxHashMap<Value, Value>,
    /// and if loops count them.
    counters: Counters,
    pub(super) extent: Extent<'a>,
}

impl Forward for AffineNumbers<'_> {
    type Fact = Elements;

    fn unknown(&self, _: Type) -> Elements {
        Elements::default()
    }

    fn join(&self, a: &Elements, b: &Elements) -> Elements {
        if a == b { a.clone() } else { Elements::default() }
    }

    fn transfer(&self, inst: &Inst, numbers: &AffineFacts) -> Option<Elements> {
        let Some(elem) = inst.ty.elem() else { return Some(Elements::default()) };
        let all = self.number(inst, elem, numbers, &|x| known(x, numbers));
        let each = |n| self.element(inst, n, elem, numbers).or(all);
        Some(match inst.ty.count() {
            1 => Elements { all: each(0), each: vec![] },
            count @ 2..=SHORT => {
                let each: Vec<_> = (0..count).map(each).collect();
                let alike = each.iter().all(|one| *one == all);
                Elements { all, each: if alike { vec![] } else { each } }
            }
            _ => Elements { all, each: vec![] },
        })
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
    pub(super) fn of(function: &Function, extent: Extent<'a>) -> Self {
        Self { loads: loads(&function.body), counters: Counters::of(&function.body), extent }
    }

    /// The number of iterations of a loop, in the thread that has most of them, if it is known.
    pub(super) fn rounds(&self, inst: &Inst, numbers: &AffineFacts) -> Option<u64> {
        let rest = self.later_rounds(self.counters.rounds(inst)?, numbers)?;
        u64::try_from(rest).ok()?.checked_add(1)
    }

    /// The number of iterations of a loop after the first one, in the thread that has most of them.
    fn later_rounds(&self, rounds: &Rounds, numbers: &AffineFacts) -> Option<i64> {
        let grid = self.extent.grid;
        let Rounds { start, step, counted, bound, inclusive, common } = *rounds;
        let (elem, compared) = (numbers.elem(start)?, numbers.elem(counted)?);
        let bound = known(bound, numbers)?.converted(numbers.elem(bound)?, common, grid)?;
        let first = known(start, numbers)?;
        let of_comparison =
            |number: Affine| number.converted(elem, compared, grid)?.converted(compared, common, grid);
        let (low, high) =
            if step.down { (bound, of_comparison(first)?) } else { (of_comparison(first)?, bound) };
        let between = high.add(low.scaled(-1)?)?;
        // Larger launches may have more rounds.
        if !self.extent.sizes && !between.is_uniform() {
            return None;
        }
        let by = self.step(step, numbers).filter(|by| (*by < 0) == step.down && *by != 0)?;
        let (_, longest) = between.range(grid);
        let last = longest.checked_sub(i64::from(!inclusive))?.max(0) / by.checked_abs()?;
        let with_the_end = first.spread_by(last.checked_add(1)?, by)?;
        // In an unsigned comparison, numbers below zero are the largest.
        if !common.is_signed() && (with_the_end.range(grid).0 < 0 || bound.range(grid).0 < 0) {
            return None;
        }
        // A counter that wraps, in its own type or where it is compared, does not end the loop.
        of_comparison(with_the_end.of_type(elem, grid)?)?;
        Some(last)
    }

    /// The numbers of a counter in the iterations of its loop, which end at the bound. It may be that of the group's part.
    fn before_bound(&self, all: Affine, rounds: &Rounds, numbers: &AffineFacts) -> Affine {
        let bound = known(rounds.bound, numbers);
        match bound.and_then(|bound| bound.above(all)) {
            Some(bound) if !rounds.step.down => {
                all.limited_to(bound - i64::from(!rounds.inclusive), self.extent.grid)
            }
            _ => all,
        }
    }

    /// A step that is the same for all threads.
    fn step(&self, step: Step, numbers: &AffineFacts) -> Option<i64> {
        let Step { value, common, down } = step;
        let step = known(value, numbers)?.converted(numbers.elem(value)?, common, self.extent.grid)?;
        let step = step.is_constant().then_some(step.constant)?;
        if down { step.checked_neg() } else { Some(step) }
    }

    /// The number of an element of a short vector, in every thread.
    fn element(&self, inst: &Inst, index: usize, elem: ElemType, numbers: &AffineFacts) -> Option<Affine> {
        match &inst.op {
            Op::Constant(Bits::Each(all)) => self.bits(*all.get(index)?, elem),
            Op::Region(x, region) if region.dynamic.is_none() => element(*x, region.position(index), numbers),
            Op::Insert(x, region, y) if region.dynamic.is_none() => {
                let inserted = region.positions(numbers.ty(*y)?.count()).position(|place| place == index);
                inserted.map_or_else(|| element(*x, index, numbers), |n| element(*y, n, numbers))
            }
            Op::Load(_) | Op::Map { .. } => self.number(inst, elem, numbers, &|x| element(x, index, numbers)),
            _ => None,
        }
    }

    /// Whether the quotient of a number is that of its bits: it is not below zero, where a `u32` is another number, and does
    /// not wrap in larger launches.
    fn is_dividend(&self, number: Affine) -> bool {
        number.range(self.extent.grid).0 >= 0 && (self.extent.sizes || number.is_far_from_wrapping())
    }

    /// The integer with these bits.
    fn bits(&self, bits: u64, elem: ElemType) -> Option<Affine> {
        Affine::constant(i64::try_from(elem.integer(bits)?).ok()?).of_type(elem, self.extent.grid)
    }

    /// The number of every element of a result of this type, in every thread; `of` returns those of its operands. The same
    /// element of all operands gives that element of the result.
    fn number(
        &self,
        inst: &Inst,
        elem: ElemType,
        numbers: &AffineFacts,
        of: &dyn Fn(Value) -> Option<Affine>,
    ) -> Option<Affine> {
        let grid = self.extent.grid;
        let converted = |x: Value, to| of(x)?.converted(numbers.elem(x)?, to, grid);
        match &inst.op {
            Op::Constant(Bits::Splat(bits)) => self.bits(*bits, elem),
            Op::Constant(Bits::Each(all)) => {
                let number = |bits: &u64| i64::try_from(elem.integer(*bits)?).ok();
                Affine::any_of(&all.iter().map(number).collect::<Option<Vec<_>>>()?)?.of_type(elem, grid)
            }
            Op::Splat(x) | Op::Region(x, _) | Op::Iselect(x, _) => of(*x),
            Op::Thread(id) => self.extent.id(*id)?.of_type(elem, grid),
            Op::Argument(n) => {
                let (_, bits) = self.extent.arguments.iter().find(|(argument, _)| argument == n)?;
                self.bits(*bits, elem)
            }
            Op::Load(_) => {
                let result = inst.result?;
                match (self.loads.get(&result), self.counters.loads.get(&result)) {
                    (Some(stored), _) => of(*stored),
                    // The numbers of a counted variable in the iterations of its loop.
                    (None, Some(counted)) => {
                        let Counted { start, step, rounds } = counted;
                        let last = self.later_rounds(rounds, numbers)?;
                        let all =
                            of(*start)?.spread_by(last, self.step(*step, numbers)?)?.of_type(elem, grid)?;
                        // Some lanes of a vector may be beyond the bound while others are not.
                        let is_number = numbers.ty(rounds.counted)?.count() == 1;
                        Some(match counted.is_counter() && is_number {
                            true => self.before_bound(all, rounds, numbers),
                            false => all,
                        })
                    }
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
                    MapKind::Div if self.is_dividend(a) => a.divided(b),
                    MapKind::Shr
                        if self.is_dividend(a) && b.is_constant() && (0..32).contains(&b.constant) =>
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
    use super::super::steps::Steps;
    use super::*;
    use crate::dataflow::forward;
    use crate::interpret::cases::{Case, RandomNumbers, push};
    use crate::interpret::element;
    use crate::ir::{Axis, Block};

    /// The numbers of a function in thread spaces.
    fn facts(function: &Function) -> AffineFacts {
        forward(&function.body, &AffineNumbers::of(function, LARGEST))
    }

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
                let function = Function::new("k", vec![], block);
                let Some(affine) = known(result, &facts(&function)) else { continue };
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

    /// A launch of more threads than 2047 has more iterations of a loop whose bound depends on the thread.
    #[test]
    fn loops_up_to_the_thread_are_not_followed() {
        let counter = |bound: &str| {
            let text = format!(
                "file 0 \"k.rs\" kernel k() {{
                    %0: u32 = thread x @0:1:1
                    %1: u32 = constant 2040 @0:1:1
                    %2: u32 = constant 2048 @0:1:1
                    %3: u32 = constant 2 @0:1:1
                    var $0: u32 = %1 @0:1:1
                    loop @0:1:1 {{
                        %4: u32 = load $0 @0:1:1
                        %5: u16 = lt.u32 %4, {bound} @0:1:1
                        %6: condition = any %5 @0:1:1
                    }}
                    while %6 {{
                        %7: u32 = load $0 @0:1:1
                        %8: u32 = add.u32 %7, %3 @0:1:1
                        store $0, %8: u32 @0:1:1
                    }}
                }}"
            );
            let function = crate::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let results = function.body.instructions().filter(|inst| matches!(inst.op, Op::Load(_)));
            let loaded = results.filter_map(|inst| inst.result).next().expect("a load");
            known(loaded, &facts(&function)).map(|affine| (affine.constant, affine.steps))
        };
        assert_eq!(counter("%2"), Some((2040, Steps::of(2, 6))));
        assert_eq!(counter("%0"), None);
    }

    /// The facts about the elements of a vector hold for each of them, in every thread.
    #[test]
    fn elements_of_vectors_are_among_what_is_known() {
        const LANES: usize = 4;
        let (mut numbers, mut found) = (RandomNumbers::new(), [0; 2]);
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
                let function = Function::new("k", vec![], block);
                let of_all = facts(&function);
                for (x, lane) in [0, 1, 17, 2046].into_iter().flat_map(|x| (0..LANES).map(move |n| (x, n))) {
                    let operands: Vec<u64> = terms
                        .iter()
                        .map(|&(factor, constants, elem)| {
                            let sum = (x * factor + constants[lane]) & 0xffff_ffff;
                            element::convert(ElemType::U32, elem, sum)
                        })
                        .collect();
                    let bits = case.evaluate(&case.repeated(&operands));
                    let known = [known(result, &of_all), element(result, lane, &of_all)];
                    for affine in known.into_iter().flatten() {
                        let least = affine.group[0] * x as i64 + affine.constant;
                        let more = bits.wrapping_sub(least as u64) & element::mask(case.result());
                        assert!(
                            affine.steps.numbers().contains(&(more as i64)),
                            "{case:?} in thread {x}, lane {lane}: {terms:?}: {affine:?}, {bits}"
                        );
                    }
                    let [all, own] = known.map(|affine| affine.map(|affine| affine.steps == Steps::NONE));
                    found[0] += usize::from(all == Some(false));
                    found[1] += usize::from(own == Some(true) && all != own);
                }
            }
        }
        assert!(found[0] > 4000 && found[1] > 4000, "{found:?}");
    }
}
