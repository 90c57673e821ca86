//! Puts runs of bytes from many places one after the other.
//!
//! What is loaded by one instruction was stored by one: a processor cannot forward several pending stores to
//! one load, and waits until they have reached the cache. So what comes out is stored in whole blocks,
//! whatever they are put together of, if runs are multiples of 8 bytes, and with AVX-512 also if not. Where runs are an odd number
//! of 16 bytes and there are several, pieces of these were faster, although vectors are then loaded from two
//! stores.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m128i, __m256i, __m512i};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use cm_macros::inlined;

use super::arrays::{Lanes, each, flat, function_if};
use super::block::Blocks;
use super::byte_runs::ByteRuns;
use super::environment::Environment;
use super::readable::Readable;
#[cfg(target_arch = "x86_64")]
use super::x86::{interleave, masked_runs};
use crate::elem::Elem;

/// Of `count` runs of `size` bytes, `step` bytes apart, those at which 4 bytes are before the end of the
/// last.
#[cfg(target_arch = "x86_64")]
const fn before_end(count: usize, size: usize, step: usize) -> usize {
    if size >= 4 {
        return count;
    }
    // The smallest number of runs after one.
    let after = (4 - size).div_ceil(if step > 0 { step } else { 1 });
    count.saturating_sub(after)
}

/// Parts of the rows of an object.
struct Parts<T, const N: usize, const C: usize, const R2: usize, const C2: usize>(*const T);

// SAFETY: `parts` makes it where `R2 * N` runs of `C2` elements, `C` apart, are inside of the object, and
// with them what lies between.
unsafe impl<T, const N: usize, const C: usize, const R2: usize, const C2: usize> ByteRuns
    for Parts<T, N, C, R2, C2>
{
    const COUNT: usize = R2 * N;
    const SIZE: usize = C2 * size_of::<T>();
    #[cfg(target_arch = "x86_64")]
    const ROOMY: usize = before_end(Self::COUNT, Self::SIZE, C * size_of::<T>());

    #[inlined]
    fn start(&self, run: usize) -> *const u8 {
        self.0.wrapping_add(run * C).cast()
    }
}

/// Parts of rows of blocks, those of all threads in one run; so many rows from one to the next.
struct Joined<'a, T, const N: usize, const R: usize, const C: usize>(Blocks<'a, N>, usize, PhantomData<T>);

// SAFETY: `windowed` makes it where the blocks may be read and have these rows, and these bytes of them, each
// thread's right after the one's before.
unsafe impl<T, const N: usize, const R: usize, const C: usize> ByteRuns for Joined<'_, T, N, R, C> {
    const COUNT: usize = R;
    const SIZE: usize = N * C * size_of::<T>();

    #[inlined]
    fn start(&self, run: usize) -> *const u8 {
        let Self(blocks, rows, _) = self;
        blocks.window.row(blocks.rows[0] + run * rows).wrapping_add(blocks.bytes[0])
    }
}

/// Parts of rows of blocks, of each thread for itself.
struct Separate<'a, T, const N: usize, const R: usize, const C: usize>(Blocks<'a, N>, usize, PhantomData<T>);

// SAFETY: `windowed` makes it where the blocks may be read and have these rows, and these bytes of them.
unsafe impl<T, const N: usize, const R: usize, const C: usize> ByteRuns for Separate<'_, T, N, R, C> {
    const COUNT: usize = R * N;
    const SIZE: usize = C * size_of::<T>();

    #[inlined]
    fn start(&self, run: usize) -> *const u8 {
        let Self(blocks, rows, _) = self;
        let (thread, row) = (run % N, run / N * rows);
        let start = blocks.window.row(blocks.rows[thread] + row).wrapping_add(blocks.bytes[thread]);
        start.wrapping_offset(thread as isize * blocks.step)
    }
}

/// `C` elements of each of `R` rows, `rows` rows apart, of the block of each thread.
#[inlined]
pub(super) fn windowed<E: Environment, T: Elem, const N: usize, const R: usize, const C: usize>(
    blocks: Readable<Blocks<'_, N>>,
    rows: usize,
) -> Lanes<T, N, R, C> {
    let blocks = *blocks.get();
    let size = C * size_of::<T>();
    assert!(blocks.contain(R, rows, size), "a region lies inside of its block");
    let mut joined = blocks.step == size as isize;
    each!(n < N => {
        joined &= blocks.rows[n] == blocks.rows[0] && blocks.bytes[n] == blocks.bytes[0];
    });
    // Rows of whole blocks are stored as such, wherever those of the next thread are.
    if const { N > 1 && !(C * size_of::<T>()).is_multiple_of(BLOCK) } && joined {
        compose::<E, _, _, N, R, C>(&Joined::<T, N, R, C>(blocks, rows, PhantomData))
    } else {
        compose::<E, _, _, N, R, C>(&Separate::<T, N, R, C>(blocks, rows, PhantomData))
    }
}

