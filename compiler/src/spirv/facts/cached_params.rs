//! The buffers and arrays of shared memory that may be accessed through the load/store cache.

use rustc_hash::FxHashSet;

use crate::ir::{Function, Inst, Op, Param, ParamKind};
use crate::limits::DWORD;
use crate::ops::{AccessKind, Address, AtomicHints, LoadHints, StoreHints};

use crate::spirv::target::Target;

/// The buffers that may be accessed through the load/store cache: buffers that are never written, and buffers of which all
/// accesses can go through it: blocks, accesses with cache hints, vectors, and elements of 8 bytes. Messages of other kinds
/// can overtake that cache, so a thread might not read what it wrote itself.
pub(crate) fn cached_buffers(function: &Function) -> FxHashSet<usize> {
    let (mut written, mut others) = (FxHashSet::default(), FxHashSet::default());
    for inst in function.body.instructions() {
        if let Op::Access { kind, param, .. } = &inst.op {
            let spec = kind.spec();
            written.extend(spec.effect.writes().then_some(*param));
            let block = matches!(spec.address, Address::Bytes { .. } | Address::Pitched);
            let cached = block || has_hints(*kind) || is_long(inst, spec.address);
            others.extend((!cached).then_some(*param));
        }
    }
    let buffer = |(n, param): (usize, &Param)| matches!(param.kind, ParamKind::Buffer { .. }).then_some(n);
    let buffers = function.params.iter().enumerate().filter_map(buffer);
    buffers.filter(|param| !(written.contains(param) && others.contains(param))).collect()
}

/// The arrays of shared memory of which scattered accesses may go through the load/store cache. From Xe2 on all messages to
/// shared memory do; before, only arrays whose accesses are all of this kind, because messages of two kinds can overtake each
/// other, as for buffers.
pub(crate) fn cached_arrays(function: &Function, target: Target) -> FxHashSet<usize> {
    let mut others = FxHashSet::default();
    for inst in function.body.instructions() {
        if let Op::Access { kind, param, .. } = &inst.op {
            let address = kind.spec().address;
            let block = matches!(address, Address::Bytes { .. });
            others.extend((block || !is_long(inst, address)).then_some(*param));
        }
    }
    let arrays = function.shared().map(|array| array.param);
    arrays.filter(|param| target.at_least(Target::Xe2) || !others.contains(param)).collect()
}

/// Whether an access moves more than a dword for each lane.
fn is_long(inst: &Inst, address: Address) -> bool {
    address == Address::Vectors || inst.ty.elem().is_some_and(|elem| elem.bytes() > DWORD)
}

/// Whether an access to elements has cache hints.
pub(crate) const fn has_hints(kind: AccessKind) -> bool {
    match kind {
        AccessKind::Gather(hints) => !matches!(hints, LoadHints::Default),
        AccessKind::Scatter(hints) => !matches!(hints, StoreHints::Default),
        AccessKind::Atomic(_, hints) => !matches!(hints, AtomicHints::Default),
        AccessKind::PrefetchElements(_) => true,
        _ => false,
    }
}
