//! The forward pass: from facts about operands to facts about results.

use super::facts::{Facts, ROUNDS};
use super::origin::{Origin, origin};
use crate::ir::{Block, Inst, Op, Type, Value, Variable};

/// An analysis that follows values from their definitions.
pub trait Forward {
    /// A fact about all elements of a value.
    type Fact: Clone + PartialEq;

    /// The fact that is true of all values of this type.
    fn unknown(&self, ty: Type) -> Self::Fact;

    /// The fact that is true if either of two facts is true.
    fn join(&self, a: &Self::Fact, b: &Self::Fact) -> Self::Fact;

    /// The fact about the result of an instruction; `None` if no more is known than about every result of its
    /// [`Origin`].
    fn transfer(&self, inst: &Inst, facts: &Facts<Self::Fact>) -> Option<Self::Fact>;

    /// The fact about a variable without stores.
    fn unstored(&self, ty: Type) -> Self::Fact {
        self.unknown(ty)
    }

    /// The fact for a variable that has changed again in this round; [`unknown`](Self::unknown) is always correct.
    /// Facts that can change only a few times need no limit.
    fn widen(&self, joined: Self::Fact, ty: Type, round: usize) -> Self::Fact {
        if round > ROUNDS { self.unknown(ty) } else { joined }
    }
}

/// The facts about the values of a block.
pub fn forward<A: Forward>(block: &Block, analysis: &A) -> Facts<A::Fact> {
    let mut pass = Pass { analysis, facts: Facts::of(block), changed: true, round: 0 };
    // A store at the end of a loop reaches loads at its beginning.
    while pass.changed {
        pass.changed = false;
        block.instructions().for_each(|inst| pass.inst(inst));
        pass.round += 1;
    }
    pass.facts
}

struct Pass<'a, A: Forward> {
    analysis: &'a A,
    facts: Facts<A::Fact>,
    /// Whether the fact about a variable has changed in this round.
    changed: bool,
    round: usize,
}

impl<A: Forward> Pass<'_, A> {
    fn inst(&mut self, inst: &Inst) {
        if let Op::Declare(variable, Some(x)) | Op::Store(variable, x) = &inst.op {
            let fact = self.fact(*x, inst.ty);
            self.assign(*variable, fact, inst.ty);
        }
        if let Some(result) = inst.result {
            let known = self.analysis.transfer(inst, &self.facts);
            let fact = known.unwrap_or_else(|| self.by_origin(inst));
            self.facts.values.insert(result, fact);
        }
    }

    fn fact(&self, value: Value, ty: Type) -> A::Fact {
        self.facts.get(value).cloned().unwrap_or_else(|| self.analysis.unknown(ty))
    }

    fn by_origin(&self, inst: &Inst) -> A::Fact {
        match origin(&inst.op) {
            Origin::Elements(sources) => {
                let mut facts = sources.iter().map(|x| self.fact(*x, inst.ty));
                let first = facts.next().unwrap_or_else(|| self.analysis.unknown(inst.ty));
                facts.fold(first, |all, fact| self.analysis.join(&all, &fact))
            }
            Origin::Variable(variable) => match self.facts.variable(variable) {
                Some(fact) => fact.clone(),
                None => self.analysis.unstored(inst.ty),
            },
            Origin::Outside | Origin::Bytes(_) | Origin::Computed => self.analysis.unknown(inst.ty),
        }
    }

    fn assign(&mut self, variable: Variable, fact: A::Fact, ty: Type) {
        let fact = match self.facts.variable(variable) {
            None => fact,
            Some(known) => {
                let joined = self.analysis.join(known, &fact);
                if joined == *known {
                    return;
                }
                self.analysis.widen(joined, ty, self.round)
            }
        };
        self.facts.variables.insert(variable, fact);
        self.changed = true;
    }
}
