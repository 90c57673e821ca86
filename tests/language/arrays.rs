//! Arrays of registers as variables, against scalar code, on every device.

use cm::prelude::*;
use cm_test_kernels::arrays as kernels;
use cm_test_support::devices::devices;

/// The output of a kernel for four threads of `N` numbers each, with each device.
fn check<const N: usize>(
    launch: impl Fn(&Device, ThreadSpace, &Buffer<i32>, &mut Buffer<i32>),
    expected: impl Fn([i32; N]) -> [i32; N],
) {
    let numbers: Vec<i32> = (0..4 * N as i32).map(|n| n * n % 251 - 90 + n).collect();
    let expected: Vec<i32> = numbers.as_chunks::<N>().0.iter().flat_map(|&thread| expected(thread)).collect();
    for device in devices(1) {
        let input = Buffer::from_slice(&device, &numbers).unwrap();
        let mut output = Buffer::new(&device, 4 * N).unwrap();
        launch(&device, ThreadSpace::new(4, 1).unwrap(), &input, &mut output);
        assert_eq!(output.to_vec().unwrap(), expected, "{}", device.name());
    }
}

/// Four lines of eight numbers.
type Lines = [[i32; 8]; 4];

/// [`check`] of a kernel on four lines.
fn check_lines(
    launch: impl Fn(&Device, ThreadSpace, &Buffer<i32>, &mut Buffer<i32>),
    expected: impl Fn(Lines) -> Lines,
) {
    check::<32>(launch, |numbers| {
        let lines = std::array::from_fn(|r| std::array::from_fn(|c| numbers[8 * r + c]));
        let lines = expected(lines);
        std::array::from_fn(|n| lines[n / 8][n % 8])
    });
}

/// Elements by host numbers of several types, places of elements, operators, and whole arrays.
#[kernel]
fn elements(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let at = thread_origin_x() * 128;
    let mut lines = [Vector::<i32, 8>::splat(0); 4];
    for i in 0..4 {
        lines[i] = input.read::<8>(at + 32 * i as i32);
    }
    let first = lines[0];
    lines[1] += lines[0] * 2 - lines[2];
    lines[0] = lines[3];
    lines[3] = first;
    for i in 0..lines.len() {
        lines[i] -= 1;
        lines[lines.len() - 1 - i].get_mut(i).assign(100 + i as i32);
    }
    const N: i32 = 2;
    lines[N as usize].select_mut::<4, 2>(1).assign(lines[1].select::<4, 1>(0));
    lines[2].merge(7, lines[2] > 90);
    lines[N] ^= 1;
    let old = lines;
    lines = [old[1], old[0], old[3], old[2]];
    let mut swapped: [Vector<i32, 8>; 4] = [lines[2], lines[3], lines[0], lines[1]];
    swapped[0] <<= lines[0] & 3;
    for i in 0..4 {
        output.write(at + 32 * i as i32, &swapped[i]);
    }
}

#[test]
fn elements_are_variables() {
    check_lines(
        |device, space, input, output| {
            elements::launch(device, space, input, output).unwrap();
        },
        |mut l| {
            let first = l[0];
            l[1] = std::array::from_fn(|c| l[1][c] + l[0][c] * 2 - l[2][c]);
            l[0] = l[3];
            l[3] = first;
            for i in 0..4 {
                for x in &mut l[i] {
                    *x -= 1;
                }
                l[3 - i][i] = 100 + i as i32;
            }
            for c in 0..4 {
                l[2][2 * c + 1] = l[1][c];
            }
            for x in &mut l[2] {
                *x = if *x > 90 { 7 } else { *x } ^ 1;
            }
            let lines = [l[1], l[0], l[3], l[2]];
            let mut swapped = [lines[2], lines[3], lines[0], lines[1]];
            for c in 0..8 {
                swapped[0][c] <<= lines[0][c] & 3;
            }
            swapped
        },
    );
}

