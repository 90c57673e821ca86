//! Copies of rows from registers to surfaces.
//!
//! What one instruction loads must have been stored by one, or the processor waits until all stores before it
//! have reached the cache. Pieces of 16 bytes are parts of whatever vectors the compiler has stored.

/// 16 bytes. Numbers as wide would be taken apart on their way.
#[cfg(target_arch = "x86_64")]
type Piece = std::arch::x86_64::__m128i;
#[cfg(not(target_arch = "x86_64"))]
type Piece = u128;

/// Copies `len` bytes, which the compiler knows, from byte `offset` of a block in registers.
///
/// No piece lies over two of 16 bytes of the block.
///
/// # Safety
/// They are there at both, and do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_row(from: *const u8, to: *mut u8, len: usize, offset: usize) {
    let mut at = 0;
    // No loop with a condition that depends on what it has copied, which the compiler would leave a loop.
    macro_rules! piece {
        ($ty:ty, if $condition:expr) => {
            if $condition && len - at >= size_of::<$ty>() {
                // SAFETY: these bytes are among the `len` that are there, by the condition.
                unsafe { copy_piece::<$ty>(from.add(at), to.add(at)) };
                at += size_of::<$ty>();
            }
        };
    }
    piece!(u8, if !(offset + at).is_multiple_of(2));
    piece!(u16, if !(offset + at).is_multiple_of(4));
    piece!(u32, if !(offset + at).is_multiple_of(8));
    piece!(u64, if !(offset + at).is_multiple_of(16));
    for _ in 0..(len - at) / 16 {
        piece!(Piece, if true);
    }
    piece!(u64, if true);
    piece!(u32, if true);
    piece!(u16, if true);
    if at < len {
        // SAFETY: the last byte is there.
        unsafe { copy_piece::<u8>(from.add(at), to.add(at)) };
    }
}

/// Copies one piece, a number of any alignment.
///
/// # Safety
/// Its bytes are there at both.
#[inline(always)]
unsafe fn copy_piece<T>(from: *const u8, to: *mut u8) {
    // SAFETY: as the caller says.
    unsafe { to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()) };
}
