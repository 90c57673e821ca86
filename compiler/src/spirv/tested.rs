//! Which values comparisons are made of.
//!
//! When an integer that was made of a float is compared with 0, Intel's compiler merges the comparison into the
//! conversion, which then tests the float: 0.375 is not 0, although its integer is. Divisions test for 0 as well, and the
//! compiler turns comparisons with other numbers into ones with 0. So conversions that end up in a comparison, whatever
//! is made of them on the way, are spelt such that the float is 0 where the integer is.

use std::collections::HashSet;

use crate::ir::{Block, Function, Op, Value, Variable};
use crate::ops::Class;

/// The values of a kernel that a comparison, a division or a condition depends on.
#[derive(Debug, Default)]
pub(super) struct Tested {
    values: HashSet<Value>,
    variables: HashSet<Variable>,
    changed: bool,
}

impl Tested {
    /// Of this kernel.
    pub(super) fn of(function: &Function) -> Self {
        let mut tested = Self::default();
        loop {
            tested.changed = false;
            tested.block(&function.body);
            // The sets only grow, and there are finitely many values.
            if !tested.changed {
                return tested;
            }
        }
    }

    /// Whether a comparison depends on the value.
    pub(super) fn contains(&self, value: Value) -> bool {
        self.values.contains(&value)
    }

    fn block(&mut self, block: &Block) {
        for inst in block.insts.iter().rev() {
            inst.op.blocks().into_iter().flatten().rev().for_each(|inner| self.block(inner));
            let tested = match &inst.op {
                Op::Map { kind, .. } if kind.class().is_comparison() || kind.class() == Class::Quotient => {
                    true
                }
                Op::Any(_) | Op::All(_) => true,
                Op::Store(variable, _) | Op::Declare(variable, _) => self.variables.contains(variable),
                _ => inst.result.is_some_and(|result| self.contains(result)),
            };
            if !tested {
                continue;
            }
            if let Op::Load(variable) = inst.op {
                self.changed |= self.variables.insert(variable);
            }
            for operand in inst.op.operands() {
                self.changed |= self.values.insert(operand);
            }
        }
    }
}
