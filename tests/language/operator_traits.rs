//! Operator traits of structures of registers, and methods that take `mut self`, against scalar code, on every device.

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Not, Rem, Shl, Sub};

use cm::prelude::*;
use cm_test_support::devices::devices;

#[registers]
#[derive(Debug)]
struct Complex<const N: usize> {
    re: Vector<i32, N>,
    im: Vector<i32, N>,
}

#[registers]
impl<const N: usize> Complex<N> {
    fn turned(mut self, times: usize) -> Self {
        for _ in 0..times {
            (self.re, self.im) = (-self.im, self.re);
        }
        simd_if! { self.re > 0 => {
            self.re += 1;
        } }
        self
    }

    /// The name of a method of a trait stays free.
    fn add(self, by: i32) -> i32 {
        self.re.get(0) + by
    }
}

#[registers]
impl<const N: usize> Add for Complex<N> {
    type Output = Self;
    fn add(mut self, other: Self) -> Self::Output {
        self.re += other.re;
        self.im += other.im;
        self
    }
}

#[registers]
impl<const N: usize> Sub for Complex<N> {
    type Output = Complex<N>;
    fn sub(self, other: Complex<N>) -> Complex<N> {
        self + -other
    }
}

#[registers]
impl<const N: usize> Mul for Complex<N> {
    type Output = Self;
    fn mul(self, other: Self) -> Self::Output {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

#[registers]
impl<const N: usize> Mul<Vector<i32, N>> for Complex<N> {
    type Output = Self;
    fn mul(self, by: Vector<i32, N>) -> Self {
        Self { re: self.re * by, im: self.im * by }
    }
}

#[registers]
impl<const N: usize> Mul<i32> for Complex<N> {
    type Output = Self;
    fn mul(self, by: i32) -> Self {
        self * Vector::<i32, N>::splat(by)
    }
}

#[registers]
impl<const N: usize> Shl<u32> for Complex<N> {
    type Output = Vector<i32, N>;
    fn shl(self, by: u32) -> Self::Output {
        self.re << by
    }
}

#[registers]
impl<const N: usize> Neg for Complex<N> {
    type Output = Self;
    fn neg(self) -> Self {
        Self { re: -self.re, im: -self.im }
    }
}

/// Its conjugate.
#[registers]
impl<const N: usize> Not for Complex<N> {
    type Output = Self;
    fn not(self) -> Self {
        Self { im: -self.im, ..self }
    }
}

#[registers]
impl<const N: usize> AddAssign for Complex<N> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[registers]
impl<const N: usize> MulAssign<Vector<i32, N>> for Complex<N> {
    fn mul_assign(&mut self, by: Vector<i32, N>) {
        self.re *= by;
        self.im *= by;
    }
}

/// The methods of traits with like names on the right do not meet.
#[registers]
impl<const N: usize> Rem<Matrix<i32, 1, 11>> for Complex<N> {
    type Output = Self;
    fn rem(self, _by: Matrix<i32, 1, 11>) -> Self {
        self
    }
}

#[registers]
impl<const N: usize> Rem<Matrix<i32, 11, 1>> for Complex<N> {
    type Output = Self;
    fn rem(self, _by: Matrix<i32, 11, 1>) -> Self {
        -self
    }
}

#[registers]
impl<const N: usize> MulAssign<i32> for Complex<N> {
    fn mul_assign(&mut self, by: i32) {
        self.re *= by;
        self.im *= by;
    }
}

#[kernel]
fn operators(input: &Buffer<i32>, output: &mut Buffer<i32>, k: i32) {
    let a = Complex { re: input.read::<8>(0), im: input.read::<8>(32) };
    let b = Complex { re: input.read::<8>(64), im: input.read::<8>(96) };
    let mut sum = a * b - b * 2;
    sum += a * k + b;
    if k > 3 {
        sum += a * b;
        sum *= k;
    }
    sum *= input.read::<8>(0);
    let mut pair = [sum, !a];
    pair[1] += sum * input.read::<8>(64);
    let [mut first, second] = pair;
    first *= 3;
    let all = [first, second, a].into_iter().fold(b, |s, x| s + x);
    let turned = all.turned(1);
    output.write(0, &turned.re);
    output.write(32, &turned.im);
    output.write(64, &(a << 2));
    output.write(96, &Vector::<i32, 8>::splat(a.add(k)));
}

fn expected(a: [i64; 2], b: [i64; 2], k: i64) -> [i64; 2] {
    let mul = |x: [i64; 2], y: [i64; 2]| [x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]];
    let by = |x: [i64; 2], y: i64| [x[0] * y, x[1] * y];
    let add = |x: [i64; 2], y: [i64; 2]| [x[0] + y[0], x[1] + y[1]];
    let mut sum = add(mul(a, b), by(b, -2));
    sum = add(sum, add(by(a, k), b));
    if k > 3 {
        sum = by(add(sum, mul(a, b)), k);
    }
    sum = by(sum, a[0]);
    let second = add([a[0], -a[1]], by(sum, b[0]));
    let all = [by(sum, 3), second, a].into_iter().fold(b, add);
    let turned = [-all[1], all[0]];
    [turned[0] + i64::from(turned[0] > 0), turned[1]]
}

#[test]
fn operators_of_structures() -> cm::Result<()> {
    let numbers: Vec<i32> = (0..32).map(|n| n * n % 13 - 6).collect();
    for k in [2, 5] {
        let mut wanted = vec![0; 32];
        for n in 0..8 {
            let at = |i: usize| i64::from(numbers[8 * i + n]);
            let [re, im] = expected([at(0), at(1)], [at(2), at(3)], k);
            (wanted[n], wanted[8 + n]) = (re as i32, im as i32);
            wanted[16 + n] = numbers[n] << 2;
            wanted[24 + n] = numbers[0] + k as i32;
        }
        for device in &devices(1) {
            let input = Buffer::from_slice(device, &numbers)?;
            let mut output = Buffer::<i32>::new(device, 32)?;
            operators::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, k as i32)?;
            assert_eq!(output.to_vec()?, wanted, "{k}, {}", device.name());
        }
    }
    Ok(())
}

