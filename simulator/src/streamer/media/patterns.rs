//! The walks that CM's runtime programs: `HalCm_SetupMediaWalkerParams` in `cm_hal.cpp` of Intel's
//! media-driver.

use super::loops::{Loops, Point};

pub(super) fn point(x: i32, y: i32) -> Point {
    Point { x, y }
}

/// One block of all threads.
fn whole(width: i32, height: i32) -> Loops {
    Loops {
        colours: 1,
        global_rounds: 1,
        resolution: point(width, height),
        global_stride: point(width, 0),
        global_unit: point(0, height),
        block: point(width, height),
        ..Loops::default()
    }
}

/// `CM_WALK_HORIZONTAL`: row by row.
pub(super) fn raster(width: i32, height: i32) -> Loops {
    let (local_stride, local_unit) = (point(0, 1), point(1, 0));
    Loops { local_rounds: height as u32 - 1, local_stride, local_unit, ..whole(width, height) }
}

/// `CM_WALK_VERTICAL`: column by column.
pub(super) fn vertical(width: i32, height: i32) -> Loops {
    let (local_stride, local_unit) = (point(1, 0), point(0, 1));
    Loops { local_rounds: width as u32 - 1, local_stride, local_unit, ..whole(width, height) }
}

/// `CM_WALK_WAVEFRONT`: by diagonals of 45 degrees.
pub(super) fn wavefront(width: i32, height: i32) -> Loops {
    let (local_stride, local_unit) = (point(1, 0), point(-1, 1));
    Loops { local_rounds: (width + height - 2) as u32, local_stride, local_unit, ..whole(width, height) }
}

/// `CM_WALK_WAVEFRONT26`: by diagonals of 26 degrees.
pub(super) fn wavefront26(width: i32, height: i32) -> Loops {
    let (local_stride, local_unit) = (point(1, 0), point(-2, 1));
    let local_rounds = (width + 2 * (height - 1) - 1) as u32;
    Loops { local_rounds, local_stride, local_unit, ..whole(width, height) }
}

/// `CM_WALK_WAVEFRONT26X`: the same with two rows at once.
pub(super) fn wavefront26x(width: i32, height: i32) -> Loops {
    Loops {
        global_rounds: 0,
        local_rounds: 0x7ff,
        local_stride: point(1, 0),
        local_unit: point(-2, 2),
        extra_steps: 1,
        middle_unit: point(0, 1),
        ..whole(width, height)
    }
}

/// `CM_WALK_WAVEFRONT26ZIG`: by diagonals of squares of four.
pub(super) fn wavefront26zig(width: i32, height: i32) -> Loops {
    let squares = |length: i32| (length + 1) / 2;
    Loops {
        global_rounds: ((squares(height) - 1) * 2 + squares(width) - 1) as u32,
        global_stride: point(2, 0),
        global_unit: point(-4, 2),
        block: point(2, 2),
        local_rounds: 1,
        local_stride: point(0, 1),
        local_unit: point(1, 0),
        ..whole(width, height)
    }
}

/// The words of a command with these loops.
pub(super) fn words(loops: &Loops) -> [u32; Loops::WORDS] {
    let pair = |point: Point| (point.x as u32 & 0xfff) | (point.y as u32 & 0xfff) << 16;
    let mut words = [0; Loops::WORDS];
    words[0] = 0x7103_000f;
    words[6] = (u32::from(loops.colours) - 1) << 24
        | loops.extra_steps << 16
        | (loops.middle_unit.y as u32 & 3) << 12
        | (loops.middle_unit.x as u32 & 3) << 8;
    words[7] = loops.global_rounds << 16 | loops.local_rounds;
    words[8] = pair(loops.block);
    words[9] = pair(loops.local_start);
    words[11] = pair(loops.local_stride);
    words[12] = pair(loops.local_unit);
    words[13] = pair(loops.resolution);
    words[14] = pair(loops.global_start);
    words[15] = pair(loops.global_stride);
    words[16] = pair(loops.global_unit);
    words
}
