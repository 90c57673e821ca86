//! The backward pass: from what is asked of results to what is asked of operands.

use super::facts::{Facts, ROUNDS};
use crate::ir::{Block, Inst, Op, Type, Variable};

/// An analysis of what is asked of values.
pub trait Backward {
    /// What users ask of a value.
    type Fact: Clone + PartialEq;

    /// All that can be asked of a value of this type.
    fn everything(&self, ty: Type) -> Self::Fact;

    /// What two users ask.
    fn join(&self, a: &Self::Fact, b: &Self::Fact) -> Self::Fact;

    /// What an instruction asks of an operand of this type, if nobody asks more of the result than `own`, or
    /// nothing at all. Of a store the result is what is loaded. `None` is everything.
    fn ask(&self, inst: &Inst, operand: Type, own: Option<&Self::Fact>) -> Option<Self::Fact>;
}

/// What is asked of the values of a block; of values that nobody uses there is no fact.
pub fn backward<A: Backward>(block: &Block, analysis: &A) -> Facts<A::Fact> {
    let mut pass = Pass { analysis, facts: Facts::of(block), changed: true, round: 0 };
    // What is asked of values follows from what is asked of variables.
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
    /// Whether more is asked of a variable than was known when this round began.
    changed: bool,
    round: usize,
}

impl<A: Backward> Pass<'_, A> {
    fn block(&mut self, block: &Block) {
        for inst in block.insts.iter().rev() {
            // What a block inside uses is asked for before the instruction itself.
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
