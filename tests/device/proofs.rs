//! Kernels whose threads write disjoint bytes, for reasons that are known only at launch: arguments, loop counts,
//! pictures in buffers. They run on several worker threads. Kernels whose threads may conflict do not, and report
//! the reason.

use cm::CpuEngine;
use cm::prelude::*;
use cm_test_support::devices::devices;
use cm_test_support::noise;

/// Tiles of 16 x 4 dwords of a picture in a buffer whose rows have `pitch` bytes.
#[kernel]
fn tiles(input: &Buffer<u32>, output: &mut Buffer<u32>, pitch: u32) {
    let at = thread_origin_y() * 4 * pitch + thread_origin_x() * 64;
    for row in 0..4u32 {
        let sum: Vector<u32, 16> = input.read::<16>(at + row * pitch) + row + 1u32;
        output.write(at + row * pitch, &sum);
    }
}

/// Sums along a row of `count` blocks, in place.
#[kernel]
fn running_sums(values: &mut Buffer<u32>, count: u32) {
    let mut at = thread_origin_x() * count * 64;
    let mut sum = Vector::<u32, 16>::splat(0);
    for _ in 0..count {
        sum += values.read::<16>(at);
        values.write(at, &sum);
        at += 64;
    }
}

/// The same for a picture, with two loops: down the rows, which are `pitch` bytes apart, and across.
#[kernel]
fn row_by_row(picture: &mut Buffer<u32>, pitch: u32, rows: u32) {
    let column = thread_origin_x() * 64;
    let mut row = 0u32;
    while row < rows {
        let at = row * pitch + column;
        let doubled: Vector<u32, 16> = picture.read::<16>(at) * 2u32;
        picture.write(at, &doubled);
        row += 1;
    }
}

/// Blocks at offsets that need not be multiples of 16.
#[kernel]
fn misaligned(output: &mut Buffer<u32>, pitch: u32, shift: u32) {
    let n = thread_origin_x() + thread_origin_y() * 500;
    output.write(n * pitch + shift, &Vector::<u32, 4>::splat(n + 1));
}

/// Blocks in the rows of a picture, of which every second row begins in the middle of a block.
#[kernel]
fn misaligned_rows(picture: &mut Buffer<u32>, rows: u32) {
    let x = thread_origin_x();
    for y in 0..rows {
        picture.write(x * 16 + y * 1000, &Vector::<u32, 4>::splat(x + y * 100 + 1));
    }
}

/// A surface, in several iterations.
#[kernel]
fn strips(input: &Surface2D, output: &mut Surface2D, blocks: i32) {
    let y = thread_origin_y() * 4;
    for n in 0..blocks {
        let block = input.read::<u8, 4, 32>(n * 32, y);
        output.write(n * 32, y, &(255u8 - block).convert::<u8>());
    }
}

/// The write position of a thread depends on the data that it reads.
#[kernel]
fn anywhere(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    let at: u32 = input.read::<16>(thread_origin_x() * 64).get(0);
    output.write(at & !63, &Vector::<u32, 16>::splat(at));
}

/// Reads every 16th of 256 numbers, and writes back only the greater ones. The elements of threads are not
/// interleaved.
#[kernel]
fn columns(values: &mut Buffer<u32>, least: u32) {
    let first = thread_origin_x() * 256;
    let every =
        Vector::from_array([0u32, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240]);
    for column in 0..16u32 {
        let x = values.read_scattered(first + column, &every);
        let more: Vector<u32, 16> = x + column;
        values.write_scattered_masked(&(x >= least), first + column, &every, &more);
    }
}

