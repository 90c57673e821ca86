//! The pass over the points between instructions, from the end of a kernel to its start.

use crate::ir::{Block, Inst, Label, Op, Value};

/// An analysis of the points between instructions.
pub trait Points {
    /// The state at a point.
    type State: Clone + PartialEq;

    /// The state where two paths separate.
    fn join(&self, a: Self::State, b: Self::State) -> Self::State;

    /// The state before an instruction without blocks.
    fn before(&self, inst: &Inst, after: Self::State) -> Self::State;

    /// The state before a condition decides between two paths.
    fn decided(&self, condition: Value, after: Self::State) -> Self::State;

    /// Receives an instruction with the final states after and before it, from the last instruction to the first.
    fn point(&mut self, inst: &Inst, after: &Self::State, before: &Self::State);
}

/// Traverses a block with the state `after` at its end; returns the state before it.
pub fn points<A: Points>(block: &Block, analysis: &mut A, after: A::State) -> A::State {
    Pass { analysis, settled: true, ends: vec![] }.block(block, after)
}

struct Pass<'a, A: Points> {
    analysis: &'a mut A,
    /// Loops are traversed until nothing changes, and then once more.
    settled: bool,
    /// The states after the open labelled blocks.
    ends: Vec<(Label, A::State)>,
}

impl<A: Points> Pass<'_, A> {
    fn block(&mut self, block: &Block, after: A::State) -> A::State {
        block.insts.iter().rev().fold(after, |after, inst| self.inst(inst, after))
    }

    fn inst(&mut self, inst: &Inst, after: A::State) -> A::State {
        let before = match &inst.op {
            Op::If(condition, then, otherwise) => {
                // The second block first: points are reported from the last instruction to the first.
                let second = self.block(otherwise, after.clone());
                let first = self.block(then, after.clone());
                self.analysis.decided(*condition, self.analysis.join(first, second))
            }
            Op::Loop(head, condition, body) => {
                let settled = std::mem::replace(&mut self.settled, false);
                // The state before the head of the next iteration holds at the end of the body.
                let mut around = after.clone();
                loop {
                    let before = self.round([head, body], *condition, &after, &around);
                    let joined = self.analysis.join(around.clone(), before);
                    if joined == around {
                        break;
                    }
                    around = joined;
                }
                self.settled = settled;
                self.round([head, body], *condition, &after, &around)
            }
            Op::Labelled(label, block) => {
                self.ends.push((*label, after.clone()));
                let before = self.block(block, after.clone());
                self.ends.pop();
                before
            }
            Op::Break(label) => match self.ends.iter().rev().find(|(open, _)| open == label) {
                Some((_, end)) => end.clone(),
                // The verifier refuses it.
                None => after.clone(),
            },
            _ => self.analysis.before(inst, after.clone()),
        };
        if self.settled {
            // The state after a break is the state after the block that it leaves.
            let after = if inst.op.breaks_out() { &before } else { &after };
            self.analysis.point(inst, after, &before);
        }
        before
    }

    /// One iteration of a loop.
    fn round(
        &mut self,
        [head, body]: [&Block; 2],
        condition: Value,
        after: &A::State,
        around: &A::State,
    ) -> A::State {
        // The body before the head, for the same reason as the second block of an `if`.
        let inside = self.block(body, around.clone());
        let decided = self.analysis.decided(condition, self.analysis.join(inside, after.clone()));
        self.block(head, decided)
    }
}
