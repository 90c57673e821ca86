//! What the threads of a wave do to a surface or buffer: whether they may run at the same time.
//!
//! Threads of a wave may read what others wrote in earlier waves, so nobody has a part to itself. It is enough that no
//! thread writes what another one of its wave touches. All accesses move by the same steps from thread to thread, and
//! the threads of a wave differ by few vectors: all of them are tried.

use super::affine::Affine;
use super::cells::{Stripes, steps};
use crate::ir::{Grid, Waves};

/// What a thread touches while other threads of its wave run, see
/// [`Summary::neighbourhood`](super::Summary::neighbourhood).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Neighbourhood {
    /// Columns of bytes, or the bytes of a buffer; `None` if nothing is written.
    x: Option<Reach>,
    /// Rows; `None` also of buffers.
    y: Option<Reach>,
}

/// What a thread touches along a direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Reach {
    all: Stripes,
    written: Stripes,
}

/// The accesses to an argument along a direction: where each begins, its extent, and whether it writes.
pub(super) type Accesses<'a> = &'a mut dyn Iterator<Item = (Option<Affine>, usize, bool)>;

impl Neighbourhood {
    /// Of an argument that no thread writes.
    pub(super) const READ: Self = Self { x: None, y: None };

    /// Of a buffer, by the bytes of its blocks; `None` if two threads of a wave may touch the same ones.
    pub(super) fn of_buffer(blocks: Accesses<'_>, grid: Grid, waves: &Waves) -> Option<Self> {
        let x = Reach::of(blocks, grid)?;
        let meet = waves.differences().any(|between| x.meets(between));
        (!meet).then_some(Self { x: Some(x), y: None })
    }

    /// Of a surface of so many bytes in a row and so many rows, by the columns and rows of its blocks; `None` if two
    /// threads of a wave may touch the same bytes. Reads beyond the edge get the last `period` bytes of a row, and
    /// its last row.
    pub(super) fn of_surface(
        columns: Accesses<'_>,
        rows: Accesses<'_>,
        (width, height, period): (usize, usize, usize),
        grid: Grid,
        waves: &Waves,
    ) -> Option<Self> {
        let (x, y) = (Reach::of(columns, grid)?, Reach::of(rows, grid)?);
        let (moved_x, moved_y) = (x.at_edges(width, period, grid), y.at_edges(height, 1, grid));
        let meet = waves.differences().any(|between| moved_x.meets(between) && moved_y.meets(between));
        (!meet).then_some(Self { x: Some(x), y: Some(y) })
    }

    /// Whether no thread writes.
    #[must_use]
    pub const fn is_read(&self) -> bool {
        self.x.is_none()
    }

    /// Whether the thread at column and row `origin` may access a block of `width` bytes and `rows` rows at `(x, y)`
    /// while others of its wave run.
    #[inline(always)]
    #[must_use]
    pub fn covers(
        &self,
        origin: [u32; 2],
        [x, y]: [i32; 2],
        [width, rows]: [usize; 2],
        writes: bool,
    ) -> bool {
        let Some(columns) = &self.x else { return !writes };
        columns.covers(origin, x, width, writes)
            && self.y.as_ref().is_none_or(|reach| reach.covers(origin, y, rows, writes))
    }
}

impl Reach {
    /// `None` if accesses move by different steps, or by steps that are not known.
    fn of(accesses: Accesses<'_>, grid: Grid) -> Option<Self> {
        let (mut all, mut written) = (None, None);
        for (start, extent, writes) in accesses {
            let start = start?;
            let own = Stripes {
                steps: steps(start.group, grid),
                low: start.constant,
                high: start.constant.saturating_add(extent as i64),
            };
            let joined = |known: Option<Stripes>| known.map_or(Some(own), |known| known.joined(own));
            all = Some(joined(all)?);
            if writes {
                written = Some(joined(written)?);
            }
        }
        Some(Self { all: all?, written: written? })
    }

