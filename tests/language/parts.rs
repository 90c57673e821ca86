//! Parts of variables: indices with side effects, copies through references, and names that the macros use too.

use cm::prelude::*;
use cm_test_support::devices::devices;
use cm_test_support::spaces::one;

/// What a kernel writes for the numbers 0 to 31, with each device.
fn written(launch: impl Fn(&Device, &Buffer<i32>, &mut Buffer<i32>), expected: [[i32; 8]; 4]) {
    let numbers: Vec<i32> = (0..32).collect();
    for device in devices(1) {
        let input = Buffer::from_slice(&device, &numbers).unwrap();
        let mut output = Buffer::new(&device, 32).unwrap();
        launch(&device, &input, &mut output);
        assert_eq!(output.to_vec().unwrap(), expected.as_flattened(), "{}", device.name());
    }
}

/// The numbers 0 to 31, after a change of each number by its line and its column.
fn lines(change: impl Fn(usize, i32, i32) -> i32) -> [[i32; 8]; 4] {
    std::array::from_fn(|r| std::array::from_fn(|c| change(r, c as i32, (8 * r + c) as i32)))
}

#[function]
fn raise(line: &mut Vector<i32, 8>) {
    *line += 3;
}

#[kernel]
fn indices(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let mut lines = [Vector::<i32, 8>::splat(0); 4];
    for i in 0..4 {
        lines[i] = input.read::<8>(32 * i as i32);
    }
    let (by, mut n) = (lines[1], 0usize);
    lines[{
        n += 1;
        n - 1
    }] += 100;
    let mut next = || {
        n += 1;
        n - 1
    };
    lines[next()] += by * 2;
    raise(&mut lines[next()]);
    lines[next()] = by;
    for i in 0..4 {
        output.write(32 * i as i32, &lines[i]);
    }
}

#[kernel]
fn indices_of_lanes(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let mut lines = [Vector::<i32, 8>::splat(0); 4];
    for i in 0..4 {
        lines[i] = input.read::<8>(32 * i as i32);
    }
    let n = std::cell::Cell::new(0usize);
    let next = || n.replace(n.get() + 1);
    simd_if! { lines[0] > 4 => {
        lines[next()] += 100;
        lines[next()] = Vector::splat(7);
        lines[next()].assign(-1);
    } }
    for i in 0..4 {
        output.write(32 * i as i32, &lines[i]);
    }
}

#[test]
fn indices_are_evaluated_once() {
    let expected = lines(|r, c, x| [x + 100, x + 2 * (8 + c), x + 3, 8 + c][r]);
    written(|device, input, output| _ = indices::launch(device, one(), input, output).unwrap(), expected);
    let expected = lines(|r, c, x| if c > 4 { [x + 100, 7, -1, x][r] } else { x });
    written(
        |device, input, output| _ = indices_of_lanes::launch(device, one(), input, output).unwrap(),
        expected,
    );
}

#[registers]
struct Pair {
    line: Vector<i32, 8>,
    count: i32,
}

fn pick<T: Copy, const N: usize>(lines: &[T; N], i: usize) -> T {
    lines[i]
}

#[kernel]
fn by_tuple(output: &mut Buffer<i32>, rounds: i32) {
    let mut lines = [Vector::<i32, 8>::splat(1); 4];
    let mut sum: Vector<i32, 8> = Vector::splat(0);
    let two = (&lines[0], &lines[1]);
    let first = *two.0;
    for _ in 0..rounds {
        sum += first;
        lines[0] += 1;
    }
    output.write(0, &sum);
}

#[kernel]
fn by_closure(output: &mut Buffer<i32>, rounds: i32) {
    let mut lines = [Vector::<i32, 8>::splat(1); 4];
    let mut sum: Vector<i32, 8> = Vector::splat(0);
    let copy = |line: &Vector<i32, 8>| *line;
    let first = copy(&lines[0]);
    simd_while! { lines[0] < 9 => {
        sum += first;
        lines[0] += rounds;
    } }
    output.write(0, &sum);
}

/// The loop that stores the variable is inside of the one that reads the copy.
#[kernel]
fn by_function(output: &mut Buffer<i32>, rounds: i32) {
    let mut lines = [Vector::<i32, 8>::splat(1); 4];
    let mut sum: Vector<i32, 8> = Vector::splat(0);
    let first = pick(&lines, 0);
    for _ in 0..rounds {
        sum += first;
        for _ in 0..rounds {
            lines[0] += 1;
        }
    }
    output.write(0, &sum);
}

