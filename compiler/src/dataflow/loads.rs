//! The value that was stored last, for each load where it is certain.

use rustc_hash::FxHashMap;

use crate::ir::{Block, Op, Value, Variable};

/// The results of loads with the value that was stored last. A load has no entry if that value depends on the path, or
/// if the variable holds any value.
#[must_use]
pub(crate) fn loads(block: &Block) -> FxHashMap<Value, Value> {
    let mut pass = Pass::default();
    pass.block(block);
    pass.loads
}

#[derive(Default)]
struct Pass {
    /// The certain values of variables.
    held: FxHashMap<Variable, Value>,
    loads: FxHashMap<Value, Value>,
}

impl Pass {
    fn block(&mut self, block: &Block) {
        for inst in &block.insts {
            match (&inst.op, inst.result) {
                (Op::Load(variable), Some(result)) => {
                    self.loads.extend(self.held.get(variable).map(|value| (result, *value)));
                }
                (Op::Declare(variable, Some(x)) | Op::Store(variable, x), _) => {
                    // A load of one variable stored in another leads to the original value.
                    self.held.insert(*variable, *self.loads.get(x).unwrap_or(x));
                }
                (Op::Declare(variable, None), _) => _ = self.held.remove(variable),
                (Op::If(_, then, otherwise), _) => {
                    let before = self.held.clone();
                    self.block(then);
                    self.held.clone_from(&before);
                    self.block(otherwise);
                    self.held = before;
                    self.forget([then, otherwise]);
                }
                (Op::Loop(test, _, body), _) => {
                    // From the previous iteration.
                    self.forget([test, body]);
                    let before = self.held.clone();
                    self.block(test);
                    self.block(body);
                    self.held = before;
                }
                (Op::Labelled(_, inner), _) => {
                    self.block(inner);
                    // A break may have come before the store, and what is stored may be known only inside.
                    self.forget([inner]);
                }
                _ => {}
            }
        }
    }

    /// The variables that these blocks store are no longer certain.
    fn forget<'a>(&mut self, blocks: impl IntoIterator<Item = &'a Block>) {
        for variable in blocks.into_iter().flat_map(Block::stored) {
            self.held.remove(&variable);
        }
    }
}
