//! The value that was stored last, for each load where that is certain.

use std::collections::{BTreeSet, HashMap};

use crate::ir::{Block, Op, Value, Variable};

/// The results of loads and, for each, the value that was stored last. Of variables that are stored under a
/// condition or in a loop there are none, nor of those that hold any value.
#[must_use]
pub fn loads(block: &Block) -> HashMap<Value, Value> {
    let inner = block.insts.iter().flat_map(|inst| inst.op.blocks().into_iter().flatten());
    // Which store of these was the last depends on the way that was taken.
    let changing: BTreeSet<Variable> = inner.flat_map(Block::stored).collect();
    let mut held: HashMap<Variable, Value> = HashMap::new();
    let mut loads = HashMap::new();
    for inst in block.instructions() {
        match (&inst.op, inst.result) {
            (Op::Load(variable), Some(result)) => {
                loads.extend(held.get(variable).map(|value| (result, *value)));
            }
            (Op::Declare(variable, Some(x)) | Op::Store(variable, x), _) if !changing.contains(variable) => {
                // A load of one variable stored in another leads to the original value.
                held.insert(*variable, *loads.get(x).unwrap_or(x));
            }
            (Op::Declare(variable, None), _) => _ = held.remove(variable),
            _ => {}
        }
    }
    loads
}
