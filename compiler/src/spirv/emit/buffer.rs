//! Buffer messages: oword blocks, scattered elements, atomic operations.
//!
//! Blocks are carried as dwords, padded to a message size. Scattered messages have 8 or 16 lanes of one
//! dword; as many lanes are enabled as there are elements.

use crate::limits;
use crate::ops::{Alignment, Caching};

use super::cache_codes::{LOAD, STORE, code, size_code};
use crate::spirv::binary::Op;
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::{Builder, Val};
use crate::spirv::target::Target;
use crate::spirv::types::Ty;

/// Lanes of the largest scattered message.
const MESSAGE_LANES: usize = 16;
/// The code for elements of lanes in rows, the first elements of all lanes first.
const IN_ROWS: u64 = 1;
/// Lanes of the smallest scattered message.
const LEAST_MESSAGE_LANES: usize = 8;

/// Memory that messages of the load/store cache access.
#[derive(Clone, Copy)]
pub(crate) enum CacheMemory {
    /// A buffer.
    Buffer(Val),
    /// Shared local memory.
    Shared,
}

/// What a message of the load/store cache does, and with which hints.
#[derive(Clone, Copy)]
pub(crate) struct Cache {
    pub(crate) operation: u64,
    pub(crate) caches: [Caching; 2],
}

/// The dwords that carry a block of this many bytes: 1, 2, 4 or 8 owords.
fn carried(bytes: usize) -> Ty {
    Ty::I32.times(bytes.next_power_of_two().max(limits::OWORD) / limits::DWORD)
}

/// The elements of a scattered access.
#[derive(Clone, Copy)]
pub(crate) struct Elements {
    /// The byte offset of each element.
    pub(crate) starts: Val,
    /// The element indices, and the last index that is accessed; `None` if all are.
    pub(crate) last: Option<(Val, usize)>,
}

/// Vectors of a scattered access, of which a message of the load/store cache carries 1 to 4 elements per lane.
#[derive(Clone, Copy)]
pub(crate) struct Vectors {
    /// The first element of each vector, all of which is accessed if this element is.
    pub(crate) firsts: Elements,
    /// The elements of a vector. Each is a row of the data.
    pub(crate) rows: usize,
    /// The fewest lanes of a message.
    least: usize,
}

impl Vectors {
    /// Vectors of one element.
    pub(crate) const fn elements(firsts: Elements) -> Self {
        Self { firsts, rows: 1, least: LEAST_MESSAGE_LANES }
    }

    /// Vectors of `rows` elements. With registers of 64 bytes a message has room for 16 lanes in each row, also if it has
    /// 8; Intel's compiler expects the rows of 8 lanes next to each other.
    pub(crate) const fn of(firsts: Elements, rows: usize, target: Target) -> Self {
        Self { firsts, rows, least: target.register_bytes() / limits::DWORD }
    }
}

/// A part of a scattered access: its elements, and the number of lanes of its message.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) start: usize,
    pub(crate) count: usize,
    pub(crate) lanes: usize,
}

fn parts(count: usize) -> impl Iterator<Item = Part> {
    parts_of(count, LEAST_MESSAGE_LANES)
}

/// The same with messages of at least so many lanes.
fn parts_of(count: usize, least: usize) -> impl Iterator<Item = Part> {
    (0..count).step_by(MESSAGE_LANES).map(move |start| {
        let count = (count - start).min(MESSAGE_LANES);
        Part { start, count, lanes: count.max(least) }
    })
}

impl Builder {
    /// Reads a block of type `ty`. `aligned`: the offset is known to have the required alignment.
    pub(crate) fn oword_read(
        &mut self,
        buffer: Val,
        alignment: Alignment,
        (offset, aligned): (Val, bool),
        ty: Ty,
    ) -> Val {
        let carried = carried(ty.bytes());
        let (intrinsic, offset) = match alignment {
            // This message takes an offset in owords, the other one in bytes.
            Alignment::Oword => (Intrinsic::OwordRead, self.owords(offset)),
            Alignment::Dword => (Intrinsic::OwordReadUnaligned, self.rounded(offset, (alignment, aligned))),
        };
        let modified = self.i32(0);
        let block = self.value(intrinsic, carried, &[modified, buffer, offset]);
        self.format(block, ty)
    }

