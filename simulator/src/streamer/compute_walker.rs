//! `COMPUTE_WALKER`, the walker since Xe-HPG: it contains its interface descriptor, threads load their
//! arguments themselves, and it may write to memory when it has ended. Sources:
//! `hw_cmds_generated_xe_hpg_core.inl` and `command_encoder_xehp_and_later.inl` of Intel's compute-runtime.

use super::descriptor::{Descriptor, Walker, bits};
use super::error::Error;

/// The order of axes in which ids increase, by the number in the command (`hw_walk_order.h`).
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]];

/// The write after a walker has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    Nothing,
    /// A number.
    Number {
        address: u64,
        number: u64,
    },
    /// The begin and end times.
    Times {
        address: u64,
    },
}

/// Work item ids that the hardware gives to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ids {
    /// Work items of a group, for x, y and z.
    size: [u32; 3],
    order: [usize; 3],
}

/// The fields of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ComputeWalker {
    pub(super) walker: Walker,
    pub(super) descriptor: Descriptor,
    pub(super) ids: Option<Ids>,
    /// Arguments that are passed in a register.
    pub(super) inline: Option<[u32; 8]>,
    pub(super) after: After,
}

impl ComputeWalker {
    /// The number of words of the command.
    pub(super) const WORDS: usize = 39;

    pub(super) fn decode(c: &[u32; Self::WORDS]) -> Result<Self, Error> {
        let unsupported = |what, number| Err(Error::Unsupported { what, number });
        if bits(c[0], 9, 1) == 1 {
            return unsupported("COMPUTE_WALKER with partitions", c[0]);
        }
        if bits(c[4], 19, 3) != 0 {
            return unsupported("COMPUTE_WALKER with tiles of work items", c[4]);
        }
        let descriptor = [18, 19, 20, 21, 22, 23, 24, 25].map(|word| c[word]);
        let walker = Walker {
            descriptor: 0,
            indirect: (bits(c[2], 0, 17), c[3] & !63),
            begin: [c[10], c[11], c[12]],
            end: [0, 1, 2].map(|axis| c[10 + axis].saturating_add(c[7 + axis])),
            end_in_registers: bits(c[0], 10, 1) == 1,
            channels: 8 << bits(c[4], 30, 2).min(2),
            threads: [bits(descriptor[5], 0, 10).max(1), 1, 1],
            right: c[5],
            bottom: u32::MAX,
        };
        let generates = bits(c[4], 29, 1) == 1;
        let ids = match (generates, bits(c[4], 26, 3)) {
            (false, 0) => None,
            (true, 7) => Some(Ids {
                size: [0, 10, 20].map(|low| bits(c[6], low, 10) + 1),
                order: match ORDERS.get(bits(c[4], 22, 3) as usize) {
                    Some(order) => *order,
                    None => return unsupported("COMPUTE_WALKER with an order of ids", c[4]),
                },
            }),
            _ => return unsupported("COMPUTE_WALKER with some ids of work items", c[4]),
        };
        let address = u64::from(c[28]) << 32 | u64::from(c[27]);
        let after = match bits(c[26], 0, 2) {
            0 => After::Nothing,
            1 => After::Number { address, number: u64::from(c[30]) << 32 | u64::from(c[29]) },
            3 => After::Times { address },
            _ => return unsupported("COMPUTE_WALKER with a write at its end", c[26]),
        };
        let inline = (bits(c[4], 25, 1) == 1).then(|| [0, 1, 2, 3, 4, 5, 6, 7].map(|word| c[31 + word]));
        Ok(Self { walker, descriptor: described(&descriptor), ids, inline, after })
    }
}

/// The interface descriptor. Threads handle payloads and their locations themselves.
fn described(d: &[u32; 8]) -> Descriptor {
    let shared = bits(d[5], 16, 5);
    Descriptor {
        kernel: u64::from(d[0] & !63),
        alternative_floats: bits(d[2], 16, 1) == 1,
        keep_denormals: bits(d[2], 19, 1) == 1,
        samplers: d[3] & !31,
        binding_table: d[4] & 0x1f_ffe0,
        prefetched: bits(d[4], 0, 5),
        per_thread: 0,
        per_thread_offset: 0,
        cross_thread: 0,
        shared: if shared == 0 { 0 } else { 512 << shared.min(16) },
        barrier: bits(d[5], 28, 3) > 0,
    }
}

