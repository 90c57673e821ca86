//! What a kernel is made of mostly: every seed has a few element types, shapes and operations of its own, so
//! that they meet more often than if every kernel had all of them.

use cm::compiler::elem::ElemType;
use cm::compiler::ops::MapKind;

use crate::random::Random;

/// What a step of a kernel does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Constant,
    Read,
    Scalar,
    Splat,
    Map,
    Convert,
    Region,
    Insert,
    Iselect,
    Format,
    Group,
    Mask,
    Condition,
    Variable,
    Branch,
    Loop,
    Labelled,
    Buffer,
    Write,
}

/// Each step with how often it occurs in an average kernel.
const STEPS: [(Step, usize); 19] = [
    (Step::Constant, 4),
    (Step::Read, 6),
    (Step::Scalar, 3),
    (Step::Splat, 3),
    (Step::Map, 40),
    (Step::Convert, 14),
    (Step::Region, 12),
    (Step::Insert, 10),
    (Step::Iselect, 4),
    (Step::Format, 6),
    (Step::Group, 3),
    (Step::Mask, 4),
    (Step::Condition, 2),
    (Step::Variable, 10),
    (Step::Branch, 3),
    (Step::Loop, 2),
    (Step::Labelled, 2),
    (Step::Buffer, 6),
    (Step::Write, 2),
];

/// The likings of a kernel.
#[derive(Clone, Debug)]
pub(super) struct Style {
    pub(super) elems: Vec<ElemType>,
    pub(super) integers: Vec<ElemType>,
    pub(super) shapes: Vec<(usize, usize)>,
    pub(super) kinds: Vec<MapKind>,
    weights: Vec<usize>,
}

impl Style {
    pub(super) fn new(random: &mut Random) -> Self {
        let some = random.within(1..=4);
        let mut elems: Vec<ElemType> = (0..some).map(|_| random.pick(ElemType::ALL)).collect();
        let mut integers: Vec<ElemType> = elems.iter().copied().filter(|elem| !elem.is_float()).collect();
        if integers.is_empty() {
            integers.push(random.pick(ElemType::INTEGERS));
        }
        // Bytes, words and dwords are what kernels have mostly.
        if random.flip() {
            elems.retain(|elem| elem.bytes() < 8);
            elems.push(random.pick(&[ElemType::U8, ElemType::I16, ElemType::U16, ElemType::I32]));
        }
        let some = random.within(1..=3);
        let shapes = (0..some).map(|_| shape(random)).collect();
        let kinds = if random.once_in(3) {
            exact_kinds()
        } else {
            let some = random.within(2..=7);
            (0..some).map(|_| random.pick(&exact_kinds())).collect()
        };
        let weights = STEPS.iter().map(|(step, weight)| {
            // The rest is nothing without values to compute with.
            let least = usize::from(matches!(step, Step::Map | Step::Convert));
            weight * random.pick(&[least, 1, 1, 1, 3])
        });
        let weights = weights.collect();
        Self { elems, integers, shapes, kinds, weights }
    }

    pub(super) fn step(&self, random: &mut Random) -> Step {
        STEPS[random.weighted(&self.weights)].0
    }
}

/// The operations of which every execution gives the same bits.
pub(super) fn exact_kinds() -> Vec<MapKind> {
    MapKind::ALL.iter().copied().filter(|kind| kind.accuracy().is_exact()).collect()
}

/// A shape of up to 64 columns and 192 elements.
fn shape(random: &mut Random) -> (usize, usize) {
    let columns = match random.below(6) {
        0 => 1 << random.below(7),
        1 => 4 * random.within(1..=16),
        2 => random.within(1..=8),
        _ => random.within(1..=64),
    };
    let rows = match random.below(4) {
        0 => random.within(1..=8),
        1 => random.within(2..=3),
        _ => 1,
    };
    (rows.min((192 / columns).max(1)), columns)
}
