//! Blocks of 256 bytes of a buffer in one message, on targets without a load/store cache.
//!
//! There, a block message carries at most 128 bytes, and each has a header of its own. A message for 16 lanes with four
//! dwords each carries 256 bytes. In registers it leaves the first dwords of all lanes, then the second ones,
//! and so on. Operations that treat all elements alike do not depend on their order, so registers that are
//! only made and used by such operations and messages keep this order.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Function, Inst, Op, Value};
use crate::limits::{DWORD, DWORD_BLOCK};
use crate::ops::{AccessKind, LoadHints, StoreHints};

use crate::spirv::binary::Op as Instruction;
use crate::spirv::facts::cached_params::cached_buffers;
use crate::spirv::facts::scalars::repeats;
use crate::spirv::facts::sums::{Sum, Sums};
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::{Builder, Val};
use crate::spirv::target::Target;
use crate::spirv::types::Ty;

/// Lanes of a message, and the dwords of each.
const LANES: usize = 16;
const CHANNELS: usize = 4;
/// The instructions that such a message saves, compared with two block messages.
const SAVED: usize = 3;
/// The instructions that make the first addresses, and those that make others of them.
const FIRST_ADDRESSES: usize = 4;
const OTHER_ADDRESSES: usize = 1;

/// The data and the address of a long block.
pub(crate) fn accessed(inst: &Inst) -> Option<(Value, Value, usize)> {
    let Op::Access { kind, param, operands } = &inst.op else { return None };
    let data = match kind {
        AccessKind::Load(LoadHints::Default) => inst.result?,
        AccessKind::Store(StoreHints::Default) => *operands.last()?,
        _ => return None,
    };
    (inst.ty.bytes() == DWORD_BLOCK).then_some((data, *operands.first()?, *param))
}

/// Whether a kernel has no branches.
pub(crate) fn is_straight(function: &Function) -> bool {
    function.body.insts.iter().all(|inst| !inst.op.is_control_flow() && inst.op.blocks().next().is_none())
}

/// Whether a block that starts here does not wrap around the end of the address space.
fn is_inside(start: &Sum) -> bool {
    let sizes = (DWORD_BLOCK.trailing_zeros()..u32::BITS).map(|n| 1_u32 << n);
    let inside =
        |size: u32| start.remainder(size).is_some_and(|at| at as usize <= size as usize - DWORD_BLOCK);
    start.remainder(DWORD as u32) == Some(0) && sizes.into_iter().any(inside)
}

/// The registers whose elements are in the order of such messages.
#[derive(Debug, Default)]
pub(crate) struct LongBlocks {
    /// The data of blocks that are moved by such messages.
    data: FxHashSet<Value>,
    /// The addresses that were made, for each sum of unknown numbers.
    made: Vec<(Value, Val)>,
    sums: Sums,
}

impl LongBlocks {
    /// The registers of a kernel.
    pub(crate) fn of(function: &Function, target: Target) -> Self {
        // Addresses are made once for the whole kernel.
        if target.has_cache() || !is_straight(function) {
            return Self::default();
        }
        let (sums, buffers) = (Sums::of(function), cached_buffers(function));
        let mut groups = Groups::default();
        let (mut repeated, mut accesses) = (FxHashSet::default(), vec![]);
        for inst in &function.body.insts {
            // The order is one of dwords: longer elements would be taken apart, and a dword with the last bytes or words of
            // a buffer is outside.
            let whole = inst.ty.elem().is_some_and(|elem| elem.bytes() == DWORD);
            let block = accessed(inst).filter(|(_, start, param)| {
                whole && buffers.contains(param) && sums.get(*start).is_some_and(is_inside)
            });
            if let (true, Some(result)) = (repeats(&inst.op), inst.result) {
                repeated.insert(result);
                continue;
            }
            let operands = inst.op.operands();
            match (&inst.op, block) {
                (Op::Map { .. }, _) => {
                    let kept = operands.into_iter().filter(|x| !repeated.contains(x));
                    groups.join(kept.chain(inst.result));
                }
                (_, Some((data, start, _))) if !repeated.contains(&data) => accesses.push((data, start)),
                _ => operands.into_iter().chain(inst.result).for_each(|x| groups.leave(x)),
            }
        }
        accesses.retain(|(data, _)| groups.keeps(*data));
        let starts: FxHashSet<&Sum> = accesses.iter().filter_map(|(_, start)| sums.get(*start)).collect();
        let cost = FIRST_ADDRESSES + OTHER_ADDRESSES * starts.len();
        let data = accesses.into_iter().map(|(data, _)| data).collect::<Vec<_>>();
        if SAVED * data.len() <= cost {
            return Self::default();
        }
        Self { data: data.into_iter().collect(), made: vec![], sums }
    }

    /// Whether a block with this data is moved by such a message.
    pub(crate) fn contains(&self, data: Value) -> bool {
        self.data.contains(&data)
    }

