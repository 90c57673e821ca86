//! Matrices whose columns are reversed, as moves of every second or fourth element.

use super::recording;
use crate::elem::ElemType;
use cm_compiler::ir::{Op, Region, Type, Value};
use cm_compiler::limits;

/// The largest step between the elements that an instruction of the hardware writes.
const LARGEST_STEP: usize = 4;

/// The columns of `x` in reverse order. Groups of columns are reversed first, and then the groups, as dwords if they are
/// no longer.
#[track_caller]
pub(super) fn mirrored(x: Value, ty: Type) -> Value {
    let (columns, size) = (ty.columns, ty.elem().map_or(1, ElemType::bytes));
    if columns == 1 {
        return x;
    }
    if size > limits::DWORD {
        // Intel's compiler for Ponte Vecchio crashes on some regions of these elements.
        let parts = size / limits::DWORD;
        let dwords = Type::new(ElemType::U32, ty.rows, columns * parts);
        let all = groups_mirrored(recording::value(Op::Format(x), dwords), dwords, parts);
        return recording::value(Op::Format(all), ty);
    }
    let step = match columns {
        ..=LARGEST_STEP => columns,
        _ => {
            // Groups of a dword, if there are any.
            let steps = if size == 2 { [2, 4] } else { [4, 2] };
            steps.into_iter().find(|step| columns.is_multiple_of(*step)).unwrap_or(columns)
        }
    };
    let part = Type { rows: 1, columns: ty.count() / step, ..ty };
    let every = |offset| Region { row_stride: step, width: 1, ..Region::contiguous(offset, 1) };
    let mut all = undefined(ty);
    for column in 0..step {
        let own = recording::value(Op::Region(x, every(column)), part);
        all = recording::value(Op::Insert(all, every(step - 1 - column), own), ty);
    }
    let wider = match size * step {
        2 => Some(ElemType::U16),
        limits::DWORD => Some(ElemType::U32),
        _ => None,
    };
    match wider {
        _ if step == columns => all,
        Some(elem) => {
            let groups = Type::new(elem, ty.rows, columns / step);
            let all = mirrored(recording::value(Op::Format(all), groups), groups);
            recording::value(Op::Format(all), ty)
        }
        None => groups_mirrored(all, ty, step),
    }
}

/// Groups of `width` columns in reverse order.
#[track_caller]
fn groups_mirrored(x: Value, ty: Type, width: usize) -> Value {
    let (groups, part) = (ty.columns / width, Type { columns: width, ..ty });
    let group = |n| Region { row_stride: ty.columns, ..Region::contiguous(n * width, width) };
    let mut all = undefined(ty);
    for n in 0..groups {
        let own = recording::value(Op::Region(x, group(n)), part);
        all = recording::value(Op::Insert(all, group(groups - 1 - n), own), ty);
    }
    all
}

/// Elements that are all replaced.
#[track_caller]
fn undefined(ty: Type) -> Value {
    recording::load(recording::variable(None, ty), ty)
}
