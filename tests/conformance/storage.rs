//! `bf16` and `tf32` elements in every execution: conversions, which are the only computation on them, and
//! operations that move elements.

use cm::ir::Function;
use cm::prelude::*;
use cm_test_support::devices::devices;

use super::exact::bits;
use super::executions::executions;

type Launch<T, U> = fn(&Device, ThreadSpace, &Buffer<T>, &mut Buffer<U>) -> cm::Result<Event>;

/// All executions of a kernel that converts 16 elements per thread.
fn check<T: Elem, U: Elem>(
    input: &[T],
    (function, launch): (Function, Launch<T, U>),
    exact: impl Fn(T) -> U,
) {
    assert!(input.len().is_multiple_of(16));
    let threads = input.len() / 16;
    let inputs = [bytemuck::cast_slice(input)];
    let found = executions(&function, &inputs, (threads, input.len()), |device, space, out| {
        launch(device, space, &Buffer::from_slice(device, input)?, out)
    });
    for (device, found) in found {
        for (x, found) in input.iter().zip(&found) {
            let exact = exact(*x);
            let nan = found.partial_cmp(found).is_none() && exact.partial_cmp(&exact).is_none();
            assert!(nan || bits(found) == bits(&exact), "{x} on {device}: {found}, not {exact}\n{function}");
        }
    }
}

/// Kernels of one conversion, and the same on one number.
macro_rules! conversions {
    ($($test:ident($t:ident -> $u:ident) $method:ident = |$x:ident| $exact:expr, of $input:expr;)*) => {
    $(
        #[test]
        fn $test() {
            const IN: u32 = (16 * size_of::<$t>()) as u32;
            const OUT: u32 = (16 * size_of::<$u>()) as u32;

            #[kernel]
            fn converts(input: &Buffer<$t>, out: &mut Buffer<$u>) {
                let x = input.read::<16>(thread_origin_x() * IN);
                out.write(thread_origin_x() * OUT, &x.$method::<$u>());
            }
            check(&$input, (converts::ir().unwrap(), converts::launch), |$x: $t| -> $u { $exact });
        }
    )*

        /// The conversions of these kernels: source type, target type, and form.
        pub(crate) const CONVERTED: &[[&str; 3]] =
            &[$([stringify!($t), stringify!($u), stringify!($method)],)*];
    };
}

/// Numbers of every exponent; their low bits are around the values that decide the rounding.
fn singles(cut: u32) -> Vec<f32> {
    let half = 1 << (cut - 1);
    let near = [half - 1, half, half + 1, 3 * half - 1, 3 * half, 3 * half + 1];
    let largest = [0x7f_ffff - half, 0x80_0000 - half, 0x7f_ffff];
    let fractions = [&[0, 1], &near[..], &largest].concat();
    (0..512u32).flat_map(|high| fractions.iter().map(move |low| f32::from_bits(high << 23 | low))).collect()
}

/// Half of all `bf16`, with even and odd bits.
fn all() -> Vec<bf16> {
    (0..32_752u16).map(|n| bf16::from_bits(n << 1 | n >> 3 & 1)).collect()
}

/// Numbers of every exponent, including some with low bits that `tf32` ignores.
fn some() -> Vec<tf32> {
    let fractions = [0, 1, 0x1fff, 0x2000, 0x2fff, 0x3_e000, 0x40_0000, 0x7f_e000];
    let every = (0..512u32).flat_map(|high| fractions.map(|low| tf32::from_bits(high << 23 | low)));
    every.collect()
}

/// All 16-bit integers, apart from 4 bits that do not matter.
fn words() -> Vec<u16> {
    (0..4096).map(|n| (n * 16 + n / 16) as u16).collect()
}

fn halves() -> Vec<f16> {
    (0..=u16::MAX).step_by(7).take(9360).map(f16::from_bits).collect()
}

fn signed(words: Vec<u16>) -> Vec<i16> {
    words.into_iter().map(|n| n as i16).collect()
}

fn limited(x: f32) -> f32 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

/// The nearest `tf32`, decided by the removed bits; the library adds instead.
fn nearest(x: f32) -> tf32 {
    let (bits, cut) = (x.to_bits() & !0x1fff, x.to_bits() & 0x1fff);
    if x.is_nan() {
        return tf32::NAN;
    }
    tf32::from_bits(if cut > 0x1000 || cut == 0x1000 && bits & 0x2000 != 0 { bits + 0x2000 } else { bits })
}