    /// Writes a block.
    pub(crate) fn oword_write(&mut self, buffer: Val, offset: Val, block: Val) {
        let carried = carried(block.ty.bytes());
        let block = self.format(block, carried);
        let offset = self.owords(offset);
        self.call(Intrinsic::OwordWrite, None, &[buffer, offset, block]);
    }

    fn owords(&mut self, offset: Val) -> Val {
        let places = self.i32(limits::OWORD.trailing_zeros() as usize);
        self.op(Op::ShiftRightLogical, Ty::I32, &[offset, places])
    }

    /// The byte offsets of elements, from their indices.
    pub(crate) fn starts(&mut self, elements: Val, size: usize) -> Val {
        if size == 1 {
            return elements;
        }
        let shift = self.constant(elements.ty, u64::from(size.trailing_zeros()));
        self.op(Op::ShiftLeftLogical, elements.ty, &[elements, shift])
    }

    /// The lanes of a message: the elements of a part, then unspecified values.
    pub(crate) fn lanes(&mut self, x: Val, part: Part) -> Val {
        let x = self.part(x, part.start, part.count);
        if part.count == part.lanes {
            return x;
        }
        // The mask disables these lanes.
        let any = self.undefined(x.ty.times(part.lanes));
        self.insert(any, FixedRegion::row(0, part.count), x, None)
    }

    /// The mask of enabled lanes.
    pub(crate) fn mask(&mut self, part: Part, elements: Elements) -> Val {
        let lanes: Vec<u64> = (0..part.lanes).map(|lane| u64::from(lane < part.count)).collect();
        let (ty, full) = (Ty::BOOL.times(part.lanes), part.count == part.lanes);
        let lanes = if full { self.constant(ty, 1) } else { self.constants(ty, &lanes) };
        let Some((numbers, last)) = elements.last else { return lanes };
        let numbers = self.lanes(numbers, part);
        let last = self.constant(numbers.ty, last as u64);
        let inside = self.op(Op::ULessThanEqual, ty, &[numbers, last]);
        if full { inside } else { self.op(Op::LogicalAnd, ty, &[inside, lanes]) }
    }

    /// The results of enabled lanes; 0 for other lanes.
    fn given(&mut self, result: Val, mask: Val, elements: Elements) -> Val {
        if elements.last.is_none() {
            return result;
        }
        let zeros = self.constant(result.ty, 0);
        self.op(Op::Select, result.ty, &[mask, result, zeros])
    }

    /// Joins the parts of a result, which are dwords.
    fn whole(&mut self, ty: Ty, results: Vec<(Part, Val)>) -> Val {
        let mut whole = self.undefined(ty);
        for (part, result) in results {
            let result = self.part(result, 0, part.count);
            whole = self.insert(whole, FixedRegion::row(part.start, part.count), result, None);
        }
        whole
    }

    /// Reads elements as a vector of type `ty`.
    pub(crate) fn gather(&mut self, buffer: Val, elements: Elements, ty: Ty) -> Val {
        let blocks = self.i32(ty.elem_bytes().trailing_zeros() as usize);
        // `starts` are complete byte offsets from the start of the buffer.
        let (scale, base) = (self.constant(Ty::I16, 0), self.i32(0));
        let mut results = vec![];
        for part in parts(ty.count) {
            let (starts, mask) = (self.lanes(elements.starts, part), self.mask(part, elements));
            let result = if self.gathers_apart {
                let any = self.undefined(starts.ty);
                let arguments = [mask, blocks, scale, buffer, base, starts, any];
                self.value(Intrinsic::GatherApart, starts.ty, &arguments)
            } else {
                self.value(Intrinsic::Gather, starts.ty, &[blocks, scale, buffer, base, starts, mask])
            };
            results.push((part, self.given(result, mask, elements)));
        }
        let dwords = self.whole(Ty::I32.times(ty.count), results);
        let bits = dwords.ty.int(ty.bits());
        // Each lane returns a dword with the element in its low bits.
        let narrow = if bits == dwords.ty { dwords } else { self.op(Op::UConvert, bits, &[dwords]) };
        self.format(narrow, ty)
    }

