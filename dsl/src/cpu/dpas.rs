//! Products of matrices.
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use cm_compiler::limits::DPAS_DEPTH;
use cm_macros::on_arrays;

use super::arrays::Lanes;
use crate::elem::Arith;
use crate::ops::Factor;

/// The sums, each of the products of its row and its column in order.
#[on_arrays]
pub(super) fn dpas<P, Q, const N: usize, const R: usize, const C: usize>(
    sums: Lanes<P::Sum, N, R, C>,
    columns: &Lanes<u32, N, DPAS_DEPTH, C>,
    rows: &Lanes<u32, N, R, DPAS_DEPTH>,
) -> Lanes<P::Sum, N, R, C>
where
    P: Factor,
    Q: Factor<Sum = P::Sum>,
{
    match const { P::PRECISION.per_dword() } {
        1 => in_dwords::<1, P, Q, N, R, C>(sums, columns, rows),
        2 => in_dwords::<2, P, Q, N, R, C>(sums, columns, rows),
        4 => in_dwords::<4, P, Q, N, R, C>(sums, columns, rows),
        _ => in_dwords::<8, P, Q, N, R, C>(sums, columns, rows),
    }
}

/// The sums of factors of which a dword holds `K`. Loops over one kind of factor do nothing else, so that they
/// vectorise.
#[on_arrays]
fn in_dwords<const K: usize, P, Q, const N: usize, const R: usize, const C: usize>(
    mut sums: Lanes<P::Sum, N, R, C>,
    columns: &Lanes<u32, N, DPAS_DEPTH, C>,
    rows: &Lanes<u32, N, R, DPAS_DEPTH>,
) -> Lanes<P::Sum, N, R, C>
where
    P: Factor,
    Q: Factor<Sum = P::Sum>,
{
    for n in 0..N {
        let mut own = [[[P::Sum::default(); DPAS_DEPTH]; R]; K];
        for place in 0..K {
            for r in 0..R {
                for step in 0..DPAS_DEPTH {
                    own[place][r][step] = Q::of(rows[r][n][step], place);
                }
            }
        }
        for step in 0..DPAS_DEPTH {
            let mut factors = [[P::Sum::default(); C]; K];
            for place in 0..K {
                for c in 0..C {
                    factors[place][c] = P::of(columns[step][n][c], place);
                }
            }
            for r in 0..R {
                for place in 0..K {
                    for c in 0..C {
                        let product = Arith::mul(own[place][r][step], factors[place][c]);
                        sums[r][n][c] = Arith::add(sums[r][n][c], product);
                    }
                }
            }
        }
    }
    sums
}
