//! Arrays of registers as variables: in staged control flow, in SIMD control flow, and as the sums of a product.

use cm::prelude::*;

/// Assignments under staged conditions, in staged loops, and in both arms.
#[kernel]
pub fn staged(input: &Buffer<i32>, output: &mut Buffer<i32>, rounds: i32) {
    let at = thread_origin_x() * 128;
    let mut lines: [Vector<i32, 8>; 4] = std::array::from_fn(|i| input.read::<8>(at + 32 * i as i32));
    let mut counts = [0; 3];
    let mut found = [false, true];
    let before = lines;
    for round in 0..rounds {
        for i in 0..4 {
            if lines[i].get(0) > round {
                lines[i] -= round;
                counts[0] += 1;
            } else if (lines[i] < 0).any() {
                lines[(i + 1) % 4] = lines[i] + lines[(i + 1) % 4];
                counts[1] += i as i32;
                found[0] = true;
            } else {
                lines[i].get_mut(1).assign(counts[0]);
                lines = [lines[1], lines[2], lines[3], lines[0]];
            }
        }
        if counts[0] > 9 {
            counts[2] = counts[0] - counts[1];
            found[1] = counts[2] > 5;
            break;
        }
    }
    if found[0] && found[1] {
        lines[0] += before[3];
    }
    lines[3].select_mut::<3, 1>(5).assign(0);
    for i in 0..3 {
        lines[3].get_mut(5 + i).assign(counts[i]);
    }
    for i in 0..4 {
        output.write(at + 32 * i as i32, &lines[i]);
    }
}

/// SIMD control flow changes the active lanes of elements, of whole arrays, and scalars in arrays once.
#[kernel]
pub fn masked(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let at = thread_origin_x() * 128;
    let mut lines: [Vector<i32, 8>; 4] = std::array::from_fn(|i| input.read::<8>(at + 32 * i as i32));
    let mut counts = [0, 0];
    simd_if! { lines[0] > lines[1] => {
        lines[0] = lines[2];
        lines[1] += 3;
        lines[2].assign(lines[3]);
        lines[3].select_mut::<8, 1>(0).assign(9);
        counts[0] += 1;
    } else {
        lines = [lines[1], lines[0], lines[3], lines[2]];
        counts[1] = 1;
    } }
    simd_while! { lines[3] > 0 => {
        lines[3] -= 40;
        lines[0] ^= 1;
        simd_if! { lines[0] > lines[3] => { continue; } }
        lines[1] += 1;
    } }
    lines[2].get_mut(0).assign(counts[0]);
    lines[2].get_mut(1).assign(counts[1]);
    for i in 0..4 {
        output.write(at + 32 * i as i32, &lines[i]);
    }
}

#[function]
fn diagonal(grid: &mut [[Vector<i32, 8>; 2]; 2]) {
    grid[0][0] += grid[1][1];
    for row in grid {
        for line in row {
            *line -= 2;
        }
    }
}

/// Arrays of arrays, tuples of arrays, and arrays of matrices.
#[kernel]
pub fn nested(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let at = thread_origin_x() * 128;
    let mut grid: [[Vector<i32, 8>; 2]; 2] =
        std::array::from_fn(|i| std::array::from_fn(|j| input.read::<8>(at + 64 * i as i32 + 32 * j as i32)));
    let mut pair = ([Matrix::<i32, 2, 4>::splat(1); 2], 5);
    for i in 0..2 {
        for j in 0..2 {
            grid[i][j] += (i * 2 + j) as i32;
            pair.0[j].row_mut(i).assign(grid[i][j].select::<4, 2>(1));
        }
    }
    let row = grid[0];
    grid[0] = grid[1];
    grid[1] = row;
    diagonal(&mut grid);
    if grid[1][0].get(0) > 0 {
        grid[1][0] = grid[1][0] + grid[0][1];
        pair.1 += 1;
        pair.0[1] -= pair.0[0];
    }
    grid[0][1].select_mut::<8, 1>(0).assign(pair.0[1].format::<i32>() * pair.1);
    for i in 0..2 {
        for j in 0..2 {
            output.write(at + 64 * i as i32 + 32 * j as i32, &grid[i][j]);
        }
    }
}

/// Adds the line `from` to the line `to`, and returns the old one.
#[function]
fn add_line<const N: usize>(lines: &mut [Vector<i32, 8>; N], to: usize, from: usize) -> Vector<i32, 8> {
    let old = lines[to];
    lines[to] += lines[from];
    old
}

#[function]
fn raise(line: &mut Vector<i32, 8>, by: Vector<i32, 8>) {
    *line += by;
    line.get_mut(3).assign(5);
}

#[function]
fn total(lines: &[Vector<i32, 8>; 4]) -> Vector<i32, 8> {
    let mut sum: Vector<i32, 8> = lines[0];
    for line in lines {
        sum += *line;
    }
    sum
}

#[function]
fn reversed(mut lines: [Vector<i32, 8>; 4]) -> [Vector<i32, 8>; 4] {
    let first = lines[0];
    lines[0] = lines[3];
    lines[3] = first;
    let second = lines[1];
    lines[1] = lines[2];
    lines[2] = second;
    lines
}

