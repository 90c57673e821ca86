//! Trees of operators, computed in one pass over the elements. Intermediate results, which are often twice or four
//! times as wide as the operands, are never stored, and the compiler computes in fewer bits if the other bits do not
//! matter.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use cm_macros::{__rows, inlined};
#[cfg(target_arch = "x86_64")]
use num_traits::AsPrimitive;

use super::arrays::{Lanes, each, function_if, rounds, written};
#[cfg(target_arch = "x86_64")]
use super::arrays::{flat_mut, zeroed};
use super::environment::{Cpu, Environment};
use super::in_place::InPlace;
use super::lanes::{self, becomes_bytes, converted, is_byte_with_longer};
#[cfg(target_arch = "x86_64")]
use super::lanes::{cast, narrowed};
use super::row_steps::{RowSteps, SharedSteps, at_once};
use super::stack_slot::{self, StackSlot};
use super::views::Lane;
#[cfg(target_arch = "x86_64")]
use super::x86::narrow;
use crate::backend::{Backend, Operand, combined, keeps_low, low, of_bytes};
use crate::elem::{Convert as _, Elem, ElemType, is_long};
use crate::ops::{BinaryOp, Convert, MapKind, OfFirst, UnaryOp};

/// The smallest object, in bytes, whose regions are read from memory, by measurement. The compiler keeps
/// smaller objects in registers.
const SEEN_THROUGH: usize = 384;

/// Bytes of a vector of AVX2.
const VECTOR: usize = 32;

/// Whether the loop goes row by row: parts of rows are not contiguous, and each thread has its own scalars.
const fn row_by_row<X, Y, B, const N: usize, const R: usize, const C: usize>() -> bool
where
    B: Backend,
    X: Operand<R, C, B>,
    Y: Operand<R, C, B>,
{
    X::PARTS || Y::PARTS || (N > 1 && (X::STAGED_NUMBER || Y::STAGED_NUMBER))
}

/// The results of an operator. Its constants are here for the same reason.
struct Results<E, O, P, X, Y, U, const SAT: bool, const N: usize, const R: usize, const C: usize>(
    PhantomData<(E, O, P, X, Y, U)>,
);

impl<E, O, P, X, Y, U, const SAT: bool, const N: usize, const R: usize, const C: usize>
    Results<E, O, P, X, Y, U, SAT, N, R, C>
where
    E: Environment,
    O: BinaryOp<P>,
    P: Elem,
    X: Operand<R, C, Cpu<E, N>>,
    Y: Operand<R, C, Cpu<E, N>>,
    U: Elem,
{
    /// Whether elements that are shifted to the left are converted to at most 16 bits.
    const CUT_SHIFTS: bool =
        !SAT && !U::FLOAT && U::TYPE.bytes() <= 2 && keeps_low::<O, P, X, Y, Cpu<E, N>, R, C>();
    /// Whether `O` adds or subtracts numbers of 16 bits, and its results are limited to 16 bits or less: sums in 16 bits that
    /// are limited themselves have the same results. The compiler would add in 32 bits.
    const LIMIT_SUMS: bool = SAT
        && is_long::<P>()
        && matches!(O::KIND, MapKind::Add | MapKind::Sub)
        && is_short::<X::Elem>()
        && is_short::<Y::Elem>()
        && is_short::<U>();

    /// Whether a step is one vector of 32-bit numbers: where 32-bit integers of longer rows become shorter ones, and for floats with
    /// vectors of AVX2.
    const OF_ONE_VECTOR: bool = (X::LONG_PARTS || Y::LONG_PARTS) && !U::FLOAT && U::TYPE.bytes() <= 2
        || E::AVX512.is_none() && matches!(P::TYPE, ElemType::F32);

    /// The function for an element, which goes through `V`. rustc prepares only the one that is chosen.
    #[inlined]
    fn of<V: Elem>() -> fn(&X, &Y, Lane<N, R, C>) -> U {
        const {
            if Self::CUT_SHIFTS {
                Self::cut
            } else if Self::LIMIT_SUMS {
                Self::limited
            } else {
                Self::whole::<V>
            }
        }
    }

    #[inlined]
    fn cut(a: &X, b: &Y, lane: Lane<N, R, C>) -> U {
        U::cast_from(low::<O, P, X, Y, Cpu<E, N>, R, C>(a, b, lane))
    }

    #[inlined]
    fn limited(a: &X, b: &Y, lane: Lane<N, R, C>) -> U {
        let sum = limited::<O, P>(i16::cast_from(a.element(lane)), i16::cast_from(b.element(lane)));
        converted::<i16, U, SAT>(sum)
    }

    #[inlined]
    fn whole<V: Elem>(a: &X, b: &Y, lane: Lane<N, R, C>) -> U {
        let value = combined::<O, P, X, Y, Cpu<E, N>, R, C>(a, b, lane);
        converted::<V, U, SAT>(V::cast_from(value))
    }
}

