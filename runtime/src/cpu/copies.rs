//! Copies of buffers that kernel threads change only by operations whose order does not affect the result.
//!
//! Atomic instructions of several cores on the same elements take longer than those of one core. So each worker changes
//! a copy, and the copies are combined after the launch.

use std::sync::{Mutex, PoisonError};

use cm_compiler::access::Merge;
use cm_compiler::elem::ElemType;
use cm_compiler::ir::Grid;
use cm_compiler::ops::AtomicKind;
use cm_dsl::elem::Int;
use cm_dsl::ops::AtomicOp;
use smallvec::SmallVec;

use super::argument::Argument;
use super::teams::locked;
use super::thread::Launch;

/// Bytes of a copy per kernel thread: up to this size, copying and combining costs less than the threads.
const BYTES_PER_THREAD: usize = 256;

/// The largest copy, in bytes: there is one for each worker.
const LARGEST: usize = 4 << 20;

/// Bytes of the largest buffer that is copied in a launch of this grid.
pub(super) fn largest(grid: Grid) -> usize {
    let threads = grid.group_count().saturating_mul(grid.group_size());
    threads.saturating_mul(BYTES_PER_THREAD).min(LARGEST)
}

/// The arguments of a launch, lent to its workers.
pub(super) struct Copies<'a> {
    args: &'a [Argument<'a>],
    launch: Launch,
    merges: SmallVec<[(usize, Merge); 1]>,
    /// Copies that no worker uses. Nothing is freed before the launch ends, whatever a kernel's host code has kept.
    idle: Mutex<Vec<Own<'a>>>,
}

/// The arguments of a worker. They belong to a separate launch, so that nobody else uses them.
struct Own<'a> {
    args: Vec<Argument<'a>>,
    launch: Launch,
}

