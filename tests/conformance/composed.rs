//! Functions that are composed of operators: every execution gives the bits of plain Rust, and the tests of
//! the functions check those.

use cm::compiler::ops::Accuracy;
use cm::ir::Function;
use cm::prelude::*;

use super::exact::{Exact, SIDE, bits, pairs};
use super::executions::executions;
use super::table::Executed;

type Launch<T, U> = fn(&Device, ThreadSpace, &Buffer<T>, &Buffer<T>, &mut Buffer<U>) -> cm::Result<Event>;

/// Checks all executions of a kernel against the expected results.
fn check<T: Exact, U: Elem>(
    name: &str,
    (function, launch): (Function, Launch<T, U>),
    each: usize,
    plain: impl Fn([T; SIDE], [T; SIDE]) -> Vec<U>,
) {
    let (a, b) = pairs::<T, T>();
    let blocks = a.chunks(SIDE).zip(b.chunks(SIDE));
    let block = |x: &[T]| std::array::from_fn(|k| x[k]);
    let expected: Vec<U> = blocks.flat_map(|(a, b)| plain(block(a), block(b))).collect();
    assert_eq!(expected.len(), each * SIDE * SIDE, "{name}");
    let inputs = [bytemuck::cast_slice(&a), bytemuck::cast_slice(&b)];
    let found = executions(&function, &inputs, (SIDE, expected.len()), |device, space, out| {
        launch(device, space, &Buffer::from_slice(device, &a)?, &Buffer::from_slice(device, &b)?, out)
    });
    for (device, found) in found {
        for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let nan = found.partial_cmp(found).is_none() && expected.partial_cmp(expected).is_none();
            let (function, k) = (n / SIDE % each, n / SIDE / each * SIDE + n % SIDE);
            assert!(
                nan || bits(found) == bits(expected),
                "{name} {function} of {} and {} on {device}: {found}, not {expected}",
                a[k],
                b[k]
            );
        }
    }
}

/// Kernels that write one block for each expression, and the same in plain Rust.
macro_rules! composed {
    // Both float types, with numbers of these types.
    (floats |$a:ident, $b:ident| $body:tt $($rest:tt)*) => {
        composed! {
            functions_of_floats(f32 -> f32) [
                const QUARTER: f32 = 0.25;
                const HALF: f32 = 0.5;
                const TWO: f32 = 2.0;
            ] |$a, $b| $body
            functions_of_halves(f16 -> f16) [
                const QUARTER: f16 = f16::from_f32_const(0.25);
                const HALF: f16 = f16::from_f32_const(0.5);
                const TWO: f16 = f16::from_f32_const(2.0);
            ] |$a, $b| $body
            $($rest)*
        }
    };
    ($($test:ident($t:ident -> $u:ident) [$($item:item)*] |$a:ident, $b:ident| { $($expression:expr;)* })*) => {
    $(
        #[test]
        fn $test() {
            $($item)*
            const EACH: usize = 0 $(+ { let _ = stringify!($expression); 1 })*;
            const OUT: u32 = (SIDE * size_of::<$u>()) as u32;
            const IN: u32 = (SIDE * size_of::<$t>()) as u32;

            #[kernel]
            fn composes(left: &Buffer<$t>, right: &Buffer<$t>, out: &mut Buffer<$u>) {
                let $a = left.read::<16>(thread_origin_x() * IN);
                let $b = right.read::<16>(thread_origin_x() * IN);
                let mut at = thread_origin_x() * (OUT * EACH as u32);
                $(
                    let result: Vector<$u, 16> = $expression;
                    out.write(at, &result);
                    at += OUT;
                )*
            }
            check(stringify!($test), (composes::ir().unwrap(), composes::launch), EACH, |$a, $b| {
                let ($a, $b) = (Vector::from_array($a), Vector::from_array($b));
                let mut all = vec![];
                $({
                    let result: Vector<$u, 16> = $expression;
                    all.extend(result.to_array());
                })*
                all
            });
        }
    )*

        /// The operations of these kernels.
        pub(crate) const EXECUTED: &[Executed] = &[$($(
            Executed {
                operation: "",
                text: stringify!($expression),
                operands: &[<$t as Elem>::TYPE],
                accuracy: Accuracy::Exact,
            },
        )*)*];
    };
}

