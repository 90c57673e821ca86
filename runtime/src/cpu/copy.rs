//! Copies of rows between registers and memory.
//!
//! Data that one instruction loads must have been stored by one instruction, otherwise the processor waits until all
//! earlier stores have reached the cache. Pieces of 16 bytes are parts of any vectors that the compiler has stored, and
//! rows of a multiple of 32 bytes consist of vectors of AVX2.

use cm_macros::inlined;

/// 16 bytes. Integers of this size would be split.
#[cfg(target_arch = "x86_64")]
type Piece = std::arch::x86_64::__m128i;
#[cfg(not(target_arch = "x86_64"))]
type Piece = u128;
/// Two of them.
#[cfg(target_arch = "x86_64")]
type Pair = std::arch::x86_64::__m256i;
#[cfg(not(target_arch = "x86_64"))]
type Pair = [u128; 2];

/// Copies `len` bytes to or from byte `offset` of a block in registers. The compiler must know `len`.
///
/// No piece crosses a boundary of its own size in the block.
///
/// # Safety
/// The bytes exist at both places, and do not overlap.
#[inlined]
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
    let wide = len.is_multiple_of(32);
    piece!(Piece, if wide && !(offset + at).is_multiple_of(32));
    // The first ones are no loop, which the compiler would turn into a copy of memory.
    piece!(Pair, if wide);
    piece!(Pair, if wide);
    piece!(Pair, if wide);
    piece!(Pair, if wide);
    for _ in 0..(len - at) / 32 {
        piece!(Pair, if wide);
    }
    // The pieces of other rows; of rows of pairs one may be left.
    piece!(Piece, if true);
    piece!(Piece, if true);
    piece!(Piece, if true);
    piece!(Piece, if true);
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

/// The largest blocks of a buffer after which memory is prefetched: a cache line. For blocks of several lines, a
/// prefetch makes no difference or takes longer.
pub(super) const SMALL_BLOCK: usize = 64;

/// The distance, in bytes, for buffers. 1024 helps less. Two threads side by side read two sequences of blocks in turn, and
/// the processor does not recognise that these follow each other. Sums of 16 such blocks take half the time.
pub(super) const AHEAD: usize = 2048;

/// The narrowest and the widest blocks of a surface, in bytes, after whose rows memory is prefetched: about a cache line, and
/// the columns that filters read beside it. Narrower blocks would prefetch a line twice, wider ones take longer.
pub(super) const NARROWEST: usize = 48;
pub(super) const WIDEST: usize = 80;

/// The smallest surface, in bytes, in which memory is prefetched. A block has many rows, and the processor does not prefetch
/// for so many sequences at once. Smaller surfaces stay in the caches near a core; those of 6 MB take up to 5 % longer.
pub(super) const LARGE_SURFACE: usize = 7 << 20;

/// The distance in each row.
pub(super) const AHEAD_IN_ROW: usize = 512;

/// The narrowest and the widest blocks, in bytes, below which memory is prefetched where threads go down a surface, and the
/// rows between. The processor follows no sequence whose steps are longer than a page. The rows of a surface often share a
/// few sets of the L1 cache, which has no room for so many of them; with fewer rows it takes up to twice as long.
pub(super) const NARROWEST_DOWN: usize = 16;
pub(super) const WIDEST_DOWN: usize = 256;
pub(super) const ROWS_DOWN: usize = 32;