/// Element `k` of each thread is next to element `k` of the others.
#[kernel]
fn interleaved(input: &Buffer<u32>, output: &mut Buffer<u32>, threads: u32) {
    let lanes = Vector::from_array([0u32, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    let elements: Vector<u32, 16> = lanes * threads + thread_origin_x();
    output.write_scattered(0, &elements, &input.read::<16>(thread_origin_x() * 64));
}

/// Counts of each thread, by atomic operations.
#[kernel]
fn own_counts(output: &mut Buffer<u32>, threads: u32) {
    let lanes = Vector::from_array([0u32, 1, 2, 3, 4, 5, 6, 7]);
    let elements: Vector<u32, 8> = lanes + (thread_origin_y() * threads + thread_origin_x()) * 8;
    let before = output.fetch_atomic(atomic::Inc, &elements);
    let one: Vector<u32, 8> = before + 1u32;
    output.write_atomic(atomic::Add(&one), &elements);
}

/// The negative of a block, and the block `rows` rows below it, in the same surface.
#[kernel]
fn two_places(input: &Surface2D, output: &mut Surface2D, rows: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read::<u8, 8, 16>(x, y);
    output.write(x, y, &(255u8 - block).convert::<u8>());
    output.write(x, y + rows, &block);
}

/// Blocks of several messages, of odd sizes, which the CPU reads at once: their negative is written `rows` rows below.
#[kernel]
fn large_places(picture: &mut Surface2D, rows: i32) {
    let (x, y) = (thread_origin_x().convert::<i32>() * 44, thread_origin_y().convert::<i32>() * 22);
    let block = picture.read_block::<u8, 22, 44>(x, y);
    picture.write_block(x, y + rows, &(255u8 - block).convert::<u8>());
}

/// A block, and from row `rows` on every other column of its even rows, side by side with the odd ones.
#[kernel]
fn halved_planes(input: &Surface2D, output: &mut Surface2D, rows: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read::<u8, 8, 16>(x, y);
    output.write(x, y, &block);
    output.write(x / 2, rows + y / 2, &block.select::<4, 2, 8, 2>(0, 0));
    output.write(x / 2 + 32, rows + y / 2, &block.select::<4, 2, 8, 2>(0, 1));
}

/// Adds the lower half of a picture in a buffer to the upper half, and writes the differences to the lower half.
#[kernel]
fn sums_and_differences(values: &mut Buffer<u32>, half: u32) {
    let at = (thread_origin_y() * 2 + thread_origin_x()) * 64;
    let (a, b) = (values.read::<16>(at), values.read::<16>(at + half));
    values.write(at, &(a + b).convert::<u32>());
    values.write(at + half, &(a - b).convert::<u32>());
}

const WIDTH: usize = 64;
const HEIGHT: usize = 256;

/// The number of rows that justifies a second worker if each thread does little.
const TALL: usize = 2040;

fn numbers(height: usize) -> Vec<u32> {
    (0..WIDTH * height).map(noise::number).collect()
}

#[test]
fn numbers_of_the_launch_count() {
    let input = numbers(TALL);
    let expected: Vec<u32> = input.iter().enumerate().map(|(n, x)| x + (n / WIDTH % 4) as u32 + 1).collect();
    for device in devices(2) {
        let source = Buffer::from_slice(&device, &input).unwrap();
        let mut output = Buffer::<u32>::new(&device, input.len()).unwrap();
        let space = ThreadSpace::new(WIDTH / 16, TALL / 4).unwrap();
        let event = tiles::launch(&device, space, &source, &mut output, WIDTH as u32 * 4).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected);
        if !device.is_gpu() {
            assert_eq!((event.workers(), event.ran_one_by_one()), (2, None));
            // Overlapping tiles: the last one in raster order remains.
            let event = tiles::launch(&device, space, &source, &mut output, 48).unwrap();
            let why = event.ran_one_by_one().unwrap();
            assert_eq!((event.workers(), why.argument()), (1, "output"));
            assert!(why.to_string().contains("proofs.rs:16: "), "{why}");
        }
    }
}

#[test]
fn rounds_of_loops_count() {
    let input = numbers(TALL);
    let mut sums = input.clone();
    for row in sums.chunks_mut(WIDTH) {
        for n in 16..WIDTH {
            row[n] = row[n].wrapping_add(row[n - 16]);
        }
    }
    let doubled: Vec<u32> = sums.iter().map(|x| x.wrapping_mul(2)).collect();
    for device in devices(2) {
        let mut values = Buffer::from_slice(&device, &input).unwrap();
        let rows = ThreadSpace::new(TALL, 1).unwrap();
        let event = running_sums::launch(&device, rows, &mut values, WIDTH as u32 / 16).unwrap();
        assert_eq!(values.to_vec().unwrap(), sums);
        let columns = ThreadSpace::new(WIDTH / 16, 1).unwrap();
        let pitch = WIDTH as u32 * 4;
        let down = row_by_row::launch(&device, columns, &mut values, pitch, TALL as u32).unwrap();
        assert_eq!(values.to_vec().unwrap(), doubled);
        if !device.is_gpu() {
            assert_eq!((event.workers(), event.ran_one_by_one()), (2, None));
            // Four threads do not justify a second worker, but could use it.
            assert_eq!(down.ran_one_by_one(), None);
        }
    }
}

#[test]
fn rounds_of_loops_count_for_surfaces() {
    let bytes: Vec<u8> = numbers(HEIGHT).iter().map(|x| *x as u8).collect();
    let expected: Vec<u8> = bytes.iter().map(|x| 255 - x).collect();
    for device in devices(2) {
        let input = Surface2D::from_bytes(&device, Format::R8, WIDTH, HEIGHT, &bytes).unwrap();
        let mut output = Surface2D::new(&device, Format::R8, WIDTH, HEIGHT).unwrap();
        let space = ThreadSpace::new(1, HEIGHT / 4).unwrap();
        let event = strips::launch(&device, space, &input, &mut output, WIDTH as i32 / 32).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected);
        if !device.is_gpu() {
            assert_eq!(event.ran_one_by_one(), None);
        }
    }
}