/// Iteration by value and by reference, forwards and backwards, with numbers and with another array.
#[kernel]
fn iteration(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let at = thread_origin_x() * 128;
    let mut lines: [Vector<i32, 8>; 4] = std::array::from_fn(|i| input.read::<8>(at + 32 * i as i32));
    let mut sum: Vector<i32, 8> = Vector::splat(0);
    for line in lines {
        sum += line;
    }
    for (i, line) in lines.iter_mut().enumerate() {
        *line += i as i32;
        line.get_mut(0).assign(line.get(7) - 1);
    }
    for line in &mut lines {
        line.select_mut::<2, 1>(4).assign(line.select::<2, 1>(1));
        *line = *line ^ sum;
    }
    for (line, other) in lines.iter().zip(lines.iter().rev()) {
        sum += line.select::<8, 1>(0) & *other;
    }
    for &line in &lines {
        sum ^= line;
    }
    let last = &mut lines[3];
    *last -= sum;
    last.get_mut(1).assign(3);
    let shown = &lines[3];
    let copy = *shown;
    lines[3] += copy;
    let doubled = lines.map(|line| line + line);
    for (i, line) in doubled.into_iter().enumerate() {
        output.write(at + 32 * i as i32, &line);
    }
}

#[test]
fn arrays_are_iterated() {
    check_lines(
        |device, space, input, output| {
            iteration::launch(device, space, input, output).unwrap();
        },
        |mut l| {
            let mut sum = [0; 8];
            for line in l {
                sum = std::array::from_fn(|c| sum[c] + line[c]);
            }
            for (i, line) in l.iter_mut().enumerate() {
                line.iter_mut().for_each(|x| *x += i as i32);
                line[0] = line[7] - 1;
            }
            for line in &mut l {
                (line[4], line[5]) = (line[1], line[2]);
                *line = std::array::from_fn(|c| line[c] ^ sum[c]);
            }
            for i in 0..4 {
                sum = std::array::from_fn(|c| sum[c] + (l[i][c] & l[3 - i][c]));
            }
            for line in &l {
                sum = std::array::from_fn(|c| sum[c] ^ line[c]);
            }
            l[3] = std::array::from_fn(|c| l[3][c] - sum[c]);
            l[3][1] = 3;
            l[3] = l[3].map(|x| 2 * x);
            l.map(|line| line.map(|x| 2 * x))
        },
    );
}

#[test]
fn functions_take_arrays_and_their_elements() {
    let add = |a: [i32; 8], b: [i32; 8]| -> [i32; 8] { std::array::from_fn(|c| a[c] + b[c]) };
    let raise = |a: &mut [i32; 8], b: [i32; 8]| {
        *a = add(*a, b);
        a[3] = 5;
    };
    check_lines(
        |device, space, input, output| {
            kernels::functions::launch(device, space, input, output).unwrap();
        },
        |mut l| {
            let old = l[0];
            l[0] = add(l[0], l[1]);
            let first = l[0];
            raise(&mut l[1], first);
            raise(&mut l[2], old);
            l[3] = l.iter().fold(l[0], |sum, line| add(sum, *line));
            let kept = l;
            l[3] = [0; 8];
            let first = l[0];
            raise(&mut l[2], first);
            if l[0].iter().any(|&x| x != 0) {
                l.reverse();
            }
            l[0] = std::array::from_fn(|c| l[0][c] - kept[3][c]);
            let third = l[2];
            raise(&mut l[3], third);
            l
        },
    );
}

#[test]
fn elements_are_assigned_under_staged_conditions() {
    for rounds in [0, 1, 3, 7] {
        check_lines(
            |device, space, input, output| {
                kernels::staged::launch(device, space, input, output, rounds).unwrap();
            },
            |mut l| {
                let (before, mut counts, mut found) = (l, [0; 3], [false, true]);
                for round in 0..rounds {
                    for i in 0..4 {
                        if l[i][0] > round {
                            l[i] = l[i].map(|x| x - round);
                            counts[0] += 1;
                        } else if l[i].iter().any(|&x| x < 0) {
                            let next = (i + 1) % 4;
                            l[next] = std::array::from_fn(|c| l[i][c] + l[next][c]);
                            counts[1] += i as i32;
                            found[0] = true;
                        } else {
                            l[i][1] = counts[0];
                            l = [l[1], l[2], l[3], l[0]];
                        }
                    }
                    if counts[0] > 9 {
                        counts[2] = counts[0] - counts[1];
                        found[1] = counts[2] > 5;
                        break;
                    }
                }
                if found[0] && found[1] {
                    l[0] = std::array::from_fn(|c| l[0][c] + before[3][c]);
                }
                l[3][5..].copy_from_slice(&counts);
                l
            },
        );
    }
}

