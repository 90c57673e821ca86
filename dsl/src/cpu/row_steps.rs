//! The steps of the loops over rows of a tree.

use std::marker::PhantomData;

use super::environment::{Environment, vector};
use crate::elem::{Elem, is_byte};

/// The number of columns that are computed at once in type `P`. With AVX-512 these are 16 floats or 32 integers, most of which
/// the compiler computes as words: a vector. With AVX2 it is a vector of words, or of bytes, if the results are `bytes`. The last
/// columns of a row overlap the ones before, so that no loop is needed for a remainder.
pub(super) const fn at_once<E: Environment, P: Elem>(columns: usize, bytes: bool) -> usize {
    match columns {
        32.. if (E::AVX512.is_some() || bytes) && !P::FLOAT => 32,
        16.. => 16,
        _ => 8,
    }
}

/// Bytes of the shortest vector.
const SHORTEST: usize = 16;

/// The columns of a step of rows of so many.
const fn step<E: Environment, P: Elem, U: Elem>(columns: usize) -> usize {
    at_once::<E, P>(columns, is_byte::<U>())
}

/// The steps of a row of one thread, or of all threads side by side, if rows are `JOINED`. Not constants where they are used:
/// rustc evaluates these once for every copy of a loop, which takes time and memory.
pub(super) struct RowSteps<E, P, U, const JOINED: bool, const N: usize, const C: usize>(
    PhantomData<(E, P, U)>,
);

impl<E: Environment, P: Elem, U: Elem, const JOINED: bool, const N: usize, const C: usize>
    RowSteps<E, P, U, JOINED, N, C>
{
    pub(super) const COLUMNS: usize = if JOINED { N * C } else { C };
    pub(super) const WIDTH: usize = step::<E, P, U>(Self::COLUMNS);
    pub(super) const COUNT: usize = Self::COLUMNS.div_ceil(Self::WIDTH);
    /// The column of the last one.
    pub(super) const LAST: usize = Self::COLUMNS.saturating_sub(Self::WIDTH);
    /// The same of steps that are one vector of 32-bit numbers. A step of two of them is a loop, so its results are stored; and if
    /// they are shorter, they are halves of a vector, which is not loaded before both are in the cache.
    pub(super) const VECTOR_WIDTH: usize = {
        let vector = vector::<E>() / size_of::<u32>();
        if Self::WIDTH < vector { Self::WIDTH } else { vector }
    };
    pub(super) const VECTOR_COUNT: usize = Self::COLUMNS.div_ceil(Self::VECTOR_WIDTH);
    pub(super) const VECTOR_LAST: usize = Self::COLUMNS.saturating_sub(Self::VECTOR_WIDTH);
    /// The columns from a thread's row to that of the next one if it has some columns of the first one again, as the windows
    /// of filters have: whole steps.
    pub(super) const APART: usize = Self::COLUMNS.saturating_sub(1) / Self::WIDTH * Self::WIDTH;
    /// Whether the last steps of a row would overlap.
    pub(super) const OVERLAPS: bool = !Self::COLUMNS.is_multiple_of(Self::WIDTH);
}

/// The steps of a row of all threads side by side in which columns of two threads stand once: by vectors, and the rest by a
/// shorter one, which ends where the row does.
pub(super) struct SharedSteps<E, P, U, const N: usize, const C: usize>(PhantomData<(E, P, U)>);

impl<E: Environment, P: Elem, U: Elem, const N: usize, const C: usize> SharedSteps<E, P, U, N, C> {
    pub(super) const COLUMNS: usize = (N - 1) * RowSteps::<E, P, U, false, N, C>::APART + C;
    /// Integers that are converted to words are computed as words.
    const BYTES: usize = if !P::FLOAT && U::TYPE.bytes() <= 2 { 2 } else { size_of::<P>() };
    pub(super) const WIDTH: usize = {
        let mut width = vector::<E>() / Self::BYTES;
        while width > Self::COLUMNS {
            width /= 2;
        }
        width
    };
    pub(super) const COUNT: usize = Self::COLUMNS / Self::WIDTH;
    /// The columns of the last step.
    pub(super) const REST: usize = {
        let rest = Self::COLUMNS % Self::WIDTH;
        let least = SHORTEST / Self::BYTES;
        match rest {
            0 => 0,
            rest if rest > least => rest.next_power_of_two(),
            _ => least,
        }
    };
}
