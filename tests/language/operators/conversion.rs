//! `convert`, `saturate`, `splat`, `assign` and conversions from and to arrays, for all pairs of element
//! types.

use cm::dsl::cpu::Cpu;
use cm::dsl::registers::IntoScalar;
use cm::prelude::*;
use proptest::prelude::*;

use super::lanes::{Host, Lanes, Sample, Seeds, check, check_moved, check_unary, pairs, seeds};
use super::meaning;
use cm_test_support::cases::cases;

/// All conversions from `A` to `B`.
fn pair<A: Sample, B: Sample>(seeds: &mut Seeds) {
    let (v, m, x) = (seeds.vector::<A, 9>(), seeds.matrix::<A, 3, 3>(), seeds.scalar::<A>());
    let (convert, saturate) = (|x| meaning::convert(x, B::TYPE), |x| meaning::saturate(x, B::TYPE));
    check_unary("convert", &v, B::TYPE, &convert, &v.convert::<B>());
    check_unary("convert", &m, B::TYPE, &convert, &m.convert::<B>());
    check_unary("convert", &x, B::TYPE, &convert, &x.convert::<B>());
    check_unary("saturate", &v, B::TYPE, &saturate, &v.saturate::<B>());
    check_unary("saturate", &m, B::TYPE, &saturate, &m.saturate::<B>());
    check_unary("saturate", &x, B::TYPE, &saturate, &x.saturate::<B>());

    // Assignment converts, and matches the elements of a matrix and a vector row by row.
    let (mut to_vector, mut to_matrix, mut to_scalar) =
        (seeds.vector::<B, 9>(), seeds.matrix::<B, 3, 3>(), seeds.scalar::<B>());
    to_vector.assign(v);
    check_unary("assign", &v, B::TYPE, &convert, &to_vector);
    to_matrix.assign(&m);
    check_unary("assign", &m, B::TYPE, &convert, &to_matrix);
    to_scalar.assign(x);
    check_unary("assign", &x, B::TYPE, &convert, &to_scalar);
    to_matrix.assign(v);
    check_unary("assign to a matrix", &v, B::TYPE, &convert, &Vector::constant_any(flat(to_matrix)));
    to_matrix.assign(x);
    let every = |_| (convert(x.lanes()[0]), x.lanes()[0].to_string());
    check(&|| format!("assign of a {} scalar", A::TYPE), B::TYPE, Some((3, 3)), &every, &to_matrix);
    check(
        &|| format!("splat of a {} scalar", A::TYPE),
        B::TYPE,
        Some((1, 5)),
        &every,
        &Vector::<B, 5>::splat_any(x),
    );
    check(
        &|| format!("splat of a {} scalar", A::TYPE),
        B::TYPE,
        Some((2, 5)),
        &every,
        &Matrix::<B, 2, 5>::splat_any(x),
    );
}

fn flat<T: Sample>(m: Matrix<T, 3, 3>) -> [T; 9] {
    let [[a, b, c], [d, e, f], [g, h, i]] = m.to_array();
    [a, b, c, d, e, f, g, h, i]
}

