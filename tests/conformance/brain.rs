//! `bf16` elements: conversions, which are all that the language computes of them, and what moves them, in every
//! execution.

use cm::ir::Function;
use cm::prelude::*;
use cm_test_support::devices::devices;

use super::bits;
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
    ($($test:ident($t:ident -> $u:ident) $method:ident = |$x:ident| $exact:expr, of $input:expr;)*) => {$(
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
    )*};
}

/// Numbers of every exponent, between which and next to which rounding decides.
fn singles() -> Vec<f32> {
    let fractions =
        [0, 1, 0x7fff, 0x8000, 0x8001, 0xffff, 0x1_7fff, 0x1_8000, 0x1_8001, 0x7f_7fff, 0x7f_8000, 0x7f_ffff];
    let every = (0..512u32).flat_map(|high| fractions.map(|low| f32::from_bits(high << 23 | low)));
    every.collect()
}

/// Half of all `bf16`, with even and odd bits.
fn all() -> Vec<bf16> {
    (0..32_752u16).map(|n| bf16::from_bits(n << 1 | n >> 3 & 1)).collect()
}

fn limited(x: f32) -> bf16 {
    bf16::from_f32(if x > 0.0 { x.min(1.0) } else { 0.0 })
}

conversions! {
    from_f32(f32 -> bf16) convert = |x| bf16::from_f32(x), of singles();
    from_f32_limited(f32 -> bf16) saturate = |x| limited(x), of singles();
    from_f16(f16 -> bf16) convert = |x| bf16::from_f32(x.to_f32()),
        of (0..=u16::MAX).step_by(7).take(9360).map(f16::from_bits).collect::<Vec<_>>();
    from_i16(i16 -> bf16) convert = |x| bf16::from_f32(x.into()),
        of (0..4096).map(|n| (n * 16 + n / 16) as u16 as i16).collect::<Vec<_>>();
    from_u8(u8 -> bf16) convert = |x| bf16::from_f32(x.into()), of (0..=255u8).collect::<Vec<_>>();
    from_bits_of_its_size(u16 -> bf16) convert = |x| bf16::from_f32(x.into()),
        of (0..4096).map(|n| (n * 16 + n / 16) as u16).collect::<Vec<_>>();
    to_f32(bf16 -> f32) convert = |x| x.to_f32(), of all();
    to_f16(bf16 -> f16) convert = |x| f16::from_f32(x.to_f32()), of all();
    to_i32(bf16 -> i32) convert = |x| x.to_f32() as i32, of all();
    to_u8(bf16 -> u8) convert = |x| x.to_f32() as u8, of all();
    to_u16(bf16 -> u16) saturate = |x| x.to_f32() as u16, of all();
    itself(bf16 -> bf16) convert = |x| x, of all();
    itself_limited(bf16 -> bf16) saturate = |x| limited(x.to_f32()), of all();
}

/// A helper that takes a place of `bf16`, a scalar of it and one of the host.
#[function]
fn replaced(v: &mut Vector<bf16, 8>, x: bf16) {
    let old = *v;
    v.select_mut::<4, 2>(0).assign(x);
    v.select_mut::<4, 2>(1).assign(old.select::<4, 2>(0));
}