#[test]
fn simd_control_flow_changes_active_lanes() {
    check_lines(
        |device, space, input, output| {
            kernels::masked::launch(device, space, input, output).unwrap();
        },
        |mut l| {
            let mut counts = [0, 0];
            for c in 0..8 {
                let [mut p, mut q, mut r, mut s] = l.map(|line| line[c]);
                if p > q {
                    (p, q, r, s) = (r, q + 3, s, 9);
                    counts[0] = 1;
                } else {
                    (p, q, r, s) = (q, p, s, r);
                    counts[1] = 1;
                }
                while s > 0 {
                    s -= 40;
                    p ^= 1;
                    q += i32::from(p <= s);
                }
                for (line, x) in l.iter_mut().zip([p, q, r, s]) {
                    line[c] = x;
                }
            }
            (l[2][0], l[2][1]) = (counts[0], counts[1]);
            l
        },
    );
}

#[test]
fn arrays_are_nested() {
    check_lines(
        |device, space, input, output| {
            kernels::nested::launch(device, space, input, output).unwrap();
        },
        |l| {
            let mut g = [[l[0], l[1]], [l[2], l[3]]];
            let (mut m, mut n) = ([[1; 8]; 2], 5);
            for i in 0..2 {
                for j in 0..2 {
                    g[i][j] = g[i][j].map(|x| x + (2 * i + j) as i32);
                    for c in 0..4 {
                        m[j][4 * i + c] = g[i][j][2 * c + 1];
                    }
                }
            }
            g.swap(0, 1);
            g[0][0] = std::array::from_fn(|c| g[0][0][c] + g[1][1][c]);
            let mut g = g.map(|row| row.map(|line| line.map(|x| x - 2)));
            if g[1][0][0] > 0 {
                g[1][0] = std::array::from_fn(|c| g[1][0][c] + g[0][1][c]);
                n += 1;
                m[1] = std::array::from_fn(|c| m[1][c] - m[0][c]);
            }
            g[0][1] = m[1].map(|x| x * n);
            [g[0][0], g[0][1], g[1][0], g[1][1]]
        },
    );
}

#[test]
fn arrays_go_through_closures_branches_and_patterns() {
    check_lines(
        |device, space, input, output| {
            kernels::mixed::launch(device, space, input, output).unwrap();
        },
        |mut l| {
            for (i, by) in [(1, 5), (2, 6)] {
                l[i] = l[i].map(|x| x + by);
                l[0][i] = by;
            }
            l[3] = std::array::from_fn(|c| l[1][c] - l[2][c]);
            l[1] = std::array::from_fn(|c| if l[2][c] > l[3][c] { l[0][c] } else { l[1][c] });
            let pair = if l[0].iter().any(|&x| x < 0) {
                [l[3], l[1]]
            } else if l[2][0] > 0 {
                [l[0], l[2]]
            } else {
                [l[1], l[1]]
            };
            let chosen = if l[1][1] > 20 { pair } else { [l[0], pair[1]] };
            let first = l[0];
            for i in [1, 3] {
                l[i] = std::array::from_fn(|c| l[i][c] + first[c]);
            }
            l[0] = l[3];
            l[2] = first;
            let mut g = [chosen, pair];
            for i in 0..2 {
                g[i][1 - i] = g[i][1 - i].map(|x| x - 1);
                g[i] = g[i].map(|line| std::array::from_fn(|c| line[c] ^ l[i][c]));
            }
            let add = |a: [i32; 8], b: [i32; 8]| -> [i32; 8] { std::array::from_fn(|c| a[c] + b[c]) };
            [g[0][0], g[0][1], add(g[1][0], l[3]), add(g[1][1], g[0][0])]
        },
    );
}

