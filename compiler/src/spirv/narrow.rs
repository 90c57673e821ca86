//! What of a value is asked for: arithmetic whose upper bits nobody uses needs only 16.

use std::collections::HashMap;

use crate::ir::{Inst, Op, Value, Variable};
use crate::ops::{Class, MapKind};

/// Instructions without control flow, loads replaced by what was stored. Variables that start with any value are
/// declared still; `None` if something is loaded that was not stored.
pub(super) fn without_variables(insts: &[Inst]) -> Option<Vec<Inst>> {
    let mut current: HashMap<Variable, Value> = HashMap::new();
    let mut names: HashMap<Value, Value> = HashMap::new();
    let mut result = vec![];
    for inst in insts {
        let name = |x: &Value| *names.get(x).unwrap_or(x);
        match &inst.op {
            Op::Load(variable) => {
                let value = *current.get(variable)?;
                names.insert(inst.result?, value);
            }
            Op::Declare(variable, Some(x)) | Op::Store(variable, x) => {
                current.insert(*variable, name(x));
            }
            // Where nothing was stored any value will do.
            Op::Declare(..) => {}
            _ => {
                let mut inst = inst.clone();
                for x in inst.op.operands_mut() {
                    *x = name(x);
                }
                result.push(inst);
            }
        }
    }
    Some(result)
}

/// How many low bits of each value are asked for.
#[derive(Debug, Default)]
pub(super) struct Demand {
    bits: HashMap<Value, usize>,
    narrowable: HashMap<Value, bool>,
}

impl Demand {
    /// Of a kernel without control flow.
    pub(super) fn of(insts: &[Inst]) -> Self {
        let mut demand = Self::default();
        for inst in insts.iter().rev() {
            let own = inst.result.and_then(|r| demand.bits.get(&r).copied()).unwrap_or(0);
            let elem = inst.ty.elem();
            match (&inst.op, elem) {
                (Op::Map { kind, saturate: false, operands, .. }, Some(to))
                    if kind.class() == Class::Conversion && !to.is_float() =>
                {
                    demand.ask(operands[0], own.min(to.bytes() * 8));
                }
                (Op::Map { kind, common, operands, .. }, _)
                    if kind.class().is_low() && !common.is_float() && inst.ty.count() > 1 =>
                {
                    if let Some(result) = inst.result {
                        demand.narrowable.insert(result, common.bytes() > 2);
                    }
                    operands.iter().for_each(|x| demand.ask(*x, own));
                }
                (op, _) => op.operands().into_iter().for_each(|x| demand.ask(x, 64)),
            }
            if let (Op::Map { kind: MapKind::Convert, saturate: false, .. }, Some(result), Some(to)) =
                (&inst.op, inst.result, elem)
            {
                // What a conversion gives is of its type in any case.
                demand.bits.entry(result).and_modify(|bits| *bits = (*bits).min(to.bytes() * 8));
            }
        }
        demand
    }

    fn ask(&mut self, value: Value, bits: usize) {
        let known = self.bits.entry(value).or_default();
        *known = (*known).max(bits);
    }

    /// Whether an operation can be made in 16 bits.
    pub(super) fn is_narrow(&self, value: Value) -> bool {
        self.narrowable.get(&value) == Some(&true) && self.bits.get(&value).is_some_and(|&bits| bits <= 16)
    }
}
