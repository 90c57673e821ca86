//! Finds the element numbers of masked accesses.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Bits, Function, Op, Value};
use crate::limits::SHARED_BYTES;
use crate::ops::MapKind;

/// The element numbers that a mask replaces by one outside of every array, by the results.
pub(crate) fn masked(function: &Function) -> FxHashMap<Value, Value> {
    let (mut far, mut found) = (FxHashSet::default(), FxHashMap::default());
    for inst in function.body.instructions() {
        let Some(result) = inst.result else { continue };
        match &inst.op {
            // Byte numbers wrap, of elements of up to 8 bytes.
            Op::Constant(Bits::Splat(number)) if *number as u32 & (u32::MAX >> 3) > SHARED_BYTES as u32 => {
                far.insert(result);
            }
            Op::Map { kind: MapKind::Merge, operands, .. } if far.contains(&operands[2]) => {
                found.insert(result, operands[1]);
            }
            _ => {}
        }
    }
    found
}
