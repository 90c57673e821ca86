//! Programs as data, and random programs. Operations come from the tables.

use cm::compiler::elem::ElemType;
use cm::compiler::ops::{Domain, GroupKind, MapKind, Operand, Outcome};
use proptest::prelude::*;
use proptest::sample::select;

/// Steps in order.
pub(crate) type Program = Vec<Step>;

/// A variable: the index of its element type in [`TYPES`], and which of the two variables of that type it is.
pub(crate) type Name = (usize, usize);

/// `u8 i16 u32 i32 f32`.
pub(crate) const TYPES: usize = 5;

/// The types that do not compute in `i32`.
pub(crate) const UNSIGNED: usize = 2;
pub(crate) const FLOATS: usize = 4;

/// A step. Offsets are taken modulo the valid range.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// `to.assign(op a)`.
    Unary { kind: MapKind, a: Name, to: Name },
    /// `to.assign(a op b)`.
    Binary { kind: MapKind, a: Name, b: Name, to: Name },
    /// `a.assign(a op number)`, or with the number on the left.
    Number { kind: MapKind, a: Name, number: i32, left: bool },
    /// `to.assign(op(a, b))`, for groups of elements.
    Group { kind: GroupKind, a: Name, b: Name, to: Name },
    /// Reduces all elements to one, and adds it to an element.
    Reduce { kind: MapKind, a: Name, to: Name },
    /// `to.assign(a)`.
    Convert { a: Name, to: Name },
    /// `to.assign(a.saturate())`.
    Saturate { a: Name, to: Name },
    /// `to.assign(!(7 - -a))`.
    Negate { a: Name, to: Name },
    /// Copies a strided region to a strided region of another variable.
    Region { a: Name, to: Name, at: (usize, usize), put: (usize, usize) },
    /// Copies a row, selected by an index from the data, to a part of a row.
    Row { a: Name, to: Name, index: Name },
    /// Adds gathered elements to a row.
    Gather { a: Name, to: Name, index: Name },
    /// Copies repeated elements to a row.
    Replicate { a: Name, to: Name, at: usize },
    /// Adds the bytes of a variable, as dwords, to another, and converts back.
    Format { a: Name, to: Name },
    /// `to.merge_else(a, b, a op b)`.
    Merge { kind: MapKind, a: Name, b: Name, to: Name },
    /// `if (a < b).any()`, or `.all()`.
    If { all: bool, a: Name, b: Name, then: Program, other: Program },
    /// `while n < 1 + a[0] % 4`.
    Loop { a: Name, body: Program },
    /// `for _ in 0..rounds`, with a host range.
    Unrolled { rounds: usize, body: Program },
    /// `match a[0] % 4`, with these first arms; the last arm takes all other values.
    Match { a: Name, arms: Vec<Program> },
    /// `return`, or `break` or `continue` of the loop at this depth, if there is one; optionally under the
    /// condition `(a < b).any()`.
    Leave { how: Leaving, condition: Option<(Name, Name)> },
}

/// The scope that a step leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leaving {
    /// The program.
    Return,
    /// A loop; 0 is the innermost one.
    Break(usize),
    /// An iteration of a loop.
    Continue(usize),
}

fn leaving() -> impl Strategy<Value = Leaving> {
    prop_oneof![
        1 => Just(Leaving::Return),
        3 => (0..2usize).prop_map(Leaving::Break),
        3 => (0..2usize).prop_map(Leaving::Continue),
    ]
}

fn name() -> impl Strategy<Value = Name> {
    (0..TYPES, 0..2usize)
}

/// Selects operations by their operands and results.
type Family<'a> = &'a dyn Fn(MapKind) -> bool;

