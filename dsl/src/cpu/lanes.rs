//! Registers of several kernel threads side by side, and loops over them that the compiler turns into vector code.
//!
//! Arithmetic goes over all elements of all threads in one flat loop: nested loops over short rows depend on how the compiler
//! puts scalars together again.
#![allow(unsafe_code)]
#![allow(
    clippy::needless_range_loop,
    reason = "what is one loop over numbers is seen as such by the compiler"
)]

use std::mem::MaybeUninit;

use num_traits::AsPrimitive;

use super::runs;
use crate::elem::{Elem, ElemType, Int};
use crate::ops::{BinaryOp, UnaryOp};

/// The registers of `N` kernel threads: for each row, the rows of the threads one after the other.
pub type Lanes<T, const N: usize, const R: usize, const C: usize> = [[[T; C]; N]; R];

/// The elements of all threads. `as_flattened` is not inlined before all of the program is linked, which is too late.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn flat<T, const N: usize, const R: usize, const C: usize>(x: &Lanes<T, N, R, C>) -> &[T] {
    // SAFETY: arrays of arrays are their elements without gaps.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(x).cast(), R * N * C) }
}

/// The same, to be written.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn flat_mut<T, const N: usize, const R: usize, const C: usize>(
    x: &mut Lanes<T, N, R, C>,
) -> &mut [T] {
    // SAFETY: as in `flat`.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::from_mut(x).cast(), R * N * C) }
}

/// `copy_from_slice`, inlined at once.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn copy(from: &[u8], to: &mut [u8]) {
    assert!(from.len() == to.len(), "as many bytes");
    // SAFETY: both are as long, and do not overlap, since one is borrowed mutably.
    unsafe { to.as_mut_ptr().copy_from_nonoverlapping(from.as_ptr(), from.len()) };
}

/// `body` for `i` from 0 to `count`, which the compiler knows. A few rounds are no loop: what they compute is seen through
/// before loops are looked at.
macro_rules! each {
    ($i:ident < $count:expr => $body:block) => {
        if const { $count <= 4 } {
            if const { $count > 0 } {
                let $i = 0;
                $body
            }
            if const { $count > 1 } {
                let $i = 1;
                $body
            }
            if const { $count > 2 } {
                let $i = 2;
                $body
            }
            if const { $count > 3 } {
                let $i = 3;
                $body
            }
        } else {
            for $i in 0..$count $body
        }
    };
}
pub(super) use each;

/// Every element by an expression of those at the same place in the sources. Not by a closure: closures stay functions
/// of their own, compiled for the baseline instruction set.
macro_rules! map {
    ($t:ty; |$($x:ident of $source:ident),+| $value:expr) => {{
        let mut lanes = MaybeUninit::<Lanes<$t, N, R, C>>::uninit();
        let first = lanes.as_mut_ptr().cast::<$t>();
        $(let $source = flat(&$source);)+
        each!(i < R * N * C => {
            $(let $x = $source[i];)+
            let value = $value;
            // SAFETY: `Lanes<_, N, R, C>` is `R * N * C` elements without gaps, and `i` is below that.
            unsafe { first.add(i).write(value) };
        });
        // SAFETY: the loop has written every element.
        unsafe { lanes.assume_init() }
    }};
}

#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn splat<T: Elem, const N: usize, const R: usize, const C: usize>(
    [lanes]: Lanes<T, N, 1, 1>,
) -> Lanes<T, N, R, C> {
    let mut rows = [[[T::default(); C]; N]; R];
    for row in &mut rows {
        for n in 0..N {
            row[n] = [lanes[n][0]; C];
        }
    }
    rows
}

#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn unary<O: UnaryOp<T>, T: Elem, const N: usize, const R: usize, const C: usize>(
    x: Lanes<T, N, R, C>,
) -> Lanes<O::Output, N, R, C> {
    map!(O::Output; |e of x| O::apply(e))
}

#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn binary<
    O: BinaryOp<P>,
    P: Elem,
    T: Elem,
    V: Elem,
    const N: usize,
    const R: usize,
    const C: usize,
>(
    a: Lanes<T, N, R, C>,
    b: Lanes<V, N, R, C>,
) -> Lanes<O::Output, N, R, C> {
    map!(O::Output; |x of a, y of b| O::apply(P::cast_from(x), P::cast_from(y)))
}

/// `binary` and `convert`, in one pass.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn binary_as<
    O: BinaryOp<P>,
    P: Elem,
    T: Elem,
    V: Elem,
    U: Elem,
    const N: usize,
    const R: usize,
    const C: usize,
>(
    a: Lanes<T, N, R, C>,
    b: Lanes<V, N, R, C>,
) -> Lanes<U, N, R, C> {
    map!(U; |x of a, y of b| cast(O::apply(P::cast_from(x), P::cast_from(y))))
}

