//! Repeated scalars that instructions can take as they are, without a copy in each element.
//!
//! A shuffle repeats a scalar without an instruction. But the optimiser moves operations on repeated numbers
//! only before the shuffle, also comparisons, whose shuffled truth values the compiler gets wrong. So a
//! scalar is shuffled only if its users combine it with other numbers, see [`Builder::splat`](crate::spirv::module::Builder).

use rustc_hash::FxHashSet;

use crate::elem::ElemType;
use crate::ir::{Bits, Function, Inst, Op, Value};
use crate::ops::MapKind;

use super::defs::Defs;

/// The repeated scalars of a kernel that its instructions can take.
pub(crate) fn direct(function: &Function) -> FxHashSet<Value> {
    let defs = Defs::of(function);
    let direct = |inst: &Inst| {
        let result = inst.result.filter(|_| matches!(inst.op, Op::Splat(_)))?;
        let float = inst.ty.elem().is_some_and(ElemType::is_float);
        let taken = |user: &&Inst| match &user.op {
            Op::Map {
                kind: MapKind::Add | MapKind::Sub | MapKind::Mul,
                common,
                saturate: false,
                operands,
            } => {
                let other = operands.iter().filter(|x| **x != result).collect::<Vec<_>>();
                inst.ty.elem() == Some(*common)
                    && matches!(other[..], [x] if !defs.get(*x).is_some_and(|inst| repeats(&inst.op)))
            }
            _ => false,
        };
        (float && defs.users(result).iter().all(taken)).then_some(result)
    };
    function.body.instructions().filter_map(direct).collect()
}

/// Whether all elements are the same.
pub(crate) const fn repeats(op: &Op) -> bool {
    matches!(op, Op::Splat(_) | Op::Constant(Bits::Splat(_)))
}