/// The copy is made in an iteration of the outer loop, and read in the inner one.
#[kernel]
fn inside(output: &mut Buffer<i32>, rounds: i32) {
    let mut lines = [Vector::<i32, 8>::splat(1); 4];
    let mut sum: Vector<i32, 8> = Vector::splat(0);
    for _ in 0..rounds {
        let first = pick(&lines, 0);
        for _ in 0..rounds {
            sum += first;
            lines[0] += 1;
        }
    }
    output.write(0, &sum);
}

#[test]
fn copies_that_loops_outdate_are_refused() {
    for recorded in [by_tuple::ir(), by_function::ir(), inside::ir()] {
        let message = recorded.map(|_| ()).unwrap_err().to_string();
        assert!(message.contains("an earlier iteration of the loop stored"), "{message}");
    }
}

#[test]
fn closures_read_what_they_borrow() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<i32>::new(device, 8)?;
        by_closure::launch(device, ThreadSpace::new(1, 1)?, &mut output, 3)?;
        assert_eq!(output.to_vec()?, [3; 8], "{}", device.name());
    }
    Ok(())
}

/// References by other names and by patterns, which the macro follows.
#[kernel]
fn followed(output: &mut Buffer<i32>, rounds: i32) {
    let mut pair = Pair { line: Vector::splat(1), count: rounds };
    let mut lines = [pair.line, pair.line + 1];
    let all = &lines;
    let same = all;
    let [_, second] = &lines;
    let Pair { line, count } = &pair;
    let (first, second, line, count) = (same[0], *second, *line, *count);
    let mut sum = Vector::<i32, 8>::splat(0);
    for _ in 0..rounds {
        sum += first * 100 + second * 10 + line + count;
        lines[0] += 1;
        lines[1] += 2;
        pair.line += 3;
        pair.count += 4;
    }
    let Pair { line, count } = &mut pair;
    *line += *count;
    *count = 7;
    let all = &mut lines;
    let same = all;
    same[1] += pair.count;
    *same = [same[1], same[0]];
    for i in 0..2 {
        output.write(32 * i as i32, &lines[i]);
    }
    output.write(64, &pair.line);
    output.write(96, &sum);
}

#[test]
fn references_are_followed() {
    const ROUNDS: i32 = 3;
    let [first, second] = [1 + ROUNDS, 2 + 2 * ROUNDS];
    let [line, count] = [1 + 3 * ROUNDS, ROUNDS + 4 * ROUNDS];
    let sum = ROUNDS * (100 + 20 + 1 + ROUNDS);
    let expected = lines(|r, _, _| [second + 7, first, line + count, sum][r]);
    written(|device, _, output| _ = followed::launch(device, one(), output, ROUNDS).unwrap(), expected);
}

/// Rows of arrays of arrays are arrays, too.
#[kernel]
fn rows(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let line = input.read::<8>(0);
    let mut grid = [[line; 2]; 2];
    let mut row = grid[0];
    row[1] = Vector::splat(3);
    row[0] += 2;
    for row in &mut grid {
        row[1] = Vector::splat(4);
        row[0] += row[1];
    }
    output.write(0, &row[0]);
    output.write(32, &row[1]);
    output.write(64, &grid[0][0]);
    output.write(96, &grid[1][1]);
}

#[test]
fn rows_of_arrays_are_arrays() {
    let expected = lines(|r, c, _| [c + 2, 3, c + 4, 4][r]);
    written(|device, input, output| _ = rows::launch(device, one(), input, output).unwrap(), expected);
}

/// Copies that are read before the variable is stored again, also by the next iteration.
#[kernel]
fn in_time(input: &Buffer<i32>, output: &mut Buffer<i32>, rounds: i32) {
    let mut lines = [Vector::<i32, 8>::splat(0); 4];
    for i in 0..4 {
        lines[i] = input.read::<8>(32 * i as i32);
    }
    let first = lines[0];
    let third = pick(&lines, 2);
    let mut n = 0i32;
    for _ in 0..rounds {
        let copied = pick(&lines, 0);
        lines[1] += copied + first + third;
        for _ in 0..rounds {
            lines[0] += 1;
            if n > 2 {
                break;
            }
            n += 1;
        }
    }
    for i in 0..4 {
        output.write(32 * i as i32, &lines[i]);
    }
}