    /// The same with what reads beyond the edges of `size` get instead: the first and the last `period`.
    fn at_edges(self, size: usize, period: usize, grid: Grid) -> Self {
        let Stripes { steps, mut low, mut high } = self.all;
        let (first, last) = Affine { group: steps, local: [0; 3], constant: 0 }.range(grid);
        let (size, period) = (size as i64, period as i64);
        if first.saturating_add(self.all.low) < 0 {
            high = high.max(period.saturating_sub(first));
        }
        if last.saturating_add(self.all.high) > size {
            low = low.min((size - period).saturating_sub(last));
        }
        Self { all: Stripes { steps, low, high }, ..self }
    }

    /// Whether a thread touches what is written by another one, from which it differs by this.
    fn meets(&self, [x, y]: [i64; 2]) -> bool {
        let Self { all, written } = self;
        let moved = all.steps[0].saturating_mul(x).saturating_add(all.steps[1].saturating_mul(y));
        all.low.saturating_add(moved) < written.high && written.low < all.high.saturating_add(moved)
    }

    #[inline(always)]
    fn covers(&self, [x, y]: [u32; 2], start: i32, extent: usize, writes: bool) -> bool {
        let stripes = if writes { &self.written } else { &self.all };
        stripes.covers([x.into(), y.into(), 0], start, extent)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::interpret::cases::RandomNumbers;
    use crate::ir::DependencyPattern;

    const PATTERNS: [DependencyPattern; 6] = [
        DependencyPattern::VERTICAL_WAVE,
        DependencyPattern::HORIZONTAL_WAVE,
        DependencyPattern::WAVEFRONT,
        DependencyPattern::WAVEFRONT26,
        DependencyPattern::WAVEFRONT26Z,
        DependencyPattern::WAVEFRONT26X,
    ];

    type Block = (Affine, usize, bool);

    fn block(x: i64, y: i64, constant: i64, extent: usize, writes: bool) -> Block {
        (Affine { group: [x, y, 0], local: [0; 3], constant }, extent, writes)
    }

    fn along(blocks: &[Block]) -> impl Iterator<Item = (Option<Affine>, usize, bool)> + '_ {
        blocks.iter().map(|&(start, extent, writes)| (Some(start), extent, writes))
    }

    /// Where a block begins for a thread.
    fn start(start: Affine, [x, y]: [u32; 2]) -> i64 {
        start.group[0] * i64::from(x) + start.group[1] * i64::from(y) + start.constant
    }

    /// What is proven is so, by trying the bytes of all threads: no byte of a surface that a thread writes is touched
    /// by another one of its wave, where reads beyond the edge touch the edge.
    #[test]
    fn proven_threads_are_apart() {
        let (mut numbers, mut proven) = (RandomNumbers::new(), 0);
        for _ in 0..6000 {
            let mut pick = |from: &[i64]| from[numbers.next() as usize % from.len()];
            let pattern = PATTERNS[pick(&[0, 1, 2, 3, 4, 5]) as usize];
            let size = [(); 2].map(|()| pick(&[1, 2, 3, 5]) as u32);
            let grid = Grid::single([size[0], size[1], 1]);
            let waves = Waves::new(pattern, size);
            let (steps_x, steps_y) =
                ([pick(&[0, 4, 4, 8]), pick(&[0, 0, 4])], [pick(&[0, 0, 1]), pick(&[0, 2, 2])]);
            let mut blocks = |steps: [i64; 2], offsets: &[i64], extents: &[i64]| -> Vec<Block> {
                [true, false, false]
                    .map(|writes| {
                        let extent = if writes { extents[0] } else { pick(extents) };
                        block(steps[0], steps[1], pick(offsets), extent as usize, writes)
                    })
                    .to_vec()
            };
            let columns = blocks(steps_x, &[0, 0, -4, 4], &[4, 4, 8]);
            let rows = blocks(steps_y, &[0, 0, -1, 1], &[2, 1, 3]);
            let (width, height, period) = (pick(&[8, 12, 20]), pick(&[2, 5, 9]), pick(&[1, 2, 4]));
            let bounds = (width as usize, height as usize, period as usize);
            let found =
                Neighbourhood::of_surface(&mut along(&columns), &mut along(&rows), bounds, grid, &waves);
            let Some(found) = found else { continue };
            proven += 1;
            for wave in 0..waves.count() {
                // Who touches each byte, and whether it is written.
                let mut touched: HashMap<(i64, i64), (Vec<[u32; 2]>, bool)> = HashMap::new();
                for thread in waves.lines(wave).flat_map(|line| (0..line.count).map(move |n| line.origin(n)))
                {
                    for ((x, wide, writes), (y, high, _)) in columns.iter().zip(&rows) {
                        let (x, y) = (start(*x, thread), start(*y, thread));
                        assert!(found.covers(thread, [x as i32, y as i32], [*wide, *high], *writes));
                        for (x, y) in
                            (x..x + *wide as i64).flat_map(|x| (y..y + *high as i64).map(move |y| (x, y)))
                        {
                            let inside = (0..width).contains(&x) && (0..height).contains(&y);
                            if *writes && !inside {
                                continue;
                            }
                            let edge = match x {
                                x if x < 0 => x.rem_euclid(period),
                                x if x >= width => width - period + x.rem_euclid(period),
                                x => x,
                            };
                            let (threads, written) =
                                touched.entry((edge, y.clamp(0, height - 1))).or_default();
                            threads.push(thread);
                            *written |= *writes;
                        }
                    }
                }
                for (at, (threads, written)) in touched {
                    assert!(
                        !written || threads.iter().all(|thread| *thread == threads[0]),
                        "{pattern:?} {size:?} {columns:?} {rows:?}: {at:?} by {threads:?}"
                    );
                }
            }
        }
        assert!(proven > 500, "{proven}");
    }

