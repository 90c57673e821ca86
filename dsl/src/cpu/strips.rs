//! Assignments in loops that change one register: all of them change a strip of its rows, and then the next
//! one. A register that is larger than all vector registers is otherwise read and written by each assignment.
#![allow(unsafe_code)]

use cm_macros::inlined;

use super::arrays::{Lanes, each, flat_mut, rounds};
use super::environment::{Cpu, Environment};
use super::lanes::converted;
use super::views::Lane;
use crate::backend::Operand;
use crate::elem::Elem;
use crate::ops::BinaryOp;

/// Bytes of a strip of rows: half of the vector registers of AVX2.
const STRIP: usize = 256;

/// Columns that are changed at once: a vector of AVX2.
const STEP: usize = 8;

/// The number of strips of a register. Registers that fit the vector registers have one. So have, by
/// measurement, registers with elements of less than 32 bits.
pub(super) const fn count<T, const N: usize, const R: usize, const C: usize>() -> usize {
    let bytes = size_of::<Lanes<T, N, R, C>>();
    if size_of::<T>() >= 4 && bytes > 2 * STRIP { R.div_ceil(rows::<T, N, R, C>()) } else { 1 }
}

/// The rows of a strip.
const fn rows<T, const N: usize, const R: usize, const C: usize>() -> usize {
    R.div_ceil(size_of::<Lanes<T, N, R, C>>().div_ceil(STRIP))
}

/// `x = x O right` for a strip of rows, if there are several strips.
#[inlined]
pub(super) fn change<E, O, P, T, Y, const N: usize, const R: usize, const C: usize>(
    x: &mut Lanes<T, N, R, C>,
    right: Y,
    strip: usize,
) -> bool
where
    E: Environment,
    O: BinaryOp<P>,
    P: Elem,
    T: Elem,
    Y: Operand<R, C, Cpu<E, N>>,
{
    if const { count::<T, N, R, C>() == 1 } {
        return false;
    }
    right.begin();
    let elements = flat_mut(x).as_mut_ptr();
    macro_rules! change {
        ($r:ident, $n:ident, $c:expr) => {{
            let c = $c;
            // SAFETY: all three are in range.
            let lane = unsafe { Lane::<N, R, C>::new($r, $n, c) };
            // SAFETY: `Lanes<_, N, R, C>` is `R * N * C` elements without gaps, and the index is below that.
            let element = unsafe { &mut *elements.add(($r * N + $n) * C + c) };
            let value = O::apply(P::cast_from(*element), P::cast_from(right.element(lane)));
            *element = converted::<O::Output, T, false>(value);
        }};
    }
    let rows = const { rows::<T, N, R, C>() };
    for r in (strip * rows)..((strip + 1) * rows).min(R) {
        each!(n < N => {
            for part in 0..const { C / STEP } {
                for k in 0..rounds(STEP) {
                    change!(r, n, part * STEP + k);
                }
            }
            for c in const { C / STEP * STEP }..C {
                change!(r, n, c);
            }
        });
    }
    true
}
