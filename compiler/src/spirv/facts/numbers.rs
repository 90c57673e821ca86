//! Finds the values of a kernel that are computed, read or loaded twice.

use rustc_hash::FxHashMap;

use crate::dataflow::loads;
use crate::elem::ElemType;
use crate::ir::{Function, Inst, Op, Value};
use crate::ops::{Effect, MapKind};

/// Value numbers: values that are the same, in one of the meanings of [`Same`], have the same number.
#[derive(Debug)]
pub(crate) struct Numbers(FxHashMap<Value, u32>);

/// Which values are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Same {
    /// Those that are equal on every path, also after conversions of integers that change no number. Two reads of the same
    /// place are, if nothing is written in between.
    Surely,
    /// Those that the optimiser may recognise as equal. A converted value is a different one.
    Perhaps,
    /// Those, and all that they are converted to: conversions do not change most numbers.
    PerhapsConverted,
}

impl Numbers {
    /// The numbers of a kernel.
    pub(crate) fn of(function: &Function, same: Same) -> Self {
        let stored = loads(&function.body);
        let (mut known, mut numbers) = (FxHashMap::<String, u32>::default(), Self(FxHashMap::default()));
        let mut elems = FxHashMap::<Value, ElemType>::default();
        // How often memory may have changed.
        let mut changes = 0;
        for inst in function.body.instructions() {
            changes += u32::from(may_change_memory(&inst.op));
            let Some(result) = inst.result else { continue };
            elems.extend(inst.ty.elem().map(|elem| (result, elem)));
            let number = match &inst.op {
                Op::Load(_) if stored.contains_key(&result) => numbers.get(stored[&result]),
                Op::Map { kind: MapKind::Convert, operands, .. } if same == Same::PerhapsConverted => {
                    numbers.get(operands[0])
                }
                Op::Map { kind: MapKind::Convert, operands, .. }
                    if same == Same::Surely && holds(elems.get(&operands[0]).copied(), inst.ty.elem()) =>
                {
                    numbers.get(operands[0])
                }
                op => {
                    let mut op = op.clone();
                    op.operands_mut().into_iter().for_each(|x| *x = Value(numbers.get(*x)));
                    let own = if is_unique(inst, same) { inst.result } else { None };
                    let reads = same == Same::Surely && matches!(inst.op, Op::Access { .. });
                    let own = (own, reads.then_some(changes));
                    let next = known.len() as u32;
                    *known.entry(format!("{op:?} {} {own:?}", inst.ty)).or_insert(next)
                }
            };
            numbers.0.insert(result, number);
        }
        numbers
    }

    /// The number of a value.
    pub(crate) fn get(&self, value: Value) -> u32 {
        self.0.get(&value).copied().unwrap_or(u32::MAX)
    }
}

/// Whether an integer type holds all numbers of another one.
fn holds(from: Option<ElemType>, to: Option<ElemType>) -> bool {
    let (Some(from), Some(to)) = (from, to) else { return false };
    let wider = to.bytes() > from.bytes() && (to.is_signed() || !from.is_signed());
    !from.is_float() && !to.is_float() && (from == to || wider)
}

/// Whether memory may be another one after an instruction, or in each round of a loop.
fn may_change_memory(op: &Op) -> bool {
    match op {
        Op::Access { kind, .. } => kind.spec().effect.writes(),
        Op::Sync(..) | Op::Loop(..) => true,
        _ => false,
    }
}

/// Whether an instruction may give another result each time, even if memory does not change in between.
fn is_unique(inst: &Inst, same: Same) -> bool {
    match &inst.op {
        Op::Clock => true,
        // Something may be stored between two loads of a variable.
        Op::Load(_) if same == Same::Surely => true,
        Op::Access { kind, .. } => matches!(kind.spec().effect, Effect::Update(_)),
        _ => false,
    }
}