#[function]
fn cleared(lines: &mut [Vector<i32, 8>; 4], first: usize) {
    for line in lines.iter_mut().skip(first) {
        *line = Vector::splat(0);
    }
    raise(&mut lines[2], lines[0]);
    if lines[0].any() {
        *lines = reversed(*lines);
    }
}

/// Arrays and elements, by reference and by value.
#[kernel]
pub fn functions(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let at = thread_origin_x() * 128;
    let mut lines: [Vector<i32, 8>; 4] = std::array::from_fn(|i| input.read::<8>(at + 32 * i as i32));
    let old = add_line(&mut lines, 0, 1);
    raise(&mut lines[1], lines[0]);
    raise(&mut lines[2], old);
    lines[3] = total(&lines);
    let kept = lines;
    cleared(&mut lines, 3);
    lines[0] -= kept[3];
    raise(&mut lines[3].select_mut::<8, 1>(0), lines[2]);
    for i in 0..4 {
        output.write(at + 32 * i as i32, &lines[i]);
    }
}

/// The first line, or all of them, without an element that is negative.
#[function]
fn positive(lines: &[Vector<i32, 8>; 4], all: bool) -> [Vector<i32, 8>; 2] {
    let shown = lines.map(|line| line);
    if (lines[0] < 0).any() {
        return [shown[3], lines[1]];
    }
    if all { [lines[0], lines[2]] } else { [lines[1], shown[1]] }
}

#[function]
fn rotated(lines: &mut [Vector<i32, 8>; 4]) -> Vector<i32, 8> {
    let old = lines.clone();
    for (line, before) in lines.iter_mut().zip(&old).skip(1).step_by(2) {
        line.assign(*before + old[0]);
    }
    let [first, .., last] = *lines;
    lines[0] = last;
    first
}

/// Closures, values of `if`, early returns, patterns, and assignments of an element to another.
#[kernel]
pub fn mixed(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let at = thread_origin_x() * 128;
    let mut lines: [Vector<i32, 8>; 4] = std::array::from_fn(|i| input.read::<8>(at + 32 * i as i32));
    let mut raise = |i: usize, by: i32| {
        lines[i] += by;
        lines[0].get_mut(i).assign(by);
    };
    raise(1, 5);
    raise(2, 6);
    lines[3].assign(lines[1] - lines[2]);
    lines[1].merge(lines[0], lines[2] > lines[3]);
    let pair = positive(&lines, lines[2].get(0) > 0);
    let chosen = if lines[1].get(1) > 20 { pair } else { [lines[0], pair[1]] };
    lines[2] = rotated(&mut lines);
    let mut grid = [chosen, pair];
    for (i, row) in grid.iter_mut().enumerate() {
        row[1 - i] -= 1;
        for line in row.iter_mut().rev() {
            *line ^= lines[i];
        }
    }
    let [[a, b], [c, mut d]] = grid;
    d += a;
    lines = [a, b, c + lines[3], d];
    for i in 0..4 {
        output.write(at + 32 * i as i32, &lines[i]);
    }
}

/// A product of matrices in the style of CM: each thread has 8 x 16 sums, in 4 matrices of 2 rows.
#[kernel]
pub fn product(a: &Buffer<f32>, b: &Buffer<f32>, c: &mut Buffer<f32>, depth: i32) {
    let thread = thread_origin_x();
    let mut acc = [Matrix::<f32, 2, 16>::splat(0.0f32); 4];
    for k in 0..depth {
        let column = a.read::<8>((k + thread * depth) * 32);
        let row = b.read::<16>(k * 64);
        for i in 0..4 {
            for j in 0..2 {
                acc[i].row_mut(j) += row * column.get(2 * i + j);
            }
        }
    }
    for (i, sums) in acc.into_iter().enumerate() {
        for j in 0..2 {
            c.write(thread * 512 + (128 * i + 64 * j) as u32, &sums.row(j));
        }
    }
}

/// The same with a name for each matrix.
#[kernel]
pub fn product_by_names(a: &Buffer<f32>, b: &Buffer<f32>, c: &mut Buffer<f32>, depth: i32) {
    let thread = thread_origin_x();
    let mut acc0 = Matrix::<f32, 2, 16>::splat(0.0f32);
    let mut acc1 = Matrix::<f32, 2, 16>::splat(0.0f32);
    let mut acc2 = Matrix::<f32, 2, 16>::splat(0.0f32);
    let mut acc3 = Matrix::<f32, 2, 16>::splat(0.0f32);
    for k in 0..depth {
        let column = a.read::<8>((k + thread * depth) * 32);
        let row = b.read::<16>(k * 64);
        for j in 0..2 {
            acc0.row_mut(j) += row * column.get(j);
        }
        for j in 0..2 {
            acc1.row_mut(j) += row * column.get(2 + j);
        }
        for j in 0..2 {
            acc2.row_mut(j) += row * column.get(4 + j);
        }
        for j in 0..2 {
            acc3.row_mut(j) += row * column.get(6 + j);
        }
    }
    for (i, sums) in [acc0, acc1, acc2, acc3].into_iter().enumerate() {
        for j in 0..2 {
            c.write(thread * 512 + (128 * i + 64 * j) as u32, &sums.row(j));
        }
    }
}
