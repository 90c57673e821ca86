//! Registers of several kernel threads side by side, and loops over them that the compiler turns into vector code.
//!
//! The one module of this crate with `unsafe` code. Two rules make these loops fast. Arithmetic goes over all elements of
//! all threads in one flat loop: nested loops over short rows depend on how the compiler puts scalars together again. And
//! what is loaded by one instruction was stored by one: a processor cannot forward several pending stores to one
//! load, and waits until they have reached the cache.
#![allow(unsafe_code)]
#![allow(
    clippy::needless_range_loop,
    reason = "what is one loop over numbers is seen as such by the compiler"
)]

use std::mem::MaybeUninit;

use num_traits::AsPrimitive;

use crate::elem::{Elem, ElemType, Int};
use crate::ops::{BinaryOp, UnaryOp};

/// The registers of `N` kernel threads: for each row, the rows of the threads one after the other.
pub type Lanes<T, const N: usize, const R: usize, const C: usize> = [[[T; C]; N]; R];

/// The elements of all threads.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn flat<T, const N: usize, const R: usize, const C: usize>(x: &Lanes<T, N, R, C>) -> &[T] {
    x.as_flattened().as_flattened()
}

/// Every element by an expression of those at the same place in the sources. Not by a closure: closures stay functions
/// of their own, compiled for the baseline instruction set.
macro_rules! map {
    ($t:ty; |$($x:ident of $source:ident),+| $value:expr) => {{
        let mut lanes = MaybeUninit::<Lanes<$t, N, R, C>>::uninit();
        let first = lanes.as_mut_ptr().cast::<$t>();
        $(let $source = flat(&$source);)+
        for i in 0..R * N * C {
            $(let $x = $source[i];)+
            let value = $value;
            // SAFETY: `Lanes<_, N, R, C>` is `R * N * C` elements without gaps, and `i` is below that.
            unsafe { first.add(i).write(value) };
        }
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
        return runs::<T, N, R, C, R2, C2>(source, start);
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
        let (start, all) = (x[row].as_ptr().cast::<W>(), lanes.as_flattened_mut().as_flattened_mut());
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

/// Several elements as one number.
trait Word: bytemuck::Pod {
    /// Element `part`.
    fn part<T: Elem>(self, part: usize) -> T;
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
        }
    )*};
}

words! { u16 u32 u64 }

pub(super) const fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// `R2 * N` runs of `C2` elements, `C` apart, side by side.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn runs<T: Elem, const N: usize, const R: usize, const C: usize, const R2: usize, const C2: usize>(
    source: &[T],
    start: usize,
) -> Lanes<T, N, R2, C2> {
    let count = R2 * N;
    let source = &source[start..];
    assert!((count - 1) * C + C2 <= source.len(), "a region lies inside of its object");
    let (step, size) = (C * size_of::<T>(), C2 * size_of::<T>());
    let mut lanes = MaybeUninit::<Lanes<T, N, R2, C2>>::uninit();
    let (from, to) = (source.as_ptr().cast::<u8>(), lanes.as_mut_ptr().cast::<u8>());
    if step == size {
        // SAFETY: the runs are all of `count * size` bytes, inside of the source by the assertion.
        unsafe { copy_from(from, start * size_of::<T>(), to, count * size) };
        // SAFETY: written as a whole.
        return unsafe { lanes.assume_init() };
    }
    // Of a large object and many runs the compiler would keep pieces in registers, and put the runs together of these.
    let from = if count * size >= KEPT { std::hint::black_box(from) } else { from };
    let mut done = 0;
    if size % 8 == 0 {
        // As many runs as fill whole blocks.
        let (together, blocks) = const {
            let size = C2 * size_of::<T>();
            (BLOCK / gcd(size, BLOCK), size / gcd(size, BLOCK))
        };
        for group in 0..count / together {
            for block in 0..blocks {
                let quarter = |k: usize| {
                    let byte = block * BLOCK + k * 8;
                    group * together * step + byte / size * step + byte % size
                };
                // SAFETY: byte `block * BLOCK` and the others of the group are quarters, each inside of one run since the
                // size of a run is a multiple of 8; all runs are inside of the source by the assertion, and the group
                // inside of the target.
                unsafe {
                    let target = to.add(group * together * size + block * BLOCK);
                    copy_quarters([0, 1, 2, 3].map(|k| from.add(quarter(k))), target);
                }
            }
        }
        done = count / together * together;
    }
    for run in done..count {
        // SAFETY: run `run` is inside of source and target.
        unsafe { to.add(run * size).copy_from_nonoverlapping(from.add(run * step), size) };
    }
    // SAFETY: every run has been written.
    unsafe { lanes.assume_init() }
}

/// Copies `len` bytes from byte `offset` of an object, none of them over two of the blocks of 64 bytes that it was stored
/// in.
///
/// # Safety
/// They are there at both, and do not overlap.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn copy_from(from: *const u8, offset: usize, to: *mut u8, len: usize) {
    let mut at = 0;
    #[cfg(target_arch = "x86_64")]
    if offset % 64 == 32 {
        use std::arch::x86_64::{__m256i, __m512i};
        while len - at >= 64 {
            // SAFETY: 64 bytes are at both; all of these types are plain bytes.
            unsafe {
                let from = from.add(at).cast::<Unaligned<__m256i>>();
                let whole =
                    std::mem::transmute::<[__m256i; 2], __m512i>([from.read().0, from.add(1).read().0]);
                to.add(at).cast::<Unaligned<__m512i>>().write(Unaligned(whole));
            }
            at += 64;
        }
    }
    // SAFETY: as the caller says, of what is left.
    unsafe { to.add(at).copy_from_nonoverlapping(from.add(at), len - at) };
}

/// Bytes of runs from which on they are loaded from memory.
const KEPT: usize = 384;

/// What is stored at once: the compiler loads as much, or less.
const BLOCK: usize = 32;

/// Copies 8 bytes from each of four places, by one store where the instruction set has one.
///
/// # Safety
/// 8 bytes of all sources and 32 of the target are there, and they do not overlap.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn copy_quarters(from: [*const u8; 4], to: *mut u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as the caller says; SSE2 is part of the architecture, the last store is one of plain bytes.
    unsafe {
        use std::arch::x86_64::{__m128i, __m256i, _mm_loadl_epi64, _mm_loadu_si128, _mm_unpacklo_epi64};
        let half = |first: *const u8, second: *const u8| {
            if second == first.wrapping_add(8) {
                _mm_loadu_si128(first.cast())
            } else {
                _mm_unpacklo_epi64(_mm_loadl_epi64(first.cast()), _mm_loadl_epi64(second.cast()))
            }
        };
        let halves = [half(from[0], from[1]), half(from[2], from[3])];
        let whole = std::mem::transmute::<[__m128i; 2], __m256i>(halves);
        to.cast::<Unaligned<__m256i>>().write(Unaligned(whole));
    }
    #[cfg(not(target_arch = "x86_64"))]
    for (k, from) in from.into_iter().enumerate() {
        // SAFETY: as the caller says.
        unsafe { to.add(k * 8).copy_from_nonoverlapping(from, 8) };
    }
}

/// A value at an address that need not be aligned.
#[cfg(target_arch = "x86_64")]
#[repr(C, packed)]
struct Unaligned<T>(T);
