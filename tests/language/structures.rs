//! Structures of registers as variables, against scalar code, on every device.

use cm::prelude::*;
use cm_test_kernels::structures::{self as kernels, better, new_line, spread};
use cm_test_support::devices::devices;

/// The same in scalar code.
#[derive(Clone, Copy)]
struct Expected {
    cost: i32,
    chosen: bool,
    values: [i32; 8],
}

impl Expected {
    fn new(values: [i32; 8], chosen: bool) -> Self {
        Self { cost: values.iter().sum(), chosen, values }
    }

    fn better(&mut self, other: Self) {
        if other.cost < self.cost {
            *self = other;
            self.chosen = true;
            self.values[0] = -1;
        } else {
            self.cost -= 1;
        }
    }

    fn spread(&self) -> i32 {
        let least = self.values.iter().min().copied();
        self.values.iter().max().copied().unwrap_or_default() - least.unwrap_or_default() + self.cost
    }
}

fn expected(input: &[i32; 32], rounds: i32) -> [i32; 32] {
    let line = |n: usize| -> [i32; 8] { std::array::from_fn(|c| input[8 * n + c]) };
    let add = |a: [i32; 8], b: [i32; 8]| -> [i32; 8] { std::array::from_fn(|c| a[c] + b[c]) };
    let mut best = Expected::new(line(0), false);
    let (mut lines, mut last) = ([[3; 8]; 3], Expected { cost: 70000, chosen: true, values: line(0) });
    let (mut sums, unchanged) = ([[0i16; 4]; 2], best);
    for round in 0..rounds {
        let next = Expected::new(line(round as usize % 4).map(|x| x + round), round > 1);
        best.better(next);
        if best.chosen {
            last = best;
            for c in [1, 3, 5, 7] {
                lines[1][c] = round;
            }
        }
        last.values = std::array::from_fn(|c| last.values[c] ^ next.values[c]);
    }
    for _ in 0..2 {
        for i in 1..3 {
            lines[i] = add(lines[i], last.values);
            last.cost += i as i32;
            sums[i % 2] = std::array::from_fn(|c| lines[i][c] as i16);
        }
    }
    let before = last;
    last.better(unchanged);
    last.cost += best.spread() - before.spread();
    let mut pair = [best, Expected { cost: 5, ..last }];
    if pair[0].cost > 0 {
        pair[1].values = add(pair[1].values, pair[0].values);
        pair[0].cost = 7;
    }
    let active = std::array::from_fn::<_, 8, _>(|c| pair[0].values[c] > lines[1][c]);
    for c in (0..8).filter(|&c| active[c]) {
        pair[1].values[c] = lines[2][c];
        pair[0].values[c] -= 1;
        last.values[c] = pair[0].values[c];
    }
    if active.contains(&true) {
        last.cost = pair[0].cost;
    }
    (lines[0][0], lines[0][1]) = (pair[0].cost, last.cost);
    for c in 0..4 {
        lines[0][2 + c] = i32::from(sums[0][c]) + i32::from(sums[1][c]);
    }
    let all = [lines[0], lines[2], last.values, pair[1].values];
    std::array::from_fn(|n| all[n / 8][n % 8])
}

#[test]
fn fields_are_variables() {
    let numbers: Vec<i32> = (0..128).map(|n| n * n % 251 - 90 + n).collect();
    for rounds in [0, 1, 2, 5] {
        let expected: Vec<i32> =
            numbers.as_chunks().0.iter().flat_map(|thread| expected(thread, rounds)).collect();
        for device in devices(1) {
            let input = Buffer::from_slice(&device, &numbers).unwrap();
            let mut output = Buffer::new(&device, 128).unwrap();
            kernels::structures::launch(
                &device,
                ThreadSpace::new(4, 1).unwrap(),
                &input,
                &mut output,
                rounds,
            )
            .unwrap();
            assert_eq!(output.to_vec().unwrap(), expected, "{rounds} rounds, {}", device.name());
        }
    }
}

/// Functions of structures are plain Rust, too.
#[test]
fn structures_are_values_in_plain_rust() {
    let mut best = new_line(Vector::from_array([9, 8, 7, 6, 5, 4, 3, 2]), false);
    assert_eq!(spread(&best), (7 + 44).into());
    let other = new_line(Vector::from_array([1; 8]), false);
    better(&mut best, other);
    assert!(best.chosen);
    assert_eq!(best.values.to_array(), [-1, 1, 1, 1, 1, 1, 1, 1]);
    assert!(format!("{best:?}").starts_with("Line { cost: Scalar(8), chosen: true"), "{best:?}");
}

/// A structure in functions and kernels that declare their register file.
#[registers]
struct Sums {
    low: Vector<i32, 8>,
    count: i32,
}

#[function(register_file = 8192)]
fn add(sums: &mut Sums, v: Vector<i32, 8>) {
    sums.low += v;
    sums.count += 1;
}

#[function(register_file = 16384)]
fn twice(sums: Sums) -> Sums {
    let mut twice: Sums = sums;
    add(&mut twice, sums.low);
    twice
}

#[kernel(register_file = 16384)]
fn in_a_declared_file(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let mut sums: Sums = Sums { low: input.read::<8>(0), count: 0 };
    add(&mut sums, Vector::splat(100));
    let all = twice(sums);
    output.write(0, &(all.low + all.count));
}

#[test]
fn structures_in_a_declared_register_file() -> cm::Result<()> {
    let device = Device::cpu()?;
    let input = Buffer::from_slice(&device, &[1, 2, 3, 4, 5, 6, 7, 8])?;
    let mut output = Buffer::new(&device, 8)?;
    in_a_declared_file::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
    assert_eq!(output.to_vec()?, [204, 206, 208, 210, 212, 214, 216, 218]);
    Ok(())
}
