//! The pass over the points between instructions, from the end of a kernel to its start.

use rustc_hash::FxHashMap;

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
    Pass { analysis, settled: true, ends: vec![], loops: FxHashMap::default() }.block(block, after)
}

struct Pass<'a, A: Points> {
    analysis: &'a mut A,
    /// Loops are traversed until nothing changes, and then once more.
    settled: bool,
    /// The states after the open labelled blocks.
    ends: Ends<A::State>,
    /// The loops that were traversed before, by their addresses: loops inside of others would be solved again for each round
    /// of the outer ones.
    loops: FxHashMap<*const Inst, Solved<A::State>>,
}

type Ends<S> = Vec<(Label, S)>;

/// The states of a loop.
struct Solved<S> {
    /// After it, and after the labelled blocks around it, when it was solved.
    after: (S, Ends<S>),
    /// At the end of its body.
    around: S,
    /// Before it.
    before: S,
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
                let Solved { around, before, .. } = self.solved(inst, [head, body], *condition, &after);
                let (around, before) = (around.clone(), before.clone());
                if self.settled { self.round([head, body], *condition, &after, &around) } else { before }
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

    /// The states of a loop where nothing changes any more.
    fn solved(
        &mut self,
        inst: &Inst,
        blocks: [&Block; 2],
        condition: Value,
        after: &A::State,
    ) -> &Solved<A::State> {
        let key = std::ptr::from_ref(inst);
        let now = (after.clone(), self.ends.clone());
        let known = self.loops.remove(&key);
        let solved = match known {
            Some(known) if known.after == now => known,
            known => {
                // The state before the head of the next iteration holds at the end of the body. States only grow, so those
                // of another round of the loops around are a start.
                let mut around = match known {
                    Some(known) => self.analysis.join(known.around, after.clone()),
                    None => after.clone(),
                };
                let settled = std::mem::replace(&mut self.settled, false);
                let before = loop {
                    let before = self.round(blocks, condition, after, &around);
                    let joined = self.analysis.join(around.clone(), before.clone());
                    if joined == around {
                        break before;
                    }
                    around = joined;
                };
                self.settled = settled;
                Solved { after: now, around, before }
            }
        };
        self.loops.entry(key).or_insert(solved)
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
