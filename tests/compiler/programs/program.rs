//! Programs as data, and how to make random ones.

use proptest::prelude::*;

/// Steps in order.
pub(crate) type Program = Vec<Step>;

/// A variable: its element type (of [`TYPES`]) and which of the two of that type.
pub(crate) type Name = (usize, usize);

/// `u8 i16 u32 i32 f32`.
pub(crate) const TYPES: usize = 5;

/// What a step does. Numbers are taken modulo what there is.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// `to.assign(a op b)`.
    Binary { op: usize, a: Name, b: Name, to: Name },
    /// `a op= number`.
    Number { op: usize, a: Name, number: i32 },
    /// `to.assign(a)`.
    Convert { a: Name, to: Name },
    /// `to.assign(a.saturate())`.
    Saturate { a: Name, to: Name },
    /// `to.assign(-a)`.
    Negate { a: Name, to: Name },
    /// A strided region of one to a strided region of another.
    Region { a: Name, to: Name, at: (usize, usize), put: (usize, usize) },
    /// A row, by an index that the data decides, to a part of a row.
    Row { a: Name, to: Name, index: Name },
    /// Gathered elements, added to a row.
    Gather { a: Name, to: Name, index: Name },
    /// Repeated elements to a row.
    Replicate { a: Name, to: Name, at: usize },
    /// The bytes of one as dwords, added to another, and back.
    Format { a: Name, to: Name },
    /// `to.merge_else(a, b, a op b)`.
    Merge { op: usize, a: Name, b: Name, to: Name },
    /// `if (a < b).any()`, or `.all()`.
    If { all: bool, a: Name, b: Name, then: Program, other: Program },
    /// `while n < 1 + a[0] % 4`.
    Loop { a: Name, body: Program },
}

fn name() -> impl Strategy<Value = Name> {
    (0..TYPES, 0..2usize)
}

fn simple() -> impl Strategy<Value = Step> {
    let at = || (0..2usize, 0..8usize);
    prop_oneof![
        4 => (any::<usize>(), name(), name(), name()).prop_map(|(op, a, b, to)| Step::Binary { op, a, b, to }),
        2 => (any::<usize>(), name(), -300..300i32).prop_map(|(op, a, number)| Step::Number { op, a, number }),
        1 => (name(), name()).prop_map(|(a, to)| Step::Convert { a, to }),
        1 => (name(), name()).prop_map(|(a, to)| Step::Saturate { a, to }),
        1 => (name(), name()).prop_map(|(a, to)| Step::Negate { a, to }),
        2 => (name(), name(), at(), at()).prop_map(|(a, to, at, put)| Step::Region { a, to, at, put }),
        1 => (name(), name(), name()).prop_map(|(a, to, index)| Step::Row { a, to, index }),
        1 => (name(), name(), name()).prop_map(|(a, to, index)| Step::Gather { a, to, index }),
        1 => (name(), name(), 0..40usize).prop_map(|(a, to, at)| Step::Replicate { a, to, at }),
        1 => (name(), name()).prop_map(|(a, to)| Step::Format { a, to }),
        1 => (any::<usize>(), name(), name(), name()).prop_map(|(op, a, b, to)| Step::Merge { op, a, b, to }),
    ]
}

/// Random programs of up to a few dozen steps, conditions and loops three deep.
pub(crate) fn programs() -> impl Strategy<Value = Program> {
    let step =
        simple().prop_recursive(3, 24, 4, |step| {
            let block = || prop::collection::vec(step.clone(), 0..4);
            prop_oneof![
                (any::<bool>(), name(), name(), block(), block())
                    .prop_map(|(all, a, b, then, other)| Step::If { all, a, b, then, other }),
                (name(), block()).prop_map(|(a, body)| Step::Loop { a, body }),
            ]
        });
    prop::collection::vec(step, 1..16)
}
