//! The accesses of the threads of a wave to a surface or buffer: whether they may run at the same time.
//!
//! Threads of a wave may read what others wrote in earlier waves, so no thread owns a part. It is enough that no thread
//! writes what another thread of its wave accesses. Accesses move by steps from thread to thread. If two move
//! by the same steps, the threads of a wave differ by few vectors, so the proof tries all of them; if all
//! threads of a launch run at the same time, the vectors by which two of them must differ to access the same
//! bytes are computed instead. If two move by other steps, such as the planes of a picture in one surface, no
//! thread's part of one may overlap any thread's of the other.

use super::affine::Affine;
use super::cells::{Cells, steps};
use crate::ir::{Grid, Waves};

/// The places that a thread accesses while other threads of its wave run; see
/// [`Summary::neighbourhood`](super::Summary::neighbourhood).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Neighbourhood {
    /// The used places come first; there are none if nothing is written.
    places: [Place; PLACES],
    count: usize,
}

/// The number of places that a neighbourhood distinguishes. If a kernel has more, some are combined.
const PLACES: usize = 8;

/// The place of an access: columns of bytes and rows, up to the second number, relative to the thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    /// The steps of columns and of rows along the axes of threads.
    steps: [[i32; 2]; 2],
    sides: [[i32; 2]; 2],
    writes: bool,
}

impl Place {
    const NONE: Self = Self { steps: [[0; 2]; 2], sides: [[0; 2]; 2], writes: false };

    /// A place that contains both; `None` if they move by other steps.
    fn joined(&self, other: &Self) -> Option<Self> {
        let sides = std::array::from_fn(|axis| {
            let ([low, high], [first, last]) = (self.sides[axis], other.sides[axis]);
            [low.min(first), high.max(last)]
        });
        let writes = self.writes | other.writes;
        (self.steps == other.steps).then_some(Self { sides, writes, ..*self })
    }

    /// The shifts of the first and the last thread of a grid.
    fn shifts(&self, axis: usize, grid: Grid) -> (i64, i64) {
        let [x, y] = self.steps[axis].map(i64::from);
        Affine { group: [x, y, 0], ..Affine::constant(0) }.range(grid)
    }

    /// The part of the surface that the place covers, for any thread.
    fn at_edges(&self, edges: Option<Extent>, grid: Grid) -> [[i64; 2]; 2] {
        let mut sides = self.sides.map(|side| side.map(i64::from));
        let Some((width, height, period)) = edges else { return sides };
        for (axis, (size, period)) in [(width, period), (height, 1)].into_iter().enumerate() {
            let (first, last) = self.shifts(axis, grid);
            let ([low, high], size, period) = (sides[axis], size as i64, period as i64);
            // Reads to the left of the first column get the first period, reads to the right of the last column the
            // last period.
            if first + low < 0 {
                sides[axis][1] = high.max(period - first);
            }
            if last + high > size {
                sides[axis][0] = low.min(size - period - last);
            }
        }
        sides
    }

    /// The block of the thread at this column and row.
    #[inline(always)]
    fn of(&self, [column, row]: [i64; 2]) -> Block {
        Block([0, 1].map(|axis| {
            let [x, y] = self.steps[axis].map(i64::from);
            self.sides[axis].map(|side| i64::from(side) + x * column + y * row)
        }))
    }

    /// Whether these sides, at any thread, overlap the written place at any thread, which moves by other steps.
    fn meets(&self, sides: &[[i64; 2]; 2], grid: Grid, written: &Self) -> bool {
        (0..2).all(|axis| {
            let ((before, after), (first, last)) = (self.shifts(axis, grid), written.shifts(axis, grid));
            let [low, high] = written.sides[axis].map(i64::from);
            before + sides[axis][0] < last + high && first + low < after + sides[axis][1]
        })
    }

