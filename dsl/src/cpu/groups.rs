//! Operations on groups of neighbouring elements.
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use cm_macros::on_arrays;

use super::arrays::{Lanes, each, flat, flat_mut};
use super::lanes::converted;
use crate::elem::Elem;
use crate::ops::GroupOp;

/// `O` on every two groups of `W` elements of a thread, and the conversion, in one pass.
#[on_arrays]
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
    let mut lanes = [[[U::default(); C]; N]; R];
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
    if const { N == 1 || C.is_multiple_of(W) } {
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