#[test]
fn products_are_summed_in_arrays() {
    const DEPTH: usize = 5;
    let (a, b): (Vec<f32>, Vec<f32>) = (0..2 * DEPTH * 8)
        .map(|n| ((n * 7 % 23) as f32 / 4.0 - 2.0, (n * 5 % 17) as f32 / 8.0 - 1.0))
        .unzip();
    let b: Vec<f32> = b.iter().chain(&b).copied().collect();
    let mut expected = vec![0.0f32; 2 * 8 * 16];
    for k in 0..DEPTH {
        for (n, sum) in expected.iter_mut().enumerate() {
            let (thread, row, column) = (n / 128, n / 16 % 8, n % 16);
            *sum += b[k * 16 + column] * a[(thread * DEPTH + k) * 8 + row];
        }
    }
    for device in devices(1) {
        let left = Buffer::from_slice(&device, &a).unwrap();
        let right = Buffer::from_slice(&device, &b).unwrap();
        let space = ThreadSpace::new(2, 1).unwrap();
        let (mut sums, mut named) = (Buffer::new(&device, 256).unwrap(), Buffer::new(&device, 256).unwrap());
        kernels::product::launch(&device, space, &left, &right, &mut sums, DEPTH as i32).unwrap();
        kernels::product_by_names::launch(&device, space, &left, &right, &mut named, DEPTH as i32).unwrap();
        assert_eq!(sums.to_vec().unwrap(), expected, "{}", device.name());
        assert_eq!(named.to_vec().unwrap(), expected, "{}", device.name());
    }
}

#[kernel]
fn out_of_range<const FROM: usize>(output: &mut Buffer<i32>) {
    let mut lines = [Vector::<i32, 8>::splat(1); 4];
    for i in FROM..FROM + 2 {
        lines[i] += 1;
    }
    output.write(0, &lines[0]);
}

#[kernel]
fn literal_out_of_range(output: &mut Buffer<i32>) {
    let lines = [Vector::<i32, 8>::splat(1); 4];
    let mut grid = [lines, lines];
    grid[1][4].get_mut(0).assign(2);
    output.write(0, &lines[0]);
}

#[kernel]
fn negative(output: &mut Buffer<i32>) {
    let mut lines = [Vector::<i32, 8>::splat(1); 4];
    for i in 0..3 {
        lines[i - 1] = lines[i];
    }
    output.write(0, &lines[0]);
}

#[kernel]
fn host_numbers(output: &mut Buffer<i32>, n: i32) {
    let mut numbers: [usize; 2] = [1, 2];
    let mut lines = [Vector::<i32, 8>::splat(1); 4];
    numbers[1] += numbers[0];
    lines[numbers[1]] += 1;
    if n > 3 {
        numbers[0] = 2;
    }
    output.write(0, &lines[0]);
}

/// Iterators over the elements: parts of arrays, sums, and loops that change some of the elements.
#[kernel]
fn iterators(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let at = thread_origin_x() * 128;
    let mut lines = [Vector::<i32, 8>::splat(0); 4];
    for (i, line) in lines.iter_mut().enumerate() {
        *line = input.read::<8>(at + 32 * i as i32);
    }
    let mut sum = Vector::<i32, 8>::splat(0);
    for pair in lines.chunks(2) {
        sum += pair[0] * 2 - pair[1];
    }
    for pair in lines.windows(2) {
        sum ^= pair[1] - pair[0];
    }
    let largest = lines.iter().copied().reduce(|a, b| math::max::<i32, _>(a, b)).unwrap();
    let total = lines.iter().fold(Vector::<i32, 8>::splat(0), |total, line| total + *line);
    for (line, n) in lines.iter_mut().zip([5, 6, 7, 8]) {
        *line += n;
    }
    for line in lines.iter_mut().rev().take(2) {
        *line *= 3;
    }
    for line in lines.iter_mut().skip(1).step_by(2) {
        *line -= 1;
    }
    output.write(at, &sum);
    output.write(at + 32, &(largest + total));
    output.write(at + 64, &(lines[0] - lines[1]));
    output.write(at + 96, &(lines[2] + lines[3]));
}

