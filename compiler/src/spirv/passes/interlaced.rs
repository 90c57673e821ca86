//! Fields of surfaces: blocks of every second row are accessed by one message for each row.
//!
//! Media messages have a mode for every second row, but it is not documented for all generations which row
//! then repeats beyond the edge. So the kernel has an additional parameter for the last row of each field,
//! after all others, and computes the row of the plane for each row of a block. The parameter of the field
//! itself becomes its plane.

use crate::elem::ElemType;
use crate::ir::{Field, Function, Op, Param, ParamKind, Region, Type, Value};
use crate::ops::{AccessKind, Effect, MapKind};

use super::expand::{Expansion, expanded};

const I32: Type = Type::scalar(ElemType::I32);
const U32: Type = Type::scalar(ElemType::U32);

/// The kernel with each access to a field replaced by accesses to rows of its plane; `None` if it has no
/// field.
pub(crate) fn expand(function: &Function) -> Option<Function> {
    // For each parameter: its field, and the parameter with the last row of the field.
    let mut fields = vec![None; function.params.len()];
    let mut params = function.params.clone();
    for (param, view) in function.views() {
        if let Some(field) = view.field {
            fields[param] = Some((field, params.len()));
            let name = format!("{}_last", function.params[param].name);
            params
                .push(Param { name, kind: ParamKind::Uniform { elem: ElemType::I32, rows: 1, columns: 1 } });
        }
    }
    fields.iter().flatten().next()?;
    let body = expanded(function, |inst, insts| {
        let Op::Access { kind, param, operands } = &inst.op else { return false };
        let (Some((field, last)), [x, y, data @ ..]) = (fields.get(*param).copied().flatten(), &operands[..])
        else {
            return false;
        };
        let access = Access { kind: *kind, param: *param, x: *x, ty: inst.ty };
        Block { insts, field, last, access }.write(*y, data.first().copied(), inst.result);
        true
    })?;
    Some(Function { params, body, ..function.clone() })
}

/// An access to a field.
#[derive(Clone, Copy)]
struct Access {
    kind: AccessKind,
    param: usize,
    x: Value,
    ty: Type,
}

/// The rows of one block.
struct Block<'a> {
    insts: &'a mut Expansion,
    field: Field,
    /// The parameter with the last row of the field.
    last: usize,
    access: Access,
}

impl Block<'_> {
    fn write(&mut self, y: Value, data: Option<Value>, result: Option<Value>) {
        let Access { kind, ty, .. } = self.access;
        let reads = kind.spec().effect == Effect::Read;
        let last = self.insts.emit(Op::Argument(self.last), I32);
        let one = self.insts.i32(1);
        // For writes the first row that is dropped, for reads the last row that exists.
        let end = if reads { last } else { self.insts.map_i32(MapKind::Add, last, one) };
        // Limit the row to the range that a block can reach, so that adding rows cannot overflow.
        let before = self.insts.i32(-(ty.rows as i64));
        let y = self.insts.map_i32(MapKind::Max, y, before);
        let y = self.insts.map_i32(MapKind::Min, y, end);
        let mut whole = None;
        for row in 0..ty.rows {
            let y = self.row(y, row, end, reads);
            let last = row + 1 == ty.rows;
            let part = Region::contiguous(row * ty.columns, ty.columns);
            let row_ty = Type { rows: 1, ..ty };
            let Access { kind, param, x, .. } = self.access;
            match data {
                Some(data) => {
                    let data =
                        if ty.rows == 1 { data } else { self.insts.emit(Op::Region(data, part), row_ty) };
                    self.insts.push(Op::Access { kind, param, operands: vec![x, y, data] }, None, row_ty);
                }
                None if ty.rows == 1 => {
                    self.insts.push(Op::Access { kind, param, operands: vec![x, y] }, result, ty);
                }
                None => {
                    let read = self.insts.emit(Op::Access { kind, param, operands: vec![x, y] }, row_ty);
                    let before = whole.unwrap_or_else(|| self.insts.constant(0, ty));
                    let insert = Op::Insert(before, part, read);
                    if last {
                        self.insts.push(insert, result, ty);
                    } else {
                        whole = Some(self.insts.emit(insert, ty));
                    }
                }
            }
        }
    }

    /// The row of the plane for a row of the block. The block begins at row `y` of the field.
    fn row(&mut self, y: Value, row: usize, end: Value, reads: bool) -> Value {
        let distance = self.insts.i32(row as i64);
        let mut y = if row == 0 { y } else { self.insts.map_i32(MapKind::Add, y, distance) };
        if reads {
            let first = self.insts.i32(0);
            y = self.insts.map_i32(MapKind::Max, y, first);
            y = self.insts.map_i32(MapKind::Min, y, end);
        } else {
            // As unsigned numbers, rows before the first one are large, so they are dropped like rows after
            // the last one.
            let [a, b] = [y, end].map(|x| self.insts.emit(Op::convert(x, ElemType::U32), U32));
            let least = self.insts.map(MapKind::Min, ElemType::U32, &[a, b], U32);
            y = self.insts.emit(Op::convert(least, ElemType::I32), I32);
        }
        let one = self.insts.i32(1);
        let twice = self.insts.map_i32(MapKind::Shl, y, one);
        match self.field {
            Field::Top => twice,
            Field::Bottom => self.insts.map_i32(MapKind::Add, twice, one),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;
    use crate::verify::verify;

    #[test]
    fn rows_are_messages_and_the_last_row_is_a_parameter() {
        let text = "file 0 \"k.rs\"
            kernel k(s: write surface, t: write plane y top field of #0, v: read plane uv bottom field of #0) {
              %0: i32 = constant 8 @0:1:1
              %1: u8<2x16> = read #2 %0, %0 @0:2:1
              %2: u8<1x16> = read #2 %0, %0 @0:2:1
              write #1 %0, %0, %1: u8<2x16> @0:3:1
              write #0 %0, %0, %2: u8<1x16> @0:3:1
            }";
        let function = parse(text).unwrap();
        let expanded = expand(&function).unwrap();
        verify(&expanded).unwrap();
        let names: Vec<_> = expanded.params[3..].iter().map(|param| param.name.as_str()).collect();
        assert_eq!(names, ["t_last", "v_last"]);
        let rows = expanded.body.instructions().filter(|inst| matches!(inst.op, Op::Access { .. }));
        let rows: Vec<_> = rows.map(|inst| (inst.ty.rows, inst.ty.columns)).collect();
        assert_eq!(rows, [(1, 16); 6]);
        let without =
            parse("file 0 \"k.rs\" kernel k(s: read surface) { %0: i32 = constant 8 @0:1:1 }").unwrap();
        assert_eq!(expand(&without), None);
    }
}
