//! Puts runs of any number of bytes one after the other by loads of AVX-512 that leave out bytes: a block of 64 bytes is one load for
//! each run that has bytes of it, and one store. Copied run by run, such bytes would be loaded from several stores, which a
//! processor cannot forward.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_mask_storeu_epi8, _mm512_mask_loadu_epi8, _mm512_setzero_si512,
};

use cm_macros::inlined;

use super::super::arrays::each;
use super::super::byte_runs::ByteRuns;
use super::super::environment::Avx512;

/// Bytes of a block.
const BLOCK: usize = size_of::<__m512i>();

/// The shortest runs: of shorter ones a block has too many.
const SHORTEST: usize = 10;

/// The fewest bytes of all runs, by measurement. The compiler keeps fewer in registers.
const FEWEST: usize = 384;

/// The most bytes: as many blocks as [`compose`] has without a loop.
const MOST: usize = 24 * BLOCK;

/// Whether `count` runs of `size` bytes are put together so.
pub(in crate::cpu) const fn suit(count: usize, size: usize) -> bool {
    !size.is_multiple_of(8) && size >= SHORTEST && count * size >= FEWEST && count * size < MOST
}

/// The most runs that have bytes of a block.
const fn most(size: usize) -> usize {
    (BLOCK - 1).div_ceil(size) + 1
}

/// All runs, one after the other; writes every byte of them.
///
/// # Safety
/// `to` has room for all of them.
#[inlined]
pub(in crate::cpu) unsafe fn compose<S: ByteRuns>(source: &S, to: *mut u8, avx512: Avx512) {
    let (blocks, rest) = const { (S::COUNT * S::SIZE / BLOCK, S::COUNT * S::SIZE % BLOCK) };
    // Not a loop: the compiler would not unroll it, and would compute the bytes of each load.
    macro_rules! blocks {
        ($($block:literal)*) => {$(
            if const { S::COUNT * S::SIZE / BLOCK > $block } {
                let all = block_of(source, $block, avx512);
                // SAFETY: the target has this block.
                unsafe { to.add($block * BLOCK).cast::<__m512i>().write_unaligned(all) };
            }
        )*};
    }
    blocks!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23);
    if rest > 0 {
        // SAFETY: the target has the bytes that are left.
        unsafe { store_first(block_of(source, blocks, avx512), rest, to.add(blocks * BLOCK), avx512) };
    }
}

/// Block `block` of all runs; zeros after the last run.
#[inlined]
fn block_of<S: ByteRuns>(source: &S, block: usize, _: Avx512) -> __m512i {
    let begin = block * BLOCK;
    let first = begin / S::SIZE;
    // SAFETY: the CPU has AVX-512BW by the proof.
    let mut all = unsafe { _mm512_setzero_si512() };
    each!(k < most(S::SIZE) => {
        let run = first + k;
        let end = (run * S::SIZE + S::SIZE).min(begin + BLOCK);
        if run < S::COUNT && run * S::SIZE < end {
            let start = (run * S::SIZE).max(begin);
            let bytes = (u64::MAX >> (BLOCK - (end - start))) << (start - begin);
            let from = source.start(run).wrapping_add(begin).wrapping_sub(run * S::SIZE);
            // SAFETY: the CPU has AVX-512BW by the proof. The bytes that are loaded are those of the run.
            all = unsafe { _mm512_mask_loadu_epi8(all, bytes, from.cast()) };
        }
    });
    all
}

/// Stores the first `count` bytes, by vectors as far as they are some: the processor can forward these.
///
/// # Safety
/// `to` has room for them, which are fewer than a block.
#[inlined]
unsafe fn store_first(all: __m512i, count: usize, to: *mut u8, _: Avx512) {
    // SAFETY: as the caller says, and the CPU has AVX-512VL by the proof; vectors are plain numbers.
    unsafe {
        let [low, high] = std::mem::transmute::<__m512i, [__m256i; 2]>(all);
        if count >= 32 {
            to.cast::<__m256i>().write_unaligned(low);
        }
        let done = count / 32 * 32;
        let [low, high] = std::mem::transmute::<__m256i, [__m128i; 2]>(if count >= 32 { high } else { low });
        if count % 32 >= 16 {
            to.add(done).cast::<__m128i>().write_unaligned(low);
        }
        if !count.is_multiple_of(16) {
            let (last, done) = (if count % 32 >= 16 { high } else { low }, count / 16 * 16);
            _mm_mask_storeu_epi8(to.add(done).cast(), ((1_u32 << (count - done)) - 1) as u16, last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `COUNT` runs of `SIZE` bytes, `STEP` bytes apart.
    struct Apart<const COUNT: usize, const SIZE: usize, const STEP: usize>(*const u8);

    // SAFETY: `check` makes it of the bytes of all runs.
    unsafe impl<const COUNT: usize, const SIZE: usize, const STEP: usize> ByteRuns for Apart<COUNT, SIZE, STEP> {
        const COUNT: usize = COUNT;
        const SIZE: usize = SIZE;

        fn start(&self, run: usize) -> *const u8 {
            self.0.wrapping_add(run * STEP)
        }
    }

    fn check<const COUNT: usize, const SIZE: usize, const STEP: usize>() {
        let Some(avx512) = Avx512::detect() else {
            eprintln!("skipped: this CPU has no AVX-512");
            return;
        };
        // Exactly the bytes of the runs, so that a sanitizer sees loads of others.
        let bytes: Vec<u8> = (0..(COUNT - 1) * STEP + SIZE).map(|n| (n * 37 + n / 251) as u8).collect();
        let expected: Vec<u8> =
            (0..COUNT * SIZE).map(|n| bytes[n / SIZE * STEP + n % SIZE]).chain([0xa5; 8]).collect();
        let mut found = vec![0xa5; COUNT * SIZE + 8];
        // SAFETY: the target has room for all runs.
        unsafe { compose(&Apart::<COUNT, SIZE, STEP>(bytes.as_ptr()), found.as_mut_ptr(), avx512) };
        assert_eq!(found, expected, "{COUNT} runs of {SIZE} bytes");
    }

    #[test]
    fn runs_follow_each_other() {
        check::<20, 36, 40>();
        check::<16, 30, 32>();
        check::<16, 28, 32>();
        check::<39, 10, 17>();
        check::<33, 12, 12>();
        check::<9, 66, 100>();
        check::<3, 130, 200>();
        check::<13, 31, 64>();
        check::<7, 57, 57>();
    }

    #[test]
    fn short_and_even_runs_do_not_suit() {
        assert!(suit(20, 36) && suit(16, 30), "odd rows");
        assert!(!suit(16, 32) && !suit(100, 24), "runs of whole words of 8 bytes");
        assert!(!suit(100, 6), "short runs");
        assert!(!suit(4, 30) && !suit(52, 30), "few bytes, and many");
    }
}