#[test]
fn copies_that_are_read_in_time_are_right() {
    const ROUNDS: i32 = 3;
    let mut expected = lines(|_, _, x| x);
    let (first, mut n) = (expected[0], 0);
    for _ in 0..ROUNDS {
        for c in 0..8 {
            expected[1][c] += expected[0][c] + first[c] + expected[2][c];
        }
        for _ in 0..ROUNDS {
            expected[0].iter_mut().for_each(|x| *x += 1);
            if n > 2 {
                break;
            }
            n += 1;
        }
    }
    written(
        |device, input, output| _ = in_time::launch(device, one(), input, output, ROUNDS).unwrap(),
        expected,
    );
}

enum Line {
    Second = 1,
}

#[registers]
struct Tables {
    numbers: [i32; 3],
    grid: [[i16; 2]; 2],
}

#[kernel]
fn casts(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let mut lines = [Vector::<i32, 8>::splat(0); 4];
    for i in 0..4 {
        lines[i] = input.read::<8>(32 * i as i32);
    }
    let mut tables = Tables { numbers: [1; 3], grid: [[1, 2], [3, 4]] };
    tables.numbers[2] += 4;
    tables.grid[1][0] += 10;
    let more: i32 = tables.grid[1][0].convert();
    tables.numbers = [0, tables.numbers[2], 1];
    lines[Line::Second as usize] += tables.numbers[1];
    for i in 0..4 {
        lines[(i == 3) as usize + 2] += more;
        lines[(i == 0) as usize] += 1000;
    }
    for i in 0..4 {
        output.write(32 * i as i32, &lines[i]);
    }
}

#[test]
fn indices_are_cast_and_fields_of_arrays_take_numbers() {
    let expected = lines(|r, _, x| x + [3000, 1005, 3 * 13, 13][r]);
    written(|device, input, output| _ = casts::launch(device, one(), input, output).unwrap(), expected);
}

#[kernel]
fn no_elements(output: &mut Buffer<i32>) {
    let mut lines = [Vector::<i32, 8>::splat(0); 0];
    lines[0] += 1;
    output.write(0, &lines[0]);
}

#[test]
fn arrays_without_elements_have_no_element_0() {
    let message = no_elements::ir().map(|_| ()).unwrap_err().to_string();
    assert!(message.contains("element 0 of an array of 0 elements: it has no elements"), "{message}");
}

/// The names of parameters that `#[registers]` adds.
mod names {
    use cm::prelude::*;

    #[registers]
    pub(crate) struct Acc<const M: usize> {
        pub(crate) line: Vector<i32, 8>,
        pub(crate) lines: [Vector<i32, 8>; M],
    }

    pub(crate) mod structures {
        use cm::prelude::*;

        #[registers]
        pub(crate) struct M {
            pub(crate) line: Vector<i32, 8>,
        }

        #[registers]
        pub(crate) struct B {
            pub(crate) m: M,
            pub(crate) count: i32,
        }
    }
}

#[kernel]
fn named(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let line = input.read::<8>(0);
    let mut acc: names::Acc<2> = names::Acc { line, lines: [line, line] };
    let mut pair = names::structures::B { m: names::structures::M { line }, count: 1 };
    simd_if! { line > 4 => {
        acc.line += 1;
        acc.lines[1] += 2;
        pair.m.line += 3;
    } }
    let plain = [acc.line, acc.lines[1]];
    let mut sum = pair.m.line + pair.count;
    for line in plain.iter() {
        let more = *line * 2;
        sum += more;
    }
    output.write(0, &acc.line);
    output.write(32, &acc.lines[1]);
    output.write(64, &pair.m.line);
    output.write(96, &sum);
}

#[test]
fn structures_have_the_names_of_the_macro() {
    let expected = lines(|r, c, _| {
        let [one, two, three] = if c > 4 { [c + 1, c + 2, c + 3] } else { [c; 3] };
        [one, two, three, three + 1 + 2 * (one + two)][r]
    });
    written(|device, input, output| _ = named::launch(device, one(), input, output).unwrap(), expected);
}