/// The type of the backend is written differently in kernels and in plain Rust.
#[function]
fn exclusive(a: Vector<u32, 16>, b: Vector<u32, 16>) -> Vector<u32, 16> {
    math::bfn::<0x96>(a, b, 0x0f0f_0f0f)
}

#[function]
fn chosen(a: Vector<u32, 16>, b: Vector<u32, 16>) -> Vector<u32, 16> {
    math::bfn::<{ math::BFN_X & math::BFN_Y | !math::BFN_X & math::BFN_Z }>(a, b, a >> 3)
}

/// Looks up three bits at the same position in the table.
fn looked_up(table: u8, [a, b, c]: [u32; 3]) -> u32 {
    let bit = |x: u32, k: u32| x >> k & 1;
    (0..32).map(|k| (u32::from(table) >> (bit(a, k) + 2 * bit(b, k) + 4 * bit(c, k)) & 1) << k).sum()
}

#[test]
fn tables_of_three_bits_are_those_of_cm() {
    macro_rules! tables {
        ($($table:literal)*) => {$(
            let (a, b, c) = (0x0123_4567, 0x89ab_1357, 0xfdb9_7531);
            let found = math::bfn::<$table, _>(Vector::<u32, 1>::splat(a), b, c);
            assert_eq!(found.to_array(), [looked_up($table, [a, b, c])], "{:#x}", $table);
        )*};
    }
    // Each bit, each operand, and some of every kind.
    tables! { 1 2 4 8 16 32 64 128 0xaa 0xcc 0xf0 0 0xff 0x96 0xca 0xe8 0xd8 0x1e 0x5b 0xb9 }
}

/// The operations of these functions, which the rows name only here.
pub(crate) const OF_THREE: &[Executed] = &[Executed {
    operation: "",
    text: "math::bfn(a, b, c)",
    operands: &[<u32 as Elem>::TYPE],
    accuracy: Accuracy::Exact,
}];

composed! {
    floats |a, b| {
        math::frc(a);
        math::mad(a, b, HALF);
        math::lrp(a, b, TWO);
        math::line(QUARTER, TWO, a);
        math::pln([HALF, TWO, QUARTER, HALF], a, b);
        math::div_ieee(a, b);
        math::asin(math::frc(a));
        math::acos(math::frc(a));
        math::atan(a);
        math::atan2(a, b);
        math::tanh(a);
        math::tanh(math::frc(a));
    }
    bits_of_floats(f32 -> f32) [] |a, _b| {
        math::bf_cvt_f32(math::bf_cvt(a));
        math::f16tof32(math::f32tof16(a));
        math::tf32_cvt(a).format::<f32>();
    }
    functions_of_bits(u32 -> u32) [] |a, b| {
        math::addc(a, b).0;
        math::addc(a, b).1;
        math::subb(a, b).0;
        math::subb(a, b).1;
        math::imul(a, b).0;
        math::imul(a, b).1;
        math::quot(a, b);
        math::modulo(a, b);
        math::div(a, b).0;
        math::bf_insert(b, 5, a, 0x1234_5678u32 - a);
        math::bf_insert(7, b, 0x55, a);
        exclusive(a, b);
        chosen(a, b);
    }
    functions_of_signed_numbers(i32 -> i32) [] |a, b| {
        math::imul(a, b).0;
        math::imul(a, b).1;
        math::quot(a, b);
        math::modulo(a, b);
        math::div(a, b).1;
        math::bf_insert(9, b, 0x1234_5678, a);
        math::sada2::<i32, _>(a.convert::<i16>(), b.convert::<u8>(), 100);
        math::sada2_sat::<i32, _>(a.convert::<u8>(), b.convert::<u8>(), a);
        math::dp4a_sat::<i32, _>(a, a, b);
    }
}
