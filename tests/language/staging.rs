//! One source, several executions: kernels with every form of control flow run on the CPU, are compared with
//! scalar code, and are recorded unchanged.

use cm::ir::Function;
use cm::prelude::*;
use cm_test_kernels::{linear, staging as kernels};
use cm_test_support::blocks::{HEIGHT, WIDTH, check, each};
use cm_test_support::devices::devices;
use proptest::prelude::*;

/// Bytes with dark and bright blocks, so that conditions take both branches.
fn texels() -> impl Strategy<Value = Vec<u8>> {
    (any::<u8>(), prop::collection::vec(any::<u8>(), WIDTH * HEIGHT))
        .prop_map(|(mask, bytes)| bytes.into_iter().map(|b| b & mask).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_staged_if_takes_one_arm(bytes in texels()) {
        check(&bytes, kernels::darken_bright::launch, |block| {
            if block.as_flattened().iter().any(|&b| b > 200) {
                each(block, |b| b >> 1)
            } else if block.as_flattened().iter().all(|&b| b > 100) {
                each(block, |b| b + 1)
            } else {
                block
            }
        });
    }

    #[test]
    fn a_staged_while_ends_when_its_condition_does(bytes in texels(), limit in 0u32..256) {
        check(&bytes, |d, s, i, o| kernels::halve_until::launch(d, s, i, o, limit), |mut block| {
            let mut rounds = 0;
            while block.as_flattened().iter().any(|&b| u32::from(b) > limit) && rounds < 8 {
                block = each(block, |b| b / 2);
                rounds += 1;
            }
            block[0][0] = rounds;
            block
        });
    }

    #[test]
    fn a_staged_for_counts_and_limits_its_index(bytes in texels(), count in 0u32..9) {
        check(&bytes, |d, s, i, o| kernels::add_rows::launch(d, s, i, o, count), |mut block| {
            for i in 0..count {
                let row = (i as usize).min(3);
                block[row] = block[row].map(|b| b.wrapping_add(i as u8 + 1));
            }
            block
        });
    }

    #[test]
    fn a_value_if_gives_the_value_of_its_arm(bytes in texels(), threshold in 0i32..256) {
        check(&bytes, |d, s, i, o| kernels::choose::launch(d, s, i, o, threshold), |block| {
            let first = i32::from(block[0][0]);
            let step = if first > 2 * threshold && first > threshold { 5 } else if first > threshold { 3 } else { 1 };
            let chosen = block.map(|row| row.map(|b| i32::from(b) + step));
            if chosen.as_flattened().iter().all(|&c| c != 0) { chosen.map(|row| row.map(|c| c as u8)) } else { [[9; 16]; 4] }
        });
    }

    #[test]
    fn host_control_flow_unrolls_and_copies_are_values(bytes in texels()) {
        check(&bytes, kernels::unrolled::launch, |block| {
            let mut t = block;
            t[0] = block[3];
            t[2] = block[1];
            t = each(t, |b| b.wrapping_add(1));
            let mut out = t;
            for (i, weight) in [1u8, 2, 3].into_iter().enumerate() {
                for c in 0..16 {
                    let sum = block[i][c].wrapping_add(t[i][c]);
                    out[i][c] = t[i][c].wrapping_add(sum.wrapping_mul(weight));
                }
            }
            out
        });
    }

    #[test]
    fn host_numbers_are_cast_before_their_type_is_known(bytes in texels()) {
        check(&bytes, kernels::swapped_halves::launch, |block| {
            block.map(|row| std::array::from_fn(|c| row[(c + 8) % 16]))
        });
    }

    #[test]
    fn numbers_stand_on_the_left(bytes in texels()) {
        check(&bytes, kernels::negative::launch, |block| {
            let mut t = each(block, |b| 255 - b);
            t[0] = block[0].map(|b| 2 * (7 & b) + 1);
            t[1] = block[1].map(|b| ((100.0 - f64::from(b)) * 0.5) as i16 as u8);
            t[2] = block[2].map(|b| b.wrapping_add(4));
            t[3] = block[3].map(|b| b.wrapping_add(7));
            t
        });
    }

    #[test]
    fn helpers_change_what_they_borrow(bytes in texels(), gain in 0.0f32..200.0) {
        check(&bytes, |d, s, i, o| kernels::helpers::launch(d, s, i, o, gain), |block| {
            let mut t = each(block, |b| b.wrapping_add(4));
            let mut bright = t.as_flattened().iter().any(|&b| b > 128);
            let (mut low, high) = (t[1][1], t[2][2]);
            if !bright || low < high {
                low = high;
                bright = true;
            }
            t[0] = t[2];
            t[1] = t[3];
            if bright {
                t[3][..4].fill((2.5 * gain) as u8);
                t[3][5] = low;
                t[3][6] = (i32::from(high) - 1) as u8;
            }
            t
        });
    }
}

#[test]
fn copies_are_values() {
    let device = Device::cpu().unwrap();
    let input = Surface2D::from_bytes(&device, Format::R8, 32, 4, &[5; 128]).unwrap();
    let mut output = Surface2D::new(&device, Format::R8, 32, 4).unwrap();
    kernels::copies::launch(&device, ThreadSpace::new(2, 1).unwrap(), &input, &mut output).unwrap();
    let bytes = output.to_vec().unwrap();
    // `cloned` and `through` are 2 times the block, `held` is 3 times the block, `changed` is the block plus
    // 2 (plus 4 in the second thread), and `same(&m)` and `m` are 1 more than `changed`.
    assert_eq!((bytes[0], bytes[16]), (5 * 5 + 7 + 8 + 8, 5 * 5 + 9 + 10 + 10));
}

/// The number of instructions in a recording with this name.
fn count(function: &Function, name: &str) -> usize {
    let text = function.to_string();
    let instructions =
        text.lines().map(|line| line.rsplit_once(" = ").map_or(line, |(_, operation)| operation));
    instructions.filter(|operation| operation.split_whitespace().next() == Some(name)).count()
}

#[test]
fn host_control_flow_is_not_recorded() {
    for (kernel, reads, writes) in [
        (linear::linear::ir(), 1, 1),
        (linear::linear1d2::ir(), 1, 1),
        (linear::linearslide::ir(), 6, 6),
        (linear::linearslide2::ir(), 1, 1),
    ] {
        let kernel = kernel.unwrap();
        assert_eq!(count(&kernel, "read"), reads, "{kernel}");
        assert_eq!(count(&kernel, "write"), writes, "{kernel}");
        assert_eq!(count(&kernel, "loop") + count(&kernel, "if"), 0, "host loops unroll: {kernel}");
    }
}

#[test]
fn staged_control_flow_is_recorded() {
    let choose = kernels::choose::ir().unwrap();
    assert_eq!(count(&choose, "if"), 3, "two staged value-ifs and one inside: {choose}");
    let unrolled = kernels::unrolled::ir().unwrap();
    assert_eq!(count(&unrolled, "if") + count(&unrolled, "loop"), 0, "{unrolled}");
    let helpers = kernels::helpers::ir().unwrap();
    assert_eq!(count(&helpers, "loop"), 0, "a loop over a host size: {helpers}");
    assert_eq!(count(&helpers, "if"), 2, "{helpers}");
}

/// Tuples and arrays of variables are assigned at once.
#[kernel]
fn assigned_at_once(output: &mut Buffer<i32>, n: i32) {
    let (mut a, mut b, mut small) = (n, n * 2, 0u8);
    let mut v = Vector::<i32, 8>::splat(0);
    let mut lines = [v, v + 1];
    for i in 0..3 {
        (a, b) = (b, a + b);
        (lines[0], lines[1], _) = (lines[1], lines[0] + a, i);
    }
    [a, b] = [b, a];
    ((v, small), _) = ((lines[0] + lines[1], 200), a);
    if n > 0 {
        (a, b) = if b > 7 { (1, b) } else { (a, 2) };
    }
    // Lanes.
    let mut w = Vector::<i32, 8>::from_array([1, 2, 3, 4, 5, 6, 7, 8]);
    simd_if! { w > 4 => { (v, w) = (w, v); } }
    v.get_mut(0).assign(a);
    v.get_mut(1).assign(b);
    v.get_mut(2).assign(small);
    output.write(0, &v);
    output.write(32, &w);
}

#[test]
fn tuples_are_assigned_at_once() -> cm::Result<()> {
    for device in &devices(1) {
        for n in [-1, 1, 3] {
            let (mut a, mut b, mut lines) = (n, n * 2, [0, 1]);
            for _ in 0..3 {
                (a, b) = (b, a + b);
                lines = [lines[1], lines[0] + a];
            }
            (a, b) = (b, a);
            let v = lines[0] + lines[1];
            if n > 0 {
                (a, b) = if b > 7 { (1, b) } else { (a, 2) };
            }
            let mut output = Buffer::<i32>::new(device, 16)?;
            assigned_at_once::launch(device, ThreadSpace::new(1, 1)?, &mut output, n)?;
            let expected = [a, b, 200, v, 5, 6, 7, 8, 1, 2, 3, 4, v, v, v, v];
            assert_eq!(output.to_vec()?, expected, "{n}, {}", device.name());
        }
    }
    Ok(())
}