/// Threads that write blocks far apart: none of them writes between those of another thread.
#[test]
fn several_places_of_a_thread_are_its_own() {
    let bytes: Vec<u8> = numbers(TALL).iter().map(|x| *x as u8).collect();
    let negatives = bytes.iter().map(|x| 255 - x);
    let expected: Vec<u8> = negatives.chain(bytes.iter().copied()).collect();
    let halved = bytes.chunks(2 * WIDTH).flat_map(|rows| {
        let every_other = |first: usize| rows[first..WIDTH].iter().step_by(2).copied();
        every_other(0).chain(every_other(1)).collect::<Vec<u8>>()
    });
    let planes: Vec<u8> = bytes.iter().copied().chain(halved).collect();
    let values = numbers(TALL);
    let (upper, lower) = values.split_at(values.len() / 2);
    let pairs = || upper.iter().zip(lower);
    let sums = pairs().map(|(a, b)| a.wrapping_add(*b));
    let changed: Vec<u32> = sums.chain(pairs().map(|(a, b)| a.wrapping_sub(*b))).collect();
    for device in engines() {
        let on_cpu = !device.is_gpu();
        let input = Surface2D::from_bytes(&device, Format::R8, WIDTH, TALL, &bytes).unwrap();
        let mut output = Surface2D::new(&device, Format::R8, WIDTH, 2 * TALL).unwrap();
        let space = ThreadSpace::new(WIDTH / 16, TALL / 8).unwrap();
        let event = two_places::launch(&device, space, &input, &mut output, TALL as u32).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected);
        if on_cpu {
            assert_eq!((event.workers(), event.ran_one_by_one()), (2, None));
            // The lower block is that of another thread, or overlaps it.
            for rows in [TALL - 8, 8, 4] {
                let event = two_places::launch(&device, space, &input, &mut output, rows as u32).unwrap();
                let why = event.ran_one_by_one().unwrap();
                assert_eq!((event.workers(), why.argument()), (1, "output"));
            }
        }
        let mut output = Surface2D::new(&device, Format::R8, WIDTH, TALL + TALL / 2).unwrap();
        let event = halved_planes::launch(&device, space, &input, &mut output, TALL as u32).unwrap();
        assert_eq!(output.to_vec().unwrap(), planes);
        if on_cpu {
            assert_eq!((event.workers(), event.ran_one_by_one()), (2, None));
            let above = TALL as u32 - 4;
            let event = halved_planes::launch(&device, space, &input, &mut output, above).unwrap();
            assert!(event.ran_one_by_one().is_some(), "the planes overlap");
        }
        let mut buffer = Buffer::from_slice(&device, &values).unwrap();
        let space = ThreadSpace::new(2, values.len() / 64).unwrap();
        let event =
            sums_and_differences::launch(&device, space, &mut buffer, values.len() as u32 * 2).unwrap();
        assert_eq!(buffer.to_vec().unwrap(), changed);
        if on_cpu {
            assert_eq!((event.workers(), event.ran_one_by_one()), (2, None));
        }
    }
}

