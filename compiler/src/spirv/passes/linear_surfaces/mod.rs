//! Surfaces in buffers, for devices that take no media blocks of images: accesses to surfaces become accesses to blocks and
//! elements of a buffer.
//!
//! Each surface and view becomes a buffer of bytes, a 3-D surface one with the rows of all slices. The layout
//! of each is an additional parameter, after all others and in their order: the eight numbers of a
//! [`LinearShape`]. If the target has messages for 2-D blocks, media blocks (`blocks`) are 2-D blocks of the buffer
//! (`inside`), unless they are written and do not start at a whole dword. These messages drop what is written outside of
//! the surface, and a block that is not read inside is then read again by the edge rule. On other targets blocks inside
//! are read by one message for each row, and written in the same way if they start at a whole oword. Every other block
//! (`edges`) is accessed byte by byte, at the columns and rows that the edge rule gives, in a loop over its rows. Typed
//! accesses access the bytes of texels (`typed`).

mod blocks;
mod edges;
mod inside;
mod shape;
mod typed;

use std::collections::BTreeSet;

use crate::access::{Analysis, SurfaceUse};
use crate::elem::ElemType;
use crate::ir::{Function, Inst, Op, Param, ParamKind};
use crate::limits::DWORD;
use crate::ops::{Carries, Effect};

use super::expand::expanded;
use crate::spirv::facts::defs::Defs;
use crate::spirv::target::Target;
use blocks::{Access, Place, Side};
use shape::{NUMBERS, Shape};
use typed::Texels;

pub use shape::{LINEAR_PITCH, LinearShape};

/// The kernel with its surfaces in buffers; `None` if it has none.
pub(crate) fn expand(function: &Function, target: Target) -> Option<Function> {
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
    let defs = Defs::of(function);
    // The accesses, in the order of the instructions.
    let mut accesses = summary.accesses().iter();
    let mut nth = 0;
    let body = expanded(function, |inst, insts| {
        let Op::Access { kind, param, operands } = &inst.op else { return false };
        let spec = kind.spec();
        let (Some(shape), Some(parts)) = (shapes.get(*param).copied().flatten(), spec.parts(operands)) else {
            return false;
        };
        let used = accesses.next().filter(|access| access.location == inst.location);
        let column = used.and_then(SurfaceUse::block_column);
        let shape = Shape::new(insts, shape);
        if let Carries::Texels(channels) = spec.carries {
            let texels = Texels::new(insts, (*param, channels), shape, parts.address, inst.ty.columns);
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
        let in_dword = column.and_then(|x| x.remainder(DWORD as i64)).map(|byte| byte as usize);
        let width = inst.ty.columns * inst.ty.elem().map_or(1, ElemType::bytes);
        let needed = needed(inst, &defs) * inst.ty.elem().map_or(1, ElemType::bytes);
        let sides = [(column, needed), (used.and_then(|used| used.y), inst.ty.rows)]
            .map(|(first, count)| Side::of(first, count));
        let (param, rows, by_2d_blocks) = (*param, inst.ty.rows, target.has_2d_blocks());
        nth += 1;
        let access =
            Access { insts, nth: nth - 1, param, shape, rows, width, needed, in_dword, sides, by_2d_blocks };
        let &[x, y] = parts.address else { return false };
        let place = Place { x, y };
        match (spec.effect, parts.data.first(), inst.result) {
            (Effect::Read, None, Some(result)) => access.read(place, inst.ty, result),
            (Effect::Write, Some(data), None) => access.write(place, inst.ty, *data),
            _ => return false,
        }
        true
    });
    Some(Function { params, body: body.unwrap_or_default(), ..function.clone() })
}

/// The columns of an accessed block that the kernel uses, from the first one on.
fn needed(inst: &Inst, defs: &Defs<'_>) -> usize {
    let columns = inst.ty.columns;
    let Some(result) = inst.result else { return columns };
    // The columns up to the last one of each row of a region.
    let used = |user: &&Inst| match &user.op {
        Op::Region(_, region) if region.dynamic.is_none() => {
            region.positions(user.ty.count()).map(|position| position % columns + 1).max()
        }
        _ => None,
    };
    let users = defs.users(result).iter().map(used);
    users.collect::<Option<Vec<_>>>().and_then(|used| used.into_iter().max()).unwrap_or(columns)
}

/// The surfaces that 2-D blocks access if they are in buffers.
pub(crate) fn addressed(function: &Function) -> BTreeSet<usize> {
    let accesses = function.body.instructions().filter_map(|inst| match inst.op {
        Op::Access { kind, param, .. } if !matches!(kind.spec().carries, Carries::Texels(_)) => Some(param),
        _ => None,
    });
    let is_surface = |param: &usize| {
        let kind = function.params.get(*param).map(|param| param.kind);
        matches!(kind, Some(ParamKind::Surface { .. } | ParamKind::View { .. }))
    };
    accesses.filter(is_surface).collect()
}

#[cfg(test)]
mod tests;
