//! `+ - * / % & | ^ << >>`, unary `-` and `!`, comparisons and compound assignment, for all pairs of element
//! types.

use cm::dsl::elem::{Promote, ShiftBy};
use cm::prelude::*;
use proptest::prelude::*;

use super::lanes::{Host, Sample, Seeds, check_binary, check_compound, check_unary, pairs, seeds};
use super::meaning::{self, Op};
use cm_test_support::cases::cases;

/// Operators with a host number on the left are implemented for each host type, so no function that is
/// generic over two types can call them.
macro_rules! host_pair {
    ($host:ident $t:ident $seeds:expr) => {{
        let (x, v) = ($host::sample($seeds), $seeds.vector::<$t, 3>());
        let h = Host(x);
        check_binary(Op::Sub, &v, &h, &(v - x));
        check_binary(Op::Sub, &h, &v, &(x - v));
        check_binary(Op::Ge, &v, &h, &v.simd_ge(x));
    }};
}

/// The operators of all types, on matrices.
fn arithmetic<A, B, const R: usize, const C: usize>(seeds: &mut Seeds)
where
    A: Sample + Promote<B, Output: Sample>,
    B: Sample,
{
    let (a, b) = (seeds.matrix::<A, R, C>(), seeds.matrix::<B, R, C>());
    check_binary(Op::Add, &a, &b, &(a + b));
    check_binary(Op::Sub, &a, &b, &(a - &b));
    check_binary(Op::Mul, &a, &b, &(a * b));
    check_binary(Op::Div, &a, &b, &(a / b));
    check_binary(Op::Lt, &a, &b, &a.simd_lt(b));
    check_binary(Op::Le, &a, &b, &a.simd_le(&b));
    check_binary(Op::Gt, &a, &b, &a.simd_gt(b));
    check_binary(Op::Ge, &a, &b, &a.simd_ge(b));
    check_binary(Op::Eq, &a, &b, &a.simd_eq(b));
    check_binary(Op::Ne, &a, &b, &a.simd_ne(b));
}

/// The operators of integers, on matrices.
fn bitwise<A, B, const R: usize, const C: usize>(seeds: &mut Seeds)
where
    A: Sample + Int + Promote<B, Output: Sample + Int> + ShiftBy<B, Output: Sample + Int>,
    B: Sample + Int,
{
    let (a, b) = (seeds.matrix::<A, R, C>(), seeds.matrix::<B, R, C>());
    check_binary(Op::Rem, &a, &b, &(a % b));
    check_binary(Op::And, &a, &b, &(a & b));
    check_binary(Op::Or, &a, &b, &(a | b));
    check_binary(Op::Xor, &a, &b, &(a ^ b));
    check_binary(Op::Shl, &a, &b, &(a << b));
    check_binary(Op::Shr, &a, &b, &(a >> b));
}

/// All pairs of types on one small shape.
fn arithmetic_pair<A: Sample + Promote<B, Output: Sample>, B: Sample>(seeds: &mut Seeds) {
    arithmetic::<A, B, 2, 3>(seeds);
}

fn bitwise_pair<A, B>(seeds: &mut Seeds)
where
    A: Sample + Int + Promote<B, Output: Sample + Int> + ShiftBy<B, Output: Sample + Int>,
    B: Sample + Int,
{
    bitwise::<A, B, 2, 3>(seeds);
}

/// `op=` for all pairs of types: computed in the common type, then converted back.
fn compound_pair<A: Sample + Promote<B, Output: Sample>, B: Sample>(seeds: &mut Seeds) {
    let (a, b) = (seeds.vector::<A, 4>(), seeds.vector::<B, 4>());
    let mut sum = a;
    sum += b;
    check_compound(Op::Add, &a, &b, &sum);
    let mut quotient = a;
    quotient /= b;
    check_compound(Op::Div, &a, &b, &quotient);
}

/// Vectors, scalars on both sides, and compound assignment by vectors and scalars.
fn sides<A, B, const N: usize>(seeds: &mut Seeds)
where
    A: Sample + Promote<B, Output: Sample>,
    B: Sample + Promote<A, Output: Sample>,
{
    let (a, b) = (seeds.vector::<A, N>(), seeds.vector::<B, N>());
    let (x, y) = (seeds.scalar::<A>(), seeds.scalar::<B>());
    macro_rules! all {
        ($($op:ident $symbol:tt)*) => {$(
            check_binary(Op::$op, &a, &b, &(a $symbol b));
            check_binary(Op::$op, &a, &y, &(a $symbol y));
            check_binary(Op::$op, &x, &b, &(x $symbol b));
            check_binary(Op::$op, &x, &y, &(x $symbol y));
        )*};
    }
    all!(Add + Sub - Mul * Div /);
    macro_rules! compound {
        ($($op:ident $symbol:tt)*) => {$(
            let mut r = a;
            r $symbol b;
            check_compound(Op::$op, &a, &b, &r);
            let mut r = a;
            r $symbol y;
            check_compound(Op::$op, &a, &y, &r);
            let mut r = x;
            r $symbol y;
            check_compound(Op::$op, &x, &y, &r);
        )*};
    }
    compound!(Add += Sub -= Mul *= Div /=);
    check_binary(Op::Lt, &a, &b, &a.simd_lt(b));
    check_binary(Op::Ne, &a, &y, &a.simd_ne(y));
    // Comparisons of scalars are conditions, in plain Rust `bool`.
    for (op, found) in [
        (Op::Lt, x.simd_lt(y)),
        (Op::Le, x.simd_le(y)),
        (Op::Gt, x.simd_gt(y)),
        (Op::Ge, x.simd_ge(y)),
        (Op::Eq, x.simd_eq(y)),
        (Op::Ne, x.simd_ne(y)),
    ] {
        check_binary(op, &x, &y, &Scalar::<u16>::constant(found.into()));
    }
}

