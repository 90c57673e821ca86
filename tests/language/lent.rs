//! Functions that take places by `&mut`, against scalar code, on every device.

use cm::prelude::*;
use cm_test_kernels::places as kernels;
use cm_test_support::blocks::{HEIGHT, WIDTH, check};
use cm_test_support::cases::cases;
use cm_test_support::devices::devices;
use proptest::prelude::*;

/// Copies of the elements of a place, which are written back.
fn raise<const N: usize>(v: [&mut u8; N], least: i32, by: i32) -> i32 {
    let mut raised = 0;
    for x in v {
        if i32::from(*x) >= least {
            *x = x.wrapping_add(by as u8);
            raised += 1;
        }
    }
    raised
}

fn thrice(row: &mut [u8; 16]) {
    for word in row.as_chunks_mut::<4>().0 {
        *word = u32::from_le_bytes(*word).wrapping_mul(3).wrapping_add(1).to_le_bytes();
    }
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn parts_of_registers(bytes in prop::collection::vec(any::<u8>(), WIDTH * HEIGHT)) {
        check(&bytes, kernels::parts::launch, |mut t| {
            let mut other = t;
            let third = t[3];
            for c in 0..16 {
                let old = t[0][c];
                t[0][c] = old.wrapping_sub(other[1][c]);
                other[1][c] = old ^ third[c];
            }
            // Every second column of rows 1 and 3, from column 1 on.
            for c in 0..8 {
                t[1][2 * c + 1] >>= 1;
            }
            for c in [3, 7, 11, 15] {
                t[3][c] = t[3][c].wrapping_add(7);
            }
            for c in 0..8 {
                let x = &mut t[1][2 * c + 1];
                *x += u8::from(*x >= 100);
            }
            let mut words = t[2];
            t[2][5] = t[2][5].wrapping_add(1);
            for row in &mut other {
                row[3] = row[3].wrapping_add(t[2][5]);
            }
            thrice(&mut words);
            t[3] = words;
            std::array::from_fn(|r| std::array::from_fn(|c| t[r][c].wrapping_add(other[r][c])))
        });
    }

    #[test]
    fn in_branches_and_loops(
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), 240..=255u8], WIDTH * HEIGHT),
        least in 0i32..260,
        rows in 0u32..7,
    ) {
        let launch = |d: &_, s, i: &_, o: &mut _| kernels::staged_parts::launch(d, s, i, o, least, rows);
        check(&bytes, launch, |mut t| {
            let mut found = 0;
            for i in 0..rows {
                let row = &mut t[i.min(3) as usize];
                let raised = raise(row.each_mut(), least, 3);
                if raised == 16 {
                    break;
                }
                found += raised;
                if found > 8 {
                    let first = found.min(6) as usize;
                    for k in 0..4 {
                        row[first + 3 * k] = row[first + 3 * k].wrapping_add(1);
                    }
                }
            }
            let half: [usize; 8] = std::array::from_fn(|k| 4 + k);
            loop {
                let row = &mut t[1];
                let mut raised = 0;
                for c in half {
                    raised += raise([&mut row[c]], 250, 100);
                }
                if raised == 0 {
                    break;
                }
                found += 1;
            }
            t[3][15] = found as u8;
            t
        });
    }
}

/// In plain Rust a function of registers takes a copy.
#[test]
fn a_function_takes_a_copy_in_plain_rust() {
    #[function]
    fn doubled(v: &mut Vector<u8, 4>) {
        *v += *v;
    }
    let mut m = Matrix::from_array([[1u8, 2, 3, 4], [5, 6, 7, 8]]);
    let mut row = m.row(1);
    doubled(&mut row);
    m.row_mut(1).assign(row);
    assert_eq!(m.to_array(), [[1, 2, 3, 4], [10, 12, 14, 16]]);
}

/// References with the name of the variable that they borrow.
#[kernel]
fn own_names(output: &mut Buffer<i32>, n: i32) {
    let mut v = n;
    {
        let v = &mut v;
        *v += 1;
    }
    let mut list = [n, 2];
    let first = {
        let list = &list;
        list[0]
    };
    list[0] = 9;
    let mut pair = (n, 3);
    let second = {
        let pair = &pair;
        pair.1 + pair.0
    };
    pair.0 = 7;
    let mut w = n * 2;
    let old = {
        let w = &w;
        *w
    };
    w += 5;
    let mut out = Vector::<i32, 8>::splat(0);
    for (i, x) in [v, first, list[0], second, pair.0, old, w].into_iter().enumerate() {
        out.get_mut(i).assign(x);
    }
    output.write(0, &out);
}

#[test]
fn references_have_the_names_of_their_variables() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<i32>::new(device, 8)?;
        own_names::launch(device, ThreadSpace::new(1, 1)?, &mut output, 40)?;
        assert_eq!(output.to_vec()?, [41, 40, 9, 43, 7, 80, 85, 0], "{}", device.name());
    }
    Ok(())
}