    /// Whether the accesses of a thread overlap the write of another thread at this distance.
    fn overlaps(&self, touched: &[[i64; 2]; 2], [x, y]: [i64; 2]) -> bool {
        (0..2).all(|axis| {
            let moved = i64::from(self.steps[axis][0]) * x + i64::from(self.steps[axis][1]) * y;
            let [low, high] = touched[axis].map(|end| end + moved);
            let [first, last] = self.sides[axis].map(i64::from);
            low < last && first < high
        })
    }

    /// Whether the accesses of a thread may overlap the write of any other thread of the grid. Columns and rows that
    /// move along both axes of threads may.
    fn may_overlap(&self, touched: &[[i64; 2]; 2], grid: Grid) -> bool {
        // The differences of the threads' columns and rows, from the first to the last.
        let mut between =
            [grid.groups[0], grid.groups[1]].map(|count| [1 - i64::from(count), i64::from(count) - 1]);
        for (axis, [low, high]) in touched.iter().enumerate() {
            let [first, last] = self.sides[axis].map(i64::from);
            // They overlap if one moves by more than the first number, and less than the second.
            let (more, less) = (first - high, last - low);
            let (along, step) = match self.steps[axis].map(i64::from) {
                [0, 0] if more < 0 && 0 < less => continue,
                [0, 0] => return false,
                [x, 0] => (0, x),
                [0, y] => (1, y),
                _ => return true,
            };
            let ends = if step > 0 { [more, less] } else { [-less, -more] };
            let [from, to] = &mut between[along];
            *from = (*from).max(ends[0].div_euclid(step.abs()) + 1);
            *to = (*to).min((ends[1] - 1).div_euclid(step.abs()));
        }
        let empty = between.iter().any(|[from, to]| from > to);
        !empty && between != [[0, 0]; 2]
    }
}

/// An access: its column and row, its bytes in a row and its rows, and whether it writes. A buffer has one row.
pub(super) struct Touched {
    pub(super) start: [Option<Affine>; 2],
    pub(super) extent: [usize; 2],
    pub(super) writes: bool,
}

/// The bytes of a row of a surface, its rows, and the bytes of a row that repeat beyond its edges.
pub(super) type Extent = (usize, usize, usize);

impl Neighbourhood {
    /// The neighbourhood of an argument that no thread writes.
    const READ: Self = Self { places: [Place::NONE; PLACES], count: 0 };

    /// The neighbourhood of the accesses to an argument; `None` if two threads that run at the same time may access the
    /// same bytes and one of them writes: threads of a wave, or without waves any threads, which are then not
    /// in groups. Reads beyond the edges of a surface access its edges; buffers have no `edges`.
    pub(super) fn of(
        accesses: impl Iterator<Item = Touched> + Clone,
        edges: Option<Extent>,
        grid: Grid,
        waves: Option<&Waves>,
    ) -> Option<Self> {
        if !accesses.clone().any(|access| access.writes) {
            return Some(Self::READ);
        }
        if waves.is_none() && !Cells::of(grid).are_threads() {
            return None;
        }
        let mut places = vec![];
        for Touched { start, extent, writes } in accesses {
            let mut new = Place { writes, ..Place::NONE };
            for axis in 0..2 {
                let start = start[axis]?;
                let [x, y, _] = steps(start.group, grid);
                let end = start.range_in_group(grid).1 + extent[axis] as i64;
                new.steps[axis] = [i32::try_from(x).ok()?, i32::try_from(y).ok()?];
                new.sides[axis] = [i32::try_from(start.constant).ok()?, i32::try_from(end).ok()?];
            }
            place(&mut places, new)?;
        }
        let mut all = Self { count: places.len(), ..Self::READ };
        all.places[..places.len()].copy_from_slice(&places);
        let touched: Vec<_> = places.iter().map(|place| (place, place.at_edges(edges, grid))).collect();
        let pairs = || {
            let written = || places.iter().filter(|place| place.writes);
            touched.iter().flat_map(move |touched| written().map(move |written| (touched, written)))
        };
        let (alike, others): (Vec<_>, Vec<_>) =
            pairs().partition(|((touched, _), written)| touched.steps == written.steps);
        let conflict = others.iter().any(|((place, sides), written)| place.meets(sides, grid, written))
            || match waves {
                Some(waves) => waves.differences().any(|between| {
                    alike.iter().any(|((_, sides), written)| written.overlaps(sides, between))
                }),
                None => alike.iter().any(|((_, sides), written)| written.may_overlap(sides, grid)),
            };
        (!conflict).then_some(all)
    }