conversions! {
    brain_from_f32(f32 -> bf16) convert = |x| bf16::from_f32(x), of singles(16);
    brain_from_f32_limited(f32 -> bf16) saturate = |x| bf16::from_f32(limited(x)), of singles(16);
    brain_from_f16(f16 -> bf16) convert = |x| bf16::from_f32(x.to_f32()), of halves();
    brain_from_i16(i16 -> bf16) convert = |x| bf16::from_f32(x.into()), of signed(words());
    brain_from_u8(u8 -> bf16) convert = |x| bf16::from_f32(x.into()), of (0..=255u8).collect::<Vec<_>>();
    brain_from_bits_of_its_size(u16 -> bf16) convert = |x| bf16::from_f32(x.into()), of words();
    brain_from_tensor(tf32 -> bf16) convert = |x| bf16::from_f32(x.to_f32()), of some();
    brain_to_f32(bf16 -> f32) convert = |x| x.to_f32(), of all();
    brain_to_f16(bf16 -> f16) convert = |x| f16::from_f32(x.to_f32()), of all();
    brain_to_i32(bf16 -> i32) convert = |x| x.to_f32() as i32, of all();
    brain_to_u8(bf16 -> u8) convert = |x| x.to_f32() as u8, of all();
    brain_to_u16(bf16 -> u16) saturate = |x| x.to_f32() as u16, of all();
    brain_itself(bf16 -> bf16) convert = |x| x, of all();
    brain_itself_limited(bf16 -> bf16) saturate = |x| bf16::from_f32(limited(x.to_f32())), of all();
    tensor_from_f32(f32 -> tf32) convert = |x| nearest(x), of singles(13);
    tensor_from_f32_limited(f32 -> tf32) saturate = |x| nearest(limited(x)), of singles(13);
    tensor_from_f16(f16 -> tf32) convert = |x| nearest(x.to_f32()), of halves();
    tensor_from_i16(i16 -> tf32) convert = |x| nearest(x.into()), of signed(words());
    tensor_from_u8(u8 -> tf32) convert = |x| nearest(x.into()), of (0..=255u8).collect::<Vec<_>>();
    tensor_from_bits_of_its_size(u32 -> tf32) convert = |x| nearest(x as f32),
        of words().into_iter().map(|n| u32::from(n).wrapping_mul(65_551)).collect::<Vec<_>>();
    tensor_from_f64(f64 -> tf32) convert = |x| nearest(x as f32),
        of singles(13).into_iter().map(f64::from).collect::<Vec<_>>();
    tensor_from_brain(bf16 -> tf32) convert = |x| nearest(x.to_f32()), of all();
    tensor_to_f32(tf32 -> f32) convert = |x| f32::from_bits(x.to_bits() & !0x1fff), of some();
    tensor_to_f16(tf32 -> f16) convert = |x| f16::from_f32(x.to_f32()), of some();
    tensor_to_i32(tf32 -> i32) convert = |x| x.to_f32() as i32, of some();
    tensor_to_u8(tf32 -> u8) convert = |x| x.to_f32() as u8, of some();
    tensor_to_u32(tf32 -> u32) saturate = |x| x.to_f32() as u32, of some();
    tensor_itself(tf32 -> tf32) convert = |x| x, of some();
    tensor_itself_limited(tf32 -> tf32) saturate = |x| nearest(limited(x.to_f32())), of some();
}

