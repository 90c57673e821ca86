//! 2-D blocks of buffers: their sizes, and the pictures that contain them.

use super::Violation;
use super::block_form::BlockForm;
use super::numbers::{
    BLOCK_2D_BLOCKS_BYTES, BLOCK_2D_LOADED_ROWS, BLOCK_2D_STORED_ROWS, BLOCK_2D_WIDTH, DWORD, PICTURE_PITCH,
    PICTURE_SIDE, PICTURE_WIDTH, TRANSPOSED_2D_BYTES,
};

/// Whether 2-D blocks in this form support elements of this size.
#[inline]
#[must_use]
pub const fn is_loaded_2d(form: BlockForm, bytes: usize) -> bool {
    if form.is_packed() {
        bytes < DWORD
    } else if form.is_transposed() {
        bytes >= DWORD
    } else {
        form.blocks() * bytes <= BLOCK_2D_BLOCKS_BYTES
    }
}

/// A block of `rows` x `columns` elements of this size in registers can be loaded in this form or, if the form is
/// [`BlockForm::Normal`], prefetched.
///
/// - A row of a block in memory is whole dwords. A row of all blocks together has at most 64 bytes.
/// - There are at most 32 rows in memory, at most 2 blocks of 4-byte elements, and 1 block of 8-byte elements.
/// - A transposed block has 4-byte elements and at most 8 columns in memory, or 8-byte elements and 8 rows of 1, 2 or
///   4.
/// - A packed block has elements of 1 or 2 bytes and at most 16 columns in memory.
///
/// # Errors
/// If not.
#[inline]
pub const fn load_2d(form: BlockForm, bytes: usize, rows: usize, columns: usize) -> Result<(), Violation> {
    let blocks = form.blocks();
    let whole = rows > 0 && columns > 0 && rows.is_multiple_of(blocks) && is_loaded_2d(form, bytes);
    let fits = if form.is_transposed() {
        // Columns in memory are rows here.
        let eight = bytes == 8 && columns == 8 && rows.is_power_of_two();
        whole
            && rows * bytes <= TRANSPOSED_2D_BYTES
            && (eight || bytes == DWORD && columns <= BLOCK_2D_LOADED_ROWS)
    } else if form.is_packed() {
        let [height, all] = form.in_memory(rows, columns, bytes);
        whole
            && columns.is_multiple_of(DWORD / bytes)
            && (all / blocks * bytes).is_multiple_of(DWORD)
            && columns * bytes <= BLOCK_2D_WIDTH
            && all * bytes <= BLOCK_2D_WIDTH
            && height <= BLOCK_2D_LOADED_ROWS
    } else {
        whole
            && (columns * bytes).is_multiple_of(DWORD)
            && columns * bytes * blocks <= BLOCK_2D_WIDTH
            && rows / blocks <= BLOCK_2D_LOADED_ROWS
    };
    if fits { Ok(()) } else { Err(Violation::Load2d { form, bytes, rows, columns }) }
}

/// A block of `rows` x `columns` elements of this size can be stored: at most 8 rows of whole dwords, with at most 64
/// bytes per row.
///
/// # Errors
/// If not.
#[inline]
pub const fn store_2d(bytes: usize, rows: usize, columns: usize) -> Result<(), Violation> {
    let width = columns * bytes;
    if rows > 0
        && rows <= BLOCK_2D_STORED_ROWS
        && width > 0
        && width.is_multiple_of(DWORD)
        && width <= BLOCK_2D_WIDTH
    {
        Ok(())
    } else {
        Err(Violation::Store2d { bytes, rows, columns })
    }
}

/// A 2-D block of elements of this size starts at column `column`, which is at a whole dword.
///
/// # Errors
/// If not.
#[inline]
pub const fn column_2d(column: i128, bytes: usize) -> Result<(), Violation> {
    if (column * bytes as i128) % DWORD as i128 == 0 { Ok(()) } else { Err(Violation::Column2d { bytes }) }
}

/// 2-D blocks of elements of `elem` bytes can be part of `height` rows of `width` bytes, `pitch` bytes apart, in a
/// buffer of `bytes` bytes.
///
/// # Errors
/// If rows are shorter than 64 bytes or not whole dwords and elements, if the pitch is not a multiple of 16 or shorter
/// than a row, if a number is larger than 2^24, or if a row is not inside the buffer.
pub fn picture([width, height, pitch]: [i64; 3], elem: usize, bytes: usize) -> Result<(), Violation> {
    let side = PICTURE_SIDE as i64;
    let multiple = elem.max(DWORD) as i64;
    if width < PICTURE_WIDTH as i64 || width > side || width % multiple != 0 {
        return Err(Violation::PictureWidth { width, multiple });
    }
    if pitch < width || pitch > side || pitch % PICTURE_PITCH as i64 != 0 {
        return Err(Violation::PicturePitch { pitch, width });
    }
    if height < 1 || height > side {
        return Err(Violation::PictureHeight { height });
    }
    let end = (height - 1) * pitch + width;
    if end > i64::try_from(bytes).unwrap_or(i64::MAX) {
        return Err(Violation::PictureEnd { width, height, pitch, end, bytes });
    }
    Ok(())
}