/// Of `R2` rows of an object those parts of `C2` elements that start with element `at` of all threads.
#[inlined]
pub(super) fn parts<
    E: Environment,
    T: Elem,
    const N: usize,
    const R: usize,
    const C: usize,
    const R2: usize,
    const C2: usize,
>(
    x: &Lanes<T, N, R, C>,
    at: usize,
) -> Lanes<T, N, R2, C2> {
    let source = &flat(x)[at..];
    let last = (R2 * N).checked_sub(1).and_then(|run| run.checked_mul(C)).and_then(|at| at.checked_add(C2));
    assert!(last.is_some_and(|end| end <= source.len()), "a region lies inside of its object");
    // Of a large object and many runs the compiler would keep pieces in registers, and put the runs together
    // of these.
    let size = R2 * N * C2 * size_of::<T>();
    let from = if size >= KEPT { std::hint::black_box(source.as_ptr()) } else { source.as_ptr() };
    compose::<E, _, _, N, R2, C2>(&Parts::<T, N, C, R2, C2>(from))
}

/// Whole rows of all threads, from element `start` on.
#[inlined]
pub(super) fn whole_rows<
    T: Elem,
    const N: usize,
    const R: usize,
    const C: usize,
    const R2: usize,
    const C2: usize,
>(
    x: &Lanes<T, N, R, C>,
    start: usize,
) -> Lanes<T, N, R2, C2> {
    let source = &flat(x)[start..start + R2 * N * C2];
    let mut lanes = MaybeUninit::<Lanes<T, N, R2, C2>>::uninit();
    // SAFETY: as many elements are in the source, by its length, as are in the target.
    unsafe {
        let to = lanes.as_mut_ptr().cast::<u8>();
        copy_from(source.as_ptr().cast(), start * size_of::<T>(), to, size_of_val(source));
    }
    // SAFETY: written as a whole.
    unsafe { lanes.assume_init() }
}

/// Copies `len` bytes from byte `offset` of an object that was stored in blocks of 64 bytes: if it begins in
/// the middle of one, by halves.
///
/// # Safety
/// They are there at both, and do not overlap.
#[inlined]
unsafe fn copy_from(from: *const u8, offset: usize, to: *mut u8, len: usize) {
    let blocks = if cfg!(target_arch = "x86_64") && offset % 64 == 32 { len / 64 } else { 0 };
    #[cfg(target_arch = "x86_64")]
    for block in 0..blocks {
        // SAFETY: 64 bytes are at both; all of these types are plain bytes.
        unsafe {
            let from = from.add(block * 64).cast::<Unaligned<__m256i>>();
            let whole = std::mem::transmute::<[__m256i; 2], __m512i>([from.read().0, from.add(1).read().0]);
            to.add(block * 64).cast::<Unaligned<__m512i>>().write(Unaligned(whole));
        }
    }
    let done = blocks * 64;
    // SAFETY: as the caller says, of what is left.
    unsafe { to.add(done).copy_from_nonoverlapping(from.add(done), len - done) };
}

/// Bytes of runs from which on they are loaded from memory, by measurement.
const KEPT: usize = 384;

pub(super) const fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// What is stored at once, other than in pieces: the compiler loads as much, or less.
pub(super) const BLOCK: usize = 64;

/// The smallest number of runs of `size` bytes that fills whole blocks.
const fn together(size: usize) -> usize {
    BLOCK / gcd(size, BLOCK)
}

/// Bytes of the runs that fill no whole blocks together.
const fn left(count: usize, size: usize) -> usize {
    count % together(size) * size
}

/// All runs, one after the other.
#[inlined]
fn compose<E: Environment, S: ByteRuns, T: Elem, const N: usize, const R: usize, const C: usize>(
    source: &S,
) -> Lanes<T, N, R, C> {
    const { assert!(S::COUNT * S::SIZE == size_of::<Lanes<T, N, R, C>>()) };
    let mut lanes = MaybeUninit::<Lanes<T, N, R, C>>::uninit();
    // SAFETY: `lanes` has room for all runs, by the assertion, and every byte of them is written.
    unsafe {
        Way::<E, S>::CHOSEN(source, lanes.as_mut_ptr().cast::<u8>());
        lanes.assume_init()
    }
}

/// The way to put runs together.
struct Way<E, S>(PhantomData<(E, S)>);