/// `binary` and `saturate`, in one pass.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn binary_saturated<
    O: BinaryOp<P>,
    P: Elem,
    T: Elem,
    V: Elem,
    U: Elem,
    const N: usize,
    const R: usize,
    const C: usize,
>(
    a: Lanes<T, N, R, C>,
    b: Lanes<V, N, R, C>,
) -> Lanes<U, N, R, C> {
    if O::Output::TYPE.is_float() && !U::TYPE.is_float() {
        return binary_as::<O, P, T, V, U, N, R, C>(a, b);
    }
    map!(U; |x of a, y of b| U::saturate_from(O::apply(P::cast_from(x), P::cast_from(y))))
}

#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn convert<T: Elem, V: Elem, const N: usize, const R: usize, const C: usize>(
    x: Lanes<T, N, R, C>,
) -> Lanes<V, N, R, C> {
    map!(V; |e of x| cast(e))
}

#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn saturate<T: Elem, V: Elem, const N: usize, const R: usize, const C: usize>(
    x: Lanes<T, N, R, C>,
) -> Lanes<V, N, R, C> {
    if T::TYPE.is_float() && !V::TYPE.is_float() {
        return convert(x);
    }
    map!(V; |e of x| V::saturate_from(e))
}

#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn merge<M: Int, T: Elem, const N: usize, const R: usize, const C: usize>(
    mask: Lanes<M, N, R, C>,
    x: Lanes<T, N, R, C>,
    y: Lanes<T, N, R, C>,
) -> Lanes<T, N, R, C> {
    let one = M::cast_from(1u8);
    map!(T; |m of mask, a of x, b of y| if M::and(m, one) == one { a } else { b })
}

/// `V::cast_from(x)`. Rust's `as` from floats to bytes and words becomes one instruction for each element.
#[expect(clippy::eq_op, reason = "not so for NaN")]
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn cast<T: Elem, V: Elem>(x: T) -> V {
    if !matches!(T::TYPE, ElemType::F32 | ElemType::F64) || V::TYPE.is_float() || V::TYPE.bytes() > 2 {
        return V::cast_from(x);
    }
    // The bounds are exact in both float types.
    let (low, high) = (T::from_i128(V::RANGE.0), T::from_i128(V::RANGE.1));
    let x = if x == x { x } else { T::default() };
    let x = if x > low { x } else { low };
    let x = if x < high { x } else { high };
    // SAFETY: `x` is a number of at most 16 bits.
    let integer: i32 = unsafe {
        if T::TYPE == ElemType::F32 {
            AsPrimitive::<f32>::as_(x).to_int_unchecked()
        } else {
            AsPrimitive::<f64>::as_(x).to_int_unchecked()
        }
    };
    V::cast_from(integer)
}

/// `R2` x `C2` elements of each thread from its element `at` on, strides in elements of its linearised object.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn region<
    T: Elem,
    const N: usize,
    const R: usize,
    const C: usize,
    const R2: usize,
    const C2: usize,
>(
    x: &Lanes<T, N, R, C>,
    at: usize,
    row_stride: usize,
    width: usize,
    column_stride: usize,
) -> Lanes<T, N, R2, C2> {
    let source = flat(x);
    if width == C2 && column_stride == 1 && at % C + C2 <= C && (R2 == 1 || row_stride == C) {
        // Every row of the region is a part of one row of the object, and they are evenly spaced.
        let start = at / C * N * C + at % C;
        return if C2 == C { runs::whole_rows(x, start) } else { runs::parts(x, start) };
    }
    let whole_rows = width == C2 && (R2 == 1 || row_stride.is_multiple_of(C));
    // `replicate` has strides of 0.
    let first = at % C / column_stride.max(1) * column_stride;
    if whole_rows && column_stride > 1 && first + C2 * column_stride <= C {
        let steps = Steps { row: at / C, rows: row_stride / C, first, part: at % C - first };
        match column_stride * size_of::<T>() {
            2 => return strided::<u16, T, N, R, C, R2, C2>(x, steps),
            4 => return strided::<u32, T, N, R, C, R2, C2>(x, steps),
            8 => return strided::<u64, T, N, R, C, R2, C2>(x, steps),
            _ => {}
        }
    }
    let mut rows = [[[T::default(); C2]; N]; R2];
    for r in 0..R2 {
        for n in 0..N {
            for c in 0..C2 {
                let k = r * C2 + c;
                let k = at + k / width * row_stride + k % width * column_stride;
                rows[r][n][c] = source[(k / C * N + n) * C + k % C];
            }
        }
    }
    rows
}

