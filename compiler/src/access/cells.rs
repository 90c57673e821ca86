//! The group of a thread, and the condition that groups are disjoint.

use super::affine::Affine;
use crate::ir::Grid;

/// How the threads of a launch are divided into groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cells {
    /// Whether groups are single threads in one plane, so that a thread's column and row are those of its group.
    flat: bool,
    local: [u32; 3],
}

impl Cells {
    pub(super) fn of(grid: Grid) -> Self {
        Self { flat: grid.local == [1; 3] && grid.groups[2] == 1, local: grid.local }
    }

    /// Whether groups are single threads in one plane.
    pub(super) fn are_threads(&self) -> bool {
        self.flat
    }

    /// The groups of the thread at this column and row and of the last one of `count` threads to its right, if groups are
    /// single threads.
    pub(super) fn ends_of_row(&self, [x, y]: [u32; 2], count: u32) -> Option<[[i64; 3]; 2]> {
        let last = x + count.checked_sub(1)?;
        self.flat.then(|| [x, last].map(|x| self.group([x, y], || 0)))
    }

    /// The group of the thread at this column and row; the third coordinate is computed only if it is needed.
    #[inline(always)]
    pub(super) fn group(&self, [x, y]: [u32; 2], z: impl FnOnce() -> u32) -> [i64; 3] {
        if self.flat {
            return [x.into(), y.into(), 0];
        }
        let (columns_and_rows, plane) = divided(x, y, z(), self.local[0], self.local[1], self.local[2]);
        [(columns_and_rows as u32).into(), ((columns_and_rows >> 32) as u32).into(), plane.into()]
    }
}

/// The coordinates of a thread, divided by the sizes of its group: column and row in one number, and the plane.
///
/// The numbers are passed by value and returned in registers: values with an address would be kept in memory for every
/// access.
#[inline(never)]
fn divided(x: u32, y: u32, z: u32, width: u32, height: u32, depth: u32) -> (u64, u32) {
    // Divisions take long, and most sizes are 1.
    let number = |coordinate: u32, size: u32| if size == 1 { coordinate } else { coordinate / size };
    (u64::from(number(y, height)) << 32 | u64::from(number(x, width)), number(z, depth))
}

/// The parts of the groups along a direction: group `g` has the numbers from `low` up to but not including `high`, each
/// plus the sum of `steps[n] * g[n]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stripes {
    pub(super) steps: [i64; 3],
    pub(super) low: i64,
    pub(super) high: i64,
}

impl Stripes {
    /// The parts of the groups for accesses of this extent.
    pub(super) fn of(start: Affine, extent: usize, grid: Grid) -> Self {
        let (low, last) = start.range_in_group(grid);
        Self { steps: steps(start.group, grid), low, high: last.saturating_add(extent as i64) }
    }

    /// The shift of this group.
    #[inline(always)]
    pub(super) fn start(&self, group: [i64; 3]) -> i64 {
        // The products may exceed `i32`.
        self.steps[0] * group[0] + self.steps[1] * group[1] + self.steps[2] * group[2]
    }

    /// The smallest number of all groups, and the number after the largest.
    pub(super) fn range(&self, grid: Grid) -> (i64, i64) {
        let all = Affine { group: self.steps, ..Affine::constant(0) }.range(grid);
        (self.low.saturating_add(all.0), self.high.saturating_add(all.1))
    }

    /// Whether `extent` numbers from `start` on are among those of a group.
    #[inline(always)]
    pub(super) fn covers(&self, group: [i64; 3], start: i32, extent: usize) -> bool {
        let start = i64::from(start) - self.start(group);
        self.low <= start && start + extent as i64 <= self.high
    }

    /// The numbers of all groups from the first to the last one, which differ only along the first axis, if there are no gaps
    /// between them.
    pub(super) fn together(&self, first: [i64; 3], last: [i64; 3]) -> Option<[i64; 2]> {
        let [a, b] = [first, last].map(|group| self.start(group));
        let all = [a.min(b).checked_add(self.low)?, a.max(b).checked_add(self.high)?];
        (a == b || self.steps[0].abs() <= self.high.checked_sub(self.low)?).then_some(all)
    }

    /// The union, if both move by the same steps along axes with several groups.
    pub(super) fn joined(self, other: Self) -> Option<Self> {
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        (self.steps == other.steps).then_some(Self { low, high, ..self })
    }

    /// Whether no two groups that differ along an axis with a step have a number in common.
    ///
    /// The steps are checked from the shortest on: each must be at least as long as the parts of all groups of shorter
    /// steps together.
    pub(super) fn are_apart(self, grid: Grid) -> bool {
        let mut axes: [(i64, i64); 3] =
            std::array::from_fn(|axis| (self.steps[axis].abs(), grid.groups[axis].into()));
        axes.sort_unstable();
        let mut extent = self.high.saturating_sub(self.low);
        axes.into_iter().filter(|(step, _)| *step > 0).all(|(step, count)| {
            let apart = step >= extent;
            extent = extent.saturating_add(step.saturating_mul(count - 1));
            apart
        })
    }

    /// Whether groups that differ along this axis have different parts here, if they are disjoint.
    pub(super) fn tells(self, axis: usize) -> bool {
        self.steps[axis] != 0
    }
}

/// The steps along axes with several groups.
pub(super) fn steps(factors: [i64; 3], grid: Grid) -> [i64; 3] {
    std::array::from_fn(|axis| if grid.groups[axis] == 1 { 0 } else { factors[axis] })
}
