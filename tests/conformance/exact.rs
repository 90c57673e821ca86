//! Elements as exact numbers: integers as `i128`, floats as `f64`; and the numbers that the suite uses.

use cm::prelude::*;

/// The number of operands on each side, and of pairs for each kernel thread.
pub(crate) const SIDE: usize = 16;

/// An element that converts to an exact number.
pub(crate) trait Exact: Elem {
    type Number: Copy;
    fn number(self) -> Self::Number;
    fn round(x: Self::Number) -> Self;
    /// Numbers near the limits.
    fn edges() -> [Self; SIDE];
}

macro_rules! exact {
    ($($int:ident)*) => {$(
        impl Exact for $int {
            type Number = i128;
            fn number(self) -> i128 {
                self.into()
            }
            fn round(x: i128) -> Self {
                x as Self
            }
            fn edges() -> [Self; SIDE] {
                let (min, max) = (<$int>::MIN, <$int>::MAX);
                let middle = [0, 1, 2, 3, 7, 31, 64, 100, 127];
                let ends = [min, min + 1, min / 2, max, max - 1, max / 2, (max - 5) / 3];
                std::array::from_fn(|n| if n < 9 { middle[n] as Self } else { ends[n - 9] })
            }
        }
    )*};
}

cm::compiler::for_each_integer!(exact);

macro_rules! floats {
    ($($float:ident: |$x:ident| $round:expr;)*) => {$(
        impl Exact for $float {
            type Number = f64;
            fn number(self) -> f64 {
                self.into()
            }
            fn round($x: f64) -> Self {
                $round
            }
            fn edges() -> [Self; SIDE] {
                FLOATS.map(<Self as Exact>::round)
            }
        }
    )*};
}

floats! {
    f16: |x| f16::from_f64(x);
    bf16: |x| bf16::from_f32(x as f32);
    tf32: |x| Self::from_f32(x as f32);
    f32: |x| x as Self;
    f64: |x| x;
}

/// Includes zeros of both signs, and numbers that not all types represent.
const FLOATS: [f64; SIDE] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    0.1,
    -0.3,
    3.0,
    255.0,
    256.5,
    -1024.0,
    65535.0,
    16_777_215.0,
    1e-20,
    -1e20,
    1e30,
];

pub(crate) fn bits<T: Elem>(x: &T) -> u64 {
    let mut bytes = [0; 8];
    bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(x));
    u64::from_le_bytes(bytes)
}

/// All pairs, as the elements of two buffers.
pub(crate) fn pairs<T: Exact, V: Exact>() -> (Vec<T>, Vec<V>) {
    let (left, right) = (T::edges(), V::edges());
    (0..SIDE * SIDE).map(|n| (left[n / SIDE], right[n % SIDE])).unzip()
}
