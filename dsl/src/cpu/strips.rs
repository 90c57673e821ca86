//! Assignments in loops that change one register: all of them change a strip of its elements, and then the next
//! one. A register that is larger than all vector registers is otherwise read and written by each assignment.
#![allow(unsafe_code)]

use std::ops::Range;

use cm_macros::inlined;

use super::arrays::{Lanes, each, flat, flat_mut, rounds};
use super::environment::{Cpu, Environment, vector};
use super::lanes::converted;
use super::views::Lane;
use crate::backend::Operand;
use crate::elem::Elem;
use crate::ops::BinaryOp;

/// Bytes of a strip: half of the vector registers of AVX2.
const BYTES: usize = 256;

/// The most elements that a strip has. Those of 64 bits are at most half as many.
const MOST: usize = BYTES / 4;

/// A strip, in an array of its own. All positions in it are known to the compiler, which keeps it in vector registers while
/// the loops run.
#[derive(Clone, Copy, Debug)]
pub struct Strip<T> {
    number: usize,
    elements: [T; MOST],
}

/// The largest divisor of `count` that is at most `most`, or 1.
const fn divisor(count: usize, most: usize) -> usize {
    let mut divisor = if most < count { most } else { count };
    while divisor > 1 && !count.is_multiple_of(divisor) {
        divisor -= 1;
    }
    if divisor == 0 { 1 } else { divisor }
}

/// Whether strips have whole rows of all threads. Others have a part of the row of one thread.
const fn of_rows<T, const N: usize, const C: usize>() -> bool {
    N * C <= BYTES / size_of::<T>()
}

/// The rows and the columns of a strip.
const fn shape<T, const N: usize, const R: usize, const C: usize>() -> [usize; 2] {
    let most = BYTES / size_of::<T>();
    if of_rows::<T, N, C>() { [divisor(R, most / (N * C)), C] } else { [1, divisor(C, most)] }
}

/// The elements of a strip. Strips follow each other without gaps.
const fn length<T, const N: usize, const R: usize, const C: usize>() -> usize {
    let [rows, columns] = shape::<T, N, R, C>();
    if of_rows::<T, N, C>() { rows * N * columns } else { columns }
}

/// The number of strips of a register. Registers that fit the vector registers have one. So have, by
/// measurement, registers with elements of less than 32 bits, and those that only divide into short strips.
const fn count<T, const N: usize, const R: usize, const C: usize>() -> usize {
    let (bytes, length) = (size_of::<Lanes<T, N, R, C>>(), length::<T, N, R, C>());
    let several = size_of::<T>() >= 4 && bytes > 2 * BYTES && length * size_of::<T>() >= BYTES / 4;
    if several { R * N * C / length } else { 1 }
}

/// The number of a strip that stands for the whole register, which statements change one after the other.
const WHOLE: usize = usize::MAX - 1;

/// Whether statements without a loop change strips, by measurement: if rows are whole vectors of AVX-512.
const fn for_statements<T, const N: usize, const R: usize, const C: usize>() -> bool {
    count::<T, N, R, C>() > 1 && (C * size_of::<T>()).is_multiple_of(BYTES / 4)
}

/// The numbers of the strips that assignments change one after the other, in a loop or without one.
pub(super) const fn numbers<T, const N: usize, const R: usize, const C: usize>(looped: bool) -> Range<usize> {
    let strips = count::<T, N, R, C>();
    if strips == 1 || looped || for_statements::<T, N, R, C>() { 0..strips } else { WHOLE..WHOLE + 1 }
}

/// Whether it is a part of the register, or the whole one, which has no elements here.
const fn is_part<T, const N: usize, const R: usize, const C: usize>(number: usize) -> bool {
    count::<T, N, R, C>() > 1 && (for_statements::<T, N, R, C>() || number != WHOLE)
}

/// Strip `number` of a register, if it has several.
#[inlined]
pub(super) fn begin<T: Elem, const N: usize, const R: usize, const C: usize>(
    x: &Lanes<T, N, R, C>,
    number: usize,
) -> Strip<T> {
    let mut strip = Strip { number, elements: [T::default(); MOST] };
    if is_part::<T, N, R, C>(number) {
        let length = const { length::<T, N, R, C>() };
        strip.elements[..length].copy_from_slice(&flat(x)[number * length..][..length]);
    }
    strip
}

/// Writes a strip to its register, if that has several.
#[inlined]
pub(super) fn end<T: Elem, const N: usize, const R: usize, const C: usize>(
    x: &mut Lanes<T, N, R, C>,
    strip: &Strip<T>,
) {
    if is_part::<T, N, R, C>(strip.number) {
        let length = const { length::<T, N, R, C>() };
        flat_mut(x)[strip.number * length..][..length].copy_from_slice(&strip.elements[..length]);
    }
}

/// `strip = strip O right`, if there are several strips.
#[inlined]
pub(super) fn change<E, O, P, T, Y, const N: usize, const R: usize, const C: usize>(
    strip: &mut Strip<T>,
    right: Y,
) -> bool
where
    E: Environment,
    O: BinaryOp<P>,
    P: Elem,
    T: Elem,
    Y: Operand<R, C, Cpu<E, N>>,
{
    if const { count::<T, N, R, C>() == 1 } || !is_part::<T, N, R, C>(strip.number) {
        return false;
    }
    right.begin();
    let first = strip.number * const { length::<T, N, R, C>() };
    assert!(first < R * N * C, "a strip is one of those of its register");
    let [row, thread, column] = [first / (N * C), first / C % N, first % C];
    let elements = &mut strip.elements;
    /// An element of the thread's row that begins at element `$at` of the strip.
    macro_rules! change {
        ($r:expr, $n:expr, $at:expr, $k:expr) => {{
            let k = $k;
            // SAFETY: all three are in range, because strips are parts of the register.
            let lane = unsafe { Lane::<N, R, C>::new($r, $n, column + k) };
            let value = O::apply(P::cast_from(elements[$at + k]), P::cast_from(right.element(lane)));
            elements[$at + k] = converted::<O::Output, T, false>(value);
        }};
    }
    /// Columns of a thread's row, by vectors.
    macro_rules! columns {
        ($r:expr, $n:expr, $at:expr, $columns:expr) => {{
            let (r, n, at) = ($r, $n, $at);
            let step =
                const { vector::<E>() / widest([size_of::<T>(), size_of::<P>(), size_of::<Y::Elem>()]) };
            for part in 0..$columns / step {
                for k in 0..rounds(step) {
                    change!(r, n, at, part * step + k);
                }
            }
            for k in $columns / step * step..$columns {
                change!(r, n, at, k);
            }
        }};
    }
    if const { of_rows::<T, N, C>() } {
        each!(r < shape::<T, N, R, C>()[0] => {
            each!(n < N => {
                columns!(row + r, n, (r * N + n) * C, C);
            });
        });
    } else {
        let columns = const { shape::<T, N, R, C>()[1] };
        columns!(row, thread, 0, columns);
    }
    true
}

/// The largest of three sizes.
const fn widest([a, b, c]: [usize; 3]) -> usize {
    let ab = if a > b { a } else { b };
    if ab > c { ab } else { c }
}
