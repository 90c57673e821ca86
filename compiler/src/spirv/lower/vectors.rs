//! Scattered elements and vectors of elements, by the messages of the target. A message of the load/store cache carries up
//! to four elements of each lane. Without that cache, so does a message for dwords of buffers; each other element of a
//! vector is a scattered access of its own.

use crate::ir::{SharedArray, Type, Value};
use crate::limits::DWORD;
use crate::ops::{Caching, last_vector};

use super::lowering::{Lowering, Result};
use crate::spirv::binary::Op as Instruction;
use crate::spirv::emit::buffer::{CacheMemory, Elements, Vectors};
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::module::{Builder, Val};
use crate::spirv::types::Ty;

/// The messages for elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scattered {
    /// One through the load/store cache.
    Cached,
    /// Two for the dwords of elements of 8 bytes.
    Halves,
    /// One of older generations.
    Plain,
}

/// Elements of the longest vectors of a message.
const MESSAGE_ROWS: usize = 4;

/// The memory of a scattered access, and its array if it is shared memory.
type Memory = (Val, Option<SharedArray>);

/// That memory, in messages of the load/store cache.
fn cached((memory, array): Memory) -> CacheMemory {
    if array.is_some() { CacheMemory::Shared } else { CacheMemory::Buffer(memory) }
}