/// Whether `i16` has all numbers of these integers.
const fn is_short<T: Elem>() -> bool {
    !T::FLOAT && T::RANGE.0 >= i16::RANGE.0 && T::RANGE.1 <= i16::RANGE.1
}

/// The sum or the difference of two numbers, limited to 16 bits.
#[inlined]
fn limited<O: BinaryOp<P>, P: Elem>(a: i16, b: i16) -> i16 {
    if const { matches!(O::KIND, MapKind::Sub) } { a.saturating_sub(b) } else { a.saturating_add(b) }
}

/// Whether each operator is computed on its own, and regions are copied.
const fn as_registers<E, X, Y, P, const N: usize, const R: usize, const C: usize>() -> bool
where
    E: Environment,
    P: Elem,
    X: Operand<R, C, Cpu<E, N>>,
    Y: Operand<R, C, Cpu<E, N>>,
{
    // Rows are shorter than a step, or steps overlap, which costs more than the copy that a single operator saves.
    let rows_do_not_pay =
        C < 8 || (X::OPERATORS + Y::OPERATORS == 0 && !C.is_multiple_of(at_once::<E, P>(C, false)));
    // What is in a surface is read from memory anyway. Shorter rows of bytes would be stored as parts of vectors.
    let vectors = (X::IN_MEMORY || Y::IN_MEMORY) && C >= VECTOR;
    let small = R * N * C * size_of::<P>() < SEEN_THROUGH && !vectors;
    row_by_row::<X, Y, Cpu<E, N>, N, R, C>() && (small || rows_do_not_pay)
}

/// `O` on every element of both, as `V` and then converted, as `results`. They are a parameter, so that the compiler knows
/// that no operand is there: it would compare the address of every part of a row of a surface with that of the results.
///
/// The results are registers; or, if they may be `SHARED`, rows of all threads, in which columns of two threads stand once.
/// Returns the columns from one thread's row to that of the next one.
#[inlined]
fn write_results<
    E,
    O,
    P,
    X,
    Y,
    V,
    U,
    const SAT: bool,
    const SHARED: bool,
    const N: usize,
    const R: usize,
    const C: usize,
