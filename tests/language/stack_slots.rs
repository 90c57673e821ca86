//! Named trees of which only regions are used: the CPU writes their results where the regions are read, for two threads side by
//! side in one row. Against scalar code.

use cm::CpuEngine;
use cm::prelude::*;
use cm_test_support::noise;
use cm_test_support::numbers::elements;

const WIDTH: i32 = 203;
const HEIGHT: i32 = 29;

/// A filter of 5 x 5 bytes. The sums of columns are numbers of 12 bits.
#[kernel]
fn words(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let m = input.read_block::<u8, 8, 20>(x.convert::<i32>() - 2, y.convert::<i32>() - 2);
    let sums: Matrix<u16, 4, 20> = (m.select::<4, 1, 20, 1>(0, 0)
        + m.select::<4, 1, 20, 1>(4, 0)
        + (m.select::<4, 1, 20, 1>(1, 0) + m.select::<4, 1, 20, 1>(3, 0)) * 4
        + m.select::<4, 1, 20, 1>(2, 0) * 6)
        .convert();
    let out = sums.select::<4, 1, 16, 1>(0, 0)
        + sums.select::<4, 1, 16, 1>(0, 4)
        + (sums.select::<4, 1, 16, 1>(0, 1) + sums.select::<4, 1, 16, 1>(0, 3)) * 4
        + sums.select::<4, 1, 16, 1>(0, 2) * 6;
    output.write_block(x * 4, y, &((out + 128) >> 8).convert::<i32>());
}

fn words_of(at: &dyn Fn(i32, i32) -> i32, x: i32, y: i32, r: i32, c: i32) -> i32 {
    let factors = [1, 4, 6, 4, 1];
    let row =
        |k: i32| (0..5).map(|j| at(x * 16 + c + j - 2, y * 4 + r + k - 2) * factors[j as usize]).sum::<i32>();
    ((0..5).map(|k| row(k) * factors[k as usize]).sum::<i32>() + 128) >> 8
}

/// Rows of 40 columns, of which the threads have 8 in common; a row with a name, the whole, and columns with gaps.
#[kernel]
fn signed(input: &Surface2D, output: &mut Surface2D, at: u32) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let m = input.read_block::<u8, 6, 40>(x, y);
    let v: Matrix<i16, 4, 40> =
        (m.select::<4, 1, 40, 1>(0, 0) * 3 - m.select::<4, 1, 40, 1>(2, 0) * 100).convert();
    let third = v.row(2);
    let mut out: Matrix<i32, 4, 32> =
        (v.select::<4, 1, 32, 1>(0, 7) - v.select::<4, 1, 32, 1>(0, 1) * 3).convert();
    let all: Matrix<i32, 4, 40> = (v + 1).convert();
    out += all.select::<4, 1, 32, 1>(0, 8);
    out.row_mut(1).assign(third.select::<32, 1>(3) + out.row(1));
    let gaps: Matrix<i32, 4, 16> = (v.select::<4, 1, 16, 2>(0, 3) + 0).convert();
    out.select_mut::<4, 1, 16, 2>(0, 0) += gaps;
    // Another place in each thread.
    out.row_mut(0).assign(out.row(0) + v.row(3).select::<32, 1>((thread_origin_x() + at) % 9));
    output.write_block(x * 4, y, &out);
}

fn signed_of(at: &dyn Fn(i32, i32) -> i32, x: i32, y: i32, r: i32, c: i32) -> i32 {
    let v = |r: i32, c: i32| at(x * 32 + c, y * 4 + r) * 3 - at(x * 32 + c, y * 4 + r + 2) * 100;
    let mut out = v(r, c + 7) - v(r, c + 1) * 3 + v(r, c + 8) + 1;
    if r == 1 {
        out += v(2, c + 3);
    }
    if c % 2 == 0 {
        out += v(r, c + 3);
    }
    if r == 0 { out + v(3, c + (x + 5) % 9) } else { out }
}

/// Threads that have 6 of 18 columns in common. The sums wrap, and have more bits than their elements where they are added.
#[kernel]
fn wrapped(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 12, thread_origin_y() * 4);
    let m = input.read_block::<u8, 5, 18>(x, y);
    let v: Matrix<u16, 4, 18> =
        (m.select::<4, 1, 18, 1>(0, 0) * 257 + m.select::<4, 1, 18, 1>(1, 0)).convert();
    let sum = v.select::<4, 1, 12, 1>(0, 0) + v.select::<4, 1, 12, 1>(0, 6);
    output.write_block(x * 4, y, &(sum >> 1).convert::<i32>());
}

fn wrapped_of(at: &dyn Fn(i32, i32) -> i32, x: i32, y: i32, r: i32, c: i32) -> i32 {
    let v = |c: i32| (at(x * 12 + c, y * 4 + r) * 257 + at(x * 12 + c, y * 4 + r + 1)) & 0xffff;
    (v(c) + v(c + 6)) >> 1
}

