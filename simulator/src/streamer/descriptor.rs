//! `GPGPU_WALKER` and `INTERFACE_DESCRIPTOR_DATA`: Intel's PRM, Skylake, volume 2a and 2d.

use crate::dispatch::Floats;

/// Bits of a dword.
pub(super) fn bits(dword: u32, low: u32, count: u32) -> u32 {
    dword >> low & ((1 << count) - 1)
}

/// The fields of a walker command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Walker {
    /// The number of its interface descriptor.
    pub(super) descriptor: u32,
    /// Bytes of payload, and their offset. If there are none, the payload is that of `MEDIA_CURBE_LOAD`.
    pub(super) indirect: (u32, u32),
    /// The first group, and the end of the range, for x, y and z.
    pub(super) begin: [u32; 3],
    pub(super) end: [u32; 3],
    /// Whether the end is in registers.
    pub(super) end_in_registers: bool,
    /// The number of channels of a thread.
    pub(super) channels: u32,
    /// The number of threads of a group, for x, y and z.
    pub(super) threads: [u32; 3],
    /// The enabled channels of threads at the right and at the bottom edge of a group.
    pub(super) right: u32,
    pub(super) bottom: u32,
}

impl Walker {
    /// The number of words of the command.
    pub(super) const WORDS: usize = 15;

    pub(super) fn decode(c: &[u32; Self::WORDS]) -> Self {
        Self {
            descriptor: bits(c[1], 0, 6),
            indirect: (bits(c[2], 0, 17), c[3] & !63),
            begin: [c[5], c[8], c[11]],
            end: [c[7], c[10], c[12]],
            end_in_registers: bits(c[0], 10, 1) == 1,
            channels: 8 << bits(c[4], 30, 2).min(2),
            threads: [0, 8, 16].map(|low| bits(c[4], low, 6) + 1),
            right: c[13],
            bottom: c[14],
        }
    }

    /// The number of threads of a group.
    pub(super) fn group_threads(&self) -> u32 {
        self.threads.iter().product()
    }

    /// The enabled channels of a thread of a group.
    pub(super) fn mask(&self, thread: u32) -> u32 {
        let [across, down, _] = self.threads;
        let mut mask = u32::MAX >> (32 - self.channels);
        if thread % across == across - 1 {
            mask &= self.right;
        }
        if thread / across % down == down - 1 {
            mask &= self.bottom;
        }
        mask
    }

    /// The number of groups for x, y and z.
    pub(super) fn extent(&self) -> [u64; 3] {
        [0, 1, 2].map(|axis| u64::from(self.end[axis].saturating_sub(self.begin[axis])))
    }

    /// The group with a number, counted from 0; x changes fastest.
    pub(super) fn group(&self, number: u64) -> [u32; 3] {
        let [across, down, _] = self.extent();
        let offset = [number % across, number / across % down, number / (across * down)];
        [0, 1, 2].map(|axis| self.begin[axis] + offset[axis] as u32)
    }
}

/// The kernel fields of an interface descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Descriptor {
    /// The kernel, relative to the instruction base.
    pub(super) kernel: u64,
    pub(super) alternative_floats: bool,
    pub(super) keep_denormals: bool,
    /// Sampler states, relative to the dynamic state base.
    pub(super) samplers: u32,
    /// The binding table, relative to the surface state base, and the number of entries that the hardware
    /// prefetches.
    pub(super) binding_table: u32,
    pub(super) prefetched: u32,
    /// Registers of payload of each thread, and their start.
    pub(super) per_thread: usize,
    pub(super) per_thread_offset: usize,
    /// Registers of payload that all threads share.
    pub(super) cross_thread: usize,
    /// Bytes of shared local memory.
    pub(super) shared: usize,
    pub(super) barrier: bool,
}

impl Descriptor {
    /// Bytes of a descriptor.
    pub(super) const BYTES: u64 = 32;

    pub(super) fn decode(d: &[u32; 8]) -> Self {
        let shared = bits(d[6], 16, 5);
        Self {
            kernel: u64::from(bits(d[1], 0, 16)) << 32 | u64::from(d[0] & !63),
            alternative_floats: bits(d[2], 16, 1) == 1,
            keep_denormals: bits(d[2], 19, 1) == 1,
            samplers: d[3] & !31,
            binding_table: d[4] & 0xffe0,
            prefetched: bits(d[4], 0, 5),
            per_thread: bits(d[5], 16, 16) as usize,
            per_thread_offset: bits(d[5], 0, 16) as usize,
            cross_thread: bits(d[7], 0, 8) as usize,
            shared: if shared == 0 { 0 } else { 512 << shared.min(16) },
            barrier: bits(d[6], 21, 1) == 1,
        }
    }

    pub(super) fn floats(&self) -> Floats {
        Floats { alternative: self.alternative_floats, keep_denormals: self.keep_denormals }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> [u32; Walker::WORDS] {
        let mut c = [0; Walker::WORDS];
        (c[1], c[2], c[3]) = (5, 96, 0x1040);
        c[4] = 1 << 30 | 1 << 8 | 3;
        (c[5], c[7], c[8], c[10], c[11], c[12]) = (1, 4, 0, 2, 7, 9);
        (c[13], c[14]) = (0x00ff, 0xfff0);
        c
    }

    #[test]
    fn a_walker() {
        let walker = Walker::decode(&command());
        assert_eq!((walker.descriptor, walker.indirect), (5, (96, 0x1040)));
        assert_eq!((walker.channels, walker.threads, walker.group_threads()), (16, [4, 2, 1], 8));
        assert_eq!((walker.end_in_registers, walker.extent()), (false, [3, 2, 2]));
        assert_eq!(walker.group(0), [1, 0, 7]);
        assert_eq!(walker.group(4), [2, 1, 7]);
        assert_eq!(walker.group(11), [3, 1, 8]);
        let mut empty = walker;
        empty.end[1] = 0;
        assert_eq!(empty.extent(), [3, 0, 2]);
    }

    #[test]
    fn masks_hold_at_the_ends() {
        let walker = Walker::decode(&command());
        let masks: Vec<_> = (0..8).map(|thread| walker.mask(thread)).collect();
        assert_eq!(masks, [0xffff, 0xffff, 0xffff, 0x00ff, 0xfff0, 0xfff0, 0xfff0, 0x00f0]);
        let mut wide = command();
        (wide[4], wide[13], wide[14]) = (2 << 30, u32::MAX, u32::MAX);
        assert_eq!(Walker::decode(&wide).mask(0), u32::MAX);
    }

    #[test]
    fn a_descriptor() {
        let descriptor = Descriptor::decode(&[
            0x1234_5678,
            0xffff_0001,
            1 << 19,
            0x47,
            0x1_2345,
            3 << 16 | 2,
            1 << 21 | 3 << 16,
            0xff07,
        ]);
        let expected = Descriptor {
            kernel: 0x1_1234_5640,
            alternative_floats: false,
            keep_denormals: true,
            samplers: 0x40,
            binding_table: 0x2340,
            prefetched: 5,
            per_thread: 3,
            per_thread_offset: 2,
            cross_thread: 7,
            shared: 4096,
            barrier: true,
        };
        assert_eq!(descriptor, expected);
    }
}
