//! The bytes of a buffer that each group of kernel threads owns: no other group accesses them.

use std::collections::BTreeSet;

use super::affine::Affine;
use super::cells::{Cells, Stripes};
use super::levels::{Levels, Rounding};
use super::merge::Merge;
use super::obstacle::Obstacle;
use crate::ir::{Grid, Location};
use crate::limits::DWORD;

/// One access of a kernel to a buffer.
#[derive(Clone, Debug)]
pub(super) struct BufferUse {
    /// The argument.
    pub(super) argument: usize,
    /// Whether it writes.
    pub(super) writes: bool,
    /// The bytes that it accesses.
    pub(super) reach: Reach,
    /// How changed copies are combined, if the order of such accesses does not affect the result.
    pub(super) merge: Option<Merge>,
    /// Why it is not known which bytes these are, if it is not.
    pub(super) obstacle: Obstacle,
    /// The line of the kernel.
    pub(super) location: Location,
}

/// The bytes that an access touches.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reach {
    /// A block whose first byte depends only on the thread's coordinates, and is rounded down to the alignment.
    Block { start: Affine, bytes: usize, alignment: usize },
    /// Rows of this size, from this byte column and row on, of a picture with this pitch. The bytes outside its rows
    /// are not accessed. The column is rounded down to a dword.
    Rows { x: Affine, y: Affine, width: usize, rows: usize, pitch: i64 },
    /// Bytes that depend on data.
    Anywhere,
}

impl Reach {
    /// The blocks of neighbouring bytes that contain it: the start and the bytes of each; `None` if they depend on
    /// data.
    pub(super) fn blocks(self) -> Option<Vec<(Affine, usize)>> {
        match self.rounded()? {
            Self::Block { start, bytes, .. } => Some(vec![(start, bytes)]),
            Self::Rows { x, y, width, rows, pitch } => {
                let first = x.add(y.scaled(pitch)?)?;
                let below = |row| first.add(Affine::constant(pitch.checked_mul(row)?));
                (0..rows as i64).map(|row| Some((below(row)?, width))).collect()
            }
            Self::Anywhere => None,
        }
    }

    /// The bytes that it may touch after rounding: more than its own if the remainders differ. `None` if the numbers exceed
    /// their type.
    fn rounded(self) -> Option<Self> {
        Some(match self {
            Self::Block { start, bytes, alignment } => {
                let (start, more) = start.rounded_down(alignment as i64)?;
                Self::Block { start, bytes: bytes + more, alignment }
            }
            Self::Rows { x, y, width, rows, pitch } => {
                let (x, more) = x.rounded_down(DWORD as i64)?;
                Self::Rows { x, y, width: width + more, rows, pitch }
            }
            Self::Anywhere => Self::Anywhere,
        })
    }
}

/// The part of a buffer that a group of threads owns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    writes: bool,
    cells: Cells,
    /// The offsets of bytes.
    levels: Levels,
    /// Whether the buffer is a picture, none of whose rows continues in the next one.
    bounded: bool,
}

impl Segment {
    /// Whether a block of `bytes` bytes from `offset` on is in the part owned by the group of the thread at column and
    /// row `origin`; `z` is the third coordinate of the thread.
    #[inline(always)]
    #[must_use]
    pub fn covers(&self, origin: [u32; 2], z: impl FnOnce() -> u32, offset: u32, bytes: usize) -> bool {
        if !self.writes {
            return true;
        }
        let group = self.cells.group(origin, z);
        // Offsets are followed as signed numbers; negative offsets are outside every buffer.
        match self.bounded {
            false => self.levels.covers(group, offset as i32, bytes),
            true => self.levels.covers_in_picture(group, offset as i32, bytes),
        }
    }

    /// The bytes, from one up to but not including another, that the thread at column `x` and row `y` and the threads to its
    /// right, `count` together, own. `None` if what they own has gaps, or if threads are in groups.
    #[must_use]
    pub fn of_row(&self, [x, y]: [u32; 2], count: u32) -> Option<[i64; 2]> {
        let [first, last] = self.cells.ends_of_row([x, y], count)?;
        self.levels.together(first, last)
    }