    /// The channels of a message for lanes, its scale, the buffer, and where its elements start.
    pub(crate) fn channels(&mut self, rows: usize, buffer: Val) -> [Val; 4] {
        [self.i32((1 << rows) - 1), self.constant(Ty::I16, 0), buffer, self.i32(0)]
    }

    /// Reads vectors of dwords of a buffer by messages for lanes. `ty` is the type of all rows.
    pub(crate) fn gather_rows(
        &mut self,
        buffer: Val,
        Vectors { firsts, rows, least }: Vectors,
        ty: Ty,
    ) -> Val {
        let dwords = Ty::I32.times(ty.count);
        let (columns, mut all) = (ty.count / rows, self.undefined(dwords));
        for part in parts_of(columns, least) {
            let (starts, mask) = (self.lanes(firsts.starts, part), self.mask(part, firsts));
            let [channels, scale, buffer, base] = self.channels(rows, buffer);
            let arguments = [channels, scale, buffer, base, starts, mask];
            let read = self.value(Intrinsic::GatherDwords, Ty::I32.times(part.lanes * rows), &arguments);
            self.read.insert(read.id);
            for row in 0..rows {
                let elements = self.part(read, row * part.lanes, part.count);
                all = self.insert(
                    all,
                    FixedRegion::row(row * columns + part.start, part.count),
                    elements,
                    None,
                );
            }
        }
        self.format(all, ty)
    }

    /// Writes vectors of dwords of a buffer by messages for lanes; `values` has all rows.
    pub(crate) fn scatter_rows(
        &mut self,
        buffer: Val,
        Vectors { firsts, rows, least }: Vectors,
        values: Val,
    ) {
        let dwords = self.format(values, Ty::I32.times(values.ty.count));
        let columns = dwords.ty.count / rows;
        for part in parts_of(columns, least) {
            let (starts, mask) = (self.lanes(firsts.starts, part), self.mask(part, firsts));
            let [channels, scale, buffer, base] = self.channels(rows, buffer);
            let data = self.vector_lanes(dwords, (rows, columns), part);
            let arguments = [mask, channels, scale, buffer, base, starts, data];
            self.call(Intrinsic::ScatterDwords, None, &arguments);
        }
    }

    /// Writes elements.
    pub(crate) fn scatter(&mut self, buffer: Val, elements: Elements, values: Val) {
        let size = values.ty.elem_bytes();
        let bits = self.format(values, values.ty.int(values.ty.bits()));
        let dwords = bits.ty.int(32);
        // The message ignores the bits above the element.
        let values = if bits.ty == dwords { bits } else { self.op(Op::UConvert, dwords, &[bits]) };
        let blocks = self.i32(size.trailing_zeros() as usize);
        let (scale, base) = (self.constant(Ty::I16, 0), self.i32(0));
        for part in parts(values.ty.count) {
            let (starts, values) = (self.lanes(elements.starts, part), self.lanes(values, part));
            let mask = self.mask(part, elements);
            self.call(Intrinsic::Scatter, None, &[mask, blocks, scale, buffer, base, starts, values]);
        }
    }

    /// Updates elements by a message for dwords. Returns the old values.
    pub(crate) fn atomic_dwords(
        &mut self,
        intrinsic: Intrinsic,
        buffer: Val,
        elements: Elements,
        sources: &[Val],
        ty: Ty,
    ) -> Val {
        let dwords = Ty::I32.times(ty.count);
        let mut results = vec![];
        for part in parts(dwords.count) {
            let mask = self.mask(part, elements);
            let mut arguments = vec![mask, buffer, self.lanes(elements.starts, part)];
            for &source in sources {
                let source = self.format(source, dwords);
                arguments.push(self.lanes(source, part));
            }
            let result = self.value(intrinsic, Ty::I32.times(part.lanes), &arguments);
            results.push((part, self.given(result, mask, elements)));
        }
        let old = self.whole(dwords, results);
        self.format(old, ty)
    }