/// Reads, regions, other elements of the same bytes, variables, merges, tables, truth.
#[kernel]
fn moves(input: &Buffer<bf16>, out: &mut Buffer<bf16>) {
    const TABLE: [bf16; 8] =
        [bf16::ONE, bf16::MAX, bf16::MIN, bf16::PI, bf16::ZERO, bf16::NEG_ZERO, bf16::E, bf16::NAN];
    let at = thread_origin_x() * 64;
    let mut x = input.read::<32>(at);
    let table = Vector::from_array(TABLE);
    if x.select::<4, 1>(4).all() && !x.select::<2, 1>(0).any() {
        x.get_mut(31).assign(1.5f32);
    }
    let mut first = x.get(8);
    if first.convert::<f32>() < 0.0f32 {
        first = bf16::ONE;
    }
    replaced(&mut x.select_mut::<8, 1>(8), first);
    x.select_mut::<8, 1>(16).merge(table, 0b1010_0101u32);
    x.select_mut::<4, 1>(24).merge_else(
        2i32,
        bf16::NEG_ONE,
        &(x.select::<4, 1>(0).convert::<f32>() > 1.0f32),
    );
    let words = x.format::<u16>();
    x.format_mut::<u16>().select_mut::<2, 1>(28).assign(words.select::<2, 1>(26) ^ 0x8000);
    x.get_mut(30).assign(table.iselect(words.select::<1, 1>(3) & 7).get(0));
    out.write(at, &x);
    out.write_scattered(thread_origin_x() * 32, &Vector::from_array([2u32, 1]), &x.select::<2, 1>(1));
}

#[test]
fn registers_are_moved() {
    const THREADS: usize = 9;
    let special = [0x0000, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0x7fc1, 0x0001, 0x4049];
    let input: Vec<bf16> = (0..32 * THREADS)
        .map(|n| match n / 32 {
            // Zeros of both signs, and then no zero.
            0 => bf16::from_bits(if n < 4 { 0x8000 * (n as u16 & 1) } else { special[2 + n % 6] }),
            thread => {
                bf16::from_bits(special[(n * thread + n / 8) % 8] ^ ((n as u16).wrapping_mul(0x123) & 0x80ff))
            }
        })
        .collect();
    let table = [bf16::ONE, bf16::MAX, bf16::MIN, bf16::PI, bf16::ZERO, bf16::NEG_ZERO, bf16::E, bf16::NAN];
    let expected: Vec<bf16> = input
        .chunks(32)
        .flat_map(|x| {
            let mut x = x.to_vec();
            let zero = |x: &bf16| x.to_f32() == 0.0;
            if !x[4..8].iter().any(zero) && x[..2].iter().all(zero) {
                x[31] = bf16::from_f32(1.5);
            }
            let first = if x[8].to_f32() < 0.0 { bf16::ONE } else { x[8] };
            for k in (8..16).step_by(2) {
                x[k + 1] = x[k];
                x[k] = first;
            }
            for k in [0, 2, 5, 7] {
                x[16 + k] = table[k];
            }
            for k in 0..4 {
                x[24 + k] = if x[k].to_f32() > 1.0 { bf16::from_f32(2.0) } else { bf16::NEG_ONE };
            }
            x[28] = bf16::from_bits(x[26].to_bits() ^ 0x8000);
            x[29] = bf16::from_bits(x[27].to_bits() ^ 0x8000);
            x[30] = table[usize::from(x[3].to_bits() & 7)];
            let (one, two) = (x[1], x[2]);
            x[2] = one;
            x[1] = two;
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
            [&found, &expected].map(|all: &Vec<bf16>| all.iter().map(bits).collect::<Vec<_>>());
        assert_eq!(found, expected, "{device}: {function}");
    }
}

#[kernel]
fn arguments(out: &mut Surface2D, x: bf16, v: Vector<bf16, 8>) {
    let mut both = v;
    both.get_mut(1).assign(x);
    out.write(0, 0, &both);
}

#[test]
fn arguments_are_bf16() {
    for device in devices(1) {
        let mut out = Surface2D::new(&device, Format::R16, 8, 1).unwrap();
        let all: [bf16; 8] = std::array::from_fn(|n| bf16::from_f32(n as f32 * -1.7));
        let space = ThreadSpace::new(1, 1).unwrap();
        arguments::launch(&device, space, &mut out, bf16::PI, Vector::from_array(all)).unwrap();
        let expected = all.map(|x| if x == all[1] { bf16::PI } else { x });
        let bytes = out.to_vec().unwrap();
        assert_eq!(bytes, bytemuck::cast_slice::<bf16, u8>(&expected), "{}", device.name());
    }
}
