//! Fields of descriptors.

/// The two descriptors of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) descriptor: u32,
    pub(crate) extended: u32,
}

/// Shared functions by their numbers.
pub(crate) const FUNCTIONS: [&str; 16] = [
    "null",
    "1",
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
    "check and refinement",
    "14",
    "15",
];

impl Fields {
    /// So many bits of the descriptor.
    pub(crate) fn bits(self, first: u32, count: u32) -> u32 {
        self.descriptor >> first & ((1 << count) - 1)
    }

    /// The shared function's number.
    pub(crate) fn function(self) -> u32 {
        self.extended & 15
    }

    pub(crate) fn ends_thread(self) -> bool {
        self.extended & 0x20 != 0
    }

    /// Registers of the first payload.
    pub(crate) fn length(self) -> usize {
        self.bits(25, 4) as usize
    }

    /// Registers of the second payload.
    pub(crate) fn second_length(self) -> usize {
        (self.extended >> 6 & 15) as usize
    }

    /// Registers of the response.
    pub(crate) fn response(self) -> usize {
        self.bits(20, 5) as usize
    }

    pub(crate) fn has_header(self) -> bool {
        self.bits(19, 1) != 0
    }

    /// The type of a data port's message.
    pub(crate) fn kind(self) -> u32 {
        self.bits(14, 5)
    }

    /// The entry of the binding table.
    pub(crate) fn entry(self) -> u32 {
        self.bits(0, 8)
    }
}
