//! Media blocks, the regions of `cl_intel_media_block_io`, and the sub-groups whose blocks they are.

use super::Violation;

/// Bytes of a dword: what media blocks are written in.
pub const DWORD: usize = 4;
/// Bytes of the widest row of a media block.
pub const MEDIA_WIDTH: usize = 64;
/// Bytes of the largest media block, in registers.
pub const MEDIA_BYTES: usize = 256;

/// Bytes from row to row of a media block in registers: the next power of two of the width, at least a dword.
#[inline]
#[must_use]
pub const fn media_pitch(width: usize) -> usize {
    let pitch = width.next_power_of_two();
    if pitch < DWORD { DWORD } else { pitch }
}

/// A media block has `rows` rows of `width` bytes.
///
/// # Errors
/// If no message carries such a block.
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
/// If no message carries such a block, or its rows are not whole dwords.
#[inline]
pub const fn media_write(rows: usize, width: usize) -> Result<(), Violation> {
    match media_block(rows, width) {
        Ok(()) if !width.is_multiple_of(DWORD) => Err(Violation::MediaWriteWidth { width }),
        result => result,
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
/// If none has.
#[inline]
pub const fn sub_group(size: usize) -> Result<(), Violation> {
    if matches!(size, 8 | 16 | 32) { Ok(()) } else { Err(Violation::SubGroup { size }) }
}

/// A region of `cl_intel_media_block_io` has `rows` rows of `width` bytes.
///
/// # Errors
/// If the table of the extension has no such region.
#[inline]
pub const fn media_block_io(rows: usize, width: usize) -> Result<(), Violation> {
    let most = match width {
        4 => 64,
        8 => 32,
        12 | 16 => 16,
        20 | 24 | 28 | 32 => 8,
        _ => 0,
    };
    if rows == 0 || rows > most { Err(Violation::MediaBlockIo { rows, width }) } else { Ok(()) }
}

/// The byte column of such a region.
///
/// # Errors
/// If it is not a multiple of 4.
#[inline]
pub const fn media_block_io_column(column: i128) -> Result<(), Violation> {
    if column % DWORD as i128 == 0 { Ok(()) } else { Err(Violation::MediaBlockIoColumn { column }) }
}
