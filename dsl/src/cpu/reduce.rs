//! Reductions: all elements of a register as one.
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use cm_macros::inlined;

use super::arrays::{Lanes, flat, flat_mut, rounds};
use super::lanes::converted;
#[cfg(target_arch = "x86_64")]
use super::x86::{float_sums, integer_sums};
use crate::elem::{Convert as _, Elem};
use crate::ops::{BinaryOp, MapKind};

/// `O` between all elements of each thread, and the conversion.
#[inlined]
pub(super) fn reduce<O, P, T, U, const SAT: bool, const N: usize, const R: usize, const C: usize>(
    x: &Lanes<T, N, R, C>,
) -> Lanes<U, N, 1, 1>
where
    O: BinaryOp<P, Output = P>,
    P: Elem,
    T: Elem,
    U: Elem,
{
    let mut results = [[U::default()]; N];
    #[cfg(target_arch = "x86_64")]
    if const { matches!(O::KIND, MapKind::Add) && integer_sums::suit::<T, P>(C) } {
        for n in 0..N {
            let sum = P::cast_from(integer_sums::sum::<T, P, N, R, C>(x, n));
            results[n][0] = converted::<P, U, SAT>(sum);
        }
        return [results];
    }
    #[cfg(target_arch = "x86_64")]
    if const { matches!(O::KIND, MapKind::Add) && float_sums::suit::<T, P>(R, C) } {
        for n in 0..N {
            results[n][0] = converted::<P, U, SAT>(float_sums::sum::<T, P, N, R, C>(x, n));
        }
        return [results];
    }
    for n in 0..N {
        // Of integers every order gives the same.
        let reduced = if const { P::TYPE.is_float() } {
            halved::<O, P, T, N, R, C>(x, n)
        } else if const { C.is_multiple_of(16) && (R == 1 || size_of::<P>() > size_of::<T>()) } {
            halved::<O, P, P, 1, 1, 16>(&[[in_parts::<O, P, T, 16, N, R, C>(x, n)]], 0)
        } else if const {
            C.is_multiple_of(8) && if size_of::<P>() > size_of::<T>() { size_of::<T>() == 1 } else { R == 1 }
        } {
            // Not words that become longer: differences of blocks of 8 x 8 take 20 % longer so.
            halved::<O, P, P, 1, 1, 8>(&[[in_parts::<O, P, T, 8, N, R, C>(x, n)]], 0)
        } else if const { size_of::<P>() == size_of::<T>() } {
            // The rows first, as vectors.
            let mut row = [[[P::default(); C]; 1]; 1];
            for c in 0..C {
                row[0][0][c] = P::cast_from(x[0][n][c]);
            }
            for r in 1..R {
                for c in 0..C {
                    row[0][0][c] = O::apply(row[0][0][c], P::cast_from(x[r][n][c]));
                }
            }
            halved::<O, P, P, 1, 1, C>(&row, 0)
        } else {
            // The compiler has instructions for sums of narrower elements in such loops, if they begin with 0.
            let sums = const { matches!(O::KIND, MapKind::Add) };
            let mut all = if sums { P::default() } else { P::cast_from(x[0][n][0]) };
            for r in 0..R {
                for c in 0..C {
                    if sums || r + c > 0 {
                        all = O::apply(all, P::cast_from(x[r][n][c]));
                    }
                }
            }
            all
        };
        results[n][0] = converted::<P, U, SAT>(reduced);
    }
    [results]
}

/// Whether an element is not 0. All elements are looked at, because branches between them would not be vectorised.
#[inlined]
pub(super) fn any<T: Elem, const N: usize, const R: usize, const C: usize>(x: &Lanes<T, N, R, C>) -> bool {
    let mut any = false;
    for e in flat(x) {
        any |= *e != T::default();
    }
    any
}

/// Whether no element is 0.
#[inlined]
pub(super) fn all<T: Elem, const N: usize, const R: usize, const C: usize>(x: &Lanes<T, N, R, C>) -> bool {
    let mut all = true;
    for e in flat(x) {
        all &= *e != T::default();
    }
    all
}

/// `O` between every so many elements of thread `n`, integers: `PARTS` results. The compiler turns a single one of all
/// elements into scalar code.
#[inlined]
fn in_parts<O, P, T, const PARTS: usize, const N: usize, const R: usize, const C: usize>(
    x: &Lanes<T, N, R, C>,
    n: usize,
) -> [P; PARTS]
where
    O: BinaryOp<P, Output = P>,
    P: Elem,
    T: Elem,
{
    let mut results = [P::default(); PARTS];
    for k in 0..rounds(PARTS) {
        // 256 bytes fit 16 bits. On x86-64 only for rows that `integer_sums` does not take.
        let sums_of_bytes = const {
            matches!(O::KIND, MapKind::Add)
                && size_of::<T>() == 1
                && size_of::<P>() > 2
                && R * C <= 256 * PARTS
        };
        if sums_of_bytes {
            let mut word = 0_u16;
            for r in 0..R {
                for part in 0..C / PARTS {
                    word = word.wrapping_add(u16::cast_from(x[r][n][part * PARTS + k]));
                }
            }
            results[k] = match const { T::TYPE.is_signed() } {
                true => P::cast_from(word as i16),
                false => P::cast_from(word),
            };
        } else {
            results[k] = P::cast_from(x[0][n][k]);
            for r in 0..R {
                for part in usize::from(r == 0)..C / PARTS {
                    results[k] = O::apply(results[k], P::cast_from(x[r][n][part * PARTS + k]));
                }
            }
        }
    }
    results
}

/// The elements of thread `n`, those from the largest power of two below their number on combined with the
/// first ones, until one is left.
#[inlined]
fn halved<O, P, T, const N: usize, const R: usize, const C: usize>(x: &Lanes<T, N, R, C>, n: usize) -> P
where
    O: BinaryOp<P, Output = P>,
    P: Elem,
    T: Elem,
{
    let mut all: Lanes<P, 1, R, C> = [[[P::default(); C]; 1]; R];
    for r in 0..R {
        for c in 0..C {
            all[r][0][c] = P::cast_from(x[r][n][c]);
        }
    }
    let all = flat_mut(&mut all);
    let mut count = R * C;
    while count > 1 {
        let first = count.next_power_of_two() / 2;
        let (lower, upper) = all.split_at_mut(first);
        for k in 0..count - first {
            lower[k] = O::apply(lower[k], upper[k]);
        }
        count = first;
    }
    all[0]
}
