//! Regions of registers: parts of rows, columns with gaps, repeated elements, and mirrored rows.
#![allow(unsafe_code)]
#![allow(
    clippy::needless_range_loop,
    reason = "what is one loop over numbers is seen as such by the compiler"
)]

use cm_macros::inlined;

use super::arrays::{Lanes, each, flat, flat_mut, function_if, rows, zeroed};
use super::concat;
use super::environment::{Cpu, Environment};
use super::strided::{self, Steps};
#[cfg(target_arch = "x86_64")]
use super::x86::deinterleave3;
#[cfg(target_arch = "x86_64")]
use super::x86::shifted;
#[cfg(target_arch = "x86_64")]
use super::x86::transposed;
use crate::backend::Start;
use crate::elem::Elem;

/// Bytes of the largest vector register.
const REGISTER: usize = 64;

/// Whether some of the neighbours of a row are taken from a vector register.
const fn is_kept(rows: usize, taken: usize, columns: usize, size: usize) -> bool {
    rows == 1 && taken > 1 && taken < columns && size >= 4 && columns * size <= REGISTER
}

/// Whether so many elements are words `W`, each of several elements.
const fn are_words<W, T>(count: usize) -> bool {
    size_of::<W>() > size_of::<T>() && count.is_multiple_of(size_of::<W>() / size_of::<T>())
}

/// `R2` x `C2` elements of each thread from its element `at` on, strides in elements of its linearised
/// object.
#[inlined]
pub(super) fn region<
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
    row_stride: usize,
    width: usize,
    column_stride: usize,
) -> Lanes<T, N, R2, C2> {
    if const { R2 == 1 && C2 == 1 } {
        // Loops over elements that are not unrolled compute where each is: of one thread's elements that is its number.
        let mut result: Lanes<T, N, R2, C2> = zeroed();
        let (all, row) = (flat(x), at / C * C);
        each!(n < N => {
            result[0][n][0] = all[at + row * (N - 1) + n * C];
        });
        return result;
    }
    let row = rows(at, C);
    let column = at - row * C;
    // Halves and their like are loaded as they were stored, if the rows of all threads begin where one begins.
    let halves =
        const { C2.is_power_of_two() && (N == 1 || C.is_multiple_of(C2)) } && column.is_multiple_of(C2);
    // Constants discard what the sizes exclude before the compiler optimises, which takes longer the more there is.
    if const { is_kept(R2, C2, C, size_of::<T>()) }
        && width == C2
        && column_stride == 1
        && column + C2 <= C
        && row < R
        && !halves
    {
        // Element by element the compiler shuffles in registers what elsewhere is stored, and loaded by other
        // instructions.
        return function_if!(is_kept(R2, C2, C, size_of::<T>()) => neighbours as fn(_, _, _) -> _)(
            x, row, column,
        );
    }
    #[cfg(target_arch = "x86_64")]
    if const { E::AVX2.is_some() && R == 1 && R2 == 1 && shifted::suit(N, C, C2, size_of::<T>()) }
        && let Some(avx2) = E::AVX2
        && (row, width, column_stride) == (0, C2, 1)
        && column + C2 <= C
        && !halves
    {
        let neighbours = function_if!(
            R == 1 && R2 == 1 && shifted::suit(N, C, C2, size_of::<T>()) => shifted::neighbours as fn(_, _, _) -> _
        );
        return neighbours(x, column, avx2);
    }
    if const { C2 <= C }
        && width == C2
        && column_stride == 1
        && column + C2 <= C
        && (R2 == 1 || row_stride == C)
    {
        // Every row of the region is a part of one row of the object, and they are evenly spaced.
        let start = row * N * C + column;
        return const {
            if C2 == C {
                concat::whole_rows as fn(_, _) -> _
            } else {
                concat::parts::<E, T, N, R, C, R2, C2> as fn(_, _) -> _
            }
        }(x, start);
    }
    #[cfg(target_arch = "x86_64")]
    if const { R == C2 && C == R2 && transposed::suit(R, C, size_of::<T>()) }
        && (at, row_stride, width, column_stride) == (0, 1, R, C)
    {
        let transposed = function_if!(
            R == C2 && C == R2 && transposed::suit(R, C, size_of::<T>()) => transposed::transposed as fn(_) -> _
        );
        return transposed(x);
    }
    // A region with gaps between columns has half of them at most.
    if const { 2 * C2 <= C } && width == C2 && (R2 == 1 || row_stride.is_multiple_of(C)) {
        // `replicate` has strides of 0.
        let first = column / column_stride.max(1) * column_stride;
        if column_stride > 1 && first + C2 * column_stride <= C {
            let steps = Steps { row, rows: row_stride / C, first, part: column - first };
            macro_rules! strided {
                ($word:ty) => {
                    if const { strided::fit::<$word, T>(C2, C) }
                        && column_stride * size_of::<T>() == size_of::<$word>()
                    {
                        let take = function_if!(
                            strided::fit::<$word, T>(C2, C) =>
                                strided::take::<E, $word, T, N, R, C, R2, C2> as fn(_, _) -> _
                        );
                        return take(x, steps);
                    }
                };
            }
            strided!(u16);
            strided!(u32);
            strided!(u64);
        }
        // `replicate` goes on in the next row.
        let inside = column < column_stride;
        if inside && C2 * column_stride == C && (R2 == 1 || row_stride == C) {
            let spaced =
                function_if!(2 * C2 <= C => spaced_columns::<E, T, N, R, C, R2, C2> as fn(_, _) -> _);
            return spaced(x, [row, column]);
        }
    }
    // Neighbours, each `width` times.
    if const { R2 == 1 } && column_stride == 0 && row_stride == 1 && column + C2 / width.max(1) <= C {
        macro_rules! repeated {
            ($word:ty) => {
                if const { are_words::<$word, T>(C2) } && width * size_of::<T>() == size_of::<$word>() {
                    let repeat = function_if!(
                        R2 == 1 && are_words::<$word, T>(C2) =>
                            strided::repeat::<$word, T, N, R, C, R2, C2> as fn(_, _) -> _
                    );
                    return repeat(x, at);
                }
            };
        }
        repeated!(u16);
        repeated!(u32);
        repeated!(u64);
    }
    // One of `width` neighbours, `width` times, as the alpha of each pixel.
    if const { R2 == 1 } && column_stride == 0 && row_stride == width {
        macro_rules! filled {
            ($word:ty) => {
                if const { strided::are_rows_of_words::<$word, T>(C2, C) }
                    && width * size_of::<T>() == size_of::<$word>()
                {
                    let filled = function_if!(
                        R2 == 1 && strided::are_rows_of_words::<$word, T>(C2, C) =>
                            strided::filled::<$word, T, N, R, C, R2, C2> as fn(_, _) -> _
                    );
                    if let Some(filled) = filled(x, at) {
                        return filled;
                    }
                }
            };
        }
        filled!(u16);
        filled!(u32);
        filled!(u64);
    }
    let source = flat(x);
    let mut result: Lanes<T, N, R2, C2> = zeroed();
    for r in 0..R2 {
        for n in 0..N {
            for c in 0..C2 {
                let k = r * C2 + c;
                let k = at + k / width * row_stride + k % width * column_stride;
                result[r][n][c] = source[(k / C * N + n) * C + k % C];
            }
        }
    }
    result
}

