//! Elements by indices that are known only when the kernel runs: a register as a table. Where threads run
//! side by side, small tables are looked up by shuffles; others element by element, words as dwords, which
//! AVX-512 gathers.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use std::mem::MaybeUninit;

use cm_macros::inlined;

use super::arrays::{Lanes, each, flat, map};
use super::environment::Environment;
use super::strided::Word;
#[cfg(target_arch = "x86_64")]
use super::x86::lookup_shuffled;
use crate::elem::Elem;

/// Every index replaced by what is there in a table of all threads. Not by a closure, as in `lanes`.
macro_rules! picked {
    ($table:expr, $index:expr; |$entry:ident| $value:expr) => {{
        let (table, index) = ($table, $index);
        let mut picked = [[T::default(); M]; N];
        for n in 0..N {
            for k in 0..M {
                // SAFETY: `place` gives elements of the object, by the assertion at the beginning.
                let $entry = unsafe { *table.get_unchecked(place::<N, R, C>(n, index[n][k])) };
                picked[n][k] = $value;
            }
        }
        picked
    }};
}

/// The elements of each thread's object that its indices name, of which those that are too large are the
/// last.
#[inlined]
pub(super) fn pick<
    E: Environment,
    T: Elem,
    const N: usize,
    const R: usize,
    const C: usize,
    const M: usize,
>(
    x: &Lanes<T, N, R, C>,
    index: &[[u32; M]; N],
) -> [[T; M]; N] {
    // With these `place` gives elements of the object.
    assert!(R * C > 0 && R * C <= u32::MAX as usize, "an object has elements");
    #[cfg(target_arch = "x86_64")]
    if const { E::AVX2.is_some() && lookup_shuffled::suit(R * C * size_of::<T>(), size_of::<T>()) }
        && let Some(avx2) = E::AVX2
    {
        return lookup_shuffled::pick(x, index, avx2);
    }
    // To widen a table that is much larger than what is looked up takes longer than that.
    if const { size_of::<T>() >= 4 || R * C > 4 * M } {
        return picked!(flat(x), index; |entry| entry);
    }
    // Instruction sets that load from many places load dwords.
    let x = *x;
    let table: Lanes<u32, N, R, C> = map!(u32; |e of x| u32::from_part(e));
    picked!(flat(&table), index; |entry| entry.part(0))
}

/// Where element `at` of thread `n` is, or its last one.
#[inlined]
fn place<const N: usize, const R: usize, const C: usize>(n: usize, at: u32) -> usize {
    let at = at.min((R * C - 1) as u32) as usize;
    (at / C * N + n) * C + at % C
}
