//! Assignments in loops that change one register: all of them change a strip of its elements, and then the next
//! one. A register that is larger than all vector registers is otherwise read and written by each assignment.
#![allow(unsafe_code)]

use std::ops::Range;

use cm_macros::inlined;

use super::arrays::{Lanes, each, flat, flat_mut, rounds};
use super::environment::{Cpu, Environment, vector};
use super::lanes::converted;
use super::views::Lane;
use crate::backend::{Bounds, Operand};
use crate::elem::{Convert as _, Elem, is_long};
use crate::ops::{BinaryOp, MapKind};

/// Bytes of a strip: half of the vector registers of AVX2.
const BYTES: usize = 256;

/// The most elements that a strip has. Those of 64 bits are at most half as many.
const MOST: usize = BYTES / 4;

/// A strip, in an array of its own. All positions in it are known to the compiler, which keeps it in vector registers while
/// the loops run.
///
/// Numbers are added to elements of 32 bits in 16 bits first, as long as these hold their sum, as far as types and numbers
/// that the compiler knows show.
#[derive(Clone, Copy, Debug)]
pub struct Strip<T> {
    number: usize,
    elements: [T; MOST],
    /// What is to be added to the elements.
    words: [i16; MOST],
    bounds: Bounds,
}

/// Whether `O` adds, or subtracts, integers in 32 bits.
const fn adds<O: BinaryOp<P>, P: Elem, T: Elem>() -> bool {
    matches!(O::KIND, MapKind::Add | MapKind::Sub) && is_long::<P>() && is_long::<T>()
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

/// The number of strips of a register. Registers that fit the vector registers of AVX2 beside operands have one. So have, by
/// measurement, registers with elements of less than 32 bits, and those that only divide into short strips.
const fn count<T, const N: usize, const R: usize, const C: usize>() -> usize {
    let (bytes, length) = (size_of::<Lanes<T, N, R, C>>(), length::<T, N, R, C>());
    let several = size_of::<T>() >= 4 && bytes > BYTES && length * size_of::<T>() >= BYTES / 4;
    if several { R * N * C / length } else { 1 }
}

/// The number of a strip that stands for the whole register, which statements change one after the other.
const WHOLE: usize = usize::MAX - 1;

/// Whether statements without a loop change strips, by measurement: if rows are whole vectors of AVX-512, or, with AVX2, one
/// vector, and the register does not fit the vector registers. In a loop that is not unrolled it would be in memory in any case.
const fn for_statements<E: Environment, T, const N: usize, const R: usize, const C: usize>() -> bool {
    let (row, bytes) = (C * size_of::<T>(), size_of::<Lanes<T, N, R, C>>());
    let long = row.is_multiple_of(BYTES / 4) && bytes > 2 * BYTES;
    count::<T, N, R, C>() > 1 && (long || (row == vector::<E>() && E::AVX512.is_none()))
}

/// The numbers of the strips that assignments change one after the other, in a loop or without one.
pub(super) const fn numbers<E: Environment, T, const N: usize, const R: usize, const C: usize>(
    looped: bool,
) -> Range<usize> {
    let strips = count::<T, N, R, C>();
    if strips == 1 || looped || for_statements::<E, T, N, R, C>() { 0..strips } else { WHOLE..WHOLE + 1 }
}

/// Whether it is a part of the register, or the whole one, which has no elements here.
const fn is_part<E: Environment, T, const N: usize, const R: usize, const C: usize>(number: usize) -> bool {
    count::<T, N, R, C>() > 1 && (for_statements::<E, T, N, R, C>() || number != WHOLE)
}

/// Strip `number` of a register, if it has several.
#[inlined]
pub(super) fn begin<E: Environment, T: Elem, const N: usize, const R: usize, const C: usize>(
    x: &Lanes<T, N, R, C>,
    number: usize,
) -> Strip<T> {
    let mut strip = Strip { number, elements: [T::default(); MOST], words: [0; MOST], bounds: Bounds::ZERO };
    if is_part::<E, T, N, R, C>(number) {
        let length = const { length::<T, N, R, C>() };
        strip.elements[..length].copy_from_slice(&flat(x)[number * length..][..length]);
    }
    strip
}

/// Writes a strip to its register, if that has several.
#[inlined]
pub(super) fn end<E: Environment, T: Elem, const N: usize, const R: usize, const C: usize>(
    x: &mut Lanes<T, N, R, C>,
    strip: &Strip<T>,
) {
    if is_part::<E, T, N, R, C>(strip.number) {
        let length = const { length::<T, N, R, C>() };
        let mut strip = *strip;
        sum_up::<T, N, R, C>(&mut strip);
        flat_mut(x)[strip.number * length..][..length].copy_from_slice(&strip.elements[..length]);
    }
}

/// Adds to the elements what is to be added.
#[inlined]
fn sum_up<T: Elem, const N: usize, const R: usize, const C: usize>(strip: &mut Strip<T>) {
    if const { is_long::<T>() } && strip.bounds != Bounds::ZERO {
        for k in 0..const { length::<T, N, R, C>() } {
            let sum = u32::cast_from(strip.elements[k]).wrapping_add(u32::cast_from(strip.words[k]));
            strip.elements[k] = T::cast_from(sum);
        }
        strip.words = [0; MOST];
        strip.bounds = Bounds::ZERO;
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
    if const { count::<T, N, R, C>() == 1 } || !is_part::<E, T, N, R, C>(strip.number) {
        return false;
    }
    right.begin();
    let first = strip.number * const { length::<T, N, R, C>() };
    assert!(first < R * N * C, "a strip is one of those of its register");
    let [row, thread, column] = [first / (N * C), first / C % N, first % C];
    /// `$change` with the lane and the index of each element, by steps of so many columns of a thread's row.
    macro_rules! all {
        ($step:expr, |$lane:ident, $index:ident| $change:expr) => {{
            /// An element of the thread's row that begins at element `$at` of the strip.
            macro_rules! one {
                ($r:expr, $n:expr, $at:expr, $k:expr) => {{
                    let k = $k;
                    // SAFETY: all three are in range, because strips are parts of the register.
                    let $lane = unsafe { Lane::<N, R, C>::new($r, $n, column + k) };
                    let $index = $at + k;
                    $change
                }};
            }
            /// Columns of a thread's row, by vectors.
            macro_rules! columns {
                ($r:expr, $n:expr, $at:expr, $columns:expr) => {{
                    let (r, n, at, step) = ($r, $n, $at, $step);
                    for part in 0..$columns / step {
                        for k in 0..rounds(step) {
                            one!(r, n, at, part * step + k);
                        }
                    }
                    for k in $columns / step * step..$columns {
                        one!(r, n, at, k);
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
        }};
    }
    if const { adds::<O, P, T>() } {
        let subtracts = const { matches!(O::KIND, MapKind::Sub) };
        let bounds = right.bounds();
        // With room for one number the sum would be added up each time.
        if bounds.added(bounds, false).within::<i16>() {
            let mut sum = strip.bounds.added(bounds, subtracts);
            if !sum.within::<i16>() {
                sum_up::<T, N, R, C>(strip);
                sum = Bounds::ZERO.added(bounds, subtracts);
            }
            strip.bounds = sum;
            let words = &mut strip.words;
            all!(const { short_step::<E>(C) }, |lane, index| {
                let word = i16::cast_from(right.element(lane));
                words[index] =
                    if subtracts { words[index].wrapping_sub(word) } else { words[index].wrapping_add(word) };
            });
            return true;
        }
    }
    // Sums of integers may be added later: they wrap.
    if const { !adds::<O, P, T>() } {
        sum_up::<T, N, R, C>(strip);
    }
    let elements = &mut strip.elements;
    let step = const { vector::<E>() / widest([size_of::<T>(), size_of::<P>(), size_of::<Y::Elem>()]) };
    all!(step, |lane, index| {
        let value = O::apply(P::cast_from(elements[index]), P::cast_from(right.element(lane)));
        elements[index] = converted::<O::Output, T, false>(value);
    });
    true
}

/// The columns of a step in 16 bits.
const fn short_step<E: Environment>(columns: usize) -> usize {
    let vector = vector::<E>() / size_of::<i16>();
    if columns < vector { vector / 2 } else { vector }
}

/// The largest of three sizes.
const fn widest([a, b, c]: [usize; 3]) -> usize {
    let ab = if a > b { a } else { b };
    if ab > c { ab } else { c }
}
