//! Places: regions that are written by `assign`, `merge`, `merge_else` and `op=`, and places of places. The
//! elements of the place change as the operation defines, and all others stay unchanged.

use cm::prelude::*;
use proptest::prelude::*;

use super::lanes::{Host, Lanes, Sample, check, seeds};
use super::meaning::{self, Op, Value};
use super::views::offset;
use cm_test_support::cases::cases;

/// Checks that the elements `indices` of an object became `written`, converted, and that the others did not
/// change.
#[track_caller]
fn check_written(name: &str, before: &dyn Lanes, indices: &[usize], written: &[Value], after: &dyn Lanes) {
    let old = before.lanes();
    assert_eq!(indices.len(), written.len(), "{name}: lanes of the place");
    let lane = |n: usize| match indices.iter().position(|&at| at == n) {
        Some(k) => {
            (meaning::convert(written[k], before.elem()), format!("element {k} of the place, {}", written[k]))
        }
        None => (old[n], "an element outside the place".into()),
    };
    check(&|| name.to_owned(), before.elem(), before.shape(), &lane, after);
}

/// The number that an operation gives lane `n`, of the old ones, of two registers, of a number, and of masks.
type Expected = fn(usize, &[Value], &[Value], &[Value], Value, &[Value]) -> Value;

/// The numbers of all lanes.
fn each_lane(
    expected: Expected,
    lanes: usize,
    old: &[Value],
    [xs, ys]: [&[Value]; 2],
    number: Value,
    masks: &[Value],
) -> Vec<Value> {
    (0..lanes).map(|n| expected(n, old, xs, ys, number, masks)).collect()
}

/// Applies all operations of a place to copies of `$object`.
///
/// `$x`, `$y` are registers with the shape of the place, `$mask` is a mask for it; `$view` reads the object
/// as registers with the elements of the place.
macro_rules! check_place {
    ($seeds:ident, $object:expr, $elem:ident, $indices:expr, $x:expr, $y:expr, $mask:expr, |$view:ident| $seen:expr,
        |$o:ident| $place:expr) => {{
        let object = $object;
        let indices: Vec<usize> = $indices.collect();
        let before = look(&object, |$view| $seen);
        let all = before.lanes();
        let old: Vec<Value> = indices.iter().map(|&at| all[at]).collect();
        let (x, y, mask) = ($x, $y, $mask);
        let (xs, ys) = (x.lanes(), y.lanes());
        let name = stringify!($place);
        let number = f32::sample($seeds);

        let mut o = object;
        {
            let $o = &mut o;
            let place = $place;
            let lane = |n: usize| (old[n], format!("element {}", indices[n]));
            check(&|| format!("{name}.value()"), $elem::TYPE, place.value().shape(), &lane, &place.value());
        }
        macro_rules! change {
            ($what:literal, |$p:ident| $change:expr, $expected:expr) => {{
                let mut o = object;
                {
                    let $o = &mut o;
                    #[allow(unused_mut, reason = "operators take the place itself")]
                    let mut $p = $place;
                    $change;
                }
                let written =
                    each_lane($expected, indices.len(), &old, [&xs, &ys], number.value(), &mask.lanes());
                check_written(
                    concat!($what, " of ", stringify!($place)),
                    &before,
                    &indices,
                    &written,
                    &look(&o, |$view| $seen),
                );
            }};
        }
        change!("assign", |p| p.assign(x), |n, _, xs, _, _, _| xs[n]);
        change!("assign a number", |p| p.assign(number), |_, _, _, _, number, _| number);
        change!("merge", |p| p.merge(x, &mask), |n, old, xs, _, _, masks| if set(masks[n]) {
            xs[n]
        } else {
            old[n]
        });
        change!("merge_else", |p| p.merge_else(x, number, mask), |n, _, xs, _, number, masks| {
            if set(masks[n]) { xs[n] } else { number }
        });
        change!("+=", |p| p += x, |n, old, xs, _, _, _| compute(
            Op::Add,
            ($elem::TYPE, old[n]),
            (f32::TYPE, xs[n])
        ));
        change!("-= a number", |p| p -= number, |n, old, _, _, number, _| {
            compute(Op::Sub, ($elem::TYPE, old[n]), (f32::TYPE, number))
        });
        change!("*=", |p| p *= y, |n, old, _, ys, _, _| compute(
            Op::Mul,
            ($elem::TYPE, old[n]),
            (i16::TYPE, ys[n])
        ));
        change!("/=", |p| p /= y, |n, old, _, ys, _, _| compute(
            Op::Div,
            ($elem::TYPE, old[n]),
            (i16::TYPE, ys[n])
        ));
    }};
}

