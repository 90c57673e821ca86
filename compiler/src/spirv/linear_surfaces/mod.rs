//! Surfaces in buffers, for devices without media blocks: accesses to surfaces become accesses to blocks and
//! elements of a buffer.
//!
//! Each surface and view becomes a buffer of bytes, a 3-D surface one with the rows of all slices. The layout
//! of each is an additional parameter, after all others and in their order: the eight numbers of a
//! [`LinearShape`]. Media blocks (`blocks`) that are inside of the surface are read by one message for each
//! row, and written in the same way if they start at a whole oword. Every other block is accessed byte by
//! byte, at the columns and rows that the edge rule gives. Typed accesses access the bytes of texels (`typed`).

mod blocks;
mod shape;
mod typed;

use crate::access::{Analysis, SurfaceUse};
use crate::elem::ElemType;
use crate::ir::{Function, Op, Param, ParamKind};
use crate::limits::DWORD;
use crate::ops::{Carries, Effect};

use super::expand::expanded;
use blocks::Access;
use shape::{NUMBERS, Shape};
use typed::{Rows, Texels};

pub use shape::{LINEAR_PITCH, LinearShape};

/// The kernel with its surfaces in buffers; `None` if it has none.
pub(super) fn expand(function: &Function) -> Option<Function> {
    let mut params = function.params.clone();
    // For each parameter: the parameter with its shape.
    let mut shapes = vec![None; params.len()];
    for param in 0..function.params.len() {
        let Param { name, kind } = &function.params[param];
        if let ParamKind::Surface { writable }
        | ParamKind::Surface3d { writable }
        | ParamKind::View { writable, .. } = *kind
        {
            params[param].kind = ParamKind::Buffer { elem: ElemType::U8, writable };
            shapes[param] = Some(params.len());
            let kind = ParamKind::Uniform { elem: ElemType::I32, rows: 1, columns: NUMBERS };
            params.push(Param { name: format!("{name}_shape"), kind });
        }
    }
    shapes.iter().flatten().next()?;
    let summary = Analysis::of(function).into_summary();
    // The accesses, in the order of the instructions.
    let mut accesses = summary.accesses().iter();
    let body = expanded(function, |inst, insts| {
        let Op::Access { kind, param, operands } = &inst.op else { return false };
        let spec = kind.spec();
        let (Some(shape), Some(parts)) = (shapes.get(*param).copied().flatten(), spec.parts(operands)) else {
            return false;
        };
        let column = accesses
            .next()
            .filter(|access| access.location == inst.location)
            .and_then(SurfaceUse::block_column);
        let shape = Shape::new(insts, shape);
        if let Carries::Texels(channels) = spec.carries {
            let Shape { first, pitch, width, height, mask, left: slices, alpha, .. } = shape;
            let rows = Rows { first, pitch, width, height, slices, mask, alpha };
            let texels = Texels::new(insts, (*param, channels), rows, parts.address, inst.ty.columns);
            match (spec.effect, parts.data, inst.result) {
                (Effect::Read, [], Some(result)) => texels.read(inst.ty, result),
                (Effect::Write, [data], None) => texels.write(inst.ty, *data),
                (Effect::Update(kind), sources, Some(result)) => {
                    texels.update(kind, sources, inst.ty, result);
                }
                _ => return false,
            }
            return true;
        }
        let dwords = |n: i64| n % DWORD as i64 == 0;
        // The column must be aligned in every iteration of a loop.
        let aligned =
            column.is_some_and(|x| x.is_multiple_of(DWORD as i64) && (x.spread == 0 || dwords(x.stride)));
        let width = inst.ty.columns * inst.ty.elem().map_or(1, ElemType::bytes);
        let mut access = Access { insts, param: *param, shape, rows: inst.ty.rows, width, aligned };
        let &[x, y] = parts.address else { return false };
        let place = access.place(x, y);
        match (spec.effect, parts.data.first(), inst.result) {
            (Effect::Read, None, Some(result)) => access.read(place, inst.ty, result),
            (Effect::Write, Some(data), None) => access.write(place, inst.ty, *data),
            _ => return false,
        }
        true
    });
    Some(Function { params, body: body.unwrap_or_default(), ..function.clone() })
}

#[cfg(test)]
mod tests;