impl<E: Environment, S: ByteRuns> Way<E, S> {
    /// A constant: of calls under conditions rustc would prepare all the functions.
    ///
    /// # Safety
    /// The target has room for all runs. Every byte of them is written.
    const CHOSEN: unsafe fn(&S, *mut u8) = {
        #[cfg(target_arch = "x86_64")]
        if matches!(S::SIZE, 1 | 2 | 4) && S::COUNT > 1 {
            interleave::compose::<S>
        } else if E::AVX512.is_some() && masked_runs::suit(S::COUNT, S::SIZE) {
            compose_masked::<E, S>
        } else if S::SIZE % 8 != 0 {
            compose_each::<S>
        } else if S::COUNT > 3 && S::SIZE % 16 == 0 && S::SIZE % 32 != 0 {
            // Few runs are better off in whole blocks, by measurement; many of this size would take turns at being in
            // two.
            compose_pieces::<S>
        } else {
            compose_blocks::<S>
        }
        #[cfg(not(target_arch = "x86_64"))]
        if S::SIZE % 8 != 0 { compose_each::<S> } else { compose_blocks::<S> }
    };
}

/// Run by run.
///
/// # Safety
/// `to` has room for all runs.
#[inlined]
unsafe fn compose_each<S: ByteRuns>(source: &S, to: *mut u8) {
    for run in 0..S::COUNT {
        // SAFETY: run `run` is inside of source and target.
        unsafe { to.add(run * S::SIZE).copy_from_nonoverlapping(source.start(run), S::SIZE) };
    }
}

/// By loads that leave out bytes, with AVX-512.
///
/// # Safety
/// `to` has room for all runs.
#[cfg(target_arch = "x86_64")]
#[inlined]
unsafe fn compose_masked<E: Environment, S: ByteRuns>(source: &S, to: *mut u8) {
    let avx512 = E::AVX512.expect("chosen with AVX-512");
    // SAFETY: as the caller says.
    unsafe { masked_runs::compose(source, to, avx512) };
}

/// Runs of a multiple of 8 bytes, in whole blocks.
///
/// # Safety
/// `to` has room for all runs.
#[inlined]
unsafe fn compose_blocks<S: ByteRuns>(source: &S, to: *mut u8) {
    // As many runs as fill whole blocks, and those left. What there is none of is left out before the compiler
    // optimises.
    if const { S::COUNT >= together(S::SIZE) } {
        for group in 0..const { S::COUNT / together(S::SIZE) } {
            for block in 0..const { S::SIZE * together(S::SIZE) / BLOCK } {
                // SAFETY: these are bytes of the runs of the group, all of which are among the first `COUNT`; the
                // target has as many.
                unsafe {
                    compose_block::<S, 8>(source, group * const { together(S::SIZE) }, block * BLOCK, to);
                }
            }
        }
    }
    let last = const { S::COUNT / together(S::SIZE) * together(S::SIZE) };
    each!(block < left(S::COUNT, S::SIZE) / BLOCK => {
        // SAFETY: these are bytes of the last runs.
        unsafe { compose_block::<S, 8>(source, last, block * BLOCK, to) };
    });
    if const { left(S::COUNT, S::SIZE) % BLOCK >= 32 } {
        let at = const { left(S::COUNT, S::SIZE) / BLOCK * BLOCK };
        // SAFETY: as above.
        unsafe {
            function_if!(left(S::COUNT, S::SIZE) % BLOCK >= 32 => compose_block::<S, 4> as unsafe fn(_, _, _, _))(
                source, last, at, to,
            );
        }
    }
    if const { left(S::COUNT, S::SIZE) % 32 >= 16 } {
        let at = const { left(S::COUNT, S::SIZE) / 32 * 32 };
        // SAFETY: as above.
        unsafe {
            function_if!(left(S::COUNT, S::SIZE) % 32 >= 16 => compose_block::<S, 2> as unsafe fn(_, _, _, _))(
                source, last, at, to,
            );
        }
    }
    if const { left(S::COUNT, S::SIZE) % 16 >= 8 } {
        let at = const { left(S::COUNT, S::SIZE) / 16 * 16 };
        // SAFETY: as above.
        unsafe {
            function_if!(left(S::COUNT, S::SIZE) % 16 >= 8 => compose_block::<S, 1> as unsafe fn(_, _, _, _))(
                source, last, at, to,
            );
        }
    }
}

/// Whether there are more than `THAN` runs, and more than `THAN` pieces of 16 bytes in one.
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
struct Pieces<S, const THAN: usize>(PhantomData<S>);

#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
impl<S: ByteRuns, const THAN: usize> Pieces<S, THAN> {
    const RUNS: bool = S::COUNT > THAN;
    const PIECES: bool = S::SIZE / 16 > THAN;
}