impl Ids {
    /// The registers of all threads: for each axis, a word for each channel.
    pub(super) fn registers(self, threads: u32, channels: u32, register: usize) -> Vec<u8> {
        let axis_bytes = (2 * channels as usize).next_multiple_of(register);
        let mut bytes = vec![0; 3 * axis_bytes * threads as usize];
        let items: u32 = self.size.iter().product();
        for item in 0..items.min(threads * channels) {
            let (thread, channel) = ((item / channels) as usize, (item % channels) as usize);
            let mut left = item;
            for axis in self.order {
                let id = (left % self.size[axis]) as u16;
                left /= self.size[axis];
                let at = (3 * thread + axis) * axis_bytes + 2 * channel;
                bytes[at..at + 2].copy_from_slice(&id.to_le_bytes());
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> [u32; ComputeWalker::WORDS] {
        let mut c = [0; ComputeWalker::WORDS];
        c[0] = 0x7208_0025;
        (c[2], c[3]) = (96, 0x1040);
        c[4] = 1 << 30 | 1 << 25 | 1 << 29 | 7 << 26 | 2 << 22;
        c[5] = 0x00ff;
        c[6] = 3 | 7 << 10;
        (c[7], c[8], c[9]) = (3, 2, 1);
        (c[10], c[11], c[12]) = (1, 0, 5);
        (c[18], c[20], c[21], c[22]) = (0x1234_5678, 1 << 19, 0x47, 0x12_3445);
        c[23] = 4 | 3 << 16 | 1 << 28;
        (c[26], c[27], c[28]) = (3, 0x2000, 0x12);
        c[31] = 7;
        c
    }

    #[test]
    fn a_walker() {
        let found = ComputeWalker::decode(&command()).expect("a walker");
        let ComputeWalker { walker, descriptor, ids, inline, after } = found;
        assert_eq!((walker.indirect, walker.extent()), ((96, 0x1040), [3, 2, 1]));
        assert_eq!((walker.group(0), walker.group(5)), ([1, 0, 5], [3, 1, 5]));
        assert_eq!((walker.channels, walker.group_threads()), (16, 4));
        assert_eq!((walker.mask(0), walker.mask(3)), (0xffff, 0x00ff));
        assert_eq!((descriptor.kernel, descriptor.keep_denormals), (0x1234_5640, true));
        assert_eq!(
            (descriptor.samplers, descriptor.binding_table, descriptor.prefetched),
            (0x40, 0x12_3440, 5)
        );
        assert_eq!((descriptor.shared, descriptor.barrier), (4096, true));
        assert_eq!(ids, Some(Ids { size: [4, 8, 1], order: [1, 0, 2] }));
        assert_eq!(
            (inline, after),
            (Some([7, 0, 0, 0, 0, 0, 0, 0]), After::Times { address: 0x12_0000_2000 })
        );
        let mut plain = command();
        (plain[4], plain[26], plain[29]) = (2 << 30, 1, 9);
        let plain = ComputeWalker::decode(&plain).expect("a walker");
        assert_eq!((plain.ids, plain.inline, plain.walker.channels), (None, None, 32));
        assert_eq!(plain.after, After::Number { address: 0x12_0000_2000, number: 9 });
    }

    #[test]
    fn what_is_not_there_is_said() {
        for (word, value, said) in [
            (0, 1 << 9, "partitions"),
            (4, 1 << 19, "tiles"),
            (4, 1 << 29 | 7 << 26 | 7 << 22, "an order"),
            (4, 1 << 29 | 1 << 26, "some ids"),
            (26, 2, "a write"),
        ] {
            let mut c = command();
            c[word] = value;
            let error = ComputeWalker::decode(&c).expect_err("a fault").to_string();
            assert!(error.contains(said) && error.contains("not supported"), "{error}");
        }
    }

    #[test]
    fn ids_run_in_their_order() {
        let ids = Ids { size: [2, 4, 3], order: [1, 0, 2] };
        let bytes = ids.registers(2, 16, 32);
        assert_eq!(bytes.len(), 2 * 3 * 32);
        let id = |thread: usize, axis: usize, channel: usize| bytes[(3 * thread + axis) * 32 + 2 * channel];
        let of = |item: usize| [0, 1, 2].map(|axis| id(item / 16, axis, item % 16));
        assert_eq!([of(0), of(1), of(4), of(7), of(8)], [[0; 3], [0, 1, 0], [1, 0, 0], [1, 3, 0], [0, 0, 1]]);
        assert_eq!((of(16), of(23), of(24)), ([0, 0, 2], [1, 3, 2], [0; 3]));
        // With eight channels, each axis also has its own register.
        assert_eq!(ids.registers(1, 8, 32).len(), 3 * 32);
        assert_eq!(ids.registers(1, 32, 32).len(), 3 * 64);
    }
}
