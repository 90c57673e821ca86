//! Puts runs of 1, 2 or 4 bytes, such as columns, one after the other in registers: each is loaded into a
//! register of its own, and then they are interleaved by twos, in as many steps as their number can be
//! halved.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, _mm_cvtsi32_si128, _mm_setzero_si128, _mm_unpacklo_epi8, _mm_unpacklo_epi16, _mm_unpacklo_epi32,
};

use cm_macros::inlined;

use super::super::arrays::each;
use super::super::byte_runs::ByteRuns;

/// Bytes that a group of runs fills.
const GROUP: usize = size_of::<__m128i>();

/// All runs, one after the other; writes every byte of them.
///
/// # Safety
/// `to` has room for all of them.
///
/// # Panics
/// If runs have other than 1, 2 or 4 bytes.
#[inlined]
pub(in crate::cpu) unsafe fn compose<S: ByteRuns>(source: &S, to: *mut u8) {
    assert!(matches!(S::SIZE, 1 | 2 | 4), "small runs");
    // The compiler looks at these for other sizes too.
    let together = const { if S::SIZE > GROUP { 1 } else { GROUP.div_ceil(S::SIZE.next_power_of_two()) } };
    // Groups of which every run can be read as 4 bytes.
    each!(group < S::ROOMY * S::SIZE / GROUP => {
        // SAFETY: the group is inside of the first `ROOMY` runs, and so are its bytes inside of the target.
        unsafe {
            let all = group_of::<S, true>(source, group * together, together);
            to.add(group * GROUP).cast::<__m128i>().write_unaligned(all);
        }
    });
    let (roomy, full) = const { (S::ROOMY * S::SIZE / GROUP, S::COUNT * S::SIZE / GROUP) };
    each!(more < S::COUNT * S::SIZE / GROUP - S::ROOMY * S::SIZE / GROUP => {
        let group = roomy + more;
        // SAFETY: the group is inside of the first `COUNT` runs, and so are its bytes inside of the target.
        unsafe {
            let all = group_of::<S, false>(source, group * together, together);
            to.add(group * GROUP).cast::<__m128i>().write_unaligned(all);
        }
    });
    let rest = S::COUNT % together;
    if rest > 0 {
        // SAFETY: these are the runs that are left; what is interleaved of them is at least as long.
        unsafe {
            // Halving asks for a power of two; the zeros behind the last run are not stored.
            let all = group_of::<S, false>(source, full * together, rest.next_power_of_two());
            let bytes = std::ptr::from_ref(&all).cast::<u8>();
            to.add(full * GROUP).copy_from_nonoverlapping(bytes, rest * S::SIZE);
        }
    }
}

/// Runs from `$first` on, `$step` apart: the even ones and the odd ones, interleaved.
///
/// Not by a loop or recursion: the compiler inlines neither at once. Not by functions either, of which every form of a region
/// would have its own.
macro_rules! interleaved {
    (@ $half:tt, $load:ident, $size:expr, $first:expr, $step:expr) => {
        unpacked(
            $size,
            interleaved!($half, $load, $size, $first, $step * 2),
            interleaved!($half, $load, $size, $first + $step, $step * 2),
        )
    };
    (16, $($rest:tt)*) => { interleaved!(@ 8, $($rest)*) };
    (8, $($rest:tt)*) => { interleaved!(@ 4, $($rest)*) };
    (4, $($rest:tt)*) => { interleaved!(@ 2, $($rest)*) };
    (2, $($rest:tt)*) => { interleaved!(@ 1, $($rest)*) };
    (1, $load:ident, $size:expr, $first:expr, $step:expr) => { $load!($first) };
}

/// `count` runs from `first` on, a power of two; those beyond the last are zeros.
///
/// # Safety
/// With `ROOMY` all of them are among the first [`ByteRuns::ROOMY`].
#[inlined]
unsafe fn group_of<S: ByteRuns, const ROOMY: bool>(source: &S, first: usize, count: usize) -> __m128i {
    macro_rules! load {
        ($run:expr) => {
            // SAFETY: as the caller says.
            unsafe { load::<S, ROOMY>(source, $run) }
        };
    }
    match count {
        16 => interleaved!(16, load, S::SIZE, first, 1),
        8 => interleaved!(8, load, S::SIZE, first, 1),
        4 => interleaved!(4, load, S::SIZE, first, 1),
        2 => interleaved!(2, load, S::SIZE, first, 1),
        1 => load!(first),
        _ => unreachable!("groups are powers of two, up to 16"),
    }
}

/// Runs of `size` bytes of both, in turn.
#[inlined]
fn unpacked(size: usize, even: __m128i, odd: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of the architecture.
    unsafe {
        match size {
            1 => _mm_unpacklo_epi8(even, odd),
            2 => _mm_unpacklo_epi16(even, odd),
            _ => _mm_unpacklo_epi32(even, odd),
        }
    }
}

/// A run in the lowest bytes, and anything above.
///
/// # Safety
/// As for `group_of`.
#[inlined]
unsafe fn load<S: ByteRuns, const ROOMY: bool>(source: &S, run: usize) -> __m128i {
    if !ROOMY && run >= S::COUNT {
        // SAFETY: SSE2 is part of the architecture.
        return unsafe { _mm_setzero_si128() };
    }
    let from = source.start(run);
    // Bytes are loaded as bytes, although 4 would be one instruction less: the compiler then sees which bytes
    // are moved, and moves those of several columns at once.
    // SAFETY: `SIZE` bytes are there, and 4 where the source or the caller says so.
    let bits = unsafe {
        if S::SIZE == 4 || S::SIZE == 2 && (ROOMY || run < S::ROOMY) {
            from.cast::<i32>().read_unaligned()
        } else if S::SIZE == 2 {
            i32::from(from.cast::<u16>().read_unaligned())
        } else {
            i32::from(from.read())
        }
    };
    // SAFETY: SSE2 is part of the architecture.
    unsafe { _mm_cvtsi32_si128(bits) }
}