#[test]
fn iterators_go_through_the_elements() {
    check_lines(
        |device, space, input, output| {
            iterators::launch(device, space, input, output).unwrap();
        },
        |mut lines| {
            let lane = |c: usize| std::array::from_fn::<i32, 4, _>(|r| lines[r][c]);
            let sum = std::array::from_fn(|c| {
                let [p, q, r, s] = lane(c);
                (p * 2 - q + r * 2 - s) ^ (q - p) ^ (r - q) ^ (s - r)
            });
            let both = std::array::from_fn(|c| {
                let lane = lane(c);
                lane.iter().max().unwrap() + lane.iter().sum::<i32>()
            });
            for (r, line) in lines.iter_mut().enumerate() {
                for x in line {
                    *x = (*x + r as i32 + 5) * [1, 1, 3, 3][r] - [0, 1, 0, 1][r];
                }
            }
            let difference = std::array::from_fn(|c| lines[0][c] - lines[1][c]);
            [sum, both, difference, std::array::from_fn(|c| lines[2][c] + lines[3][c])]
        },
    );
}

#[test]
fn indices_are_checked_when_recorded() {
    assert!(out_of_range::<2>::ir().is_ok());
    let source = include_str!("arrays.rs");
    let line = |what: &str| source.lines().position(|line| line.contains(what)).unwrap() + 1;
    let refused =
        |recorded: Result<_, cm::Error>| recorded.map(|_: cm::ir::Function| ()).unwrap_err().to_string();
    for (message, what, words) in [
        (refused(out_of_range::<3>::ir()), "        lines[i] += 1;", "element 4 of an array of 4 elements"),
        (refused(literal_out_of_range::ir()), "grid[1][4].get_mut", "element 4 of an array of 4 elements"),
        (refused(negative::ir()), "lines[i - 1] = ", "element -1 of an array of 4 elements"),
        (refused(host_numbers::ir()), "numbers[0] = 2", "give it a staged type"),
    ] {
        let place = format!("tests/language/arrays.rs:{}", line(what));
        assert!(message.contains(words) && message.contains(&place), "{message}");
    }
}

#[function]
fn neighbours(x: Vector<i16, 8>) -> (Vector<i16, 8>, Vector<i16, 8>) {
    ((x + 1).convert(), (x - 3).convert())
}

/// Elements of an array without a name, which are no host numbers.
#[kernel]
fn listed(buffer: &mut Buffer<i16>) {
    let x = buffer.read::<8>(0);
    let (next, last) = neighbours(x);
    let mut sum = Vector::<i16, 8>::splat(0);
    for v in [next, last] {
        sum += (v - x).convert::<i16>() * (v + x).convert::<i16>();
    }
    buffer.write(0, &sum);
}

