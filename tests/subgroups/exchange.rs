//! Shuffles.

use cm::prelude::*;
use cm::subgroups::*;

use crate::executions::check;
use crate::kernels;
use crate::model::{self, Number, numbers, shuffle, shuffle_down, shuffle_up, shuffle_xor, values};

/// A row for each shuffle.
fn expected<T: Number>(x: &[T], numbers: &[u32], uniform: u32) -> Vec<T> {
    let size = x.len() / 2;
    let (a, b) = x.split_at(size);
    let each = |of: &dyn Fn(usize) -> T| -> Vec<T> { (0..size).map(of).collect() };
    let beyond = size as u32 + 2;
    let mut rows = [
        each(&|id| shuffle(a, numbers[id])),
        each(&|id| shuffle_down(a, b, id, numbers[size + id])),
        each(&|id| shuffle_up(a, b, id, numbers[2 * size + id])),
        each(&|id| shuffle_xor(a, id, numbers[3 * size + id])),
    ]
    .concat();
    for [to, delta, mask] in [[uniform; 3], [3, 3, 5], [size as u32, beyond, beyond]] {
        rows.extend(each(&|_| shuffle(a, to)));
        rows.extend(each(&|id| shuffle_down(a, b, id, delta)));
        rows.extend(each(&|id| shuffle_up(a, b, id, delta)));
        rows.extend(each(&|id| shuffle_xor(a, id, mask)));
    }
    rows
}

macro_rules! kernels {
    ($($test:ident: $t:ident, $($kernel:ident $n:literal),*;)*) => {$(
        #[test]
        fn $test() {
            $(for (seed, uniform) in [(5, 1u32), (6, $n - 1), (7, $n + 1), (8, u32::MAX - 2)] {
                let (x, each) = (values::<$t>(2 * $n, seed), numbers(4 * $n, $n, seed));
                let output = vec![$t::default(); 16 * $n];
                check!(kernels::$kernel, (1, 1), [x, each], output, [uniform], expected(&x, &each, uniform));
            })*
        }
    )*};
}

kernels! {
    shuffles_i32: i32, shuffles_i32_8 8, shuffles_i32_16 16, shuffles_i32_32 32;
    shuffles_u32: u32, shuffles_u32_8 8, shuffles_u32_16 16, shuffles_u32_32 32;
    shuffles_i64: i64, shuffles_i64_8 8, shuffles_i64_16 16, shuffles_i64_32 32;
    shuffles_u64: u64, shuffles_u64_8 8, shuffles_u64_16 16, shuffles_u64_32 32;
    shuffles_f16: f16, shuffles_f16_8 8, shuffles_f16_16 16, shuffles_f16_32 32;
    shuffles_f32: f32, shuffles_f32_8 8, shuffles_f32_16 16, shuffles_f32_32 32;
    shuffles_f64: f64, shuffles_f64_8 8, shuffles_f64_16 16, shuffles_f64_32 32;
}

#[test]
fn vectors_of_work_items() {
    macro_rules! sizes {
        ($($n:literal)*) => {$(
            for (seed, uniform) in [(9, 4u32), (10, $n)] {
                let (x, each) = (values::<u32>(8 * $n, seed), numbers($n, $n, seed));
                let mut expected = vec![];
                for op in 0..6 {
                    for k in 0..4 {
                        let (a, b) = (&x[k * $n..][..$n], &x[(4 + k) * $n..][..$n]);
                        expected.extend((0..$n).map(|id| match op {
                            0 => shuffle(a, each[id]),
                            1 => shuffle_down(a, b, id, each[id]),
                            2 => shuffle_up(a, b, id, each[id]),
                            3 => shuffle_xor(a, id, each[id]),
                            4 => shuffle(a, uniform),
                            _ => shuffle_down(a, b, id, 2),
                        }));
                    }
                }
                check!(kernels::vectors::<$n>, (1, 1), [x, each], vec![0u32; 24 * $n], [uniform], expected);
            }
        )*};
    }
    sizes! { 8 16 32 }
}

#[test]
fn values_of_plain_rust() {
    macro_rules! plain {
        ($($t:ident)*; $n:literal: $($k:literal)*) => {$(
            for seed in 1..12 {
                let all = values::<$t>(2 * $n, seed);
                let (a, b) = all.split_at($n);
                let [x, y] = [a, b].map(|x| Vector::<$t, $n>::from_array(std::array::from_fn(|id| x[id])));
                let all = numbers($n, $n, seed);
                let c = Vector::<u32, $n>::from_array(std::array::from_fn(|id| all[id]));
                let each = |of: &dyn Fn(usize) -> $t| -> [$t; $n] { std::array::from_fn(of) };
                assert_eq!(sub_group_shuffle(x, c).to_array(), each(&|id| shuffle(a, all[id])));
                assert_eq!(sub_group_shuffle_down(x, y, c).to_array(), each(&|id| shuffle_down(a, b, id, all[id])));
                assert_eq!(sub_group_shuffle_up(x, y, c).to_array(), each(&|id| shuffle_up(a, b, id, all[id])));
                assert_eq!(sub_group_shuffle_xor(x, c).to_array(), each(&|id| shuffle_xor(a, id, all[id])));
                for n in (0..2 * $n + 3).chain([u32::MAX, u32::MAX - 3]) {
                    assert_eq!(sub_group_shuffle(x, n).to_array(), each(&|_| shuffle(a, n)));
                    assert_eq!(sub_group_shuffle_down(x, y, n).to_array(), each(&|id| shuffle_down(a, b, id, n)));
                    assert_eq!(sub_group_shuffle_up(x, y, n).to_array(), each(&|id| shuffle_up(a, b, id, n)));
                    assert_eq!(sub_group_shuffle_xor(x, n).to_array(), each(&|id| shuffle_xor(a, id, n)));
                    let staged: Scalar<u32> = n.into();
                    assert_eq!(sub_group_shuffle(x, staged).to_array(), each(&|_| shuffle(a, n)));
                    assert_eq!(sub_group_shuffle_up(x, y, staged).to_array(), each(&|id| shuffle_up(a, b, id, n)));
                }
            }
        )*
        $({
            // Vectors of each work item: component by component.
            let all = values::<f32>($k * $n, 3);
            let x = Matrix::<f32, $k, $n>::from_array(std::array::from_fn(|k| std::array::from_fn(|id| all[k * $n + id])));
            let numbers = numbers($n, $n, $k);
            let c = Vector::<u32, $n>::from_array(std::array::from_fn(|id| numbers[id]));
            let shuffled = sub_group_shuffle(x, c).to_array();
            let moved = sub_group_shuffle_down(x, x, c).to_array();
            for k in 0..$k {
                let row = &all[k * $n..][..$n];
                for id in 0..$n {
                    assert_eq!(shuffled[k][id], model::shuffle(row, numbers[id]));
                    assert_eq!(moved[k][id], model::shuffle_down(row, row, id, numbers[id]));
                }
            }
        })*};
    }
    plain!(i32 u32 i64 u64 f16 f32 f64; 8: 2 4 8 16);
    plain!(i32 u32 i64 u64 f16 f32 f64; 16: 2 4 8 16);
    plain!(i32 u32 i64 u64 f16 f32 f64; 32: 2 4 8 16);
}
