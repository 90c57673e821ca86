//! Blocks that `#[kernel]` reads in place behave like other blocks, whatever they are used for.

use cm_test_support::devices::devices;
use cm_test_support::numbers::elements;
use std::ops::Deref;

use cm::Backend;
use cm::CpuEngine;
use cm::dsl::address::Coordinate;
use cm::dsl::kernel::{ArgSource, Argument, ArgumentKind, ByReference, ParamKind};
use cm::dsl::registers::Offset;
use cm::elem::Elem;
use cm::prelude::*;
use cm::surface::Surface;

/// A surface that is read from column 16 on.
struct Shifted(Surface2D);

impl Deref for Shifted {
    type Target = Surface2D;
    fn deref(&self) -> &Surface2D {
        &self.0
    }
}

/// The same surface in a kernel.
struct ShiftedSurface<B: Backend>(Surface<B>);

impl<B: Backend> Deref for ShiftedSurface<B> {
    type Target = Surface<B>;
    fn deref(&self) -> &Surface<B> {
        &self.0
    }
}

impl<B: Backend> ShiftedSurface<B> {
    fn read<T: Elem, const R: usize, const C: usize>(
        &self,
        x: i32,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B> {
        self.0.read_any(x + 16, y)
    }
}

impl Argument<ByReference> for Shifted {
    type Host = Surface2D;
    type Bound<B: Backend> = ShiftedSurface<B>;
    type Lent<'l, B: Backend> = &'l mut ShiftedSurface<B>;
    const KIND: ArgumentKind = ArgumentKind::One(ParamKind::Surface { writable: false });
    fn bind<B: Backend>(source: &mut impl ArgSource<B>) -> ShiftedSurface<B> {
        ShiftedSurface(Surface::new(source.surface()))
    }
    fn copy<B: Backend>(bound: &ShiftedSurface<B>) -> ShiftedSurface<B> {
        ShiftedSurface(Surface::copy(&bound.0))
    }
    fn lend<B: Backend>(bound: &mut ShiftedSurface<B>) -> &mut ShiftedSurface<B> {
        bound
    }
}

#[kernel]
fn its_own_read(input: &Shifted, output: &mut Surface2D) {
    let block = input.read::<u8, 1, 16>(0, 0);
    output.write(0, 0, &block.select::<1, 1, 16, 1>(0, 0));
}

/// The first 16 bytes that a kernel writes, from a surface with increasing bytes.
fn first_row<A>(
    launch: impl Fn(&Device, ThreadSpace, &A, &mut Surface2D) -> cm::Result<Event>,
    input: impl Fn(Surface2D) -> A,
) -> Vec<u8> {
    let device = Device::cpu().unwrap();
    let data: Vec<u8> = (0..=255).collect();
    let input = input(Surface2D::from_bytes(&device, Format::R8, 32, 8, &data).unwrap());
    let mut output = Surface2D::new(&device, Format::R8, 16, 1).unwrap();
    launch(&device, ThreadSpace::new(1, 1).unwrap(), &input, &mut output).unwrap();
    output.to_vec().unwrap()
}

#[test]
fn other_surfaces_keep_their_own_read() {
    let expected: Vec<u8> = (16..32).collect();
    assert_eq!(first_row(its_own_read::launch, Shifted), expected);
}

/// Other names of buffers and surfaces.
mod named {
    pub(super) type Buffer<T> = cm::Buffer<T>;
    pub(super) type Bytes = cm::Buffer<u8>;
    pub(super) type Picture = cm::Surface2D;
}

#[kernel]
fn other_names(
    input: &named::Picture,
    some: &named::Buffer<u8>,
    more: &named::Bytes,
    output: &mut named::Picture,
) {
    let block = input.read::<u8, 1, 32>(0, 1);
    let (v, w) = (some.read::<32>(0), more.read::<32>(16));
    let wide: Vector<i16, 32> = some.read::<32>(16).convert();
    let sum = block.row(0).select::<16, 1>(3) + v.select::<16, 1>(1) * 3 + w.select::<16, 1>(2) * 5;
    output.write(0, 0, &(sum + wide.select::<16, 1>(7) * 7).convert::<u8>());
}

#[test]
fn surfaces_and_buffers_may_have_other_names() {
    let numbers: Vec<u8> = (0..64).collect();
    let found = first_row(
        |device, space, input: &Surface2D, output| {
            let buffer = Buffer::from_slice(device, &numbers)?;
            other_names::launch(device, space, input, &buffer, &buffer, output)
        },
        |input| input,
    );
    let expected: Vec<u8> =
        (0..16u32).map(|c| ((35 + c) + (1 + c) * 3 + (18 + c) * 5 + (23 + c) * 7) as u8).collect();
    assert_eq!(found, expected);
}

/// Closures that capture the block; one of them outlives its name.
#[kernel]
fn taken_along(input: &Surface2D, output: &mut Surface2D) {
    let block = input.read::<u8, 8, 32>(0, 0);
    let lower = move |i: usize| block.row(i).select::<8, 1>(4);
    let upper = move |i: usize| block.row(i).select::<8, 1>(8);
    let outlives = {
        let block = input.read::<u8, 8, 32>(0, 0);
        move |i: usize| block.row(i).select::<8, 1>(16)
    };
    let mut out = Matrix::<u8, 1, 16>::splat(0);
    out.select_mut::<1, 1, 8, 1>(0, 0).assign((lower(0) + upper(1)).convert::<u8>().format::<u8, 1, 8>());
    out.select_mut::<1, 1, 8, 1>(0, 8).assign(outlives(2).format::<u8, 1, 8>());
    output.write(0, 0, &out);
}

#[test]
fn closures_take_blocks_along() {
    let lower = (0..8).map(|c| (4 + c) + (32 + 8 + c));
    let expected: Vec<u8> = lower.chain((0..8).map(|c| 64 + 16 + c)).collect();
    assert_eq!(first_row(taken_along::launch, |input| input), expected);
}

/// A row has the name of its block, another block that of the row, and trees that of the trees in them.
#[kernel]
fn declared_again(input: &Surface2D, output: &mut Surface2D) {
    let mut sum = Vector::<u8, 16>::splat(0);
    let r = input.read::<u8, 4, 32>(0, 0);
    let r = r.row(1);
    sum += r.select::<16, 1>(3);
    let r = input.read::<u8, 4, 32>(0, 1);
    let r = r.row(2);
    sum += r.select::<16, 1>(5);
    let r = sum + 1;
    let r = r * 2;
    output.write(0, 0, &r.convert::<u8>());
}

#[test]
fn names_may_be_declared_again() {
    let expected: Vec<u8> = (0..16u32).map(|c| ((35 + c + 101 + c + 1) * 2) as u8).collect();
    assert_eq!(first_row(declared_again::launch, |input| input), expected);
}

/// A raw identifier is the same name, and a macro may use it in any way.
#[kernel]
fn names(input: &Surface2D, output: &mut Surface2D) {
    let block = input.read::<u8, 8, 32>(0, 0);
    let mut sum: Matrix<u8, 1, 16> = block.select::<1, 1, 16, 1>(0, 3);
    let whole: Matrix<u8, 8, 32> = r#block;
    let r#raw = input.read::<u8, 8, 32>(0, 1);
    sum += raw.select::<1, 1, 16, 1>(0, 5);
    sum ^= whole.select::<1, 1, 16, 1>(2, 7);
    output.write(0, 0, &sum);
}

#[test]
fn raw_names_are_names() {
    let expected: Vec<u8> = (0..16).map(|c| ((3 + c) + (32 + 5 + c)) ^ (64 + 7 + c)).collect();
    assert_eq!(first_row(names::launch, |input| input), expected);
}

/// Columns with gaps, and blocks that need several messages, inside of the surface and across its edges.
#[kernel]
fn columns(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let block = input.read_block::<u8, 10, 18>(x * 2 - 3, y * 2 - 1);
    let twos = block.select::<4, 2, 8, 2>(1, 0) + block.select::<4, 1, 8, 2>(6, 3) * 256;
    let fours = block.select::<4, 1, 4, 4>(5, 5)
        + block.row(7).select::<4, 4>(2).replicate::<4>().format::<u8, 4, 4>() * 256;
    let words = input.read_block::<u16, 5, 24>(x * 2 - 6, y * 2 - 2).select::<4, 1, 8, 2>(1, 1);
    output.write(x * 2, y, &twos.convert::<u16>());
    output.write(x * 2, y + 12, &words);
    output.write(x, y + 24, &fours.convert::<u16>());
}

#[test]
fn columns_of_blocks_read_in_place() {
    let (width, height) = (43, 21);
    let data: Vec<u8> = (0..width * height).map(|n| (n * n / 5 + n) as u8).collect();
    let texel = |x: i32, y: i32| {
        let (x, y) = (x.clamp(0, width - 1), y.clamp(0, height - 1));
        u32::from(data[(y * width + x) as usize])
    };
    for &engine in CpuEngine::ALL {
        let device = Device::cpu_with_threads(1).unwrap().with_cpu_engine(engine);
        let input =
            Surface2D::from_bytes(&device, Format::R8, width as usize, height as usize, &data).unwrap();
        let mut output = Surface2D::new(&device, Format::R16, 32, 36).unwrap();
        columns::launch(&device, ThreadSpace::new(4, 3).unwrap(), &input, &mut output).unwrap();
        let found: Vec<u16> = bytemuck::cast_slice(&output.to_vec().unwrap()).to_vec();
        for (thread_x, thread_y) in (0..4).flat_map(|x| (0..3).map(move |y| (x, y))) {
            let (x, y) = (thread_x * 8, thread_y * 4);
            let block = |r: i32, c: i32| texel(x * 2 - 3 + c, y * 2 - 1 + r);
            for (r, c) in (0..4).flat_map(|r| (0..8).map(move |c| (r, c))) {
                let at = |row: i32, column: i32| u32::from(found[(row * 32 + column) as usize]);
                assert_eq!(at(y + r, x + c), block(1 + 2 * r, 2 * c) + block(6 + r, 3 + 2 * c) * 256);
                let word = |byte: i32| texel(x * 2 - 6 + byte, y * 2 - 1 + r);
                let byte = 2 * (1 + 2 * c);
                assert_eq!(at(y + 12 + r, x + c), word(byte) + word(byte + 1) * 256);
                if c < 4 {
                    let expected = block(5 + r, 5 + 4 * c) + block(7, 2 + 4 * c) * 256;
                    assert_eq!(at(y + 24 + r, thread_x * 4 + c), expected);
                }
            }
        }
    }
}

/// Converted blocks of which only regions are read, and two blocks with other uses.
#[kernel]
fn converted(bytes: &Surface2D, words: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let block = bytes.read_block::<u8, 6, 18>(x - 3, y - 1);
    let wide: Matrix<i16, 6, 18> = block.convert();
    let floats = block.convert::<f32>();
    let signed: Matrix<i32, 6, 18> = bytes.read_block::<i8, 6, 18>(x - 3, y - 1).convert();
    let narrow: Matrix<u8, 6, 10> = words.read_block::<i16, 6, 10>(x * 2 - 2, y - 1).convert();
    let stored = bytes.read_block::<u8, 6, 18>(x - 3, y - 1);
    let mut all: Matrix<i16, 6, 18> = stored.convert();
    all.row_mut(2).assign(7);
    let mut sum: Matrix<i32, 4, 8> =
        (wide.select::<4, 1, 8, 1>(0, 2) - wide.select::<4, 1, 8, 1>(2, 5) * 3).convert();
    for i in 0..3 {
        sum += wide.row(i).select::<8, 2>(1).replicate::<4>().format::<i16, 4, 8>();
        sum += signed.select::<4, 1, 8, 1>(i, 3 * i);
    }
    let halves = floats.select::<4, 1, 8, 2>(1, 2) * 0.5f32;
    sum += halves.convert::<i32>() + narrow.select::<4, 1, 8, 1>(2, 2);
    {
        let tile = bytes.read_block::<u8, 6, 18>(x - 3, y - 1);
        sum += tile.select::<4, 1, 8, 1>(2, 4);
    }
    let tile = signed.select::<4, 1, 8, 1>(1, 1);
    let copy: Matrix<i16, 4, 8> = tile.convert();
    sum += copy * 5;
    sum += all.select::<4, 1, 8, 1>(0, 0);
    output.write(x * 4, y, &sum);
}

#[test]
fn converted_blocks_read_in_place() {
    let (width, height) = (43i32, 21);
    let data: Vec<u8> = (0..width * height).map(|n| (n * n / 5 + n * 37) as u8).collect();
    let numbers: Vec<i16> = (0..width * height).map(|n| (n * n * 7 - n) as i16).collect();
    let at = |x: i32, y: i32| (y.clamp(0, height - 1) * width + x.clamp(0, width - 1)) as usize;
    for &engine in CpuEngine::ALL {
        let device = Device::cpu_with_threads(1).unwrap().with_cpu_engine(engine);
        let (columns, rows) = (width as usize, height as usize);
        let bytes = Surface2D::from_bytes(&device, Format::R8, columns, rows, &data).unwrap();
        let words = bytemuck::cast_slice(&numbers);
        let words = Surface2D::from_bytes(&device, Format::R16, columns, rows, words).unwrap();
        let mut output = Surface2D::new(&device, Format::R32, 32, 12).unwrap();
        converted::launch(&device, ThreadSpace::new(4, 3).unwrap(), &bytes, &words, &mut output).unwrap();
        let found: Vec<i32> = elements(&output.to_vec().unwrap());
        for (thread_x, thread_y) in (0..4).flat_map(|x| (0..3).map(move |y| (x, y))) {
            let (x, y) = (thread_x * 8, thread_y * 4);
            let byte = |r: i32, c: i32| i32::from(data[at(x - 3 + c, y - 1 + r)]);
            let signed = |r: i32, c: i32| i32::from(data[at(x - 3 + c, y - 1 + r)] as i8);
            let word = |r: i32, c: i32| i32::from(numbers[at(x - 1 + c, y - 1 + r)] as u8);
            for (r, c) in (0..4).flat_map(|r| (0..8).map(move |c| (r, c))) {
                let mut expected = byte(r, 2 + c) - byte(2 + r, 5 + c) * 3;
                for i in 0..3 {
                    expected += byte(i, 1 + 2 * c) + signed(r + i, c + 3 * i);
                }
                expected += (byte(1 + r, 2 + 2 * c) as f32 * 0.5) as i32 + word(2 + r, 2 + c);
                expected += byte(2 + r, 4 + c) + signed(1 + r, 1 + c) * 5;
                expected += if r == 2 { 7 } else { byte(r, c) };
                assert_eq!(found[((y + r) * 32 + x + c) as usize], expected, "{engine:?} {x} {y} {r} {c}");
            }
        }
    }
}

/// Whole blocks, their rows and parts as operands, with names and without.
#[kernel]
fn wholes(bytes: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 18, thread_origin_y() * 4);
    let block = bytes.read_block::<u8, 4, 18>(x - 3, y - 1);
    let wide: Matrix<i16, 4, 18> = bytes.read_block::<u8, 4, 18>(x + 2, y + 1).convert();
    let mut sum: Matrix<i32, 4, 18> = (block * 3 - wide).convert();
    sum += block;
    sum += -wide * 5;
    for i in 0..3 {
        let (above, below) = (block.row(i), wide.row(i + 1));
        sum.row_mut(i) += above * 2 + (below << 4);
        sum.row_mut(i).select_mut::<8, 1>(2).assign(above.select::<8, 1>(5) - below.select::<8, 2>(1));
    }
    let last = block.row(3);
    sum.row_mut(3) -= last;
    sum.row_mut(3).assign(sum.row(3) * 2 + block.row(0) + wide.row(1) / 3);
    let part: Matrix<i16, 3, 16> = block.select::<3, 1, 16, 1>(1, 2).convert();
    sum.select_mut::<3, 1, 16, 1>(0, 0) += part * 7 - wide.select::<3, 1, 16, 1>(0, 1);
    sum.row_mut(0).select_mut::<8, 1>(10) -= part.row(2).select::<8, 1>(5);
    output.write_block(x * 4, y, &sum);
}