/// The elements of each thread's object that its indices name, of which those that are too large are the last.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pick<T: Elem, const N: usize, const R: usize, const C: usize, const M: usize>(
    x: &Lanes<T, N, R, C>,
    index: &[[u32; M]; N],
) -> [[T; M]; N] {
    // With these `place` gives elements of the object.
    assert!(R * C > 0 && R * C <= u32::MAX as usize, "an object has elements");
    if size_of::<T>() >= 4 || R * C > 4 * M {
        let table = flat(x);
        let mut picked = [[T::default(); M]; N];
        for n in 0..N {
            for k in 0..M {
                // SAFETY: `place` gives elements of the object, by the assertion.
                picked[n][k] = unsafe { *table.get_unchecked(place::<N, R, C>(n, index[n][k])) };
            }
        }
        return picked;
    }
    // Instruction sets that load from many places load dwords.
    let x = *x;
    let table: Lanes<u32, N, R, C> = map!(u32; |e of x| u32::from_part(e));
    let table = flat(&table);
    let mut picked = [[T::default(); M]; N];
    for n in 0..N {
        for k in 0..M {
            // SAFETY: as above.
            picked[n][k] = unsafe { *table.get_unchecked(place::<N, R, C>(n, index[n][k])) }.part(0);
        }
    }
    picked
}

/// Where element `at` of thread `n` is, or its last one.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn place<const N: usize, const R: usize, const C: usize>(n: usize, at: u32) -> usize {
    let at = at.min((R * C - 1) as u32) as usize;
    (at / C * N + n) * C + at % C
}

/// Where the elements of a region are that are one of several in words of the object.
#[derive(Clone, Copy)]
struct Steps {
    /// The first row, and rows from one to the next.
    row: usize,
    rows: usize,
    /// Elements of a row before the first word.
    first: usize,
    /// Which element of a word it is.
    part: usize,
}

/// One element of each of `C2` words in a row: whole words are loaded and cut off.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn strided<
    W: Word,
    T: Elem,
    const N: usize,
    const R: usize,
    const C: usize,
    const R2: usize,
    const C2: usize,
>(
    x: &Lanes<T, N, R, C>,
    steps: Steps,
) -> Lanes<T, N, R2, C2> {
    let Steps { row, rows, first, part } = steps;
    let size = size_of::<T>();
    assert!(
        row + (R2 - 1) * rows < R && first * size + C2 * size_of::<W>() <= C * size,
        "inside of its object"
    );
    let mut lanes = [[[T::default(); C2]; N]; R2];
    if rows == 1 && C2 * size_of::<W>() == C * size {
        // All words of these rows, in one loop.
        let (start, all) = (flat(x)[row * N * C..].as_ptr().cast::<W>(), flat_mut(&mut lanes));
        for k in 0..R2 * N * C2 {
            // SAFETY: the rows are the words, and `R2` of them are there by the assertion.
            let word = unsafe { start.add(k).read_unaligned() };
            all[k] = word.part(part);
        }
        return lanes;
    }
    for r in 0..R2 {
        for n in 0..N {
            let start = x[row + r * rows][n][first..].as_ptr().cast::<W>();
            for c in 0..C2 {
                // SAFETY: `C2` words are in the row from its element `first` on, by the assertion.
                let word = unsafe { start.add(c).read_unaligned() };
                lanes[r][n][c] = word.part(part);
            }
        }
    }
    lanes
}

/// Changes one element of each word of `words`, byte `shift` of it; `elements` has as many.
///
/// # Panics
/// If there are not as many words as elements.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn put_parts<W: Word, T: Elem>(words: &mut [u8], shift: usize, elements: &[T]) {
    assert!(words.len() == elements.len() * size_of::<W>(), "a word for each element");
    let words = words.as_mut_ptr().cast::<W>();
    for k in 0..elements.len() {
        // SAFETY: word `k` is there by the assertion, for plain numbers of any alignment.
        unsafe {
            let word = words.add(k);
            word.write_unaligned(word.read_unaligned().with_part(shift, elements[k]));
        }
    }
}

/// Several elements as one number.
pub(super) trait Word: bytemuck::Pod {
    /// Element `part`.
    fn part<T: Elem>(self, part: usize) -> T;
    /// With an element from byte `shift` on.
    fn with_part<T: Elem>(self, shift: usize, element: T) -> Self;
    /// An element, and zeros.
    fn from_part<T: Elem>(element: T) -> Self;
}

macro_rules! words {
    ($($word:ident)*) => {$(
        impl Word for $word {
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn part<T: Elem>(self, part: usize) -> T {
                let shifted = self.to_le() >> (8 * size_of::<T>() * part);
                bytemuck::pod_read_unaligned(&shifted.to_le_bytes()[..size_of::<T>()])
            }

            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn with_part<T: Elem>(self, shift: usize, element: T) -> Self {
                let mask = ($word::MAX >> (8 * (size_of::<Self>() - size_of::<T>()))) << (8 * shift);
                let part = Self::from_part(element).to_le() << (8 * shift);
                $word::from_le(self.to_le() & !mask | part)
            }

            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from_part<T: Elem>(element: T) -> Self {
                let mut bytes = [0; size_of::<$word>()];
                bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&element));
                $word::from_ne_bytes(bytes)
            }
        }
    )*};
}

words! { u16 u32 u64 }
