//! What is known of a kernel before it runs: its accesses to memory, and which parts of its surfaces and
//! buffers each thread has to itself.

use super::affine::Affine;
use super::buffer::{self, BufferAccess, Reach, Segment};
use crate::ir::Location;
use crate::limits::DWORD;

/// One media block read or write of a kernel.
#[derive(Clone, Debug)]
pub struct BlockAccess {
    /// Which argument.
    pub argument: usize,
    /// Whether it writes.
    pub writes: bool,
    /// The byte column, if it depends on the thread's coordinates only.
    pub x: Option<Affine>,
    /// The row, if it depends on the thread's coordinates only.
    pub y: Option<Affine>,
    /// Bytes of a row.
    pub width: usize,
    /// Rows.
    pub rows: usize,
    /// The line of the kernel.
    pub location: Location,
}

/// A thread space and a surface in it.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    /// Columns of threads.
    pub width: usize,
    /// Rows of threads.
    pub height: usize,
    /// Bytes of a row of the surface.
    pub surface_width: usize,
    /// Rows of the surface.
    pub surface_height: usize,
}

/// What a kernel does, without its data.
#[derive(Clone, Debug)]
pub struct Summary {
    accesses: Vec<BlockAccess>,
    buffers: Vec<BufferAccess>,
    staged: bool,
    instructions: usize,
}

impl Summary {
    pub(super) fn new(
        accesses: Vec<BlockAccess>,
        buffers: Vec<BufferAccess>,
        staged: bool,
        instructions: usize,
    ) -> Self {
        Self { accesses, buffers, staged, instructions }
    }

    /// The media block reads and writes.
    #[must_use]
    pub fn accesses(&self) -> &[BlockAccess] {
        &self.accesses
    }

    /// A write to byte columns that are known not to be multiples of a dword, which the hardware would move.
    #[must_use]
    pub fn misaligned_write(&self) -> Option<&BlockAccess> {
        self.accesses
            .iter()
            .find(|access| access.writes && access.x.is_some_and(|x| !x.is_multiple_of(DWORD as i64)))
    }

    /// A block of a buffer at offsets that are known not to be multiples of its alignment, and its line.
    #[must_use]
    pub fn misaligned_block(&self) -> Option<(usize, &Location)> {
        self.buffers.iter().find_map(|access| match access.reach {
            Reach::Block { start, alignment, .. } if !start.is_multiple_of(alignment as i64) => {
                Some((alignment, &access.location))
            }
            _ => None,
        })
    }

    /// The bytes of buffer argument `argument` that each thread of a space of `width` x `height` has to
    /// itself; `None` where that is not proven.
    #[must_use]
    pub fn segment(&self, argument: usize, width: usize, height: usize) -> Option<Segment> {
        buffer::segment(self.buffers.iter().filter(|access| access.argument == argument), width, height)
    }

    /// Whether there is a staged `if` or loop.
    #[must_use]
    pub fn has_staged_control_flow(&self) -> bool {
        self.staged
    }

    /// Whether the columns of all blocks that are read depend on the thread's coordinates only; then they do
    /// not wrap either.
    #[must_use]
    pub fn reads_known_columns(&self) -> bool {
        self.accesses.iter().all(|access| access.writes || access.x.is_some())
    }

    /// How many instructions the kernel has.
    #[must_use]
    pub fn instructions(&self) -> usize {
        self.instructions
    }