/// Prefetches memory this distance after the start of a block.
#[inlined]
pub(super) fn prefetch<const DISTANCE: usize>(block: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch of any address is a hint, and reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(block.wrapping_add(DISTANCE).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = block;
}

/// Prefetches memory this distance after the start of a row to the L2 cache. The instruction itself: for the compiler the
/// intrinsic function may write, so that it puts together no vectors of what is loaded before and after it.
#[inlined]
pub(super) fn prefetch_far(row: *const u8, distance: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: as in `prefetch`.
    unsafe {
        std::arch::asm!(
            "prefetcht1 [{row} + {distance}]",
            row = in(reg) row.addr(),
            distance = in(reg) distance,
            options(nomem, nostack, preserves_flags),
        );
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (row, distance);
}

/// Copies one piece, a number of any alignment.
///
/// # Safety
/// Its bytes exist at both places.
#[inlined]
unsafe fn copy_piece<T>(from: *const u8, to: *mut u8) {
    // SAFETY: as the caller says.
    unsafe { to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()) };
}

/// Copies rows of `width` bytes, whose starts are a pitch apart. The compiler need not know the sizes.
///
/// # Safety
/// The rows exist at both places, and do not overlap.
#[cfg(not(target_arch = "x86_64"))]
pub(super) unsafe fn copy_rows(
    from: *const u8,
    to: *mut u8,
    [from_pitch, to_pitch]: [usize; 2],
    [rows, width]: [usize; 2],
) {
    for row in 0..rows {
        // SAFETY: as the caller says.
        unsafe { from.add(row * from_pitch).copy_to_nonoverlapping(to.add(row * to_pitch), width) };
    }
}

/// Copies rows of `width` bytes, whose starts are a pitch apart. The compiler need not know the sizes. This
/// is assembly, which is as fast if this crate is not optimised.
///
/// # Safety
/// The rows exist at both places, and do not overlap.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn copy_rows(
    from: *const u8,
    to: *mut u8,
    [from_pitch, to_pitch]: [usize; 2],
    [rows, width]: [usize; 2],
) {
    use std::arch::asm;

    if rows == 0 {
        return;
    }
    /// A loop over rows that copies the pieces of a row. The last piece starts at byte `last`.
    macro_rules! each_row {
        ($piece:literal: $($line:literal)*) => {
            asm!(
                "2:",
                $($line,)*
                "add {from}, {from_pitch}",
                "add {to}, {to_pitch}",
                "dec {rows}",
                "jnz 2b",
                "/* {last} {at} {spare} */",
                from = inout(reg) from => _,
                to = inout(reg) to => _,
                from_pitch = in(reg) from_pitch,
                to_pitch = in(reg) to_pitch,
                rows = inout(reg) rows => _,
                last = in(reg) width - $piece,
                at = out(reg) _,
                spare = out(reg_byte) _,
                out("xmm0") _, out("xmm1") _,
                options(nostack),
            )
        };
    }
    // SAFETY: as the caller says: all pieces are among the bytes of a row.
    unsafe {
        match width {
            16.. => each_row! { 16:
                "xor {at:e}, {at:e}"
                "3:"
                "movdqu xmm0, [{from} + {at}]" "movdqu [{to} + {at}], xmm0"
                "add {at}, 16" "cmp {at}, {last}" "jb 3b"
                "movdqu xmm0, [{from} + {last}]" "movdqu [{to} + {last}], xmm0"
            },
            8.. => each_row! { 8:
                "movq xmm0, [{from}]" "movq xmm1, [{from} + {last}]" "movq [{to}], xmm0" "movq [{to} + {last}], xmm1"
            },
            4.. => each_row! { 4:
                "movd xmm0, [{from}]" "movd xmm1, [{from} + {last}]" "movd [{to}], xmm0" "movd [{to} + {last}], xmm1"
            },
            1.. => each_row! { 1:
                "xor {at:e}, {at:e}"
                "3:"
                "mov {spare}, [{from} + {at}]" "mov [{to} + {at}], {spare}"
                "inc {at}" "cmp {at}, {last}" "jbe 3b"
            },
            0 => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::copy_rows;

    #[test]
    fn rows_of_any_width_are_copied() {
        for width in 0..70 {
            for rows in [0, 1, 3] {
                let (from_pitch, to_pitch) = (width + 5, width + 2);
                let from: Vec<u8> = (0..from_pitch * 4 + 1).map(|n| (n * 7 + 1) as u8).collect();
                let mut to = vec![0; to_pitch * 4 + 1];
                // SAFETY: both have four rows.
                unsafe { copy_rows(from.as_ptr(), to.as_mut_ptr(), [from_pitch, to_pitch], [rows, width]) };
                let mut expected = vec![0; to.len()];
                for row in 0..rows {
                    expected[row * to_pitch..][..width].copy_from_slice(&from[row * from_pitch..][..width]);
                }
                assert_eq!(to, expected, "{rows} rows of {width}");
            }
        }
    }
}
