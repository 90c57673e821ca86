//! Traversal of the instructions of blocks and of the blocks inside them.

use std::collections::BTreeSet;

use super::inst::{Block, Inst, Op};
use super::ty::{Label, Variable};

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
                open.extend(inst.op.blocks().rev().map(|block| block.insts.iter()));
                return Some(inst);
            }
        })
    }

    /// The first number above those of all results.
    pub(crate) fn next_value(&self) -> u32 {
        let results = self.instructions().filter_map(|inst| inst.result);
        results.map(|value| value.0 + 1).max().unwrap_or(0)
    }

    /// The first number above those of all variables.
    pub(crate) fn next_variable(&self) -> u32 {
        let declared = self.instructions().filter_map(|inst| match inst.op {
            Op::Declare(variable, _) => Some(variable.0 + 1),
            _ => None,
        });
        declared.max().unwrap_or(0)
    }

    /// Its instructions, with each block inside of one of them replaced by what `rewrite` makes of it.
    pub(crate) fn with_blocks(&self, mut rewrite: impl FnMut(&Self) -> Self) -> Vec<Inst> {
        let mut insts = self.insts.clone();
        for inst in &mut insts {
            for inner in inst.op.blocks_mut() {
                *inner = rewrite(inner);
            }
        }
        insts
    }

    /// Whether its end is never reached: every path through it breaks out of it.
    #[must_use]
    pub fn breaks_out(&self) -> bool {
        self.insts.last().is_some_and(|last| last.op.breaks_out())
    }

    /// Whether an instruction inside breaks out of the block with this label.
    #[must_use]
    pub fn breaks(&self, label: Label) -> bool {
        self.instructions().any(|inst| inst.op == Op::Break(label))
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

impl Op {
    /// Whether the next instruction is never reached.
    #[must_use]
    pub fn breaks_out(&self) -> bool {
        match self {
            Self::Break(_) => true,
            Self::If(_, then, otherwise) => then.breaks_out() && otherwise.breaks_out(),
            Self::Labelled(label, block) => block.breaks_out() && !block.breaks(*label),
            _ => false,
        }
    }
}
