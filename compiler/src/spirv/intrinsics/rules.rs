//! The conditions for the types of intrinsics.

use super::signature::{VARS, Vars};
use crate::limits;
use crate::spirv::types::{Scalar, Ty};

pub(super) fn anything(_: Vars) -> bool {
    true
}

pub(super) fn three([x, ..]: Vars) -> bool {
    x == Ty::I32.times(3)
}

pub(super) fn timestamp([x, ..]: Vars) -> bool {
    x == Ty::I32.times(4)
}

pub(super) fn float([x, ..]: Vars) -> bool {
    x.scalar.is_float()
}

pub(super) fn dword([x, ..]: Vars) -> bool {
    x.scalar == Scalar::Int(32)
}

pub(super) fn word_or_dword([x, ..]: Vars) -> bool {
    matches!(x.scalar, Scalar::Int(16 | 32))
}

pub(super) fn rotated([x, ..]: Vars) -> bool {
    matches!(x.scalar, Scalar::Int(16 | 32 | 64))
}

pub(super) fn single([x, ..]: Vars) -> bool {
    x.scalar == Scalar::Float(32)
}

/// Truth values of a flag register.
pub(in crate::spirv) const FLAGS: usize = 32;

/// Whether one operation takes this many truth values: as many as fit a flag register, or halves of several.
pub(in crate::spirv) const fn reduces_whole(count: usize) -> bool {
    count > 1 && (count <= FLAGS || count.is_multiple_of(16))
}

pub(super) fn flags([x, ..]: Vars) -> bool {
    x.scalar == Scalar::Bool && reduces_whole(x.count)
}

pub(super) fn region([whole, part, _]: Vars) -> bool {
    part.scalar == whole.scalar && part.count > 1 && whole.count > 1
}

/// One offset in bytes, or one for each element.
pub(super) fn offset([_, part, offset]: Vars) -> bool {
    offset == Ty::I16 || offset == Ty::I16.times(part.count)
}

/// The conversions that the hardware can saturate.
pub(super) fn truncation([float, int, _]: Vars) -> bool {
    matches!(int.scalar, Scalar::Int(8 | 16 | 32))
        && matches!(float.scalar, Scalar::Float(32 | 64))
        && int.count == float.count
}

/// The data of a media message: rows with their padding.
pub(super) fn media_block([x, ..]: Vars) -> bool {
    x.count > 1
        && x.scalar != Scalar::Bool
        && x.bytes() <= limits::MEDIA_BYTES
        && x.bytes().is_multiple_of(limits::DWORD)
}

pub(super) fn factors([sums, b, a]: Vars) -> bool {
    let dwords = [b, a].iter().all(|factors| factors.scalar == Scalar::Int(32));
    dwords && matches!(sums.scalar, Scalar::Int(32) | Scalar::Float(32))
}

/// The data of an oword block message: whole owords, as dwords.
pub(super) fn owords([x, ..]: Vars) -> bool {
    x.scalar == Scalar::Int(32) && limits::oword_write(x.bytes()).is_ok()
}

/// The data of scattered messages: a dword and a truth value for each lane.
pub(super) fn lanes([data, mask, _]: Vars) -> bool {
    data.scalar == Scalar::Int(32) && matches!(data.count, 8 | 16) && mask == data.bool()
}

/// One to four dwords for each of 8 or 16 lanes, with their offsets and a truth value.
pub(super) fn lanes_of_dwords([data, place, mask]: Vars) -> bool {
    let lanes = place.count;
    let rows = (1..=4).any(|rows| data == Ty::I32.times(rows * lanes));
    [8, 16].contains(&lanes) && place == Ty::I32.times(lanes) && rows && mask == place.bool()
}

/// Up to four dwords for each of eight lanes, with a truth value and dwords for the coordinates.
pub(super) fn texels(vars: Vars) -> bool {
    texels_of(8, vars)
}

/// The same for sixteen lanes.
pub(super) fn cached_texels(vars: Vars) -> bool {
    texels_of(16, vars)
}

pub(super) fn texels_of(lanes: usize, [data, mask, place]: Vars) -> bool {
    let dwords = [data, place].iter().all(|ty| ty.scalar == Scalar::Int(32));
    let channels = data.count / lanes;
    dwords
        && place.count == lanes
        && mask == place.bool()
        && data.count % lanes == 0
        && (1..=4).contains(&channels)
}

/// 2 to 64 dwords, or 64 qwords.
pub(super) fn cached_elements([x, ..]: Vars) -> bool {
    let dwords = x.scalar == Scalar::Int(32) && x.count > 1;
    let qwords = x.scalar == Scalar::Int(64) && x.bytes() == limits::QWORD_BLOCK;
    (dwords || qwords) && limits::dword_block(x.elem_bytes(), x.bytes()).is_ok()
}

/// Whole registers of 64 bytes, at most 31 of them.
pub(super) fn registers([x, ..]: Vars) -> bool {
    matches!(x.scalar, Scalar::Int(_)) && x.bytes().is_multiple_of(64) && x.bytes() <= 31 * 64
}

/// The same for a payload and data.
pub(super) fn two_registers([payload, data, _]: Vars) -> bool {
    [payload, data].into_iter().all(|x| registers([x; VARS]))
}

/// A single integer, with a payload of one register.
pub(super) fn single_element([x, payload, _]: Vars) -> bool {
    matches!(x.scalar, Scalar::Int(_)) && x.count == 1 && registers([payload; VARS])
}

/// Like `lanes`, with elements of up to 64 bits, and a dword for the address of each lane.
pub(super) fn cached_lanes([data, mask, starts]: Vars) -> bool {
    mask == data.bool() && starts == data.int(32) && matches!(data.count, 8 | 16)
}

/// The same for up to four elements of each lane.
pub(super) fn cached_rows([data, mask, starts]: Vars) -> bool {
    let rows = data.count / mask.count.max(1);
    data.count == mask.count * rows
        && (1..=4).contains(&rows)
        && cached_lanes([data.times(data.count / rows), mask, starts])
}

/// A truth value and a dword for the address of each lane.
pub(super) fn prefetched_lanes([_, mask, starts]: Vars) -> bool {
    starts.scalar == Scalar::Int(32) && mask == starts.bool() && matches!(mask.count, 8 | 16)
}
