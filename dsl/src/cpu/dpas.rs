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
    mut sums: Lanes<P::Sum, N, R, C>,
    columns: &Lanes<u32, N, DPAS_DEPTH, C>,
    rows: &Lanes<u32, N, R, DPAS_DEPTH>,
) -> Lanes<P::Sum, N, R, C>
where
    P: Factor,
    Q: Factor<Sum = P::Sum>,
{
    for n in 0..N {
        for step in 0..DPAS_DEPTH {
            for place in 0..const { P::PRECISION.per_dword() } {
                // One row of factors and one column, so that each is converted by vector instructions.
                let (mut factors, mut own) = ([P::Sum::default(); C], [P::Sum::default(); R]);
                for c in 0..C {
                    factors[c] = P::of(columns[step][n][c], place);
                }
                for r in 0..R {
                    own[r] = Q::of(rows[r][n][step], place);
                }
                for r in 0..R {
                    for c in 0..C {
                        sums[r][n][c] = Arith::add(sums[r][n][c], Arith::mul(own[r], factors[c]));
                    }
                }
            }
        }
    }
    sums
}
