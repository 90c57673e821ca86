//! The instructions that make the values of a kernel, and those that use them.

use rustc_hash::FxHashMap;

use crate::elem::ElemType;
use crate::ir::{Bits, Function, Inst, Op, Value};
use crate::ops::MapKind;

/// The definitions and uses of a kernel.
pub(crate) struct Defs<'a> {
    defs: FxHashMap<Value, &'a Inst>,
    users: FxHashMap<Value, Vec<&'a Inst>>,
}

impl<'a> Defs<'a> {
    pub(crate) fn of(function: &'a Function) -> Self {
        let mut found = Self { defs: FxHashMap::default(), users: FxHashMap::default() };
        for inst in function.body.instructions() {
            found.defs.extend(inst.result.map(|result| (result, inst)));
            for operand in inst.op.operands() {
                found.users.entry(operand).or_default().push(inst);
            }
        }
        found
    }

    /// The instruction that makes a value.
    pub(crate) fn get(&self, x: Value) -> Option<&'a Inst> {
        self.defs.get(&x).copied()
    }

    /// The instructions that use a value, once for each use.
    pub(crate) fn users(&self, x: Value) -> &[&'a Inst] {
        self.users.get(&x).map_or(&[], Vec::as_slice)
    }

    /// The only instruction that uses a value, once.
    pub(crate) fn user(&self, x: Value) -> Option<&'a Inst> {
        match *self.users(x) {
            [user] => Some(user),
            _ => None,
        }
    }

    /// The integer that all elements are.
    pub(crate) fn number(&self, x: Value) -> Option<i128> {
        let inst = self.get(x)?;
        let elem = inst.ty.elem()?;
        match &inst.op {
            Op::Constant(Bits::Splat(bits)) => elem.integer(*bits),
            Op::Splat(x) => self.number(*x),
            Op::Map { kind: MapKind::Convert, saturate: false, operands, .. } => {
                // Only numbers that the conversion keeps.
                let (least, most) = elem.range()?;
                self.number(*operands.first()?).filter(|number| (least..=most).contains(number))
            }
            _ => None,
        }
    }
}

/// The number that an instruction converts to an integer type, wrapping.
pub(crate) fn converted(inst: &Inst) -> Option<(Value, ElemType)> {
    match &inst.op {
        Op::Map { kind: MapKind::Convert, common, saturate: false, operands } if !common.is_float() => {
            Some((*operands.first()?, *common))
        }
        _ => None,
    }
}
