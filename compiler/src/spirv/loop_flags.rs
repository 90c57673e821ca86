//! Finds the conditions that loops inside loops store.
//!
//! Intel's newest compiler crashes on a truth value that comes out of two loops, if the value and a part of the inner
//! loop's condition are the same in each iteration. So variables of such conditions hold numbers.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Block, Function, Op, Variable};

/// Variables of conditions that are declared outside of two loops and stored inside.
#[derive(Debug, Default)]
pub(super) struct LoopFlags(FxHashSet<Variable>);

impl LoopFlags {
    /// The variables of a kernel.
    pub(super) fn of(function: &Function) -> Self {
        let mut walk = Walk::default();
        walk.block(&function.body, 0);
        Self(walk.found)
    }

    /// Whether a variable holds a number instead of a truth value.
    pub(super) fn contains(&self, variable: Variable) -> bool {
        self.0.contains(&variable)
    }
}

/// The state of the walk through the blocks.
#[derive(Default)]
struct Walk {
    /// The number of loops around the declarations of conditions.
    declared: FxHashMap<Variable, usize>,
    found: FxHashSet<Variable>,
}

impl Walk {
    fn block(&mut self, block: &Block, loops: usize) {
        for inst in &block.insts {
            match inst.op {
                Op::Declare(variable, _) if inst.ty.elem().is_none() => {
                    self.declared.insert(variable, loops);
                }
                Op::Store(variable, _)
                    if self.declared.get(&variable).is_some_and(|outside| loops > outside + 1) =>
                {
                    self.found.insert(variable);
                }
                _ => {}
            }
            let inside = loops + usize::from(matches!(inst.op, Op::Loop(..)));
            for inner in inst.op.blocks() {
                self.block(inner, inside);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    #[test]
    fn conditions_stored_in_two_loops_are_found() {
        let function = parse(
            "file 0 \"k.rs\"\nkernel k(n: u32) {
            %0: condition = known true @0:1:1
            var $0: condition = %0 @0:1:1
            var $1: condition = %0 @0:1:1
            %1: u32 = argument #0 @0:1:1
            var $2: u32 = %1 @0:1:1
            loop @0:1:1 {
            } while %0 {
              var $3: condition = %0 @0:1:1
              store $0, %0: condition @0:1:1
              loop @0:1:1 {
              } while %0 {
                if %0 @0:1:1 {
                  store $1, %0: condition @0:1:1
                }
                store $2, %1: u32 @0:1:1
                store $3, %0: condition @0:1:1
              }
            }
            }",
        )
        .unwrap();
        let mut found: Vec<u32> = LoopFlags::of(&function).0.into_iter().map(|variable| variable.0).collect();
        found.sort_unstable();
        assert_eq!(found, [1]);
    }
}
