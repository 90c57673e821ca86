//! Regions and gathers as values: `select`, `row`, `column`, `get`, `replicate`, `iselect`, `format`.

use cm::dsl::limits::{Select, SelectElements, Shape};
use cm::prelude::*;
use proptest::prelude::*;

use super::lanes::{Lanes, Sample, Seeds, check, check_moved, pairs, seeds};
use cm_test_support::cases::cases;

/// The actual position for a staged offset: the offset is read as an unsigned 32-bit number, and limited to
/// the last position.
pub(crate) fn landed(offset: i128, last: usize) -> usize {
    (offset & 0xffff_ffff).min(last as i128) as usize
}

/// A staged offset: in range half of the time, otherwise any number.
pub(crate) fn offset<T: Sample + Int>(seeds: &mut Seeds, last: usize) -> (Scalar<T>, usize) {
    let x = if seeds.below(2) == 0 {
        T::from_bytes(&small(seeds.below(last.min(127) + 1), T::TYPE.bytes()))
    } else {
        T::sample(seeds)
    };
    let super::meaning::Value::Int(number) = x.value() else { unreachable!("integers") };
    (Scalar::constant(x), landed(number, last))
}

fn small(x: usize, bytes: usize) -> Vec<u8> {
    x.to_le_bytes()[..bytes].to_vec()
}

/// `select` of a vector, at every kind of offset that a shape allows.
fn elements<T: Sample, const N: usize, const SIZE: usize, const STRIDE: usize>(seeds: &mut Seeds)
where
    Shape<1, N>: SelectElements<SIZE, STRIDE>,
{
    let v = seeds.vector::<T, N>();
    let last = N - 1 - (SIZE - 1) * STRIDE;
    let name = |at: usize| format!("select::<{SIZE}, {STRIDE}>({at})");
    for at in [0, seeds.below(last + 1), last] {
        check_moved(&name(at), &v, Some((1, SIZE)), &|n| at + n * STRIDE, &v.select::<SIZE, STRIDE>(at));
        check_moved(
            &name(at),
            &v,
            Some((1, SIZE)),
            &|n| at + n * STRIDE,
            &v.select_any::<SIZE, STRIDE>(at as i32),
        );
    }
    let (staged, at) = offset::<u32>(seeds, last);
    check_moved(&name(at), &v, Some((1, SIZE)), &|n| at + n * STRIDE, &v.select::<SIZE, STRIDE>(staged));
    let (staged, at) = offset::<i16>(seeds, last);
    check_moved(&name(at), &v, Some((1, SIZE)), &|n| at + n * STRIDE, &v.select::<SIZE, STRIDE>(staged));
}

/// `select` of a matrix, at every kind of pair of offsets.
fn region<
    T: Sample,
    const R: usize,
    const C: usize,
    const R2: usize,
    const VS: usize,
    const C2: usize,
    const HS: usize,
>(
    seeds: &mut Seeds,
) where
    Shape<R, C>: Select<R2, VS, C2, HS>,
{
    let m = seeds.matrix::<T, R, C>();
    let (last_row, last_column) = (R - 1 - (R2 - 1) * VS, C - 1 - (C2 - 1) * HS);
    let (i, j) = (seeds.below(last_row + 1), seeds.below(last_column + 1));
    let ((s, si), (t, tj)) = (offset::<u32>(seeds, last_row), offset::<i32>(seeds, last_column));
    let check = |i: usize, j: usize, got| {
        let from = |n: usize| (i + n / C2 * VS) * C + j + n % C2 * HS;
        check_moved(&format!("select::<{R2}, {VS}, {C2}, {HS}>({i}, {j})"), &m, Some((R2, C2)), &from, &got);
    };
    check(i, j, m.select::<R2, VS, C2, HS>(i, j));
    check(last_row, last_column, m.select_any::<R2, VS, C2, HS>(last_row as u8, last_column as i64));
    check(si, j, m.select::<R2, VS, C2, HS>(s, j));
    check(i, tj, m.select::<R2, VS, C2, HS>(i, t));
    check(si, tj, m.select::<R2, VS, C2, HS>(s, t));
}

