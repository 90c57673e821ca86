//! The initial registers of a thread.

use crate::generation::Machine;

/// The value of uninitialised bytes in mode `poison`.
pub(super) const POISON: u8 = 0xcd;

/// The part of the header in register 0 that all threads share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// Since Xe-HPG: the address from which threads load their arguments, and the number of threads of a
    /// group.
    pub(super) arguments: u32,
    pub(super) threads: u32,
    /// The samplers, combined with the size of the scratch space of a thread.
    pub(super) samplers: u32,
    pub(super) binding_table: u32,
    /// The scratch space, and its bytes for each thread.
    pub(super) scratch: Option<(u32, u32)>,
    pub(super) barrier: bool,
}

/// The payload of a walker: the bytes after the header.
#[derive(Clone, Debug)]
pub(super) struct Payload {
    pub(super) machine: Machine,
    pub(super) header: Header,
    /// The registers that all threads share.
    pub(super) cross_thread: Vec<u8>,
    /// The registers of all threads, one thread after the other.
    pub(super) per_thread: Vec<u8>,
    /// The bytes of the registers of one thread.
    pub(super) per_thread_bytes: usize,
    /// Whether the other registers contain garbage.
    pub(super) poison: bool,
}

/// The identity of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) group: [u32; 3],
    /// In the group.
    pub(super) thread: u32,
    /// The number of its hardware thread.
    pub(super) hardware_thread: u32,
    /// The number of the barrier of the group.
    pub(super) barrier: u32,
}

impl Payload {
    /// The registers of a thread: the header, its own registers, then the shared ones.
    pub(super) fn registers(&self, place: Place) -> Vec<u8> {
        let mut registers = Vec::with_capacity(self.machine.bytes());
        for dword in self.header.dwords(place) {
            registers.extend(dword.to_le_bytes());
        }
        let begin = place.thread as usize * self.per_thread_bytes;
        registers.extend(&self.per_thread[begin..begin + self.per_thread_bytes]);
        registers.extend(&self.cross_thread);
        registers.resize(self.machine.bytes(), if self.poison { POISON } else { 0 });
        registers
    }
}

impl Header {
    /// Register 0: Intel's PRM, Skylake, volume 7, "GPGPU thread payload". Since Xe-HPG it contains the
    /// location of the arguments and the number of the thread in the group, in the form that the first
    /// instructions of Intel's compiler read.
    fn dwords(&self, place: Place) -> [u32; 8] {
        /// Always set in the number of the thread.
        const NUMBER_IS_VALID: u32 = 1 << 9;
        let scratch = match self.scratch {
            Some((base, bytes)) => base.wrapping_add(place.hardware_thread.wrapping_mul(bytes)),
            None => 0,
        };
        let barrier = if self.barrier { (place.barrier & 0xf) << 24 } else { 0 };
        let in_group = if self.threads > 0 { place.thread | self.threads.min(255) << 24 } else { 0 };
        [
            self.arguments,
            place.group[0],
            barrier | in_group,
            self.samplers,
            self.binding_table,
            scratch | NUMBER_IS_VALID | (place.hardware_thread & 0x1ff),
            place.group[1],
            place.group[2],
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generation::Generation;

    #[test]
    fn registers_begin_with_the_header() {
        let payload = Payload {
            machine: Machine::of(Generation::Gen9),
            header: Header {
                arguments: 0,
                threads: 0,
                samplers: 0x43,
                binding_table: 0x80,
                scratch: Some((0x1_0000, 1024)),
                barrier: true,
            },
            cross_thread: vec![9; 32],
            per_thread: [vec![1; 64], vec![2; 64]].concat(),
            per_thread_bytes: 64,
            poison: true,
        };
        let place = Place { group: [4, 5, 6], thread: 1, hardware_thread: 3, barrier: 18 };
        let registers = payload.registers(place);
        assert_eq!(registers.len(), 4096);
        let dword = |at: usize| u32::from_le_bytes(*registers[4 * at..].first_chunk().expect("four bytes"));
        let header: Vec<_> = (0..8).map(dword).collect();
        assert_eq!(header, [0, 4, 2 << 24, 0x43, 0x80, 0x1_0c00 | 1 << 9 | 3, 5, 6]);
        assert_eq!((registers[32], registers[95], registers[96], registers[127]), (2, 2, 9, 9));
        assert!(registers[128..].iter().all(|byte| *byte == POISON));
        let newer = Header { arguments: 0x40, threads: 5, barrier: false, ..payload.header }.dwords(place);
        assert_eq!((newer[0], newer[2]), (0x40, 5 << 24 | 1));
        let clean = Payload { poison: false, ..payload }.registers(place);
        assert!(clean[128..].iter().all(|byte| *byte == 0));
    }
}