/// Host numbers that apply to every element.
fn splat<H: Sample + IntoScalar<Cpu, Elem = H>, T: Sample>(seeds: &mut Seeds) {
    let x = H::sample(seeds);
    let lane = |_| (meaning::convert(x.value(), T::TYPE), x.to_string());
    let what = || format!("a {} number in every element", H::TYPE);
    check(&what, T::TYPE, Some((1, 3)), &lane, &Vector::<T, 3>::splat_any(x));
    check(&what, T::TYPE, Some((2, 2)), &lane, &Matrix::<T, 2, 2>::splat_any(x));
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn conversions_of_all_types(mut seeds in seeds()) {
        pairs!(elements: pair(&mut seeds));
    }

    #[test]
    fn host_numbers_are_splat(mut seeds in seeds()) {
        pairs!(elements: splat(&mut seeds));
    }

    /// Matrices assigned to vectors with the same number of elements: row by row.
    #[test]
    fn matrices_into_vectors(mut seeds in seeds()) {
        let m = seeds.matrix::<f32, 3, 4>();
        let mut v = seeds.vector::<u8, 12>();
        v.assign(m);
        let rows = v.format_matrix::<u8, 3, 4>();
        check_unary("assign", &m, u8::TYPE, &|x| meaning::convert(x, u8::TYPE), &rows);
        let mut n = seeds.matrix::<i16, 4, 3>();
        n.assign(v);
        check_moved("assign", &v.convert::<i16>(), Some((4, 3)), &|n| n, &n);
    }

    #[test]
    fn every_shape_converts(mut seeds in seeds()) {
        macro_rules! shapes {
            ($($r:literal $c:literal)*) => {$(
                let m = seeds.matrix::<f32, $r, $c>();
                check_unary("convert", &m, u8::TYPE, &|x| meaning::convert(x, u8::TYPE), &m.convert::<u8>());
                let words = m.saturate::<i16>();
                check_unary("saturate", &m, i16::TYPE, &|x| meaning::saturate(x, i16::TYPE), &words);
                let v = seeds.vector::<i32, { $r * $c }>();
                check_unary("convert", &v, i8::TYPE, &|x| meaning::convert(x, i8::TYPE), &v.convert::<i8>());
            )*};
        }
        shapes!(1 1  1 64  64 1  3 5  8 24  8 32);
    }

    /// Arrays are returned unchanged, also with `From`.
    #[test]
    fn arrays_in_and_out(rows: [[i16; 3]; 5], elements: [u64; 4]) {
        prop_assert_eq!(Matrix::from_array(rows).to_array(), rows);
        prop_assert_eq!(Matrix::<i16, 5, 3>::from(rows).to_array(), rows);
        prop_assert_eq!(Vector::from_array(elements).to_array(), elements);
        prop_assert_eq!(Vector::<u64, 4>::from(elements).to_array(), elements);
        prop_assert_eq!(Scalar::from(elements[0]).value(), elements[0]);
        prop_assert!(Vector::from_array(elements) == Vector::from(elements));
        prop_assert_eq!(Matrix::from_array(rows) == Matrix::splat(rows[0][0]), rows == [[rows[0][0]; 3]; 5]);
        check_moved("copy", &Host(elements[0]), None, &|n| n, &Scalar::from(elements[0]));
    }
}

/// The cases that a description of the language would mention.
#[test]
fn conversions_that_documents_mention() {
    // CM's own example of SAT.
    let ints = Vector::from_array([155i32, 275, -1]);
    assert_eq!(ints.convert::<u8>().to_array(), [155, 19, 255]);
    assert_eq!(ints.saturate::<u8>().to_array(), [155, 255, 0]);
    // The sum of nine white bytes, times 0.111.
    assert_eq!((Vector::from_array([2295i16]) * 0.111f32).convert::<u8>().to_array(), [254]);
    let floats = Vector::from_array([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.9, 255.99, 256.0]);
    assert_eq!(floats.convert::<u8>().to_array(), [0, 255, 0, 0, 255, 255]);
    assert_eq!(floats.convert::<i32>().to_array(), [0, i32::MAX, i32::MIN, 0, 255, 256]);
    assert_eq!(floats.saturate::<f32>().to_array(), [0.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
    // Ties to even: 2^24 + 1 and 2^24 + 3.
    assert_eq!(
        Vector::from_array([16_777_217i32, 16_777_219]).convert::<f32>().to_array(),
        [16_777_216.0, 16_777_220.0]
    );
    // A rounding through f32 would give 1.0: the sticky bits are far below.
    let above_tie = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
    assert_eq!(Vector::from_array([above_tie]).convert::<f16>().to_array().map(f16::to_bits), [0x3c01]);
    assert_eq!(Vector::from_array([-above_tie]).convert::<f16>().to_array().map(f16::to_bits), [0xbc01]);
    // Just below a tie, which f32 would round up to, and then round to even.
    let below_tie = 1.0 + 3.0 * 2f64.powi(-11) - 2f64.powi(-40);
    assert_eq!(Vector::from_array([below_tie]).convert::<f16>().to_array().map(f16::to_bits), [0x3c01]);
    assert_eq!(
        Vector::from_array([2f64.powi(-25) + 2f64.powi(-60)]).convert::<f16>().to_array().map(f16::to_bits),
        [1]
    );
}