>(
    results: &mut MaybeUninit<Lanes<U, N, R, C>>,
    a: &X,
    b: &Y,
) -> usize
where
    E: Environment,
    O: BinaryOp<P>,
    P: Elem,
    X: Operand<R, C, Cpu<E, N>>,
    Y: Operand<R, C, Cpu<E, N>>,
    V: Elem,
    U: Elem,
{
    let first = results.as_mut_ptr().cast::<U>();
    let element = Results::<E, O, P, X, Y, U, SAT, N, R, C>::of::<V>();
    /// Element `$lane`, which is number `$index` of all.
    macro_rules! result {
        ($lane:expr, $index:expr) => {{
            let value = element(a, b, $lane);
            // SAFETY: `Lanes<_, N, R, C>` is `R * N * C` elements without gaps, and the index is below that.
            unsafe { first.add($index).write(value) };
        }};
    }
    /// The rows of `$threads`, which are `$joined` or one after the other.
    macro_rules! rows {
        ($threads:tt, $joined:literal) => {{
            let (width, count, last) = if Results::<E, O, P, X, Y, U, SAT, N, R, C>::OF_ONE_VECTOR {
                (
                    RowSteps::<E, P, U, $joined, N, C>::VECTOR_WIDTH,
                    RowSteps::<E, P, U, $joined, N, C>::VECTOR_COUNT,
                    RowSteps::<E, P, U, $joined, N, C>::VECTOR_LAST,
                )
            } else {
                (
                    RowSteps::<E, P, U, $joined, N, C>::WIDTH,
                    RowSteps::<E, P, U, $joined, N, C>::COUNT,
                    RowSteps::<E, P, U, $joined, N, C>::LAST,
                )
            };
            __rows!(r < R => {
                each!(n < $threads => {
                    for part in 0..count {
                        // If the last step overlaps, it is the first: a vector from the start of a row on was stored last then, and
                        // a load of it need not wait for two stores.
                        let part = if last.is_multiple_of(width) { part } else { count - 1 - part };
                        let start = (part * width).min(last);
                        for k in 0..rounds(width) {
                            let c = start + k;
                            // SAFETY: a step ends in its row. Rows of all threads are asked for below.
                            result!(unsafe { Lane::<N, R, C>::new(r, n, c) }, (r * N + n) * C + c);
                        }
                    }
                });
            });
        }};
    }
    /// Rows of threads that have columns of the next thread again: these are computed once, and copied.
    macro_rules! overlapping {
        () => {{
            let width = RowSteps::<E, P, U, false, N, C>::WIDTH;
            let apart = RowSteps::<E, P, U, false, N, C>::APART;
            __rows!(r < R => {
                each!(k < N => {
                    let (n, last) = (N - 1 - k, k == 0);
                    let columns = if last { C } else { apart };
                    let count = columns.div_ceil(width);
                    for part in 0..count {
                        let part = if columns.is_multiple_of(width) { part } else { count - 1 - part };
                        let start = (part * width).min(columns - width);
                        for k in 0..rounds(width) {
                            let c = start + k;
                            // SAFETY: a step ends in its row, and `apart` is less than `C`.
                            result!(unsafe { Lane::<N, R, C>::new(r, n, c) }, (r * N + n) * C + c);
                        }
                    }
                    if !last {
                        // SAFETY: the columns of the thread's row that are left, and as many of the next thread's row, which
                        // has been written. It begins where the thread's row ends, so they do not overlap.
                        unsafe {
                            let (from, to) = ((r * N + n + 1) * C, (r * N + n) * C + apart);
                            first.add(to).copy_from_nonoverlapping(first.add(from), C - apart);
                        }
                    }
                });
            });
        }};
    }
    /// The same, not copied: the rows of all threads are one row.
    macro_rules! shared {
        () => {{
            let width = SharedSteps::<E, P, U, N, C>::WIDTH;
            __rows!(r < R => {
                for part in 0..SharedSteps::<E, P, U, N, C>::COUNT {
                    for k in 0..rounds(width) {
                        let c = part * width + k;
                        // SAFETY: a step ends in the row of all threads, which has at most `N * C` columns. Operands were asked
                        // below whether these are columns of their threads.
                        result!(unsafe { Lane::<N, R, C>::new(r, 0, c) }, r * N * C + c);
                    }
                }
                let rest = SharedSteps::<E, P, U, N, C>::REST;
                if rest > 0 {
                    for k in 0..rounds(rest) {
                        let c = SharedSteps::<E, P, U, N, C>::COLUMNS - rest + k;
                        // SAFETY: as above.
                        result!(unsafe { Lane::<N, R, C>::new(r, 0, c) }, r * N * C + c);
                    }
                }
            });
        }};
    }
    /// All elements of all threads.
    macro_rules! flat {
        () => {
            each!(i < R * N * C => {
                // SAFETY: `i` is below the number of elements.
                result!(unsafe { Lane::<N, R, C>::new(0, 0, i) }, i);
            })
        };
    }
    if const { !row_by_row::<X, Y, Cpu<E, N>, N, R, C>() } {
        flat!();
        return C;
    }
    assert!(C >= RowSteps::<E, P, U, false, N, C>::WIDTH, "a row has a step at least");
    if const { N == 1 } || !(a.same() && b.same()) {
        rows!(N, false);
    } else if const { !X::PARTS && !Y::PARTS } {
        flat!();
    } else if a.is_apart(C) && b.is_apart(C) {
        rows!(1, true);
    } else if RowSteps::<E, P, U, false, N, C>::OVERLAPS
        && a.is_apart(RowSteps::<E, P, U, false, N, C>::APART)
        && b.is_apart(RowSteps::<E, P, U, false, N, C>::APART)
    {
        if const { SHARED } {
            shared!();
            return RowSteps::<E, P, U, false, N, C>::APART;
        }
        overlapping!();
    } else {
        rows!(N, false);
    }
    C
}