/// Both engines of the CPU on two workers, and the other devices.
fn engines() -> impl Iterator<Item = Device> {
    let cpu = |engine| Device::cpu_with_threads(2).unwrap().with_cpu_engine(engine);
    devices(2).into_iter().chain([CpuEngine::Native, CpuEngine::Ir].map(cpu))
}

/// Offsets that are known only at launch are rounded down, with any number of workers, and what they are rounded to counts.
#[test]
fn offsets_are_rounded_down() {
    let count = 500 * 40;
    for (workers, engine) in [1, 2].into_iter().flat_map(|n| CpuEngine::ALL.iter().map(move |e| (n, *e))) {
        let device = Device::cpu_with_threads(workers).unwrap().with_cpu_engine(engine);
        let space = ThreadSpace::new(500, 40).unwrap();
        for (pitch, shift, apart) in
            [(16, 0, true), (16, 8, true), (48, 4, true), (24, 0, true), (20, 0, false), (8, 0, false)]
        {
            let mut output = Buffer::<u32>::new(&device, count * 12 + 4).unwrap();
            let event = misaligned::launch(&device, space, &mut output, pitch, shift).unwrap();
            let mut expected = vec![0; count * 12 + 4];
            for n in 0..count as u32 {
                expected[((n * pitch + shift) / 16 * 4) as usize..][..4].fill(n + 1);
            }
            assert!(output.to_vec().unwrap() == expected, "{pitch} {shift} {workers} {engine}");
            assert_eq!(event.ran_one_by_one().is_none(), apart, "{pitch} {shift}");
        }
        let (width, rows) = (62, 999);
        let mut picture = Buffer::<u32>::new(&device, 250 * rows).unwrap();
        misaligned_rows::launch(&device, ThreadSpace::new(width, 1).unwrap(), &mut picture, rows as u32)
            .unwrap();
        let mut expected = vec![0; 250 * rows];
        for (x, y) in (0..width).flat_map(|x| (0..rows).map(move |y| (x, y))) {
            expected[(x * 16 + y * 1000) / 16 * 4..][..4].fill((x + y * 100 + 1) as u32);
        }
        assert!(picture.to_vec().unwrap() == expected, "{workers} {engine}");
    }
}

