//! Products of matrices.
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use cm_compiler::limits::DPAS_DEPTH;
use cm_macros::on_arrays;

use super::arrays::Lanes;
use crate::elem::Arith;
use crate::ops::Factor;

/// The sums, each of the products of its row and its column in order; one row of factors at a time is taken apart.
#[on_arrays]
pub(super) fn dpas<P, Q, const N: usize, const R: usize, const C: usize>(
    mut sums: Lanes<P::Sum, N, R, C>,
    columns: &Lanes<u32, N, DPAS_DEPTH, C>,
    rows: &Lanes<u32, N, R, DPAS_DEPTH>,
) -> Lanes<P::Sum, N, R, C>
where
    P: Factor,
    Q: Factor<Sum = P::Sum>,
{
    for step in 0..DPAS_DEPTH {
        for place in 0..const { P::PRECISION.per_dword() } {
            for n in 0..N {
                let factors: [P::Sum; C] = columns[step][n].map(|dword| P::of(dword, place));
                for r in 0..R {
                    let factor = Q::of(rows[r][n][step], place);
                    for c in 0..C {
                        let product = Arith::mul(factor, factors[c]);
                        sums[r][n][c] = Arith::add(sums[r][n][c], product);
                    }
                }
            }
        }
    }
    sums
}
