//! The steps of joint reductions.

use crate::ir::{Op, Region, Type, Value};

use super::super::expand::Expansion;
use super::pass::Alike;

/// What is left of a reduction when `width` elements are left.
pub(super) fn halved(made: &mut Expansion, alike: Alike, operand: Value, width: usize) -> Value {
    let (mut x, mut elem, mut left) = (operand, alike.elem, alike.count);
    while left > width {
        left /= 2;
        let ty = Type::new(elem, 1, left);
        let halves = [0, left].map(|at| made.emit(Op::Region(x, Region::contiguous(at, left)), ty));
        elem = alike.common;
        x = made.map(alike.kind, elem, &halves, Type::new(elem, 1, left));
    }
    x
}

/// Combines the elements of each row of a register.
pub(super) fn combined(
    made: &mut Expansion,
    alike: Alike,
    rows: Value,
    (count, width): (usize, usize),
) -> Value {
    let (mut x, mut left) = (rows, width);
    let mut elem = if width == alike.count { alike.elem } else { alike.common };
    while left > 1 {
        let region = |at: usize| Region {
            offset: at,
            dynamic: None,
            row_stride: left,
            width: left / 2,
            column_stride: 1,
        };
        let ty = |elem| if left > 2 { Type::new(elem, count, left / 2) } else { Type::new(elem, 1, count) };
        let halves = [0, left / 2].map(|at| made.emit(Op::Region(x, region(at)), ty(elem)));
        elem = alike.common;
        x = made.map(alike.kind, elem, &halves, ty(elem));
        left /= 2;
    }
    x
}