/// The name of an operand, and an operation of the family that its type has.
fn operation(family: Family<'_>) -> impl Strategy<Value = (Name, MapKind)> + use<> {
    let of = |floats: bool| {
        let all = MapKind::ALL.iter().copied();
        // Approximations would make the result of a program unpredictable.
        let of_family = all.filter(|kind| kind.accuracy().is_exact() && family(*kind));
        let elem = if floats { ElemType::F32 } else { ElemType::I32 };
        of_family.filter(|kind| kind.domain().contains(elem)).collect::<Vec<_>>()
    };
    (name(), select(of(false)), select(of(true))).prop_map(by_type)
}

/// The same for operations on groups.
fn group() -> impl Strategy<Value = (Name, GroupKind)> {
    let of_floats = GroupKind::ALL.iter().copied().filter(|kind| kind.domain() == Domain::Numeric);
    (name(), select(GroupKind::ALL), select(of_floats.collect::<Vec<_>>())).prop_map(by_type)
}

fn by_type<K>((name, of_integers, of_floats): (Name, K, K)) -> (Name, K) {
    (name, if name.0 == FLOATS { of_floats } else { of_integers })
}

fn simple() -> impl Strategy<Value = Step> {
    let reduction = operation(&|kind| kind.reduces());
    let at = || (0..2usize, 0..8usize);
    let unary = operation(&|kind| kind.arity() == 1 && kind.operands() != [Operand::Source]);
    let binary = || operation(&|kind| kind.arity() == 2);
    let comparison = operation(&|kind| kind.arity() == 2 && kind.outcome() == Outcome::Mask);
    prop_oneof![
        1 => (unary, name()).prop_map(|((a, kind), to)| Step::Unary { kind, a, to }),
        4 => (binary(), name(), name()).prop_map(|((a, kind), b, to)| Step::Binary { kind, a, b, to }),
        2 => (binary(), -300..300i32, any::<bool>())
            .prop_map(|((a, kind), number, left)| Step::Number { kind, a, number, left }),
        1 => (group(), name(), name()).prop_map(|((a, kind), b, to)| Step::Group { kind, a, b, to }),
        1 => (reduction, name()).prop_map(|((a, kind), to)| Step::Reduce { kind, a, to }),
        1 => (name(), name()).prop_map(|(a, to)| Step::Convert { a, to }),
        1 => (name(), name()).prop_map(|(a, to)| Step::Saturate { a, to }),
        1 => (name(), name()).prop_map(|(a, to)| Step::Negate { a, to }),
        2 => (name(), name(), at(), at()).prop_map(|(a, to, at, put)| Step::Region { a, to, at, put }),
        1 => (name(), name(), name()).prop_map(|(a, to, index)| Step::Row { a, to, index }),
        1 => (name(), name(), name()).prop_map(|(a, to, index)| Step::Gather { a, to, index }),
        1 => (name(), name(), 0..40usize).prop_map(|(a, to, at)| Step::Replicate { a, to, at }),
        1 => (name(), name()).prop_map(|(a, to)| Step::Format { a, to }),
        1 => (comparison, name(), name()).prop_map(|((a, kind), b, to)| Step::Merge { kind, a, b, to }),
        1 => (leaving(), prop::option::weighted(0.8, (name(), name())))
            .prop_map(|(how, condition)| Step::Leave { how, condition }),
    ]
}

/// Random programs of up to a few dozen steps, with conditions and loops nested up to three levels.
pub(crate) fn programs() -> impl Strategy<Value = Program> {
    let step =
        simple().prop_recursive(3, 24, 4, |step| {
            let block = || prop::collection::vec(step.clone(), 0..4);
            prop_oneof![
                (any::<bool>(), name(), name(), block(), block())
                    .prop_map(|(all, a, b, then, other)| Step::If { all, a, b, then, other }),
                (name(), block()).prop_map(|(a, body)| Step::Loop { a, body }),
                (1..4usize, block()).prop_map(|(rounds, body)| Step::Unrolled { rounds, body }),
                (name(), prop::collection::vec(block(), 1..4)).prop_map(|(a, arms)| Step::Match { a, arms }),
            ]
        });
    prop::collection::vec(step, 1..16)
}
