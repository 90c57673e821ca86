//! The accesses of the threads of a wave to a surface or buffer: whether they may run at the same time.
//!
//! Threads of a wave may read what others wrote in earlier waves, so no thread owns a part. It is enough that no thread
//! writes what another thread of its wave accesses. All accesses move by the same steps from thread to thread, and the
//! threads of a wave differ by few vectors, so the proof tries all of them.

use super::affine::Affine;
use super::cells::steps;
use crate::ir::{Grid, Waves};

/// The places that a thread accesses while other threads of its wave run; see
/// [`Summary::neighbourhood`](super::Summary::neighbourhood).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Neighbourhood {
    /// The steps of columns and of rows along the axes of threads.
    steps: [[i32; 2]; 2],
    /// The used places come first; there are none if nothing is written.
    places: [Place; PLACES],
    count: usize,
}

/// The number of places that a neighbourhood distinguishes. If a kernel has more, some are combined.
const PLACES: usize = 8;

/// The place of an access: columns of bytes and rows, up to the second number, relative to the thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    sides: [[i32; 2]; 2],
    writes: bool,
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
    pub(super) const READ: Self =
        Self { steps: [[0; 2]; 2], places: [Place { sides: [[0; 2]; 2], writes: false }; PLACES], count: 0 };

    /// The neighbourhood of the accesses to an argument; `None` if two threads of a wave may access the same bytes and
    /// one of them writes. Reads beyond the edges of a surface access its edges; buffers have no `edges`.
    pub(super) fn of(
        accesses: impl Iterator<Item = Touched>,
        edges: Option<Extent>,
        grid: Grid,
        waves: &Waves,
    ) -> Option<Self> {
        let (mut known, mut places) = (None, vec![]);
        for Touched { start, extent, writes } in accesses {
            let start = [start[0]?, start[1]?];
            let steps = start.map(|start| steps(start.group, grid));
            // With other steps the distance between the accesses of two threads is not known.
            if *known.get_or_insert(steps) != steps {
                return None;
            }
            let mut sides = [[0; 2]; 2];
            for (axis, side) in sides.iter_mut().enumerate() {
                let low = start[axis].constant;
                *side = [
                    i32::try_from(low).ok()?,
                    i32::try_from(low + start[axis].spread + extent[axis] as i64).ok()?,
                ];
            }
            place(&mut places, Place { sides, writes });
        }
        let mut all = Self { count: places.len(), ..Self::READ };
        all.places[..places.len()].copy_from_slice(&places);
        for (to, [x, y, _]) in all.steps.iter_mut().zip(known?) {
            *to = [i32::try_from(x).ok()?, i32::try_from(y).ok()?];
        }
        let touched: Vec<_> = places.iter().map(|place| all.at_edges(place, edges, grid)).collect();
        let meet = |between: [i64; 2]| {
            touched.iter().any(|sides| {
                places.iter().any(|place| place.writes && all.overlap(sides, between, &place.sides))
            })
        };
        (!waves.differences().any(meet)).then_some(all)
    }

    /// The part of the surface that a place covers, for any thread.
    fn at_edges(&self, place: &Place, edges: Option<Extent>, grid: Grid) -> [[i64; 2]; 2] {
        let mut sides = place.sides.map(|side| side.map(i64::from));
        let Some((width, height, period)) = edges else { return sides };
        for (axis, (size, period)) in [(width, period), (height, 1)].into_iter().enumerate() {
            let [x, y] = self.steps[axis].map(i64::from);
            let (first, last) = Affine { group: [x, y, 0], ..Affine::constant(0) }.range(grid);
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

    /// Whether the accesses of a thread overlap the writes of another thread at this distance.
    fn overlap(&self, touched: &[[i64; 2]; 2], [x, y]: [i64; 2], written: &[[i32; 2]; 2]) -> bool {
        (0..2).all(|axis| {
            let moved = i64::from(self.steps[axis][0]) * x + i64::from(self.steps[axis][1]) * y;
            let [low, high] = touched[axis].map(|end| end + moved);
            let [first, last] = written[axis].map(i64::from);
            low < last && first < high
        })
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
        let [column, row] = origin.map(i64::from);
        let from = |axis: usize| {
            let [x, y] = self.steps[axis].map(i64::from);
            i64::from(start[axis]) - x * column - y * row
        };
        let low = [from(0), from(1)];
        let within = |place: &Place| {
            (0..2).all(|axis| {
                let [first, last] = place.sides[axis].map(i64::from);
                first <= low[axis] && low[axis] + extent[axis] as i64 <= last
            })
        };
        let mut places = self.places[..self.count].iter();
        (self.is_read() && !writes) || places.any(|place| place.writes >= writes && within(place))
    }
}

/// Adds a place. If there are too many, the two that fit best are combined.
fn place(places: &mut Vec<Place>, new: Place) {
    let joined = |a: &Place, b: &Place| Place {
        sides: std::array::from_fn(|axis| {
            let ([low, high], [first, last]) = (a.sides[axis], b.sides[axis]);
            [low.min(first), high.max(last)]
        }),
        writes: a.writes | b.writes,
    };
    if places.iter().any(|known| joined(known, &new) == *known) {
        return;
    }
    places.retain(|known| joined(known, &new) != new);
    places.push(new);
    if places.len() <= PLACES {
        return;
    }
    let bytes = |place: &Place| {
        place.sides.iter().map(|[low, high]| i64::from(*high) - i64::from(*low)).product::<i64>()
    };
    let pairs = (0..places.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    // Written places are combined with read places only if there are no others.
    let cost = |&(a, b): &(usize, usize)| {
        let (a, b) = (&places[a], &places[b]);
        (a.writes != b.writes, bytes(&joined(a, b)) - bytes(a) - bytes(b))
    };
    if let Some((a, b)) = pairs.min_by_key(cost) {
        let both = joined(&places[a], &places[b]);
        places.swap_remove(a);
        places[b] = both;
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

    /// The threads that access a byte, and whether one of them writes it.
    type Touches = (Vec<[u32; 2]>, bool);

    fn block(x: i64, y: i64, constant: i64, extent: usize, writes: bool) -> Block {
        (Affine { group: [x, y, 0], ..Affine::constant(constant) }, extent, writes)
    }

    /// The accesses of blocks with these columns and rows.
    fn of(
        columns: &[Block],
        rows: &[Block],
        edges: Option<Extent>,
        waves: (&Waves, Grid),
    ) -> Option<Neighbourhood> {
        let touched = columns.iter().zip(rows).map(|((x, width, writes), (y, rows, _))| Touched {
            start: [Some(*x), Some(*y)],
            extent: [*width, *rows],
            writes: *writes,
        });
        Neighbourhood::of(touched, edges, waves.1, waves.0)
    }

    /// The start of a block for a thread.
    fn start(start: Affine, [x, y]: [u32; 2]) -> i64 {
        start.group[0] * i64::from(x) + start.group[1] * i64::from(y) + start.constant
    }

    /// Proofs hold; the test tries the bytes of all threads. No byte of a surface that a thread writes is accessed by
    /// another thread of its wave, where reads beyond the edge access the edge.
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
            let Some(found) = of(&columns, &rows, Some(bounds), (&waves, grid)) else { continue };
            proven += 1;
            for wave in 0..waves.count() {
                // The threads that access each byte, and whether it is written.
                let mut touched: HashMap<(i64, i64), Touches> = HashMap::new();
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
            of(&columns, &rows, Some((512, 76, 4)), (&waves, grid))
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
            |pattern, edges| of(&columns, &rows, edges, (&Waves::new(pattern, size), grid)).is_some();
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
        let columns: Vec<Block> = (0..12).map(|n| block(64, 0, n * 5, 4, n == 0)).collect();
        let rows: Vec<Block> = (0..12).map(|n| block(0, 1, -1 - n, 1, n == 0)).collect();
        let (waves, grid) = (Waves::new(DependencyPattern::HORIZONTAL_WAVE, [4, 4]), Grid::single([4, 4, 1]));
        let found = of(&columns, &rows, None, (&waves, grid)).unwrap();
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
        let proven = |blocks: &[Block], pattern| {
            let rows = vec![block(0, 0, 0, 1, false); blocks.len()];
            of(blocks, &rows, None, (&Waves::new(pattern, [6, 4]), grid)).is_some()
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