/// `O` on every element of both, and the conversion.
#[inlined]
pub(super) fn computed<E, O, P, X, Y, U, const SAT: bool, const N: usize, const R: usize, const C: usize>(
    a: X,
    b: Y,
) -> Lanes<U, N, R, C>
where
    E: Environment,
    O: BinaryOp<P>,
    P: Elem,
    X: Operand<R, C, Cpu<E, N>> + Copy,
    Y: Operand<R, C, Cpu<E, N>> + Copy,
    U: Elem,
{
    // Comparisons alone have loops of their own, for bytes beside longer numbers. With AVX-512 regions are compared where they are.
    let compared = const {
        let numbers = X::STAGED_NUMBER || Y::STAGED_NUMBER;
        let regions = E::AVX512.is_some() && (X::PARTS || Y::PARTS) && !numbers;
        O::KIND.class().is_comparison() && X::OPERATORS + Y::OPERATORS == 0 && !regions
    };
    // Loops that do not know rows take the same rows for all threads.
    let apart = const { N > 1 && (X::WHOLE_ROWS || Y::WHOLE_ROWS) } && (a.chosen() || b.chosen());
    if const { as_registers::<E, X, Y, P, N, R, C>() } || compared || apart {
        // A literal is longer than the bytes that it is compared with. As a register of longer numbers it would be looked at
        // element by element.
        if const { O::KIND.class().is_comparison() && is_byte_with_longer::<P, X::Elem, Y::Elem>() }
            && let Some(number) = b.bounds().only::<X::Elem>()
        {
            let (a, b) = (a.into_operand(), lanes::splat([[[number]; N]]));
            let compare = function_if!(
                is_byte_with_longer::<P, X::Elem, Y::Elem>() =>
                    lanes::map2::<E, O, P, X::Elem, X::Elem, U, SAT, N, R, C> as fn(_, _) -> _
            );
            return compare(a, b);
        }
        let (a, b) = (a.into_operand(), b.into_operand());
        return lanes::map2::<E, O, P, X::Elem, Y::Elem, U, SAT, N, R, C>(a, b);
    }
    a.begin();
    b.begin();
    /// All results as elements `$u`, converted from `$v`, under this condition.
    macro_rules! all {
        ($condition:expr; $v:ty => $u:ty, $saturate:expr) => {
            function_if!(
                $condition => all_results::<E, O, P, X, Y, $v, $u, { $saturate }, N, R, C> as fn(_, _) -> _
            )(&a, &b)
        };
    }
    #[cfg(target_arch = "x86_64")]
    if const { narrow::suit::<E, O::Output, U>() }
        && let Some(avx2) = E::AVX2
    {
        if const { row_by_row::<X, Y, Cpu<E, N>, N, R, C>() } {
            let floats = all!(narrow::suit::<E, O::Output, U>(); O::Output => O::Output, false);
            let convert = function_if!(
                narrow::suit::<E, O::Output, U>() =>
                    lanes::map1::<E, Convert, O::Output, O::Output, U, SAT, N, R, C> as fn(_) -> _
            );
            return convert(floats);
        }
        return narrowed!(U, avx2; |i| {
            // SAFETY: `i` is below the number of elements.
            let lane = unsafe { Lane::<N, R, C>::new(0, 0, i) };
            combined::<O, P, X, Y, Cpu<E, N>, R, C>(&a, &b, lane)
        });
    }
    // The compiler computes in 32 bits what is limited in 32 bits.
    let limits_words = const { limits_long::<O::Output, U, SAT>() }
        && a.bounds().combined::<O, P>(b.bounds()).within::<i16>();
    // Short rows of bytes would be stored as parts of vectors, and loads of whole ones would wait for them.
    if const {
        becomes_bytes::<O::Output, U>()
            && !of_bytes::<O, P, X, Y, Cpu<E, N>, R, C>()
            && (X::LONG || Y::LONG || ((X::IN_MEMORY || Y::IN_MEMORY) && C < VECTOR))
    } {
        let words = if const { limits_long::<O::Output, U, SAT>() } && limits_words {
            all!(becomes_bytes::<O::Output, U>() && limits_long::<O::Output, U, SAT>(); i16 => i16, false)
        } else {
            all!(becomes_bytes::<O::Output, U>(); O::Output => i16, SAT)
        };
        let convert = function_if!(
            becomes_bytes::<O::Output, U>() => lanes::map1::<E, Convert, i16, i16, U, SAT, N, R, C> as fn(_) -> _
        );
        return convert(words);
    }
    if const { limits_long::<O::Output, U, SAT>() } && limits_words {
        return all!(limits_long::<O::Output, U, SAT>(); i16 => U, SAT);
    }
    all!(true; O::Output => U, SAT)
}

