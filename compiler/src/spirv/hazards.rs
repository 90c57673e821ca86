//! Which values the compiler would convert wrongly.
//!
//! Operations that only move elements pass the danger on, and so do variables, because the compiler looks through all of
//! them.

use std::collections::HashMap;

use crate::elem::ElemType;
use crate::ir::{Block, Function, Op, Type, Value, Variable};
use crate::ops::{Class, MapKind, Operand};

use super::convert::Hazard;

/// What is known of the values of a kernel.
#[derive(Debug, Default)]
pub(super) struct Hazards {
    values: HashMap<Value, Hazard>,
    variables: HashMap<Variable, Hazard>,
    types: HashMap<Value, Type>,
    changed: bool,
}

impl Hazards {
    /// Of this kernel.
    pub(super) fn of(function: &Function) -> Self {
        let mut hazards = Self::default();
        loop {
            hazards.changed = false;
            hazards.block(&function.body);
            // Dangers only grow, and there are finitely many.
            if !hazards.changed {
                return hazards;
            }
        }
    }

    /// The danger of a value.
    pub(super) fn value(&self, value: Value) -> Hazard {
        self.values.get(&value).copied().unwrap_or_default()
    }

    fn elem(&self, value: Value) -> Option<ElemType> {
        self.types.get(&value).and_then(|ty| ty.elem())
    }

    fn block(&mut self, block: &Block) {
        for inst in &block.insts {
            if let Some(result) = inst.result {
                self.types.insert(result, inst.ty);
            }
            let hazard = match &inst.op {
                Op::Map { kind, common, operands, .. } => self.map(*kind, *common, operands, inst.ty),
                Op::Splat(x) | Op::Region(x, _) | Op::Iselect(x, _) | Op::Format(x) => self.value(*x),
                Op::Insert(x, _, y) => join(self.value(*x), self.value(*y)),
                Op::Load(variable) => self.variables.get(variable).copied().unwrap_or_default(),
                Op::Declare(variable, Some(x)) | Op::Store(variable, x) => {
                    let hazard = self.value(*x);
                    let known = self.variables.entry(*variable).or_default();
                    let joined = join(*known, hazard);
                    self.changed |= joined != *known;
                    *known = joined;
                    continue;
                }
                op => {
                    op.blocks().into_iter().flatten().for_each(|inner| self.block(inner));
                    continue;
                }
            };
            if let Some(result) = inst.result
                && hazard != Hazard::default()
                && self.values.insert(result, hazard) != Some(hazard)
            {
                self.changed = true;
            }
        }
    }

    fn map(&self, kind: MapKind, elem: ElemType, operands: &[Value], ty: Type) -> Hazard {
        let both = |x: Hazard, y: Hazard| join(x, y);
        match kind.class() {
            Class::Conversion => self.converted(operands[0], ty),
            // They move elements.
            Class::Sign | Class::Selection => {
                let values = operands.iter().zip(kind.operands()).filter(|(_, rule)| **rule != Operand::Mask);
                values.map(|(x, _)| self.value(*x)).fold(Hazard::default(), both)
            }
            // An arithmetic shift may be all that is left of an extension.
            Class::ShiftRight if elem.is_signed() => Hazard { extended: true, ..Hazard::default() },
            Class::ShiftLeft if elem.bytes() == 8 => Hazard { shifted: true, ..Hazard::default() },
            Class::Product if elem.is_float() => Hazard { product: true, ..Hazard::default() },
            Class::Order | Class::Equality => Hazard::default(),
            _ if elem.is_float() => Hazard::default(),
            // Arithmetic on extended numbers is made before the extension where the result fits.
            _ => {
                operands.iter().map(|x| self.converted(*x, ty.with_elem(elem))).fold(Hazard::default(), both)
            }
        }
    }

    fn converted(&self, x: Value, to: Type) -> Hazard {
        let hazard = self.value(x);
        match (self.elem(x), to.elem()) {
            (Some(from), Some(to)) if !from.is_float() && !to.is_float() => {
                let wider = to.bytes() > from.bytes();
                let shifted = hazard.shifted && to.bytes() == 8;
                let extended = hazard.extended || wider && from.is_signed();
                Hazard { extended, shifted, ..Hazard::default() }
            }
            _ => Hazard::default(),
        }
    }
}

fn join(a: Hazard, b: Hazard) -> Hazard {
    Hazard {
        extended: a.extended || b.extended,
        shifted: a.shifted || b.shifted,
        product: a.product || b.product,
    }
}
