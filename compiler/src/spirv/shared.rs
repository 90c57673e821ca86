//! Shared local memory, and how threads wait for each other.
//!
//! The memory of the group is a surface of its own with the messages of buffers; arrays are parts of it. Next to an
//! array are others, so what is not inside of its array takes no part in a message. Unaligned blocks are gathered,
//! since their message is one of buffers only.

use super::binary::Op;
use super::buffer::Elements;
use super::control::{Joined, Way};
use super::intrinsics::Intrinsic;
use super::lowering::{Lowering, Result};
use super::module::{Builder, Val};
use super::types::Ty;
use crate::ir::{SharedArray, Value};
use crate::limits::DWORD;
use crate::ops::{Alignment, SyncKind};

/// The number of the surface that is the memory of the group.
pub(super) const SURFACE: usize = 254;
/// What a fence finishes: what other threads of the group read, in shared local memory and in surfaces.
const FINISHED: u64 = 0x21;
/// The halves of a barrier.
const SIGNAL: u64 = 1;
const WAIT: u64 = 0;

/// Where a block of an array is.
#[derive(Clone, Copy)]
enum Place {
    /// From this byte on.
    Inside(Val),
    /// From this byte on if the condition holds, else nowhere.
    Perhaps(Val, Val),
    /// Nowhere: it is larger than the array.
    Nowhere,
}

impl Lowering<'_> {
    /// Elements of a buffer or of an array.
    pub(super) fn elements(
        &mut self,
        elements: Value,
        size: usize,
        array: Option<SharedArray>,
    ) -> Result<Elements> {
        let numbers = self.val(elements)?;
        let starts = self.builder.starts(numbers, size);
        let Some(SharedArray { start, bytes, .. }) = array else {
            return Ok(Elements { starts, last: None });
        };
        // The last dword of an array of words may go beyond it; the next one begins at an oword.
        let (starts, last) = (self.builder.moved(starts, start), bytes.div_ceil(size) - 1);
        let inside = self.ranges.is_at_most(elements, last);
        Ok(Elements { starts, last: (!inside).then_some((numbers, last)) })
    }

    /// Where a block of `bytes` bytes of an array is, by its offset.
    fn place(
        &mut self,
        offset: Value,
        bytes: usize,
        alignment: Alignment,
        array: SharedArray,
    ) -> Result<Place> {
        let def = self.def(offset)?;
        let Some(last) = array.bytes.checked_sub(bytes) else { return Ok(Place::Nowhere) };
        // An offset that is not aligned is rounded down.
        let last = last | (alignment.bytes() - 1);
        let moved = self.builder.moved(def.val, array.start);
        if def.known.is_some_and(|bits| bits as usize <= last) || self.ranges.is_at_most(offset, last) {
            return Ok(Place::Inside(moved));
        }
        let last = self.builder.i32(last);
        let inside = self.builder.op(Op::ULessThanEqual, Ty::BOOL, &[def.val, last]);
        Ok(Place::Perhaps(moved, inside))
    }

    /// Reads a block of type `ty` of an array.
    pub(super) fn shared_read(
        &mut self,
        offset: Value,
        (alignment, aligned): (Alignment, bool),
        array: SharedArray,
        ty: Ty,
    ) -> Result<Val> {
        let place = self.place(offset, ty.bytes(), alignment, array)?;
        let (start, inside) = match place {
            Place::Nowhere => return Ok(self.builder.constant(ty, 0)),
            Place::Inside(start) => (start, None),
            Place::Perhaps(start, inside) => {
                let any = self.builder.i32(array.start);
                (self.builder.op(Op::Select, Ty::I32, &[inside, start, any]), Some(inside))
            }
        };
        let block = match alignment {
            Alignment::Dword => self.builder.shared_read_dwaligned(start, aligned, ty),
            Alignment::Oword => {
                let surface = self.builder.i32(SURFACE);
                self.builder.oword_read(surface, alignment, (start, aligned), ty)
            }
        };
        Ok(match inside {
            None => block,
            Some(inside) => self.builder.where_all(inside, block),
        })
    }

    /// Writes a block of an array.
    pub(super) fn shared_write(
        &mut self,
        offset: Value,
        (alignment, aligned): (Alignment, bool),
        array: SharedArray,
        block: Val,
    ) -> Result<()> {
        let surface = self.builder.i32(SURFACE);
        let write = |builder: &mut Builder, start| match alignment {
            Alignment::Oword => builder.oword_write(surface, start, block),
            Alignment::Dword => {
                let start = builder.whole_dwords(start, aligned);
                builder.scatter_block(surface, start, block);
            }
        };
        match self.place(offset, block.ty.bytes(), alignment, array)? {
            Place::Nowhere => {}
            Place::Inside(start) => write(&mut self.builder, start),
            Place::Perhaps(start, inside) => {
                let joined = Joined::of(&[], &self.variables);
                let branch = self.builder.branch(inside);
                self.builder.begin_way(&branch, Way::First);
                write(&mut self.builder, start);
                self.builder.end_way(&branch, &joined, Way::First);
                self.builder.begin_way(&branch, Way::Second);
                self.builder.end_way(&branch, &joined, Way::Second);
                self.builder.end_branch(&branch);
            }
        }
        Ok(())
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
    pub(super) fn moved(&mut self, addresses: Val, bytes: usize) -> Val {
        if bytes == 0 {
            return addresses;
        }
        let bytes = self.constant(addresses.ty, bytes as u64);
        self.op(Op::IAdd, addresses.ty, &[addresses, bytes])
    }

    /// A block if the condition holds, else 0.
    fn where_all(&mut self, condition: Val, block: Val) -> Val {
        let bits = block.ty.int(block.ty.bits());
        let (ones, zeros) = (self.constant(bits.one(), u64::MAX), self.constant(bits.one(), 0));
        let mask = self.op(Op::Select, bits.one(), &[condition, ones, zeros]);
        let (mask, block_bits) = (self.splat(mask, bits.count), self.format(block, bits));
        let kept = self.op(Op::BitwiseAnd, bits, &[block_bits, mask]);
        self.format(kept, block.ty)
    }

    /// Reads a block of type `ty` from any dword of shared local memory on.
    fn shared_read_dwaligned(&mut self, start: Val, aligned: bool, ty: Ty) -> Val {
        let start = self.whole_dwords(start, aligned);
        let dwords = Ty::I32.times(ty.bytes().div_ceil(DWORD));
        let steps: Vec<u64> = (0..dwords.count).map(|k| (k * DWORD) as u64).collect();
        let (starts, steps) = (self.splat(start, dwords.count), self.constants(dwords, &steps));
        let starts = self.op(Op::IAdd, dwords, &[starts, steps]);
        let surface = self.i32(SURFACE);
        let block = self.gather(surface, Elements { starts, last: None }, dwords);
        self.format(block, ty)
    }
}