    /// The parts of argument `argument` that the threads of `space` have to themselves: no byte that one of
    /// them writes is touched by another. `None` where that is not proven.
    ///
    /// Threads of different columns must differ in x, threads of different rows in y: the coordinates of all
    /// accesses grow by the same step, and a step is at least as wide as what a thread touches. Or the other
    /// way round, as in a transposition. A read that may be moved to the edge of the surface can touch
    /// anything.
    #[must_use]
    pub fn footprint(&self, argument: usize, space: Space) -> Option<Footprint> {
        let accesses = || self.accesses.iter().filter(move |access| access.argument == argument);
        if !accesses().any(|access| access.writes) {
            return Some(Footprint { writes: false, turned: false, x: None, y: None });
        }
        let footprint = |turned: bool| {
            let along = |position: Option<Affine>, by_row: bool, extent: usize| {
                let Affine { x, y, constant } = position?;
                let (step, other) = if by_row { (y, x) } else { (x, y) };
                Some((step, other, constant, extent as i64))
            };
            let columns = accesses().map(|access| along(access.x, turned, access.width));
            let rows = accesses().map(|access| along(access.y, !turned, access.rows));
            let [across, down] =
                if turned { [space.height, space.width] } else { [space.width, space.height] };
            // A single thread in this direction has no neighbour to disturb.
            let x = if across == 1 { None } else { Some(stripes(columns)?) };
            let y = if down == 1 { None } else { Some(stripes(rows)?) };
            Some(Footprint { writes: true, turned, x, y })
        };
        let footprint = footprint(false).or_else(|| footprint(true))?;
        // A read beyond the edge is moved to the edge, where another thread may write.
        self.read_outside(argument, space).is_none().then_some(footprint)
    }

    /// A read of argument `argument` that is not proven to stay inside its surface.
    #[must_use]
    pub fn read_outside(&self, argument: usize, space: Space) -> Option<&BlockAccess> {
        let within = |position: Option<Affine>, extent: usize, size: usize| {
            position.is_some_and(|position| {
                let (low, high) = position.range(space.width, space.height);
                low >= 0 && high + extent as i64 <= size as i64
            })
        };
        self.accesses.iter().filter(|access| access.argument == argument && !access.writes).find(|access| {
            !(within(access.x, access.width, space.surface_width)
                && within(access.y, access.rows, space.surface_height))
        })
    }
}

/// What a thread has to itself of a surface, see [`Summary::footprint`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Footprint {
    writes: bool,
    /// Threads of different columns differ in y, threads of different rows in x.
    turned: bool,
    x: Option<Stripes>,
    y: Option<Stripes>,
}

/// Thread `n` has `step * n + low` up to, not including, `step * n + high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stripes {
    step: i64,
    low: i64,
    high: i64,
}

impl Stripes {
    #[inline(always)]
    fn covers(self, thread: u32, start: i32, extent: usize) -> bool {
        // The product may leave `i32`.
        let start = i64::from(start) - self.step * i64::from(thread);
        self.low <= start && start + extent as i64 <= self.high
    }
}

impl Footprint {
    /// Whether a block of `width` bytes and `rows` rows at `(x, y)` is part of what thread `origin` has to
    /// itself.
    #[inline(always)]
    #[must_use]
    pub fn covers(&self, origin: [u32; 2], x: i32, y: i32, width: usize, rows: usize) -> bool {
        let [column, row] = if self.turned { [origin[1], origin[0]] } else { origin };
        self.x.is_none_or(|stripes| stripes.covers(column, x, width))
            && self.y.is_none_or(|stripes| stripes.covers(row, y, rows))
    }

    /// Whether the kernel writes at all.
    #[must_use]
    pub const fn writes(&self) -> bool {
        self.writes
    }
}

/// The stripes of intervals that start at `step * thread + other * .. + constant`, if those of different
/// threads do not overlap.
fn stripes(mut intervals: impl Iterator<Item = Option<(i64, i64, i64, i64)>>) -> Option<Stripes> {
    // The 0: a coordinate that also depends on the other axis has no stripes.
    let Some(Some((step, 0, start, extent))) = intervals.next() else { return None };
    let (mut low, mut high) = (start, start + extent);
    for interval in intervals {
        match interval {
            Some((other, 0, start, extent)) if other == step => {
                low = low.min(start);
                high = high.max(start + extent);
            }
            _ => return None,
        }
    }
    (high - low <= step.abs()).then_some(Stripes { step, low, high })
}
