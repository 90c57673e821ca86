//! Kernels whose threads write between each other: loops over all data, the heads of a sequence. And positions in vectors.
//! Each of them with numbers for which threads are disjoint, and with others.

use cm::CpuEngine;
use cm::prelude::*;
use cm_test_support::devices::devices;
use cm_test_support::noise;

/// Both engines of the CPU on two workers.
fn on_cpu() -> impl Iterator<Item = Device> {
    CpuEngine::ALL.iter().map(|&engine| Device::cpu_with_threads(2).unwrap().with_cpu_engine(engine))
}

/// A loop over `n` elements: the first block of a thread is `spacing` elements behind that of the previous thread, and its
/// next one `step` elements further, or as many as all threads have.
#[kernel]
fn grid_stride(input: &Buffer<u32>, output: &mut Buffer<u32>, n: u32, spacing: u32, step: u32) {
    let mut i = linear_global_id() * spacing;
    while i < n {
        let more: Vector<u32, 16> = input.read::<16>(i * 4) + 1u32;
        output.write(i * 4, &more);
        i += linear_global_size() * step;
    }
}

/// The same with signed numbers, and rows of `columns` elements.
#[kernel]
fn rows_of_all(values: &mut Buffer<f32>, rows: i32, columns: i32) {
    let mut row = linear_global_id().convert::<i32>();
    while row < rows {
        let mut sum = Vector::<f32, 16>::splat(0.0);
        for n in 0..columns / 16 {
            let x = values.read::<16>((row * columns + n * 16) * 4);
            sum += x * x;
        }
        let mean = math::sum::<f32, _>(sum) / columns.convert::<f32>();
        for n in 0..columns / 16 {
            let at = (row * columns + n * 16) * 4;
            let x = values.read::<16>(at);
            values.write(at, &(x / mean));
        }
        row += linear_global_size().convert::<i32>();
    }
}

/// A loop over all data, whose end depends on data.
#[kernel]
fn until(ends: &Buffer<u32>, output: &mut Buffer<u32>) {
    let end: u32 = ends.read::<16>(0).get(0);
    let mut i = linear_global_id() * 16;
    while i < end {
        output.write(i * 4, &Vector::<u32, 16>::splat(7));
        i += linear_global_size() * 16;
    }
}

/// Distances that grow.
#[kernel]
fn squares(output: &mut Buffer<u32>) {
    let at = linear_global_id() * linear_global_id();
    output.write(at * 64, &Vector::<u32, 16>::splat(7));
}

/// Batches, heads, tokens and threads: [B, T, H, D], where a head has `width` elements, and a token `token`.
#[kernel]
fn heads(output: &mut Buffer<u32>, n: u32, token: u32, width: u32) {
    let (b, h, t) = (group_id(0), group_id(1), local_id(2));
    for s in 0..n {
        let at = b * n * token + s * token + h * width + t * 8;
        let value: Vector<u32, 8> = Vector::<u32, 8>::splat(0u32) + (b * 1000 + h * 100 + s * 10 + t);
        output.write(at * 4, &value);
    }
}

/// The same with a loop over parts of the head, and groups between these parts.
#[kernel]
fn parts_of_heads(output: &mut Buffer<u32>, n: u32, token: u32, width: u32) {
    let (b, h, t) = (group_id(0), group_id(1), group_id(2));
    for s in 0..n {
        for part in 0..2u32 {
            let at = b * n * token + s * token + h * width + part * 16 + t * 4;
            let value: Vector<u32, 4> = Vector::<u32, 4>::splat(0u32) + (b * 1000 + h * 100 + s * 10 + t);
            output.write(at * 4, &value);
        }
    }
}

/// A position in a vector, as encoders have it.
#[kernel]
fn positions(input: &Surface2D, output: &mut Surface2D, height: i32) {
    let mut position = Vector::<i32, 2>::splat(0);
    position.get_mut(0).assign(thread_origin_x() * 32);
    position.get_mut(1).assign(thread_origin_y() * height);
    let block = input.read::<u8, 8, 32>(position.get(0), position.get(1));
    output.write(position.get(0), position.get(1), &block);
}

/// A position that is computed as a vector, and one of whose elements depends on data.
#[kernel]
fn computed_positions(input: &Surface2D, output: &mut Surface2D, which: i32) {
    let mut position = Vector::<i32, 4>::from_array([0, 0, 64, 0]);
    position.get_mut(0).assign(thread_origin_x());
    position.get_mut(1).assign(thread_origin_y() * 2);
    let block = input.read::<u8, 8, 32>(thread_origin_x() * 32, thread_origin_y() * 8);
    position.get_mut(3).assign(block.get(0, 0));
    let scaled: Vector<i32, 4> = position * 4;
    if which < 4 {
        output.write(scaled.get(0) * 8, scaled.get(1), &block);
    } else {
        output.write(scaled.get(0) * 8, scaled.get(3) * 0 + scaled.get(1), &block);
    }
}

