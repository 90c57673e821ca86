//! Methods of structures of registers, against scalar code, on every device.

use cm::prelude::*;
use cm_test_kernels::methods::{self as kernels, Complex};
use cm_test_support::devices::devices;

type Line = [[i32; 2]; 8];

fn norm(line: &Line) -> i32 {
    line.iter().flatten().fold(0, |sum, x| sum.wrapping_add(x.wrapping_mul(*x)))
}

fn turn(line: &mut Line) {
    *line = line.map(|[re, im]| [im.wrapping_neg(), re]);
}

fn expected(factor: &Line, rounds: i32) -> [i32; 32] {
    let (mut line, mut limited): (Line, i32) = ([[1, 0]; 8], 0);
    for _ in 0..rounds {
        for (x, f) in line.iter_mut().zip(factor) {
            let product = |a: i32, b: i32| x[a as usize].wrapping_mul(f[b as usize]);
            *x = [product(0, 0).wrapping_sub(product(1, 1)), product(0, 1).wrapping_add(product(1, 0))];
        }
        if norm(&line) > 1000 {
            let active = line.map(|[re, im]| re > im);
            let all = norm(&line);
            for (x, active) in line.iter_mut().zip(active) {
                if active {
                    x[0] = x[0].wrapping_sub(all & 15);
                } else {
                    x[1] = x[1].wrapping_add(1);
                }
            }
            turn(&mut line);
            limited += 1;
        }
    }
    let mut pair = [line; 2];
    turn(&mut pair[1]);
    let more = norm(&pair[1]) & 7;
    pair[0].iter_mut().for_each(|x| x[0] = x[0].wrapping_add(more));
    let mut all = [0; 32];
    for i in 0..2 {
        for n in 0..4 {
            all[8 * i + 2 * n] = pair[i][2 * n][1];
            all[8 * i + 2 * n + 1] = pair[i][n + (limited & 3) as usize][0];
        }
    }
    let rest = norm(&line) % 100;
    for n in 0..8 {
        all[16 + n] = if pair[0][n][0] > 0 { pair[0][n][1].wrapping_add(rest) } else { pair[1][n][0] };
    }
    all[24] = limited;
    all
}

#[test]
fn methods_change_their_structures() -> cm::Result<()> {
    let numbers: Vec<i32> = (0..64).map(|n| n * n % 23 - 11 + n % 3).collect();
    for rounds in [0, 1, 3, 6] {
        let expected: Vec<i32> = numbers
            .as_chunks::<16>()
            .0
            .iter()
            .flat_map(|thread| expected(&std::array::from_fn(|n| [thread[n], thread[8 + n]]), rounds))
            .collect();
        for device in &devices(1) {
            let input = Buffer::from_slice(device, &numbers)?;
            let mut output = Buffer::<i32>::new(device, 128)?;
            kernels::methods::launch(device, ThreadSpace::new(4, 1)?, &input, &mut output, rounds)?;
            assert_eq!(output.to_vec()?, expected, "{rounds} rounds, {}", device.name());
        }
    }
    Ok(())
}

/// Methods are plain Rust, too.
#[test]
fn methods_in_plain_rust() {
    let line = Complex::real(Vector::from_array([1, 2, 3, 4]));
    let squares = line.times(line);
    assert_eq!(squares.re.to_array(), [1, 4, 9, 16]);
    assert_eq!(squares.norm(), (1 + 16 + 81 + 256).into());
}

#[registers]
struct Counted {
    lines: usize,
    sum: Vector<i32, 4>,
}

#[registers]
impl Counted {
    fn add(&mut self, line: Vector<i32, 4>) {
        self.sum += line;
        self.lines += 1;
    }
}

#[kernel]
fn counted<const STAGED: bool>(output: &mut Buffer<i32>, n: i32) {
    let mut counted = Counted { lines: 0, sum: Vector::splat(n) };
    counted.add(Vector::splat(3));
    if STAGED {
        if n > 3 {
            counted.add(Vector::splat(4));
        }
    }
    output.write(0, &(counted.sum * counted.lines));
}

/// Only the caller knows where a host number is declared.
#[test]
fn host_numbers_change_outside_of_staged_conditions() {
    assert!(counted::<false>::ir().is_ok());
    let error = counted::<true>::ir().expect_err("the number of lines depends on `n`").to_string();
    assert!(error.contains("a host variable is changed under a staged condition"), "{error}");
}

