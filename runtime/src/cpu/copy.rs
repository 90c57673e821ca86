//! Copies of rows from registers to surfaces.
//!
//! Data that one instruction loads must have been stored by one instruction, otherwise the processor waits until all
//! earlier stores have reached the cache. Pieces of 16 bytes are parts of any vectors that the compiler has stored.

/// 16 bytes. Integers of this size would be split.
#[cfg(target_arch = "x86_64")]
type Piece = std::arch::x86_64::__m128i;
#[cfg(not(target_arch = "x86_64"))]
type Piece = u128;

/// Copies `len` bytes, a number that the compiler knows, from byte `offset` of a block in registers.
///
/// No piece crosses a boundary of 16 bytes in the block.
///
/// # Safety
/// The bytes exist at both places, and do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_row(from: *const u8, to: *mut u8, len: usize, offset: usize) {
    let mut at = 0;
    // Not a loop whose condition depends on the copied bytes, because the compiler would not unroll it.
    macro_rules! piece {
        ($ty:ty, if $condition:expr) => {
            if $condition && len - at >= size_of::<$ty>() {
                // SAFETY: by the condition, these bytes are among the `len` bytes.
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
        // SAFETY: the last byte exists.
        unsafe { copy_piece::<u8>(from.add(at), to.add(at)) };
    }
}

/// Copies one piece, a number of any alignment.
///
/// # Safety
/// Its bytes exist at both places.
#[inline(always)]
unsafe fn copy_piece<T>(from: *const u8, to: *mut u8) {
    // SAFETY: as the caller says.
    unsafe { to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()) };
}
