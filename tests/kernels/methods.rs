//! Methods of structures of registers.

use cm::prelude::*;

/// A line of complex numbers.
#[registers]
#[derive(Debug)]
pub struct Complex<const N: usize> {
    /// Their real parts.
    pub re: Vector<i32, N>,
    /// Their imaginary parts.
    pub im: Vector<i32, N>,
}

#[registers]
impl<const N: usize> Complex<N> {
    /// Real numbers.
    pub fn real(re: Vector<i32, N>) -> Self {
        Self { re, im: Vector::splat(0) }
    }

    /// The product.
    pub fn times(self, other: Self) -> Complex<N> {
        Self {
            re: (self.re * other.re - self.im * other.im).convert(),
            im: (self.re * other.im + self.im * other.re).convert(),
        }
    }

    /// The sum of the squares.
    pub fn norm(&self) -> i32 {
        math::sum::<i32, _>(self.re * self.re + self.im * self.im)
    }

    fn turn(&mut self) {
        let before: Self = *self;
        self.re = -before.im;
        self.im = before.re;
    }

    #[function]
    fn limit(&mut self, most: i32) -> bool {
        let far = self.norm() > most;
        if far {
            simd_if! { self.re > self.im => {
                self.re -= self.norm() & 15;
            } else {
                self.im += 1;
            } }
            self.turn();
        }
        far
    }

    /// The numbers from an element on.
    fn part(&self, to: &mut Vector<i32, 4>, from: i32) {
        *to = self.re.select::<4, 1>(from);
    }
}

/// Products, and how often they were limited.
#[registers]
#[derive(Debug)]
pub struct Chain {
    line: Complex<8>,
    limited: i32,
    most: i32,
}

#[registers]
impl Chain {
    fn step(&mut self, by: Complex<8>) {
        self.line = self.line.times(by);
        if self.line.limit(self.most) {
            self.limited += 1;
        }
    }
}

/// Methods of variables, of fields, of elements of arrays, and those that take places.
#[kernel]
pub fn methods(input: &Buffer<i32>, output: &mut Buffer<i32>, rounds: i32) {
    let at = thread_origin_x() * 64;
    let factor = Complex { re: input.read::<8>(at), im: input.read::<8>(at + 32) };
    let mut chain = Chain { line: Complex::real(Vector::splat(1)), limited: 0, most: 1000 };
    for _ in 0..rounds {
        chain.step(factor);
    }
    let mut pair = [chain.line; 2];
    pair[1].turn();
    pair[0].re += pair[1].norm() & 7;
    let mut rows = Matrix::<i32, 2, 8>::splat(0);
    for i in 0..2 {
        pair[i].part(&mut rows.row_mut(i).select_mut::<4, 2>(1), chain.limited & 3);
        rows.row_mut(i).select_mut::<4, 2>(0).assign(pair[i].im.select::<4, 2>(0));
    }
    simd_if! { pair[0].re > 0 => {
        pair[1].re = pair[0].im + chain.line.norm() % 100;
    } }
    output.write_linear(at * 2, &rows.format::<i32>());
    output.write(at * 2 + 64, &pair[1].re);
    output.write_scattered(0, at / 2 + 24, chain.limited);
}

/// A structure that another module implements.
pub mod lines {
    use cm::prelude::*;

    /// Two lines.
    #[registers]
    #[derive(Debug)]
    pub struct Lines<const N: usize> {
        /// The first one.
        pub a: Vector<i32, N>,
        /// The second one.
        pub b: Vector<i32, N>,
    }
}

#[registers]
impl<const N: usize> lines::Lines<N> {
    const TAPS: usize = N / 2;
    const LEAST: i32 = 3;

    fn zero() -> Self {
        Self { a: Vector::splat(0), b: Vector::splat(0) }
    }

    fn taps() -> usize {
        Self::TAPS + 1
    }

    fn filled<const K: i32>(b: i32) -> Self {
        Self { a: Vector::splat(K), b: Vector::splat(b) }
    }

    fn scaled<const K: i32>(self: &Self) -> Self {
        Self { a: self.a * K, b: self.b * (K + Self::taps() as i32) }
    }

    fn picked(&self, mask: Vector<u16, N>) -> Vector<i32, N> {
        let Self { a: mut picked, .. } = *self;
        picked.merge(self.b, &mask);
        picked
    }

    fn turn(self: &mut Self, by: i32) {
        simd_if! { self.a > Self::LEAST => {
            let before: Self = *self;
            self.a = before.b + by;
            self.b = Self::filled::<2>(by).b - before.a;
        } }
    }
}

/// Functions with const parameters, those without parameters, constants, masks as arguments, methods in SIMD control flow,
/// closures with references.
#[kernel]
pub fn generic_methods(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let at = thread_origin_x() * 64;
    let (x, y) = (input.read::<8>(at), input.read::<8>(at + 32));
    let mut lines = lines::Lines::<8>::zero();
    lines.a = x;
    lines.b = y;
    let scaled = lines.scaled::<3>();
    let filled = lines::Lines::<8>::filled::<7>(2);
    let picked = lines.picked((x < y) | (x > 8));
    let mut two = [lines; 2];
    simd_if! { x > 1 => {
        lines.turn(5);
        simd_if! { y > 0 => {
            two[1].turn(-1);
        } }
    } }
    let shrink = |lines: &mut lines::Lines<8>, by: &Vector<i32, 8>| {
        simd_if! { lines.b > 0 => {
            lines.b -= *by;
        } }
        lines.a += 1;
    };
    shrink(&mut lines, &y);
    let rest: Vector<i32, 8> = scaled.a + scaled.b - filled.a * filled.b;
    output.write(at * 2, &picked);
    output.write(at * 2 + 32, &(lines.a * 100 + lines.b));
    output.write(at * 2 + 64, &(two[1].a * 100 + two[1].b + two[0].a));
    output.write(at * 2 + 96, &(rest + lines::Lines::<8>::taps() + lines::Lines::<4>::TAPS));
}
