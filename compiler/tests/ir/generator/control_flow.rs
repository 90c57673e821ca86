//! Blocks, and what leaves and repeats them.

use cm_compiler::elem::ElemType;
use cm_compiler::ir::{Bits, Block, Label, Op, Type};
use cm_compiler::ops::MapKind;

use super::Builder;

impl Builder {
    /// A block that some of its instructions leave.
    pub(super) fn labelled(&mut self, depth: usize) {
        let label = Label(self.next_label);
        self.next_label += 1;
        self.labels.push(label);
        let block = self.block(depth + 1, 12);
        self.labels.pop();
        self.effect(Op::Labelled(label, block), Type::CONDITION);
    }

    /// Leaves a block around it, under a condition or not.
    pub(super) fn leave(&mut self, depth: usize) {
        if self.labels.is_empty() {
            return;
        }
        let n = self.below(self.labels.len());
        let label = self.labels[n];
        if depth > 3 || self.below(4) == 0 {
            return self.effect(Op::Break(label), Type::CONDITION);
        }
        let condition = self.condition();
        let mut arms = [self.block(depth + 1, 3), self.block(depth + 1, 3)];
        let leaving = self.below(2);
        if !arms[leaving].breaks_out() {
            let outer = std::mem::replace(&mut self.insts, std::mem::take(&mut arms[leaving].insts));
            self.effect(Op::Break(label), Type::CONDITION);
            arms[leaving].insts = std::mem::replace(&mut self.insts, outer);
        }
        let [then, otherwise] = arms;
        self.effect(Op::If(condition, then, otherwise), Type::CONDITION);
    }

    /// A loop of a few rounds, or fewer.
    pub(super) fn counted_loop(&mut self, depth: usize) {
        let ty = Type::scalar(ElemType::U32);
        let number = |b: &mut Self, n: usize| b.value(Op::Constant(Bits::Splat(n as u64)), ty);
        let zero = number(self, 0);
        let rounds = self.below(4);
        let rounds = number(self, rounds);
        let counter = self.declare(Some(zero), ty);
        // Nothing else stores it.
        self.variables.pop();
        let (values, variables) = (self.values.len(), self.variables.len());
        let outer = std::mem::take(&mut self.insts);
        let n = self.value(Op::Load(counter), ty);
        let less = Type::scalar(ElemType::U16);
        let less = self.value(Op::map(MapKind::Lt, ElemType::U32, &[n, rounds]), less);
        let mut condition = self.value(Op::Any(less), Type::CONDITION);
        if self.flip() {
            let other = self.condition();
            condition = self.value(Op::And(condition, other), Type::CONDITION);
        }
        let first = Block { insts: std::mem::take(&mut self.insts) };
        let one = number(self, 1);
        let next = self.value(Op::map(MapKind::Add, ElemType::U32, &[n, one]), ty);
        self.effect(Op::Store(counter, next), ty);
        let steps = self.below(8);
        (0..steps).for_each(|_| self.step(depth + 1));
        let body = Block { insts: std::mem::replace(&mut self.insts, outer) };
        self.values.truncate(values);
        self.variables.truncate(variables);
        self.effect(Op::Loop(first, condition, body), Type::CONDITION);
    }
}
