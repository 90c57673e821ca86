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