#[test]
fn generic_methods_constants_and_methods_in_simd() -> cm::Result<()> {
    let numbers: Vec<i32> = (0..64).map(|n| n * 7 % 23 - 9).collect();
    let turned = |a: i32, b: i32, by: i32| if a > 3 { (b + by, by - a) } else { (a, b) };
    let expected: Vec<i32> = numbers
        .as_chunks::<16>()
        .0
        .iter()
        .flat_map(|thread| {
            let each = |f: &dyn Fn(i32, i32) -> i32| {
                std::array::from_fn::<i32, 8, _>(|n| f(thread[n], thread[8 + n]))
            };
            let picked = each(&|x, y| if x < y || x > 8 { y } else { x });
            let lines = each(&|x, y| {
                let (a, b) = if x > 1 { turned(x, y, 5) } else { (x, y) };
                let b = if b > 0 { b - y } else { b };
                (a + 1) * 100 + b
            });
            let two = each(&|x, y| {
                let (a, b) = if x > 1 && y > 0 { turned(x, y, -1) } else { (x, y) };
                a * 100 + b + x
            });
            let rest = each(&|x, y| 3 * x + (3 + 5) * y - 14 + 5 + 2);
            [picked, lines, two, rest].concat()
        })
        .collect();
    for device in &devices(1) {
        let input = Buffer::from_slice(device, &numbers)?;
        let mut output = Buffer::<i32>::new(device, 128)?;
        kernels::generic_methods::launch(device, ThreadSpace::new(4, 1)?, &input, &mut output)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

/// Structures of the host have constants, too.
#[derive(Clone, Copy)]
struct Taps<const N: usize> {
    first: i32,
}

impl<const N: usize> Taps<N> {
    fn of(first: i32) -> Self {
        Self { first }
    }
}

const FOUR: Taps<4> = Taps { first: 4 };

#[registers]
struct Sums<const N: usize> {
    sum: Vector<i32, N>,
}

#[registers]
impl<const N: usize> Sums<N> {
    fn of(x: i32) -> Self {
        Self { sum: Vector::splat(x) }
    }
}

#[kernel]
fn with_constants(output: &mut Buffer<i32>, n: i32) {
    let three = Taps::<4>::of(3);
    let Taps::<4> { first } = FOUR;
    let seven = Taps::<4> { first: 7 };
    let Sums::<8> { sum } = Sums::<8>::of(n);
    let more = Sums::<8> { sum: sum * seven.first };
    output.write(0, &(more.sum + three.first * first));
}

#[test]
fn structures_of_the_host_have_constants() -> cm::Result<()> {
    let device = Device::cpu()?;
    let mut output = Buffer::<i32>::new(&device, 8)?;
    with_constants::launch(&device, ThreadSpace::new(1, 1)?, &mut output, 5)?;
    assert_eq!(output.to_vec()?, [5 * 7 + 3 * 4; 8]);
    Ok(())
}

/// Methods with the names of those of buffers.
#[registers]
struct Tile<const N: usize> {
    line: Vector<u32, N>,
    seen: u32,
}

#[registers]
impl<const N: usize> Tile<N> {
    fn load(first: u32) -> Self {
        let mut line = Vector::<u32, N>::splat(0);
        line.vector_assign(first, 1u32);
        Self { line, seen: 0 }
    }

    fn read(&self, at: u32) -> u32 {
        self.line.get(at) + self.seen
    }

    fn prefetch(&mut self, lines: u32) {
        self.seen += lines;
    }

    fn store(&mut self, at: u32, output: &mut Buffer<u32>) {
        self.prefetch(1);
        output.write_linear(at * 4, &self.line);
    }
}

#[function]
fn stored<const N: usize>(tile: &mut Tile<N>, output: &mut Buffer<u32>) -> u32 {
    tile.store(0, output);
    tile.read(2)
}

#[kernel]
fn named_like_memory(output: &mut Buffer<u32>, first: u32) {
    let mut tile = Tile::<8>::load(first);
    tile.store(8, output);
    let read = stored(&mut tile, output);
    let other = Tile::<4>::load(7);
    output.write(64, &Vector::<u32, 4>::from_array([read, tile.read(1), other.read(3), tile.seen]));
}

#[test]
fn methods_may_be_named_like_those_of_buffers() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<u32>::new(device, 20)?;
        named_like_memory::launch(device, ThreadSpace::new(1, 1)?, &mut output, 5)?;
        let expected: Vec<u32> = (5..13).chain(5..13).chain([9, 8, 10, 2]).collect();
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

/// Methods with the names of those of buffers, barriers and host numbers.
#[registers]
struct Level {
    seen: u32,
}

#[registers]
impl Level {
    fn of(seen: u32) -> Self {
        Self { seen }
    }

    fn read(&self, at: u32) -> u32 {
        self.seen * 100 + at
    }

    fn wait(&self, turns: i32) -> i32 {
        turns - 7
    }

    fn max(&self, other: u32) -> u32 {
        if self.seen > other { self.seen } else { other }
    }
}

#[function]
fn next_level(n: u32) -> Level {
    Level::of(n + 1)
}

#[function]
fn read_of(level: &Level) -> u32 {
    level.read(5)
}

#[function]
fn read_of_many<const N: usize>(level: &Level, v: &Vector<u32, N>) -> u32 {
    let v = *v;
    level.read(6) + v.get(N - 1)
}

#[kernel]
fn methods_of_results(output: &mut Buffer<u32>, n: u32) {
    let level = next_level(n);
    let levels = [Level::of(n), Level::of(3)];
    let turns = levels[1].wait(4);
    output.write(
        0,
        &Vector::<u32, 4>::from_array([
            level.read(1),
            levels[0].read(2),
            Level::of(n).read(3),
            next_level(n).read(4),
        ]),
    );
    let v = Vector::<u32, 8>::splat(n);
    output.write(
        16,
        &Vector::<u32, 4>::from_array([
            read_of(&level),
            read_of_many(&level, &v),
            level.max(n * 2),
            turns as u32,
        ]),
    );
}

#[test]
fn methods_of_results_take_literals() -> cm::Result<()> {
    for device in &devices(1) {
        for n in [0, 1, 5] {
            let mut output = Buffer::<u32>::new(device, 8)?;
            methods_of_results::launch(device, ThreadSpace::new(1, 1)?, &mut output, n)?;
            let (now, next) = (n * 100, n * 100 + 100);
            let waited = -3i32;
            let expected = [
                next + 1,
                now + 2,
                now + 3,
                next + 4,
                next + 5,
                next + 6 + n,
                (n + 1).max(n * 2),
                waited as u32,
            ];
            assert_eq!(output.to_vec()?, expected, "{n}, {}", device.name());
        }
    }
    Ok(())
}

#[registers]
#[derive(Clone, Copy)]
struct Colour {
    red: Vector<f32, 8>,
    green: Vector<f32, 8>,
}

#[registers]
impl Colour {
    /// The name of a function of registers.
    fn splat(x: f32) -> Self {
        Self { red: Vector::splat(x), green: Vector::splat(x) }
    }
    fn sum(&self) -> Vector<f32, 8> {
        self.red + self.green
    }
}

#[function]
fn grey<const N: usize>(rest: Vector<f32, N>) -> Vector<f32, 8> {
    Colour::splat(math::sum::<f32, _>(rest)).sum()
}

#[kernel]
fn splats(buffer: &mut Buffer<f32>, x: f32) {
    let own = Colour::splat(x + 1.0f32);
    buffer.write(0, &(own.sum() + Colour::splat(0.5).sum() * grey(Vector::<f32, 4>::splat(x))));
}

#[test]
fn functions_named_as_those_of_registers() -> cm::Result<()> {
    assert_eq!(Colour::splat(2.0).sum().to_array(), [4.0; 8]);
    for device in &devices(1) {
        let mut buffer = Buffer::<f32>::new(device, 8)?;
        splats::launch(device, ThreadSpace::new(1, 1)?, &mut buffer, 3.0)?;
        assert_eq!(buffer.to_vec()?, [32.0; 8], "{}", device.name());
    }
    Ok(())
}

#[registers]
struct Range2 {
    low: i32,
    high: Vector<i32, 4>,
}

#[registers]
impl Range2 {
    fn with_low(self, low: i32) -> Self {
        Self { low, ..self }
    }

    fn moved(self, by: i32) -> Self {
        Self { low: self.low + by, high: self.high + by }
    }

    fn twice(mut self) -> Self {
        self.low *= 2;
        self
    }

    fn flipped(self) -> Self {
        let sum = |x: i32| self.high + x;
        Self { low: -self.low, high: sum(self.low) }
    }

    /// `self` is what it was at the call, whatever the method changes.
    fn add_to(self, other: &mut Self) -> i32 {
        other.low += self.low;
        other.high += self.high;
        self.low
    }

    fn zero(self) -> Self {
        Self { low: 0, high: Vector::splat(0) }
    }
}

#[kernel]
fn taken_by_value(output: &mut Buffer<i32>, n: i32) {
    let mut range = Range2 { low: n, high: Vector::splat(1) };
    let first = range;
    range = range.with_low(n + 4);
    range = range.twice();
    let kept = range.moved(3);
    for _ in 0..n {
        range = range.moved(1).flipped();
        if range.low > 20 {
            range = range.zero().moved(n);
        }
    }
    let flipped = range.flipped();
    range = range.moved(1);
    let before = range.add_to(&mut range);
    let at = |line: u32| line * 16;
    output.write(at(0), &(range.high * 100 + range.low));
    output.write(at(1), &(first.high * 100 + first.low));
    output.write(at(2), &(kept.high * 100 + kept.low));
    output.write(at(3), &(flipped.high * 100 + flipped.low + before));
}

fn expected_taken_by_value(n: i32) -> Vec<i32> {
    let flipped = |(low, high): (i32, i32)| (-low, high + low);
    let mut range = ((n + 4) * 2, 1);
    let kept = (range.0 + 3, range.1 + 3);
    for _ in 0..n {
        range = flipped((range.0 + 1, range.1 + 1));
        if range.0 > 20 {
            range = (n, n);
        }
    }
    let last = flipped(range);
    let before = range.0 + 1;
    range = (2 * before, 2 * (range.1 + 1));
    let line = |(low, high): (i32, i32)| high * 100 + low;
    [line(range), line((n, 1)), line(kept), line(last) + before].into_iter().flat_map(|x| [x; 4]).collect()
}

#[test]
fn receivers_by_value_are_copies() -> cm::Result<()> {
    for n in [0, 1, 5, 8] {
        for device in &devices(1) {
            let mut output = Buffer::<i32>::new(device, 16)?;
            taken_by_value::launch(device, ThreadSpace::new(1, 1)?, &mut output, n)?;
            assert_eq!(output.to_vec()?, expected_taken_by_value(n), "{n}, {}", device.name());
        }
    }
    Ok(())
}
