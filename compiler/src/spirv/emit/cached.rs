//! Blocks of dwords: one message of the load/store cache, with its cache hints, if the target has one;
//! otherwise the messages of older generations.

use crate::limits::{DWORD, DWORD_BLOCK, OWORD_BLOCK, QWORD};
use crate::ops::{Alignment, Caching};

use super::buffer::Elements;
use super::cache_codes::{LOAD, STORE, code, size_code};
use crate::spirv::binary::Op;
use crate::spirv::facts::hazard::Hazard;
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::{Builder, Val};
use crate::spirv::types::Ty;

/// The code for consecutive elements at one address.
const TRANSPOSED: u64 = 2;

/// The code for a number of elements: 2, 4, 8, 16, 32 or 64.
const fn elements(count: usize) -> u64 {
    match count {
        2 => 2,
        count => count.trailing_zeros() as u64 + 2,
    }
}

/// The location of a block, and its cache hints.
#[derive(Clone, Copy)]
pub(crate) struct Cached {
    pub(crate) buffer: Val,
    /// In bytes.
    pub(crate) offset: Val,
    /// Whether the offset is known to be a multiple of 4.
    pub(crate) aligned: bool,
    /// Whether the block consists of whole elements of 8 bytes of the buffer, as far as is known.
    pub(crate) qwords: bool,
    pub(crate) caches: [Caching; 2],
}

impl Builder {
    /// An offset, or one for each lane, rounded down to a whole dword.
    pub(crate) fn whole_dwords(&mut self, offset: Val, aligned: bool) -> Val {
        self.rounded(offset, (Alignment::Dword, aligned))
    }

    /// An offset, rounded down unless it is known to be aligned.
    pub(crate) fn rounded(&mut self, offset: Val, (alignment, aligned): (Alignment, bool)) -> Val {
        if aligned {
            return offset;
        }
        let whole = self.constant(offset.ty, !(alignment.bytes() as u64 - 1));
        self.op(Op::BitwiseAnd, offset.ty, &[offset, whole])
    }

    /// An offset, limited so that no block of `bytes` bytes wraps around. If a block needs several messages, the later ones
    /// would otherwise access the start of the buffer. No buffer reaches the limit.
    fn without_wrap(&mut self, offset: Val, bytes: usize, hazard: Hazard) -> Val {
        let offset = self.unsigned(offset, hazard);
        let last = self.constant(Ty::I32, u64::from(u32::MAX) + 1 - bytes.max(DWORD_BLOCK) as u64);
        let before = self.op(Op::ULessThan, Ty::BOOL, &[offset, last]);
        self.op(Op::Select, Ty::I32, &[before, offset, last])
    }

    /// The messages for a block of `bytes` bytes: the elements of each, and their places. A message has 64 elements at most.
    /// Those of 8 bytes begin at multiples of 8, and no document says what becomes of one that is partly inside of the buffer.
    fn cached_messages(&mut self, block: Cached, bytes: usize, hazard: Hazard) -> (Ty, Vec<Val>) {
        let start = self.whole_dwords(block.offset, block.aligned);
        if bytes <= DWORD_BLOCK {
            return (Ty::I32.times(bytes / DWORD), vec![start]);
        }
        if block.qwords {
            return (Ty::I32.int(64).times(bytes / QWORD), vec![start]);
        }
        let start = self.without_wrap(start, bytes, hazard);
        let starts = (0..bytes).step_by(DWORD_BLOCK).map(|first| self.moved(start, first)).collect();
        (Ty::I32.times(DWORD_BLOCK / DWORD), starts)
    }

    /// The arguments of a message for elements `ty`, up to the offset.
    fn cached_arguments(&mut self, operation: u64, caches: [Caching; 2], ty: Ty, start: Val) -> Vec<Val> {
        let [l1, l3] = caches.map(code);
        let always = self.constant(Ty::BOOL, 1);
        let [operation, l1, l3] = [operation, l1, l3].map(|number| self.constant(Ty::I8, number));
        let (scale, base) = (self.constant(Ty::I16, 1), self.i32(0));
        let [size, elements, order, channels] =
            [size_code(ty.elem_bytes()), elements(ty.count), TRANSPOSED, 0]
                .map(|number| self.constant(Ty::I8, number));
        vec![always, operation, l1, l3, scale, base, size, elements, order, channels, start]
    }