#[test]
fn elements_that_follow_from_coordinates_are_the_thread_s_own() {
    let input = numbers(TALL);
    for device in engines() {
        let parallel = |event: &Event| {
            if !device.is_gpu() {
                assert_eq!((event.workers(), event.ran_one_by_one()), (2, None));
            }
        };
        let least = 1 << 23;
        let more = |(n, x): (usize, &u32)| if *x >= least { x + (n % 16) as u32 } else { *x };
        let expected: Vec<u32> = input.iter().enumerate().map(more).collect();
        let mut values = Buffer::from_slice(&device, &input).unwrap();
        let space = ThreadSpace::new(input.len() / 256, 1).unwrap();
        let event = columns::launch(&device, space, &mut values, least).unwrap();
        assert_eq!(values.to_vec().unwrap(), expected);
        parallel(&event);

        let threads = 2040;
        let expected: Vec<u32> = (0..threads * 16).map(|n| input[n % threads * 16 + n / threads]).collect();
        let source = Buffer::from_slice(&device, &input).unwrap();
        let mut output = Buffer::<u32>::new(&device, threads * 16).unwrap();
        let space = ThreadSpace::new(threads, 1).unwrap();
        let event = interleaved::launch(&device, space, &source, &mut output, threads as u32).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected);
        parallel(&event);

        // The last threads are out of bounds.
        let mut counts = Buffer::<u32>::new(&device, 200 * 100 * 8 - 4).unwrap();
        let space = ThreadSpace::new(200, 100).unwrap();
        let event = own_counts::launch(&device, space, &mut counts, 200).unwrap();
        assert_eq!(counts.to_vec().unwrap(), [2; 200 * 100 * 8 - 4]);
        parallel(&event);
    }
}

/// Elements that several threads write: the last one in raster order remains.
#[test]
fn elements_of_several_threads_are_written_in_order() {
    for device in engines().filter(|device| !device.is_gpu()) {
        let source = Buffer::from_slice(&device, &numbers(TALL)).unwrap();
        let mut output = Buffer::<u32>::new(&device, WIDTH * TALL).unwrap();
        let space = ThreadSpace::new(TALL, 1).unwrap();
        let event = interleaved::launch(&device, space, &source, &mut output, 8).unwrap();
        let why = event.ran_one_by_one().unwrap();
        assert_eq!((event.workers(), why.argument()), (1, "output"));
    }
}

#[test]
fn places_that_depend_on_data_are_the_reason() {
    let device = Device::cpu_with_threads(2).unwrap();
    let input = Buffer::from_slice(&device, &[128u32; 1024]).unwrap();
    let mut output = Buffer::<u32>::new(&device, 64).unwrap();
    let event = anywhere::launch(&device, ThreadSpace::new(64, 1).unwrap(), &input, &mut output).unwrap();
    let why = event.ran_one_by_one().unwrap().to_string();
    assert!(why.starts_with("`output` in "), "{why}");
    assert!(why.ends_with("the position of the access depends on data"), "{why}");
    assert_eq!(output.to_vec().unwrap()[32..48], [128; 16]);
}

/// Counts bytes, and finds the smallest and the largest number of each of 64 classes.
#[kernel]
fn statistics(
    values: &Buffer<u32>,
    counts: &mut Buffer<u32>,
    least: &mut Buffer<i16>,
    bits: &mut Buffer<u64>,
    sums: &mut Buffer<i32>,
) {
    let x: Vector<u32, 16> = values.read::<16>(thread_origin_x() * 64);
    let class: Vector<u32, 16> = x & 63u32;
    counts.write_atomic(atomic::Inc, &class);
    counts.write_atomic(atomic::Add(&Vector::<u32, 16>::splat(2)), &class);
    least.write_atomic(atomic::Min(&x.convert::<i16>()), &class);
    bits.write_atomic(atomic::Or(&x.convert::<u64>()), &class);
    sums.write_atomic(atomic::Sub(&x.convert::<i32>()), &class);
}

/// Appends each number at the next free position, which depends on the order.
#[kernel]
fn appended(values: &Buffer<u32>, count: &mut Buffer<u32>, list: &mut Buffer<u32>) {
    let x: Vector<u32, 16> = values.read::<16>(thread_origin_x() * 64);
    let place = count.fetch_atomic(atomic::Inc, &Vector::<u32, 16>::splat(0));
    list.write_scattered(0, &place, &x);
}

/// Two operations whose order affects the result.
#[kernel]
fn mixed(values: &Buffer<u32>, state: &mut Buffer<u32>) {
    let x: Vector<u32, 16> = values.read::<16>(thread_origin_x() * 64);
    let class: Vector<u32, 16> = x & 63u32;
    state.write_atomic(atomic::Add(&x), &class);
    state.write_atomic(atomic::Xor(&x), &class);
}

