//! Operations on groups of neighbouring elements.
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use cm_macros::inlined;

use super::arrays::{Lanes, each, flat, flat_mut, zeroed};
use super::lanes::converted;
use crate::elem::{Convert as _, Elem};
use crate::ops::{GroupKind, GroupOp};

/// `O` on every two groups of `W` elements of a thread, and the conversion, in one pass.
#[inlined]
pub(super) fn group2<
    O,
    P,
    T,
    V,
    U,
    const W: usize,
    const SAT: bool,
    const N: usize,
    const R: usize,
    const C: usize,
>(
    a: Lanes<T, N, R, C>,
    b: Lanes<V, N, R, C>,
) -> Lanes<U, N, R, C>
where
    O: GroupOp<P, W>,
    P: Elem,
    T: Elem,
    V: Elem,
    U: Elem,
{
    let whole_rows = const { N == 1 || C.is_multiple_of(W) };
    if const { matches!(O::KIND, GroupKind::Sad2) && is_byte::<T>() && T::TYPE as u8 == V::TYPE as u8 }
        && whole_rows
    {
        return distances_of_bytes::<P, T, V, U, SAT, N, R, C>(a, b);
    }
    let mut lanes: Lanes<U, N, R, C> = zeroed();
    let (a, b, all) = (flat(&a), flat(&b), flat_mut(&mut lanes));
    macro_rules! group {
        (|$k:ident| $at:expr) => {{
            let (mut x, mut y) = ([P::default(); W], [P::default(); W]);
            each!($k < W => {
                x[$k] = P::cast_from(a[$at]);
                y[$k] = P::cast_from(b[$at]);
            });
            let result = converted::<O::Output, U, SAT>(O::apply(x, y));
            each!($k < W => {
                all[$at] = result;
            });
        }};
    }
    if whole_rows {
        // No group goes on in the next row, so that those of all threads follow each other: one loop.
        for group in 0..R * N * C / W {
            group!(|k| group * W + k);
        }
    } else {
        for n in 0..N {
            for group in 0..R * C / W {
                group!(|k| ((group * W + k) / C * N + n) * C + (group * W + k) % C);
            }
        }
    }
    lanes
}

const fn is_byte<T: Elem>() -> bool {
    T::TYPE.bytes() == 1
}

/// The sums of the distances of two pairs of bytes of one type, in loops of a few instructions: the distances as
/// bytes, both bytes of a pair added as a word, and each sum twice.
#[inlined]
fn distances_of_bytes<P, T, V, U, const SAT: bool, const N: usize, const R: usize, const C: usize>(
    a: Lanes<T, N, R, C>,
    b: Lanes<V, N, R, C>,
) -> Lanes<U, N, R, C>
where
    P: Elem,
    T: Elem,
    V: Elem,
    U: Elem,
{
    let mut distances: Lanes<u8, N, R, C> = [[[0; C]; N]; R];
    let mut sums: Lanes<u16, N, R, C> = [[[0; C]; N]; R];
    let mut lanes: Lanes<U, N, R, C> = zeroed();
    // Signed bytes counted from -128.
    let first = const { if T::TYPE.is_signed() { 0x80 } else { 0 } };
    {
        let (a, b, distances) = (flat(&a), flat(&b), flat_mut(&mut distances));
        for k in 0..R * N * C {
            distances[k] = (u8::cast_from(a[k]) ^ first).abs_diff(u8::cast_from(b[k]) ^ first);
        }
    }
    let (distances, sums, all) = (flat(&distances), flat_mut(&mut sums), flat_mut(&mut lanes));
    for group in 0..R * N * C / 2 {
        let pair = u16::from_le_bytes([distances[group * 2], distances[group * 2 + 1]]);
        sums[group] = (pair & 0xff) + (pair >> 8);
    }
    for group in 0..R * N * C / 2 {
        let sum = converted::<P, U, SAT>(P::cast_from(sums[group]));
        all[group * 2] = sum;
        all[group * 2 + 1] = sum;
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Dp4, Sad2};

    /// Of threads side by side each has its own groups, whether rows are whole groups or not.
    fn check<O: GroupOp<i32, W>, const W: usize, const R: usize, const C: usize>() {
        const N: usize = 3;
        let number = |r: usize, n: usize, c: usize| (r * 37 + n * 101 + c * 59) as u8;
        let (mut a, mut b) = ([[[0; C]; N]; R], [[[0; C]; N]; R]);
        for (r, n, c) in (0..R * N * C).map(|k| (k / (N * C), k / C % N, k % C)) {
            (a[r][n][c], b[r][n][c]) = (number(r, n, c), number(n, c, r) as i8);
        }
        let all = group2::<O, i32, u8, i8, u16, W, false, N, R, C>(a, b);
        for n in 0..N {
            let (a, b) = (a.map(|row| [row[n]]), b.map(|row| [row[n]]));
            let alone = group2::<O, i32, u8, i8, u16, W, false, 1, R, C>(a, b);
            assert_eq!(all.map(|row| row[n]), alone.map(|[row]| row), "thread {n} of {R} x {C}");
        }
    }

    /// Bytes of one type have a way of their own.
    fn check_bytes<T: Elem, const R: usize, const C: usize>() {
        const N: usize = 2;
        let number = |k: usize| T::cast_from((k * 37 + k / 7 * 91) as u8);
        let block = |from: usize| -> Lanes<T, N, R, C> {
            std::array::from_fn(|r| {
                std::array::from_fn(|n| std::array::from_fn(|c| number(from + (r * N + n) * C + c)))
            })
        };
        let (a, b) = (block(0), block(1000));
        let found = group2::<Sad2, i32, T, T, i32, 2, false, N, R, C>(a, b);
        let limited = group2::<Sad2, i32, T, T, u8, 2, true, N, R, C>(a, b);
        for (k, found) in flat(&found).iter().enumerate() {
            let distance =
                |k: usize| i32::cast_from(flat(&a)[k]).abs_diff(i32::cast_from(flat(&b)[k])) as i32;
            let exact = distance(k / 2 * 2) + distance(k / 2 * 2 + 1);
            assert_eq!((*found, flat(&limited)[k]), (exact, exact.min(255) as u8), "element {k}");
        }
    }

    #[test]
    fn distances_of_bytes_are_exact() {
        check_bytes::<u8, 4, 32>();
        check_bytes::<i8, 4, 32>();
        check_bytes::<u8, 1, 6>();
        check_bytes::<i8, 3, 2>();
    }

    #[test]
    fn threads_do_not_share_groups() {
        check::<Sad2, 2, 1, 2>();
        check::<Sad2, 2, 4, 3>();
        check::<Sad2, 2, 6, 1>();
        check::<Sad2, 2, 3, 16>();
        check::<Dp4, 4, 2, 6>();
        check::<Dp4, 4, 4, 5>();
        check::<Dp4, 4, 8, 1>();
        check::<Dp4, 4, 3, 8>();
    }
}
