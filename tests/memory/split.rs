//! Blocks of sizes that no single message carries: reads, writes, and errors.

use cm::interpret::{InterpretArg, interpret};
use cm::ir::{Function, Type};
use cm::prelude::*;
use cm_test_kernels::split as kernels;
use cm_test_support::devices::surface_devices;
use cm_test_support::memory::{Linear, Memory};
use cm_test_support::noise;
use cm_test_support::numbers::elements;

const WIDTH: usize = 108;
const HEIGHT: usize = 41;

fn bytes(count: usize) -> Vec<u8> {
    noise::bytes(count, 7)
}

/// The bytes after a copy to column 4 and row 3: reads repeat the edge, out-of-bounds writes are dropped.
fn copied(input: &[u8], (rows, columns): (usize, usize), (x, y): (i32, i32)) -> Vec<u8> {
    let mut output = vec![0; WIDTH * HEIGHT];
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let from = |first: i32, at: usize, end: usize| (first + at as i32).clamp(0, end as i32 - 1) as usize;
        let (to_x, to_y) = (column + 4, row + 3);
        if to_x < WIDTH && to_y < HEIGHT {
            output[to_y * WIDTH + to_x] = input[from(y, row, HEIGHT) * WIDTH + from(x, column, WIDTH)];
        }
    }
    output
}

/// The same by the interpreter.
fn interpreted(function: &Function, input: &[u8], position: (i32, i32)) -> Vec<u8> {
    let mut surfaces =
        [input.to_vec(), vec![0; WIDTH * HEIGHT]].map(|bytes| Memory::new(1, WIDTH, HEIGHT, &bytes));
    let mut args: Vec<_> = surfaces.iter_mut().map(|surface| InterpretArg::Surface(surface)).collect();
    let numbers = [position.0, position.1];
    let ty = Type::new(cm::elem::ElemType::I32, 1, 1);
    args.extend(numbers.iter().map(|x| InterpretArg::Uniform { ty, bytes: bytemuck::bytes_of(x) }));
    interpret(function, &mut args, [0, 0]).unwrap();
    drop(args);
    surfaces[1].bytes()
}

macro_rules! blocks {
    ($($kernel:ident: $bytes:literal x $rows:literal;)*) => {$(
        #[test]
        fn $kernel() {
            let input = bytes(WIDTH * HEIGHT);
            for position in [(0, 0), (8, 5), (-24, -9), (88, 37)] {
                let expected = copied(&input, ($rows, $bytes), position);
                let function = kernels::$kernel::ir().unwrap();
                assert_eq!(interpreted(&function, &input, position), expected, "interpreted at {position:?}");
                for device in surface_devices(1) {
                    let from = Surface2D::from_bytes(&device, Format::R8, WIDTH, HEIGHT, &input).unwrap();
                    let mut to = Surface2D::new(&device, Format::R8, WIDTH, HEIGHT).unwrap();
                    let space = ThreadSpace::new(1, 1).unwrap();
                    kernels::$kernel::launch(&device, space, &from, &mut to, position.0, position.1).unwrap();
                    assert_eq!(to.to_vec().unwrap(), expected, "{} at {position:?}", device.name());
                }
            }
        }
    )*};
}

blocks! {
    block_of_bytes: 96 x 20;
    block_of_odd_rows: 44 x 7;
    block_of_one_row: 100 x 1;
    block_of_words: 12 x 33;
    block_of_floats: 76 x 9;
    block_of_qwords: 88 x 5;
    block_of_one_message: 32 x 8;
}

#[test]
fn rows_that_are_no_dwords_are_read() {
    let input = bytes(WIDTH * HEIGHT);
    let mut expected = copied(&input, (70, 3), (-1, -20));
    for row in 3..HEIGHT {
        expected[row * WIDTH + 7] = 0;
    }
    for device in surface_devices(1) {
        let from = Surface2D::from_bytes(&device, Format::R8, WIDTH, HEIGHT, &input).unwrap();
        let mut to = Surface2D::new(&device, Format::R8, WIDTH, HEIGHT).unwrap();
        let space = ThreadSpace::new(1, 1).unwrap();
        kernels::block_of_three_columns::launch(&device, space, &from, &mut to, -1, -20).unwrap();
        assert_eq!(to.to_vec().unwrap(), expected, "{}", device.name());
    }
}

/// Out-of-bounds reads give 0, out-of-bounds writes are dropped: the last thread is partly out of bounds.
macro_rules! linear {
    ($($kernel:ident: $t:ident, $count:literal;)*) => {$(
        #[test]
        fn $kernel() {
            const THREADS: usize = 3;
            let bytes = bytes((THREADS * $count - $count / 4) * size_of::<$t>());
            let function = kernels::$kernel::ir().unwrap();
            let mut buffers = [bytes.clone(), vec![0; bytes.len()]].map(Linear::new);
            for x in 0..THREADS as u32 {
                let mut args: Vec<_> = buffers.iter_mut().map(|buffer| InterpretArg::Buffer(buffer)).collect();
                interpret(&function, &mut args, [x, 0]).unwrap();
            }
            let [_, written] = buffers;
            assert_eq!(written.into_bytes(), bytes, "the interpreter");
            for device in surface_devices(1) {
                let elements: Vec<$t> = elements(&bytes);
                let from = Buffer::from_slice(&device, &elements).unwrap();
                let mut to = Buffer::<$t>::new(&device, elements.len()).unwrap();
                kernels::$kernel::launch(&device, ThreadSpace::new(THREADS, 1).unwrap(), &from, &mut to).unwrap();
                assert_eq!(bytemuck::cast_slice::<$t, u8>(&to.to_vec().unwrap()), bytes, "{}", device.name());
            }
        }
    )*};
}

linear! {
    linear_bytes: u8, 240;
    linear_words: u16, 8;
    linear_floats: f32, 100;
    linear_qwords: i64, 22;
}

#[kernel]
fn ten_floats(input: &Buffer<f32>, output: &mut Buffer<f32>) {
    output.write_linear(0, &input.read_linear::<10>(0));
}

#[kernel]
fn ten_floats_written(output: &mut Buffer<f32>) {
    output.write_linear(0, &Vector::<f32, 10>::splat(1.0));
}

#[kernel]
fn rows_of_seven_bytes(output: &mut Surface2D) {
    output.write_block(0, 0, &Matrix::<u8, 9, 7>::splat(1));
}

#[test]
fn sizes_that_no_messages_make_are_refused() {
    for (recorded, words) in [
        (ten_floats::ir(), "a linear block of 40 bytes"),
        (ten_floats_written::ir(), "a linear block of 40 bytes"),
        (rows_of_seven_bytes::ir(), "7 bytes"),
    ] {
        let error = recorded.unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("split.rs"), "{error}");
    }
}
