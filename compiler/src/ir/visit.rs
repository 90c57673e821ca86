//! Going through the instructions of blocks and of the blocks inside them.

use std::collections::BTreeSet;

use super::inst::{Block, Inst, Op};
use super::ty::Variable;

impl Block {
    /// All instructions in the order of the source, each before those of the blocks inside it.
    pub fn instructions(&self) -> impl Iterator<Item = &Inst> {
        let mut open = vec![self.insts.iter()];
        std::iter::from_fn(move || {
            loop {
                let Some(inst) = open.last_mut()?.next() else {
                    open.pop();
                    continue;
                };
                // Reversed, so that the first block is on top.
                open.extend(inst.op.blocks().into_iter().flatten().rev().map(|block| block.insts.iter()));
                return Some(inst);
            }
        })
    }

    /// The variables that are stored here and in the blocks inside, in order.
    #[must_use]
    pub fn stored(&self) -> BTreeSet<Variable> {
        self.instructions()
            .filter_map(|inst| match inst.op {
                Op::Store(variable, _) => Some(variable),
                _ => None,
            })
            .collect()
    }
}
