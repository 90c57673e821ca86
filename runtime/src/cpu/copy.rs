//! Copies of rows between surfaces and registers.
//!
//! Written with vectors as values, which the compiler neither cuts up nor puts together: what one instruction loads later
//! must have been stored by one, or the processor waits until all stores before it have reached the cache. A vector that
//! is wider than the instruction set has becomes several.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m128i, __m256i, __m512i};

/// A value at an address that need not be aligned.
#[repr(C, packed)]
#[derive(Clone, Copy)]
struct Unaligned<T>(T);

/// Copies `len` bytes, which the compiler knows, from or to byte `offset` of a block in registers.
///
/// The pieces do not lie across each other, whatever parts of the block are copied elsewhere: the compiler would keep the
/// block in pieces that are parts of all of these.
///
/// # Safety
/// They are there at both, and do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_row(from: *const u8, to: *mut u8, len: usize, offset: usize) {
    let mut at = 0;
    while at < len {
        macro_rules! pieces {
            ($($ty:ty)*) => {$(
                if len - at >= size_of::<$ty>() && (offset + at).is_multiple_of(size_of::<$ty>()) {
                    // SAFETY: bytes `at..at + size` are among the `len` that are there. All of these types are plain bytes.
                    unsafe {
                        let piece = from.add(at).cast::<Unaligned<$ty>>().read();
                        to.add(at).cast::<Unaligned<$ty>>().write(piece);
                    }
                    at += size_of::<$ty>();
                    continue;
                }
            )*};
        }
        #[cfg(target_arch = "x86_64")]
        pieces!(__m512i __m256i __m128i);
        pieces!(u64 u32 u16 u8);
    }
}

/// Copies `len` bytes, which the compiler knows, from each of two places to byte `offset` of a block, by one store if that is
/// possible.
///
/// # Safety
/// They are there, twice as many at `to`, and do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_rows(first: *const u8, second: *const u8, to: *mut u8, len: usize, offset: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! joined {
            ($($half:ty => $whole:ty),*) => {$(
                if len == size_of::<$half>() {
                    // SAFETY: `len` bytes are at both sources and twice as many at the target. All of these types are
                    // plain bytes, and two halves are one whole.
                    unsafe {
                        let first = first.cast::<Unaligned<$half>>().read().0;
                        let second = second.cast::<Unaligned<$half>>().read().0;
                        let whole = std::mem::transmute::<[$half; 2], $whole>([first, second]);
                        to.cast::<Unaligned<$whole>>().write(Unaligned(whole));
                    }
                    return;
                }
            )*};
        }
        joined!(__m256i => __m512i, __m128i => __m256i, u64 => __m128i);
    }
    // SAFETY: as the caller says.
    unsafe {
        copy_row(first, to, len, offset);
        copy_row(second, to.add(len), len, offset + len);
    }
}