#[test]
fn arrays_without_a_name() -> cm::Result<()> {
    let data: Vec<i16> = (0..8).map(|n| n * 5 - 9).collect();
    let expected: Vec<i16> = data.iter().map(|x| 2 * x + 1 - 3 * (2 * x - 3)).collect();
    for device in &devices(1) {
        let mut buffer = Buffer::from_slice(device, &data)?;
        listed::launch(device, ThreadSpace::new(1, 1)?, &mut buffer)?;
        assert_eq!(buffer.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

/// Numbers that are folded, from a literal, which has their type: results of a closure, elements of an array, by value and by
/// reference.
#[kernel]
fn folded(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    let v = input.read::<8>(0);
    let halves = v.convert::<f32>() * 0.5f32;
    let (a, b) = (v.get(0), v.get(7));
    let product = (0..4).map(|i| v.get(2 * i)).rev().fold(1, |all, n| all * n + 1);
    let largest = [a, b, v.get(3)].into_iter().fold(0, |most, n| if n > most { n } else { most });
    let sum = [a, a + 5, b].iter().fold(0, |sum, n| sum + *n);
    let quarter = (0..8).map(|i| halves.get(i)).fold(0.5, |sum, x| sum + x);
    let host = (1..4).fold(0, |sum, i| sum + i) * [1, 2].iter().fold(1, |all, n| all * n);
    let mut out = Vector::<u32, 8>::splat(host);
    for (i, x) in [product, largest, sum, quarter as u32].into_iter().enumerate() {
        out.get_mut(i).assign(x);
    }
    output.write(0, &out);
}

#[test]
fn numbers_are_folded_from_a_literal() -> cm::Result<()> {
    let v: Vec<u32> = (0..8).map(|n| n * 37 % 11 + 1).collect();
    let product = v.iter().step_by(2).rev().fold(1, |all, n| all * n + 1);
    let quarter = v.iter().sum::<u32>() as f32 * 0.5 + 0.5;
    let largest = v[0].max(v[7]).max(v[3]);
    let expected = [product, largest, 2 * v[0] + v[7] + 5, quarter as u32, 12, 12, 12, 12];
    for device in &devices(1) {
        let mut output = Buffer::<u32>::new(device, 8)?;
        folded::launch(device, ThreadSpace::new(1, 1)?, &Buffer::from_slice(device, &v)?, &mut output)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

/// A loop that gives elements the names of their arrays, and rows of literals beside rows of numbers of the kernel.
#[kernel]
fn named_alike(input: &Buffer<i32>, output: &mut Buffer<i32>, n: i32) {
    let at = thread_origin_x() * 128;
    let mut lines = [Vector::<i32, 8>::splat(0); 4];
    let factors = [2, 3, 5, 7].map(|n| Vector::<i32, 8>::splat(n));
    for (i, lines) in lines.iter_mut().enumerate() {
        *lines = input.read::<8>(at + 32 * i as i32);
    }
    for (factors, lines) in factors.iter().zip(lines.iter_mut()) {
        *lines = (*lines * *factors).convert();
    }
    for lines in &mut lines {
        *lines += n;
    }
    let first = [n, n + 1];
    let mut table = [first, [10; 2], [20, 30]];
    table[1][0] += n;
    for (i, line) in lines.into_iter().enumerate() {
        output.write(at + 32 * i as i32, &(line + table[i % 3][i / 2]));
    }
}

#[test]
fn elements_may_have_the_name_of_their_array() -> cm::Result<()> {
    let input: Vec<i32> = (0..64).map(|n| n * n % 91 - 40).collect();
    for n in [3, -8] {
        let table = [[n, n + 1], [10 + n, 10], [20, 30]];
        let line = |i: usize, x: i32| x * [2, 3, 5, 7][i] + n + table[i % 3][i / 2];
        let expected: Vec<i32> = input.iter().enumerate().map(|(k, x)| line(k / 8 % 4, *x)).collect();
        for device in &devices(1) {
            let mut output = Buffer::<i32>::new(device, 64)?;
            let space = ThreadSpace::new(2, 1)?;
            named_alike::launch(device, space, &Buffer::from_slice(device, &input)?, &mut output, n)?;
            assert_eq!(output.to_vec()?, expected, "{n} {}", device.name());
        }
    }
    Ok(())
}

/// `true` and `false` beside conditions of the kernel.
#[kernel]
fn truths(output: &mut Buffer<i32>, n: i32) {
    let v = Vector::<i32, 8>::splat(n);
    let mut bits = 0;
    for (i, holds) in [n > 3, true, (v == 2).any(), false].into_iter().enumerate() {
        if holds {
            bits += 1 << i;
        }
    }
    for k in 0..2usize {
        for here in [true, k > 0, k > 1] {
            if here {
                bits += 16;
            }
        }
    }
    output.write(0, &Vector::<i32, 8>::splat(bits));
}

#[test]
fn arrays_of_conditions_and_truths() -> cm::Result<()> {
    for n in [2, 7] {
        let expected = i32::from(n > 3) + 2 + 4 * i32::from(n == 2) + 3 * 16;
        for device in &devices(1) {
            let mut output = Buffer::<i32>::new(device, 8)?;
            truths::launch(device, ThreadSpace::new(1, 1)?, &mut output, n)?;
            assert_eq!(output.to_vec()?, [expected; 8], "{n} {}", device.name());
        }
    }
    Ok(())
}
