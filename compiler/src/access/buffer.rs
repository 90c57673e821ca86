//! Which bytes of a buffer each kernel thread has to itself.

use super::affine::Affine;
use crate::ir::Location;

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

/// What a thread has to itself of a buffer: bytes `x * column + y * row + low` up to, not including, the same
/// with `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    writes: bool,
    x: i64,
    y: i64,
    low: i64,
    high: i64,
}

impl Segment {
    /// Whether a block of `bytes` bytes from `offset` on is part of what thread `origin` has to itself.
    #[inline(always)]
    #[must_use]
    pub fn covers(&self, origin: [u32; 2], offset: u32, bytes: usize) -> bool {
        let [column, row] = origin.map(i64::from);
        // Offsets are followed as signed numbers; those below zero are outside of every buffer.
        let start = i64::from(offset as i32) - self.x * column - self.y * row;
        !self.writes || (self.low <= start && start + bytes as i64 <= self.high)
    }

    /// Whether the kernel writes at all.
    #[must_use]
    pub const fn writes(&self) -> bool {
        self.writes
    }
}

/// The parts of a buffer that the threads have to themselves: no byte that one of them writes is touched by
/// another.
///
/// The offsets of all accesses must grow by the same step from column to column and by the same one from row
/// to row. One of the steps is at least as long as what a thread touches, the other one as long as what a
/// whole row, or column, of threads touches.
pub(super) fn segment<'a>(
    accesses: impl Iterator<Item = &'a BufferAccess> + Clone,
    width: usize,
    height: usize,
) -> Option<Segment> {
    if !accesses.clone().any(|access| access.writes) {
        // Nobody writes it, so any thread may read all of it.
        return Some(Segment { writes: false, x: 0, y: 0, low: 0, high: 0 });
    }
    let mut segment: Option<Segment> = None;
    // Reads count as well: no other thread may write what this one reads.
    for access in accesses {
        let Reach::Block { start, bytes, .. } = access.reach else { return None };
        let (low, high) = (start.constant, start.constant + bytes as i64);
        segment = match segment {
            None => Some(Segment { writes: true, x: start.x, y: start.y, low, high }),
            Some(known) if (known.x, known.y) == (start.x, start.y) => {
                Some(Segment { low: known.low.min(low), high: known.high.max(high), ..known })
            }
            Some(_) => return None,
        };
    }
    let segment = segment?;
    let extent = segment.high - segment.low;
    let (columns, rows) = ((width as i64, segment.x.abs()), (height as i64, segment.y.abs()));
    (apart(extent, columns, rows) || apart(extent, rows, columns)).then_some(segment)
}

/// Whether segments are apart: first those of the inner axis, then the groups of them. Each axis by its
/// threads and step.
fn apart(extent: i64, (count, step): (i64, i64), outer: (i64, i64)) -> bool {
    let inner = count == 1 || step >= extent;
    let group = extent + step * (count - 1);
    inner && (outer.0 == 1 || outer.1 >= group)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(writes: bool, x: i64, y: i64, constant: i64, bytes: usize) -> BufferAccess {
        let reach = Reach::Block { start: Affine { x, y, constant }, bytes, alignment: 16 };
        let location = Location { file: "k.rs".into(), line: 1, column: 1 };
        BufferAccess { argument: 0, writes, reach, location }
    }

    fn proven(accesses: &[BufferAccess], width: usize, height: usize) -> bool {
        segment(accesses.iter(), width, height).is_some()
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
                assert_eq!(
                    proven(&accesses, width as usize, height as usize),
                    apart,
                    "{x} {y} {bytes} in {width} x {height}"
                );
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
        let found = segment([write, block(false, 32, 0, 16, 16)].iter(), 9, 1).unwrap();
        assert!(
            found.covers([2, 0], 64, 32) && !found.covers([2, 0], 64, 33) && !found.covers([1, 0], 64, 16)
        );
    }
}
