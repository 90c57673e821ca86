//! Instructions with the types of the language, for the methods of the backend.

use super::element::Element;
use super::handle::{Handle, Recorder};
use super::recording::{self, now};
use super::storage;
use crate::backend::{Pitched, Region, Start};
use crate::elem::Elem;
use crate::ops::MapKind;
use cm_compiler::ir::{self, Op, Type, Value};
use cm_compiler::ops::{AccessKind, Computed, Dims, Operand};

pub(super) fn ty<T: Elem, const R: usize, const C: usize>() -> Type {
    Type::new(T::TYPE, R, C)
}

#[track_caller]
pub(super) fn result(op: Op, ty: Type) -> Handle {
    Handle::Value(recording::value(op, ty))
}

#[track_caller]
pub(super) fn in_ir(region: Region<Recorder>) -> ir::Region {
    let (offset, dynamic) = match region.offset {
        Start::Host(at) => (at, None),
        Start::Staged(at) => (0, Some(now::<u32, 1, 1>(at))),
    };
    let Region { row_stride, width, column_stride, .. } = region;
    ir::Region { offset, dynamic, row_stride, width, column_stride }
}

/// Rust's `as`, or CM's `SAT`; no instruction if `as` changes nothing.
#[track_caller]
pub(super) fn converted(
    x: Value,
    from: Element,
    to: Element,
    sat: bool,
    rows: usize,
    columns: usize,
) -> Value {
    if from.is_storage() && (sat || to.cut != from.cut) {
        let single = storage::widened(from, x, rows, columns);
        converted(single, Element::F32, to, sat, rows, columns)
    } else if to.is_storage() && to.cut != from.cut {
        let single = converted(x, from, Element::F32, sat, rows, columns);
        storage::shortened(to, single, rows, columns)
    } else if sat {
        recording::value(Op::saturate(x, to.ty), to.shaped(rows, columns))
    } else if from.ty == to.ty {
        x
    } else {
        recording::value(Op::convert(x, to.ty), to.shaped(rows, columns))
    }
}

/// A register that is 0 where the elements are 0.
#[track_caller]
pub(super) fn truth(x: Handle, elem: Element, rows: usize, columns: usize) -> Value {
    let x = recording::load(x, elem.shaped(rows, columns));
    if elem.is_storage() { storage::size(elem, x, rows, columns) } else { x }
}

/// An operation on elements.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    pub(super) kind: Computed,
    /// The type in which it is computed, that of its results, and that to which they are converted.
    pub(super) common: Element,
    pub(super) output: Element,
    pub(super) to: Element,
    pub(super) sat: bool,
    /// The shape of the operands and of the result.
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Operation {
    /// The operation `kind`, which is computed in `P`, with the result `V`, on `R` x `C` elements, and the conversion of the
    /// result to `U`.
    pub(super) const fn of<P: Elem, V: Elem, U: Elem, const SAT: bool, const R: usize, const C: usize>(
        kind: Computed,
    ) -> Self {
        let (common, output, to) = (Element::of::<P>(), Element::of::<V>(), Element::of::<U>());
        Self { kind, common, output, to, sat: SAT, rows: R, columns: C }
    }

    /// Records it: every operand has elements of its own type, and a rule that says whether the instruction converts it. The
    /// result is converted by a second instruction, so that analyses see every conversion.
    #[track_caller]
    pub(super) fn record(&self, rules: &[Operand], operands: &[(Handle, Element)]) -> Handle {
        let (rows, columns) = (self.rows, self.columns);
        let mut values = vec![];
        // Loops, because a closure would be the place in the source.
        for (x, elem) in operands {
            values.push(recording::load(*x, elem.shaped(rows, columns)));
        }
        for (n, (_, elem)) in operands.iter().enumerate() {
            if matches!(rules[n], Operand::Source | Operand::Own) {
                values[n] = converted(values[n], *elem, self.common, false, rows, columns);
            }
        }
        let result = match (self.kind, values.as_slice()) {
            // Only the conversion of the result is left.
            (Computed::Map(MapKind::Convert, _), [x]) => *x,
            _ => recording::value(
                Op::of(self.kind, self.common.ty, &values),
                self.output.shaped(rows, columns),
            ),
        };
        Handle::Value(converted(result, self.output, self.to, self.sat, rows, columns))
    }
}

/// The operands of a block's address.
#[track_caller]
pub(super) fn block(x: Handle, y: Handle) -> Vec<Value> {
    vec![now::<i32, 1, 1>(x), now::<i32, 1, 1>(y)]
}

/// The operands of the address of texels.
#[track_caller]
pub(super) fn texels<const L: usize, const D: usize>(place: [Handle; D]) -> Vec<Value> {
    let mut operands = vec![];
    // A loop, because a closure would be the place in the source.
    for coordinate in place {
        operands.push(now::<u32, 1, L>(coordinate));
    }
    operands
}

/// The number of coordinates of texels.
pub(super) const fn dims<const D: usize>() -> Dims {
    const { assert!(D == 2 || D == 3, "texels have two or three coordinates") };
    if D == 2 { Dims::Two } else { Dims::Three }
}

/// The operands of a 2-D block's address.
#[track_caller]
pub(super) fn pitched(Pitched { width, height, pitch, x, y }: Pitched<Recorder>) -> Vec<Value> {
    vec![
        now::<i32, 1, 1>(width),
        now::<i32, 1, 1>(height),
        now::<i32, 1, 1>(pitch),
        now::<i32, 1, 1>(x),
        now::<i32, 1, 1>(y),
    ]
}

/// An access that reads from a parameter, by the operands of the address.
#[track_caller]
pub(super) fn read(kind: AccessKind, param: usize, operands: Vec<Value>, ty: Type) -> Handle {
    result(Op::Access { kind, param, operands }, ty)
}

/// An atomic operation on a parameter, by the operands of the address.
#[track_caller]
pub(super) fn update(
    kind: AccessKind,
    param: usize,
    mut operands: Vec<Value>,
    sources: [Option<Handle>; 2],
    ty: Type,
) -> Handle {
    // Not a closure, which would be the caller of the recorded instruction.
    for source in sources.into_iter().flatten() {
        operands.push(recording::load(source, ty));
    }
    result(Op::Access { kind, param, operands }, ty)
}

/// An access that writes to a parameter, or returns nothing.
#[track_caller]
pub(super) fn write(
    kind: AccessKind,
    param: usize,
    mut operands: Vec<Value>,
    data: Option<Handle>,
    ty: Type,
) {
    if let Some(data) = data {
        operands.push(recording::load(data, ty));
    }
    recording::effect(Op::Access { kind, param, operands }, ty);
}
