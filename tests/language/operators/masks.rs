//! `merge` and `merge_else` with masks of every kind, `any` and `all`.

use cm::prelude::*;
use proptest::prelude::*;

use super::lanes::{Host, Lanes, Sample, Seeds, check, seeds};
use super::meaning::{self, Value};
use cm_test_support::cases::cases;

/// Whether lane `n` of a register mask is set: only the lowest bit counts.
fn lowest_bit(mask: &dyn Lanes) -> impl Fn(usize) -> bool {
    let lanes = mask.lanes();
    move |n| matches!(lanes[n], Value::Int(x) if x & 1 == 1)
}

/// Checks a merge: lanes of `x` where the mask is set, else lanes of `y`, converted.
#[track_caller]
pub(crate) fn check_merged(set: &dyn Fn(usize) -> bool, x: &dyn Lanes, y: &dyn Lanes, got: &dyn Lanes) {
    let (xs, ys) = (x.lanes(), y.lanes());
    let pick = |lanes: &[Value], n: usize| lanes[if lanes.len() == 1 { 0 } else { n }];
    let lane = |n: usize| {
        let source = if set(n) { pick(&xs, n) } else { pick(&ys, n) };
        (meaning::convert(source, got.elem()), format!("mask {}", set(n)))
    };
    let what = || format!("merge of {} and {} into {}", x.elem(), y.elem(), got.elem());
    check(&what, got.elem(), got.shape(), &lane, got);
}

/// Merges with masks of type `M` into registers of `T` from registers of `V`.
fn register_masks<T: Sample, V: Sample, M: Sample + Int>(seeds: &mut Seeds) {
    // Small numbers and random bits: even numbers other than zero are not set.
    let (mask, x, y, old) =
        (seeds.vector::<M, 12>(), seeds.vector::<V, 12>(), seeds.vector::<u8, 12>(), seeds.vector::<T, 12>());
    let set = lowest_bit(&mask);
    let mut v = old;
    v.merge(x, &mask);
    check_merged(&set, &x, &old, &v);
    v.merge_else(x, &y, mask);
    check_merged(&set, &x, &y, &v);
    let (s, t) = (seeds.scalar::<V>(), seeds.scalar::<u8>());
    v = old;
    v.merge(s, mask);
    check_merged(&set, &s, &old, &v);
    v.merge_else(s, t, mask);
    check_merged(&set, &s, &t, &v);
    v.merge_else(x, t, mask);
    check_merged(&set, &x, &t, &v);

    // A vector mask and vector sources for a matrix, and a matrix source of another shape.
    let old = seeds.matrix::<T, 3, 4>();
    let mut m = old;
    m.merge(x, &mask);
    check_merged(&set, &x, &old, &m);
    let (matrix_mask, z) = (seeds.matrix::<M, 3, 4>(), seeds.matrix::<V, 3, 4>());
    m.merge_else(z, y, matrix_mask);
    check_merged(&lowest_bit(&matrix_mask), &z, &y, &m);
    // The reverse.
    v.merge_else(x, z, matrix_mask);
    check_merged(&lowest_bit(&matrix_mask), &x, &z, &v);
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn registers_as_masks(mut seeds in seeds()) {
        register_masks::<u8, f32, u16>(&mut seeds);
        register_masks::<f32, u8, u8>(&mut seeds);
        register_masks::<i16, i64, i8>(&mut seeds);
        register_masks::<f16, f64, u64>(&mut seeds);
        register_masks::<u64, i8, i32>(&mut seeds);
        register_masks::<i8, u16, i64>(&mut seeds);
    }

    #[test]
    fn comparisons_as_masks(mut seeds in seeds()) {
        let (a, b) = (seeds.matrix::<i16, 4, 8>(), seeds.matrix::<i16, 4, 8>());
        let mut larger = b;
        larger.merge(a, &a.simd_gt(b));
        let (x, y) = (a.to_array(), b.to_array());
        let expected: [[i16; 8]; 4] = std::array::from_fn(|i| std::array::from_fn(|j| x[i][j].max(y[i][j])));
        prop_assert_eq!(larger.to_array(), expected);
    }

    #[test]
    fn integers_as_masks(mut seeds in seeds()) {
        // Bit `k` is element `k`, row by row; a narrow negative number has all higher bits set.
        macro_rules! hosts {
            ($($t:ident)*) => {$(
                let bits = seeds.next() as $t;
                let set = |n: usize| (bits as u32) >> n & 1 == 1;
                let (old, x) = (seeds.vector::<u8, 32>(), seeds.vector::<i16, 32>());
                let mut v = old;
                v.merge(x, bits);
                check_merged(&set, &x, &old, &v);
                v.merge_else(x, 7u8, bits);
                check_merged(&set, &x, &Host(7u8), &v);
                let (old, x) = (seeds.matrix::<f32, 3, 5>(), seeds.matrix::<u8, 3, 5>());
                let mut m = old;
                m.merge(x, bits);
                check_merged(&set, &x, &old, &m);
            )*};
        }
        cm::compiler::for_each_integer!(hosts);
        hosts!(usize isize);
        macro_rules! scalars {
            ($($t:ident)*) => {$(
                let bits = $t::sample(&mut seeds);
                let set = |n: usize| (bits as u32) >> n & 1 == 1;
                let old = seeds.vector::<u8, 32>();
                let mut v = old;
                v.merge(9u8, Scalar::constant(bits));
                check_merged(&set, &Host(9u8), &old, &v);
            )*};
        }
        cm::compiler::for_each_integer!(scalars);
    }

    #[test]
    fn any_and_all(mut seeds in seeds()) {
        // Any nonzero number counts, not only the lowest bit; -0.0 is zero, NaN is not.
        macro_rules! all {
            ($($t:ident)*) => {$(
                let zero =
                    |x: &Value| [Value::Int(0), Value::Float(0.0), Value::Float(-0.0)].iter().any(|z| x.is(*z));
                let (mut v, mut m) = (seeds.vector::<$t, 5>(), seeds.matrix::<$t, 3, 2>());
                if seeds.below(2) == 0 {
                    v = Vector::splat(0);
                    m = Matrix::splat(0);
                    v.get_mut(seeds.below(5)).assign($t::sample(&mut seeds));
                    m.get_mut(seeds.below(3), seeds.below(2)).assign($t::sample(&mut seeds));
                }
                prop_assert_eq!(v.any(), !v.lanes().iter().all(zero), "any of {:?}", v);
                prop_assert_eq!(v.all(), !v.lanes().iter().any(zero), "all of {:?}", v);
                prop_assert_eq!(m.any(), !m.lanes().iter().all(zero), "any of {:?}", m);
                prop_assert_eq!(m.all(), !m.lanes().iter().any(zero), "all of {:?}", m);
            )*};
        }
        cm::compiler::for_each_element!(all);
    }
}

