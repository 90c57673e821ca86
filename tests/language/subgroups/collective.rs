//! Votes, broadcasts, reductions and scans.

use cm::limits::SubGroupElem;
use cm::prelude::*;
use cm::subgroups::*;

use super::executions::{check, executions};
use super::model::{self, Number, add, max, min, register, row, values};
use cm_test_kernels::{for_each_sub_group, subgroups as kernels};
use cm_test_support::noise::stream;
use cm_test_support::numbers::elements;

/// One row for each built-in.
fn expected<T: Number>(x: &[T], who: u32) -> Vec<T> {
    let size = x.len();
    let each = |of: &dyn Fn(usize) -> T| row(size, of);
    let vote = T::cast_from(1u8 + 4);
    [
        each(&|_| model::reduce(add, x)),
        each(&|_| model::reduce(min, x)),
        each(&|_| model::reduce(max, x)),
        each(&|id| model::scan(add, x, id)),
        each(&|id| model::scan(min, x, id)),
        each(&|id| model::scan(max, x, id)),
        each(&|id| model::scan_before(add, T::default(), x, id)),
        each(&|id| model::scan_before(min, T::HIGHEST, x, id)),
        each(&|id| model::scan_before(max, T::LOWEST, x, id)),
        each(&|_| x[5]),
        each(&|_| model::shuffle(x, who)),
        each(&|_| vote),
    ]
    .concat()
}

macro_rules! tests {
    ($($collective:ident $shuffles:ident $load:ident $store:ident: $t:ident $n:literal $w:literal;)*) => {$(
        #[test]
        fn $collective() {
            for (seed, who) in [(3, 2u32), (77, u32::MAX)] {
                let x = values::<$t>($n, seed);
                let output = vec![$t::default(); 12 * $n];
                check!(kernels::$collective, (1, 1), [x], output, [who], expected(&x, who));
            }
            plain::<$t, $n>();
        }
    )*};
}

for_each_sub_group!(tests);

/// NaN, infinities and both zeros at all positions: which value of a pair is kept is part of the definition.
/// The sign of a NaN is not.
#[test]
fn special_floats() {
    let special = [f32::NAN, 0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, 1.0, -1.0, 1.0e-41, -3.0e-45];
    let plain = |x: &f32| if x.is_nan() { f32::NAN } else { *x };
    for seed in 0..12 {
        let mut next = stream(seed * 7 + 1);
        let x: Vec<f32> = (0..16)
            .map(|_| if next().is_multiple_of(4) { 2.0 } else { special[next() as usize % special.len()] })
            .collect();
        let device = Device::cpu().unwrap();
        let mut output = Buffer::<f32>::new(&device, 12 * 16).unwrap();
        let input = Buffer::from_slice(&device, &x).unwrap();
        kernels::collective_f32_16::launch(&device, ThreadSpace::new(1, 1).unwrap(), &input, &mut output, 1)
            .unwrap();
        let bits = |all: &[f32]| -> Vec<u32> { all.iter().map(|x| plain(x).to_bits()).collect() };
        let launched = output.to_vec().unwrap();
        // The votes compare with NaN, which other tests cover.
        assert_eq!(bits(&launched[..11 * 16]), bits(&expected(&x, 1)[..11 * 16]), "{x:?}");
        let function = kernels::collective_f32_16::ir().unwrap();
        let before = [bytemuck::cast_slice(&x).to_vec(), vec![0; 12 * 64]];
        for (how, bytes) in executions(&function, (1, 1), &before, &[1]) {
            let found: Vec<f32> = elements(&bytes);
            for row in 0..12 {
                let row = row * 16..row * 16 + 16;
                assert_eq!(
                    bits(&found[row.clone()]),
                    bits(&launched[row.clone()]),
                    "{how}, {row:?} of {x:?}"
                );
            }
        }
    }
}

/// The same built-ins in plain Rust.
fn plain<T: Number + SubGroupElem, const N: usize>()
where
    Len<N>: SubGroup,
{
    for seed in 1..20 {
        let all = values::<T>(N, seed);
        let x = register::<T, N>(&all);
        let each = |of: &dyn Fn(usize) -> T| -> [T; N] { std::array::from_fn(of) };
        let before = |op, identity| each(&|id| model::scan_before(op, identity, &all, id));
        assert_eq!(sub_group_reduce_add(x).value(), model::reduce(add, &all));
        assert_eq!(sub_group_reduce_min(x).value(), model::reduce(min, &all));
        assert_eq!(sub_group_reduce_max(x).value(), model::reduce(max, &all));
        assert_eq!(sub_group_scan_inclusive_add(x).to_array(), each(&|id| model::scan(add, &all, id)));
        assert_eq!(sub_group_scan_inclusive_min(x).to_array(), each(&|id| model::scan(min, &all, id)));
        assert_eq!(sub_group_scan_inclusive_max(x).to_array(), each(&|id| model::scan(max, &all, id)));
        assert_eq!(sub_group_scan_exclusive_add(x).to_array(), before(add, T::default()));
        assert_eq!(sub_group_scan_exclusive_min(x).to_array(), before(min, <T as Number>::HIGHEST));
        assert_eq!(sub_group_scan_exclusive_max(x).to_array(), before(max, <T as Number>::LOWEST));
        for (id, value) in all.iter().enumerate() {
            assert_eq!(sub_group_broadcast(x, id).value(), *value);
        }
    }
}

#[test]
fn votes_of_plain_rust() {
    fn check<const N: usize>()
    where
        Len<N>: SubGroup,
        cm::limits::Shape<1, N>: cm::limits::Fits<i32>,
    {
        let none = Vector::<i32, N>::from_array([0; N]);
        let every = Vector::<i32, N>::from_array([-2; N]);
        assert!(!sub_group_any(none) && !sub_group_all(none));
        assert!(sub_group_any(every) && sub_group_all(every));
        for id in 0..N {
            let one = Vector::<i32, N>::from_array(std::array::from_fn(|n| i32::from(n == id) * 4));
            assert!(sub_group_any(one) && !sub_group_all(one));
            let others = Vector::<i32, N>::from_array(std::array::from_fn(|n| i32::from(n != id) * 4));
            assert!(sub_group_any(others) && !sub_group_all(others));
        }
    }
    check::<8>();
    check::<16>();
    check::<32>();
}
