//! Kernels of buffers, with every buffer message.

use cm::prelude::*;
use cm_test_kernels::buffers as kernels;
use cm_test_support::emulator::Emulator;
use cm_test_support::noise::{small, stream};
use cm_test_support::numbers::numbers;

use super::modules;

fn bytes_of<T: Elem>(buffer: &Buffer<T>) -> Vec<u8> {
    bytemuck::cast_slice(&buffer.to_vec().unwrap()).to_vec()
}

/// Launches a kernel on the CPU, and executes the machine code of each of its forms on Gen9. All buffers must
/// be equal afterwards. Buffers are given in the order of the parameters, as `&name` or `&mut name`.
macro_rules! same {
    (@bytes $buffer:ident) => { bytes_of(&$buffer) };
    ($emulator:ident, $kernel:ty, $grid:expr, [$($buffer:ident),*], [$($argument:expr),*], $call:expr) => {{
        let before = [$(same!(@bytes $buffer)),*];
        let grid: (usize, usize) = $grid;
        let device = Device::cpu().unwrap();
        #[allow(clippy::redundant_closure_call)]
        $call(&device, ThreadSpace::new(grid.0, grid.1).unwrap());
        let after = [$(same!(@bytes $buffer)),*];
        let arguments: Vec<Vec<u8>> = vec![$(bytemuck::bytes_of(&$argument).to_vec()),*];
        let name = <$kernel as cm::__private::Kernel>::NAME;
        let function = <$kernel>::ir().unwrap();
        for (device, target, module) in modules(&$emulator, &function, &[Target::Gen9, Target::XeHpc]) {
            let before: Vec<&[u8]> = before.iter().map(|bytes| &bytes[..]).collect();
            let found = $emulator.run_on_buffers((&module, device), name, grid, &before, &arguments);
            for (n, (found, expected)) in found.iter().zip(&after).enumerate() {
                assert!(found == expected, "{name} on {device} in the form for {target}, buffer {n}\n{found:?}\n{expected:?}");
            }
        }
    }};
}

#[test]
fn uses_of_buffers() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let device = Device::cpu().unwrap();

    let x = Buffer::from_slice(&device, &small::<f32>(200, 1)).unwrap();
    let mut y = Buffer::from_slice(&device, &small::<f32>(200, 2)).unwrap();
    same!(emulator, kernels::axpy, (7, 1), [x, y], [0.375f32], |device: &Device, space| {
        kernels::axpy::launch(device, space, 0.375, &x, &mut y).unwrap();
    });

    let values = Buffer::from_slice(&device, &small::<u8>(64 * 12, 3)).unwrap();
    let mut bins = Buffer::<u32>::new(&device, 200).unwrap();
    same!(emulator, kernels::histogram, (3, 4), [values, bins], [], |device: &Device, space| {
        kernels::histogram::launch(device, space, &values, &mut bins).unwrap();
    });

    let input = Buffer::from_slice(&device, &small::<u16>(32 * 32, 4)).unwrap();
    let mut output = Buffer::<u16>::new(&device, 32 * 32).unwrap();
    same!(emulator, kernels::transpose, (2, 2), [input, output], [32u32], |device: &Device, space| {
        kernels::transpose::launch(device, space, &input, &mut output, 32).unwrap();
    });

    let input = Buffer::from_slice(&device, &small::<i8>(96, 5)).unwrap();
    let mut output = Buffer::<i8>::new(&device, 96).unwrap();
    same!(emulator, kernels::reverse, (3, 1), [input, output], [95u32], |device: &Device, space| {
        kernels::reverse::launch(device, space, &input, &mut output, 95).unwrap();
    });

    let x = Buffer::from_slice(&device, &small::<i32>(60, 6)).unwrap();
    let mut y = Buffer::<i32>::new(&device, 60).unwrap();
    same!(emulator, kernels::differences, (8, 1), [x, y], [], |device: &Device, space| {
        kernels::differences::launch(device, space, &x, &mut y).unwrap();
    });
}

#[test]
fn blocks_of_buffers() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let device = Device::cpu().unwrap();
    macro_rules! blocks {
        ($($kernel:ident: $t:ident, $len:literal;)*) => {$(
            for (from, to) in [(0u32, 0u32), (16, 48), (4, 32), (7, 3), (100, 19), (480, 500), (u32::MAX - 31, 16)] {
                let input = Buffer::from_slice(&device, &small::<$t>($len, 5)).unwrap();
                let mut output = Buffer::from_slice(&device, &small::<$t>($len, 6)).unwrap();
                same!(emulator, kernels::$kernel, (1, 1), [input, output], [from, to], |device: &Device, space| {
                    kernels::$kernel::launch(device, space, &input, &mut output, from, to).unwrap();
                });
            }
        )*};
    }
    blocks! { blocks_u8: u8, 500; blocks_u16: u16, 258; blocks_i32: i32, 125; blocks_u64: u64, 65; }
}

