//! What names stand for: elements of results in loops, imported variants, parts of assignments, and literals beside names of
//! patterns.

use cm::prelude::*;
use cm_test_support::devices::devices;
use cm_test_support::spaces::one;

/// The sum of two rows that a function gives, minus another row on each side.
#[function]
fn pair(a: Vector<i32, 8>) -> [Vector<i32, 8>; 2] {
    [a, (a * 3).convert()]
}

#[kernel]
fn elements_of_results(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let (a, w) = (input.read::<8>(0), input.read::<8>(32));
    let mut sum = Vector::<i32, 8>::splat(0);
    for v in pair(a) {
        let r: Vector<i32, 8> = (v - w).convert();
        sum += r * 10;
        sum -= w - v;
    }
    output.write(0, &sum);
}

#[test]
fn elements_of_results_are_registers() -> cm::Result<()> {
    for device in &devices(1) {
        let numbers: Vec<i32> = (0..16).map(|n| n * n - 20).collect();
        let input = Buffer::from_slice(device, &numbers)?;
        let mut output = Buffer::<i32>::new(device, 8)?;
        elements_of_results::launch(device, one(), &input, &mut output)?;
        let expected: Vec<i32> = (0..8)
            .map(|n| [numbers[n], 3 * numbers[n]].iter().map(|v| (v - numbers[n + 8]) * 11).sum())
            .collect();
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

mod sides {
    #[cm::registers]
    #[derive(Clone, Copy)]
    pub(super) enum Side {
        Left,
        Right,
        Both,
    }
}

use sides::Side::{self, Both, Left, Right};

const SIDES: [Side; 4] = [Left, Right, Left, Both];

#[kernel]
fn imported_variants(output: &mut Buffer<i32>, a: i32) {
    let mut sum = 0;
    for (n, side) in SIDES.into_iter().enumerate() {
        let weight = match side {
            Left if n > 0 => 1,
            Left => 2,
            Right => a,
            Both => 100,
        };
        sum = sum * 7 + weight;
    }
    output.write_scattered(0, 0, sum);
}

#[test]
fn imported_variants_have_guards() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<i32>::new(device, 1)?;
        imported_variants::launch(device, one(), &mut output, 5)?;
        assert_eq!(output.to_vec()?, [((2 * 7 + 5) * 7 + 1) * 7 + 100], "{}", device.name());
    }
    Ok(())
}

#[kernel]
fn parts_and_casts(output: &mut Buffer<i32>, a: i32) {
    let (mut first, mut last) = (1, 2);
    (first, ..) = (a, 50, 60);
    (.., last) = (70, 80, a + last);
    let mut n: usize = 3;
    n += 4;
    let row = Vector::<i32, 4>::from_array([first, last, n as i32, a]);
    output.write(0, &row);
    let large = -3_000_000_000 as i64;
    output.write_scattered(0, 4, (large >> 16) as i32);
    let halves = Vector::<f16, 4>::splat(0.5 as f16) + 3 as f16;
    output.write(32, &(halves * 2).convert::<i32>());
}

#[test]
fn parts_of_assignments_and_casts_of_literals() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<i32>::new(device, 12)?;
        parts_and_casts::launch(device, one(), &mut output, 5)?;
        let expected = [5, 7, 7, 5, (-3_000_000_000i64 >> 16) as i32, 0, 0, 0, 7, 7, 7, 7];
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

const CHOICES: [Option<i32>; 2] = [Some(3), None];

#[kernel]
fn literals_beside_bound_names(output: &mut Buffer<i32>, a: i32) {
    for (n, p) in CHOICES.into_iter().enumerate() {
        let w: i32 = match p {
            Some(n) => n * 2,
            None => 7,
        };
        let v: i32 = match p {
            Some(n) => n,
            None => 7,
        };
        output.write_scattered(0, n, w + v * 100 + a);
    }
}

#[test]
fn literals_stand_beside_names_of_patterns() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<i32>::new(device, 2)?;
        literals_beside_bound_names::launch(device, one(), &mut output, 4)?;
        assert_eq!(output.to_vec()?, [6 + 300 + 4, 7 + 700 + 4], "{}", device.name());
    }
    Ok(())
}