/// Floats, without a conversion, and numbers of 32 bits.
#[kernel]
fn floats(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let m = input.read_block::<u8, 6, 12>(x, y);
    let v = m.select::<4, 1, 12, 1>(0, 0) * 0.5f32 + m.select::<4, 1, 12, 1>(2, 0) * 0.25f32;
    let w = m.select::<4, 1, 12, 1>(0, 0) * 70000 - m.select::<4, 1, 12, 1>(1, 0);
    let sums = v.select::<4, 1, 8, 1>(0, 4) * 4.0f32 + v.select::<4, 1, 8, 1>(0, 0) * 4.0f32;
    let out: Matrix<i32, 4, 8> = sums.convert();
    output.write_block(
        x * 4,
        y,
        &(w.select::<4, 1, 8, 1>(0, 3) - w.select::<4, 1, 8, 1>(0, 1) + out).convert::<i32>(),
    );
}

fn floats_of(at: &dyn Fn(i32, i32) -> i32, x: i32, y: i32, r: i32, c: i32) -> i32 {
    let m = |k: i32, c: i32| at(x * 8 + c, y * 4 + r + k);
    let v = |c: i32| m(0, c) * 2 + m(2, c);
    let w = |c: i32| m(0, c) * 70_000 - m(1, c);
    v(c + 4) + v(c) + w(c + 3) - w(c + 1)
}

/// Matrices that are declared and then assigned: the second one changes again.
#[kernel]
fn assigned(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let m = input.read_block::<u8, 6, 24>(x.convert::<i32>() - 4, y);
    let mut v = Matrix::<i16, 4, 24>::splat(0);
    v.assign((m.select::<4, 1, 24, 1>(0, 0) + m.select::<4, 1, 24, 1>(2, 0) * 7 + 8) >> 4);
    let mut w = Matrix::<i16, 4, 24>::splat(1);
    w.assign(m.select::<4, 1, 24, 1>(1, 0) - m.select::<4, 1, 24, 1>(2, 0));
    w += m.select::<4, 1, 24, 1>(0, 0) * 2;
    let h = (v.select::<4, 1, 16, 1>(0, 2) * 5 + v.select::<4, 1, 16, 1>(0, 6) + 8) >> 4;
    output.write_block(x * 4, y, &(h - w.select::<4, 1, 16, 1>(0, 1)).convert::<i32>());
}

fn assigned_of(at: &dyn Fn(i32, i32) -> i32, x: i32, y: i32, r: i32, c: i32) -> i32 {
    let m = |k: i32, c: i32| at(x * 16 + c - 4, y * 4 + r + k);
    let v = |c: i32| (m(0, c) + m(2, c) * 7 + 8) >> 4;
    ((v(c + 2) * 5 + v(c + 6) + 8) >> 4) - (m(1, c + 1) - m(2, c + 1) + m(0, c + 1) * 2)
}

/// What an element of a thread is: of the thread at (x, y), in this row and column.
type Expected = fn(&dyn Fn(i32, i32) -> i32, i32, i32, i32, i32) -> i32;

/// Runs a kernel whose threads write 4 rows of so many numbers.
fn check(
    name: &str,
    columns: i32,
    expected: Expected,
    launch: &dyn Fn(&Device, ThreadSpace, &Surface2D, &mut Surface2D) -> cm::Result<Event>,
) {
    let bytes = noise::bytes((WIDTH * HEIGHT) as usize, 7);
    let at =
        |x: i32, y: i32| i32::from(bytes[(y.clamp(0, HEIGHT - 1) * WIDTH + x.clamp(0, WIDTH - 1)) as usize]);
    // Pairs of threads, and one that is left; some are outside of the surface.
    let threads = [WIDTH / columns / 2 * 2 + 3, HEIGHT / 4 + 1];
    for &engine in CpuEngine::ALL {
        let device = Device::cpu_with_threads(1).unwrap().with_cpu_engine(engine);
        let input =
            Surface2D::from_bytes(&device, Format::R8, WIDTH as usize, HEIGHT as usize, &bytes).unwrap();
        let [width, height] = [threads[0] * columns, threads[1] * 4];
        let mut output = Surface2D::new(&device, Format::R32, width as usize, height as usize).unwrap();
        let space = ThreadSpace::new(threads[0] as usize, threads[1] as usize).unwrap();
        launch(&device, space, &input, &mut output).unwrap();
        let found: Vec<i32> = elements(&output.to_vec().unwrap());
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            let wanted = expected(&at, x / columns, y / 4, y % 4, x % columns);
            let found = found[(y * width + x) as usize];
            assert_eq!(found, wanted, "{name}, column {x}, row {y}, {engine:?}");
        }
    }
}

#[test]
fn regions_of_named_trees_have_their_results() {
    check("words", 16, words_of, &|device, space, input, output| words::launch(device, space, input, output));
    check("signed", 32, signed_of, &|device, space, input, output| {
        signed::launch(device, space, input, output, 5)
    });
    check("wrapped", 12, wrapped_of, &|device, space, input, output| {
        wrapped::launch(device, space, input, output)
    });
    check("floats", 8, floats_of, &|device, space, input, output| {
        floats::launch(device, space, input, output)
    });
    check("assigned", 16, assigned_of, &|device, space, input, output| {
        assigned::launch(device, space, input, output)
    });
}
