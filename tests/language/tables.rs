//! Constant arrays in kernels: host numbers choose their elements when the kernel is recorded.

use cm::prelude::*;
use cm_test_support::devices::devices;

const WEIGHTS: [i32; 4] = [3, -1, 40, 7];
const PAIRS: &[[u8; 2]] = &[[1, 2], [30, 4], [5, 60]];
static LANES: [[u32; 4]; 2] = [[0, 1, 2, 3], [9, 8, 7, 6]];

mod other {
    pub(super) const NAMES: [&str; 2] = ["a", "four"];
}

#[kernel]
fn looked_up<const N: usize>(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let mut sum = Vector::<i32, 4>::splat(WEIGHTS[N] + PAIRS[2][1] as i32);
    for i in 0..4 {
        sum += input.read_dwaligned::<4>(4 * i as u32) * WEIGHTS[i];
    }
    for (n, pair) in (0u8..3).zip(PAIRS) {
        sum += PAIRS[n][0] + pair[1];
    }
    sum += Vector::from_array(LANES[1]) * other::NAMES[N - 2].len();
    output.write(0, &sum);
}

#[test]
fn elements_of_constant_arrays() -> cm::Result<()> {
    let data = [5, -3, 2, 8, 1, 0, 7];
    let expected: Vec<i32> = (0..4)
        .map(|lane| {
            let products: i32 = (0..4).map(|i| data[lane + i] * WEIGHTS[i]).sum();
            let pairs: i32 = PAIRS.iter().flatten().map(|&x| i32::from(x)).sum();
            WEIGHTS[3] + 60 + products + pairs + LANES[1][lane] as i32 * 4
        })
        .collect();
    for device in &devices(1) {
        let input = Buffer::from_slice(device, &data)?;
        let mut output = Buffer::<i32>::new(device, 4)?;
        looked_up::<3>::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

const NONE: [i32; 0] = [];

#[kernel]
fn beyond<const N: i32>(output: &mut Buffer<i32>) {
    for i in 0..2 {
        output.write(16 * i, &Vector::<i32, 4>::splat(WEIGHTS[i + N]));
    }
}

#[kernel]
fn of_nothing(output: &mut Buffer<i32>) {
    output.write(0, &Vector::<i32, 4>::splat(NONE[0]));
}

#[test]
fn elements_that_do_not_exist_are_errors_of_the_recording() {
    assert!(beyond::<2>::ir().is_ok());
    for (ir, cause) in [
        (beyond::<3>::ir(), "element 4 of an array of 4 elements"),
        (beyond::<-1>::ir(), "element -1 of an array of 4 elements"),
        (of_nothing::ir(), "element 0 of an array of 0 elements"),
    ] {
        let error = ir.unwrap_err().to_string();
        assert!(error.contains(cause) && error.contains("tables.rs:"), "{error}");
    }
}