#[test]
fn whole_blocks_rows_and_parts_are_operands_in_place() {
    let (width, height) = (43i32, 21);
    let data: Vec<u8> = (0..width * height).map(|n| (n * n / 5 + n * 37) as u8).collect();
    let at = |x: i32, y: i32| (y.clamp(0, height - 1) * width + x.clamp(0, width - 1)) as usize;
    for &engine in CpuEngine::ALL {
        let device = Device::cpu_with_threads(1).unwrap().with_cpu_engine(engine);
        let (columns, rows) = (width as usize, height as usize);
        let bytes = Surface2D::from_bytes(&device, Format::R8, columns, rows, &data).unwrap();
        let mut output = Surface2D::new(&device, Format::R32, 54, 12).unwrap();
        wholes::launch(&device, ThreadSpace::new(3, 3).unwrap(), &bytes, &mut output).unwrap();
        let found: Vec<i32> = elements(&output.to_vec().unwrap());
        for (thread_x, thread_y) in (0..3).flat_map(|x| (0..3).map(move |y| (x, y))) {
            let (x, y) = (thread_x * 18, thread_y * 4);
            let block = |r: i32, c: i32| i32::from(data[at(x - 3 + c, y - 1 + r)]);
            let wide = |r: i32, c: i32| i32::from(data[at(x + 2 + c, y + 1 + r)]);
            for (r, c) in (0..4).flat_map(|r| (0..18).map(move |c| (r, c))) {
                let sum = block(r, c) * 4 - wide(r, c) * 6;
                let mut expected = match (r, c) {
                    (3, _) => (sum - block(3, c)) * 2 + block(0, c) + wide(1, c) / 3,
                    (_, 2..10) => block(r, c + 3) - wide(r + 1, 2 * (c - 2) + 1),
                    _ => sum + block(r, c) * 2 + (wide(r + 1, c) << 4),
                };
                if r < 3 && c < 16 {
                    expected += block(1 + r, 2 + c) * 7 - wide(r, 1 + c);
                }
                if r == 0 && c >= 10 {
                    expected -= block(3, 2 + 5 + c - 10);
                }
                assert_eq!(found[((y + r) * 54 + x + c) as usize], expected, "{engine:?} {x} {y} {r} {c}");
            }
        }
    }
}

