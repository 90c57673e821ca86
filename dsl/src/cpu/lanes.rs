//! Element-wise operations, in loops that the compiler turns into vector code.
//!
//! Arithmetic goes over all elements of all threads in one flat loop: with nested loops over short rows the
//! code would depend on how the compiler puts scalars together again.
#![allow(unsafe_code)]
#![allow(
    clippy::needless_range_loop,
    reason = "what is one loop over numbers is seen as such by the compiler"
)]

use std::mem::MaybeUninit;

use cm_macros::inlined;
use num_traits::AsPrimitive;

use super::arrays::{Lanes, each, flat, flat_mut, function_if, map, zeroed};
#[cfg(target_arch = "x86_64")]
use super::environment::Avx2;
use super::environment::Environment;
use super::mask_bits;
#[cfg(target_arch = "x86_64")]
use super::x86::halves;
#[cfg(target_arch = "x86_64")]
use super::x86::narrow;
use crate::elem::{Convert as _, Elem, ElemType, SMALL_ANGLE, is_long, sine_of_small};
use crate::ops::{BinaryOp, MapKind, TernaryOp, UnaryOp};

/// Every float by such an expression of its number, as a byte or word.
#[cfg(target_arch = "x86_64")]
macro_rules! narrowed {
    ($t:ty, $avx2:expr; |$i:ident| $value:expr) => {{
        let mut lanes: Lanes<$t, N, R, C> = zeroed();
        let all = flat_mut(&mut lanes);
        let whole = const { R * N * C / narrow::FLOATS };
        for part in 0..whole {
            let first = part * narrow::FLOATS;
            let mut floats = [0.0; narrow::FLOATS];
            for k in 0..narrow::FLOATS {
                let $i = first + k;
                floats[k] = AsPrimitive::<f32>::as_($value);
            }
            narrow::narrow(&floats, &mut all[first..first + narrow::FLOATS], $avx2);
        }
        for $i in whole * narrow::FLOATS..R * N * C {
            all[$i] = cast($value);
        }
        lanes
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use narrowed;

/// Whether integers become bytes by way of words, in two loops, if what they are computed of is not shorter itself.
/// Where the compiler knows that 16 bits hold the elements of a vector, it computes it in 16 bits only if there is a
/// conversion to that type.
pub(super) const fn becomes_bytes<T: Elem, U: Elem>() -> bool {
    is_long::<T>() && !U::FLOAT && U::TYPE.bytes() == 1
}

/// Whether comparisons and merges are loops over bytes. Masks are words, and the compiler computes as many elements at once
/// as the longest type of a loop allows. So the mask is converted in a loop of its own, which is left out if a comparison
/// and a merge meet. Masks of up to 32 elements may be the bits of a number instead, which become words.
const fn in_bytes<T: Elem, V: Elem>(elements: usize) -> bool {
    T::TYPE.bytes() == 1 && V::TYPE.bytes() == 1 && elements > mask_bits::WORDS
}

/// Whether `T` is a byte, `V` a longer integer of at most 32 bits, and `P` has all numbers of both. Most such `V` are
/// literals, which are `i32`: without this, the bytes would be widened to 32 bits. (Words gain nothing.)
pub(super) const fn is_byte_with_longer<P: Elem, T: Elem, V: Elem>() -> bool {
    let (bytes, longer) = (T::TYPE.bytes(), V::TYPE.bytes());
    let integers = !P::FLOAT && !T::FLOAT && !V::FLOAT;
    let (low, high) = (P::RANGE.0, P::RANGE.1);
    let in_common = T::RANGE.0 >= low && V::RANGE.0 >= low && T::RANGE.1 <= high && V::RANGE.1 <= high;
    integers && in_common && bytes == 1 && 1 < longer && longer <= 4
}

/// Where a number is: 0 in the range of `T`, 1 below it, 2 above it.
#[inlined]
fn side<T: Elem, V: Elem>(y: V) -> T {
    let (low, high) = (V::RANGE.0.max(T::RANGE.0), V::RANGE.1.min(T::RANGE.1));
    let (below, above) = (y < V::from_i128(low), y > V::from_i128(high));
    T::cast_from(u8::from(below) | u8::from(above) << 1)
}

/// The comparison of any element of `T` with a number on this side of all of them. `None` if the number is among them.
#[inlined]
fn beyond<O: BinaryOp<P>, P: Elem, T: Elem, U: Elem>(side: T) -> Option<U> {
    let (below, above) = (side == T::cast_from(1_u8), side == T::cast_from(2_u8));
    let result = O::apply(P::cast_from(u8::from(below)), P::cast_from(u8::from(above)));
    (below || above).then(|| U::cast_from(result))
}

#[inlined]
pub(super) fn splat<T: Elem, const N: usize, const R: usize, const C: usize>(
    [lanes]: Lanes<T, N, 1, 1>,
) -> Lanes<T, N, R, C> {
    let mut rows: Lanes<T, N, R, C> = zeroed();
    for row in &mut rows {
        for n in 0..N {
            row[n] = [lanes[n][0]; C];
        }
    }
    rows
}

/// `O` on every element, and the conversion, in one pass.
#[inlined]
pub(super) fn map1<E, O, P, T, U, const SAT: bool, const N: usize, const R: usize, const C: usize>(
    x: Lanes<T, N, R, C>,
) -> Lanes<U, N, R, C>
where
    E: Environment,
    O: UnaryOp<P>,
    P: Elem,
    T: Elem,
    U: Elem,
{
    if const { matches!((O::KIND, P::TYPE), (MapKind::Sin | MapKind::Cos, ElemType::F32)) }
        && small_angles(flat(&x))
    {
        let quarters = const { matches!(O::KIND, MapKind::Cos) as u64 };
        return map!(U; |e of x| converted::<f32, U, SAT>(sine_of_small(f32::cast_from(e), quarters)));
    }
    #[cfg(target_arch = "x86_64")]
    if const { narrow::suit::<E, O::Output, U>() }
        && let Some(avx2) = E::AVX2
    {
        let narrow = function_if!(
            narrow::suit::<E, O::Output, U>() => narrow1::<O, P, T, U, N, R, C> as fn(_, _) -> _
        );
        return narrow(x, avx2);
    }
    #[cfg(target_arch = "x86_64")]
    if const { matches!(O::KIND, MapKind::Convert) && !SAT && halves::suit::<T, U>() }
        && let Some(avx2) = E::AVX2
    {
        let convert = function_if!(
            matches!(O::KIND, MapKind::Convert) && halves::suit::<T, U>() => through_halves as fn(_, _) -> _
        );
        return convert(x, avx2);
    }
    if const { becomes_bytes::<O::Output, U>() && is_long::<T>() } {
        let words = function_if!(
            becomes_bytes::<O::Output, U>() => map1::<E, O, P, T, i16, SAT, N, R, C> as fn(_) -> _
        );
        return function_if!(becomes_bytes::<O::Output, U>() => shortened::<U, SAT, N, R, C> as fn(_) -> _)(
            words(x),
        );
    }
    map!(U; |e of x| converted::<O::Output, U, SAT>(O::apply(P::cast_from(e))))
}

/// Converts words to bytes.
#[inlined]
fn shortened<U: Elem, const SAT: bool, const N: usize, const R: usize, const C: usize>(
    words: Lanes<i16, N, R, C>,
) -> Lanes<U, N, R, C> {
    map!(U; |word of words| converted::<i16, U, SAT>(word))
}

#[cfg(target_arch = "x86_64")]
#[inlined]
fn narrow1<O, P, T, U, const N: usize, const R: usize, const C: usize>(
    x: Lanes<T, N, R, C>,
    avx2: Avx2,
) -> Lanes<U, N, R, C>
where
    O: UnaryOp<P>,
    P: Elem,
    T: Elem,
    U: Elem,
{
    let x = flat(&x);
    narrowed!(U, avx2; |i| O::apply(P::cast_from(x[i])))
}

#[cfg(target_arch = "x86_64")]
#[inlined]
fn through_halves<T: Elem, U: Elem, const N: usize, const R: usize, const C: usize>(
    x: Lanes<T, N, R, C>,
    avx2: Avx2,
) -> Lanes<U, N, R, C> {
    let mut lanes: Lanes<U, N, R, C> = zeroed();
    halves::convert(flat(&x), flat_mut(&mut lanes), avx2);
    lanes
}

/// Whether the sines of all angles are computed without branches.
#[inlined]
fn small_angles<T: Elem>(x: &[T]) -> bool {
    let mut small = true;
    for angle in x {
        small &= f32::cast_from(*angle).abs() <= SMALL_ANGLE;
    }
    small
}

/// `O` on every pair of elements, and the conversion, in one pass.
#[inlined]
pub(super) fn map2<E, O, P, T, V, U, const SAT: bool, const N: usize, const R: usize, const C: usize>(
    a: Lanes<T, N, R, C>,
    b: Lanes<V, N, R, C>,
) -> Lanes<U, N, R, C>
where
    E: Environment,
    O: BinaryOp<P>,
    P: Elem,
    T: Elem,
    V: Elem,
    U: Elem,
{
    #[cfg(target_arch = "x86_64")]
    if const { narrow::suit::<E, O::Output, U>() }
        && let Some(avx2) = E::AVX2
    {
        let narrow = function_if!(
            narrow::suit::<E, O::Output, U>() => narrow2::<O, P, T, V, U, N, R, C> as fn(_, _, _) -> _
        );
        return narrow(a, b, avx2);
    }
    if const { O::KIND.class().is_comparison() && is_byte_with_longer::<P, T, V>() } {
        let compared = function_if!(
            O::KIND.class().is_comparison() && is_byte_with_longer::<P, T, V>() =>
                compared_with_longer::<E, O, P, T, V, U, SAT, N, R, C> as fn(_, _) -> _
        );
        return compared(a, b);
    }
    if const { O::KIND.class().is_comparison() && in_bytes::<T, V>(R * C) && !U::FLOAT && U::TYPE.bytes() > 1 }
    {
        let compared = function_if!(
            O::KIND.class().is_comparison() && in_bytes::<T, V>(R * C) =>
                compared_in_bytes::<O, P, T, V, U, N, R, C> as fn(_, _) -> _
        );
        return compared(a, b);
    }
    if const { becomes_bytes::<O::Output, U>() && (is_long::<T>() || is_long::<V>()) } {
        let words = function_if!(
            becomes_bytes::<O::Output, U>() => map2::<E, O, P, T, V, i16, SAT, N, R, C> as fn(_, _) -> _
        );
        return function_if!(becomes_bytes::<O::Output, U>() => shortened::<U, SAT, N, R, C> as fn(_) -> _)(
            words(a, b),
        );
    }
    map!(U; |x of a, y of b| converted::<O::Output, U, SAT>(O::apply(P::cast_from(x), P::cast_from(y))))
}

#[cfg(target_arch = "x86_64")]
#[inlined]
fn narrow2<O, P, T, V, U, const N: usize, const R: usize, const C: usize>(
    a: Lanes<T, N, R, C>,
    b: Lanes<V, N, R, C>,
    avx2: Avx2,
) -> Lanes<U, N, R, C>
where
    O: BinaryOp<P>,
    P: Elem,
    T: Elem,
    V: Elem,
    U: Elem,
{
    let (a, b) = (flat(&a), flat(&b));
    narrowed!(U, avx2; |i| O::apply(P::cast_from(a[i]), P::cast_from(b[i])))
}

/// Compares bytes with longer integers, as bytes; see [`is_byte_with_longer`].
#[inlined]
fn compared_with_longer<E, O, P, T, V, U, const SAT: bool, const N: usize, const R: usize, const C: usize>(
    a: Lanes<T, N, R, C>,
    b: Lanes<V, N, R, C>,
) -> Lanes<U, N, R, C>
where
    E: Environment,
    O: BinaryOp<P>,
    P: Elem,
    T: Elem,
    V: Elem,
    U: Elem,
{
    let sides: Lanes<T, N, R, C> = map!(T; |y of b| side::<T, V>(y));
    let b: Lanes<T, N, R, C> = map!(T; |y of b| T::cast_from(y));
    let inside = map2::<E, O, P, T, T, U, SAT, N, R, C>(a, b);
    map!(U; |result of inside, side of sides| beyond::<O, P, T, U>(side).unwrap_or(result))
}

/// Compares bytes, and widens the results to masks in a second loop; see [`in_bytes`].
#[inlined]
fn compared_in_bytes<O, P, T, V, U, const N: usize, const R: usize, const C: usize>(
    a: Lanes<T, N, R, C>,
    b: Lanes<V, N, R, C>,
) -> Lanes<U, N, R, C>
where
    O: BinaryOp<P>,
    P: Elem,
    T: Elem,
    V: Elem,
    U: Elem,
{
    let bytes: Lanes<u8, N, R, C> =
        map!(u8; |x of a, y of b| u8::cast_from(O::apply(P::cast_from(x), P::cast_from(y))));
    map!(U; |byte of bytes| U::cast_from(byte))
}

/// `O` on every three elements, and the conversion, in one pass.
#[inlined]
pub(super) fn map3<E, O, F, P, T, V, U, const SAT: bool, const N: usize, const R: usize, const C: usize>(
    a: Lanes<F, N, R, C>,
    b: Lanes<T, N, R, C>,
    c: Lanes<V, N, R, C>,
) -> Lanes<U, N, R, C>
where
    E: Environment,
    O: TernaryOp<F, P>,
    F: Elem,
    P: Elem,
    T: Elem,
    V: Elem,
    U: Elem,
{
    #[cfg(target_arch = "x86_64")]
    if const { narrow::suit::<E, O::Output, U>() }
        && let Some(avx2) = E::AVX2
    {
        let narrow = function_if!(
            narrow::suit::<E, O::Output, U>() => narrow3::<O, F, P, T, V, U, N, R, C> as fn(_, _, _, _) -> _
        );
        return narrow(a, b, c, avx2);
    }
    if const {
        matches!(O::KIND, MapKind::Merge)
            && in_bytes::<T, V>(R * C)
            && U::TYPE.bytes() == 1
            && F::TYPE.bytes() > 1
    } {
        let merged = function_if!(
            matches!(O::KIND, MapKind::Merge) && in_bytes::<T, V>(R * C) =>
                merged_in_bytes::<O, F, P, T, V, U, SAT, N, R, C> as fn(_, _, _) -> _
        );
        return merged(a, b, c);
    }
    if const { becomes_bytes::<O::Output, U>() && (is_long::<F>() || is_long::<T>() || is_long::<V>()) } {
        let words = function_if!(
            becomes_bytes::<O::Output, U>() => map3::<E, O, F, P, T, V, i16, SAT, N, R, C> as fn(_, _, _) -> _
        );
        return function_if!(becomes_bytes::<O::Output, U>() => shortened::<U, SAT, N, R, C> as fn(_) -> _)(
            words(a, b, c),
        );
    }
    map!(U; |x of a, y of b, z of c| {
        converted::<O::Output, U, SAT>(O::apply(x, P::cast_from(y), P::cast_from(z)))
    })
}

#[cfg(target_arch = "x86_64")]
#[inlined]
fn narrow3<O, F, P, T, V, U, const N: usize, const R: usize, const C: usize>(
    a: Lanes<F, N, R, C>,
    b: Lanes<T, N, R, C>,
    c: Lanes<V, N, R, C>,
    avx2: Avx2,
) -> Lanes<U, N, R, C>
where
    O: TernaryOp<F, P>,
    F: Elem,
    P: Elem,
    T: Elem,
    V: Elem,
    U: Elem,
{
    let (a, b, c) = (flat(&a), flat(&b), flat(&c));
    narrowed!(U, avx2; |i| O::apply(a[i], P::cast_from(b[i]), P::cast_from(c[i])))
}

/// Merges bytes; the mask is converted to bytes in a loop of its own; see [`in_bytes`].
#[inlined]
fn merged_in_bytes<O, F, P, T, V, U, const SAT: bool, const N: usize, const R: usize, const C: usize>(
    a: Lanes<F, N, R, C>,
    b: Lanes<T, N, R, C>,
    c: Lanes<V, N, R, C>,
) -> Lanes<U, N, R, C>
where
    O: TernaryOp<F, P>,
    F: Elem,
    P: Elem,
    T: Elem,
    V: Elem,
    U: Elem,
{
    let mask: Lanes<u8, N, R, C> = map!(u8; |m of a| u8::cast_from(m));
    map!(U; |m of mask, x of b, y of c| {
        converted::<O::Output, U, SAT>(O::apply(F::cast_from(m), P::cast_from(x), P::cast_from(y)))
    })
}

/// The conversion of a result: Rust's `as`, or with `SAT` CM's. Floats become integers by the same one.
#[inlined]
pub(super) fn converted<T: Elem, U: Elem, const SAT: bool>(x: T) -> U {
    if const { SAT && (U::FLOAT || !T::FLOAT) } { U::saturate_from(x) } else { cast(x) }
}

/// `V::cast_from(x)`. Rust's `as` from floats to integers becomes several instructions for each element.
#[expect(clippy::eq_op, reason = "not so for NaN")]
#[inlined]
pub(super) fn cast<T: Elem, V: Elem>(x: T) -> V {
    if const { !matches!(T::TYPE, ElemType::F32 | ElemType::F64) || V::FLOAT || V::TYPE.bytes() > 4 } {
        return V::cast_from(x);
    }
    /// Of 32 bits. In both float types the lowest integer and the first number above all of them are exact.
    macro_rules! whole {
        ($integer:ident of $float:ident) => {{
            let (x, low, end): (_, _, $float) = (
                AsPrimitive::<$float>::as_(x),
                $integer::MIN as $float,
                ($integer::MAX / 2 + 1) as $float * 2.0,
            );
            // NaN becomes 0 too.
            let inside = if x < end { x } else { 0.0 };
            let inside = if inside > low { inside } else { low };
            // SAFETY: it is a number from `low` up to but not including `end`.
            let integer: $integer = unsafe { inside.to_int_unchecked() };
            return V::cast_from(if x >= end { $integer::MAX } else { integer });
        }};
    }
    match (T::TYPE, V::TYPE) {
        (ElemType::F32, ElemType::I32) => whole!(i32 of f32),
        (ElemType::F32, ElemType::U32) => whole!(u32 of f32),
        (_, ElemType::I32) => whole!(i32 of f64),
        (_, ElemType::U32) => whole!(u32 of f64),
        _ => {}
    }
    // The bounds are exact in both float types.
    let (low, high) = (T::from_i128(V::RANGE.0), T::from_i128(V::RANGE.1));
    let x = if x == x { x } else { T::default() };
    let x = if x > low { x } else { low };
    let x = if x < high { x } else { high };
    // SAFETY: `x` is a number of at most 16 bits.
    let integer: i32 = unsafe {
        if const { matches!(T::TYPE, ElemType::F32) } {
            AsPrimitive::<f32>::as_(x).to_int_unchecked()
        } else {
            AsPrimitive::<f64>::as_(x).to_int_unchecked()
        }
    };
    V::cast_from(integer)
}

#[cfg(test)]
mod tests {
    use super::cast;

    #[test]
    fn floats_become_integers_as_in_rust() {
        let near = |x: f64| [x.next_down(), x, x.next_up(), x + 0.5, x - 0.5, x + 1.0, x - 1.0, x - 1.5];
        let ends =
            [0.0, 128.0, 256.0, 32768.0, 65536.0, 2_147_483_648.0, 4_294_967_296.0, 1e300, f64::INFINITY];
        let numbers = ends.iter().flat_map(|&x| near(x).into_iter().chain(near(-x))).chain([f64::NAN, -0.0]);
        for x in numbers.flat_map(|x| [x, f64::from(x as f32), f64::from((x as f32).next_down())]) {
            macro_rules! check {
                ($($integer:ident)*) => {$(
                    assert_eq!(cast::<f64, $integer>(x), x as $integer, "{x:e}");
                    assert_eq!(cast::<f32, $integer>(x as f32), x as f32 as $integer, "{x:e}");
                )*};
            }
            check!(u8 i8 u16 i16 u32 i32 u64 i64);
        }
    }
}