    /// The arguments of a message of the load/store cache for vectors of elements of `bytes` bytes, up to the offsets.
    fn cached_elements(
        &mut self,
        cache: Cache,
        bytes: usize,
        part: Part,
        Vectors { firsts, rows, .. }: Vectors,
    ) -> (Val, Vec<Val>) {
        let [l1, l3] = cache.caches.map(code);
        let mask = self.mask(part, firsts);
        // The code for 1 to 4 elements is their number. Each is a row, in the order of the lanes.
        let [operation, l1, l3, size, rows, order, channels] =
            [cache.operation, l1, l3, size_code(bytes), rows as u64, IN_ROWS, 0]
                .map(|number| self.constant(Ty::I8, number));
        let (scale, offset) = (self.constant(Ty::I16, 1), self.i32(0));
        let starts = self.lanes(firsts.starts, part);
        (mask, vec![mask, operation, l1, l3, scale, offset, size, rows, order, channels, starts])
    }

    /// The last argument of a message of the load/store cache.
    fn cache_memory(&mut self, memory: CacheMemory) -> Val {
        match memory {
            CacheMemory::Buffer(buffer) => buffer,
            CacheMemory::Shared => self.i32(0),
        }
    }

    /// Reads vectors through the load/store cache. `ty` is the type of all rows.
    pub(crate) fn cached_gather(
        &mut self,
        memory: CacheMemory,
        vectors: Vectors,
        caches: [Caching; 2],
        ty: Ty,
    ) -> Val {
        let (bits, Vectors { firsts, rows, least }) = (ty.int(ty.bits()), vectors);
        let carried = if ty.elem_bytes() < limits::DWORD { ty.int(32) } else { bits };
        let (columns, mut all) = (ty.count / rows, self.undefined(carried));
        let intrinsic = match memory {
            CacheMemory::Buffer(_) => Intrinsic::CachedGather,
            CacheMemory::Shared => Intrinsic::SharedGather,
        };
        for part in parts_of(columns, least) {
            let cache = Cache { operation: LOAD, caches };
            let (mask, mut arguments) = self.cached_elements(cache, ty.elem_bytes(), part, vectors);
            arguments.push(self.cache_memory(memory));
            let result = self.value(intrinsic, carried.times(part.lanes * rows), &arguments);
            for row in 0..rows {
                let elements = self.part(result, row * part.lanes, part.lanes);
                let elements = self.given(elements, mask, firsts);
                let elements = self.part(elements, 0, part.count);
                let region = FixedRegion::row(row * columns + part.start, part.count);
                all = self.insert(all, region, elements, None);
            }
        }
        let narrow = if bits == carried { all } else { self.op(Op::UConvert, bits, &[all]) };
        self.format(narrow, ty)
    }

    /// Writes vectors through the load/store cache; `values` has all rows.
    pub(crate) fn cached_scatter(
        &mut self,
        memory: CacheMemory,
        vectors: Vectors,
        caches: [Caching; 2],
        values: Val,
    ) {
        let (size, rows) = (values.ty.elem_bytes(), vectors.rows);
        let bits = self.format(values, values.ty.int(values.ty.bits()));
        let carried = if size < limits::DWORD { bits.ty.int(32) } else { bits.ty };
        let values = if bits.ty == carried { bits } else { self.op(Op::UConvert, carried, &[bits]) };
        let columns = values.ty.count / rows;
        let intrinsic = match memory {
            CacheMemory::Buffer(_) => Intrinsic::CachedScatter,
            CacheMemory::Shared => Intrinsic::SharedScatter,
        };
        for part in parts_of(columns, vectors.least) {
            let cache = Cache { operation: STORE, caches };
            let (_, mut arguments) = self.cached_elements(cache, size, part, vectors);
            let data = self.vector_lanes(values, (rows, columns), part);
            arguments.extend([data, self.cache_memory(memory)]);
            self.call(intrinsic, None, &arguments);
        }
    }

    /// The lanes of a message for each row of the data: the elements of a part, then unspecified values.
    fn vector_lanes(&mut self, values: Val, (rows, columns): (usize, usize), part: Part) -> Val {
        if rows == 1 {
            return self.lanes(values, part);
        }
        let mut data = self.undefined(values.ty.times(rows * part.lanes));
        for row in 0..rows {
            let elements = self.part(values, row * columns + part.start, part.count);
            data = self.insert(data, FixedRegion::row(row * part.lanes, part.count), elements, None);
        }
        data
    }