    /// Reads a block of type `ty`.
    pub(crate) fn cached_load(&mut self, block: Cached, ty: Ty, hazard: Hazard) -> Val {
        let (carried, starts) = self.cached_messages(block, ty.bytes(), hazard);
        let whole = self.in_parts(carried, starts.len(), |builder, n| {
            let mut arguments = builder.cached_arguments(LOAD, block.caches, carried, starts[n]);
            arguments.push(block.buffer);
            builder.value(Intrinsic::CachedLoad, carried, &arguments)
        });
        self.format(whole, ty)
    }

    /// Writes a block.
    pub(crate) fn cached_store(&mut self, block: Cached, data: Val, hazard: Hazard) {
        let (carried, starts) = self.cached_messages(block, data.ty.bytes(), hazard);
        let data = self.format(data, carried.times(carried.count * starts.len()));
        for (n, start) in starts.into_iter().enumerate() {
            let part = self.part(data, n * carried.count, carried.count);
            let mut arguments = self.cached_arguments(STORE, block.caches, carried, start);
            arguments.extend([part, block.buffer]);
            self.call(Intrinsic::CachedStore, None, &arguments);
        }
    }

    /// Prefetches `bytes` bytes.
    pub(crate) fn cached_prefetch(&mut self, block: Cached, bytes: usize, hazard: Hazard) {
        let (carried, starts) = self.cached_messages(block, bytes, hazard);
        for start in starts {
            let mut arguments = self.cached_arguments(LOAD, block.caches, carried, start);
            arguments.push(block.buffer);
            self.call(Intrinsic::CachedPrefetch, None, &arguments);
        }
    }

    /// A register of so many parts of type `part`, which `read` gives.
    fn in_parts(&mut self, part: Ty, count: usize, mut read: impl FnMut(&mut Self, usize) -> Val) -> Val {
        if count == 1 {
            return read(self, 0);
        }
        let mut whole = self.undefined(part.times(part.count * count));
        for n in 0..count {
            let read = read(self, n);
            whole = self.insert(whole, FixedRegion::row(n * part.count, part.count), read, None);
        }
        whole
    }

    /// Reads a block of type `ty` in oword blocks.
    pub(crate) fn load_owords(&mut self, block: Cached, ty: Ty, hazard: Hazard) -> Val {
        let start = self.whole_dwords(block.offset, block.aligned);
        if ty.bytes() <= OWORD_BLOCK {
            return self.oword_read(block.buffer, Alignment::Dword, (start, true), ty);
        }
        let start = self.without_wrap(start, ty.bytes(), hazard);
        let piece = Ty::I32.times(OWORD_BLOCK / DWORD);
        let whole = self.in_parts(piece, ty.bytes() / OWORD_BLOCK, |builder, n| {
            let from = builder.moved(start, n * OWORD_BLOCK);
            builder.oword_read(block.buffer, Alignment::Dword, (from, true), piece)
        });
        self.format(whole, ty)
    }

    /// Writes a block in scattered messages.
    pub(crate) fn store_scattered(&mut self, block: Cached, data: Val, hazard: Hazard) {
        let start = self.whole_dwords(block.offset, block.aligned);
        let start = self.without_wrap(start, data.ty.bytes(), hazard);
        self.scatter_block(block.buffer, start, data);
    }

    /// Writes a block by scattered messages. Unlike oword blocks, it may start at any dword.
    pub(crate) fn scatter_block(&mut self, buffer: Val, start: Val, data: Val) {
        let dwords = Ty::I32.times(data.ty.bytes() / DWORD);
        let data = self.format(data, dwords);
        let steps: Vec<u64> = (0..dwords.count).map(|k| (k * DWORD) as u64).collect();
        let (starts, steps) = (self.splat(start, dwords.count), self.constants(dwords, &steps));
        let starts = self.op(Op::IAdd, dwords, &[starts, steps]);
        self.scatter(buffer, Elements { starts, last: None }, data);
    }
}
