//! Media blocks, the regions of `cl_intel_media_block_io`, and sub-groups.

use super::Violation;
use super::numbers::{
    DWORD, MEDIA_BYTES, MEDIA_WIDTH, SIMD_LANES, SUB_GROUPS, TRANSPOSED_SIDE, media_io_rows, media_pitch,
};

/// A media block has `rows` rows of `width` bytes.
///
/// # Errors
/// If no message can carry such a block.
#[inline]
pub const fn media_block(rows: usize, width: usize) -> Result<(), Violation> {
    if rows == 0 || width == 0 {
        Err(Violation::ZeroSize)
    } else if width > MEDIA_WIDTH || rows > MEDIA_BYTES / media_pitch(width) {
        Err(Violation::MediaBlock { rows, width })
    } else {
        Ok(())
    }
}

/// A media block of `rows` rows of `width` bytes can be written.
///
/// # Errors
/// If no message can carry such a block, or its rows are not whole dwords.
#[inline]
pub const fn media_write(rows: usize, width: usize) -> Result<(), Violation> {
    match media_block(rows, width) {
        Ok(()) => whole_dwords(width),
        result => result,
    }
}

/// A row of `width` bytes is written.
///
/// # Errors
/// If it is not whole dwords.
#[inline]
pub const fn whole_dwords(width: usize) -> Result<(), Violation> {
    if width.is_multiple_of(DWORD) { Ok(()) } else { Err(Violation::MediaWriteWidth { width }) }
}

/// A block of `rows` rows of `columns` elements of `bytes` bytes is read transposed.
///
/// # Errors
/// If the elements are not dwords, or there are not 1, 2, 4 or 8 rows and columns.
#[inline]
pub const fn transposed(rows: usize, columns: usize, bytes: usize) -> Result<(), Violation> {
    let small = rows <= TRANSPOSED_SIDE && columns <= TRANSPOSED_SIDE;
    if bytes == DWORD && small && rows.is_power_of_two() && columns.is_power_of_two() {
        Ok(())
    } else {
        Err(Violation::Transposed { rows, columns, bytes })
    }
}

/// A coordinate of a media block.
///
/// # Errors
/// If it is not a signed 32-bit number.
#[inline]
pub const fn coordinate(coordinate: i128) -> Result<(), Violation> {
    if i32::MIN as i128 <= coordinate && coordinate <= i32::MAX as i128 {
        Ok(())
    } else {
        Err(Violation::Coordinate { coordinate })
    }
}

/// A sub-group has `size` work items.
///
/// # Errors
/// If the number is not supported.
#[inline]
pub const fn sub_group(size: usize) -> Result<(), Violation> {
    let (least, most) = SUB_GROUPS;
    if least <= size && size <= most && size.is_power_of_two() {
        Ok(())
    } else {
        Err(Violation::SubGroup { size })
    }
}

/// SIMD control flow has this number of lanes.
///
/// # Errors
/// If the number is not supported.
#[inline]
pub const fn simd_lanes(lanes: usize) -> Result<(), Violation> {
    let (least, most) = SIMD_LANES;
    if least <= lanes && lanes <= most && lanes.is_power_of_two() {
        Ok(())
    } else {
        Err(Violation::SimdLanes { lanes })
    }
}

/// A region of `cl_intel_media_block_io` has `rows` rows of `width` bytes.
///
/// # Errors
/// If the table of the extension has no such region.
#[inline]
pub const fn media_block_io(rows: usize, width: usize) -> Result<(), Violation> {
    if rows == 0 || rows > media_io_rows(width) {
        Err(Violation::MediaBlockIo { rows, width })
    } else {
        Ok(())
    }
}

/// The byte column of such a region.
///
/// # Errors
/// If it is not a multiple of 4.
#[inline]
pub const fn media_block_io_column(column: i128) -> Result<(), Violation> {
    if column % DWORD as i128 == 0 { Ok(()) } else { Err(Violation::MediaBlockIoColumn { column }) }
}
