//! Finds the conditions that are stored deep inside of loops.
//!
//! Intel's newest compiler crashes on a truth value that comes out of two loops, or out of two branches in a loop, if the
//! value and a part of the inner condition are the same. So variables of such conditions hold numbers.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Block, Function, Op, Variable};

/// Variables of conditions that are declared outside and stored inside of two loops, or of a loop and two branches.
#[derive(Debug, Default)]
pub(crate) struct LoopFlags(FxHashSet<Variable>);

impl LoopFlags {
    /// The variables of a kernel.
    pub(crate) fn of(function: &Function) -> Self {
        let mut walk = Walk::default();
        walk.block(&function.body, Depth::default());
        Self(walk.found)
    }

    /// Whether a variable holds a number instead of a truth value.
    pub(crate) fn contains(&self, variable: Variable) -> bool {
        self.0.contains(&variable)
    }
}

/// The loops, and the loops and branches, around an instruction.
#[derive(Clone, Copy, Default)]
struct Depth {
    loops: usize,
    levels: usize,
}

/// The state of the walk through the blocks.
#[derive(Default)]
struct Walk {
    /// The places of the declarations of conditions.
    declared: FxHashMap<Variable, Depth>,
    found: FxHashSet<Variable>,
}

impl Walk {
    fn block(&mut self, block: &Block, depth: Depth) {
        for inst in &block.insts {
            match inst.op {
                Op::Declare(variable, _) if inst.ty.elem().is_none() => {
                    self.declared.insert(variable, depth);
                }
                Op::Store(variable, _)
                    if self.declared.get(&variable).is_some_and(|outside| {
                        let (loops, levels) = (depth.loops - outside.loops, depth.levels - outside.levels);
                        loops > 1 || loops == 1 && levels > 2
                    }) =>
                {
                    self.found.insert(variable);
                }
                _ => {}
            }
            let (repeats, branches) = (matches!(inst.op, Op::Loop(..)), matches!(inst.op, Op::If(..)));
            let inside = Depth {
                loops: depth.loops + usize::from(repeats),
                levels: depth.levels + usize::from(repeats || branches),
            };
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

    /// The variables of a kernel that are found.
    fn found(function: &Function) -> Vec<u32> {
        let mut found: Vec<u32> = LoopFlags::of(function).0.into_iter().map(|variable| variable.0).collect();
        found.sort_unstable();
        found
    }

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
        assert_eq!(found(&function), [1]);
    }

    #[test]
    fn conditions_stored_in_two_branches_of_a_loop_are_found() {
        let function = parse(
            "file 0 \"k.rs\"\nkernel k(n: u32) {
            %0: condition = known true @0:1:1
            var $0: condition = %0 @0:1:1
            var $1: condition = %0 @0:1:1
            var $2: condition = %0 @0:1:1
            if %0 @0:1:1 {
              if %0 @0:1:1 {
                store $2, %0: condition @0:1:1
              }
            }
            loop @0:1:1 {
            } while %0 {
              if %0 @0:1:1 {
                store $0, %0: condition @0:1:1
              } else {
                if %0 @0:1:1 {
                  store $1, %0: condition @0:1:1
                }
              }
            }
            }",
        )
        .unwrap();
        assert_eq!(found(&function), [1]);
    }
}
