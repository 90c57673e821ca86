//! The instructions that operate on regions.

use crate::ir::Region;
use crate::limits::LANES;

/// The distances between the columns of a region that the hardware has.
const STEPS: [usize; 4] = [0, 1, 2, 4];
/// The largest distance between its rows.
const LARGEST_ROW_STEP: usize = 32;

/// The elements of this size that an instruction computes, with registers of so many bytes.
pub(crate) fn lanes(size: usize, register: usize) -> usize {
    LANES.min(2 * register / size.max(1))
}

/// The instructions that read a region of elements of this size, or that write it, with registers of so many bytes.
pub(crate) fn instructions(
    region: Region,
    count: usize,
    size: usize,
    register: usize,
    is_written: bool,
) -> usize {
    let positions: Vec<usize> = region.positions(count).collect();
    let (mut at, mut all) = (0, 0);
    while at < count {
        let most = lanes(size, register).min(count - at);
        let mut part = 1 << most.ilog2();
        while part > 1 && !is_one(&positions[at..at + part], size, register, is_written) {
            part /= 2;
        }
        (at, all) = (at + part, all + 1);
    }
    // Intel's compiler divides what it writes with gaps, and the operands of that.
    if is_written && has_gaps(region, count) { 2 * all } else { all }
}

/// Whether there are gaps between the elements of a region.
pub(crate) const fn has_gaps(region: Region, count: usize) -> bool {
    let step = if region.width > 1 { region.column_stride } else { region.row_stride };
    count > 1 && step > 1
}

/// Whether one instruction reads, or writes, the elements at these positions.
fn is_one(positions: &[usize], size: usize, register: usize, is_written: bool) -> bool {
    let (Some(least), Some(most)) = (positions.iter().min(), positions.iter().max()) else { return false };
    let number = |element: usize| element * size / register;
    if number(*most) - number(*least) > 1 {
        return false;
    }
    let count = positions.len();
    let step = |n: usize| if n < count { positions[n].checked_sub(positions[0]) } else { Some(1) };
    if is_written {
        let Some(step) = step(1).filter(|step| STEPS.contains(step) && *step > 0) else { return false };
        return positions.iter().enumerate().all(|(n, position)| *position == positions[0] + n * step);
    }
    (0..=count.ilog2()).map(|width| 1 << width).any(|width| {
        let column_step = if width > 1 { step(1) } else { Some(0) };
        let (Some(columns), Some(rows)) = (column_step, step(width)) else { return false };
        let fits =
            STEPS.contains(&columns) && rows <= LARGEST_ROW_STEP && (rows == 0 || rows.is_power_of_two());
        let all = positions.iter().enumerate();
        fits && all
            .into_iter()
            .all(|(n, position)| *position == positions[0] + n / width * rows + n % width * columns)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region([offset, row_stride, width, column_stride]: [usize; 4]) -> Region {
        Region { offset, dynamic: None, row_stride, width, column_stride }
    }

    #[test]
    fn instructions_of_regions() {
        let read = |numbers, count, register| instructions(region(numbers), count, 4, register, false);
        let written = |numbers, count, register| instructions(region(numbers), count, 4, register, true);
        assert_eq!([read([0, 16, 16, 1], 256, 32), read([0, 16, 16, 1], 256, 64)], [16, 8]);
        // An instruction takes the last element of a row and the first one of the next.
        assert_eq!([read([0, 16, 15, 1], 240, 32), written([1, 16, 15, 1], 240, 32)], [56, 56]);
        // A column of rows of 64 bytes, and of rows of 16 bytes.
        assert_eq!(
            [read([0, 16, 1, 1], 16, 32), read([0, 4, 1, 1], 16, 32), read([0, 4, 1, 1], 16, 64)],
            [16, 4, 2]
        );
        assert_eq!([written([0, 16, 1, 1], 16, 32), written([0, 4, 1, 1], 16, 32)], [32, 8]);
        // One element for all, and columns that are far apart.
        assert_eq!(
            [read([3, 0, 1, 1], 16, 32), read([0, 8, 2, 8], 2, 32), written([0, 8, 2, 8], 2, 32)],
            [1, 1, 4]
        );
    }
}
