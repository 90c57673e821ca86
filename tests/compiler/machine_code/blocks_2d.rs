//! 2-D blocks of buffers: every form across every edge, in branches and loops, and products of matrices.

use cm::RegisterFile;
use cm::compiler::elem::ElemType;
use cm::ir::{Function, Type};
use cm::prelude::*;
use cm::spirv::lower_for;
use cm::text::parse;
use cm::verify::verify;
use cm_test_kernels::matrix_product::{
    matrix_product, matrix_product_2d, matrix_product_2d_large, matrix_product_of_8,
};
use cm_test_kernels::{blocks_2d as kernels, for_each_load_2d, for_each_store_2d};
use cm_test_support::arguments::{Argument, interpreted};
use cm_test_support::buffers::from_bytes;
use cm_test_support::emulator::Emulator;
use cm_test_support::noise::{finite_bytes, stream};

/// Bytes of a row, rows, and bytes from row to row.
const PICTURE: [i32; 3] = [136, 33, 144];
/// Columns in dwords and rows: inside, across each edge, outside, and at the limits of `i32`.
const PLACES: [[i32; 2]; 8] =
    [[0, 0], [17, 2], [-2, 3], [30, 0], [4, -3], [0, 30], [-40, 0], [-(1 << 29), i32::MIN]];

fn argument<T: Elem>(buffer: &Buffer<T>) -> Argument {
    Argument::Buffer(bytemuck::cast_slice(&buffer.to_vec().unwrap()).to_vec())
}

fn number(x: i32) -> Argument {
    Argument::Uniform(Type::scalar(ElemType::I32), x.to_le_bytes().to_vec())
}