#[test]
fn loops_over_all_data_are_proven() {
    let n = 16 * 4000;
    let input: Vec<u32> = (0..n).map(noise::number).collect();
    let expected: Vec<u32> = input.iter().map(|x| x.wrapping_add(1)).collect();
    for device in devices(2) {
        let source = Buffer::from_slice(&device, &input).unwrap();
        for groups in [ThreadGroups::new([3, 2, 1], [4, 1, 2]), ThreadGroups::new([64, 1, 1], [1, 1, 1])] {
            let mut output = Buffer::<u32>::new(&device, n).unwrap();
            let event = grid_stride::launch(&device, groups.unwrap(), &source, &mut output, n as u32, 16, 16)
                .unwrap();
            assert_eq!(output.to_vec().unwrap(), expected);
            if !device.is_gpu() {
                assert_eq!((event.workers(), event.ran_one_by_one()), (2, None));
            }
        }
        let values: Vec<f32> = (0..50 * 64).map(|n| (noise::number(n) % 100) as f32 + 1.0).collect();
        let mut buffer = Buffer::from_slice(&device, &values).unwrap();
        let groups = ThreadGroups::new([2, 1, 1], [4, 1, 1]).unwrap();
        let event = rows_of_all::launch(&device, groups, &mut buffer, 50, 64).unwrap();
        let found = buffer.to_vec().unwrap();
        for (row, changed) in values.chunks(64).zip(found.chunks(64)) {
            let mean = row.iter().map(|x| x * x).sum::<f32>() / 64.0;
            let near = |x: &f32, y: &f32| (x / mean - y).abs() < 1e-5;
            assert!(row.iter().zip(changed).all(|(x, y)| near(x, y)), "{row:?} {changed:?}");
        }
        if !device.is_gpu() {
            assert_eq!(event.ran_one_by_one(), None);
        }
    }
}

/// Blocks that overlap the next thread's, or that thread's block of the next round.
#[test]
fn loops_over_data_of_other_threads_are_not_proven() {
    for device in on_cpu() {
        let source = Buffer::<u32>::new(&device, 4096).unwrap();
        let mut output = Buffer::<u32>::new(&device, 4096).unwrap();
        for (groups, spacing, step) in
            [([8, 1], 12, 16), ([8, 1], 16, 12), ([8, 2], 16, 8), ([8, 2], 8, 16), ([3, 1], 16, 4)]
        {
            let groups = ThreadGroups::new([groups[0], groups[1], 1], [1, 1, 1]).unwrap();
            let event = grid_stride::launch(&device, groups, &source, &mut output, 4096, spacing, step);
            let why = event.unwrap().ran_one_by_one().expect("threads overlap");
            assert_eq!(why.argument(), "output", "{spacing} {step}");
            assert!(why.to_string().ends_with("not proven to access different bytes"), "{why}");
        }
        // One round: no thread has a block of the next one.
        let groups = ThreadGroups::new([8, 1, 1], [1, 1, 1]).unwrap();
        let event = grid_stride::launch(&device, groups, &source, &mut output, 16, 16, 4).unwrap();
        assert_eq!(event.ran_one_by_one(), None);
    }
}

/// The message names the cause, which is not always data.
#[test]
fn causes_are_named() {
    for device in on_cpu() {
        let ends = Buffer::from_slice(&device, &[1024u32; 16]).unwrap();
        let mut output = Buffer::<u32>::new(&device, 4096).unwrap();
        let groups = || ThreadGroups::new([4, 1, 1], [2, 1, 1]).unwrap();
        let event = until::launch(&device, groups(), &ends, &mut output).unwrap();
        let why = event.ran_one_by_one().expect("nothing is known about the end").to_string();
        assert!(why.ends_with("whose step or number of iterations is not known at launch"), "{why}");
        assert_eq!(output.to_vec().unwrap()[1023..=1024], [7, 0]);
        let event = squares::launch(&device, groups(), &mut output).unwrap();
        let why = event.ran_one_by_one().expect("a product of coordinates").to_string();
        assert!(why.contains("not a sum of multiples of coordinates"), "{why}");
    }
}