/// The object as registers with the elements of the place.
fn look<O, S>(object: &O, view: impl Fn(&O) -> S) -> S {
    view(object)
}

fn set(mask: Value) -> bool {
    matches!(mask, Value::Int(x) if x & 1 == 1)
}

fn compute(op: Op, a: (cm::dsl::elem::ElemType, Value), b: (cm::dsl::elem::ElemType, Value)) -> Value {
    meaning::binary(op, a, b)
}

/// A place of a vector: `N` elements.
macro_rules! vector_place {
    ($seeds:ident, $object:expr, $elem:ident $n:literal, $indices:expr, |$o:ident| $place:expr) => {
        vector_place!($seeds, $object, $elem $n, $indices, |v| *v, |$o| $place)
    };
    ($seeds:ident, $object:expr, $elem:ident $n:literal, $indices:expr, |$v:ident| $seen:expr, |$o:ident| $place:expr) => {
        check_place!($seeds, $object, $elem, $indices, $seeds.vector::<f32, $n>(), $seeds.vector::<i16, $n>(),
            $seeds.vector::<u16, $n>(), |$v| $seen, |$o| $place)
    };
}

/// A place of `R` x `C` elements.
macro_rules! matrix_place {
    ($seeds:ident, $object:expr, $elem:ident $r:literal $c:literal, $indices:expr, |$o:ident| $place:expr) => {
        matrix_place!($seeds, $object, $elem $r $c, $indices, |m| *m, |$o| $place)
    };
    ($seeds:ident, $object:expr, $elem:ident $r:literal $c:literal, $indices:expr, |$v:ident| $seen:expr,
        |$o:ident| $place:expr) => {
        check_place!($seeds, $object, $elem, $indices, $seeds.matrix::<f32, $r, $c>(), $seeds.matrix::<i16, $r, $c>(),
            $seeds.matrix::<u8, $r, $c>(), |$v| $seen, |$o| $place)
    };
}

