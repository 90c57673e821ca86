//! 2-D blocks of buffers: every form across every edge, in branches and loops, and products of matrices.

use cm::RegisterFile;
use cm::compiler::elem::ElemType;
use cm::ir::{Function, Type};
use cm::prelude::*;
use cm::spirv::lower_for;
use cm_test_kernels::matrix_product::{matrix_product, matrix_product_2d, matrix_product_2d_large};
use cm_test_kernels::{blocks_2d as kernels, for_each_load_2d, for_each_store_2d};
use cm_test_support::arguments::Argument;
use cm_test_support::emulator::Emulator;
use cm_test_support::noise::stream;

/// Bytes of a row, rows, and bytes from row to row.
const PICTURE: [i32; 3] = [136, 33, 144];
/// Columns in dwords and rows: inside, across each edge, outside, and at the limits of `i32`.
const PLACES: [[i32; 2]; 8] =
    [[0, 0], [17, 2], [-2, 3], [30, 0], [4, -3], [0, 30], [-40, 0], [-(1 << 29), i32::MIN]];

/// No byte pattern that makes an infinity or a NaN.
fn bytes(len: usize, seed: u32) -> Vec<u8> {
    let mut next = stream(seed);
    (0..len).map(|_| (next() >> 7) as u8 & 0x3f).collect()
}

fn buffer<T: Elem>(device: &Device, bytes: &[u8]) -> Buffer<T> {
    let mut elements = vec![T::default(); bytes.len() / size_of::<T>()];
    bytemuck::cast_slice_mut(&mut elements).copy_from_slice(bytes);
    Buffer::from_slice(device, &elements).unwrap()
}

fn argument<T: Elem>(buffer: &Buffer<T>) -> Argument {
    Argument::Buffer(bytemuck::cast_slice(&buffer.to_vec().unwrap()).to_vec())
}

fn number(x: i32) -> Argument {
    Argument::Uniform(Type::scalar(ElemType::I32), x.to_le_bytes().to_vec())
}

/// Executes the machine code of a kernel for each device that has the messages, and compares the arguments afterwards.
fn same(
    emulator: &Emulator,
    (function, registers): (&Function, RegisterFile),
    threads: (usize, usize),
    before: &[Argument],
    after: &[Argument],
) {
    let name = &function.name;
    for &(device, target) in emulator.devices().iter().filter(|(_, target)| target.has_2d_blocks()) {
        let module = lower_for(function, target, registers).unwrap();
        let code = emulator.compile((&module, device), name);
        let found = code.execute_on(threads, &code.binding(function, target).unwrap(), before);
        let found = found.unwrap_or_else(|error| panic!("{name} on {device}: {error}"));
        for (n, (found, expected)) in found.iter().zip(after).enumerate() {
            assert!(found == expected, "{name} on {device}, argument {n}: {before:?}");
        }
    }
}

/// Launches a kernel on the CPU, and executes its machine code on the same arguments: buffers, then numbers.
macro_rules! same {
    ($emulator:expr, $registers:expr, $kernel:path, $threads:expr, [$($buffer:expr),*], [$($number:expr),*]) => {{
        use $kernel as kernel;
        let (columns, rows): (usize, usize) = $threads;
        let device = Device::cpu().unwrap();
        let numbers = [$(number($number as i32)),*];
        let before: Vec<_> = [$(argument(&$buffer)),*].into_iter().chain(numbers.clone()).collect();
        let space = ThreadSpace::new(columns, rows).unwrap();
        same!(@launch kernel (&device, space) [$($buffer),*] [$($number),*]);
        let after: Vec<_> = [$(argument(&$buffer)),*].into_iter().chain(numbers).collect();
        same($emulator, (&kernel::ir().unwrap(), $registers), (columns, rows), &before, &after);
    }};
    (@launch $kernel:ident ($device:expr, $space:expr) [$x:expr, $y:expr] [$($number:expr),*]) => {
        $kernel::launch($device, $space, &$x, &mut $y, $($number),*).unwrap()
    };
    (@launch $kernel:ident ($device:expr, $space:expr) [$x:expr, $y:expr, $z:expr] [$($number:expr),*]) => {
        $kernel::launch($device, $space, &$x, &$y, &mut $z, $($number),*).unwrap()
    };
}

