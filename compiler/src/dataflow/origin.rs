//! Where results come from.

use crate::ir::{Op, Operands, Value, Variable};
use crate::ops::{Class, Operand};

/// What the result of an instruction is made of, as far as that is the same for every analysis.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// Nothing in registers: a constant, an argument, a coordinate, what memory holds.
    Outside,
    /// Elements of these values as they are, wherever they go.
    Elements(Operands),
    /// The bytes of this value as other elements.
    Bytes(Value),
    /// What a variable holds.
    Variable(Variable),
    /// Computed: only an analysis knows more. Also of what has no result.
    Computed,
}

/// Where the result of an operation comes from.
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
            // What is converted on the way is not as it was.
            let plain = rules.iter().all(|rule| matches!(rule, Operand::Own | Operand::Mask));
            if plain { Origin::Elements(Operands::new(&chosen)) } else { Origin::Computed }
        }
        Op::Format(x) => Origin::Bytes(*x),
        Op::Load(variable) => Origin::Variable(*variable),
        // Of operations that are added later nothing is assumed.
        _ => Origin::Computed,
    }
}