    /// The blocks of an integral image: its own, the column to the left and the row above.
    #[test]
    fn neighbours_of_earlier_waves_are_read() {
        let columns = [block(64, 0, 0, 64, true), block(64, 0, -4, 4, false), block(64, 0, 0, 64, false)];
        let rows = [block(0, 16, 0, 16, true), block(0, 16, 0, 16, false), block(0, 16, -1, 1, false)];
        let grid = Grid::single([8, 5, 1]);
        let proven = |pattern| {
            let waves = Waves::new(pattern, [8, 5]);
            let bounds = (512, 76, 4);
            Neighbourhood::of_surface(&mut along(&columns), &mut along(&rows), bounds, grid, &waves)
        };
        let found = proven(DependencyPattern::WAVEFRONT).unwrap();
        assert!(found.covers([2, 1], [124, 15], [4, 1], false));
        assert!(!found.covers([2, 1], [124, 16], [4, 1], true), "only its own block is written");
        assert!(!found.covers([2, 1], [120, 16], [4, 1], false));
        assert!(proven(DependencyPattern::WAVEFRONT26).is_some());
        assert!(proven(DependencyPattern::VERTICAL_WAVE).is_none(), "the row above is of the same wave");
        assert!(proven(DependencyPattern::HORIZONTAL_WAVE).is_none());
    }

    #[test]
    fn nothing_is_written() {
        let read = Neighbourhood::READ;
        assert!(read.covers([0, 0], [-100, 7], [4, 4], false) && !read.covers([0, 0], [0, 0], [4, 4], true));
    }

    #[test]
    fn buffers_have_one_direction() {
        let grid = Grid::single([6, 4, 1]);
        let proven = |blocks: &[Block], pattern| {
            Neighbourhood::of_buffer(&mut along(blocks), grid, &Waves::new(pattern, [6, 4])).is_some()
        };
        // A running sum of each row, and one of each column.
        let along_rows = [block(16, 96, 0, 16, true), block(16, 96, -16, 16, false)];
        assert!(proven(&along_rows, DependencyPattern::VERTICAL_WAVE));
        assert!(!proven(&along_rows, DependencyPattern::HORIZONTAL_WAVE));
        // One sum for all threads of a row.
        let shared = [block(0, 16, 0, 16, true)];
        assert!(proven(&shared, DependencyPattern::VERTICAL_WAVE));
        assert!(!proven(&shared, DependencyPattern::HORIZONTAL_WAVE));
        assert!(proven(&shared, DependencyPattern::WAVEFRONT26));
    }
}
