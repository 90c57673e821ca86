//! What targets do not support.

use cm::Target;
use cm::compiler::ops::AccessKind;
use cm::ir::{Function, Inst, Op, ParamKind};

/// Whether a target may have no module for a kernel: some lack `f64`, those before Xe-HPG atomic operations on 64 bits,
/// those before Xe2 such operations on shared memory, and those from Xe2 on atomic operations on texels.
pub(crate) fn is_unsupported(kernel: &Function, target: Target) -> bool {
    let has_f64 = || kernel.to_string().contains("f64");
    !target.has_f64() && has_f64() || kernel.body.instructions().any(|inst| is_missing(kernel, inst, target))
}

/// Whether an instruction is an atomic operation that a target lacks.
fn is_missing(kernel: &Function, inst: &Inst, target: Target) -> bool {
    let from_xe2 = matches!(target, Target::Xe2 | Target::Xe3 | Target::Xe3p);
    match &inst.op {
        Op::Access { kind: AccessKind::TypedAtomic(..), .. } => from_xe2,
        Op::Access { kind: AccessKind::Atomic(..), param, .. } => {
            let long = inst.ty.elem().is_some_and(|elem| elem.bytes() == 8);
            let shared = matches!(kernel.params[*param].kind, ParamKind::Shared { .. });
            long && if shared { !from_xe2 } else { matches!(target, Target::Gen9 | Target::XeLp) }
        }
        _ => false,
    }
}
