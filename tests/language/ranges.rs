//! `for` over ranges of host and staged numbers, in steps, against scalar code, on every device.

use cm::prelude::*;
use cm_test_support::devices::devices;

/// Each loop adds its numbers to one element; the factors make the order matter.
#[kernel]
fn loops(output: &mut Buffer<i32>, first: i32, end: i32, step: i32) {
    let mut sums = Vector::<i32, 16>::splat(0);
    for n in first..16 {
        sums.get_mut(0).assign(sums.get(0) * 3 + n);
    }
    for n in 2..end {
        sums.get_mut(1).assign(sums.get(1) * 3 + n % 4);
    }
    for n in (0..end).step_by(4) {
        sums.get_mut(2).assign(sums.get(2) * 3 + n / 2);
    }
    for n in (first..end).step_by(step) {
        sums.get_mut(3).assign(sums.get(3) * 3 + n);
    }
    for n in (first..20).step_by(step) {
        if n == 9 {
            continue;
        }
        if n > 14 {
            break;
        }
        sums.get_mut(4).assign(sums.get(4) * 3 + n);
    }
    for n in (3..20).step_by(5) {
        sums.get_mut(5).assign(sums.get(5) * 3 + n);
        // A host number: an element that is known now.
        sums.get_mut(6 + n / 5).assign(n);
    }
    for n in (end..end).step_by(step) {
        sums.assign(n);
    }
    output.write(thread_origin_x() * 64, &sums);
}

fn folded(numbers: impl Iterator<Item = i32>) -> i32 {
    numbers.fold(0, |sum, n| sum * 3 + n)
}

#[test]
fn ranges_of_staged_numbers() {
    for (first, end, step) in [(3, 12, 2), (-2, 17, 11), (16, 1, 3), (0, 0, 1)] {
        let by = step as usize;
        let fourth = (first..20).step_by(by).filter(|&n| n != 9).take_while(|&n| n <= 14);
        let expected = [
            folded(first..16),
            folded((2..end).map(|n| n % 4)),
            folded((0..end).step_by(4).map(|n| n / 2)),
            folded((first..end).step_by(by)),
            folded(fourth),
            folded((3..20).step_by(5)),
            3,
            8,
            13,
            18,
        ];
        for device in devices(1) {
            let mut output = Buffer::<i32>::new(&device, 32).unwrap();
            loops::launch(&device, ThreadSpace::new(2, 1).unwrap(), &mut output, first, end, step).unwrap();
            let found = output.to_vec().unwrap();
            assert_eq!(found[..10], expected, "{} {first} {end} {step}", device.name());
            assert_eq!(found[..16], found[16..]);
        }
    }
}