    /// Whether the kernel writes at all.
    #[inline]
    #[must_use]
    pub const fn writes(&self) -> bool {
        self.writes
    }
}

/// The parts of a buffer that the groups of threads own: no group accesses a byte that another group writes.
///
/// The offsets of all accesses must grow by the same step from group to group, along each axis, and these steps must
/// separate the groups. If this fails, the buffer is treated as a picture whose pitch is a distance between accesses of
/// a thread, or of neighbouring threads; or as planes of rows, and so on.
pub(super) fn segment<'a>(
    accesses: impl Iterator<Item = &'a BufferUse> + Clone,
    grid: Grid,
) -> Option<Segment> {
    let cells = Cells::of(grid);
    if !accesses.clone().any(|access| access.writes) {
        // No thread writes it, so any thread may read all of it.
        return Some(Segment { writes: false, cells, levels: Levels::NONE, bounded: false });
    }
    if let Some(segment) = picture(accesses.clone(), grid) {
        return Some(segment);
    }
    // Reads count as well: no other group may write the bytes that this group reads.
    let blocks = accesses.map(|access| access.reach.blocks()).collect::<Option<Vec<_>>>()?.concat();
    levels(&blocks, grid).map(|levels| Segment { writes: true, cells, levels, bounded: false })
}

/// The bytes of groups that access these blocks, if no two groups have a byte in common.
pub(super) fn levels(blocks: &[(Affine, usize)], grid: Grid) -> Option<Levels> {
    let nested = std::iter::once(vec![]).chain(pitches(blocks, grid));
    let mut levels = nested
        .flat_map(|pitches| Rounding::ALL.map(|rounding| Levels::of(blocks, &pitches, rounding, grid)))
        .flatten();
    levels.find(|levels| (0..3).all(|axis| levels.tell(axis, grid)))
}

/// The parts of a buffer that is accessed only as one picture.
fn picture<'a>(mut accesses: impl Iterator<Item = &'a BufferUse>, grid: Grid) -> Option<Segment> {
    let mut all: Option<(i64, Stripes, Stripes)> = None;
    accesses.try_for_each(|access| {
        let Reach::Rows { x, y, width, rows, pitch } = access.reach.rounded()? else { return None };
        let (mut columns, mut lines) = (Stripes::of(x, width, grid), Stripes::of(y, rows, grid));
        if let Some((other, all_columns, all_lines)) = all {
            (columns, lines) = (all_columns.joined(columns)?, all_lines.joined(lines)?);
            if other != pitch {
                return None;
            }
        }
        all = Some((pitch, columns, lines));
        Some(())
    })?;
    let (pitch, columns, rows) = all.filter(|(pitch, ..)| *pitch > 0)?;
    let cells = Cells::of(grid);
    let levels = Levels::picture(columns, pitch, rows);
    let told = (0..3).all(|axis| levels.tell(axis, grid));
    told.then_some(Segment { writes: true, cells, levels, bounded: true })
}

/// The number of pitches that are tried, the smallest first.
const PITCHES: usize = 16;