#[test]
fn heads_of_sequences_are_proven() {
    let (batches, tokens) = (3, 5);
    for device in devices(2) {
        let cpu = !device.is_gpu();
        for heads_of_token in [1, 2, 3, 8] {
            // Tokens of the heads, and tokens with more bytes.
            for token in [64 * heads_of_token, 64 * heads_of_token + 40] {
                let mut output = Buffer::<u32>::new(&device, batches * tokens * token).unwrap();
                let groups = ThreadGroups::new([batches, heads_of_token, 1], [1, 1, 8]).unwrap();
                let event =
                    heads::launch(&device, groups, &mut output, tokens as u32, token as u32, 64).unwrap();
                for (n, value) in output.to_vec().unwrap().into_iter().enumerate() {
                    let (b, s, h, t) =
                        (n / token / tokens, n / token % tokens, n % token / 64, n % token % 64 / 8);
                    let expected = if h < heads_of_token { b * 1000 + h * 100 + s * 10 + t } else { 0 };
                    assert_eq!(value as usize, expected, "{n}");
                }
                if cpu {
                    assert_eq!(event.ran_one_by_one(), None, "{heads_of_token} {token}");
                }
            }
        }
        let mut output = Buffer::<u32>::new(&device, batches * tokens * 128).unwrap();
        let groups = ThreadGroups::new([batches, 4, 4], [1, 1, 1]).unwrap();
        let event = parts_of_heads::launch(&device, groups, &mut output, tokens as u32, 128, 32).unwrap();
        for (n, value) in output.to_vec().unwrap().into_iter().enumerate() {
            let (b, s, h, t) = (n / 128 / tokens, n / 128 % tokens, n % 128 / 32, n % 16 / 4);
            assert_eq!(value as usize, b * 1000 + h * 100 + s * 10 + t, "{n}");
        }
        if cpu {
            assert_eq!(event.ran_one_by_one(), None);
        }
    }
}

/// Heads that overlap each other, or tokens whose heads overlap those of the next one.
#[test]
fn heads_that_overlap_are_not_proven() {
    for device in on_cpu() {
        for (heads_of_token, token, width) in [(2, 128, 60), (2, 120, 64), (3, 188, 64), (2, 64, 64)] {
            let mut output = Buffer::<u32>::new(&device, 8192).unwrap();
            let groups = ThreadGroups::new([2, heads_of_token, 1], [1, 1, 8]).unwrap();
            let event = heads::launch(&device, groups, &mut output, 5, token, width).unwrap();
            assert!(event.ran_one_by_one().is_some(), "{heads_of_token} {token} {width}");
        }
        // Without a next token, nothing overlaps.
        let mut output = Buffer::<u32>::new(&device, 8192).unwrap();
        let groups = ThreadGroups::new([2, 2, 1], [1, 1, 8]).unwrap();
        let event = heads::launch(&device, groups, &mut output, 1, 128, 64).unwrap();
        assert_eq!(event.ran_one_by_one(), None);
        let mut output = Buffer::<u32>::new(&device, 8192).unwrap();
        for (token, width) in [(124, 32), (128, 28), (112, 32)] {
            let groups = ThreadGroups::new([2, 4, 4], [1, 1, 1]).unwrap();
            let event = parts_of_heads::launch(&device, groups, &mut output, 5, token, width).unwrap();
            assert!(event.ran_one_by_one().is_some(), "{token} {width}");
        }
    }
}

#[test]
fn positions_in_vectors_are_followed() {
    let (width, height) = (256, 1024);
    let bytes: Vec<u8> = (0..width * height).map(|n| noise::number(n) as u8).collect();
    for device in devices(2) {
        let input = Surface2D::from_bytes(&device, Format::R8, width, height, &bytes).unwrap();
        let space = ThreadSpace::new(width / 32, height / 8).unwrap();
        let mut output = Surface2D::new(&device, Format::R8, width, height).unwrap();
        let event = positions::launch(&device, space, &input, &mut output, 8).unwrap();
        assert_eq!(output.to_vec().unwrap(), bytes);
        let mut output = Surface2D::new(&device, Format::R8, width, height).unwrap();
        let computed = computed_positions::launch(&device, space, &input, &mut output, 0).unwrap();
        assert_eq!(output.to_vec().unwrap(), bytes);
        if !device.is_gpu() {
            assert_eq!((event.workers(), event.ran_one_by_one()), (2, None));
            let event = positions::launch(&device, space, &input, &mut output, 7).unwrap();
            assert!(event.ran_one_by_one().is_some(), "rows overlap");
            // The recording has both writes, one of which depends on data.
            let why = computed.ran_one_by_one().expect("an element depends on data").to_string();
            assert!(why.ends_with("the position of the access depends on data"), "{why}");
        }
    }
}
