//! Shared local memory.
//!
//! The memory of a group is a separate surface that is accessed by the messages of buffers; arrays are parts
//! of it. Other arrays are next to an array, so out-of-bounds elements are masked out of a message. Unaligned
//! blocks are gathered, because their message works only for buffers.

use super::lowering::{Lowering, Result};
use crate::ir::{SharedArray, Value};
use crate::limits::DWORD;
use crate::ops::Alignment;
use crate::spirv::binary::Op;
use crate::spirv::emit::buffer::Elements;
use crate::spirv::emit::control::{Joined, Way};
use crate::spirv::module::{Builder, Val};
use crate::spirv::types::Ty;

/// The surface index of the memory of the group.
pub(crate) const SURFACE: usize = 254;

/// Whether a block is inside of an array.
#[derive(Clone, Copy)]
enum Place {
    /// Inside, at this byte.
    Inside(Val),
    /// At this byte if the condition is true, else out of bounds.
    Perhaps(Val, Val),
    /// Out of bounds: the block is larger than the array.
    Nowhere,
}

impl Lowering<'_> {
    /// Elements of a buffer or of an array.
    pub(crate) fn elements(
        &mut self,
        elements: Value,
        size: usize,
        array: Option<SharedArray>,
    ) -> Result<Elements> {
        let numbers = self.val(elements)?;
        let starts = self.starts(elements, size)?;
        let Some(SharedArray { start, bytes, .. }) = array else {
            return Ok(Elements { starts, last: None });
        };
        // The last dword of an array of words may extend beyond the array; the next array begins at an oword.
        let (starts, last) = (self.builder.moved(starts, start), bytes.div_ceil(size) - 1);
        let inside = self.selects_up_to(elements, last);
        Ok(Elements { starts, last: (!inside).then_some((numbers, last)) })
    }

    /// The offsets of elements of so many bytes.
    pub(crate) fn starts(&mut self, elements: Value, size: usize) -> Result<Val> {
        let offset = self.element_offsets.get(&elements).filter(|(_, places)| size == 1 << places);
        match offset.and_then(|(offset, _)| self.values.get(offset)) {
            Some(offset) => Ok(offset.val),
            None => {
                let numbers = self.val(elements)?;
                Ok(self.builder.starts(numbers, size))
            }
        }
    }

    /// The position of a block of `bytes` bytes in an array, from its offset.
    fn place(
        &mut self,
        offset: Value,
        bytes: usize,
        alignment: Alignment,
        array: SharedArray,
    ) -> Result<Place> {
        let def = self.def(offset)?;
        let Some(last) = array.bytes.checked_sub(bytes) else { return Ok(Place::Nowhere) };
        // An unaligned offset is rounded down.
        let last = last | (alignment.bytes() - 1);
        let moved = self.builder.moved(def.val, array.start);
        if def.known.is_some_and(|bits| bits as usize <= last) || self.selects_up_to(offset, last) {
            return Ok(Place::Inside(moved));
        }
        let last = self.builder.i32(last);
        let inside = self.builder.op(Op::ULessThanEqual, Ty::BOOL, &[def.val, last]);
        Ok(Place::Perhaps(moved, inside))
    }

    /// Reads a block of type `ty` from an array.
    pub(crate) fn shared_read(
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

    /// Writes a block to an array.
    pub(crate) fn shared_write(
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
}

impl Builder {
    /// Adds a number of bytes to addresses.
    pub(crate) fn moved(&mut self, addresses: Val, bytes: usize) -> Val {
        if bytes == 0 {
            return addresses;
        }
        let bytes = self.constant(addresses.ty, bytes as u64);
        self.op(Op::IAdd, addresses.ty, &[addresses, bytes])
    }

    /// A block if the condition is true, else 0.
    fn where_all(&mut self, condition: Val, block: Val) -> Val {
        let bits = block.ty.int(block.ty.bits());
        let (ones, zeros) = (self.constant(bits.one(), u64::MAX), self.constant(bits.one(), 0));
        let mask = self.op(Op::Select, bits.one(), &[condition, ones, zeros]);
        let (mask, block_bits) = (self.splat(mask, bits.count), self.format(block, bits));
        let kept = self.op(Op::BitwiseAnd, bits, &[block_bits, mask]);
        self.format(kept, block.ty)
    }

    /// Reads a block of type `ty` at any dword of shared local memory.
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

#[cfg(test)]
mod tests {
    use crate::spirv::alike::count;
    use crate::spirv::binary::Op;
    use crate::spirv::{Target, lower};
    use crate::text::parse;
    use crate::verify::verify;

    /// How many comparisons keep accesses to an array of 64 dwords inside, whose numbers or offset these lines set.
    fn comparisons(lines: &str) -> usize {
        let lines = lines.replace("; ", " @0:1:1\n").replace(";\n", " @0:1:1\n").replace('|', ";");
        let text = format!(
            "file 0 \"k.rs\" kernel k(n: u32<1x16>, s: shared u32 64) {{ %0: u32<1x16> = argument #0 @0:1:1
             %1: u32 = constant 48 @0:1:1
             %2: u32<1x16> = splat %1 @0:1:1
             %3: u32<1x16> = and.u32 %0, %2 @0:1:1
             var $0: u32<1x16> @0:1:1
             %4: u32<1x16> = load $0 @0:1:1
             {lines} }}"
        );
        let function = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        verify(&function).unwrap_or_else(|error| panic!("{error}\n{function}"));
        let module = lower(&function, Target::Gen9).unwrap();
        [Op::ULessThanEqual, Op::ULessThan].into_iter().map(|op| count(&module, op)).sum()
    }

    #[test]
    fn elements_that_nothing_has_set_may_be_outside() {
        let scattered = |set: &str| comparisons(&format!("{set}; scatter #1 %7, %0: u32<1x16>;\n"));
        assert_eq!(scattered("%7: u32<1x16> = insert %4[0| 16, 16, 1], %3"), 0);
        let half = "%6: u32<1x8> = region %3[0| 8, 8, 1]; %7: u32<1x16> = insert %4[0| 8, 8, 1], %6";
        assert_eq!(scattered(half), 1);
    }

    #[test]
    fn offsets_that_nothing_has_set_may_be_outside() {
        let block = |set: &str| comparisons(&format!("{set}; oword_write #1 %7, %0: u32<1x16>;\n"));
        assert_eq!(block("%7: u32 = region %3[0| 1, 1, 1]"), 0);
        assert_eq!(block("%7: u32 = region %4[0| 1, 1, 1]"), 1);
    }
}