/// The indices of `rows` x `columns` elements, from `at`, with strides, in a matrix of `width` columns.
fn grid(at: usize, rows: usize, row: usize, columns: usize, column: usize) -> impl Iterator<Item = usize> {
    (0..rows * columns).map(move |n| at + n / columns * row + n % columns * column)
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn places_of_vectors(mut seeds in seeds()) {
        let s = &mut seeds;
        let v = s.vector::<u8, 16>();
        let i = s.below(7);
        vector_place!(s, v, u8 4, (0..4).map(|n| i + 3 * n), |v| v.select_mut::<4, 3>(i));
        vector_place!(s, v, u8 4, (0..4).map(|n| i + 3 * n), |v| v.select_mut_any::<4, 3>(i as i8));
        let (x, at) = offset::<i32>(s, 15);
        vector_place!(s, v, u8 1, at..at + 1, |v| v.select_mut::<1, 1>(x));
        let (x, at) = offset::<u16>(s, 6);
        vector_place!(s, v, u8 4, (0..4).map(|n| at + 3 * n), |v| v.select_mut::<4, 3>(x));
        // Strides are multiplied.
        vector_place!(s, v, u8 3, (0..3).map(|n| 1 + 2 * (1 + 2 * n)),
            |v| v.select_mut::<7, 2>(1).select_mut::<3, 2>(1));
        let (x, at) = offset::<u32>(s, 4);
        vector_place!(s, v, u8 3, (0..3).map(|n| 2 * (at + n)), |v| v.select_mut::<7, 2>(0).select_mut::<3, 1>(x));
        let f = s.vector::<f64, 5>();
        vector_place!(s, f, f64 2, (0..2).map(|n| 4 * n), |v| v.select_mut::<2, 4>(0));
        let h = s.vector::<f16, 5>();
        vector_place!(s, h, f16 2, 3..5, |v| v.select_mut::<2, 1>(3));
    }

    #[test]
    fn places_of_matrices(mut seeds in seeds()) {
        let s = &mut seeds;
        let m = s.matrix::<i16, 6, 8>();
        let (i, j) = (s.below(2), s.below(3));
        matrix_place!(s, m, i16 3 3, grid(i * 8 + j, 3, 16, 3, 2), |m| m.select_mut::<3, 2, 3, 2>(i, j));
        matrix_place!(s, m, i16 3 3, grid(i * 8 + j, 3, 16, 3, 2), |m| m.select_mut_any::<3, 2, 3, 2>(i, j as u64));
        let ((x, i), (y, j)) = (offset::<u32>(s, 4), offset::<i8>(s, 5));
        matrix_place!(s, m, i16 2 3, grid(i * 8 + j, 2, 8, 3, 1), |m| m.select_mut::<2, 1, 3, 1>(x, y));
        let (x, i) = offset::<u32>(s, 5);
        vector_place!(s, m, i16 8, 8 * i..8 * i + 8, |m| m.row_mut(x));
        matrix_place!(s, m, i16 6 1, grid(j, 6, 8, 1, 1), |m| m.column_mut(j));
        let (y, j) = offset::<i64>(s, 7);
        matrix_place!(s, m, i16 6 1, grid(j, 6, 8, 1, 1), |m| m.column_mut(y));
        let i = s.below(6);
        vector_place!(s, m, i16 8, 8 * i..8 * i + 8, |m| m.row_mut(i));
    }

    #[test]
    fn places_of_places(mut seeds in seeds()) {
        let s = &mut seeds;
        let m = s.matrix::<i32, 6, 8>();
        let i = s.below(6);
        vector_place!(s, m, i32 3, (0..3).map(|n| i * 8 + 1 + 3 * n), |m| m.row_mut(i).select_mut::<3, 3>(1));
        // Rows and columns of a region with strides: row 1 + 2 * 2, columns 1, 4, 7.
        vector_place!(s, m, i32 3, (0..3).map(|n| 41 + 3 * n), |m| m.select_mut::<3, 2, 3, 3>(1, 1).row_mut(2));
        matrix_place!(s, m, i32 3 1, grid(8 + 4, 3, 16, 1, 1), |m| m.select_mut::<3, 2, 3, 3>(1, 1).column_mut(1));
        matrix_place!(s, m, i32 2 2, grid(1 + 16, 2, 16, 2, 6),
            |m| m.select_mut::<6, 1, 3, 3>(0, 1).select_mut::<2, 2, 2, 2>(2, 0));
        matrix_place!(s, m, i32 2 1, grid(3 + 16, 2, 16, 1, 1), |m| m.column_mut(3).select_mut::<2, 2, 1, 1>(2, 0));
        vector_place!(s, m, i32 1, 35..36, |m| m.column_mut(3).row_mut(4));
        vector_place!(s, m, i32 2, (0..2).map(|n| 41 + 6 * n),
            |m| m.select_mut::<3, 2, 3, 3>(1, 1).row_mut(2).select_mut::<2, 2>(0));
        // Staged offsets are limited by the place, not by the object.
        let ((x, i), (y, j)) = (offset::<i32>(s, 1), offset::<u16>(s, 1));
        matrix_place!(s, m, i32 2 2, grid(9 + i * 16 + j * 3, 2, 16, 2, 3),
            |m| m.select_mut::<3, 2, 3, 3>(1, 1).select_mut::<2, 1, 2, 1>(x, y));
    }

    #[test]
    fn places_of_other_elements(mut seeds in seeds()) {
        let s = &mut seeds;
        let m = s.matrix::<u8, 4, 8>();
        vector_place!(s, m, u16 16, 0..16, |m| m.format::<u16>(), |m| m.format_mut::<u16>());
        vector_place!(s, m, i32 3, (0..3).map(|n| 1 + 2 * n), |m| m.format::<i32>(),
            |m| m.format_mut::<i32>().select_mut::<3, 2>(1));
        // Row 2 is elements 8 to 11 of the object as words.
        vector_place!(s, m, u16 4, 8..12, |m| m.format::<u16>(), |m| m.row_mut(2).format_mut::<u16>());
        vector_place!(s, m, i8 4, 24..28, |m| m.format::<i8>(), |m| m.row_mut(3).format_mut::<i8>().select_mut::<4, 1>(0));
        matrix_place!(s, m, f32 2 2, 4..8, |m| m.format::<f32>(), |m| m.format_matrix_mut::<f32, 4, 2>().select_mut::<2, 1, 2, 1>(2, 0));
        matrix_place!(s, m, u64 2 2, 0..4, |m| m.format::<u64>(), |m| m.format_matrix_mut::<u64, 2, 2>());
        matrix_place!(s, m, i16 4 1, grid(3, 4, 4, 1, 1), |m| m.format::<i16>(),
            |m| m.format_matrix_mut::<i16, 4, 4>().column_mut(3));
        matrix_place!(s, m, u8 2 2, grid(16, 2, 2, 2, 1), |m| *m,
            |m| m.row_mut(2).format_matrix_mut::<u8, 4, 2>().select_mut::<2, 1, 2, 1>(0, 0));
        let v = s.vector::<u32, 6>();
        vector_place!(s, v, u16 6, (0..6).map(|n| 2 * n), |v| v.format::<u16>(),
            |v| v.format_mut::<u16>().select_mut::<6, 2>(0));
        matrix_place!(s, v, u8 3 8, 0..24, |v| v.format::<u8>(), |v| v.format_matrix_mut::<u8, 3, 8>());
        // Seven bytes contain three words; the last byte is not part of the place.
        let odd = s.vector::<u8, 7>();
        vector_place!(s, odd, u16 3, 0..3, |v| v.format::<u16>(), |v| v.format_mut::<u16>());
        let mut whole = odd;
        whole.format_mut::<u16>().assign(0);
        prop_assert_eq!(whole.to_array()[6], odd.to_array()[6]);
    }

    #[test]
    fn elements(mut seeds in seeds()) {
        let s = &mut seeds;
        let (v, m) = (s.vector::<u8, 9>(), s.matrix::<i16, 3, 5>());
        let (x, at) = offset::<i32>(s, 8);
        let ((y, i), (z, j)) = (offset::<u8>(s, 2), offset::<i64>(s, 4));
        let (a, b, shift) = (f32::sample(s), s.scalar::<i16>(), u16::sample(s));
        macro_rules! element {
            ($object:ident $t:ident, $at:expr, |$o:ident| $place:expr; $($what:literal, |$p:ident| $change:expr, $written:expr;)*) => {$({
                let mut o = $object;
                let at = $at;
                let old = $object.lanes()[at];
                {
                    let $o = &mut o;
                    let mut $p = $place;
                    assert!($p.value().value().value().is(old), "value of {}", stringify!($place));
                    $change;
                }
                let written: Value = ($written)(old);
                check_written(concat!($what, " of ", stringify!($place)), &$object, &[at], &[written], &o);
            })*};
        }
        macro_rules! all {
            ($object:ident $t:ident, $at:expr, |$o:ident| $place:expr) => {
                element!($object $t, $at, |$o| $place;
                    "assign", |p| p.assign(a), |_| a.value();
                    "assign a scalar", |p| p.assign(b), |_| b.lanes()[0];
                    "+=", |p| p += b, |old| compute(Op::Add, ($t::TYPE, old), (i16::TYPE, b.lanes()[0]));
                    "-=", |p| p -= a, |old| compute(Op::Sub, ($t::TYPE, old), (f32::TYPE, a.value()));
                    "*=", |p| p *= a, |old| compute(Op::Mul, ($t::TYPE, old), (f32::TYPE, a.value()));
                    "/=", |p| p /= b, |old| compute(Op::Div, ($t::TYPE, old), (i16::TYPE, b.lanes()[0]));
                    "%=", |p| p %= b, |old| compute(Op::Rem, ($t::TYPE, old), (i16::TYPE, b.lanes()[0]));
                    "&=", |p| p &= b, |old| compute(Op::And, ($t::TYPE, old), (i16::TYPE, b.lanes()[0]));
                    "|=", |p| p |= b, |old| compute(Op::Or, ($t::TYPE, old), (i16::TYPE, b.lanes()[0]));
                    "^=", |p| p ^= b, |old| compute(Op::Xor, ($t::TYPE, old), (i16::TYPE, b.lanes()[0]));
                    "<<=", |p| p <<= shift, |old| compute(Op::Shl, ($t::TYPE, old), (u16::TYPE, shift.value()));
                    ">>=", |p| p >>= shift, |old| compute(Op::Shr, ($t::TYPE, old), (u16::TYPE, shift.value()));
                )
            };
        }
        all!(v u8, at, |v| v.get_mut(x));
        all!(v u8, 7, |v| v.get_mut(7));
        all!(v u8, 5, |v| v.select_mut::<4, 2>(1).get_mut(2));
        all!(m i16, i * 5 + j, |m| m.get_mut(y, z));
        all!(m i16, 2 * 5 + j, |m| m.row_mut(2).get_mut(z));
        all!(m i16, 12, |m| m.select_mut::<2, 2, 2, 2>(0, 0).get_mut(1, 1));
    }

    /// The operators that only integers have, on places.
    #[test]
    fn bits_of_places(mut seeds in seeds()) {
        let s = &mut seeds;
        let (v, m) = (s.vector::<u8, 9>(), s.matrix::<i64, 3, 5>());
        let (x, y) = (s.vector::<i8, 4>(), s.matrix::<u16, 2, 2>());
        macro_rules! all {
            ($($op:ident $symbol:tt)*) => {$(
                let indices = [1, 3, 5, 7];
                let mut o = v;
                let mut p = o.select_mut::<4, 2>(1);
                p $symbol x;
                let written: Vec<_> = (0..4).map(|n| {
                    compute(Op::$op, (u8::TYPE, v.lanes()[indices[n]]), (i8::TYPE, x.lanes()[n]))
                }).collect();
                check_written(stringify!($symbol), &v, &indices, &written, &o);

                let indices = [6, 8, 11, 13];
                let mut o = m;
                let mut p = o.select_mut::<2, 1, 2, 2>(1, 1);
                p $symbol &y;
                let written: Vec<_> = (0..4).map(|n| {
                    compute(Op::$op, (i64::TYPE, m.lanes()[indices[n]]), (u16::TYPE, y.lanes()[n]))
                }).collect();
                check_written(stringify!($symbol), &m, &indices, &written, &o);
            )*};
        }
        all!(Rem %= And &= Or |= Xor ^= Shl <<= Shr >>=);
    }

    /// Operands are read completely before anything is written.
    #[test]
    fn overlapping_regions(mut seeds in seeds()) {
        let s = &mut seeds;
        let m = s.matrix::<i32, 4, 2>();
        let mut moved = m;
        // The example of the reference: rows 1 and 2 become their sum with rows 0 and 1.
        let upper = moved.select::<2, 1, 2, 1>(0, 0);
        let mut lower = moved.select_mut::<2, 1, 2, 1>(1, 0);
        lower += upper;
        let a = m.to_array();
        let sum = |i: usize| [a[i][0].wrapping_add(a[i - 1][0]), a[i][1].wrapping_add(a[i - 1][1])];
        prop_assert_eq!(moved.to_array(), [a[0], sum(1), sum(2), a[3]]);

        let v = s.vector::<u8, 9>();
        let mut shifted = v;
        let source = shifted.select::<8, 1>(0);
        shifted.select_mut::<8, 1>(1).assign(source);
        check_written("shift right", &v, &[1, 2, 3, 4, 5, 6, 7, 8], &v.lanes()[..8], &shifted);
        let mut reversed = v;
        let backwards = reversed.iselect(Vector::from_array([8u8, 7, 6, 5, 4, 3, 2, 1, 0]));
        reversed.assign(backwards);
        let written: Vec<_> = v.lanes().into_iter().rev().collect();
        check_written("reverse", &v, &[0, 1, 2, 3, 4, 5, 6, 7, 8], &written, &reversed);
    }

    /// Vectors assigned to places of matrices and vice versa: row by row.
    #[test]
    fn other_shapes(mut seeds in seeds()) {
        let s = &mut seeds;
        let m = s.matrix::<u8, 4, 6>();
        let (x, mask) = (s.vector::<f32, 6>(), s.vector::<u16, 6>());
        let indices: Vec<usize> = grid(7, 2, 12, 3, 2).collect();
        let mut o = m;
        o.select_mut::<2, 2, 3, 2>(1, 1).assign(x);
        check_written("assign a vector", &m, &indices, &x.lanes(), &o);
        let mut o = m;
        o.select_mut::<2, 2, 3, 2>(1, 1).merge_else(x, 3u8, mask);
        let pick = |n: usize| if set(mask.lanes()[n]) { x.lanes()[n] } else { Host(3u8).lanes()[0] };
        let written: Vec<_> = (0..6).map(pick).collect();
        check_written("merge a vector", &m, &indices, &written, &o);
        let bits = s.next() as u8;
        let mut o = m;
        o.row_mut(3).merge(x, bits);
        let pick = |n: usize| if bits >> n & 1 == 1 { x.lanes()[n] } else { m.lanes()[18 + n] };
        let written: Vec<_> = (0..6).map(pick).collect();
        check_written("merge by bits", &m, &[18, 19, 20, 21, 22, 23], &written, &o);
        let v = s.vector::<i16, 8>();
        let column = s.matrix::<u32, 3, 1>();
        let mut o = v;
        o.format_matrix_mut::<i16, 4, 2>().select_mut::<3, 1, 1, 1>(1, 1).assign(column);
        check_written("assign a column", &v, &[3, 5, 7], &column.lanes(), &o);
    }
}
