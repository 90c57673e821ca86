//! Buffers: oword blocks, scattered messages, offsets.

use super::Violation;
use super::numbers::{
    DWORD, DWORD_BLOCK, OFFSET, OWORD, OWORD_BLOCK, QWORD, QWORD_BLOCK, SCATTERED_LANES, VECTOR_SIZES,
};
use crate::elem::ElemType;

/// An oword block of `bytes` can be read.
///
/// # Errors
/// If it does not have 16 to 128 bytes.
#[inline]
pub const fn oword_read(bytes: usize) -> Result<(), Violation> {
    if OWORD <= bytes && bytes <= OWORD_BLOCK { Ok(()) } else { Err(Violation::OwordRead { bytes }) }
}

/// An oword block of `bytes` can be written.
///
/// # Errors
/// If it does not have 1, 2, 4 or 8 owords.
#[inline]
pub const fn oword_write(bytes: usize) -> Result<(), Violation> {
    if OWORD <= bytes && bytes <= OWORD_BLOCK && bytes.is_power_of_two() {
        Ok(())
    } else {
        Err(Violation::OwordWrite { bytes })
    }
}

/// A block of `bytes` can be loaded, stored or prefetched, if its elements have `size` bytes.
///
/// # Errors
/// If it does not have 1, 2, 4, 8, 16, 32 or 64 dwords, or 64 elements of 8 bytes.
#[inline]
pub const fn dword_block(size: usize, bytes: usize) -> Result<(), Violation> {
    let most = if size == QWORD { QWORD_BLOCK } else { DWORD_BLOCK };
    if DWORD <= bytes && bytes <= most && bytes.is_power_of_two() {
        Ok(())
    } else {
        Err(Violation::DwordBlock { bytes })
    }
}

/// `bytes` bytes can be read or written in oword blocks.
///
/// # Errors
/// If they are not whole owords.
#[inline]
pub const fn whole_owords(bytes: usize) -> Result<(), Violation> {
    if bytes.is_multiple_of(OWORD) { Ok(()) } else { Err(Violation::WholeOwords { bytes }) }
}

/// A block starts at byte `offset`.
///
/// # Errors
/// If it is not a multiple of `alignment` from 0 to `i32::MAX`.
#[inline]
pub const fn block_offset(offset: i128, alignment: usize) -> Result<(), Violation> {
    // Offsets are `u32`; the upper half is outside every buffer.
    if alignment > 0 && offset % alignment as i128 == 0 && 0 <= offset && offset <= OFFSET {
        Ok(())
    } else {
        Err(Violation::BlockOffset { offset, alignment })
    }
}

/// Elements of a scattered message are counted from element `offset` on.
///
/// # Errors
/// If it is not 0 to `i32::MAX`.
#[inline]
pub const fn buffer_element(offset: i128) -> Result<(), Violation> {
    if 0 <= offset && offset <= OFFSET { Ok(()) } else { Err(Violation::BufferElement { offset }) }
}

/// Bytes of a scattered message are counted from byte `offset` on.
///
/// # Errors
/// If it is not 0 to `i32::MAX`.
#[inline]
pub const fn buffer_byte(offset: i128) -> Result<(), Violation> {
    if 0 <= offset && offset <= OFFSET { Ok(()) } else { Err(Violation::BufferByte { offset }) }
}

/// A scattered message has `lanes` elements.
///
/// # Errors
/// If it is not a power of two up to 32.
#[inline]
pub const fn scattered(lanes: usize) -> Result<(), Violation> {
    if lanes.is_power_of_two() && lanes <= SCATTERED_LANES { Ok(()) } else { Err(Violation::Lanes { lanes }) }
}

/// A scattered message has `lanes` vectors of `elements` elements.
///
/// # Errors
/// If `elements` is not 2, 3, 4 or 8, or `lanes` not a power of two up to 32.
#[inline]
pub const fn vectors(elements: usize, lanes: usize) -> Result<(), Violation> {
    let [a, b, c, d] = VECTOR_SIZES;
    if elements == a || elements == b || elements == c || elements == d {
        scattered(lanes)
    } else {
        Err(Violation::Vectors { elements })
    }
}

/// Whether scattered messages take vectors of elements of this type: those of 4 or 8 bytes.
#[inline]
#[must_use]
pub const fn is_vector(elem: ElemType) -> bool {
    elem.bytes() >= DWORD
}

/// A typed message has `rows` rows, one for each of `channels` channels, of `lanes` texels.
///
/// # Errors
/// If not, or if `lanes` is not a power of two up to 32.
#[inline]
pub const fn typed(channels: usize, rows: usize, lanes: usize) -> Result<(), Violation> {
    if rows == channels { scattered(lanes) } else { Err(Violation::Channels { channels, rows }) }
}

/// Whether typed messages take elements of this type: dwords.
#[inline]
#[must_use]
pub const fn is_typed(elem: ElemType) -> bool {
    matches!(elem, ElemType::U32 | ElemType::I32 | ElemType::F32)
}

/// Whether atomic operations on texels support elements of this type: integers of a dword.
#[inline]
#[must_use]
pub const fn is_typed_atomic(elem: ElemType) -> bool {
    matches!(elem, ElemType::U32 | ElemType::I32)
}

/// Whether atomic operations support elements of this type: all except bytes and `f64`.
#[inline]
#[must_use]
pub const fn is_atomic(elem: ElemType) -> bool {
    !matches!(elem, ElemType::U8 | ElemType::I8 | ElemType::F64)
}