/// Numbers at and beyond the borders of a narrow type, with all operators.
#[test]
fn narrow_elements_with_numbers_beyond_them() {
    macro_rules! operators {
        ($t:ident $v:ident: $($op:ident $symbol:tt)*) => {
            let elements = [$t::MIN, $t::MIN + 1, 0, 1, 2, $t::MAX / 2, $t::MAX - 1, $t::MAX].repeat(6);
            let m = Matrix::<$t, 6, 8>::from_array(std::array::from_fn(|r| {
                std::array::from_fn(|c| elements[r * 8 + c])
            }));
            let numbers = [$t::MIN, 0, $t::MAX].iter().flat_map(|&n| (-2..=2).map(move |d| i64::from(n) + d));
            for number in numbers.chain([i64::from($v::MIN), i64::from($v::MAX)]) {
                let Ok(number) = $v::try_from(number) else { continue };
                $(
                    let expected = m.to_array().map(|row| {
                        row.map(|x| u16::from(i64::from(x) $symbol i64::from(number)))
                    });
                    assert_eq!(m.$op(number).to_array(), expected, "{} {}", stringify!($op), number);
                    let others = Matrix::<$v, 6, 8>::splat(number);
                    assert_eq!(m.$op(others).to_array(), expected, "{} {}", stringify!($op), number);
                )*
            }
        };
    }
    macro_rules! pairs {
        ($($t:ident $v:ident)*) => {$({
            operators!($t $v: simd_lt < simd_le <= simd_gt > simd_ge >= simd_eq == simd_ne !=);
        })*};
    }
    pairs! { u8 i32 u8 u32 u8 i16 u8 u16 i8 i32 i8 i16 i8 u16 u16 i32 u16 u32 i16 i32 }
}

/// A negative number is large in the common type of `i16` and `u32`.
#[test]
fn narrow_elements_that_become_unsigned() {
    let m = Matrix::<i16, 6, 8>::splat(-1);
    assert_eq!(m.simd_gt(65_535_u32).to_array(), [[1; 8]; 6]);
    assert_eq!(m.simd_eq(u32::MAX).to_array(), [[1; 8]; 6]);
}