    /// The addresses of the lanes of a block that starts here.
    pub(crate) fn addresses(&mut self, builder: &mut Builder, start: Value, offset: Val) -> Val {
        let distance = |from: &Value| self.sums.get(*from)?.distance(self.sums.get(start)?);
        let known = self.made.iter().find_map(|(from, lanes)| Some((distance(from)?, *lanes)));
        let lanes = match known {
            Some((0, lanes)) => return lanes,
            Some((distance, lanes)) => {
                let distance = builder.constant(lanes.ty, u64::from(distance));
                builder.op(Instruction::IAdd, lanes.ty, &[lanes, distance])
            }
            None => builder.lane_addresses(offset),
        };
        self.made.push((start, lanes));
        lanes
    }
}

/// Values that are combined element by element, as disjoint sets.
#[derive(Default)]
struct Groups {
    /// The group that each value was given first.
    of: FxHashMap<Value, usize>,
    /// The group that each group is part of; itself, if it is not part of another one.
    parents: Vec<usize>,
    /// Whether a group has another use.
    left: Vec<bool>,
}

impl Groups {
    fn group(&mut self, x: Value) -> usize {
        let next = self.parents.len();
        let first = *self.of.entry(x).or_insert(next);
        if first == next {
            self.parents.push(next);
            self.left.push(false);
        }
        let mut whole = first;
        while self.parents[whole] != whole {
            whole = self.parents[whole];
        }
        // So that later searches are short.
        let mut group = first;
        while group != whole {
            group = std::mem::replace(&mut self.parents[group], whole);
        }
        whole
    }

    fn join(&mut self, values: impl IntoIterator<Item = Value>) {
        let mut values = values.into_iter();
        let Some(first) = values.next() else { return };
        let mut all = self.group(first);
        for x in values {
            let group = self.group(x);
            if group != all {
                self.parents[all] = group;
                self.left[group] |= self.left[all];
                all = group;
            }
        }
    }

    fn leave(&mut self, x: Value) {
        let group = self.group(x);
        self.left[group] = true;
    }

    fn keeps(&mut self, x: Value) -> bool {
        let group = self.group(x);
        !self.left[group]
    }
}

impl Builder {
    /// The address of each lane of a block.
    fn lane_addresses(&mut self, offset: Val) -> Val {
        let step = CHANNELS * DWORD;
        // The compiler needs fewer instructions for constants of 8 lanes.
        let ty = Ty::I32.times(LANES / 2);
        let steps: Vec<u64> = (0..LANES / 2).map(|lane| (lane * step) as u64).collect();
        let (steps, half) = (self.constants(ty, &steps), self.constant(ty, (LANES / 2 * step) as u64));
        let offset = self.repeated_number(offset, LANES / 2);
        let low = self.op(Instruction::IAdd, ty, &[offset, steps]);
        let any = self.undefined(Ty::I32.times(LANES));
        let half_made = self.insert(any, FixedRegion::row(0, LANES / 2), low, None);
        // Taken from the register: the optimiser would make the high half of constants of its own.
        let low = self.region(half_made, FixedRegion::row(0, LANES / 2), LANES / 2, None);
        let high = self.op(Instruction::IAdd, ty, &[low, half]);
        self.insert(half_made, FixedRegion::row(LANES / 2, LANES / 2), high, None)
    }

    /// Reads a block in the order of lanes.
    pub(crate) fn read_long_block(&mut self, buffer: Val, addresses: Val, ty: Ty) -> Val {
        let [channels, scale, buffer, base] = self.channels(CHANNELS, buffer);
        let mask = self.constant(Ty::BOOL.times(LANES), 1);
        let dwords = Ty::I32.times(LANES * CHANNELS);
        let read =
            self.value(Intrinsic::GatherDwords, dwords, &[channels, scale, buffer, base, addresses, mask]);
        self.format(read, ty)
    }

    /// Writes a block in the order of lanes.
    pub(crate) fn write_long_block(&mut self, buffer: Val, addresses: Val, data: Val) {
        let [channels, scale, buffer, base] = self.channels(CHANNELS, buffer);
        let mask = self.constant(Ty::BOOL.times(LANES), 1);
        let data = self.format(data, Ty::I32.times(LANES * CHANNELS));
        self.call(Intrinsic::ScatterDwords, None, &[mask, channels, scale, buffer, base, addresses, data]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_a_million_values_are_joined() {
        let mut groups = Groups::default();
        for n in 0..1_000_000 {
            groups.join([Value(n), Value(n / 2 * 2 + 2)]);
        }
        groups.join([Value(2_000_000), Value(2_000_001)]);
        assert!(groups.keeps(Value(0)) && groups.keeps(Value(2_000_001)));
        groups.leave(Value(999_999));
        assert!(!groups.keeps(Value(0)) && groups.keeps(Value(2_000_001)));
    }
}