/// `O` on every element of both, as `V` and then converted.
#[inlined]
fn all_results<E, O, P, X, Y, V, U, const SAT: bool, const N: usize, const R: usize, const C: usize>(
    a: &X,
    b: &Y,
) -> Lanes<U, N, R, C>
where
    E: Environment,
    O: BinaryOp<P>,
    P: Elem,
    X: Operand<R, C, Cpu<E, N>>,
    Y: Operand<R, C, Cpu<E, N>>,
    V: Elem,
    U: Elem,
{
    written!(Lanes<U, N, R, C>; |results| {
        write_results::<E, O, P, X, Y, V, U, SAT, false, N, R, C>(results, a, b);
    })
}

/// Whether long integers are limited to bytes or words.
const fn limits_long<V: Elem, U: Elem, const SAT: bool>() -> bool {
    SAT && is_long::<V>() && !U::FLOAT && U::TYPE.bytes() <= 2
}

/// The same in `slot`, for a matrix of which regions are used. Columns of two threads, as the windows of filters have, stand
/// once in a row of all threads, so that regions of these rows are one row, too.
#[inlined]
pub(super) fn computed_in<
    'a,
    E,
    O,
    P,
    X,
    Y,
    U,
    const SAT: bool,
    const N: usize,
    const R: usize,
    const C: usize,
>(
    slot: &'a mut MaybeUninit<StackSlot<U, N, R, C>>,
    a: X,
    b: Y,
) -> InPlace<'a, (), N>
where
    E: Environment,
    O: BinaryOp<P>,
    P: Elem,
    X: Operand<R, C, Cpu<E, N>> + Copy,
    Y: Operand<R, C, Cpu<E, N>> + Copy,
    U: Elem,
{
    let bounds = a.bounds().combined::<O, P>(b.bounds()).converted::<U>();
    let step = if const { shares::<E, X, Y, P, U, SAT, N, R, C>() } {
        a.begin();
        b.begin();
        let write = function_if!(
            shares::<E, X, Y, P, U, SAT, N, R, C>() =>
                write_results::<E, O, P, X, Y, O::Output, U, SAT, true, N, R, C> as fn(_, _, _) -> _
        );
        write(stack_slot::elements(slot), &a, &b)
    } else {
        stack_slot::elements(slot).write(computed::<E, O, P, X, Y, U, SAT, N, R, C>(a, b));
        C
    };
    // SAFETY: all elements of these rows have been written.
    unsafe { stack_slot::rows(slot, step) }.between(bounds)
}

/// Whether the threads may share columns of results in memory: longer numbers than bytes, which are loaded in other parts than
/// they are stored.
const fn shares<E, X, Y, P, U, const SAT: bool, const N: usize, const R: usize, const C: usize>() -> bool
where
    E: Environment,
    P: Elem,
    U: Elem,
    X: Operand<R, C, Cpu<E, N>>,
    Y: Operand<R, C, Cpu<E, N>>,
{
    let numbers = U::TYPE.bytes() >= 2 && (!P::FLOAT || U::FLOAT) && !SAT;
    let whole = X::WHOLE_ROWS || Y::WHOLE_ROWS;
    N > 1 && numbers && !whole && (X::PARTS || Y::PARTS) && !as_registers::<E, X, Y, P, N, R, C>()
}

/// `O` on every element of a tree, and the conversion. The compiler computes a tree in 16 bits only if the rest is cut off,
/// and does not narrow a tree whose result goes through a function such as `abs`. So a tree whose results 16 bits hold is
/// stored as words.
#[inlined]
pub(super) fn function_of<E, O, P, X, U, const SAT: bool, const N: usize, const R: usize, const C: usize>(
    x: X,
) -> Lanes<U, N, R, C>
where
    E: Environment,
    O: UnaryOp<P>,
    P: Elem,
    X: Operand<R, C, Cpu<E, N>> + Copy,
    U: Elem,
{
    if const { X::OPERATORS > 0 && is_long::<X::Elem>() && !P::FLOAT } && x.bounds().within::<i16>() {
        let words = function_if!(
            X::OPERATORS > 0 && is_long::<X::Elem>() && !P::FLOAT =>
                computed::<E, OfFirst<Convert>, X::Elem, X, u8, i16, false, N, R, C> as fn(_, u8) -> _
        );
        let apply = function_if!(
            X::OPERATORS > 0 && is_long::<X::Elem>() => lanes::map1::<E, O, P, i16, U, SAT, N, R, C> as fn(_) -> _
        );
        return apply(words(x, 0));
    }
    computed::<E, OfFirst<O>, P, X, u8, U, SAT, N, R, C>(x, 0)
}