/// Workers update copies of buffers that are updated only by one commutative operation.
#[test]
fn atomic_operations_run_at_once() {
    let input = numbers(HEIGHT);
    let (mut counts, mut least) = ([5u32; 64], [i16::MAX; 64]);
    let (mut bits, mut sums) = ([1u64 << 40; 64], [7i32; 64]);
    for &x in &input {
        let class = x as usize % 64;
        counts[class] += 3;
        least[class] = least[class].min(x as i16);
        bits[class] |= u64::from(x);
        sums[class] = sums[class].wrapping_sub(x as i32);
    }
    for device in devices(2) {
        let values = Buffer::from_slice(&device, &input).unwrap();
        let mut all = (
            Buffer::from_slice(&device, &[5u32; 64]).unwrap(),
            Buffer::from_slice(&device, &[i16::MAX; 64]).unwrap(),
            Buffer::from_slice(&device, &[1u64 << 40; 64]).unwrap(),
            Buffer::from_slice(&device, &[7i32; 64]).unwrap(),
        );
        let space = ThreadSpace::new(input.len() / 16, 1).unwrap();
        let launched =
            statistics::launch(&device, space, &values, &mut all.0, &mut all.1, &mut all.2, &mut all.3);
        let event = match launched {
            // 64-bit atomic operations need Xe-HPG or later.
            Err(cm::Error::Lower(_)) if device.is_gpu() => continue,
            launched => launched.unwrap(),
        };
        assert_eq!(all.0.to_vec().unwrap(), counts);
        assert_eq!(all.1.to_vec().unwrap(), least);
        assert_eq!(all.2.to_vec().unwrap(), bits);
        assert_eq!(all.3.to_vec().unwrap(), sums);
        if !device.is_gpu() {
            assert_eq!((event.workers(), event.ran_one_by_one()), (2, None));
        }
    }
}

#[test]
fn atomic_operations_whose_order_shows_run_in_order() {
    let device = Device::cpu_with_threads(2).unwrap();
    let input = numbers(HEIGHT);
    let values = Buffer::from_slice(&device, &input).unwrap();
    let space = ThreadSpace::new(input.len() / 16, 1).unwrap();
    let mut count = Buffer::<u32>::new(&device, 1).unwrap();
    let mut list = Buffer::<u32>::new(&device, input.len()).unwrap();
    let event = appended::launch(&device, space, &values, &mut count, &mut list).unwrap();
    assert_eq!((event.workers(), event.ran_one_by_one().unwrap().argument()), (1, "count"));
    assert_eq!(list.to_vec().unwrap(), input);
    let mut state = Buffer::<u32>::new(&device, 64).unwrap();
    let event = mixed::launch(&device, space, &values, &mut state).unwrap();
    assert_eq!((event.workers(), event.ran_one_by_one().unwrap().argument()), (1, "state"));
    let mut expected = [0u32; 64];
    for block in input.chunks(16) {
        block.iter().for_each(|x| expected[*x as usize % 64] = expected[*x as usize % 64].wrapping_add(*x));
        block.iter().for_each(|x| expected[*x as usize % 64] ^= x);
    }
    assert_eq!(state.to_vec().unwrap(), expected);
}

/// Copies are made only if the threads do enough work for them: here 4 threads, and a buffer of 4096
/// elements.
#[test]
fn large_buffers_of_few_threads_are_not_copied() {
    let device = Device::cpu_with_threads(2).unwrap();
    let values = Buffer::from_slice(&device, &numbers(HEIGHT)).unwrap();
    let mut bins = Buffer::<u32>::new(&device, 4096).unwrap();
    let event = counted::launch(&device, ThreadSpace::new(4, 1).unwrap(), &values, &mut bins).unwrap();
    assert_eq!(event.ran_one_by_one().unwrap().argument(), "bins");
    let mut few = Buffer::<u32>::new(&device, 64).unwrap();
    let event = counted::launch(&device, ThreadSpace::new(4, 1).unwrap(), &values, &mut few).unwrap();
    assert_eq!(event.ran_one_by_one(), None);
}

