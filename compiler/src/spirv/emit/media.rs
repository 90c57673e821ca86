//! Media blocks: messages that move rows between a surface and registers.
//!
//! In registers, rows are padded to a pitch; the message moves the actual width.

use crate::limits;
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::{Builder, Val};
use crate::spirv::types::Ty;

/// Bytes of the registers of newer GPUs.
const LONG_REGISTER: usize = 64;

/// A block of `rows` x `columns` elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MediaBlock {
    /// Rows.
    pub(crate) rows: usize,
    /// Columns.
    pub(crate) columns: usize,
    /// Bytes of an element.
    pub(crate) size: usize,
}

impl MediaBlock {
    /// Bytes of a row.
    pub(crate) const fn width(self) -> usize {
        self.columns * self.size
    }

    /// Bytes from row to row in registers.
    const fn pitch(self) -> usize {
        limits::media_pitch(self.width())
    }

    /// Whether a value already has the padded rows of the message.
    pub(crate) const fn is_padded(self, ty: Ty) -> bool {
        ty.bytes() == self.rows * self.pitch()
    }

    /// The elements that the message moves: integers, two for each 64-bit element.
    fn carried(self) -> Ty {
        let bytes = match self.size {
            // A single row of 4 bytes would be a scalar, which the message does not take.
            4.. if self.rows * self.pitch() == 4 => 1,
            4.. => 4,
            size => size,
        };
        Ty::I32.int(bytes as u32 * 8).times(self.rows * self.pitch() / bytes)
    }

    /// The block within the padded rows.
    const fn shape(self) -> FixedRegion {
        FixedRegion { offset: 0, row_stride: self.pitch() / self.size, width: self.columns, column_stride: 1 }
    }
}

impl Builder {
    /// Reads a block of elements `ty`.
    pub(crate) fn media_read(&mut self, surface: Val, x: Val, y: Val, block: MediaBlock, ty: Ty) -> Val {
        let carried = block.carried();
        let (zero, width) = (self.i32(0), self.i32(block.width()));
        let padded = self.value(Intrinsic::MediaRead, carried, &[zero, surface, zero, width, x, y]);
        let padded = self.format(padded, ty.times(carried.bytes() / block.size));
        self.region(padded, block.shape(), ty.count, None)
    }

    /// Writes a block. The padding of its rows is unspecified, or 0 if the block is `apart`.
    pub(crate) fn media_write(
        &mut self,
        surface: Val,
        (x, y): (Val, Val),
        (block, apart): (MediaBlock, bool),
        value: Val,
    ) {
        let carried = block.carried();
        // The newest compilers insert a short block in a register, see `insert`.
        let inserted = self.long_registers && carried.bytes() < LONG_REGISTER && value.ty.count > 1;
        let value = if inserted && self.branched.contains(&value.id) { self.apart(value) } else { value };
        let padded_ty = value.ty.times(carried.bytes() / block.size);
        // The compiler copies a power of two of elements that a message reads before a call and another one writes.
        let copied = self.calls && padded_ty != value.ty && !value.ty.count.is_power_of_two();
        let value = if copied && value.ty.bits() < 64 { self.apart(value) } else { value };
        let padded = if padded_ty == value.ty {
            value
        } else {
            let others = if apart { self.constant(padded_ty, 0) } else { self.undefined(padded_ty) };
            self.insert(others, block.shape(), value, None)
        };
        let single = padded.ty.count == 1 && padded.ty.bytes() == limits::DWORD;
        let padded = if single && self.dwords_as_vectors { self.as_vector(padded) } else { padded };
        let padded = self.format(padded, carried);
        let (zero, width) = (self.i32(0), self.i32(block.width()));
        self.call(Intrinsic::MediaWrite, None, &[zero, surface, zero, width, x, y, padded]);
    }

    /// The bits of a dword, as a vector of its own.
    fn as_vector(&mut self, dword: Val) -> Val {
        let words = self.format(dword, Ty::I16.times(2));
        self.apart(words)
    }
}
