//! The backward pass: from demands on results to demands on operands.

use super::facts::{Facts, ROUNDS};
use crate::ir::{Block, Inst, Op, Type, Variable};

/// An analysis of the demands on values.
pub trait Backward {
    /// The demand of users on a value.
    type Fact: Clone + PartialEq;

    /// The largest demand on a value of this type.
    fn everything(&self, ty: Type) -> Self::Fact;

    /// The demand of two users together.
    fn join(&self, a: &Self::Fact, b: &Self::Fact) -> Self::Fact;

    /// The demand of an instruction on an operand of this type, if the demand on the result is `own`, or if there is no
    /// demand. For a store the result is the loaded value. `None` is the largest demand.
    fn ask(&self, inst: &Inst, operand: Type, own: Option<&Self::Fact>) -> Option<Self::Fact>;
}

/// The demands on the values of a block; unused values have no fact.
pub fn backward<A: Backward>(block: &Block, analysis: &A) -> Facts<A::Fact> {
    let mut pass = Pass { analysis, facts: Facts::of(block), changed: true, round: 0 };
    // The demands on values follow from the demands on variables.
    while pass.changed {
        pass.changed = false;
        pass.block(block);
        pass.round += 1;
    }
    pass.facts
}

struct Pass<'a, A: Backward> {
    analysis: &'a A,
    facts: Facts<A::Fact>,
    /// Whether the demand on a variable has grown in this round.
    changed: bool,
    round: usize,
}

impl<A: Backward> Pass<'_, A> {
    fn block(&mut self, block: &Block) {
        for inst in block.insts.iter().rev() {
            // The demands of inner blocks come before those of the instruction itself.
            inst.op.blocks().rev().for_each(|inner| self.block(inner));
            self.inst(inst);
        }
    }

    fn inst(&mut self, inst: &Inst) {
        let own = match &inst.op {
            Op::Declare(variable, _) | Op::Store(variable, _) => self.facts.variable(*variable),
            _ => inst.result.and_then(|result| self.facts.get(result)),
        };
        let own = own.cloned();
        if let (Op::Load(variable), Some(own)) = (&inst.op, &own) {
            self.ask_variable(*variable, own.clone(), inst.ty);
        }
        for operand in inst.op.operands() {
            let ty = self.facts.ty(operand).unwrap_or(inst.ty);
            let asked = self.analysis.ask(inst, ty, own.as_ref());
            let more = asked.unwrap_or_else(|| self.analysis.everything(ty));
            let all = match self.facts.get(operand) {
                Some(known) => self.analysis.join(known, &more),
                None => more,
            };
            self.facts.values.insert(operand, all);
        }
    }

    fn ask_variable(&mut self, variable: Variable, more: A::Fact, ty: Type) {
        let all = match self.facts.variable(variable) {
            None => more,
            Some(known) => {
                let all = self.analysis.join(known, &more);
                if all == *known {
                    return;
                }
                if self.round > ROUNDS { self.analysis.everything(ty) } else { all }
            }
        };
        self.facts.variables.insert(variable, all);
        self.changed = true;
    }
}
