//! Random registers, and their lanes as numbers of the model.

use std::panic::Location;

use cm::dsl::elem::ElemType;
use cm::prelude::*;
use proptest::prelude::*;

use super::meaning::{self, Op, Value};

/// Calls a function or a macro with every pair of element types, or of integers: `pairs!(integers: f(x))` is
/// `f::<u8, u8>(x); f::<u8, i8>(x); ..`, and `pairs!(elements: m! x)` is `m!(u8 u8 x); m!(u8 i8 x); ..`.
macro_rules! pairs {
    (elements: $($call:tt)*) => { cm::compiler::for_each_element!(pairs @lefts [$($call)*]) };
    (integers: $($call:tt)*) => { cm::compiler::for_each_integer!(pairs @lefts [$($call)*]) };
    (@lefts $call:tt $($all:ident)*) => { pairs!(@rights $call [$($all)*] $($all)*) };
    (@rights $call:tt $all:tt $($left:ident)*) => { $(pairs!(@row $call $left $all);)* };
    (@row $call:tt $left:ident [$($right:ident)*]) => { $(pairs!(@pair $call $left $right);)* };
    (@pair [$call:ident($argument:expr)] $left:ident $right:ident) => { $call::<$left, $right>($argument) };
    (@pair [$call:ident! $argument:expr] $left:ident $right:ident) => { $call!($left $right $argument) };
}
pub(crate) use pairs;

/// Numbers that depend on one number from proptest. Failures name the lane and its operands, so shrinking
/// would not make them clearer.
pub(crate) fn seeds() -> impl Strategy<Value = Seeds> {
    any::<u64>().no_shrink().prop_map(Seeds)
}

/// A stream of random numbers (splitmix64).
#[derive(Clone, Debug)]
pub(crate) struct Seeds(u64);

impl Seeds {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(crate) fn array<T: Sample, const N: usize>(&mut self) -> [T; N] {
        std::array::from_fn(|_| T::sample(self))
    }

    pub(crate) fn vector<T: Sample, const N: usize>(&mut self) -> Vector<T, N> {
        Vector::constant_any(self.array())
    }

    pub(crate) fn matrix<T: Sample, const R: usize, const C: usize>(&mut self) -> Matrix<T, R, C> {
        Matrix::constant_any(std::array::from_fn(|_| self.array()))
    }

    pub(crate) fn scalar<T: Sample>(&mut self) -> Scalar<T> {
        Scalar::constant(T::sample(self))
    }
}

/// An element type whose numbers the tests can generate and read.
pub(crate) trait Sample: Numeric {
    fn value(self) -> Value;
    /// Its bytes, the lowest first.
    fn bytes(self) -> Vec<u8>;
    /// The number with these bytes.
    fn from_bytes(bytes: &[u8]) -> Self;
    /// A special number, a small one, or random bits.
    fn sample(seeds: &mut Seeds) -> Self;
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Sample for $t {
            fn value(self) -> Value {
                Value::Int(i128::from(self))
            }

            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }

            fn from_bytes(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().expect("the bytes of one element"))
            }

            fn sample(seeds: &mut Seeds) -> Self {
                let special = [0, 1, 2, 3, 7, 31, 32, 63, 64, 100, $t::MAX, $t::MAX - 1, $t::MAX / 2, $t::MIN,
                    $t::MIN + 1, !0, !1];
                match seeds.below(4) {
                    0 | 1 => special[seeds.below(special.len())],
                    2 => (seeds.below(12) as $t).wrapping_sub(4),
                    _ => seeds.next() as $t,
                }
            }
        }
    )*};
}

cm::compiler::for_each_integer!(integers);

