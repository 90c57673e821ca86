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
