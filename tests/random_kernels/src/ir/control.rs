//! The steps that decide which steps run: branches, loops, and blocks that breaks leave.

use cm::compiler::elem::ElemType;
use cm::compiler::ops::MapKind;
use cm::ir::{Op, Type};

use super::builder::{Builder, INDEX};

impl Builder {
    /// A branch. In a labelled block it may leave the block, or one around it.
    pub(super) fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        let steps = self.random.within(1..=5);
        let leaves = !self.labels.is_empty() && self.random.flip();
        let then = self.block(|b| {
            (0..steps).for_each(|_| b.inner(depth + 1));
            if leaves {
                b.leave();
            }
        });
        let steps = self.random.below(5);
        let otherwise = self.block(|b| (0..steps).for_each(|_| b.inner(depth + 1)));
        // What follows can be reached through one of the two blocks.
        let arms = if self.random.flip() { (then, otherwise) } else { (otherwise, then) };
        self.effect(Op::If(condition, arms.0, arms.1), Type::CONDITION);
    }

    /// A block that breaks leave; at least one of them is behind the first steps.
    pub(super) fn labelled(&mut self, depth: usize) {
        let label = self.label();
        self.labels.push(label);
        let block = self.block(|b| {
            for _ in 0..b.random.below(4) {
                b.inner(depth + 1);
            }
            b.branch(depth + 1);
            for _ in 0..b.random.below(5) {
                b.inner(depth + 1);
            }
            // No path reaches the end.
            if b.random.once_in(3) {
                let condition = b.condition();
                let then = b.block(|b| b.effect(Op::Break(label), Type::CONDITION));
                let otherwise = b.block(|b| {
                    b.inner(depth + 1);
                    b.leave();
                });
                b.effect(Op::If(condition, then, otherwise), Type::CONDITION);
            }
        });
        self.labels.pop();
        self.effect(Op::Labelled(label, block), Type::CONDITION);
    }

    /// A break of a labelled block around.
    fn leave(&mut self) {
        let label = self.random.pick(&self.labels);
        self.effect(Op::Break(label), Type::CONDITION);
    }

    /// A loop of a few rounds, or fewer.
    pub(super) fn repeated(&mut self, depth: usize) {
        let zero = self.number(ElemType::U32, 0);
        let rounds = if self.random.flip() {
            let rounds = self.random.within(1..=4) as u64;
            self.number(ElemType::U32, rounds)
        } else {
            self.limited(4)
        };
        let counter = self.declare(zero, INDEX);
        let steps = self.random.within(1..=6);
        let (head, condition, body) = self.blocks(
            |b| {
                let n = b.value(Op::Load(counter), INDEX);
                let less =
                    b.hidden(Op::map(MapKind::Lt, ElemType::U32, &[n, rounds]), Type::scalar(ElemType::U16));
                let goes_on = b.hidden(Op::Any(less), Type::CONDITION);
                if b.random.flip() {
                    return goes_on;
                }
                let other = b.condition();
                b.hidden(Op::And(goes_on, other), Type::CONDITION)
            },
            |b| {
                let one = b.number(ElemType::U32, 1);
                let n = b.hidden(Op::Load(counter), INDEX);
                let next = b.hidden(Op::map(MapKind::Add, ElemType::U32, &[n, one]), INDEX);
                b.effect(Op::Store(counter, next), INDEX);
                (0..steps).for_each(|_| b.inner(depth + 1));
            },
        );
        self.effect(Op::Loop(head, condition, body), Type::CONDITION);
    }
}