/// Rows, columns and elements of a matrix.
fn parts<T: Sample, const R: usize, const C: usize>(seeds: &mut Seeds) {
    let m = seeds.matrix::<T, R, C>();
    let ((s, si), (t, tj)) = (offset::<u32>(seeds, R - 1), offset::<i8>(seeds, C - 1));
    for i in 0..R {
        check_moved(&format!("row({i})"), &m, Some((1, C)), &|n| i * C + n, &m.row(i));
    }
    for j in 0..C {
        check_moved(&format!("column({j})"), &m, Some((R, 1)), &|n| n * C + j, &m.column(j));
    }
    check_moved(&format!("row({s:?})"), &m, Some((1, C)), &|n| si * C + n, &m.row(s));
    check_moved(&format!("column({t:?})"), &m, Some((R, 1)), &|n| n * C + tj, &m.column(t));
    let (i, j) = (seeds.below(R), seeds.below(C));
    check_moved("get", &m, None, &|_| i * C + j, &m.get(i, j));
    check_moved("get", &m, None, &|_| si * C + j, &m.get(s, j));
    check_moved("get", &m, None, &|_| i * C + tj, &m.get(i, t));
    check_moved("get", &m, None, &|_| si * C + tj, &m.get(s, t));
}

fn gather<T: Sample, I: Sample + Int, J: Sample + Int>(seeds: &mut Seeds) {
    const W: usize = 9;
    let (v, m) = (seeds.vector::<T, 5>(), seeds.matrix::<T, 3, 7>());
    let at: [(Scalar<I>, usize); W] = std::array::from_fn(|_| offset(seeds, 4));
    check_moved("iselect", &v, Some((1, W)), &|n| at[n].1, &v.iselect(indices(&at)));
    let i: [(Scalar<I>, usize); W] = std::array::from_fn(|_| offset(seeds, 2));
    let j: [(Scalar<J>, usize); W] = std::array::from_fn(|_| offset(seeds, 6));
    let picked = m.iselect(indices(&i), indices(&j));
    check_moved("iselect", &m, Some((1, W)), &|n| i[n].1 * 7 + j[n].1, &picked);
}

fn indices<I: Sample, const W: usize>(offsets: &[(Scalar<I>, usize); W]) -> Vector<I, W> {
    Vector::constant_any(offsets.map(|(x, _)| Scalar::value(x)))
}

/// The elements of type `V` in the bytes of a register, lane by lane.
fn check_format<V: Sample>(bytes: &[u8], shape: (usize, usize), from: &dyn Lanes, got: &dyn Lanes) {
    let size = V::TYPE.bytes();
    let lane =
        |n: usize| (V::from_bytes(&bytes[n * size..][..size]).value(), format!("bytes {}..", n * size));
    check(&|| format!("format of {} as {}", from.elem(), V::TYPE), V::TYPE, Some(shape), &lane, got);
}

fn bytes<T: Sample>(elements: &[T]) -> Vec<u8> {
    elements.iter().flat_map(|x| x.bytes()).collect()
}