    /// Whether no thread writes.
    #[must_use]
    pub const fn is_read(&self) -> bool {
        self.count == 0
    }

    /// Whether the thread at column and row `origin` may access a block of `width` bytes and `rows` rows at `(x, y)`
    /// while others of its wave run.
    #[inline(always)]
    #[must_use]
    pub fn covers(&self, origin: [u32; 2], start: [i32; 2], extent: [usize; 2], writes: bool) -> bool {
        let origin = origin.map(i64::from);
        let block = Block::at(start, extent);
        (self.is_read() && !writes)
            || self.allowing(writes).any(|place| place.of(origin).contains(block))
            || self.covers_together(origin, block, writes)
    }

    /// Whether several places together contain a block. The recording has large blocks as several messages, each of
    /// which may be a place.
    #[cold]
    #[inline(never)]
    fn covers_together(&self, origin: [i64; 2], block: Block, writes: bool) -> bool {
        let [[left, right], [top, bottom]] = block.0;
        let mut places = self.allowing(writes).map(|place| place.of(origin));
        places.find(|place| place.contains(Block([[left, left + 1], [top, top + 1]]))).is_some_and(
            |Block([[_, across], [_, down]])| {
                let (across, down) = (across.min(right), down.min(bottom));
                let rest = [Block([[across, right], [top, down]]), Block([[left, right], [down, bottom]])];
                rest.into_iter().all(|rest| rest.is_empty() || self.covers_together(origin, rest, writes))
            },
        )
    }

    /// The places that may be read, or only those that may be written.
    #[inline(always)]
    fn allowing(&self, writes: bool) -> impl Iterator<Item = &Place> {
        self.places[..self.count].iter().filter(move |place| place.writes >= writes)
    }
}

/// The columns and rows of a block: the first, and the one after the last.
#[derive(Clone, Copy)]
struct Block([[i64; 2]; 2]);

impl Block {
    #[inline(always)]
    fn at(start: [i32; 2], extent: [usize; 2]) -> Self {
        Self([0, 1].map(|axis| {
            let start = i64::from(start[axis]);
            [start, start + extent[axis] as i64]
        }))
    }

    #[inline(always)]
    fn contains(self, other: Self) -> bool {
        (0..2).all(|axis| self.0[axis][0] <= other.0[axis][0] && other.0[axis][1] <= self.0[axis][1])
    }

    fn is_empty(self) -> bool {
        self.0.iter().any(|[first, end]| first >= end)
    }
}

