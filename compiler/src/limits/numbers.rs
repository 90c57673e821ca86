//! The numbers of the limits, each defined once: the rules and their messages use them.

/// Bytes of a register up to Xe-HPG.
pub const REGISTER: usize = 32;
/// Registers of a thread.
pub const REGISTERS: usize = 128;
/// Bytes of the register file that every GPU has: the standard number of registers, of 32 bytes.
pub const REGISTER_FILE: usize = REGISTERS * REGISTER;
/// Bytes of the register files that a kernel can be written for. Registers have 32 or 64 bytes, and a thread has the
/// standard number of them or twice as many.
pub const REGISTER_FILES: [usize; 3] = [REGISTER_FILE, 2 * REGISTER_FILE, 4 * REGISTER_FILE];
/// Bytes of the largest of them.
pub const LARGEST_REGISTER_FILE: usize = REGISTER_FILES[REGISTER_FILES.len() - 1];

/// Threads of a thread space per dimension: the media walker's limit from Skylake on.
pub const THREAD_SPACE: usize = 2047;

/// The largest number of threads that a thread of a thread space waits for.
pub const DEPENDENCIES: usize = 8;
/// The lowest number of a vector to such a thread.
pub const DEPENDENCY_LOW: i32 = -8;
/// The highest number of a vector to such a thread.
pub const DEPENDENCY_HIGH: i32 = 7;
/// The largest number of columns or rows of threads of a macro block, in which a dependency pattern orders edges.
pub const MACRO_BLOCK: u8 = 16;

/// Threads of the largest group of threads of any GPU.
pub const GROUP_THREADS: usize = 128;

/// The barriers of a group of threads: named barriers, and the barrier of all threads if the kernel uses it.
pub const BARRIERS: usize = 32;

/// Bytes of shared local memory of a group of threads.
pub const SHARED_BYTES: usize = 64 << 10;

/// Dwords of factors per sum of `dpas`.
pub const DPAS_DEPTH: usize = 8;
/// The largest number of rows of `dpas`.
pub(super) const DPAS_ROWS: usize = 8;
/// The sums of a row of `dpas`: up to Xe-HPG, and from Xe-HPC on.
pub(super) const DPAS_LANES: [usize; 2] = [8, 16];

/// The most elements of an instruction.
pub const LANES: usize = 32;

/// The number of elements that an integer mask covers.
pub const MASK_BITS: usize = 32;

/// The nesting depth of blocks: low enough for the stack of a thread.
pub const MAX_DEPTH: usize = 128;

/// Bytes of the largest value of the IR: offsets of regions have 16 bits and a sign.
pub const VALUE_BYTES: usize = 1 << 15;

/// Bytes of a dword, the unit of media block writes.
pub const DWORD: usize = 4;
/// The largest number of rows, and of columns, of a transposing read.
pub(super) const TRANSPOSED_SIDE: usize = 8;
/// Bytes of the smallest oword block: an oword.
pub const OWORD: usize = 16;
/// Bytes of the largest oword block: 8 owords.
pub const OWORD_BLOCK: usize = 128;
/// Bytes of the largest block of dwords that is loaded or stored.
pub const DWORD_BLOCK: usize = 256;
/// Bytes of a qword.
pub const QWORD: usize = 8;
/// Bytes of the largest block of qwords that is loaded or stored.
pub const QWORD_BLOCK: usize = 512;
/// Bytes of the widest row of a 2-D block, or of several next to each other.
pub const BLOCK_2D_WIDTH: usize = 64;
/// The largest number of rows in memory of a loaded 2-D block.
pub const BLOCK_2D_LOADED_ROWS: usize = 32;
/// The largest number of rows of a stored 2-D block.
pub const BLOCK_2D_STORED_ROWS: usize = 8;
/// The element size times the number of blocks, at most.
pub(super) const BLOCK_2D_BLOCKS_BYTES: usize = 8;
/// Bytes of the widest row in memory of a transposed 2-D block.
pub(super) const TRANSPOSED_2D_BYTES: usize = 32;
/// Bytes of the shortest row of a picture that contains 2-D blocks.
pub(super) const PICTURE_WIDTH: usize = 64;
/// The alignment of the pitch of such a picture.
pub(super) const PICTURE_PITCH: usize = 16;
/// The alignment of the first byte of such a picture.
pub const PICTURE_START: usize = 64;
/// The largest number of rows, and the largest pitch, of such a picture.
pub(super) const PICTURE_SIDE: usize = 1 << 24;
/// Elements of the largest scattered message.
pub const SCATTERED_LANES: usize = 32;
/// The numbers of elements of the vectors of a scattered message.
pub(super) const VECTOR_SIZES: [usize; 4] = [2, 3, 4, 8];
/// The largest offset into a buffer.
pub(super) const OFFSET: i128 = i32::MAX as i128;

/// Work items of the smallest and of the largest sub-group.
pub(super) const SUB_GROUPS: (usize, usize) = (8, 32);

/// The smallest and the largest number of lanes of SIMD control flow.
pub(super) const SIMD_LANES: (usize, usize) = (2, 32);

/// Bytes of the widest row of a media block.
pub const MEDIA_WIDTH: usize = 64;
/// Bytes of the largest media block, in registers.
pub const MEDIA_BYTES: usize = 256;
/// Bytes of the widest row of a region of `cl_intel_media_block_io`.
pub(super) const MEDIA_IO_WIDTH: usize = 32;

/// The pitch of a media block in registers: the width rounded up to a power of two, at least a dword.
#[inline]
#[must_use]
pub const fn media_pitch(width: usize) -> usize {
    let pitch = width.next_power_of_two();
    if pitch < DWORD { DWORD } else { pitch }
}

/// Rows of the largest region of `cl_intel_media_block_io` whose rows have `width` bytes; 0 if there is
/// none.
#[inline]
#[must_use]
pub(super) const fn media_io_rows(width: usize) -> usize {
    if width == 0 || width > MEDIA_IO_WIDTH || !width.is_multiple_of(DWORD) {
        0
    } else {
        MEDIA_BYTES / media_pitch(width)
    }
}