/// The possible pitches: first single ones, which are the distances between accesses of a thread, and of neighbouring
/// threads; then the strides of all coordinates and loops from one stride on, with or without the smallest distance between
/// accesses of a thread.
fn pitches(blocks: &[(Affine, usize)], grid: Grid) -> impl Iterator<Item = Vec<i64>> {
    let longest = blocks.iter().map(|(_, bytes)| *bytes as i64).max().unwrap_or(0).max(1);
    let long = |all: &mut dyn Iterator<Item = i64>| -> BTreeSet<i64> {
        all.map(i64::saturating_abs).filter(|pitch| *pitch >= longest).collect()
    };
    let distances =
        long(&mut blocks.iter().map(|(start, _)| start.constant.saturating_sub(blocks[0].0.constant)));
    let strides = long(&mut blocks.iter().flat_map(|(start, _)| start.strides(grid)));
    let single: BTreeSet<i64> = strides.union(&distances).copied().collect();
    let single = single.into_iter().take(PITCHES).map(|pitch| vec![pitch]);
    let mut with_distance = strides.clone();
    with_distance.extend(distances.first());
    let several = [strides, with_distance].into_iter().flat_map(|all| {
        let all: Vec<i64> = all.into_iter().collect();
        (2..=all.len().min(Levels::DEEPEST)).map(move |depth| all[all.len() - depth..].to_vec())
    });
    single.chain(several)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::steps::Steps;
    use super::*;

    /// A write of a block from here on.
    pub(in super::super) fn written(start: Affine, bytes: usize) -> BufferUse {
        BufferUse { reach: Reach::Block { start, bytes, alignment: 16 }, ..block(true, 0, 0, 0, 0) }
    }

    /// Whether these blocks are proven to be disjoint, and with how many pitches. Asserts that a proof holds: no two groups
    /// have a byte in common, each group may access its own bytes, and none may access those of another group.
    pub(in super::super) fn apart(accesses: &[BufferUse], grid: Grid) -> Option<usize> {
        let segment = segment(accesses.iter(), grid)?;
        let mut owners = rustc_hash::FxHashMap::default();
        let groups = || (0..grid.group_count()).flat_map(|n| (0..grid.group_size()).map(move |m| (n, m)));
        for (number, thread) in groups() {
            let origin @ [x, y, z] = grid.origin(number, thread);
            for (start, bytes) in accesses.iter().filter_map(|access| access.reach.blocks()).flatten() {
                let at = |axis: usize, of: u32| {
                    let (group, own) = (origin[axis] / of, origin[axis] % of);
                    start.group[axis] * i64::from(group) + start.local[axis] * i64::from(own)
                };
                let first = start.constant + (0..3).map(|axis| at(axis, grid.local[axis])).sum::<i64>();
                for offset in start.steps.numbers().iter().map(|step| first + step) {
                    assert!(
                        segment.covers([x, y], || z, offset as u32, bytes),
                        "{grid:?} {start:?}: {offset} of {number}"
                    );
                    for byte in offset..offset + bytes as i64 {
                        let owner = *owners.entry(byte).or_insert(number);
                        assert_eq!(owner, number, "{grid:?} {start:?}: {byte}");
                    }
                }
            }
        }
        for number in 0..grid.group_count() {
            let [x, y, z] = grid.origin(number, 0);
            for (byte, owner) in &owners {
                let covered = segment.covers([x, y], || z, *byte as u32, 1);
                assert!(
                    !covered || *owner == number,
                    "{grid:?} {accesses:?}: {byte} of {owner} and {number}"
                );
            }
        }
        Some(segment.levels.depth())
    }

    fn block(writes: bool, x: i64, y: i64, constant: i64, bytes: usize) -> BufferUse {
        let reach = Reach::Block {
            start: Affine { group: [x, y, 0], ..Affine::constant(constant) },
            bytes,
            alignment: 16,
        };
        let location = Location { file: "k.rs".into(), line: 1, column: 1 };
        BufferUse { argument: 0, writes, reach, merge: None, obstacle: Obstacle::Overlap, location }
    }

    /// The bytes of a row of threads are those that one of them owns; there are none only where these have gaps.
    #[test]
    fn rows_of_threads_own_what_their_threads_own() {
        let grid = Grid::single([5, 3, 1]);
        for (x, y, bytes, gaps) in
            [(16, 80, 16, false), (-16, 80, 16, false), (32, 160, 16, true), (48, 16, 16, true)]
        {
            let own = segment([block(true, x, y, 64, bytes)].iter(), grid).expect("a proof");
            for (column, count, row) in [(0, 5, 0), (1, 3, 2), (4, 1, 1)] {
                let owned: Vec<i64> = (0..640)
                    .filter(|at| (column..column + count).any(|c| own.covers([c, row], || 0, *at, 1)))
                    .map(i64::from)
                    .collect();
                match own.of_row([column, row], count) {
                    Some([low, high]) => {
                        assert_eq!(owned, (low..high).collect::<Vec<_>>(), "{x} {y} {column}");
                    }
                    None => assert!(gaps && count > 1, "{x} {y} {column}"),
                }
            }
        }
    }

    fn proven(accesses: &[BufferUse], width: u32, height: u32) -> bool {
        segment(accesses.iter(), Grid::single([width, height, 1])).is_some()
    }

    /// Like [`proven_segments_are_apart`], for groups of several threads along all axes.
    #[test]
    fn proven_segments_of_groups_are_apart() {
        let (mut numbers, mut found) = (crate::interpret::cases::RandomNumbers::new(), 0);
        for _ in 0..4000 {
            let mut pick = |from: &[i64]| from[numbers.next() as usize % from.len()];
            let [groups, local] = [(); 2].map(|()| [(); 3].map(|()| pick(&[1, 1, 2, 3]) as u32));
            let grid = Grid { groups, local };
            let group = [(); 3].map(|()| pick(&[0, 16, 32, 48, 96, 192, -64]));
            let local = [(); 3].map(|()| pick(&[0, 16, 32, -16]));
            let start = Affine { group, local, ..Affine::constant(0) };
            let access = BufferUse {
                reach: Reach::Block { start, bytes: 16, alignment: 16 },
                ..block(true, 0, 0, 0, 16)
            };
            let Some(segment) = segment([access].iter(), grid) else { continue };
            let mut owners = rustc_hash::FxHashMap::default();
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

    /// Proofs for pictures hold: rows with a pitch, columns of threads, several rows and a loop for each.
    #[test]
    fn proven_parts_of_pictures_are_apart() {
        let (mut numbers, mut found, mut left) = (crate::interpret::cases::RandomNumbers::new(), 0, 0);
        for _ in 0..6000 {
            let mut pick = |from: &[i64]| from[numbers.next() as usize % from.len()];
            let pitch = pick(&[64, 96, 128, 100, 256]);
            let grid = Grid { groups: [pick(&[1, 2, 4]) as u32, pick(&[1, 2, 3]) as u32, 1], local: [1; 3] };
            let (width, rows) = (pick(&[16, 32, 48]), pick(&[1, 2, 4]));
            let group = [pick(&[width, 32, -width, 0]), pick(&[rows, 1, 3]) * pitch + pick(&[0, 0, 16]), 0];
            let (spread, stride) = [(0, 0), (2 * pitch, pitch), (16, 16)][numbers.next() as usize % 3];
            let steps = Steps::of(stride, spread);
            let starts: Vec<Affine> =
                (0..rows).map(|row| Affine { group, steps, ..Affine::constant(row * pitch + 32) }).collect();
            let accesses: Vec<BufferUse> = starts
                .iter()
                .map(|start| BufferUse {
                    reach: Reach::Block { start: *start, bytes: width as usize, alignment: 16 },
                    ..block(true, 0, 0, 0, 0)
                })
                .collect();
            let Some(segment) = segment(accesses.iter(), grid) else {
                left += 1;
                continue;
            };
            found += usize::from(segment.levels.depth() > 0);
            let mut owners = rustc_hash::FxHashMap::default();
            for number in 0..grid.group_count() {
                let [x, y, _] = grid.origin(number, 0);
                for start in &starts {
                    let place = start.constant + group[0] * i64::from(x) + group[1] * i64::from(y);
                    for round in steps.numbers() {
                        let offset = (place + round) & !15;
                        assert!(segment.covers([x, y], || 0, offset as u32, width as usize), "{starts:?}");
                        for byte in offset..offset + width {
                            assert_eq!(*owners.entry(byte).or_insert(number), number, "{grid:?} {starts:?}");
                        }
                    }
                }
            }
            // No thread may access the part of another thread.
            for number in 0..grid.group_count() {
                let [x, y, _] = grid.origin(number, 0);
                for (byte, owner) in &owners {
                    let covered = segment.covers([x, y], || 0, *byte as u32, 1);
                    assert!(!covered || *owner == number, "{grid:?} {starts:?} {byte}");
                }
            }
        }
        assert!(found > 300 && left > 300, "{found} proven, {left} not");
    }

    /// Proofs hold: no two threads access the same byte. The test tries all threads.
    #[test]
    fn proven_segments_are_apart() {
        for (x, y, bytes) in
            [(16, 64, 16), (64, 16, 16), (16, 48, 16), (-32, 128, 32), (0, 32, 32), (8, 0, 16)]
        {
            for (width, height) in [(1, 1), (4, 1), (1, 4), (4, 4), (3, 4), (2, 5)] {
                let mut seen = rustc_hash::FxHashSet::default();
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

    /// Proofs for 2-D blocks hold, also if blocks reach beyond the rows: no two threads access the same byte of the
    /// picture, and each thread may make its accesses.
    #[test]
    fn proven_parts_of_2d_blocks_are_apart() {
        let (mut numbers, mut found, mut left) = (crate::interpret::cases::RandomNumbers::new(), 0, 0);
        for _ in 0..4000 {
            let mut pick = |from: &[i64]| from[numbers.next() as usize % from.len()];
            let (pitch, width, rows) = (pick(&[64, 80, 96]), pick(&[16, 32, 48]), pick(&[1, 2, 8]));
            let grid = Grid { groups: [pick(&[1, 2, 4]) as u32, pick(&[1, 3]) as u32, 1], local: [1; 3] };
            let x = Affine {
                group: [pick(&[width, 32, 0, -16]), pick(&[0, 0, 32]), 0],
                ..Affine::constant(pick(&[0, -16]))
            };
            let y = Affine {
                group: [pick(&[0, 0, rows]), pick(&[rows, 1, 8]), 0],
                ..Affine::constant(pick(&[0, -1]))
            };
            let reach = Reach::Rows { x, y, width: width as usize, rows: rows as usize, pitch };
            let access = BufferUse { reach, ..block(true, 0, 0, 0, 0) };
            let Some(segment) = segment([access].iter(), grid) else {
                left += 1;
                continue;
            };
            found += usize::from(segment.bounded);
            let mut owners = rustc_hash::FxHashMap::default();
            for number in 0..grid.group_count() {
                let [gx, gy, _] = grid.origin(number, 0);
                let at = |affine: Affine| {
                    affine.constant + affine.group[0] * i64::from(gx) + affine.group[1] * i64::from(gy)
                };
                for row in (at(y)..at(y) + rows).filter(|row| (0..16).contains(row)) {
                    let (from, to) = (at(x).max(0), (at(x) + width).min(pitch));
                    if from < to {
                        let offset = (row * pitch + from) as u32;
                        assert!(
                            segment.covers([gx, gy], || 0, offset, (to - from) as usize),
                            "{grid:?} {x:?} {y:?}"
                        );
                    }
                    for column in from..to {
                        let owner = *owners.entry(row * pitch + column).or_insert(number);
                        assert_eq!(owner, number, "{grid:?} {x:?} {y:?}");
                    }
                }
            }
            // No thread may access the part of another thread.
            for number in 0..grid.group_count() {
                let [gx, gy, _] = grid.origin(number, 0);
                for (byte, owner) in &owners {
                    let covered = segment.covers([gx, gy], || 0, *byte as u32, 1);
                    assert!(!covered || *owner == number, "{grid:?} {x:?} {y:?} {byte}");
                }
            }
        }
        assert!(found > 300 && left > 300, "{found} proven, {left} not");
    }

    #[test]
    fn all_accesses_count() {
        let write = block(true, 32, 0, 0, 16);
        assert!(proven(&[write.clone(), block(false, 32, 0, 16, 16)], 9, 1));
        assert!(!proven(&[write.clone(), block(false, 32, 0, 32, 16)], 9, 1));
        assert!(!proven(&[write.clone(), block(false, 16, 0, 0, 16)], 9, 1));
        assert!(!proven(
            &[write.clone(), BufferUse { reach: Reach::Anywhere, ..block(false, 0, 0, 0, 4) }],
            9,
            1
        ));
        assert!(
            proven(&[BufferUse { reach: Reach::Anywhere, ..block(false, 0, 0, 0, 4) }], 9, 9),
            "only read"
        );
        let found = segment([write, block(false, 32, 0, 16, 16)].iter(), Grid::single([9, 1, 1])).unwrap();
        let covers = |x, bytes| found.covers([x, 0], || 0, 64, bytes);
        assert!(covers(2, 32) && !covers(2, 33) && !covers(1, 16));
    }
}
