//! The fields of descriptors.

use crate::isa::Instruction;

/// The receiver of a message, and its two descriptors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) descriptor: u32,
    pub(crate) extended: u32,
    /// The shared function's number.
    pub(crate) function: u32,
    /// The number of registers of the second payload.
    pub(crate) second_length: usize,
    /// The offset that is added to addresses in a surface that is given by the offset of its state.
    pub(crate) address_offset: i32,
}

/// Shared functions by number.
pub(crate) const FUNCTIONS: [&str; 16] = [
    "null",
    "untyped memory of low priority",
    "sampler",
    "gateway",
    "data cache port 2",
    "render cache",
    "URB",
    "thread spawner",
    "video motion estimation",
    "constant cache",
    "data cache port 0",
    "pixel interpolator",
    "data cache port 1",
    "typed memory",
    "shared local memory",
    "untyped memory",
];

impl Fields {
    /// A bit field of the descriptor.
    pub(crate) fn bits(self, first: u32, count: u32) -> u32 {
        self.descriptor >> first & ((1 << count) - 1)
    }

    /// The fields on Gen9, where the extended descriptor contains the function.
    pub(crate) fn of_gen9(descriptor: u32, extended: u32) -> Self {
        let second_length = (extended >> 6 & 15) as usize;
        Self { descriptor, extended, function: extended & 15, second_length, address_offset: 0 }
    }

    /// The fields on newer generations, where the extended descriptor contains the length of the second
    /// payload unless it is given elsewhere.
    pub(crate) fn of_xe(descriptor: u32, extended: u32, function: u8, instruction: &Instruction) -> Self {
        let second_length = instruction.second_length.map_or((extended >> 6 & 31) as usize, usize::from);
        let address_offset = instruction.address_offset;
        Self { descriptor, extended, function: function.into(), second_length, address_offset }
    }

    /// Whether a message of Gen9 ends the thread.
    pub(crate) fn ends_thread(self) -> bool {
        self.extended & 0x20 != 0
    }

    /// The number of registers of the first payload.
    pub(crate) fn length(self) -> usize {
        self.bits(25, 4) as usize
    }

    /// The number of registers of the response.
    pub(crate) fn response(self) -> usize {
        self.bits(20, 5) as usize
    }

    pub(crate) fn has_header(self) -> bool {
        self.bits(19, 1) != 0
    }

    /// The type of a data port message.
    pub(crate) fn kind(self) -> u32 {
        self.bits(14, 5)
    }

    /// The entry of the binding table.
    pub(crate) fn entry(self) -> u32 {
        self.bits(0, 8)
    }
}
