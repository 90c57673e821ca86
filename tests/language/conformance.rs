//! The conformance suite of element-wise operations: a row for each of the table.
//!
//! A row is a kernel of two buffers, and what it means on exact numbers: integers as `i128`, which wrap in
//! the type that the operation is computed in, and floats as `f64`, which are rounded to it. Each kernel runs
//! on the CPU, on Level Zero where there is a device, and in the interpreter, on all pairs of numbers near
//! the edges of its types. A kind without a row does not compile.

mod groups;

use cm::compiler::ops::MapKind;
use cm::interpret::{InterpretArg, interpret};
use cm::ir::{Function, Op};
use cm::prelude::*;
use cm_test_support::devices::devices;
use cm_test_support::memory::Linear;

/// Numbers of each side; kernel threads take as many pairs each.
const SIDE: usize = 16;

/// An element and the exact number that it is.
trait Exact: Elem {
    type Number: Copy;
    fn number(self) -> Self::Number;
    fn round(x: Self::Number) -> Self;
    /// Numbers near the edges.
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

exact! { u8 i8 u16 i16 u32 i32 u64 i64 }

impl Exact for f32 {
    type Number = f64;
    fn number(self) -> f64 {
        self.into()
    }
    fn round(x: f64) -> Self {
        x as Self
    }
    fn edges() -> [Self; SIDE] {
        [
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
        ]
    }
}

/// All pairs, as the elements of two buffers.
fn pairs<T: Exact, V: Exact>() -> (Vec<T>, Vec<V>) {
    let (left, right) = (T::edges(), V::edges());
    (0..SIDE * SIDE).map(|n| (left[n / SIDE], right[n % SIDE])).unzip()
}

/// The recording has the operation, and the interpreter gives the expected elements.
fn interpreted<T: Elem, V: Elem, U: Elem>(
    function: &Function,
    (name, has): (&str, impl Fn(&Op) -> bool),
    (a, b): (&[T], &[V]),
    expected: &[U],
) {
    assert!(function.body.insts.iter().any(|inst| has(&inst.op)), "{name} is not recorded\n{function}");
    let bytes = |x: &[u8]| Linear::new(x.to_vec());
    let (mut a, mut b) = (bytes(bytemuck::cast_slice(a)), bytes(bytemuck::cast_slice(b)));
    let mut out = Linear::new(vec![0; size_of_val(expected)]);
    for x in 0..SIDE as u32 {
        let mut args =
            [InterpretArg::Buffer(&mut a), InterpretArg::Buffer(&mut b), InterpretArg::Buffer(&mut out)];
        interpret(function, &mut args, [x, 0]).unwrap();
    }
    assert_eq!(
        out.into_bytes(),
        bytemuck::cast_slice::<U, u8>(expected),
        "{name} in the interpreter\n{function}"
    );
}

/// For each kind its test: the kernel of `a` and `b`, and for some types of `a` and `b` the type in which
/// they are computed, the type of the result, and the meaning.
macro_rules! rows {
    (
        $($kind:ident $test:ident { $($name:ident($t:ident, $v:ident; $p:ident) -> $u:ident
            { |$a:ident, $b:ident| $kernel:expr } = |$x:ident, $y:ident| $model:expr;)+ })*
        ; no functions: $($internal:ident)*
    ) => {
        $(
            #[test]
            fn $test() {
                $(
                    mod $name {
                        use cm::prelude::*;

                        const A: u32 = (super::SIDE * size_of::<$t>()) as u32;
                        const B: u32 = (super::SIDE * size_of::<$v>()) as u32;
                        const OUT: u32 = (super::SIDE * size_of::<$u>()) as u32;

                        #[kernel]
                        pub(super) fn conforms(left: &Buffer<$t>, right: &Buffer<$v>, out: &mut Buffer<$u>) {
                            let $a = left.read::<16>(thread_origin_x() * A);
                            let $b = right.read::<16>(thread_origin_x() * B);
                            let result: Vector<$u, 16> = $kernel;
                            out.write(thread_origin_x() * OUT, &result);
                        }
                    }
                    let (a, b) = pairs::<$t, $v>();
                    let model = |$x: <$p as Exact>::Number, $y: <$p as Exact>::Number| $model;
                    let common = |x: $t, y: $v| {
                        (Exact::number(x as $p), Exact::number(y as $p))
                    };
                    let expected: Vec<$u> = a
                        .iter()
                        .zip(&b)
                        .map(|(x, y)| {
                            let (x, y) = common(*x, *y);
                            <$p as Exact>::round(model(x, y)) as $u
                        })
                        .collect();
                    let has = |op: &Op| matches!(op, Op::Map { kind: MapKind::$kind, .. });
                    let function = $name::conforms::ir().unwrap();
                    interpreted(&function, (stringify!($kind), has), (&a, &b), &expected);
                    for device in devices(1) {
                        let left = Buffer::from_slice(&device, &a).unwrap();
                        let right = Buffer::from_slice(&device, &b).unwrap();
                        let mut out = Buffer::<$u>::new(&device, expected.len()).unwrap();
                        let space = ThreadSpace::new(SIDE, 1).unwrap();
                        $name::conforms::launch(&device, space, &left, &right, &mut out).unwrap();
                        let out = out.to_vec().unwrap();
                        for (n, (found, expected)) in out.iter().zip(&expected).enumerate() {
                            let same = bytemuck::bytes_of(found) == bytemuck::bytes_of(expected);
                            assert!(
                                same,
                                "{:?} of {} and {} on {}: {found}, not {expected}",
                                MapKind::$kind, a[n], b[n], device.name()
                            );
                        }
                    }
                )+
            }
        )*

        /// Every kind stands in one row.
        const _: fn(MapKind) = |kind| match kind {
            $(MapKind::$kind)|* => {}
            $(MapKind::$internal)|* => {}
        };
    };
}

/// Truth as the `u16` of a mask.
fn mask(truth: bool) -> i128 {
    truth.into()
}

rows! {
    Convert conversions {
        wrapped(i32, u8; i32) -> i8 { |a, _b| a.convert() } = |x, _y| x;
        truncated(f32, u8; f32) -> i16 { |a, _b| a.convert() } = |x, _y| x;
        limited(i32, u8; i32) -> u8 { |a, _b| a.saturate() } = |x, _y| x.clamp(0, 255);
    }
    Neg negations {
        bytes(u8, u8; i32) -> i32 { |a, _b| -a } = |x, _y| -x;
        dwords(u32, u8; u32) -> u32 { |a, _b| -a } = |x, _y| -x;
        floats(f32, f32; f32) -> f32 { |a, _b| -a } = |x, _y| -x;
    }
    Not complements {
        words(u16, u8; i32) -> i32 { |a, _b| !a } = |x, _y| !x;
        wide(i64, u8; i64) -> i64 { |a, _b| !a } = |x, _y| !x;
    }
    Add sums {
        bytes(u8, i8; i32) -> i32 { |a, b| a + b } = |x, y| x + y;
        narrowed(i16, u16; i32) -> u8 { |a, b| (a + b).convert() } = |x, y| x + y;
        dwords(u32, i32; u32) -> u32 { |a, b| a + b } = |x, y| x + y;
        wide(i64, u8; i64) -> i64 { |a, b| a + b } = |x, y| x + y;
        floats(f32, f32; f32) -> f32 { |a, b| a + b } = |x, y| x + y;
    }
    Sub differences {
        bytes(u8, u8; i32) -> i32 { |a, b| a - b } = |x, y| x - y;
        dwords(i32, u32; u32) -> u32 { |a, b| a - b } = |x, y| x - y;
        floats(f32, u8; f32) -> f32 { |a, b| a - b } = |x, y| x - y;
    }
    Mul products {
        words(i16, i16; i32) -> i32 { |a, b| a * b } = |x, y| x * y;
        dwords(u32, i8; u32) -> u32 { |a, b| a * b } = |x, y| x * y;
        floats(i16, f32; f32) -> f32 { |a, b| a * b } = |x, y| x * y;
    }
    Div quotients {
        bytes(i8, i8; i32) -> i32 { |a, b| a / b } = |x, y| if y == 0 { -1 } else { x / y };
        dwords(u32, u16; u32) -> u32 { |a, b| a / b } = |x, y| if y == 0 { -1 } else { x / y };
    }
    Rem remainders {
        words(i16, i8; i32) -> i32 { |a, b| a % b } = |x, y| if y == 0 { x } else { x % y };
        dwords(i32, i32; i32) -> i32 { |a, b| a % b } = |x, y| if y == 0 { x } else { x % y };
    }
    And conjunctions {
        mixed(u8, i16; i32) -> i32 { |a, b| a & b } = |x, y| x & y;
        wide(u64, i32; u64) -> u64 { |a, b| a & b } = |x, y| x & y;
    }
    Or disjunctions {
        mixed(i8, u16; i32) -> i32 { |a, b| a | b } = |x, y| x | y;
        dwords(u32, u32; u32) -> u32 { |a, b| a | b } = |x, y| x | y;
    }
    Xor exclusive_disjunctions {
        mixed(u8, i8; i32) -> i32 { |a, b| a ^ b } = |x, y| x ^ y;
        wide(i64, i64; i64) -> i64 { |a, b| a ^ b } = |x, y| x ^ y;
    }
    Shl shifts_to_the_left {
        bytes(u8, u8; i32) -> i32 { |a, b| a << b } = |x, y| x << (y & 31);
        dwords(u32, i16; u32) -> u32 { |a, b| a << b } = |x, y| x << (y & 31);
    }
    Shr shifts_to_the_right {
        words(i16, u8; i32) -> i32 { |a, b| a >> b } = |x, y| x >> (y & 31);
        dwords(u32, u32; u32) -> u32 { |a, b| a >> b } = |x, y| x >> (y & 31);
    }
    Avg averages {
        bytes(u8, u8; i32) -> u8 { |a, b| math::avg::<u8, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        signed_bytes(i8, i8; i32) -> i8 { |a, b| math::avg::<i8, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        words(u16, u16; i32) -> u16 { |a, b| math::avg::<u16, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        signed_words(i16, i16; i32) -> i16 { |a, b| math::avg::<i16, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        dwords(u32, u32; u32) -> u32 { |a, b| math::avg::<u32, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        signed_dwords(i32, i32; i32) -> i32 { |a, b| math::avg::<i32, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        qwords(u64, u64; u64) -> u64 { |a, b| math::avg::<u64, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        signed_qwords(i64, i64; i64) -> i64 { |a, b| math::avg::<i64, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        mixed(u8, i16; i32) -> i32 { |a, b| math::avg::<i32, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        mixed_dwords(u32, i8; u32) -> u32 { |a, b| math::avg::<u32, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        wrapped(i32, i16; i32) -> u8 { |a, b| math::avg::<u8, _>(a, b) } = |x, y| (x + y + 1) >> 1;
        limited(i16, u16; i32) -> u8 { |a, b| math::avg_sat::<u8, _>(a, b) } = |x, y| ((x + y + 1) >> 1).clamp(0, 255);
        limited_words(i32, u8; i32) -> i16 {
            |a, b| math::avg_sat::<i16, _>(a, b)
        } = |x, y| ((x + y + 1) >> 1).clamp(-32768, 32767);
        of_a_number(i16, u8; i32) -> i32 { |a, _b| math::avg::<i32, _>(a, 3) } = |x, _y| (x + 4) >> 1;
    }
    Lt less {
        mixed(u8, i16; i32) -> u16 { |a, b| a < b } = |x, y| mask(x < y);
        dwords(u32, i32; u32) -> u16 { |a, b| a < b } = |x, y| mask(x < y);
    }
    Le less_or_equal {
        words(i16, u16; i32) -> u16 { |a, b| a <= b } = |x, y| mask(x <= y);
    }
    Gt greater {
        bytes(i8, i8; i32) -> u16 { |a, b| a > b } = |x, y| mask(x > y);
        wide(i64, u32; i64) -> u16 { |a, b| a > b } = |x, y| mask(x > y);
    }
    Ge greater_or_equal {
        words(u16, u16; i32) -> u16 { |a, b| a >= b } = |x, y| mask(x >= y);
    }
    Eq equal {
        mixed(u8, i32; i32) -> u16 { |a, b| a == b } = |x, y| mask(x == y);
    }
    Ne not_equal {
        mixed(i8, i16; i32) -> u16 { |a, b| a != b } = |x, y| mask(x != y);
    }
    Merge merges {
        smaller(i16, i16; i16) -> i16 {
            |a, b| {
                let mut merged: Vector<i16, 16> = b;
                merged.merge(a, &(a < b));
                merged
            }
        } = |x, y| x.min(y);
        greater(f32, f32; f32) -> f32 {
            |a, b| {
                let mut merged: Vector<f32, 16> = b;
                merged.merge(a, &(a > b));
                merged
            }
        } = |x, y| if x > y { x } else { y };
    }
    // It limits staged offsets, see `operators::views`.
    ; no functions: Min
}