#[kernel]
fn counted(values: &Buffer<u32>, bins: &mut Buffer<u32>) {
    let x: Vector<u32, 16> = values.read::<16>(thread_origin_x() * 64);
    bins.write_atomic(atomic::Inc, &(x & 63u32));
}

/// The threads of a group count in the bytes of their group.
#[kernel]
fn counted_in_group(counts: &mut Buffer<u32>) {
    let at = group_id(0) * 16;
    counts.write(at, &(counts.read::<4>(at) * 3u32 + local_id(0) + 1u32));
}

/// The same on a surface.
#[kernel]
fn counted_in_block(counts: &mut Surface2D) {
    let (x, y) = (group_id(0) * 16, group_id(1));
    let block = counts.read::<u8, 1, 16>(x, y);
    counts.write(x, y, &(block * 2u8 + local_id(0) + 1u32).convert::<u8>());
}

/// Each thread its own block, of those of its group.
#[kernel]
fn counted_in_thread(counts: &mut Buffer<u32>) {
    let at = thread_origin_x() * 16;
    counts.write(at, &(counts.read::<4>(at) * 3u32 + local_id(0) + 1u32));
}

#[test]
fn threads_of_a_group_that_share_bytes_run_in_order() -> cm::Result<()> {
    for (threads, engine) in [1, 2].into_iter().flat_map(|n| CpuEngine::ALL.iter().map(move |one| (n, *one)))
    {
        let device = &Device::cpu_with_threads(threads)?.with_cpu_engine(engine);
        let groups = ThreadGroups::new([1000, 1, 1], [4, 1, 1])?;
        let mut counts = Buffer::<u32>::new(device, 4000)?;
        let event = counted_in_group::launch(device, groups, &mut counts)?;
        // Groups are apart.
        assert_eq!(event.ran_one_by_one(), None);
        // As thread by thread: 1, 1 * 3 + 2, 5 * 3 + 3, 18 * 3 + 4.
        assert_eq!(counts.to_vec()?, [58; 4000], "{device:?}");

        let mut counts = Surface2D::new(device, Format::R8, 64, 4)?;
        counted_in_block::launch(device, ThreadGroups::new([4, 4, 1], [3, 1, 1])?, &mut counts)?;
        // 1, 1 * 2 + 2, 4 * 2 + 3.
        assert_eq!(counts.to_vec()?, [11; 256], "{device:?}");

        let mut counts = Buffer::<u32>::new(device, 16_000)?;
        counted_in_thread::launch(device, groups, &mut counts)?;
        let expected: Vec<u32> = (0..16_000).map(|n| n / 4 % 4 + 1).collect();
        assert_eq!(counts.to_vec()?, expected, "{device:?}");
    }
    Ok(())
}

/// A large block that is read at once may lie in several places of a surface that is written.
#[test]
fn large_blocks_run_on_two_cores() -> cm::Result<()> {
    let (width, height) = (44 * 40, 22 * 40);
    let texels: Vec<u8> = (0..width * height * 2).map(|n| noise::number(n) as u8).collect();
    let mut expected = texels.clone();
    for n in 0..width * height {
        expected[width * height + n] = 255 - texels[n];
    }
    for device in engines() {
        let mut picture = Surface2D::from_bytes(&device, Format::R8, width, height * 2, &texels)?;
        let event = large_places::launch(&device, ThreadSpace::new(40, 40)?, &mut picture, height as i32)?;
        assert!(picture.to_vec()? == expected, "on {}", device.name());
        if !device.is_gpu() {
            assert_eq!((event.workers(), event.ran_one_by_one()), (2, None));
        }
    }
    Ok(())
}