fn integer_sides<A, B, const N: usize>(seeds: &mut Seeds)
where
    A: Sample + Int + Promote<B, Output: Sample + Int> + ShiftBy<B, Output: Sample + Int>,
    B: Sample + Int,
{
    let (a, b) = (seeds.vector::<A, N>(), seeds.vector::<B, N>());
    let (x, y) = (seeds.scalar::<A>(), seeds.scalar::<B>());
    macro_rules! all {
        ($($op:ident $symbol:tt $assign:tt)*) => {$(
            check_binary(Op::$op, &a, &b, &(a $symbol b));
            check_binary(Op::$op, &a, &y, &(a $symbol y));
            check_binary(Op::$op, &x, &b, &(x $symbol b));
            check_binary(Op::$op, &x, &y, &(x $symbol y));
            let mut r = a;
            r $assign b;
            check_compound(Op::$op, &a, &b, &r);
            let mut r = a;
            r $assign y;
            check_compound(Op::$op, &a, &y, &r);
            let mut r = x;
            r $assign y;
            check_compound(Op::$op, &x, &y, &r);
        )*};
    }
    all!(Rem % %= And & &= Or | |= Xor ^ ^= Shl << <<= Shr >> >>=);
}

/// `-x` and, of integers, `!x`.
fn unary<T: Elem<Widened: Sample> + Sample>(seeds: &mut Seeds) {
    let (v, m, x) = (seeds.vector::<T, 7>(), seeds.matrix::<T, 3, 5>(), seeds.scalar::<T>());
    let (ty, negate) = (meaning::widened(T::TYPE), |x| meaning::negate(T::TYPE, x));
    check_unary("-", &v, ty, &negate, &-v);
    check_unary("-", &m, ty, &negate, &-m);
    check_unary("-", &x, ty, &negate, &-x);
}

fn complement<T: Elem<Widened: Sample + Int> + Sample>(seeds: &mut Seeds) {
    let (v, m, x) = (seeds.vector::<T, 7>(), seeds.matrix::<T, 3, 5>(), seeds.scalar::<T>());
    let (ty, complement) = (meaning::widened(T::TYPE), |x| meaning::complement(T::TYPE, x));
    check_unary("!", &v, ty, &complement, &!v);
    check_unary("!", &m, ty, &complement, &!m);
    check_unary("!", &x, ty, &complement, &!x);
}

#[test]
fn the_promotion_table_is_that_of_the_language() {
    fn pair<A: Promote<B> + Elem, B: Elem>((): ()) {
        let expected = meaning::promoted(A::TYPE, B::TYPE);
        assert_eq!(<A as Promote<B>>::Output::TYPE, expected, "{} with {}", A::TYPE, B::TYPE);
    }
    pairs!(elements: pair(()));
}

#[test]
fn sizes_on_the_host_are_ints() {
    let v = Vector::from_array([250u8, 5]);
    let sum: Vector<i32, 2> = v + 10usize;
    assert_eq!(sum.to_array(), [260, 15]);
    let difference: Vector<i32, 2> = v - 251isize;
    assert_eq!(difference.to_array(), [-1, -246]);
    let product: Vector<u32, 2> = Vector::from_array([1u32 << 31, 3]) * 2usize;
    assert_eq!(product.to_array(), [0, 6]);
}

/// Results that cannot be computed are still defined, for every type and every shape.
#[test]
fn division_by_zero_and_overflow_are_defined() {
    macro_rules! integers {
        ($($t:ident)*) => {$(
            let v = Vector::from_array([0 as $t, 1, 100, $t::MAX, $t::MIN]);
            let zero = Vector::<$t, 5>::splat(0);
            assert_eq!((v / zero).to_array(), [!0; 5], "{} / 0", $t::TYPE);
            let numbers = v.to_array().map(i128::from);
            assert_eq!((v % zero).to_array().map(i128::from), numbers, "{} % 0", $t::TYPE);
            assert_eq!((v / 0u8).to_array(), [!0; 5], "{} / 0u8", $t::TYPE);
        )*};
    }
    cm::compiler::for_each_integer!(integers);
    macro_rules! minima {
        ($($t:ident)*) => {$(
            let v = Vector::from_array([$t::MIN; 3]);
            assert_eq!((v / Vector::from_array([-1 as $t; 3])).to_array(), [$t::MIN; 3]);
            assert_eq!((v % Vector::from_array([-1 as $t; 3])).to_array(), [0; 3]);
            assert_eq!((-v).to_array(), [$t::MIN; 3]);
        )*};
    }
    minima!(i32 i64);
    // The byte is already an int, so nothing overflows.
    assert_eq!((Vector::from_array([i8::MIN]) / Vector::from_array([-1i8])).to_array(), [128i32]);
    // After conversion, all bits set is the largest unsigned byte.
    let mut v = Vector::from_array([7u8]);
    v /= 0;
    assert_eq!(v.to_array(), [255]);
}

