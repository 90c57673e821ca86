//! The origins of results.

use crate::ir::{Op, Operands, Value, Variable};
use crate::ops::{Class, Operand};

/// The origin of the result of an instruction, as far as it is the same for every analysis.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// Not from registers: a constant, an argument, a coordinate, a value from memory.
    Outside,
    /// Unchanged elements of these values, at any position.
    Elements(Operands),
    /// The bytes of this value as other elements.
    Bytes(Value),
    /// The value of a variable.
    Variable(Variable),
    /// Computed: only an analysis knows more. Also for instructions without a result.
    Computed,
}

/// The origin of the result of an operation.
#[must_use]
pub fn origin(op: &Op) -> Origin {
    match op {
        Op::Constant(_) | Op::Argument(_) | Op::Thread(_) | Op::Clock | Op::Access { .. } => Origin::Outside,
        Op::Splat(x) | Op::Region(x, _) | Op::Iselect(x, _) => Origin::Elements(Operands::new(&[*x])),
        Op::Insert(x, _, y) => Origin::Elements(Operands::new(&[*x, *y])),
        Op::Map { kind, saturate: false, operands, .. } if kind.class() == Class::Selection => {
            let rules = kind.operands();
            let chosen: Vec<Value> = operands
                .iter()
                .zip(rules)
                .filter(|(_, rule)| **rule == Operand::Own)
                .map(|(x, _)| *x)
                .collect();
            // Converted elements have changed.
            let plain = rules.iter().all(|rule| matches!(rule, Operand::Own | Operand::Mask));
            if plain { Origin::Elements(Operands::new(&chosen)) } else { Origin::Computed }
        }
        Op::Format(x) => Origin::Bytes(*x),
        Op::Load(variable) => Origin::Variable(*variable),
        // Nothing is assumed about operations that are added later.
        _ => Origin::Computed,
    }
}