#[test]
fn scattered_elements_of_buffers() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let device = Device::cpu().unwrap();
    macro_rules! scattered {
        ($($kernel:ident: $t:ident;)*) => {$(
            for base in [0, 5, -2] {
                let input = Buffer::from_slice(&device, &small::<$t>(67, 5)).unwrap();
                let at = Buffer::from_slice(&device, &numbers(64, (base + 9) as u32, true)).unwrap();
                let mut output = Buffer::from_slice(&device, &small::<$t>(67, 6)).unwrap();
                same!(emulator, kernels::$kernel, (1, 1), [input, at, output], [base], |device: &Device, space| {
                    kernels::$kernel::launch(device, space, &input, &at, &mut output, base).unwrap();
                });
            }
        )*};
    }
    scattered! {
        scattered_u8: u8; scattered_i8: i8; scattered_u16: u16; scattered_i16: i16; scattered_f16: f16;
        scattered_u32: u32; scattered_i32: i32; scattered_f32: f32;
    }
}

#[test]
fn atomic_operations_on_buffers() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let device = Device::cpu().unwrap();
    macro_rules! atomics {
        ($($kernel:ident: $t:ident, $($lanes:literal)*;)*) => {$($(
            let mut next = stream(3 + $lanes);
            let mut all = |len: usize| -> Vec<$t> {
                (0..len).map(|i| if i % 3 == 0 { (next() % 4) as $t } else { next() as $t }).collect()
            };
            let mut at = numbers(12, $lanes, false);
            for lane in 0..32 {
                at[32 + lane] = lane as u32;
            }
            let at = Buffer::from_slice(&device, &at).unwrap();
            let sources = Buffer::from_slice(&device, &all(64)).unwrap();
            let mut cells = Buffer::from_slice(&device, &all(12)).unwrap();
            let mut old = Buffer::<$t>::new(&device, 12 * $lanes).unwrap();
            same!(emulator, kernels::$kernel<$lanes>, (1, 1), [at, sources, cells, old], [], |device: &Device, space| {
                kernels::$kernel::<$lanes>::launch(device, space, &at, &sources, &mut cells, &mut old).unwrap();
            });
        )*)*};
    }
    atomics! { atomics_u32: u32, 1 2 4 8 16 32; atomics_i32: i32, 1 8 32; }
}

/// Operations on blocks that are next to each other, beyond the ends of the buffers too.
#[kernel]
fn long_blocks(factor: f32, x: &Buffer<f32>, y: &mut Buffer<f32>, n: &Buffer<i32>, m: &mut Buffer<i32>) {
    for block in 0..4 {
        let offset = thread_origin_x() * 512 + block * 128;
        let (a, b) = (x.read::<32>(offset), y.read::<32>(offset));
        let mut sum = a * factor + b;
        sum.merge(a - factor, &(b < a));
        y.write(offset, &sum);
        let both: Vector<i32, 32> = n.read::<32>(offset) * 3 + (m.read::<32>(offset) >> 1);
        m.write(offset, &both);
    }
}

#[test]
fn long_blocks_of_buffers() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let device = Device::cpu().unwrap();
    // The last block of the longest buffer is not whole.
    for len in [384, 300, 129, 101, 4] {
        let x = Buffer::from_slice(&device, &small::<f32>(len, 1)).unwrap();
        let mut y = Buffer::from_slice(&device, &small::<f32>(len, 2)).unwrap();
        let n = Buffer::from_slice(&device, &small::<i32>(len, 3)).unwrap();
        let mut m = Buffer::from_slice(&device, &small::<i32>(len, 4)).unwrap();
        same!(emulator, long_blocks, (3, 1), [x, y, n, m], [0.375f32], |device: &Device, space| {
            long_blocks::launch(device, space, 0.375, &x, &mut y, &n, &mut m).unwrap();
        });
    }
}

macro_rules! large_blocks {
    ($($name:ident: $t:ident, $count:literal;)*) => {$(
        /// Operations on blocks of 256 bytes.
        #[kernel]
        fn $name(factor: $t, x: &Buffer<$t>, y: &mut Buffer<$t>) {
            let offset = thread_origin_x() * 256;
            let (a, b) = (x.read_linear::<$count>(offset), y.read_linear::<$count>(offset));
            let mut sum: Vector<$t, $count> = (a * factor + b).convert();
            sum.merge(a, &(b < a));
            y.write_linear(offset, &sum);
        }
    )*};
}

large_blocks! {
    large_blocks_u8: u8, 256;
    large_blocks_i16: i16, 128;
    large_blocks_f16: f16, 128;
    large_blocks_u32: u32, 64;
    large_blocks_u64: u64, 32;
}

#[test]
fn blocks_of_256_bytes_of_all_elements() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let device = Device::cpu().unwrap();
    macro_rules! check {
        ($($kernel:ident: $t:ident, $factor:expr;)*) => {$(
            for bytes in [1024, 760, 600, 264, 248, 8] {
                let len = bytes / size_of::<$t>();
                let x = Buffer::from_slice(&device, &small::<$t>(len, 1)).unwrap();
                let mut y = Buffer::from_slice(&device, &small::<$t>(len, 2)).unwrap();
                same!(emulator, $kernel, (3, 1), [x, y], [$factor], |device: &Device, space| {
                    $kernel::launch(device, space, $factor, &x, &mut y).unwrap();
                });
            }
        )*};
    }
    check! {
        large_blocks_u8: u8, 3u8;
        large_blocks_i16: i16, 7i16;
        large_blocks_f16: f16, f16::from_f32(0.375);
        large_blocks_u32: u32, 7u32;
        large_blocks_u64: u64, 7u64;
    }
}
