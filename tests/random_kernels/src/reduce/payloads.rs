//! Whether a kernel looks at the payloads of NaNs, which are not defined.

use std::collections::HashMap;

use cm::compiler::ops::MapKind;
use cm::ir::{Function, Inst, Op, Value};

/// Whether every float whose bits the kernel formats or writes has none that is undefined.
pub(super) fn are_hidden(function: &Function) -> bool {
    let made: HashMap<Value, &Inst> =
        function.body.instructions().filter_map(|inst| Some((inst.result?, inst))).collect();
    function.body.instructions().all(|inst| match &inst.op {
        Op::Format(x) => is_plain(*x, &made),
        Op::Access { operands, .. } => operands.iter().all(|x| is_plain(*x, &made)),
        _ => true,
    })
}

/// Whether a value has only bits that are defined.
fn is_plain(value: Value, made: &HashMap<Value, &Inst>) -> bool {
    let Some(inst) = made.get(&value) else { return false };
    if inst.ty.elem().is_none_or(|elem| !elem.is_float()) {
        return true;
    }
    match &inst.op {
        Op::Constant(_) => true,
        Op::Splat(x) | Op::Region(x, _) | Op::Iselect(x, _) => is_plain(*x, made),
        Op::Insert(x, _, y) => is_plain(*x, made) && is_plain(*y, made),
        // `x == x` selects what is no NaN.
        Op::Map { kind: MapKind::Merge, operands, .. } => made.get(&operands[0]).is_some_and(|mask| {
            let Op::Map { kind: MapKind::Eq, operands: compared, .. } = &mask.op else { return false };
            compared.iter().all(|x| *x == operands[1]) && is_plain(operands[2], made)
        }),
        Op::Map { kind: MapKind::Convert, operands, .. } => {
            let source = made.get(&operands[0]).and_then(|inst| inst.ty.elem());
            source.is_some_and(|elem| !elem.is_float())
        }
        _ => false,
    }
}
