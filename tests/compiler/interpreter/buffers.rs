//! Kernels of buffers, launched and interpreted.

use cm::interpret::{InterpretArg, interpret};
use cm::ir::Function;
use cm::prelude::*;
use cm::text::parse;
use cm::verify::verify;
use cm_test_kernels::buffers as kernels;
use cm_test_support::memory::Linear;
use cm_test_support::noise::small;
use cm_test_support::numbers::numbers;
use proptest::prelude::*;

use super::{Uniform, number};

fn bytes_of<T: Elem>(buffer: &Buffer<T>) -> Vec<u8> {
    bytemuck::cast_slice(&buffer.to_vec().unwrap()).to_vec()
}

/// The bytes of the buffers after the kernel was interpreted for every thread. `first`: the uniform arguments
/// precede the buffers.
fn interpreted(
    function: &Function,
    (width, height): (u32, u32),
    before: Vec<Vec<u8>>,
    uniforms: &[Uniform],
    first: bool,
) -> Vec<Vec<u8>> {
    verify(function).unwrap();
    assert_eq!(parse(&function.to_string()).as_ref(), Ok(function));
    let mut buffers: Vec<Linear> = before.into_iter().map(Linear::new).collect();
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let mut args: Vec<_> = buffers.iter_mut().map(|buffer| InterpretArg::Buffer(buffer)).collect();
        let at = if first { 0 } else { args.len() };
        let uniforms = uniforms.iter().map(|(ty, bytes)| InterpretArg::Uniform { ty: *ty, bytes });
        args.splice(at..at, uniforms);
        interpret(function, &mut args, [x, y]).unwrap();
    }
    buffers.into_iter().map(Linear::into_bytes).collect()
}

fn elements<T: Elem>(len: usize, seed: u32) -> Buffer<T> {
    Buffer::from_slice(&Device::cpu().unwrap(), &small::<T>(len, seed)).unwrap()
}