/// `C2` neighbours in a row of each thread, element by element.
#[inlined]
fn neighbours<T: Elem, const N: usize, const R: usize, const C: usize, const R2: usize, const C2: usize>(
    x: &Lanes<T, N, R, C>,
    row: usize,
    column: usize,
) -> Lanes<T, N, R2, C2> {
    let mut result: Lanes<T, N, R2, C2> = zeroed();
    for n in 0..N {
        for c in 0..C2 {
            result[0][n][c] = x[row][n][column + c];
        }
    }
    result
}

/// Every `C / C2`-th element of whole rows from this row and column on, over the rows of all threads in one loop. `C2` divides
/// `C`.
#[inlined]
fn spaced_columns<
    E: Environment,
    T: Elem,
    const N: usize,
    const R: usize,
    const C: usize,
    const R2: usize,
    const C2: usize,
>(
    x: &Lanes<T, N, R, C>,
    [row, column]: [usize; 2],
) -> Lanes<T, N, R2, C2> {
    let stride = const {
        match C.checked_div(C2) {
            Some(stride) => stride,
            None => 1,
        }
    };
    let mut result: Lanes<T, N, R2, C2> = zeroed();
    let count = R2 * N * C2;
    #[cfg(target_arch = "x86_64")]
    if const { E::AVX2.is_some() && C2 * 3 == C && deinterleave3::suit(R2 * N * C2, size_of::<T>()) }
        && let Some(avx2) = E::AVX2
    {
        let threes = &flat(x)[row * N * C..][..3 * count];
        deinterleave3::take(bytemuck::cast_slice(threes), column, flat_mut(&mut result), avx2);
        return result;
    }
    let (source, all) = (&flat(x)[row * N * C + column..], flat_mut(&mut result));
    assert!(count == 0 || (count - 1) * stride < source.len(), "a region lies inside of its object");
    for k in 0..count {
        // SAFETY: this is at most `(count - 1) * stride`, which is inside by the assertion.
        all[k] = unsafe { *source.get_unchecked(k * stride) };
    }
    result
}

/// Where a region starts in the registers of each thread.
#[inlined]
pub(super) fn positions<E: Environment, const N: usize>(offset: Start<Cpu<E, N>>) -> [usize; N] {
    let mut positions = [0; N];
    // `[at; N]` would be a loop, behind which the compiler does not know what `at` is less than.
    match offset {
        Start::Host(at) => each!(n < N => {
            positions[n] = at;
        }),
        Start::Staged([at]) => each!(n < N => {
            positions[n] = at[n][0] as usize;
        }),
    }
    positions
}

/// The columns in reverse order.
#[inlined]
pub(super) fn mirrored<T: Elem, const N: usize, const R: usize, const C: usize>(
    x: &Lanes<T, N, R, C>,
) -> Lanes<T, N, R, C> {
    let mut result: Lanes<T, N, R, C> = zeroed();
    for r in 0..R {
        for n in 0..N {
            for c in 0..C {
                result[r][n][c] = x[r][n][C - 1 - c];
            }
        }
    }
    result
}