    /// Prefetches `count` elements of `size` bytes.
    pub(crate) fn cached_gather_prefetch(
        &mut self,
        buffer: Val,
        elements: Elements,
        caches: [Caching; 2],
        (count, size): (usize, usize),
    ) {
        // The message takes no bytes and words: the dword around an element is in the same line of the cache.
        let starts = self.whole_dwords(elements.starts, size >= limits::DWORD);
        let vectors = Vectors::elements(Elements { starts, ..elements });
        let size = size.max(limits::DWORD);
        for part in parts(count) {
            let cache = Cache { operation: LOAD, caches };
            let (_, mut arguments) = self.cached_elements(cache, size, part, vectors);
            arguments.push(buffer);
            self.call(Intrinsic::CachedGatherPrefetch, None, &arguments);
        }
    }

    /// Reads elements of 8 bytes by two messages for dwords.
    pub(crate) fn gather_halves(&mut self, buffer: Val, elements: Elements, ty: Ty) -> Val {
        let mut pairs = self.undefined(Ty::I32.times(ty.count * 2));
        for half in 0..2 {
            let elements = self.half(elements, half);
            let dwords = self.gather(buffer, elements, Ty::I32.times(ty.count));
            pairs = self.insert(pairs, halves(half, ty.count), dwords, None);
        }
        self.format(pairs, ty)
    }

    /// Writes elements of 8 bytes by two messages for dwords.
    pub(crate) fn scatter_halves(&mut self, buffer: Val, elements: Elements, values: Val) {
        let count = values.ty.count;
        let pairs = self.in_dwords(values);
        for half in 0..2 {
            let dwords = self.region(pairs, halves(half, count), count, None);
            let elements = self.half(elements, half);
            self.scatter(buffer, elements, dwords);
        }
    }

    /// The low or the high dwords of elements of 8 bytes.
    fn half(&mut self, elements: Elements, half: usize) -> Elements {
        if half == 0 {
            return elements;
        }
        let next = self.constant(elements.starts.ty, limits::DWORD as u64);
        Elements { starts: self.op(Op::IAdd, elements.starts.ty, &[elements.starts, next]), ..elements }
    }

    /// Updates elements by a message of the load/store cache. Returns the old values.
    pub(crate) fn atomic_cached(
        &mut self,
        cache: Cache,
        memory: CacheMemory,
        elements: Elements,
        sources: &[Val],
        ty: Ty,
    ) -> Val {
        let intrinsic = match memory {
            CacheMemory::Buffer(_) => Intrinsic::AtomicCached,
            CacheMemory::Shared => Intrinsic::AtomicShared,
        };
        // 16-bit elements are passed in dwords.
        let narrow = ty.elem_bytes() < limits::DWORD;
        let carried = if narrow { ty.int(32) } else { ty };
        let mut results = vec![];
        for part in parts(ty.count) {
            let vectors = Vectors::elements(elements);
            let (mask, mut arguments) = self.cached_elements(cache, ty.elem_bytes(), part, vectors);
            let none = self.undefined(carried.times(part.lanes));
            let mut values = [none; 2];
            // Unlike the dword message, this one takes the value to compare before the new value.
            for (value, &source) in values.iter_mut().zip(sources.iter().rev()) {
                let source = if narrow { self.op(Op::UConvert, carried, &[source]) } else { source };
                *value = self.lanes(source, part);
            }
            arguments.extend([values[0], values[1], self.cache_memory(memory), none]);
            let result = self.value(intrinsic, none.ty, &arguments);
            results.push((part, self.given(result, mask, elements)));
        }
        let old = self.whole(carried, results);
        if narrow { self.op(Op::UConvert, ty, &[old]) } else { old }
    }
}

/// Every second dword.
const fn halves(half: usize, count: usize) -> FixedRegion {
    FixedRegion { offset: half, row_stride: count * 2, width: count, column_stride: 2 }
}
