//! The value that was stored last, for each load where that is certain.

use std::collections::{BTreeSet, HashMap};

use crate::ir::{Block, Op, Value, Variable};

/// The results of loads and, for each, the value that was stored last. Of variables that are stored under a
/// condition or in a loop there are none, nor of those that hold any value.
#[must_use]
pub fn loads(block: &Block) -> HashMap<Value, Value> {
    let mut pass = Pass { changing: BTreeSet::new(), held: HashMap::new(), loads: HashMap::new() };
    changing(block, &mut pass.changing);
    pass.block(block);
    pass.loads
}

/// The variables that are stored in the blocks of decisions: which store of these was the last depends on the
/// way that was taken.
fn changing(block: &Block, found: &mut BTreeSet<Variable>) {
    for inst in &block.insts {
        match &inst.op {
            // It is gone through in order, as what is around it.
            Op::Labelled(_, inner) => changing(inner, found),
            op => found.extend(op.blocks().flat_map(Block::stored)),
        }
    }
}

struct Pass {
    changing: BTreeSet<Variable>,
    held: HashMap<Variable, Value>,
    loads: HashMap<Value, Value>,
}

impl Pass {
    fn block(&mut self, block: &Block) {
        for inst in &block.insts {
            match (&inst.op, inst.result) {
                (Op::Load(variable), Some(result)) => {
                    self.loads.extend(self.held.get(variable).map(|value| (result, *value)));
                }
                (Op::Declare(variable, Some(x)) | Op::Store(variable, x), _)
                    if !self.changing.contains(variable) =>
                {
                    // A load of one variable stored in another leads to the original value.
                    self.held.insert(*variable, *self.loads.get(x).unwrap_or(x));
                }
                (Op::Declare(variable, None), _) => _ = self.held.remove(variable),
                _ => inst.op.blocks().for_each(|inner| self.block(inner)),
            }
            if let Op::Labelled(label, inner) = &inst.op
                && inner.breaks(*label)
            {
                // A break may have come before the store.
                inner.stored().iter().for_each(|variable| _ = self.held.remove(variable));
            }
        }
    }
}