/// They are plain Rust, too.
#[test]
fn operators_in_plain_rust() {
    let a = Complex { re: Vector::from_array([1, 2]), im: Vector::from_array([3, -4]) };
    let mut b = (a * 2 - !a) * Vector::from_array([1, 10]);
    b += a;
    assert_eq!(b.re.to_array(), [2, 22]);
    assert_eq!(b.im.to_array(), [12, -124]);
}

#[registers]
struct Grid {
    all: Matrix<i32, 8, 8>,
    state: u32,
}

/// The mean of `all`, and what `self::` and large numbers mean beside `mut self`.
#[registers]
impl Div<Matrix<i32, 8, 8>> for Grid {
    type Output = Self;
    fn div(mut self, by: Matrix<i32, 8, 8>) -> Self::Output {
        self.all = self::halved(self.all + by);
        if self.state > 3_000_000_000 {
            self.state = self.state - 3_000_000_000;
        }
        Self::Output { ..self }
    }
}

#[registers]
#[cfg(not(test))]
impl Div<Vector<i32, 8>> for Grid {
    type Output = Self;
    fn div(self, _by: Vector<i32, 8>) -> Self {
        self
    }
}

#[registers]
impl MulAssign<Matrix<i32, 8, 8>> for Grid {
    fn mul_assign(&mut self, by: Matrix<i32, 8, 8>) {
        self.all *= by;
    }
}

#[function]
fn halved(all: Matrix<i32, 8, 8>) -> Matrix<i32, 8, 8> {
    all >> 1
}

/// Registers on the right: their regions, results of operators and conversions, with names and without.
#[kernel]
fn registers_on_the_right(input: &Buffer<i32>, image: &Surface2D, output: &mut Buffer<i32>) {
    let c = Complex { re: input.read::<8>(0), im: input.read::<8>(32) };
    let v = input.read::<8>(64);
    let w = input.read::<8>(96);
    let m = image.read::<i32, 8, 8>(0, 0);
    let mut n = m;
    n += 1;
    let short = v.convert::<i16>();
    let mut sum = c * m.row(0);
    sum += c * v.replicate::<1, 8>(0);
    sum += c * (v + w);
    let named = v - w;
    sum += c * named;
    sum += c * short.convert::<i32>();
    sum += c * n.row(3);
    sum *= m.row(1);
    sum *= v + w;
    sum *= named;
    sum *= short.convert::<i32>();
    output.write(0, &sum.re);
    output.write(32, &sum.im);
    let mut g = Grid { all: m, state: 7 } / image.read::<i32, 8, 8>(0, 0);
    g = g / m / (m * n) / n.select::<8, 1, 8, 1>(0, 0);
    g *= m;
    g *= m + n;
    output.write(64, &g.all.row(2));
    output.write(96, &Vector::<i32, 8>::splat(g.state as i32));
    output.write(128, &(c << 2u32).convert::<i16>().convert::<i32>());
    output.write(160, &(c % Matrix::<i32, 1, 11>::splat(1) + c % Matrix::<i32, 11, 1>::splat(1)).re);
}

#[test]
fn registers_and_trees_on_the_right() -> cm::Result<()> {
    let numbers: Vec<i32> = (0..32).map(|n| n * n % 7 - 3).collect();
    let pixels: Vec<i32> = (0..64).map(|n| n * 5 % 11 - 5).collect();
    let bits: Vec<u32> = pixels.iter().map(|pixel| *pixel as u32).collect();
    let mut wanted = vec![0_i32; 48];
    for n in 0..8 {
        let [re, im, v, w] = [0, 1, 2, 3].map(|i| numbers[8 * i + n]);
        let m = |row: usize| pixels[8 * row + n];
        let sum = m(0) + v + (v + w) + (v - w) + v + (m(3) + 1);
        let all = sum * m(1) * (v + w) * (v - w) * v;
        (wanted[n], wanted[8 + n]) = (re * all, im * all);
        let next = m(2) + 1;
        let halved = [m(2), m(2), m(2) * next, next].into_iter().fold(m(2), |all, by| (all + by) >> 1);
        wanted[16 + n] = halved * m(2) * (m(2) + next);
        wanted[24 + n] = 7;
        wanted[32 + n] = re << 2;
    }
    for device in &devices(1) {
        let input = Buffer::from_slice(device, &numbers)?;
        let image = Surface2D::from_slice(device, Format::R32, 8, 8, &bits)?;
        let mut output = Buffer::<i32>::new(device, 48)?;
        registers_on_the_right::launch(device, ThreadSpace::new(1, 1)?, &input, &image, &mut output)?;
        assert_eq!(output.to_vec()?, wanted, "{}", device.name());
    }
    Ok(())
}
