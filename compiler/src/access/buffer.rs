//! Which bytes of a buffer each group of kernel threads has to itself.

use super::affine::Affine;
use super::cells::{Cells, Stripes, steps};
use crate::ir::{Grid, Location};

/// One access of a kernel to a buffer.
#[derive(Clone, Debug)]
pub(super) struct BufferAccess {
    /// Which argument.
    pub(super) argument: usize,
    /// Whether it writes.
    pub(super) writes: bool,
    /// What it touches.
    pub(super) reach: Reach,
    /// The line of the kernel.
    pub(super) location: Location,
}

/// What an access touches.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reach {
    /// A block whose first byte depends on the thread's coordinates only.
    Block { start: Affine, bytes: usize, alignment: usize },
    /// That depends on data.
    Anywhere,
}

/// What a group of threads has to itself of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    writes: bool,
    cells: Cells,
    bytes: Stripes,
}

impl Segment {
    /// Whether a block of `bytes` bytes from `offset` on is part of what the group of the thread at column and
    /// row `origin` has to itself; `z` is the third coordinate of the thread.
    #[inline(always)]
    #[must_use]
    pub fn covers(&self, origin: [u32; 2], z: impl FnOnce() -> u32, offset: u32, bytes: usize) -> bool {
        // Offsets are followed as signed numbers; those below zero are outside of every buffer.
        !self.writes || self.bytes.covers(self.cells.group(origin, z), offset as i32, bytes)
    }

    /// Whether the kernel writes at all.
    #[must_use]
    pub const fn writes(&self) -> bool {
        self.writes
    }
}

/// The parts of a buffer that the groups of threads have to themselves: no byte that one of them writes is
/// touched by another.
///
/// The offsets of all accesses must grow by the same step from group to group, along each axis, and groups must
/// be apart by these steps.
pub(super) fn segment<'a>(
    accesses: impl Iterator<Item = &'a BufferAccess> + Clone,
    grid: Grid,
) -> Option<Segment> {
    let cells = Cells::of(grid);
    if !accesses.clone().any(|access| access.writes) {
        // Nobody writes it, so any thread may read all of it.
        return Some(Segment { writes: false, cells, bytes: Stripes { steps: [0; 3], low: 0, high: 0 } });
    }
    let mut all: Option<Stripes> = None;
    // Reads count as well: no other group may write what this one reads.
    for access in accesses {
        let Reach::Block { start, bytes, .. } = access.reach else { return None };
        let (low, last) = start.range_in_group(grid);
        let own = Stripes { steps: steps(start.group, grid), low, high: last.saturating_add(bytes as i64) };
        all = Some(all.map_or(Some(own), |all| all.joined(own))?);
    }
    let bytes = all?;
    let told = (0..3).all(|axis| bytes.tells(axis, grid));
    (told && bytes.are_apart(grid)).then_some(Segment { writes: true, cells, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(writes: bool, x: i64, y: i64, constant: i64, bytes: usize) -> BufferAccess {
        let reach = Reach::Block {
            start: Affine { group: [x, y, 0], local: [0; 3], constant },
            bytes,
            alignment: 16,
        };
        let location = Location { file: "k.rs".into(), line: 1, column: 1 };
        BufferAccess { argument: 0, writes, reach, location }
    }

    fn proven(accesses: &[BufferAccess], width: u32, height: u32) -> bool {
        segment(accesses.iter(), Grid::single([width, height, 1])).is_some()
    }

    /// The same as [`proven_segments_are_apart`], of groups of several threads along all axes.
    #[test]
    fn proven_segments_of_groups_are_apart() {
        let (mut numbers, mut found) = (crate::interpret::cases::RandomNumbers::new(), 0);
        for _ in 0..4000 {
            let mut pick = |from: &[i64]| from[numbers.next() as usize % from.len()];
            let [groups, local] = [(); 2].map(|()| [(); 3].map(|()| pick(&[1, 1, 2, 3]) as u32));
            let grid = Grid { groups, local };
            let group = [(); 3].map(|()| pick(&[0, 16, 32, 48, 96, 192, -64]));
            let local = [(); 3].map(|()| pick(&[0, 16, 32, -16]));
            let start = Affine { group, local, constant: 0 };
            let access = BufferAccess {
                reach: Reach::Block { start, bytes: 16, alignment: 16 },
                ..block(true, 0, 0, 0, 16)
            };
            let Some(segment) = segment([access].iter(), grid) else { continue };
            let mut owners = std::collections::HashMap::new();
            for number in 0..grid.group_count() {
                for thread in 0..grid.group_size() {
                    let origin = grid.origin(number, thread);
                    let at = |axis: usize, of: u32| {
                        let (group, own) = (origin[axis] / of, origin[axis] % of);
                        start.group[axis] * i64::from(group) + start.local[axis] * i64::from(own)
                    };
                    let offset: i64 = (0..3).map(|axis| at(axis, grid.local[axis])).sum();
                    let [x, y, z] = origin;
                    assert!(segment.covers([x, y], || z, offset as u32, 16), "{grid:?} {start:?}");
                    assert!(!segment.covers([x, y], || z, (offset + (1 << 20)) as u32, 16));
                    assert_eq!(*owners.entry(offset).or_insert(number), number, "{grid:?} {start:?}");
                }
            }
            found += 1;
        }
        assert!(found > 100, "{found}");
    }

    /// What is proven is so: no two threads touch the same byte, by trying all of them.
    #[test]
    fn proven_segments_are_apart() {
        for (x, y, bytes) in
            [(16, 64, 16), (64, 16, 16), (16, 48, 16), (-32, 128, 32), (0, 32, 32), (8, 0, 16)]
        {
            for (width, height) in [(1, 1), (4, 1), (1, 4), (4, 4), (3, 4), (2, 5)] {
                let mut seen = std::collections::HashSet::new();
                let mut apart = true;
                for (column, row) in (0..height).flat_map(|row| (0..width).map(move |column| (column, row))) {
                    let start = x * column as i64 + y * row as i64;
                    for byte in start..start + bytes {
                        apart &= seen.insert(byte);
                    }
                }
                let accesses = [block(true, x, y, 0, bytes as usize)];
                assert_eq!(proven(&accesses, width, height), apart, "{x} {y} {bytes} in {width} x {height}");
            }
        }
    }

    #[test]
    fn all_accesses_count() {
        let write = block(true, 32, 0, 0, 16);
        assert!(proven(&[write.clone(), block(false, 32, 0, 16, 16)], 9, 1));
        assert!(!proven(&[write.clone(), block(false, 32, 0, 32, 16)], 9, 1));
        assert!(!proven(&[write.clone(), block(false, 16, 0, 0, 16)], 9, 1));
        assert!(!proven(
            &[write.clone(), BufferAccess { reach: Reach::Anywhere, ..block(false, 0, 0, 0, 4) }],
            9,
            1
        ));
        assert!(
            proven(&[BufferAccess { reach: Reach::Anywhere, ..block(false, 0, 0, 0, 4) }], 9, 9),
            "only read"
        );
        let found = segment([write, block(false, 32, 0, 16, 16)].iter(), Grid::single([9, 1, 1])).unwrap();
        let covers = |x, bytes| found.covers([x, 0], || 0, 64, bytes);
        assert!(covers(2, 32) && !covers(2, 33) && !covers(1, 16));
    }
}
