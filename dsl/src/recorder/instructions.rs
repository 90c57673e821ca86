//! Instructions with the types of the language, for the methods of the backend.

use super::handle::{Handle, Recorder};
use super::recording::{self, now};
use super::storage;
use crate::backend::{Pitched, Region, Start};
use crate::elem::{Elem, is_storage};
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
pub(super) fn converted<T: Elem, U: Elem, const SAT: bool, const R: usize, const C: usize>(
    x: Value,
) -> Value {
    if is_storage::<T>() && (SAT || U::CUT != T::CUT) {
        let single = storage::widened::<T>(x, R, C);
        converted::<f32, U, SAT, R, C>(single)
    } else if is_storage::<U>() && U::CUT != T::CUT {
        let single = converted::<T, f32, SAT, R, C>(x);
        storage::shortened::<U>(single, R, C)
    } else if SAT {
        recording::value(Op::saturate(x, U::TYPE), ty::<U, R, C>())
    } else if T::TYPE == U::TYPE {
        x
    } else {
        recording::value(Op::convert(x, U::TYPE), ty::<U, R, C>())
    }
}

/// A register that is 0 where the elements are 0.
#[track_caller]
pub(super) fn truth<T: Elem, const R: usize, const C: usize>(x: Handle) -> Value {
    let x = now::<T, R, C>(x);
    if is_storage::<T>() { storage::size::<T>(x, R, C) } else { x }
}

/// An operand by the rule of its operation: in the type `P`, unless the instruction converts it or it is a
/// mask.
#[track_caller]
pub(super) fn operand<T: Elem, P: Elem, const R: usize, const C: usize>(rule: Operand, x: Value) -> Value {
    match rule {
        Operand::Source | Operand::Own => converted::<T, P, false, R, C>(x),
        Operand::Common | Operand::Mask => x,
    }
}

/// An operation that is computed in `P` with the result `V`, and the conversion of its result to `U`: two
/// instructions, so that analyses see every conversion.
#[track_caller]
pub(super) fn computed<P: Elem, V: Elem, U: Elem, const SAT: bool, const R: usize, const C: usize>(
    kind: Computed,
    operands: &[Value],
) -> Handle {
    let result = recording::value(Op::of(kind, P::TYPE, operands), ty::<V, R, C>());
    Handle::Value(converted::<V, U, SAT, R, C>(result))
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
pub(super) fn read<T: Elem, const R: usize, const C: usize>(
    kind: AccessKind,
    param: usize,
    operands: Vec<Value>,
) -> Handle {
    result(Op::Access { kind, param, operands }, ty::<T, R, C>())
}

/// An atomic operation on a parameter, by the operands of the address.
#[track_caller]
pub(super) fn update<T: Elem, const R: usize, const C: usize>(
    kind: AccessKind,
    param: usize,
    mut operands: Vec<Value>,
    sources: [Option<Handle>; 2],
) -> Handle {
    // Not a closure, which would be the caller of the recorded instruction.
    for source in sources.into_iter().flatten() {
        operands.push(now::<T, R, C>(source));
    }
    result(Op::Access { kind, param, operands }, ty::<T, R, C>())
}

/// An access that writes to a parameter, or returns nothing.
#[track_caller]
pub(super) fn write<T: Elem, const R: usize, const C: usize>(
    kind: AccessKind,
    param: usize,
    mut operands: Vec<Value>,
    data: Option<Handle>,
) {
    if let Some(data) = data {
        operands.push(now::<T, R, C>(data));
    }
    recording::effect(Op::Access { kind, param, operands }, ty::<T, R, C>());
}