/// Launches a kernel with these buffers and uniform arguments, interprets it, and compares the results.
macro_rules! check {
    ($kernel:ty, $space:expr, [$($buffer:ident),*], $uniforms:expr, $first:expr, |$device:ident, $threads:ident| $call:expr) => {{
        let before = vec![$(bytes_of(&$buffer)),*];
        let (width, height): (u32, u32) = $space;
        let $device = &Device::cpu().unwrap();
        let $threads = ThreadSpace::new(width as usize, height as usize).unwrap();
        $call.unwrap();
        let after = vec![$(bytes_of(&$buffer)),*];
        let function = <$kernel>::ir().unwrap();
        assert_eq!(interpreted(&function, (width, height), before, &$uniforms, $first), after, "{function}");
    }};
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn uses(seed: u32, len in 1usize..400, threads in (1u32..5, 1u32..3), a in -100i16..100) {
        let a = f32::from(a) / 8.0;
        let (x, mut y) = (elements::<f32>(len, seed), elements::<f32>(len, !seed));
        check!(kernels::axpy, threads, [x, y], [number(a)], true, |d, s| kernels::axpy::launch(d, s, a, &x, &mut y));
        let (x, mut bins) = (elements::<u8>(len, seed), elements::<u32>(200, seed));
        check!(kernels::histogram, threads, [x, bins], [], false, |d, s| kernels::histogram::launch(d, s, &x, &mut bins));
        let (x, mut y, width) = (elements::<u16>(len * 4, seed), elements::<u16>(len * 5, 7), len as u32 % 40);
        check!(kernels::transpose, threads, [x, y], [number(width)], false, |d, s| {
            kernels::transpose::launch(d, s, &x, &mut y, width)
        });
        let (x, mut y, last) = (elements::<i8>(len, seed), elements::<i8>(len, 7), len as u32 - 1);
        check!(kernels::reverse, threads, [x, y], [number(last)], false, |d, s| {
            kernels::reverse::launch(d, s, &x, &mut y, last)
        });
        let (x, mut y) = (elements::<i32>(len, seed), elements::<i32>(len, !seed));
        check!(kernels::differences, threads, [x, y], [], false, |d, s| kernels::differences::launch(d, s, &x, &mut y));
    }

    #[test]
    fn blocks(seed: u32, len in 1usize..600, from in 0u32..2000, to in 0u32..2000, far: u32) {
        macro_rules! all {
            ($($kernel:ident: $t:ident),*) => {$(
                for (from, to) in [(from, to), (far, to), (from, far)] {
                    let (x, mut y) = (elements::<$t>(len, seed), elements::<$t>(len, !seed));
                    check!(kernels::$kernel, (1, 1), [x, y], [number(from), number(to)], false, |d, s| {
                        kernels::$kernel::launch(d, s, &x, &mut y, from, to)
                    });
                }
            )*};
        }
        all!(blocks_u8: u8, blocks_u16: u16, blocks_i32: i32, blocks_u64: u64);
    }

    #[test]
    fn scattered(seed: u32, len in 32usize..100, base in -8i32..40, distinct: bool) {
        let at = Buffer::from_slice(&Device::cpu().unwrap(), &numbers(len as u32, seed, distinct)).unwrap();
        macro_rules! all {
            ($($kernel:ident: $t:ident),*) => {$({
                let (x, mut y) = (elements::<$t>(len, seed), elements::<$t>(len, !seed));
                check!(kernels::$kernel, (1, 1), [x, at, y], [number(base)], false, |d, s| {
                    kernels::$kernel::launch(d, s, &x, &at, &mut y, base)
                });
            })*};
        }
        all!(scattered_u8: u8, scattered_i16: i16, scattered_f16: f16, scattered_u32: u32, scattered_f32: f32, scattered_u64: u64);
    }

    #[test]
    fn atomics(seed: u32, len in 1usize..40) {
        let at = Buffer::from_slice(&Device::cpu().unwrap(), &numbers(len as u32, seed, false)).unwrap();
        macro_rules! all {
            ($($kernel:ident: $t:ident, $lanes:literal),*) => {$({
                let (x, mut y) = (elements::<$t>(64, seed), elements::<$t>(len, !seed));
                let mut old = elements::<$t>(400, 3);
                check!(kernels::$kernel<$lanes>, (2, 1), [at, x, y, old], [], false, |d, s| {
                    kernels::$kernel::<$lanes>::launch(d, s, &at, &x, &mut y, &mut old)
                });
            })*};
        }
        all!(
            atomics_u32: u32, 1, atomics_u32: u32, 16, atomics_i32: i32, 32, atomics_i32: i32, 2,
            atomics_u16: u16, 8, atomics_i16: i16, 32, atomics_f32: f32, 16, atomics_f16: f16, 4
        );
    }

    #[test]
    fn atomics_of_64_bits(seed: u32, len in 1usize..12) {
        let at = Buffer::from_slice(&Device::cpu().unwrap(), &numbers(len as u32, seed, false)).unwrap();
        macro_rules! all {
            ($($kernel:ident: $t:ident),*) => {$({
                let (x, mut y) = (elements::<$t>(16, seed), elements::<$t>(len, !seed));
                let mut old = elements::<$t>(96, 3);
                check!(kernels::$kernel, (1, 1), [at, x, y, old], [], false, |d, s| {
                    kernels::$kernel::launch(d, s, &at, &x, &mut y, &mut old)
                });
            })*};
        }
        all!(atomics_u64: u64, atomics_i64: i64);
    }

    #[test]
    fn masked(seed: u32, len in 32usize..100, base in -8i32..40, bits: u32) {
        let at = Buffer::from_slice(&Device::cpu().unwrap(), &numbers(len as u32, seed, true)).unwrap();
        macro_rules! all {
            ($($kernel:ident: $t:ident),*) => {$({
                let (x, mut y) = (elements::<$t>(len, seed), elements::<$t>(len, !seed));
                check!(kernels::$kernel, (1, 1), [x, at, y], [number(base), number(bits)], false, |d, s| {
                    kernels::$kernel::launch(d, s, &x, &at, &mut y, base, bits)
                });
            })*};
        }
        all!(masked_u8: u8, masked_i16: i16, masked_f32: f32);
    }
}