#[test]
fn shift_counts_are_masked() {
    assert_eq!(
        (Vector::from_array([1u8; 4]) << Vector::from_array([0u8, 31, 32, 33])).to_array(),
        [1, i32::MIN, 1, 2]
    );
    assert_eq!(
        (Vector::from_array([-8i16; 3]) >> Vector::from_array([1i32, 33, -1])).to_array(),
        [-4, -4, -1]
    );
    assert_eq!(
        (Vector::from_array([1u64; 3]) << Vector::from_array([63u8, 64, 65])).to_array(),
        [1 << 63, 1, 2]
    );
    assert_eq!((Vector::from_array([u32::MAX]) >> (1u64 << 40 | 4)).to_array(), [u32::MAX >> 4]);
    assert_eq!((Vector::from_array([i64::MIN]) >> 63u16).to_array(), [-1]);
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn arithmetic_and_comparisons_of_all_types(mut seeds in seeds()) {
        pairs!(elements: arithmetic_pair(&mut seeds));
    }

    #[test]
    fn bits_of_all_integer_types(mut seeds in seeds()) {
        pairs!(integers: bitwise_pair(&mut seeds));
    }

    #[test]
    fn compound_assignment_of_all_types(mut seeds in seeds()) {
        pairs!(elements: compound_pair(&mut seeds));
    }

    #[test]
    fn host_numbers_on_either_side(mut seeds in seeds()) {
        pairs!(elements: host_pair! &mut seeds);
    }

    #[test]
    fn host_numbers_with_every_operator(mut seeds in seeds()) {
        let m = seeds.matrix::<u8, 3, 5>();
        let s = seeds.scalar::<i64>();
        let (x, y) = (i16::sample(&mut seeds), u32::sample(&mut seeds));
        macro_rules! all {
            ($($op:ident $symbol:tt $assign:tt)*) => {$(
                check_binary(Op::$op, &m, &Host(x), &(m $symbol x));
                check_binary(Op::$op, &Host(x), &m, &(x $symbol m));
                check_binary(Op::$op, &s, &Host(y), &(s $symbol y));
                check_binary(Op::$op, &Host(y), &s, &(y $symbol s));
                let mut r = m;
                r $assign x;
                check_compound(Op::$op, &m, &Host(x), &r);
                let mut r = s;
                r $assign y;
                check_compound(Op::$op, &s, &Host(y), &r);
            )*};
        }
        all!(Add + += Sub - -= Mul * *= Div / /= Rem % %= And & &= Or | |= Xor ^ ^= Shl << <<= Shr >> >>=);
        let f = f32::sample(&mut seeds);
        let mut scaled = m;
        scaled *= f;
        check_compound(Op::Mul, &m, &Host(f), &scaled);
    }

    #[test]
    fn every_shape(mut seeds in seeds()) {
        macro_rules! matrices {
            ($($r:literal $c:literal)*) => {$(
                arithmetic::<u8, u8, $r, $c>(&mut seeds);
                arithmetic::<i16, f32, $r, $c>(&mut seeds);
                bitwise::<u16, i8, $r, $c>(&mut seeds);
            )*};
        }
        matrices!(1 1  1 5  3 1  5 7  8 32  64 3);
        macro_rules! vectors {
            ($($n:literal)*) => {$(
                sides::<u8, i16, $n>(&mut seeds);
                integer_sides::<u8, u32, $n>(&mut seeds);
            )*};
        }
        vectors!(1 2 3 8 31 64 257);
    }

    #[test]
    fn scalars_on_either_side(mut seeds in seeds()) {
        sides::<i8, u64, 5>(&mut seeds);
        sides::<f16, i32, 5>(&mut seeds);
        sides::<f32, u8, 5>(&mut seeds);
        sides::<u32, f64, 5>(&mut seeds);
        sides::<f16, f32, 5>(&mut seeds);
        integer_sides::<i64, u64, 5>(&mut seeds);
        integer_sides::<u64, i8, 5>(&mut seeds);
        integer_sides::<i32, i32, 5>(&mut seeds);
        integer_sides::<i16, i64, 5>(&mut seeds);
    }

    #[test]
    fn unary_of_all_types(mut seeds in seeds()) {
        macro_rules! all {
            ($call:ident $($t:ident)*) => { $($call::<$t>(&mut seeds);)* };
        }
        cm::compiler::for_each_element!(all unary);
        cm::compiler::for_each_integer!(all complement);
    }
}
