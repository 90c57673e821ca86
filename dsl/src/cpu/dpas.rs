//! Products of matrices.
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use cm_compiler::limits::DPAS_DEPTH;
use cm_macros::inlined;

use super::arrays::Lanes;
use super::environment::Environment;
#[cfg(target_arch = "x86_64")]
use super::x86;
use crate::elem::Arith;
use crate::ops::Factor;

/// The sums, each of the products of its row and its column in order.
#[inlined]
pub(super) fn dpas<E, P, Q, const N: usize, const R: usize, const C: usize>(
    mut sums: Lanes<P::Sum, N, R, C>,
    columns: &Lanes<u32, N, DPAS_DEPTH, C>,
    rows: &Lanes<u32, N, R, DPAS_DEPTH>,
) -> Lanes<P::Sum, N, R, C>
where
    E: Environment,
    P: Factor,
    Q: Factor<Sum = P::Sum>,
{
    #[cfg(target_arch = "x86_64")]
    if let Some(products) = E::products() {
        x86::dpas::dpas::<P, Q, N, R, C>(&mut sums, columns, rows, products);
        return sums;
    }
    plain::<P, Q, N, R, C>(&mut sums, columns, rows);
    sums
}

/// The same in Rust. A function of its own, like the products by other instructions: it computes so much that the call
/// costs nothing.
#[inline(never)]
pub(super) fn plain<P, Q, const N: usize, const R: usize, const C: usize>(
    sums: &mut Lanes<P::Sum, N, R, C>,
    columns: &Lanes<u32, N, DPAS_DEPTH, C>,
    rows: &Lanes<u32, N, R, DPAS_DEPTH>,
) where
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
}