/// Rows of a picture as vectors: the annotation says how many elements are read.
#[kernel]
fn rows_as_vectors(input: &Surface2D, words: &Surface2D, output: &mut Surface2D) {
    let y = thread_origin_y();
    let mut left: Vector<u8, 16> = input.read(0, y);
    let right: Vector<u8, 8> = input.read::<u8, 1, 8>(16, y);
    left.select_mut::<8, 1>(0).assign(left.select::<8, 1>(8) - right);
    let numbers: Vector<u16, 8> = words.read(0, y);
    let picked: Vector<u8, 8> = numbers.convert();
    output.write(0, y, &left);
    output.write(16, y, &picked);
}

#[test]
fn vectors_are_read_from_one_row() -> cm::Result<()> {
    let bytes: Vec<u8> = (0..4 * 32u32).map(|n| (n * n * 7 + 3) as u8).collect();
    let words: Vec<u8> = (0..4 * 16u32).map(|n| (n * n * 11 + 5) as u8).collect();
    let mut expected = vec![0; 4 * 24];
    for y in 0..4 {
        let row = &bytes[y * 32..][..32];
        for x in 0..8 {
            expected[y * 24 + x] = row[8 + x].wrapping_sub(row[16 + x]);
            expected[y * 24 + 8 + x] = row[8 + x];
            expected[y * 24 + 16 + x] = words[y * 16 + 2 * x];
        }
    }
    for device in &devices(1) {
        let input = Surface2D::from_bytes(device, Format::R8, 32, 4, &bytes)?;
        let words = Surface2D::from_bytes(device, Format::R16, 8, 4, &words)?;
        let mut output = Surface2D::new(device, Format::R8, 24, 4)?;
        rows_as_vectors::launch(device, ThreadSpace::new(1, 4)?, &input, &words, &mut output)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}