/// Writes all runs, one after the other, by 16 bytes.
///
/// # Safety
/// Runs are multiples of 16 bytes, and `to` has room for all of them.
#[cfg(target_arch = "x86_64")]
#[inlined]
unsafe fn compose_pieces<S: ByteRuns>(source: &S, to: *mut u8) {
    each!(run < S::COUNT, Pieces<S> RUNS => {
        each!(piece < S::SIZE / 16, Pieces<S> PIECES => {
            // SAFETY: pieces below `SIZE / 16` of runs below `COUNT` are 16 bytes of the source, and of the target,
            // as the caller says.
            unsafe {
                let piece16 = source.start(run).add(piece * 16).cast::<Unaligned<__m128i>>().read();
                to.add(run * S::SIZE + piece * 16).cast::<Unaligned<__m128i>>().write(piece16);
            }
        });
    });
}

/// A value at an address that need not be aligned.
#[cfg(target_arch = "x86_64")]
#[repr(C, packed)]
#[derive(Clone, Copy)]
struct Unaligned<T>(T);

/// Whether `K` is `N`. A constant of its own, which rustc evaluates once, not once for every form of a region.
#[cfg(target_arch = "x86_64")]
struct Eighths<const K: usize, const N: usize>;

#[cfg(target_arch = "x86_64")]
impl<const K: usize, const N: usize> Eighths<K, N> {
    const ARE: bool = K == N;
}

/// Copies `K` times 8 bytes, from byte `at` of run `first` and those that follow on, by one store where the
/// instruction set has one.
///
/// # Safety
/// They are bytes of the first `COUNT` runs, whose size is a multiple of 8, and `to` has room for all runs.
#[inlined]
unsafe fn compose_block<S: ByteRuns, const K: usize>(source: &S, first: usize, at: usize, to: *mut u8) {
    let to = to.wrapping_add(first * S::SIZE + at);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: `8 * K` bytes are at the source and at the target, as the caller says; SSE2 is part of the
    // architecture, and all of these types are plain bytes.
    unsafe {
        if Eighths::<K, 8>::ARE {
            let whole = if const { S::SIZE >= 64 } && at % S::SIZE + 64 <= S::SIZE {
                byte(source, first, at).cast::<Unaligned<__m512i>>().read().0
            } else {
                let halves = [quarter(source, first, at), quarter(source, first, at + 32)];
                std::mem::transmute::<[__m256i; 2], __m512i>(halves)
            };
            to.cast::<Unaligned<__m512i>>().write(Unaligned(whole));
        } else if Eighths::<K, 4>::ARE {
            to.cast::<Unaligned<__m256i>>().write(Unaligned(quarter(source, first, at)));
        } else if Eighths::<K, 2>::ARE {
            to.cast::<Unaligned<__m128i>>().write(Unaligned(eighth(source, first, at)));
        } else {
            to.copy_from_nonoverlapping(byte(source, first, at), 8);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    for k in 0..K {
        // SAFETY: as above.
        unsafe { to.add(k * 8).copy_from_nonoverlapping(byte(source, first, at + k * 8), 8) };
    }
}

/// Where a byte is: `at` bytes from the start of run `first` on, in the runs one after the other.
#[inlined]
fn byte<S: ByteRuns>(source: &S, first: usize, at: usize) -> *const u8 {
    source.start(first + at / S::SIZE).wrapping_add(at % S::SIZE)
}

/// The 16 bytes from there on. Whether they are in one run is asked of numbers that the compiler knows, not of
/// addresses.
///
/// # Safety
/// As for [`compose_block`].
#[cfg(target_arch = "x86_64")]
#[inlined]
unsafe fn eighth<S: ByteRuns>(source: &S, first: usize, at: usize) -> __m128i {
    use std::arch::x86_64::{_mm_loadl_epi64, _mm_loadu_si128, _mm_unpacklo_epi64};
    let start = byte(source, first, at);
    // SAFETY: as the caller says.
    unsafe {
        if const { S::SIZE >= 16 } && at % S::SIZE + 16 <= S::SIZE {
            _mm_loadu_si128(start.cast())
        } else {
            let next = byte(source, first, at + 8);
            _mm_unpacklo_epi64(_mm_loadl_epi64(start.cast()), _mm_loadl_epi64(next.cast()))
        }
    }
}

/// The same of 32 bytes.
///
/// # Safety
/// As for [`compose_block`].
#[cfg(target_arch = "x86_64")]
#[inlined]
unsafe fn quarter<S: ByteRuns>(source: &S, first: usize, at: usize) -> __m256i {
    // SAFETY: as the caller says.
    unsafe {
        if const { S::SIZE >= 32 } && at % S::SIZE + 32 <= S::SIZE {
            byte(source, first, at).cast::<Unaligned<__m256i>>().read().0
        } else {
            let halves = [eighth(source, first, at), eighth(source, first, at + 16)];
            std::mem::transmute::<[__m128i; 2], __m256i>(halves)
        }
    }
}