/// Adds a place. If there are too many, the two that fit best are combined; `None` if all move by other steps.
fn place(places: &mut Vec<Place>, new: Place) -> Option<()> {
    if places.iter().any(|known| known.joined(&new) == Some(*known)) {
        return Some(());
    }
    places.retain(|known| known.joined(&new) != Some(new));
    places.push(new);
    if places.len() <= PLACES {
        return Some(());
    }
    let bytes = |place: &Place| {
        place.sides.iter().map(|[low, high]| i128::from(*high) - i128::from(*low)).product::<i128>()
    };
    let pairs = (0..places.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    let joined = pairs.filter_map(|(a, b)| {
        let (first, second) = (&places[a], &places[b]);
        let both = first.joined(second)?;
        // Written places are combined with read places only if there are no others.
        let cost = (first.writes != second.writes, bytes(&both) - bytes(first) - bytes(second));
        Some((cost, a, b, both))
    });
    let (_, a, b, both) = joined.min_by_key(|(cost, ..)| *cost)?;
    places.swap_remove(a);
    places[b] = both;
    Some(())
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashMap;

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

    type Accessed = (Affine, usize, bool);

    /// The threads that access a byte, and whether one of them writes it.
    type Touches = (Vec<[u32; 2]>, bool);

    fn block(x: i64, y: i64, constant: i64, extent: usize, writes: bool) -> Accessed {
        (Affine { group: [x, y, 0], ..Affine::constant(constant) }, extent, writes)
    }

    /// As far apart as coordinates can be.
    #[test]
    fn far_places_are_combined() {
        let ends = [[i32::MIN, i32::MIN + 4], [i32::MAX - 4, i32::MAX]];
        let mut places = Vec::new();
        for n in 0..PLACES as i32 + 1 {
            let side = |far: usize| ends[far].map(|at| if far == 0 { at + n } else { at - n });
            let sides = [side(n as usize % 2), side(n as usize / 2 % 2)];
            place(&mut places, Place { sides, writes: n > 6, ..Place::NONE }).unwrap();
        }
        assert_eq!(places.len(), PLACES);
    }

    /// The accesses of blocks with these columns and rows.
    fn of(
        columns: &[Accessed],
        rows: &[Accessed],
        edges: Option<Extent>,
        (waves, grid): (Option<&Waves>, Grid),
    ) -> Option<Neighbourhood> {
        let touched = columns.iter().zip(rows).map(|((x, width, writes), (y, rows, _))| Touched {
            start: [Some(*x), Some(*y)],
            extent: [*width, *rows],
            writes: *writes,
        });
        Neighbourhood::of(touched, edges, grid, waves)
    }

    /// The start of a block for a thread.
    fn start(start: Affine, [x, y]: [u32; 2]) -> i64 {
        start.group[0] * i64::from(x) + start.group[1] * i64::from(y) + start.constant
    }

    /// Proofs hold; the test tries the bytes of all threads. No byte of a surface that a thread writes is accessed by
    /// another thread that runs at the same time, where reads beyond the edge access the edge.
    #[test]
    fn proven_threads_are_apart() {
        let (mut numbers, mut proven) = (RandomNumbers::new(), [0; 4]);
        for _ in 0..12_000 {
            let mut pick = |from: &[i64]| from[numbers.next() as usize % from.len()];
            let pattern = PATTERNS[pick(&[0, 1, 2, 3, 4, 5]) as usize];
            let size = [(); 2].map(|()| pick(&[1, 2, 3, 5]) as u32);
            let grid = Grid::single([size[0], size[1], 1]);
            let waves = Waves::new(pattern, size);
            let all_together = pick(&[0, 1]) == 1;
            let (steps_x, steps_y) =
                ([pick(&[0, 4, 4, 8, -4]), pick(&[0, 0, 4])], [pick(&[0, 0, 1]), pick(&[0, 2, 2, -2])]);
            // The second block may move by half the steps.
            let halves = pick(&[1, 1, 2]);
            let mut blocks = |steps: [i64; 2], offsets: &[i64], extents: &[i64]| -> Vec<Accessed> {
                [(true, 1), (all_together, halves), (false, 1)]
                    .map(|(writes, divisor)| {
                        let extent = if writes { extents[0] } else { pick(extents) };
                        let [x, y] = steps.map(|step| step / divisor);
                        block(x, y, pick(offsets), extent as usize, writes)
                    })
                    .to_vec()
            };
            let columns = blocks(steps_x, &[0, 0, -4, 4, 20, 60], &[4, 4, 8]);
            let rows = blocks(steps_y, &[0, 0, -1, 1, 8, 20], &[2, 1, 3]);
            let (width, height, period) = (pick(&[8, 12, 20]), pick(&[2, 5, 9]), pick(&[1, 2, 4]));
            let bounds = (width as usize, height as usize, period as usize);
            let together = (!all_together).then_some(&waves);
            let Some(found) = of(&columns, &rows, Some(bounds), (together, grid)) else { continue };
            proven[usize::from(all_together) + 2 * usize::from(halves == 2)] += 1;
            let wave = |wave| {
                waves.lines(wave).flat_map(|line| (0..line.count).map(move |n| line.origin(n))).collect()
            };
            let mut sets: Vec<Vec<[u32; 2]>> = (0..waves.count()).map(wave).collect();
            if all_together {
                sets = vec![sets.concat()];
            }
            for threads in sets {
                // The threads that access each byte, and whether it is written.
                let mut touched: FxHashMap<(i64, i64), Touches> = FxHashMap::default();
                for thread in threads {
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
                        "{all_together} {pattern:?} {size:?} {columns:?} {rows:?}: {at:?} by {threads:?}"
                    );
                }
            }
        }
        assert!(proven.iter().all(|proven| *proven > 100), "{proven:?}");
    }

    /// Two blocks of a picture, `rows` rows apart.
    #[test]
    fn places_far_apart_are_not_one() {
        let columns = [block(16, 0, 0, 16, true), block(16, 0, 0, 16, true)];
        let proven = |rows: i64| {
            let starts = [block(0, 8, 0, 8, true), block(0, 8, rows, 8, true)];
            of(&columns, &starts, Some((64, 96, 1)), (None, Grid::single([4, 6, 1])))
        };
        let found = proven(48).unwrap();
        assert!(
            found.covers([1, 1], [16, 8], [16, 8], true) && found.covers([1, 1], [16, 56], [16, 8], true)
        );
        assert!(!found.covers([1, 1], [16, 16], [16, 8], true), "the block of the thread below");
        assert!(proven(44).is_none() && proven(40).is_none() && proven(4).is_none());
    }

    /// A block that is two messages wide and high, above the written one: it is several places, and read at once.
    #[test]
    fn large_blocks_are_read_at_once() {
        let [left, right] = [0, 64].map(|x| block(96, 0, x, if x == 0 { 64 } else { 32 }, false));
        let [upper, lower] = [-24, -20].map(|y| block(0, 24, y, if y == -24 { 4 } else { 20 }, false));
        let columns = [left, left, right, right, block(96, 0, 0, 96, true)];
        let rows = [upper, lower, upper, lower, block(0, 24, 0, 24, true)];
        let (size, grid) = ([4, 6], Grid::single([4, 6, 1]));
        let waves = Waves::new(DependencyPattern::WAVEFRONT, size);
        let found = of(&columns, &rows, Some((384, 144, 1)), (Some(&waves), grid)).unwrap();
        let covers = |start, extent| found.covers([2, 3], start, extent, false);
        assert!(covers([192, 48], [96, 24]) && covers([192, 48], [96, 48]) && covers([255, 51], [2, 2]));
        for (start, extent) in [([191, 48], [96, 24]), ([192, 48], [97, 24]), ([192, 47], [96, 24])] {
            assert!(!covers(start, extent), "{start:?} {extent:?}");
        }
        assert!(!covers([192, 48], [96, 49]) && !found.covers([2, 3], [192, 48], [96, 24], true));
    }

    /// Luma and, in the rows below, chroma, whose blocks have half the size.
    #[test]
    fn planes_move_by_their_own_steps() {
        let columns = [block(16, 0, 0, 16, true), block(8, 0, 0, 8, true), block(8, 0, 32, 8, true)];
        let proven = |height: i64, columns: &[Accessed]| {
            let chroma = block(0, 4, height, 4, true);
            let rows = [block(0, 8, 0, 8, true), chroma, chroma];
            of(columns, &rows, Some((64, 96, 1)), (None, Grid::single([4, 6, 1])))
        };
        let found = proven(48, &columns).unwrap();
        assert!(found.covers([1, 1], [16, 8], [16, 8], true) && found.covers([1, 1], [8, 52], [8, 4], true));
        assert!(found.covers([1, 1], [40, 52], [8, 4], true));
        assert!(!found.covers([1, 1], [16, 52], [8, 4], true), "the block of the next thread");
        assert!(proven(47, &columns).is_none(), "the last row of luma");
        let joined = [columns[0], columns[1], block(8, 0, 28, 8, true)];
        assert!(
            proven(48, &joined).is_none(),
            "the last column of one chroma plane is the first of the other"
        );
    }

    /// The blocks of an integral image: its own, the column to the left and the row above.
    #[test]
    fn neighbours_of_earlier_waves_are_read() {
        let columns = [block(64, 0, 0, 64, true), block(64, 0, -4, 4, false), block(64, 0, 0, 64, false)];
        let rows = [block(0, 16, 0, 16, true), block(0, 16, 0, 16, false), block(0, 16, -1, 1, false)];
        let grid = Grid::single([8, 5, 1]);
        let proven = |pattern| {
            let waves = Waves::new(pattern, [8, 5]);
            of(&columns, &rows, Some((512, 76, 4)), (Some(&waves), grid))
        };
        let found = proven(DependencyPattern::WAVEFRONT).unwrap();
        assert!(found.covers([2, 1], [124, 16], [4, 1], false));
        assert!(!found.covers([2, 1], [124, 16], [4, 1], true), "only its own block is written");
        assert!(!found.covers([2, 1], [124, 15], [4, 1], false), "the corner is not read");
        assert!(!found.covers([2, 1], [120, 16], [4, 1], false));
        assert!(proven(DependencyPattern::WAVEFRONT26).is_some());
        assert!(proven(DependencyPattern::VERTICAL_WAVE).is_none(), "the row above is of the same wave");
        assert!(proven(DependencyPattern::HORIZONTAL_WAVE).is_none());
    }

    /// A row of a block is wider than the written row: these are distinguished.
    #[test]
    fn rows_above_may_be_wider() {
        let columns = [block(16, 0, -4, 24, false), block(16, 0, 0, 16, true)];
        let rows = [block(0, 1, -1, 1, false), block(0, 1, 0, 1, true)];
        let (size, grid) = ([9, 5], Grid::single([9, 5, 1]));
        let proven =
            |pattern, edges| of(&columns, &rows, edges, (Some(&Waves::new(pattern, size)), grid)).is_some();
        for pattern in [DependencyPattern::HORIZONTAL_WAVE, DependencyPattern::WAVEFRONT26] {
            assert!(proven(pattern, None), "{pattern:?}");
        }
        assert!(!proven(DependencyPattern::VERTICAL_WAVE, None));
        // The block above on the right is in the same wave.
        assert!(!proven(DependencyPattern::WAVEFRONT, None));
        // Above the first row is the first row, which others of the wave write.
        assert!(!proven(DependencyPattern::HORIZONTAL_WAVE, Some((144, 6, 1))));
    }

    /// More places than can be distinguished: some are combined.
    #[test]
    fn many_places_are_fewer() {
        let columns: Vec<Accessed> = (0..12).map(|n| block(64, 0, n * 5, 4, n == 0)).collect();
        let rows: Vec<Accessed> = (0..12).map(|n| block(0, 1, -1 - n, 1, n == 0)).collect();
        let (waves, grid) = (Waves::new(DependencyPattern::HORIZONTAL_WAVE, [4, 4]), Grid::single([4, 4, 1]));
        let found = of(&columns, &rows, None, (Some(&waves), grid)).unwrap();
        assert_eq!(found.count, PLACES);
        for n in 0..12 {
            assert!(found.covers([0, 0], [n * 5, -1 - n], [4, 1], n == 0));
        }
        assert!(
            !found.covers([0, 0], [5, -2], [4, 1], true) && !found.covers([0, 0], [64, -2], [4, 1], false)
        );
    }

    #[test]
    fn nothing_is_written() {
        let read = Neighbourhood::READ;
        assert!(read.covers([0, 0], [-100, 7], [4, 4], false) && !read.covers([0, 0], [0, 0], [4, 4], true));
    }

    #[test]
    fn buffers_have_one_direction() {
        let grid = Grid::single([6, 4, 1]);
        let proven = |blocks: &[Accessed], pattern| {
            let rows = vec![block(0, 0, 0, 1, false); blocks.len()];
            of(blocks, &rows, None, (Some(&Waves::new(pattern, [6, 4])), grid)).is_some()
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