/// Values where conversions and comparisons change: limits of the integer and float types, ties, signs of
/// zero.
const SPECIAL: [f64; 46] = [
    0.0,
    -0.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1.0,
    -1.0,
    0.5,
    -0.5,
    0.999_999,
    1.000_001,
    1.5,
    2.5,
    -1.5,
    127.0,
    128.0,
    -128.0,
    -129.0,
    255.0,
    255.9,
    256.0,
    32767.0,
    32768.0,
    -32769.0,
    65504.0,
    65519.9,
    65520.0,
    65535.9,
    65536.0,
    2_147_483_647.0,
    2_147_483_648.0,
    -2_147_483_649.0,
    4_294_967_295.0,
    4_294_967_296.0,
    9_223_372_036_854_775_807.0,
    -9_223_372_036_854_775_808.0,
    18_446_744_073_709_551_615.0,
    1e20,
    -1e20,
    f64::MAX,
    f64::MIN_POSITIVE,
    5.960_464_477_539_063e-8, // the smallest half
    2.980_232_238_769_531e-8, // half of that
    6.103_515_625e-5,         // the smallest normal half
    1.000_488_281_25,         // between two halves
    1.000_488_281_250_000_2,  // just above that
];

/// A float of the type that `from_bits` converts from.
fn float(seeds: &mut Seeds, from_bits: impl Fn(u64) -> f64) -> f64 {
    match seeds.below(4) {
        0 | 1 => SPECIAL[seeds.below(SPECIAL.len())],
        2 => (seeds.below(4000) as f64 - 2000.0) / 8.0,
        _ => from_bits(seeds.next()),
    }
}

impl Sample for f64 {
    fn value(self) -> Value {
        Value::Float(self)
    }

    fn bytes(self) -> Vec<u8> {
        self.to_le_bytes().to_vec()
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        Self::from_le_bytes(bytes.try_into().expect("the bytes of one element"))
    }

    fn sample(seeds: &mut Seeds) -> Self {
        float(seeds, f64::from_bits)
    }
}

impl Sample for f32 {
    fn value(self) -> Value {
        Value::Float(f64::from(self))
    }

    fn bytes(self) -> Vec<u8> {
        self.to_le_bytes().to_vec()
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        Self::from_le_bytes(bytes.try_into().expect("the bytes of one element"))
    }

    fn sample(seeds: &mut Seeds) -> Self {
        float(seeds, |bits| f64::from(f32::from_bits(bits as u32))) as f32
    }
}

/// The number with the bits of a half.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

impl Sample for f16 {
    fn value(self) -> Value {
        Value::Float(half(self.to_bits()))
    }

    fn bytes(self) -> Vec<u8> {
        self.to_le_bytes().to_vec()
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        Self::from_le_bytes(bytes.try_into().expect("the bytes of one element"))
    }

    fn sample(seeds: &mut Seeds) -> Self {
        // Given as bits, because conversions are under test.
        const HALVES: [u16; 22] = [
            0, 0x8000, 0x7e00, 0x7c00, 0xfc00, 0x3c00, 0xbc00, 0x3800, 0xb800, 0x3bff, 0x3c01, 0x3e00,
            0x4100, 0x57f0, 0x5800, 0x5bf8, 0x5c00, 0x7bff, 0xfbff, 1, 0x3ff, 0x400,
        ];
        let bits = if seeds.below(2) == 0 { HALVES[seeds.below(HALVES.len())] } else { seeds.next() as u16 };
        Self::from_bits(bits)
    }
}

/// A register or a number, as numbers of the model.
pub(crate) trait Lanes {
    fn elem(&self) -> ElemType;
    /// Rows and columns; `None` for numbers, which apply to every lane.
    fn shape(&self) -> Option<(usize, usize)>;
    fn lanes(&self) -> Vec<Value>;
}

/// Once for each element type, not for each shape.
fn values<T: Sample>(elements: &[T]) -> Vec<Value> {
    elements.iter().map(|&x| x.value()).collect()
}

impl<T: Sample, const N: usize> Lanes for Vector<T, N> {
    fn elem(&self) -> ElemType {
        T::TYPE
    }

    fn shape(&self) -> Option<(usize, usize)> {
        Some((1, N))
    }

    fn lanes(&self) -> Vec<Value> {
        values(&self.to_array())
    }
}

impl<T: Sample, const R: usize, const C: usize> Lanes for Matrix<T, R, C> {
    fn elem(&self) -> ElemType {
        T::TYPE
    }

    fn shape(&self) -> Option<(usize, usize)> {
        Some((R, C))
    }

    fn lanes(&self) -> Vec<Value> {
        values(self.to_array().as_flattened())
    }
}

impl<T: Sample> Lanes for Scalar<T> {
    fn elem(&self) -> ElemType {
        T::TYPE
    }