impl Lowering<'_> {
    /// Reads elements as a vector of type `ty`.
    pub(crate) fn gather(
        &mut self,
        memory: Memory,
        form: Scattered,
        elements: Elements,
        caches: [Caching; 2],
        ty: Ty,
    ) -> Val {
        match form {
            Scattered::Cached => {
                let vectors = Vectors::elements(elements);
                self.builder.cached_gather(cached(memory), vectors, caches, ty)
            }
            Scattered::Halves => self.builder.gather_halves(memory.0, elements, ty),
            Scattered::Plain => self.builder.gather(memory.0, elements, ty),
        }
    }

    /// Writes elements.
    pub(crate) fn scatter(
        &mut self,
        memory: Memory,
        form: Scattered,
        elements: Elements,
        caches: [Caching; 2],
        values: Val,
    ) {
        match form {
            Scattered::Cached => {
                let vectors = Vectors::elements(elements);
                self.builder.cached_scatter(cached(memory), vectors, caches, values);
            }
            Scattered::Halves => self.builder.scatter_halves(memory.0, elements, values),
            Scattered::Plain => self.builder.scatter(memory.0, elements, values),
        }
    }

    /// Reads vectors that begin with these elements.
    pub(crate) fn gather_vectors(
        &mut self,
        memory: Memory,
        form: Scattered,
        firsts: Value,
        caches: [Caching; 2],
        shape: Type,
    ) -> Result<Val> {
        let (ty, lanes) = (Ty::from(shape), shape.columns);
        let (firsts, whole) = self.first_elements(firsts, shape, memory.1)?;
        let in_rows = self.in_rows(memory, form, ty);
        let mut all = self.builder.undefined(ty);
        for (row, rows) in messages(shape.rows, whole && (in_rows || form == Scattered::Cached)) {
            let (firsts, part) =
                (self.builder.following(firsts, row, ty.elem_bytes()), ty.times(lanes * rows));
            let part = if rows == 1 {
                self.gather(memory, form, firsts, caches, part)
            } else if in_rows {
                let vectors = Vectors::of(firsts, rows, self.target);
                self.builder.gather_rows(memory.0, vectors, part)
            } else {
                let vectors = Vectors::of(firsts, rows, self.target);
                self.builder.cached_gather(cached(memory), vectors, caches, part)
            };
            all = self.builder.insert(all, FixedRegion::row(row * lanes, rows * lanes), part, None);
        }
        Ok(all)
    }

    /// Writes vectors that begin with these elements.
    pub(crate) fn scatter_vectors(
        &mut self,
        memory: Memory,
        form: Scattered,
        firsts: Value,
        caches: [Caching; 2],
        (values, shape): (Val, Type),
    ) -> Result<()> {
        let lanes = shape.columns;
        let (firsts, whole) = self.first_elements(firsts, shape, memory.1)?;
        let in_rows = self.in_rows(memory, form, values.ty);
        for (row, rows) in messages(shape.rows, whole && (in_rows || form == Scattered::Cached)) {
            let firsts = self.builder.following(firsts, row, values.ty.elem_bytes());
            let part = self.builder.part(values, row * lanes, rows * lanes);
            if rows == 1 {
                self.scatter(memory, form, firsts, caches, part);
            } else if in_rows {
                let vectors = Vectors::of(firsts, rows, self.target);
                self.builder.scatter_rows(memory.0, vectors, part);
            } else {
                let vectors = Vectors::of(firsts, rows, self.target);
                self.builder.cached_scatter(cached(memory), vectors, caches, part);
            }
        }
        Ok(())
    }

    /// Whether a message for lanes carries several elements of a vector.
    fn in_rows(&self, (_, array): Memory, form: Scattered, ty: Ty) -> bool {
        let plain = form == Scattered::Plain && !self.target.has_cache();
        plain && array.is_none() && ty.elem_bytes() == DWORD
    }

    /// The first elements of vectors, and whether all of a vector is accessed if its first element is: no vector may be
    /// partly outside of an array of shared memory.
    fn first_elements(
        &mut self,
        firsts: Value,
        shape: Type,
        array: Option<SharedArray>,
    ) -> Result<(Elements, bool)> {
        let numbers = self.val(firsts)?;
        let (rows, size) = (shape.rows, Ty::from(shape).elem_bytes());
        let last = last_vector(rows, size);
        // In a buffer, a multiple of the count does not wrap.
        let multiple = self.known_zeros.low_zeros(firsts) >= rows.next_power_of_two().trailing_zeros();
        let (numbers, starts) = if array.is_none() && multiple || self.selects_up_to(firsts, last as usize) {
            (numbers, self.starts(firsts, size)?)
        } else {
            // A vector does not wrap: one far outside stays there.
            let all = self.builder.constant(numbers.ty, u64::from(u32::MAX / size as u32));
            let last = self.builder.constant(numbers.ty, last.into());
            let numbers = self.builder.op(Instruction::BitwiseAnd, numbers.ty, &[numbers, all]);
            let before = self.builder.op(Instruction::ULessThan, numbers.ty.bool(), &[numbers, last]);
            let numbers = self.builder.op(Instruction::Select, numbers.ty, &[before, numbers, last]);
            (numbers, self.builder.starts(numbers, size))
        };
        let Some(SharedArray { start, bytes, .. }) = array else {
            return Ok((Elements { starts, last: None }, true));
        };
        let (starts, last) = (self.builder.moved(starts, start), bytes / size - 1);
        let within = |x| last.checked_sub(rows - 1).is_some_and(|last| self.selects_up_to(x, last));
        let inside = within(firsts);
        // A mask replaces the others by an element outside.
        let whole = inside || self.masked.get(&firsts).is_some_and(|of| within(*of));
        Ok((Elements { starts, last: (!inside).then_some((numbers, last)) }, whole))
    }
}

/// The messages for vectors of `rows` elements: the first element and the number of elements of each. `several`: whether a
/// message carries several.
fn messages(rows: usize, several: bool) -> impl Iterator<Item = (usize, usize)> {
    let most = if several { MESSAGE_ROWS } else { 1 };
    (0..rows).step_by(most).map(move |row| (row, most.min(rows - row)))
}

impl Builder {
    /// The elements `row` after these.
    fn following(&mut self, firsts: Elements, row: usize, size: usize) -> Elements {
        if row == 0 {
            return firsts;
        }
        let last = firsts.last.map(|(numbers, last)| (self.moved(numbers, row), last));
        Elements { starts: self.moved(firsts.starts, row * size), last }
    }
}
