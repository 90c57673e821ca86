//! The parts of surfaces that groups of threads own.

use super::cells::{Cells, Stripes};

/// The part of a surface that a group of threads owns; see [`Summary::footprint`](super::Summary::footprint).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Footprint {
    pub(super) writes: bool,
    pub(super) cells: Cells,
    /// `None` if columns, or rows, do not distinguish groups.
    pub(super) x: Option<Stripes>,
    pub(super) y: Option<Stripes>,
}

impl Footprint {
    /// Whether a block of `width` bytes and `rows` rows at `(x, y)` is in the part owned by the group of the thread at
    /// column and row `origin`; `z` is the third coordinate of the thread.
    #[inline(always)]
    #[must_use]
    pub fn covers(
        &self,
        origin: [u32; 2],
        z: impl FnOnce() -> u32,
        [x, y]: [i32; 2],
        [width, rows]: [usize; 2],
    ) -> bool {
        let group = self.cells.group(origin, z);
        self.x.is_none_or(|stripes| stripes.covers(group, x, width))
            && self.y.is_none_or(|stripes| stripes.covers(group, y, rows))
    }

    /// The columns and the rows, each from one up to but not including another, that the thread at column `x` and row `y` and
    /// the threads to its right, `count` together, own. `None` if what they own has gaps, or if threads are in groups.
    #[must_use]
    pub fn of_row(&self, [x, y]: [u32; 2], count: u32) -> Option<[[i64; 2]; 2]> {
        let [first, last] = self.cells.ends_of_row([x, y], count)?;
        let moves = |stripes: Option<Stripes>| stripes.is_some_and(|own| own.start(first) != own.start(last));
        if moves(self.x) && moves(self.y) {
            return None;
        }
        let together = |stripes: Option<Stripes>| match stripes {
            Some(own) => own.together(first, last),
            None => Some([i64::MIN, i64::MAX]),
        };
        Some([together(self.x)?, together(self.y)?])
    }

    /// Whether the kernel writes at all.
    #[inline]
    #[must_use]
    pub const fn writes(&self) -> bool {
        self.writes
    }
}

/// The part of a 3-D surface that a group of threads owns; see [`Summary::footprint_3d`](super::Summary::footprint_3d).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Footprint3d {
    /// The part of every slice that has a part.
    pub(super) slice: Footprint,
    /// `None` if slices do not distinguish groups.
    pub(super) z: Option<Stripes>,
}

impl Footprint3d {
    /// Whether `width` bytes of a texel at byte column, row and slice `(x, y, z)` are in the part owned by
    /// the group of the thread at column and row `origin`, with the third coordinate `origin_z`.
    #[must_use]
    pub fn covers(&self, origin: [u32; 2], origin_z: u32, [x, y, z]: [i32; 3], width: usize) -> bool {
        let group = self.slice.cells.group(origin, || origin_z);
        self.slice.covers(origin, || origin_z, [x, y], [width, 1])
            && self.z.is_none_or(|stripes| stripes.covers(group, z, 1))
    }

    /// Whether the kernel writes at all.
    #[must_use]
    pub const fn writes(&self) -> bool {
        self.slice.writes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Grid;

    /// The block of a row of threads has exactly what one of them owns; there is none only where that has gaps.
    #[test]
    fn rows_of_threads_own_what_their_threads_own() {
        let grid = Grid::single([5, 4, 1]);
        let stripes =
            |across: i64, down: i64, low: i64, high: i64| Stripes { steps: [across, down, 0], low, high };
        let columns = [
            None,
            Some(stripes(4, 0, 0, 4)),
            Some(stripes(-4, 20, 16, 20)),
            Some(stripes(6, 0, 1, 5)),
            Some(stripes(0, 8, 0, 8)),
        ];
        let rows = [None, Some(stripes(0, 5, 0, 5)), Some(stripes(2, 10, 0, 2)), Some(stripes(3, 0, 0, 2))];
        let mut found = 0;
        for (x, y) in columns.into_iter().flat_map(|x| rows.map(|y| (x, y))) {
            let footprint = Footprint { writes: true, cells: Cells::of(grid), x, y };
            for (column, count, row) in [(0, 5, 0), (1, 3, 2), (4, 1, 3)] {
                let own = |at: [i32; 2]| {
                    (column..column + count).any(|c| footprint.covers([c, row], || 0, at, [1, 1]))
                };
                let all = (-8..60).flat_map(|x| (-8..60).map(move |y| [x, y]));
                let Some([xs, ys]) = footprint.of_row([column, row], count) else {
                    let moves = |own: Option<Stripes>| own.is_some_and(|own| own.steps[0] != 0);
                    let gaps =
                        |own: Option<Stripes>| own.is_some_and(|own| own.steps[0].abs() > own.high - own.low);
                    assert!(count > 1 && (gaps(x) || gaps(y) || moves(x) && moves(y)), "{x:?} {y:?}");
                    continue;
                };
                found += 1;
                for [x, y] in all {
                    let inside = (xs[0]..xs[1]).contains(&x.into()) && (ys[0]..ys[1]).contains(&y.into());
                    assert_eq!(
                        inside,
                        own([x, y]),
                        "{footprint:?} of {count} from {column}, {row} at {x}, {y}"
                    );
                }
            }
        }
        assert!(found > 30, "{found}");
    }
}
