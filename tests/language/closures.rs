//! Closures that change variables and memory, and functions with the names of those of `std::mem`, on every device.

use cm::prelude::*;
use cm_test_support::devices::devices;

/// Changes two variables and the buffer; each is also used after the last call.
#[kernel]
fn changing(output: &mut Buffer<u32>, least: u32) {
    let mut written: u32 = 0;
    let mut sum = Vector::<u32, 4>::splat(0);
    let put = |x: u32| {
        if x >= least {
            output.write(written * 16, &Vector::<u32, 4>::splat(x));
            written += 1;
        }
        sum += x;
    };
    put(5);
    put(least);
    for n in 0..least {
        put(n * 3);
    }
    let mut again = |x: u32| sum.assign(sum * 2 + x);
    again(1);
    again(written);
    // Host numbers, and results of operators.
    let twice = |x: u32| x * 2;
    for i in 0..2 {
        sum += twice(i as u32 + 1);
    }
    sum += twice(least + least);
    output.write(written * 16, &sum);
}

#[test]
fn closures_change_variables() {
    for least in [1u32, 4, 6] {
        let numbers: Vec<u32> = [5, least].into_iter().chain((0..least).map(|n| n * 3)).collect();
        let mut expected: Vec<u32> = numbers.iter().copied().filter(|&x| x >= least).collect();
        let sum: u32 = numbers.iter().sum();
        expected.push((sum * 2 + 1) * 2 + expected.len() as u32 + 2 + 4 + 4 * least);
        for device in devices(1) {
            let mut output = Buffer::<u32>::new(&device, 64).unwrap();
            changing::launch(&device, ThreadSpace::new(1, 1).unwrap(), &mut output, least).unwrap();
            let found = output.to_vec().unwrap();
            for (n, &x) in expected.iter().enumerate() {
                assert_eq!(found[4 * n..][..4], [x; 4], "{} {least} {n}", device.name());
            }
        }
    }
}

#[function]
fn swap<const N: usize>(a: &mut Vector<u32, N>, b: &mut Vector<u32, N>) {
    let old = *a;
    *a = *b;
    *b = old;
}

#[kernel]
fn sorted(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    let (mut a, mut b) = (input.read::<4>(0), input.read::<4>(16));
    if a.get(0) > b.get(0) {
        swap(&mut a, &mut b);
    }
    output.write(0, &a);
    output.write(16, &b);
}

#[test]
fn functions_may_be_named_swap() {
    for device in devices(1) {
        for numbers in [[1u32, 2, 3, 4, 5, 6, 7, 8], [5, 6, 7, 8, 1, 2, 3, 4]] {
            let input = Buffer::from_slice(&device, &numbers).unwrap();
            let mut output = Buffer::<u32>::new(&device, 8).unwrap();
            sorted::launch(&device, ThreadSpace::new(1, 1).unwrap(), &input, &mut output).unwrap();
            assert_eq!(output.to_vec().unwrap(), [1, 2, 3, 4, 5, 6, 7, 8], "{}", device.name());
        }
    }
}

mod of_std {
    use std::mem::swap;

    use cm::prelude::*;

    #[kernel]
    pub(super) fn exchanged(output: &mut Buffer<u32>) {
        let (mut a, mut b) = (Vector::<u32, 4>::splat(1), Vector::<u32, 4>::splat(2));
        swap(&mut a, &mut b);
        output.write(0, &(a * 2 + b));
    }
}

#[test]
fn exchanges_by_reference_are_refused() {
    let error = of_std::exchanged::ir().unwrap_err().to_string();
    assert!(error.contains("cannot be exchanged by reference"), "{error}");
}

/// Functions and methods of the user that have the names of those of kernels.
mod names {
    use cm::prelude::*;

    /// A host number, without arguments: that of kernels takes a dimension.
    const fn local_size() -> usize {
        8
    }

    /// That of kernels takes nothing.
    fn barrier(n: usize) -> usize {
        n + 1
    }

    const TAPS: [i32; 4] = [1, 3, 5, 7];

    pub(super) struct Config {
        pub(super) first: i32,
    }

    impl Config {
        pub(super) const SMALL: Self = Self { first: 100 };

        const fn new(first: i32) -> Self {
            Self { first }
        }

        const fn row(&self, n: usize) -> i32 {
            self.first + n as i32
        }

        const fn select(&self, n: u8) -> i32 {
            self.first - n as i32
        }
    }

    #[kernel]
    pub(super) fn own_names(output: &mut Buffer<i32>, at: i32) {
        let wait = |n: i32| n * 2;
        let local_id = |n: i32| n + at;
        let thread_origin_x = || at;
        let mut all = Vector::<i32, 8>::splat(0);
        all.get_mut(0).assign(wait(3) + local_id(10) + thread_origin_x());
        all.get_mut(1).assign(Vector::<i32, 1>::splat(local_size() as i32).get(0));
        all.get_mut(2).assign(Vector::<i32, 1>::splat(barrier(4) as i32).get(0));
        if let Some(tap) = TAPS.get(1) {
            all.get_mut(3).assign(*tap + at);
        }
        let (config, new) = (Config { first: 20 }, 5);
        all.get_mut(4).assign(Config::SMALL.row(2) + new);
        let config = Config { first: config.first + 10 };
        all.get_mut(5).assign(config.row(1) + at);
        let config = Config::new(40);
        all.get_mut(6).assign(config.select(3) + config.row(0) * at);
        output.write(0, &all);
    }
}

#[test]
fn names_of_the_user_are_no_built_ins() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<i32>::new(device, 8)?;
        names::own_names::launch(device, ThreadSpace::new(1, 1)?, &mut output, 2)?;
        assert_eq!(output.to_vec()?, [20, 8, 5, 5, 107, 33, 117, 0], "{}", device.name());
    }
    Ok(())
}

const OFFSETS: [u32; 2] = [3, 9];

/// Closures over host numbers whose parameters have types.
#[kernel]
fn of_host_numbers(input: &Buffer<u32>, output: &mut Buffer<u32>, n: u32) {
    let at = Vector::<u32, 8>::from_array([0, 1, 2, 3, 4, 5, 6, 7]);
    let [a, b] = [0, 1].map(|i: u32| input.read_scattered(i * 8, &at));
    let [c, d] = OFFSETS.map(|i: u32| input.read_scattered(i + n, &at));
    let [e, f] = [n, n + 1].map(|i: u32| input.read_scattered(i * 2, &at));
    let mut sum = a + b * 2 + c * 4 + d * 8 + e * 16 + f * 32;
    for v in (1..3).map(|i: u32| input.read_scattered(i, &at)) {
        sum += v * 64;
    }
    output.write(0, &sum);
}

#[test]
fn closures_take_host_numbers_of_arrays() -> cm::Result<()> {
    let data: Vec<u32> = (0..32).map(|n| n * n).collect();
    let n = 5;
    let weights = [(0, 1), (8, 2), (3 + n, 4), (9 + n, 8), (n * 2, 16), (n * 2 + 2, 32), (1, 64), (2, 64)];
    let expected: Vec<u32> =
        (0..8).map(|lane| weights.iter().map(|(at, weight)| data[at + lane] * weight).sum()).collect();
    for device in &devices(1) {
        let (input, mut output) = (Buffer::from_slice(device, &data)?, Buffer::<u32>::new(device, 8)?);
        of_host_numbers::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, n as u32)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}
