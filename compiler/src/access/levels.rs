//! The parts of groups of threads along one direction, as columns, rows, planes, and so on.
//!
//! Thread groups often lie between the accesses of each other: the heads of a sequence between its tokens, threads of a
//! loop over all data between the iterations. Their parts are then disjoint only as digits of a number: the column, the
//! row, and so on.

use super::affine::Affine;
use super::cells::Stripes;
use crate::ir::Grid;

/// The numbers that belong to each group of threads: `column + pitch * row`, with a column and a row of the group, and
/// further pitches for planes and what planes are part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Levels {
    columns: Stripes,
    /// Each pitch with the rows of the groups, from the smallest pitch on.
    rows: [(i64, Stripes); Self::DEEPEST],
    depth: usize,
}

/// How a number of bytes is divided into columns and rows.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rounding {
    /// Columns between 0 and the pitch, with the sign of the number.
    Whole,
    /// Columns as near to 0 as possible.
    Nearest,
}

impl Rounding {
    pub(super) const ALL: [Self; 2] = [Self::Whole, Self::Nearest];

    /// The row of a number of bytes.
    fn row(self) -> fn(i64, i64) -> i64 {
        match self {
            Self::Whole => |bytes, pitch| bytes / pitch,
            Self::Nearest => |bytes, pitch| bytes.saturating_add(pitch / 2).div_euclid(pitch),
        }
    }
}

impl Levels {
    /// The largest number of pitches.
    pub(super) const DEEPEST: usize = 6;

    /// No numbers.
    pub(super) const NONE: Self = {
        let none = Stripes { steps: [0; 3], low: 0, high: 0 };
        Self { columns: none, rows: [(1, none); Self::DEEPEST], depth: 0 }
    };

    /// The columns and rows of a picture.
    pub(super) fn picture(columns: Stripes, pitch: i64, rows: Stripes) -> Self {
        let mut levels = Self { columns, depth: 1, ..Self::NONE };
        levels.rows[0] = (pitch, rows);
        levels
    }

    /// The numbers of the groups that access blocks: their first number and their length. With the same pitches, no number
    /// has two columns and rows. `None` if one has, if the blocks of a group move by other steps from group to group, or
    /// if there are too many pitches.
    pub(super) fn of(
        blocks: &[(Affine, usize)],
        pitches: &[i64],
        rounding: Rounding,
        grid: Grid,
    ) -> Option<Self> {
        let row = rounding.row();
        let mut starts: Vec<Affine> = blocks.iter().map(|(start, _)| *start).collect();
        let mut rows = Self::NONE.rows;
        let depth = rows.get_mut(..pitches.len())?.len();
        for (level, pitch) in rows[..depth].iter_mut().zip(pitches).rev() {
            let of_level = starts.iter_mut().map(|start| {
                let (rest, rows) = start.columns_and_rows(*pitch, row);
                *start = rest;
                (rows, 1)
            });
            *level = (*pitch, joined(of_level, grid)?);
        }
        let lengths = blocks.iter().map(|(_, length)| *length);
        let columns = joined(starts.into_iter().zip(lengths), grid)?;
        let levels = Self { columns, rows, depth };
        levels.are_digits(grid).then_some(levels)
    }

    /// The number of pitches.
    #[cfg(test)]
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    fn all(&self) -> impl Iterator<Item = Stripes> + '_ {
        std::iter::once(self.columns).chain(self.rows[..self.depth].iter().map(|(_, rows)| *rows))
    }

    /// Whether all groups together have fewer columns than a row, fewer bytes in rows than a plane, and so on: then no
    /// number has two columns and rows.
    fn are_digits(&self, grid: Grid) -> bool {
        let range = |stripes: &Stripes| {
            let (low, high) = stripes.range(grid);
            high.saturating_sub(low)
        };
        let mut extent = range(&self.columns);
        self.rows[..self.depth].iter().all(|(pitch, rows)| {
            let fits = extent <= *pitch;
            extent = extent.saturating_add((range(rows) - 1).saturating_mul(*pitch));
            fits
        })
    }

    /// Whether groups that differ along this axis have no number in common; or whether there is only one.
    ///
    /// Those of some level have none in common, and numbers with other digits are other numbers.
    pub(super) fn tell(&self, axis: usize, grid: Grid) -> bool {
        grid.groups[axis] == 1 || self.all().any(|level| level.tells(axis) && level.are_apart(grid))
    }

    /// Whether `extent` numbers from `start` on belong to a group.
    #[inline(always)]
    pub(super) fn covers(&self, group: [i64; 3], start: i32, extent: usize) -> bool {
        if self.depth == 0 {
            self.columns.covers(group, start, extent)
        } else {
            self.have(group, start, extent)
        }
    }

    /// Whether the digits of these numbers are those of a group.
    #[inline(never)]
    fn have(&self, group: [i64; 3], start: i32, extent: usize) -> bool {
        let rows = &self.rows[..self.depth];
        let lowest = |stripes: &Stripes| stripes.start(group) + stripes.low;
        // From the smallest number of the group on, all digits start at 0.
        let mut from = i64::from(start) - lowest(&self.columns);
        from -= rows.iter().map(|(pitch, rows)| lowest(rows) * pitch).sum::<i64>();
        let Ok(mut rest) = u64::try_from(from) else { return false };
        let within = rows.iter().rev().all(|(pitch, rows)| {
            // No pitch is below 1.
            let pitch = *pitch as u64;
            // Divisions of 64 bits take much longer.
            let row = match (u32::try_from(rest), u32::try_from(pitch)) {
                (Ok(rest), Ok(pitch)) => u64::from(rest / pitch),
                _ => rest / pitch,
            };
            rest -= row * pitch;
            (row as i64) < rows.high - rows.low
        });
        within && rest as i64 + extent as i64 <= self.columns.high - self.columns.low
    }

    /// The same in a picture, in whose rows these numbers must be.
    #[inline(never)]
    pub(super) fn covers_in_picture(&self, group: [i64; 3], start: i32, extent: usize) -> bool {
        let (pitch, rows) = self.rows[0];
        let (row, column) = (i64::from(start).div_euclid(pitch), i64::from(start).rem_euclid(pitch));
        let inside = column + extent as i64 <= pitch;
        inside && self.columns.covers(group, column as i32, extent) && rows.covers(group, row as i32, 1)
    }

    /// The numbers of all groups from the first to the last one, which differ only along the first axis, if there are no
    /// gaps between them.
    pub(super) fn together(&self, first: [i64; 3], last: [i64; 3]) -> Option<[i64; 2]> {
        if self.depth == 0 { self.columns.together(first, last) } else { None }
    }
}

