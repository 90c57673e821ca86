//! Shared local memory, and how threads wait for each other.
//!
//! The memory of the group is a surface of its own with the messages of buffers; arrays are parts of it. An access
//! that is not inside its array goes to an address beyond all shared local memory, where the hardware reads 0 and
//! drops writes: next to the array are others. Unaligned blocks are gathered, since their message is one of
//! buffers only.

use super::binary::Op;
use super::intrinsics::Intrinsic;
use super::lowering::{Lowering, Result};
use super::module::{Builder, Val};
use super::types::Ty;
use crate::ir::{SharedArray, Value};
use crate::limits::DWORD;
use crate::ops::{Alignment, SyncKind};

/// The number of the surface that is the memory of the group.
pub(super) const SURFACE: usize = 254;
/// An address beyond the memory of every group.
const BEYOND: u64 = 1 << 31;
/// What a fence finishes: what other threads of the group read, in shared local memory and in surfaces.
const FINISHED: u64 = 0x21;
/// The halves of a barrier.
const SIGNAL: u64 = 1;
const WAIT: u64 = 0;

impl Lowering<'_> {
    /// The first bytes of elements of a buffer or of an array, from their numbers.
    pub(super) fn starts(&mut self, elements: Value, size: usize, array: Option<SharedArray>) -> Result<Val> {
        let numbers = self.val(elements)?;
        let starts = self.builder.starts(numbers, size);
        let Some(SharedArray { start, bytes, .. }) = array else { return Ok(starts) };
        let starts = self.builder.moved(starts, start);
        let last = bytes / size - 1;
        if self.ranges.is_at_most(elements, last) {
            return Ok(starts);
        }
        Ok(self.builder.inside(numbers, last, starts))
    }

    /// The first byte of a block of `bytes` bytes of a buffer or of an array, from its offset.
    pub(super) fn block_start(
        &mut self,
        offset: Value,
        (bytes, alignment): (usize, Alignment),
        array: Option<SharedArray>,
    ) -> Result<Val> {
        let def = self.def(offset)?;
        let Some(array) = array else { return Ok(def.val) };
        let moved = self.builder.moved(def.val, array.start);
        let Some(last) = array.bytes.checked_sub(bytes) else {
            return Ok(self.builder.constant(Ty::I32, BEYOND));
        };
        // An offset that is not aligned is rounded down.
        let last = last | (alignment.bytes() - 1);
        let known = def.known.is_some_and(|bits| bits as usize <= last);
        if known || self.ranges.is_at_most(offset, last) {
            return Ok(moved);
        }
        Ok(self.builder.inside(def.val, last, moved))
    }

    /// Waits for the other threads of the group.
    pub(super) fn sync(&mut self, kind: SyncKind) {
        let mut call = |intrinsic, number: Option<u64>| {
            let number = number.map(|number| self.builder.constant(Ty::I8, number));
            self.builder.call(intrinsic, None, number.as_slice());
        };
        match kind {
            SyncKind::Wait => call(Intrinsic::SplitBarrier, Some(WAIT)),
            SyncKind::Fence => call(Intrinsic::Fence, Some(FINISHED)),
            SyncKind::Barrier => {
                call(Intrinsic::Fence, Some(FINISHED));
                call(Intrinsic::Barrier, None);
            }
            SyncKind::Signal => {
                call(Intrinsic::Fence, Some(FINISHED));
                call(Intrinsic::SplitBarrier, Some(SIGNAL));
            }
        }
    }
}

impl Builder {
    /// Addresses so many bytes on.
    fn moved(&mut self, addresses: Val, bytes: usize) -> Val {
        if bytes == 0 {
            return addresses;
        }
        let bytes = self.constant(addresses.ty, bytes as u64);
        self.op(Op::IAdd, addresses.ty, &[addresses, bytes])
    }

    /// These addresses where the numbers are at most `last`, others beyond the memory.
    fn inside(&mut self, numbers: Val, last: usize, addresses: Val) -> Val {
        let last = self.constant(numbers.ty, last as u64);
        let inside = self.op(Op::ULessThanEqual, numbers.ty.bool(), &[numbers, last]);
        let beyond = self.constant(addresses.ty, BEYOND);
        self.op(Op::Select, addresses.ty, &[inside, addresses, beyond])
    }

    /// Reads a block of type `ty` from any dword of shared local memory on.
    pub(super) fn shared_read_dwaligned(&mut self, start: Val, aligned: bool, ty: Ty) -> Val {
        let start = if aligned {
            start
        } else {
            let whole = self.constant(Ty::I32, !(DWORD as u64 - 1));
            self.op(Op::BitwiseAnd, Ty::I32, &[start, whole])
        };
        let dwords = Ty::I32.times(ty.bytes().div_ceil(DWORD));
        let steps: Vec<u64> = (0..dwords.count).map(|k| (k * DWORD) as u64).collect();
        let (starts, steps) = (self.splat(start, dwords.count), self.constants(dwords, &steps));
        let starts = self.op(Op::IAdd, dwords, &[starts, steps]);
        let surface = self.i32(SURFACE);
        let block = self.gather(surface, starts, dwords);
        self.format(block, ty)
    }
}