    fn shape(&self) -> Option<(usize, usize)> {
        None
    }

    fn lanes(&self) -> Vec<Value> {
        vec![Scalar::value(*self).value()]
    }
}

/// A host number.
pub(crate) struct Host<T>(pub(crate) T);

impl<T: Sample> Lanes for Host<T> {
    fn elem(&self) -> ElemType {
        T::TYPE
    }

    fn shape(&self) -> Option<(usize, usize)> {
        None
    }

    fn lanes(&self) -> Vec<Value> {
        vec![self.0.value()]
    }
}

/// `u8 2x3`, `u8 number`.
fn describe(x: &dyn Lanes) -> String {
    match x.shape() {
        Some((rows, columns)) => format!("{} {rows}x{columns}", x.elem()),
        None => format!("{} number", x.elem()),
    }
}

/// Checks a result lane by lane. `lane` gives the expected number of a lane, and a description of its
/// operands.
#[track_caller]
pub(crate) fn check(
    what: &dyn Fn() -> String,
    elem: ElemType,
    shape: Option<(usize, usize)>,
    lane: &dyn Fn(usize) -> (Value, String),
    got: &dyn Lanes,
) {
    let at = Location::caller();
    assert_eq!(got.elem(), elem, "{at}: the element type of {}", what());
    assert_eq!(got.shape(), shape, "{at}: the shape of {}", what());
    let lanes = got.lanes();
    assert_eq!(lanes.len(), shape.map_or(1, |(rows, columns)| rows * columns), "{at}: lanes of {}", what());
    for (n, &found) in lanes.iter().enumerate() {
        let (expected, operands) = lane(n);
        let (row, column) = shape.map_or((0, 0), |(_, columns)| (n / columns, n % columns));
        assert!(
            found.is(expected),
            "{at}: {}, lane ({row}, {column}): {operands} gave {found}, not {expected}",
            what()
        );
    }
}

/// Checks `a op b`.
#[track_caller]
pub(crate) fn check_binary(op: Op, a: &dyn Lanes, b: &dyn Lanes, got: &dyn Lanes) {
    let elem = meaning::result(op, a.elem(), b.elem());
    check_into(op, a, b, elem, got);
}

/// Checks `a op= b`, which converts the result back to the type of `a`.
#[track_caller]
pub(crate) fn check_compound(op: Op, a: &dyn Lanes, b: &dyn Lanes, got: &dyn Lanes) {
    check_into(op, a, b, a.elem(), got);
}

#[track_caller]
fn check_into(op: Op, a: &dyn Lanes, b: &dyn Lanes, elem: ElemType, got: &dyn Lanes) {
    let (xs, ys) = (a.lanes(), b.lanes());
    let lane = |n: usize| {
        // A number applies to every lane.
        let x = xs[if a.shape().is_none() { 0 } else { n }];
        let y = ys[if b.shape().is_none() { 0 } else { n }];
        let exact = meaning::binary(op, (a.elem(), x), (b.elem(), y));
        (meaning::convert(exact, elem), format!("{x} {op:?} {y}"))
    };
    let what = || format!("{} {op:?} {} -> {elem}", describe(a), describe(b));
    check(&what, elem, a.shape().or(b.shape()), &lane, got);
}

/// Checks a function of single lanes.
#[track_caller]
pub(crate) fn check_unary(
    name: &str,
    x: &dyn Lanes,
    elem: ElemType,
    meaning: &dyn Fn(Value) -> Value,
    got: &dyn Lanes,
) {
    let xs = x.lanes();
    let lane = |n: usize| (meaning(xs[n]), xs[n].to_string());
    check(&|| format!("{name} of {} -> {elem}", describe(x)), elem, x.shape(), &lane, got);
}

/// Checks that lane `n` of the result is lane `from(n)` of `x`, bit by bit.
#[track_caller]
pub(crate) fn check_moved(
    name: &str,
    x: &dyn Lanes,
    shape: Option<(usize, usize)>,
    from: &dyn Fn(usize) -> usize,
    got: &dyn Lanes,
) {
    let xs = x.lanes();
    let lane = |n: usize| (xs[from(n)], format!("element {}", from(n)));
    check(&|| format!("{name} of {}", describe(x)), x.elem(), shape, &lane, got);
}