/// Operations that move elements. `$high` is the distance of the upper half of an `f32` from the lowest bit;
/// `$low` are bits that the type ignores.
macro_rules! moved {
    ($($name:ident: $t:ident, $bits:ident << $high:literal, $low:literal, $format:ident;)*) => {$(
        mod $name {
            use super::*;

            const SIGN: $bits = 1 << ($bits::BITS - 1);
            const SPECIAL: [$t; 8] = [
                special(0x0000),
                special(0x8000),
                special(0x3f80),
                special(0xbf80),
                special(0x7f80),
                special(0x7fc1),
                special(0x0001),
                special(0x4049),
            ];
            const TABLE: [$t; 8] = [
                $t::ONE,
                $t::MAX,
                $t::MIN,
                special(0x4049),
                $t::ZERO,
                special(0x8000),
                special(0x402d),
                $t::NAN,
            ];

            const fn special(upper: u16) -> $t {
                $t::from_bits((upper as $bits) << $high | $low)
            }

            /// A helper that takes a place, a scalar of it and a scalar of the host.
            #[function]
            fn replaced(v: &mut Vector<$t, 8>, x: $t) {
                let old = *v;
                v.select_mut::<4, 2>(0).assign(x);
                v.select_mut::<4, 2>(1).assign(old.select::<4, 2>(0));
            }

            /// Reads, regions, bytes as other elements, variables, merges, tables, truth values.
            #[kernel]
            fn moves(input: &Buffer<$t>, out: &mut Buffer<$t>) {
                const BYTES: u32 = (32 * size_of::<$t>()) as u32;
                let at = thread_origin_x() * BYTES;
                let mut x = input.read::<32>(at);
                let table = Vector::from_array(TABLE);
                if x.select::<4, 1>(4).all() && !x.select::<2, 1>(0).any() {
                    x.get_mut(31).assign(1.5f32);
                }
                let mut first = x.get(8);
                if first.convert::<f32>() < 0.0f32 {
                    first = $t::ONE;
                }
                replaced(&mut x.select_mut::<8, 1>(8), first);
                x.select_mut::<8, 1>(16).merge(table, 0b1010_0101u32);
                x.select_mut::<4, 1>(24).merge_else(
                    2i32,
                    $t::MIN,
                    &(x.select::<4, 1>(0).convert::<f32>() > 1.0f32),
                );
                let words = x.format::<$bits>();
                x.format_mut::<$bits>().select_mut::<2, 1>(28).assign(words.select::<2, 1>(26) ^ SIGN);
                x.get_mut(30).assign(table.iselect(words.select::<1, 1>(3) & 7).get(0));
                out.write(at, &x);
                let first = thread_origin_x() * 32;
                out.write_scattered(first, &Vector::from_array([2u32, 1]), &x.select::<2, 1>(1));
            }

            #[test]
            fn registers_are_moved() {
                const THREADS: usize = 9;
                let input: Vec<$t> = (0..32 * THREADS)
                    .map(|n| match n / 32 {
                        // Zeros of both signs first, then no zeros.
                        0 if n < 4 => SPECIAL[n & 1],
                        0 => SPECIAL[2 + n % 6],
                        thread => {
                            let other = (n as $bits).wrapping_mul(0x123) & (SIGN | 0xff);
                            $t::from_bits(SPECIAL[(n * thread + n / 8) % 8].to_bits() ^ other)
                        }
                    })
                    .collect();
                let expected: Vec<$t> = input
                    .chunks(32)
                    .flat_map(|x| {
                        let mut x = x.to_vec();
                        let zero = |x: &$t| x.to_f32() == 0.0;
                        if !x[4..8].iter().any(zero) && x[..2].iter().all(zero) {
                            x[31] = $t::from_f32(1.5);
                        }
                        let first = if x[8].to_f32() < 0.0 { $t::ONE } else { x[8] };
                        for k in (8..16).step_by(2) {
                            x[k + 1] = x[k];
                            x[k] = first;
                        }
                        for k in [0, 2, 5, 7] {
                            x[16 + k] = TABLE[k];
                        }
                        for k in 0..4 {
                            x[24 + k] = if x[k].to_f32() > 1.0 { $t::from_f32(2.0) } else { $t::MIN };
                        }
                        x[28] = $t::from_bits(x[26].to_bits() ^ SIGN);
                        x[29] = $t::from_bits(x[27].to_bits() ^ SIGN);
                        x[30] = TABLE[(x[3].to_bits() & 7) as usize];
                        x.swap(1, 2);
                        x
                    })
                    .collect();
                let function = moves::ir().unwrap();
                let inputs = [bytemuck::cast_slice(&input)];
                let found = executions(&function, &inputs, (THREADS, input.len()), |device, space, out| {
                    moves::launch(device, space, &Buffer::from_slice(device, &input)?, out)
                });
                for (device, found) in found {
                    let [found, expected] =
                        [&found, &expected].map(|all: &Vec<$t>| all.iter().map(bits).collect::<Vec<_>>());
                    assert_eq!(found, expected, "{device}: {function}");
                }
            }

            #[kernel]
            fn arguments(out: &mut Surface2D, x: $t, v: Vector<$t, 8>) {
                let mut both = v;
                both.get_mut(1).assign(x);
                out.write(0, 0, &both);
            }

            #[test]
            fn arguments_of_launches() {
                for device in devices(1) {
                    let mut out = Surface2D::new(&device, Format::$format, 8, 1).unwrap();
                    let mut all: [$t; 8] = std::array::from_fn(|n| $t::from_f32(n as f32 * -1.7));
                    let space = ThreadSpace::new(1, 1).unwrap();
                    let v = Vector::from_array(all);
                    arguments::launch(&device, space, &mut out, SPECIAL[7], v).unwrap();
                    all[1] = SPECIAL[7];
                    let bytes = out.to_vec().unwrap();
                    assert_eq!(bytes, bytemuck::cast_slice::<$t, u8>(&all), "{}", device.name());
                }
            }
        }
    )*};
}

moved! {
    brain: bf16, u16 << 0, 0, R16;
    tensor: tf32, u32 << 16, 0x1fff, R32;
}
