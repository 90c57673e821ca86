//! The address space of a batch: its buffers at the addresses that the driver chose.

use std::sync::Arc;

use super::buffers::Buffer;
use crate::memory::{Memory, Span};

/// Addresses have 48 bits. The other bits repeat the highest one.
const ADDRESS_BITS: u64 = (1 << 48) - 1;

/// The bytes at an address, in the memory of the program.
#[derive(Clone, Copy, Debug)]
struct Range {
    address: u64,
    size: u64,
    first: *mut u8,
}

/// Two different buffers at the same addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overlap(pub(super) u64);

/// An address space.
#[derive(Debug)]
pub(super) struct AddressSpace {
    /// Sorted by address and disjoint. Neighbours that are also contiguous in the memory of the program form
    /// one range.
    ranges: Vec<Range>,
    /// The buffers of the ranges.
    buffers: Vec<Arc<Buffer>>,
}

// SAFETY: the ranges are those of the buffers, which may be shared and are kept alive.
unsafe impl Send for AddressSpace {}
// SAFETY: as above.
unsafe impl Sync for AddressSpace {}

impl AddressSpace {
    /// Creates an address space. Buffers at the same addresses must be the same memory.
    pub(super) fn new(placed: Vec<(u64, Arc<Buffer>)>) -> Result<Self, Overlap> {
        let mut sorted: Vec<Range> = placed
            .iter()
            .map(|(address, buffer)| Range {
                address: address & ADDRESS_BITS,
                size: buffer.size,
                first: buffer.first(),
            })
            .collect();
        sorted.sort_by_key(|range| range.address);
        let mut ranges: Vec<Range> = Vec::with_capacity(sorted.len());
        for next in sorted {
            if let Some(last) = ranges.last_mut() {
                let distance = next.address - last.address;
                let continues = last.first.wrapping_add(distance as usize) == next.first;
                if distance < last.size && !continues {
                    return Err(Overlap(next.address));
                }
                if distance <= last.size && continues {
                    last.size = last.size.max(distance + next.size);
                    continue;
                }
            }
            ranges.push(next);
        }
        Ok(Self { ranges, buffers: placed.into_iter().map(|(_, buffer)| buffer).collect() })
    }

    /// Its buffers.
    pub(super) fn buffers(&self) -> &[Arc<Buffer>] {
        &self.buffers
    }
}

impl Memory for AddressSpace {
    fn at(&self, address: u64) -> Option<Span<'_>> {
        let address = address & ADDRESS_BITS;
        let behind = self.ranges.partition_point(|range| range.address <= address);
        let range = self.ranges[..behind].last()?;
        let offset = address - range.address;
        let left = range.size.checked_sub(offset).filter(|left| *left > 0)?;
        let first = range.first.wrapping_add(offset as usize);
        // SAFETY: the bytes belong to buffers that this address space keeps alive. Memory of the node is
        // mapped until the buffer is dropped; memory of the program was checked to be mapped, and the driver
        // keeps it while a batch uses it. There are no references to it in this program: the driver is in
        // C++, and the kernel driver interface uses addresses.
        Some(unsafe { Span::new(first, left as usize) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffers::{PAGE, VideoMemory};
    use super::*;

    fn buffers() -> (Arc<Buffer>, Arc<Buffer>) {
        let (memory, _descriptor) = VideoMemory::new().expect("memory");
        let memory = Arc::new(memory);
        let buffer = |handle, size| Arc::new(Buffer::new(&memory, handle, size).expect("a buffer"));
        (buffer(1, 4 * PAGE), buffer(2, PAGE))
    }

    fn left(space: &AddressSpace, address: u64) -> Option<usize> {
        space.at(address).map(|span| span.len())
    }

    #[test]
    fn addresses_lead_to_buffers() {
        let (large, small) = buffers();
        let space = AddressSpace::new(vec![(0x8000, small), (0x1_0000, large)]).expect("no overlap");
        assert_eq!(left(&space, 0x7fff), None);
        assert_eq!(left(&space, 0x8000), Some(4096));
        assert_eq!(left(&space, 0x8fff), Some(1));
        assert_eq!(left(&space, 0x9000), None);
        assert_eq!(left(&space, 0x1_3ff0), Some(16));
        assert_eq!(left(&space, 0x1_4000), None);
        // The highest bits repeat bit 47.
        assert_eq!(left(&space, 0xffff_0000_0000_8000), Some(4096));
    }

    #[test]
    fn neighbours_in_both_memories_are_one() {
        let (large, _) = buffers();
        let address = large.first() as u64;
        let part = |handle, page| {
            Arc::new(Buffer::of_program(handle, address + page * PAGE, PAGE).expect("a buffer"))
        };
        let space = AddressSpace::new(vec![
            (0x2000, part(3, 1)),
            (0x1000, part(2, 0)),
            (0x3000, part(4, 3)), // contiguous only on the GPU
        ])
        .expect("no overlap");
        assert_eq!(left(&space, 0x1000), Some(8192));
        assert_eq!(left(&space, 0x2004), Some(4092));
        assert_eq!(left(&space, 0x3000), Some(4096));
    }

    #[test]
    fn overlaps_must_be_the_same_memory() {
        let (large, small) = buffers();
        let again = Arc::new(Buffer::of_program(3, large.first() as u64 + PAGE, PAGE).expect("a buffer"));
        let same =
            AddressSpace::new(vec![(0x1000, Arc::clone(&large)), (0x2000, again)]).expect("the same memory");
        assert_eq!(left(&same, 0x2000), Some(3 * 4096));
        let other = AddressSpace::new(vec![(0x1000, large), (0x2000, small)]).expect_err("other memory");
        assert_eq!(other, Overlap(0x2000));
    }
}
