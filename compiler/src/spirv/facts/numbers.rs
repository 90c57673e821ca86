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
    /// Those that are equal on every path, also after conversions of integers that change no number. Between two reads of
    /// the same place, or two loads of a variable, something may be written.
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
        for inst in function.body.instructions() {
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

/// Whether an instruction may give another result each time: also if nothing happens in between, or if something may.
fn is_unique(inst: &Inst, same: Same) -> bool {
    match &inst.op {
        Op::Clock => true,
        Op::Access { .. } | Op::Load(_) if same == Same::Surely => true,
        Op::Access { kind, .. } => matches!(kind.spec().effect, Effect::Update(_)),
        _ => false,
    }
}