impl<'a> Copies<'a> {
    /// Creates them from the arguments of a launch, the copied arguments, and their merges.
    pub(super) fn new(
        args: &'a [Argument<'a>],
        launch: Launch,
        merges: SmallVec<[(usize, Merge); 1]>,
    ) -> Self {
        Self { args, launch, merges, idle: Mutex::default() }
    }

    /// Calls `run` with arguments whose copies nobody else uses in the meantime.
    pub(super) fn lend(&self, run: &dyn Fn(Launch, &[Argument<'_>])) {
        if self.merges.is_empty() {
            return run(self.launch, self.args);
        }
        let idle = locked(&self.idle).pop();
        let own = idle.unwrap_or_else(|| {
            let mut args: Vec<Argument<'a>> = self.args.iter().map(Argument::again).collect();
            for &(n, merge) in &self.merges {
                if let Argument::Buffer(buffer) = &mut args[n] {
                    *buffer = buffer.copy(starts_empty(merge.kind));
                }
            }
            Own { args, launch: Launch::new() }
        });
        run(own.launch, &own.args);
        locked(&self.idle).push(own);
    }

    /// The copies, with their merges and the arguments that they are copies of.
    pub(super) fn end(self) -> Vec<(usize, Merge, Vec<u8>)> {
        let mut all = self.idle.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut copies = vec![];
        for own in &mut all {
            for &(n, merge) in &self.merges {
                if let Argument::Buffer(buffer) = &mut own.args[n] {
                    copies.extend(buffer.take_own().map(|bytes| (n, merge, bytes)));
                }
            }
        }
        copies
    }
}

/// Whether copies start with zeros, so that they hold the added numbers. Other copies start with the contents of the
/// buffer, which does not affect the merge.
const fn starts_empty(kind: AtomicKind) -> bool {
    matches!(kind, AtomicKind::Add | AtomicKind::Xor)
}

/// Combines the copied arguments with their copies.
pub(super) fn merge(copies: Vec<(usize, Merge, Vec<u8>)>, args: &mut [Argument<'_>]) {
    for (argument, merge, copy) in copies {
        if let Argument::Buffer(buffer) = &mut args[argument]
            && let Some(bytes) = buffer.bytes()
        {
            combine(merge, bytes, &copy);
        }
    }
}

/// Combines a buffer with a copy of it.
fn combine(merge: Merge, all: &mut [u8], copy: &[u8]) {
    match merge.elem {
        ElemType::U8 => fold::<u8>(merge.kind, all, copy),
        ElemType::I8 => fold::<i8>(merge.kind, all, copy),
        ElemType::U16 => fold::<u16>(merge.kind, all, copy),
        ElemType::I16 => fold::<i16>(merge.kind, all, copy),
        ElemType::U32 => fold::<u32>(merge.kind, all, copy),
        ElemType::I32 => fold::<i32>(merge.kind, all, copy),
        ElemType::U64 => fold::<u64>(merge.kind, all, copy),
        ElemType::I64 => fold::<i64>(merge.kind, all, copy),
        _ => unreachable!("copies of floats are not made"),
    }
}

fn fold<T: Int>(kind: AtomicKind, all: &mut [u8], copy: &[u8]) {
    use cm_dsl::ops::atomic::{Add, And, Max, Min, Or, Xor};
    match kind {
        AtomicKind::Add => fold_by::<Add, T>(all, copy),
        AtomicKind::And => fold_by::<And, T>(all, copy),
        AtomicKind::Or => fold_by::<Or, T>(all, copy),
        AtomicKind::Xor => fold_by::<Xor, T>(all, copy),
        AtomicKind::Min => fold_by::<Min, T>(all, copy),
        AtomicKind::Max => fold_by::<Max, T>(all, copy),
        AtomicKind::Sub | AtomicKind::Inc | AtomicKind::Dec | AtomicKind::Xchg | AtomicKind::CmpXchg => {
            unreachable!("copies do not become one by `{kind:?}`")
        }
    }
}

fn fold_by<O: AtomicOp<T>, T: Int>(all: &mut [u8], copy: &[u8]) {
    let size = size_of::<T>();
    for (old, x) in all.chunks_exact_mut(size).zip(copy.chunks_exact(size)) {
        let changed =
            O::changed(bytemuck::pod_read_unaligned(old), bytemuck::pod_read_unaligned(x), T::default());
        old.copy_from_slice(bytemuck::bytes_of(&changed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_dsl::ops::atomic::{Add, And, Max, Min, Or, Sub, Xor};

    /// Changes one buffer, or two copies of it, by the same numbers, split after each of them.
    fn in_two<O: AtomicOp<T>, T: Int + TryFrom<u64>>(kind: AtomicKind, elem: ElemType) {
        let number = |n: u64| T::try_from((n * 37) % 120).ok().unwrap();
        let numbers: Vec<T> = (0..9).map(number).collect();
        let changed = |old: T, all: &[T]| all.iter().fold(old, |old, x| O::changed(old, *x, *x));
        for first in [T::default(), number(2), T::not(number(3)), T::not(T::default())] {
            for split in 0..numbers.len() {
                let start = if starts_empty(kind) { T::default() } else { first };
                let mut all = bytemuck::bytes_of(&first).to_vec();
                for part in [&numbers[..split], &numbers[split..]] {
                    combine(Merge { kind, elem }, &mut all, bytemuck::bytes_of(&changed(start, part)));
                }
                assert_eq!(all, bytemuck::bytes_of(&changed(first, &numbers)), "{kind:?} {elem} {split}");
            }
        }
    }

    fn all<T: Int + TryFrom<u64>>(elem: ElemType) {
        in_two::<Add, T>(AtomicKind::Add, elem);
        in_two::<Sub, T>(AtomicKind::Add, elem);
        in_two::<And, T>(AtomicKind::And, elem);
        in_two::<Or, T>(AtomicKind::Or, elem);
        in_two::<Xor, T>(AtomicKind::Xor, elem);
        in_two::<Min, T>(AtomicKind::Min, elem);
        in_two::<Max, T>(AtomicKind::Max, elem);
    }

    #[test]
    fn copies_become_what_one_buffer_would_be() {
        all::<u8>(ElemType::U8);
        all::<i8>(ElemType::I8);
        all::<u16>(ElemType::U16);
        all::<i16>(ElemType::I16);
        all::<u32>(ElemType::U32);
        all::<i32>(ElemType::I32);
        all::<u64>(ElemType::U64);
        all::<i64>(ElemType::I64);
    }
}