/// The stripes of blocks that move by the same steps from group to group.
fn joined(mut blocks: impl Iterator<Item = (Affine, usize)>, grid: Grid) -> Option<Stripes> {
    let (start, length) = blocks.next()?;
    blocks.try_fold(Stripes::of(start, length, grid), |all, (start, length)| {
        all.joined(Stripes::of(start, length, grid))
    })
}

#[cfg(test)]
mod tests {
    use super::super::buffer::tests::{apart, written};
    use super::super::steps::Steps;
    use super::*;
    use crate::interpret::cases::RandomNumbers;

    /// Terms of a mixed radix are proven, in any order: each stride is as long as all shorter terms together, or longer.
    /// Proofs hold if a stride is too short.
    #[test]
    fn proven_digits_are_apart() {
        let (mut random, mut proven, mut deepest, mut left) = (RandomNumbers::new(), 0, 0, 0);
        for _ in 0..6000 {
            let mut pick = |from: &[i64]| from[random.next() as usize % from.len()];
            let mut grid = Grid::single([1; 3]);
            let mut start = Affine::constant(pick(&[0, 32, 4096]));
            let length = pick(&[16, 32]);
            let (mut extent, mut exact) = (length, true);
            // The terms, in random order: axes of groups, axes of threads of a group, loops.
            let mut terms: Vec<usize> = (0..8).collect();
            for n in (1..8).rev() {
                terms.swap(n, pick(&[0, 1, 2, 3, 4, 5, 6, 7]) as usize % (n + 1));
            }
            for term in terms.into_iter().take(pick(&[2, 4, 5]) as usize) {
                let count = pick(&[1, 2, 3, 4]);
                let stride = extent + pick(&[0, 0, 0, 0, 16, 64, -16]);
                if stride <= 0 {
                    continue;
                }
                exact &= stride >= extent;
                extent += stride * (count - 1);
                let signed = stride * pick(&[1, 1, -1]);
                match term {
                    0..3 => (start.group[term], grid.groups[term]) = (signed, count as u32),
                    3..6 => (start.local[term - 3], grid.local[term - 3]) = (signed, count as u32),
                    _ => start = start.spread_by(count - 1, signed).expect("small numbers"),
                }
            }
            // Several axes without a step are not apart.
            grid.groups =
                std::array::from_fn(|axis| if start.group[axis] == 0 { 1 } else { grid.groups[axis] });
            let Some(depth) = apart(&[written(start, length as usize)], grid) else {
                assert!(!exact, "{start:?} of {length} in {grid:?}");
                left += 1;
                continue;
            };
            proven += usize::from(depth > 0);
            deepest += usize::from(depth > 1);
        }
        assert!(proven > 300 && deepest > 20 && left > 300, "{proven} {deepest} {left}");
    }

    /// Proofs hold for any terms and several accesses, which need not be digits.
    #[test]
    fn proven_parts_are_apart() {
        let (mut random, mut proven, mut left) = (RandomNumbers::new(), 0, 0);
        for _ in 0..6000 {
            let mut pick = |from: &[i64]| from[random.next() as usize % from.len()];
            let [groups, local] = [(); 2].map(|()| [(); 3].map(|()| pick(&[1, 1, 2, 3]) as u32));
            let grid = Grid { groups, local };
            let factors = &[0, 16, 32, 48, 64, 96, 128, 256, 320, 512, -64, -256];
            let mut start = Affine::constant(1024);
            for axis in 0..3 {
                start.group[axis] = pick(factors);
                start.local[axis] = pick(&[0, 0, 16, 32, 128, 512]);
            }
            for _ in 0..pick(&[0, 1, 2]) {
                let step = pick(&[16, 32, 64, 80, 128, 256, 640, -64]);
                start = start.spread_by(pick(&[1, 2, 4]), step).expect("small numbers");
            }
            let distances = [0, pick(&[0, 16, 64, 128, 512, 8192]), pick(&[0, 16, 256, 1024])];
            let accesses = distances
                .map(|distance| written(start.add(Affine::constant(distance)).expect("small numbers"), 16));
            match apart(&accesses, grid) {
                Some(_) => proven += usize::from(start.steps != Steps::NONE),
                None => left += 1,
            }
        }
        assert!(proven > 100 && left > 100, "{proven} proven, {left} not");
    }
}
