//! Shuffles.

use cm::limits::SubGroupElem;
use cm::prelude::*;
use cm::subgroups::*;

use super::executions::check;
use super::model::{Number, numbers, register, row, shuffle, shuffle_down, shuffle_up, shuffle_xor, values};
use cm_test_kernels::{for_each_sub_group, subgroups as kernels};

/// One row for each shuffle.
fn expected<T: Number>(x: &[T], numbers: &[u32], uniform: u32) -> Vec<T> {
    let size = x.len() / 2;
    let (a, b) = x.split_at(size);
    let each = |of: &dyn Fn(usize) -> T| row(size, of);
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

macro_rules! tests {
    ($($collective:ident $shuffles:ident $load:ident $store:ident: $t:ident $n:literal $w:literal;)*) => {$(
        #[test]
        fn $shuffles() {
            for (seed, uniform) in [(5, 1u32), (6, $n - 1), (7, $n + 1), (8, u32::MAX - 2)] {
                let (x, each) = (values::<$t>(2 * $n, seed), numbers(4 * $n, $n, seed));
                let output = vec![$t::default(); 16 * $n];
                let expected = expected(&x, &each, uniform);
                check!(kernels::$shuffles, (1, 1), [x, each], output, [uniform], expected);
            }
            plain::<$t, $n>();
        }
    )*};
}

for_each_sub_group!(tests);

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

/// The same shuffles in plain Rust.
fn plain<T: Number + SubGroupElem, const N: usize>()
where
    Len<N>: SubGroup,
{
    for seed in 1..12 {
        let x = values::<T>(2 * N, seed);
        let (a, b) = x.split_at(N);
        let [x, y] = [a, b].map(register::<T, N>);
        let all = numbers(N, N, seed);
        let c = register::<u32, N>(&all);
        let each = |of: &dyn Fn(usize) -> T| -> [T; N] { std::array::from_fn(of) };
        assert_eq!(sub_group_shuffle(x, c).to_array(), each(&|id| shuffle(a, all[id])));
        assert_eq!(sub_group_shuffle_down(x, y, c).to_array(), each(&|id| shuffle_down(a, b, id, all[id])));
        assert_eq!(sub_group_shuffle_up(x, y, c).to_array(), each(&|id| shuffle_up(a, b, id, all[id])));
        assert_eq!(sub_group_shuffle_xor(x, c).to_array(), each(&|id| shuffle_xor(a, id, all[id])));
        for n in (0..2 * N as u32 + 3).chain([u32::MAX, u32::MAX - 3]) {
            assert_eq!(sub_group_shuffle(x, n).to_array(), each(&|_| shuffle(a, n)));
            assert_eq!(sub_group_shuffle_down(x, y, n).to_array(), each(&|id| shuffle_down(a, b, id, n)));
            assert_eq!(sub_group_shuffle_up(x, y, n).to_array(), each(&|id| shuffle_up(a, b, id, n)));
            assert_eq!(sub_group_shuffle_xor(x, n).to_array(), each(&|id| shuffle_xor(a, id, n)));
            let staged: Scalar<u32> = n.into();
            assert_eq!(sub_group_shuffle(x, staged).to_array(), each(&|_| shuffle(a, n)));
            assert_eq!(sub_group_shuffle_up(x, y, staged).to_array(), each(&|id| shuffle_up(a, b, id, n)));
        }
    }
}

/// Vectors of `K` of each work item, component by component.
fn components<const K: usize, const N: usize>()
where
    Len<N>: SubGroup,
{
    let all = values::<f32>(K * N, 3);
    let x: Matrix<f32, K, N> =
        Matrix::constant_any(std::array::from_fn(|k| std::array::from_fn(|id| all[k * N + id])));
    let numbers = numbers(N, N, K as u32);
    let c = register::<u32, N>(&numbers);
    let (shuffled, moved) = (sub_group_shuffle(x, c).to_array(), sub_group_shuffle_down(x, x, c).to_array());
    for (k, row) in all.chunks(N).enumerate() {
        for id in 0..N {
            assert_eq!(shuffled[k][id], shuffle(row, numbers[id]));
            assert_eq!(moved[k][id], shuffle_down(row, row, id, numbers[id]));
        }
    }
}

#[test]
fn vectors_of_plain_rust() {
    macro_rules! sizes {
        ($($k:literal)*) => {$(
            components::<$k, 8>();
            components::<$k, 16>();
            components::<$k, 32>();
        )*};
    }
    sizes! { 2 4 8 16 }
}
