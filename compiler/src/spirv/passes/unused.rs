//! Removes what a pass has left without use.

use rustc_hash::FxHashSet;

use crate::ir::{Block, Op, Value};

use crate::spirv::facts::defs::Defs;

/// The block without the values that had uses `before` it was rewritten and have none any more.
pub(super) fn without_unused(block: Block, before: &Defs<'_>) -> Block {
    rest(block, before, &mut FxHashSet::default())
}

/// `used`: the values that are used after the block, and then also those in it.
fn rest(mut block: Block, before: &Defs<'_>, used: &mut FxHashSet<Value>) -> Block {
    let mut kept = vec![];
    // From the last one: the values that only unused ones use are unused, too.
    while let Some(mut inst) = block.insts.pop() {
        let pure = matches!(
            inst.op,
            Op::Map { .. } | Op::Region(..) | Op::Insert(..) | Op::Format(_) | Op::Splat(_) | Op::Constant(_)
        );
        if pure && inst.result.is_some_and(|x| !before.users(x).is_empty() && !used.contains(&x)) {
            continue;
        }
        used.extend(inst.op.operands());
        let inner: Vec<&mut Block> = inst.op.blocks_mut().collect();
        for inner in inner.into_iter().rev() {
            *inner = rest(std::mem::take(inner), before, used);
        }
        kept.push(inst);
    }
    kept.reverse();
    Block { insts: kept }
}