#[test]
fn loads_are_those_of_the_cpu() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let device = Device::cpu().unwrap();
    let [width, height, pitch] = PICTURE;
    let input = bytes(((height - 1) * pitch + width) as usize, 3);
    macro_rules! check {
        ($($name:ident: $t:ident $r:literal x $c:literal $form:ty;)*) => {$(
            for (n, [dwords, row]) in PLACES.into_iter().enumerate() {
                let x = buffer::<$t>(&device, &input);
                // Offsets inside of a dword are rounded down.
                let column = (i64::from(dwords) * 4 / size_of::<$t>() as i64) as i32 + n as i32 % 2;
                let at = Buffer::from_slice(&device, &[column, row, 0, 0]).unwrap();
                let mut y = Buffer::<$t>::new(&device, $r * $c).unwrap();
                same!(&emulator, RegisterFile::Standard, kernels::$name, (1, 1), [x, at, y], [width, height, pitch]);
            }
        )*};
    }
    for_each_load_2d!(check);
}

#[test]
fn stores_are_those_of_the_cpu() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let device = Device::cpu().unwrap();
    let [width, height, pitch] = PICTURE;
    macro_rules! check {
        ($($name:ident: $t:ident $r:literal x $c:literal;)*) => {$(
            for (n, [dwords, row]) in PLACES.into_iter().enumerate() {
                let x = buffer::<$t>(&device, &bytes(512, 4));
                let column = (i64::from(dwords) * 4 / size_of::<$t>() as i64) as i32 + n as i32 % 2;
                let at = Buffer::from_slice(&device, &[column, row, 0, 0]).unwrap();
                let mut y = buffer::<$t>(&device, &bytes(((height - 1) * pitch + width) as usize + 16, 5));
                same!(&emulator, RegisterFile::Standard, kernels::$name, (1, 1), [x, at, y], [width, height, pitch]);
            }
        )*};
    }
    for_each_store_2d!(check);
}

/// Places that change in nested loops and in branches, and others that do not.
#[kernel]
fn nested(x: &Buffer<u32>, y: &mut Buffer<u32>, width: u32, height: u32, rounds: u32) {
    let (column, row) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let mut sum = Matrix::<u32, 4, 8>::splat(0);
    for i in 0..rounds {
        for j in 0..rounds {
            let same_column = x.load_2d::<4, 8>(width * 4, height, width * 4, column, row + i);
            let same_row = x.load_2d::<4, 8>(width * 4, height, width * 4, column + j, row);
            sum += same_column * 3 + same_row;
            if (j + thread_origin_x()) % 2 == 0 {
                sum -= x.load_2d::<4, 8>(width * 4, height, width * 4, column, row);
            } else {
                sum += x.load_2d::<4, 8>(width * 4, height - 1, width * 4, column + i, row + j);
            }
        }
        sum += x.load_2d::<4, 8>(width * 4, height - 2, width * 4, column, row + 8);
    }
    y.store_2d(width * 4, height, width * 4, column, row, &sum);
    let last = x.load_2d::<4, 8>(width * 4, height, width * 4, column, row + 2);
    y.store_2d(width * 4, height, width * 4, column, row, &(sum + last));
}

#[test]
fn blocks_in_loops_are_those_of_the_cpu() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let device = Device::cpu().unwrap();
    let (width, height) = (24_u32, 13_u32);
    for rounds in [0_u32, 1, 4] {
        let x = buffer::<u32>(&device, &bytes((width * height * 4) as usize, 9));
        let mut y = Buffer::<u32>::new(&device, (width * height) as usize).unwrap();
        same!(&emulator, RegisterFile::Standard, nested, (3, 4), [x, y], [width, height, rounds]);
    }
}

/// Numbers for which all sums are exact, so that every engine gives the same bits.
fn matrix(device: &Device, size: usize, seed: u32) -> Buffer<f16> {
    let mut next = stream(seed);
    let all: Vec<f16> = (0..size * size).map(|_| f16::from_f32((next() % 33) as f32 / 8.0 - 2.0)).collect();
    Buffer::from_slice(device, &all).unwrap()
}

#[test]
fn products_of_matrices_are_those_of_the_cpu() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let device = Device::cpu().unwrap();
    let size = 96_usize;
    let (a, b) = (matrix(&device, size, 1), matrix(&device, size, 2));
    let sums = || Buffer::<f32>::new(&device, size * size).unwrap();
    let mut c = sums();
    let (steps, pitch) = (size as u32 / 16, size as u32 * 4);
    same!(&emulator, RegisterFile::Standard, matrix_product, (3, 3), [a, b, c], [steps, pitch]);
    let mut c = sums();
    same!(&emulator, RegisterFile::Standard, matrix_product_2d, (3, 3), [a, b, c], [size as u32]);
    let (large, mut c) = (emulator.with_registers(RegisterFile::Large), sums());
    same!(&large, RegisterFile::Large, matrix_product_2d_large, (2, 3), [a, b, c], [size as u32]);
}