/// `format` for two types.
macro_rules! format_pair {
    ($from:ident $to:ident $seeds:expr) => {{
        const N: usize = 16 * size_of::<$from>() / size_of::<$to>();
        let (v, m) = ($seeds.vector::<$from, 16>(), $seeds.matrix::<$from, 2, 8>());
        let (of_v, of_m) = (bytes(&v.to_array()), bytes(m.to_array().as_flattened()));
        check_format::<$to>(&of_v, (1, N), &v, &v.format::<$to>());
        check_format::<$to>(&of_m, (1, N), &m, &m.format::<$to>());
        check_format::<$to>(&of_v, (2, N / 2), &v, &v.format_matrix::<$to, 2, { N / 2 }>());
        check_format::<$to>(&of_m, (N / 2, 2), &m, &m.format_matrix_any::<$to, { N / 2 }, 2>());
    }};
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn select_of_vectors(mut seeds in seeds()) {
        macro_rules! all {
            ($($t:ident $n:literal: $size:literal $stride:literal;)*) => {
                $(elements::<$t, $n, $size, $stride>(&mut seeds);)*
            };
        }
        all! {
            u8 1: 1 1; u8 8: 1 1; u8 8: 8 1; u8 8: 3 1; i16 8: 2 7; i16 9: 3 4; f32 31: 4 3; u64 16: 8 2;
            f16 5: 2 3; f64 64: 16 4; i8 257: 3 100; u32 1023: 2 5;
        }
    }

    #[test]
    fn select_of_matrices(mut seeds in seeds()) {
        macro_rules! all {
            ($($t:ident $r:literal $c:literal: $r2:literal $vs:literal $c2:literal $hs:literal;)*) => {
                $(region::<$t, $r, $c, $r2, $vs, $c2, $hs>(&mut seeds);)*
            };
        }
        all! {
            u8 8 32: 6 1 24 1; u8 8 32: 8 1 32 1; u8 8 32: 4 2 8 4; i16 5 7: 2 3 3 2; i16 5 7: 1 1 7 1;
            f32 5 7: 5 1 1 1; u64 4 4: 2 2 2 2; f16 3 1: 2 2 1 1; i8 1 9: 1 1 3 3; f64 6 3: 3 2 2 2; u32 2 2: 1 1 1 1;
        }
    }

    #[test]
    fn rows_columns_and_elements(mut seeds in seeds()) {
        parts::<u8, 8, 32>(&mut seeds);
        parts::<i16, 1, 5>(&mut seeds);
        parts::<f32, 5, 1>(&mut seeds);
        parts::<u64, 3, 4>(&mut seeds);
        parts::<f16, 1, 1>(&mut seeds);
    }

    #[test]
    fn offsets_of_every_host_and_staged_type(mut seeds in seeds()) {
        let (v, m) = (seeds.vector::<u16, 12>(), seeds.matrix::<u16, 4, 6>());
        let (at, i, j) = (seeds.below(9), seeds.below(3), seeds.below(4));
        macro_rules! hosts {
            ($($t:ident)*) => {$(
                check_moved(stringify!($t), &v, Some((1, 4)), &|n| at + n, &v.select::<4, 1>(at as $t));
                check_moved(stringify!($t), &v, None, &|_| at, &v.get(at as $t));
                check_moved(stringify!($t), &m, Some((2, 3)), &|n| (i + n / 3) * 6 + j + n % 3,
                    &m.select::<2, 1, 3, 1>(i as $t, j as $t));
                check_moved(stringify!($t), &m, Some((1, 6)), &|n| i * 6 + n, &m.row(i as $t));
                check_moved(stringify!($t), &m, Some((4, 1)), &|n| n * 6 + j, &m.column(j as $t));
                let repeated = v.replicate_w::<2, 3>(at as $t);
                check_moved(stringify!($t), &v, Some((1, 6)), &|n| at + n % 3, &repeated);
            )*};
        }
        cm::compiler::for_each_integer!(hosts);
        hosts!(usize isize);
        macro_rules! staged {
            ($($t:ident)*) => {$(
                let (x, at) = offset::<$t>(&mut seeds, 8);
                check_moved(&format!("{x:?}"), &v, Some((1, 4)), &|n| at + n, &v.select::<4, 1>(x));
                let (x, i) = offset::<$t>(&mut seeds, 3);
                check_moved(&format!("{x:?}"), &m, Some((1, 6)), &|n| i * 6 + n, &m.row(x));
                let (x, at) = offset::<$t>(&mut seeds, 11);
                check_moved(&format!("{x:?}"), &v, None, &|_| at, &v.get(x));
            )*};
        }
        cm::compiler::for_each_integer!(staged);
    }

    #[test]
    fn replicate_of_vectors(mut seeds in seeds()) {
        // Element `r * W + k` of the result is element `off + r * VS + k * HS`.
        macro_rules! all {
            ($($t:ident $n:literal: $rep:literal $vs:literal $w:literal $hs:literal;)*) => {$({
                let v = seeds.vector::<$t, $n>();
                let last = $n - 1 - ($rep - 1) * $vs - ($w - 1) * $hs;
                let shape = Some((1, $rep * $w));
                let host = seeds.below(last + 1);
                let (s, staged) = offset::<i32>(&mut seeds, last);
                let from = |at: usize| move |n: usize| at + n / $w * $vs + n % $w * $hs;
                let name = format!("replicate::<{}, {}, {}, {}>", $rep, $vs, $w, $hs);
                check_moved(&name, &v, shape, &from(host), &v.replicate_vs_w_hs::<$rep, $vs, $w, $hs>(host));
                check_moved(&name, &v, shape, &from(staged), &v.replicate_vs_w_hs::<$rep, $vs, $w, $hs>(s));
                let any = v.replicate_vs_w_hs_any::<$rep, $vs, $w, $hs>(host);
                check_moved(&name, &v, shape, &from(host), &any);
                check_moved("replicate", &v, Some((1, $rep * $n)), &|n| n % $n, &v.replicate::<$rep>());
                let (s, at) = offset::<u8>(&mut seeds, $n - $w);
                check_moved("replicate_w", &v, shape, &|n| at + n % $w, &v.replicate_w::<$rep, $w>(s));
                // Two rows, at a distance of 3 or the largest that the vector allows.
                const APART: usize = if $n - $w < 3 { $n - $w } else { 3 };
                let (s, at) = offset::<u64>(&mut seeds, $n - $w - APART);
                check_moved("replicate_vs_w", &v, Some((1, 2 * $w)), &|n| at + n / $w * APART + n % $w,
                    &v.replicate_vs_w::<2, APART, $w>(s));
            })*};
        }
        all! {
            u8 8: 2 0 4 1; u8 8: 4 2 2 1; i16 8: 2 4 2 2; f32 8: 8 1 2 0; u64 9: 1 0 1 0; f16 16: 3 5 2 3;
            u32 24: 2 2 4 1; i8 5: 5 0 5 1;
        }
    }

    #[test]
    fn replicate_of_matrices(mut seeds in seeds()) {
        macro_rules! all {
            ($($t:ident $r:literal $c:literal: $rep:literal $vs:literal $w:literal $hs:literal;)*) => {$({
                let m = seeds.matrix::<$t, $r, $c>();
                let last: usize = $r * $c - 1 - ($rep - 1) * $vs - ($w - 1) * $hs;
                let shape = Some((1, $rep * $w));
                let from = |at: usize| move |n: usize| at + n / $w * $vs + n % $w * $hs;
                let host = seeds.below(last + 1);
                let (i, j) = (host / $c, host % $c);
                let repeated = m.replicate_vs_w_hs::<$rep, $vs, $w, $hs>(i, j);
                check_moved("replicate", &m, shape, &from(host), &repeated);
                // Staged: row and column are each limited, then the whole region.
                let (s, si) = offset::<u32>(&mut seeds, $r - 1);
                let (t, tj) = offset::<i32>(&mut seeds, $c - 1);
                let limited = |i: usize, j: usize| (i * $c + j).min(last);
                check_moved("replicate (staged)", &m, shape, &from(limited(si, tj)),
                    &m.replicate_vs_w_hs::<$rep, $vs, $w, $hs>(s, t));
                check_moved("replicate (staged row)", &m, shape, &from(limited(si, j)),
                    &m.replicate_vs_w_hs_any::<$rep, $vs, $w, $hs>(s, j));
                check_moved("replicate (staged column)", &m, shape, &from(limited(i, tj)),
                    &m.replicate_vs_w_hs::<$rep, $vs, $w, $hs>(i, t));
                let all = m.replicate::<$rep>();
                check_moved("replicate", &m, Some((1, $rep * $r * $c)), &|n| n % ($r * $c), &all);
                let at = (si * $c + tj).min($r * $c - $w);
                check_moved("replicate_w", &m, shape, &|n| at + n % $w, &m.replicate_w::<$rep, $w>(s, t));
                let at = (si * $c + tj).min($r * $c - $rep - $w + 1);
                check_moved("replicate_vs_w", &m, shape, &|n| at + n / $w + n % $w,
                    &m.replicate_vs_w::<$rep, 1, $w>(s, t));
            })*};
        }
        all! { u8 8 24: 2 2 4 1; i16 3 5: 3 5 2 1; f32 2 4: 4 1 2 3; u64 1 6: 2 0 2 0; f16 6 1: 2 1 3 1; }
    }

    #[test]
    fn gathers(mut seeds in seeds()) {
        gather::<u8, u8, u16>(&mut seeds);
        gather::<f32, i8, i64>(&mut seeds);
        gather::<u64, u16, u32>(&mut seeds);
        gather::<f16, i32, u8>(&mut seeds);
        gather::<i16, u64, i16>(&mut seeds);
    }

    #[test]
    fn format_of_all_types(mut seeds in seeds()) {
        pairs!(elements: format_pair! &mut seeds);
    }
}

/// As many elements as fit; the remaining bytes are not read.
#[test]
fn format_drops_what_does_not_fill_an_element() {
    let v = Vector::from_array([1u8, 2, 3, 4, 5, 6, 7]);
    assert_eq!(v.format::<u16>().to_array(), [0x0201, 0x0403, 0x0605]);
    assert_eq!(v.format::<u32>().to_array(), [0x0403_0201]);
    let m = Matrix::from_array([[0x0201u16, 0x0403], [0x0605, 0x0807], [0x0a09, 0x0c0b]]);
    assert_eq!(m.format::<u64>().to_array(), [0x0807_0605_0403_0201]);
}