/// Executes the machine code of a kernel for each device that has what it needs, and compares the arguments afterwards.
fn same(
    (emulator, has): (&Emulator, fn(Target) -> bool),
    (function, registers): (&Function, RegisterFile),
    threads: (usize, usize),
    before: &[Argument],
    after: &[Argument],
) {
    let name = &function.name;
    for (device, target) in emulator.devices_and_forms().filter(|(_, target)| has(*target)) {
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
    ($emulator:expr, $registers:expr, $kernel:path, $threads:expr, [$($buffer:expr),*], [$($number:expr),*]) => {
        same!(@for ($emulator, Target::has_2d_blocks), $registers, $kernel, $threads, [$($buffer),*], [$($number),*])
    };
    (@for $emulator:expr, $registers:expr, $kernel:path, $threads:expr, [$($buffer:expr),*], [$($number:expr),*]) => {{
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
    let input = finite_bytes(((height - 1) * pitch + width) as usize, 3);
    macro_rules! check {
        ($($name:ident: $t:ident $r:literal x $c:literal $form:ty;)*) => {$(
            for (n, [dwords, row]) in PLACES.into_iter().enumerate() {
                let x = from_bytes::<$t>(&device, &input).unwrap();
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
                let x = from_bytes::<$t>(&device, &finite_bytes(512, 4)).unwrap();
                let column = (i64::from(dwords) * 4 / size_of::<$t>() as i64) as i32 + n as i32 % 2;
                let at = Buffer::from_slice(&device, &[column, row, 0, 0]).unwrap();
                let old = finite_bytes(((height - 1) * pitch + width) as usize + 16, 5);
                let mut y = from_bytes::<$t>(&device, &old).unwrap();
                same!(&emulator, RegisterFile::Standard, kernels::$name, (1, 1), [x, at, y], [width, height, pitch]);
            }
        )*};
    }
    for_each_store_2d!(check);
}

/// Places that change in nested loops and in branches, and others that do not. Some rows are computed at each block.
#[kernel]
fn nested(x: &Buffer<u32>, y: &mut Buffer<u32>, width: u32, height: u32, rounds: u32) {
    let (column, row, pitch) = (thread_origin_x() * 8, thread_origin_y() * 4, width * 4);
    let mut sum = Matrix::<u32, 4, 8>::splat(0);
    if thread_origin_x() == 1 {
        sum += x.load_2d::<4, 8>(pitch, height, pitch, column, row + 1);
    }
    sum += x.load_2d::<4, 8>(pitch, height, pitch, column + 4, row) * 5;
    for i in 0..rounds {
        for j in 0..rounds {
            let same_column = x.load_2d::<4, 8>(pitch, height, pitch, column, row + i);
            let same_row = x.load_2d::<4, 8>(width * 4, height, width * 4, column + j, row);
            sum += same_column * 3 + same_row;
            if (j + thread_origin_x()) % 2 == 0 {
                sum -= x.load_2d::<4, 8>(pitch, height, pitch, column, row);
            } else {
                sum += x.load_2d::<4, 8>(width * 4, height - 1, width * 4, column + i, row + j);
            }
        }
        sum += x.load_2d::<4, 8>(width * 4, height - 2, width * 4, column, row + 8);
        // The next round reads what this one stored.
        y.store_2d(pitch, height, pitch, column, row, &sum);
        sum += y.load_2d::<4, 8>(pitch, height, pitch, column, row) >> 3;
        if i > 1 && (sum > 1000).any() {
            break;
        }
        sum += x.load_2d::<4, 8>(pitch, height, pitch, column + i, row);
    }
    y.store_2d(pitch, height, pitch, column, row, &sum);
    let last = x.load_2d::<4, 8>(pitch, height, pitch, column, row + 2);
    y.store_2d(pitch, height, pitch, column, row, &(sum + last));
}

/// More places in a loop than payloads are kept for.
#[kernel]
fn many_places(x: &Buffer<u32>, y: &mut Buffer<u32>, width: u32, height: u32, rounds: u32) {
    let (column, row, pitch) = (thread_origin_x() * 8, thread_origin_y() * 4, width * 4);
    let mut sum = Matrix::<u32, 4, 8>::splat(1);
    for i in 0..rounds {
        for n in 0..12u32 {
            sum += x.load_2d::<4, 8>(pitch, height, pitch, column + n, row + i) * (n + 1);
        }
    }
    y.store_2d(pitch, height, pitch, column, row, &sum);
}

#[test]
fn blocks_in_loops_are_those_of_the_cpu() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let device = Device::cpu().unwrap();
    let (width, height) = (24_u32, 13_u32);
    for rounds in [0_u32, 1, 4] {
        let x = from_bytes::<u32>(&device, &finite_bytes((width * height * 4) as usize, 9)).unwrap();
        let mut y = Buffer::<u32>::new(&device, (width * height) as usize).unwrap();
        same!(&emulator, RegisterFile::Standard, nested, (3, 4), [x, y], [width, height, rounds]);
        same!(&emulator, RegisterFile::Standard, many_places, (3, 4), [x, y], [width, height, rounds]);
    }
}

/// Elements of several sizes at a column that is a whole dword only of the longer ones.
#[test]
fn elements_of_several_sizes_have_places_of_their_own() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let text = "file 0 \"k.rs\"
        kernel sizes(x: read buffer u8, y: write buffer u8, w: i32, h: i32, n: i32, c: i32) {
            %0: i32 = argument #2 @0:1:1
            %1: i32 = argument #3 @0:1:1
            %2: i32 = argument #4 @0:1:1
            %3: i32 = argument #5 @0:1:1
            %4: i32 = constant 0 @0:1:1
            var $0: i32 = %4 @0:1:1
            loop @0:1:1 {
              %5: i32 = load $0 @0:1:1
              %6: u16 = lt.i32 %5, %2 @0:1:1
              %7: condition = any %6 @0:1:1
            } while %7 {
              %8: i32 = load $0 @0:1:1
              %9: u8<4x16> = block_load_2d #0 %0, %1, %0, %3, %8 @0:1:1
              %10: u16<4x16> = block_load_2d #0 %0, %1, %0, %3, %8 @0:1:1
              block_store_2d #1 %0, %1, %0, %4, %8, %9: u8<4x16> @0:1:1
              %11: i32 = constant 8 @0:1:1
              %12: i32 = add.i32 %8, %11 @0:1:1
              block_store_2d #1 %0, %1, %0, %4, %12, %10: u16<4x16> @0:1:1
              %13: i32 = constant 1 @0:1:1
              %14: i32 = add.i32 %8, %13 @0:1:1
              store $0, %14: i32 @0:1:1
            }
        }";
    let function = parse(text).unwrap();
    verify(&function).unwrap();
    for column in [2, 4, 5] {
        let (input, output) = (finite_bytes(64 * 16, 11), vec![7; 64 * 16]);
        let numbers = [64, 16, 3, column].map(number);
        let before: Vec<_> = [input, output].map(Argument::Buffer).into_iter().chain(numbers).collect();
        let after = interpreted(&function, &before).unwrap();
        same(
            (&emulator, Target::has_2d_blocks),
            (&function, RegisterFile::Standard),
            (1, 1),
            &before,
            &after,
        );
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
    // The kernels for tiles take these numbers as tiles: other matrices, with the same exact sums.
    let (a, b) = (matrix(&device, size, 1), matrix(&device, size, 2));
    let sums = || Buffer::<f32>::new(&device, size * size).unwrap();
    let mut c = sums();
    let (steps, pitch) = (size as u32 / 16, size as u32 * 4);
    same!(&emulator, RegisterFile::Standard, matrix_product, (3, 3), [a, b, c], [steps, pitch]);
    let mut c = sums();
    same!(&emulator, RegisterFile::Standard, matrix_product_2d, (3, 3), [a, b, c], [size as u32]);
    let has = |target: Target| target.dpas_lanes() == Some(8);
    let mut c = sums();
    same!(@for (&emulator, has), RegisterFile::Standard, matrix_product_of_8, (6, 3), [a, b, c], [steps, pitch]);
    let (large, mut c) = (emulator.with_registers(RegisterFile::Large), sums());
    same!(&large, RegisterFile::Large, matrix_product_2d_large, (2, 3), [a, b, c], [size as u32]);
}
