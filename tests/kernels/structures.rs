//! Structures of registers as variables.

use cm::prelude::*;

/// A line, with what is known of it.
#[registers]
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The sum of its values, as long as nothing changes it.
    pub cost: i32,
    /// Whether a function has taken it.
    pub chosen: bool,
    /// The values.
    pub values: Vector<i32, 8>,
}

/// Lines in an array, and a matrix.
#[registers]
#[derive(Debug)]
pub struct Block<const N: usize> {
    lines: [Vector<i32, 8>; N],
    best: Line,
    rounds: usize,
    sums: Matrix<i16, 2, 4>,
}

/// A line with its sum.
#[function]
pub fn new_line(values: Vector<i32, 8>, chosen: bool) -> Line {
    Line { cost: math::sum::<i32, _>(values), chosen, values }
}

/// Takes the values of another line, if it costs less.
#[function]
pub fn better(best: &mut Line, other: Line) {
    if other.cost < best.cost {
        *best = other;
        best.chosen = true;
        best.values.get_mut(0).assign(-1);
    } else {
        best.cost -= 1;
    }
}

/// The largest value without the smallest one, and the cost.
#[function]
pub fn spread(line: &Line) -> i32 {
    let values = line.values;
    math::reduced_max::<i32, _>(values) - math::reduced_min::<i32, _>(line.values) + line.cost
}

/// Adds the best line to the lines from a number on.
#[function]
pub fn collect<const N: usize>(block: &mut Block<N>, from: usize) {
    for i in from..N {
        block.lines[i] += block.best.values;
        block.best.cost += i as i32;
        block.sums.row_mut(i % 2).assign(block.lines[i].select::<4, 1>(0));
    }
}

/// Structures in variables, arrays and other structures.
#[kernel]
pub fn structures(input: &Buffer<i32>, output: &mut Buffer<i32>, rounds: i32) {
    let at = thread_origin_x() * 128;
    let first = input.read::<8>(at);
    let mut best = new_line(first, false);
    let mut block = Block {
        lines: [Vector::splat(3); 3],
        best: Line { cost: 70000, chosen: true, values: first },
        rounds: 1,
        sums: Matrix::splat(0),
    };
    let unchanged = best;
    for round in 0..rounds {
        let line = new_line(input.read::<8>(at + 32 * (round % 4)) + round, round > 1);
        better(&mut best, line);
        if best.chosen {
            block.best = best;
            block.lines[1].select_mut::<4, 2>(1).assign(round);
        }
        block.best.values ^= line.values;
    }
    block.rounds += 1;
    for _ in 0..block.rounds {
        collect::<3>(&mut block, 1);
    }
    let Block { lines, best: last, .. } = block;
    better(&mut block.best, unchanged);
    block.best.cost += spread(&best) - spread(&last);
    let mut pair = [best, Line { cost: 5, ..block.best }];
    if pair[0].cost > 0 {
        pair[1].values += pair[0].values;
        pair[0].cost = 7;
    }
    simd_if! { pair[0].values > lines[1] => {
        pair[1].values = lines[2];
        pair[0].values -= 1;
        block.best = pair[0];
    } }
    block.lines[0].get_mut(0).assign(pair[0].cost);
    block.lines[0].get_mut(1).assign(block.best.cost);
    block.lines[0].select_mut::<4, 1>(2).assign(block.sums.row(0) + block.sums.row(1));
    output.write(at, &block.lines[0]);
    output.write(at + 32, &block.lines[2]);
    output.write(at + 64, &block.best.values);
    output.write(at + 96, &pair[1].values);
}
