//! Finds the masks that are used in another block of the module than their comparison.
//!
//! Intel's newest compiler crashes on more than 32 truth values that come from another block.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Block, Function, Inst, Op, Value};
use crate::ops::Outcome;

/// The most truth values that may be passed between blocks: the bits of a flag register.
pub(crate) const FLAG_BITS: usize = 32;

/// The masks whose truth values must not be passed to other blocks.
#[derive(Debug, Default)]
pub(crate) struct FarMasks(FxHashSet<Value>);

impl FarMasks {
    /// The masks of a kernel.
    pub(crate) fn of(function: &Function) -> Self {
        let mut walk = Walk::default();
        walk.block(&function.body);
        walk.far
    }

    /// Whether a mask is used in another block.
    pub(crate) fn contains(&self, mask: Value) -> bool {
        self.0.contains(&mask)
    }
}

/// The state of the walk through the blocks.
#[derive(Default)]
struct Walk {
    /// The number of the current block of the module.
    at: usize,
    /// The block that each mask was made in.
    made: FxHashMap<Value, usize>,
    far: FarMasks,
}

impl Walk {
    fn block(&mut self, block: &Block) {
        for inst in &block.insts {
            let far = |x: &Value| self.made.get(x).is_some_and(|at| *at != self.at);
            self.far.0.extend(inst.op.operands().into_iter().filter(far));
            for inner in inst.op.blocks() {
                self.at += 1;
                self.block(inner);
            }
            // After inner blocks, a new block of the module begins.
            self.at += usize::from(inst.op.blocks().next().is_some());
            if let Some(result) = inst.result.filter(|_| is_long_mask(inst)) {
                self.made.insert(result, self.at);
            }
        }
    }
}

/// Whether the result is a mask that does not fit a flag register.
fn is_long_mask(inst: &Inst) -> bool {
    let mask = match &inst.op {
        Op::Map { kind, .. } => kind.outcome() == Outcome::Mask,
        Op::UnpackMask(_) => true,
        _ => false,
    };
    mask && inst.ty.count() > FLAG_BITS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    #[test]
    fn masks_of_other_blocks_are_found() {
        let kernel = |count: usize| {
            format!(
                "file 0 \"k.rs\"\nkernel k(output: write surface, n: u32) {{
                %0: u32 = argument #1 @0:1:1
                %1: u32<1x{count}> = splat %0 @0:1:1
                %2: u16<1x{count}> = lt.u32 %1, %0 @0:1:1
                %3: u16<1x{count}> = gt.u32 %1, %0 @0:1:1
                %4: u32<1x{count}> = merge %2, %1, %1 @0:1:1
                %5: condition = any %3 @0:1:1
                if %5 @0:1:1 {{
                  %6: u16<1x{count}> = eq.u32 %1, %0 @0:1:1
                  %7: u32<1x{count}> = merge %6, %1, %1 @0:1:1
                }}
                %8: u32<1x{count}> = merge %3, %1, %1 @0:1:1
                }}"
            )
        };
        let far = |count| {
            let function = parse(&kernel(count)).unwrap();
            let mut far: Vec<u32> = FarMasks::of(&function).0.into_iter().map(|mask| mask.0).collect();
            far.sort_unstable();
            far
        };
        assert_eq!(far(FLAG_BITS + 1), [3]);
        assert_eq!(far(FLAG_BITS), []);
    }
}
