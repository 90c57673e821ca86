//! The pass over the points between instructions, from the end of a kernel to its start.

use crate::ir::{Block, Inst, Label, Op, Value};

/// An analysis of the points between instructions.
pub trait Points {
    /// What holds at a point.
    type State: Clone + PartialEq;

    /// What holds where two ways part.
    fn join(&self, a: Self::State, b: Self::State) -> Self::State;

    /// What holds before an instruction without blocks.
    fn before(&self, inst: &Inst, after: Self::State) -> Self::State;

    /// What holds before a condition decides between two ways.
    fn decided(&self, condition: Value, after: Self::State) -> Self::State;

    /// An instruction and what holds after and before it, when that does not change any more; from the last
    /// instruction to the first.
    fn point(&mut self, inst: &Inst, after: &Self::State, before: &Self::State);
}

/// Goes through a block, after which `after` holds; what holds before it.
pub fn points<A: Points>(block: &Block, analysis: &mut A, after: A::State) -> A::State {
    Pass { analysis, settled: true, ends: vec![] }.block(block, after)
}

struct Pass<'a, A: Points> {
    analysis: &'a mut A,
    /// Loops are gone through until nothing changes, and then once more.
    settled: bool,
    /// What holds behind the labelled blocks that are open.
    ends: Vec<(Label, A::State)>,
}

impl<A: Points> Pass<'_, A> {
    fn block(&mut self, block: &Block, after: A::State) -> A::State {
        block.insts.iter().rev().fold(after, |after, inst| self.inst(inst, after))
    }

    fn inst(&mut self, inst: &Inst, after: A::State) -> A::State {
        let before = match &inst.op {
            Op::If(condition, then, otherwise) => {
                // The second block first: points are told from the last instruction to the first.
                let second = self.block(otherwise, after.clone());
                let first = self.block(then, after.clone());
                self.analysis.decided(*condition, self.analysis.join(first, second))
            }
            Op::Loop(head, condition, body) => {
                let settled = std::mem::replace(&mut self.settled, false);
                // What holds before the head of the next round holds at the end of the body.
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
            // Nothing follows a break but what holds behind the block that it leaves.
            let after = if inst.op.breaks_out() { &before } else { &after };
            self.analysis.point(inst, after, &before);
        }
        before
    }

    /// One round of a loop.
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
