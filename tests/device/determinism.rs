//! The same kernel and input give the same bytes with any number of worker threads and in any thread pool.
//! Kernels whose threads may conflict run one thread after the other, in raster order.

use cm::prelude::*;
use cm::{Device, Event, Format, Surface2D, ThreadSpace};
use cm_test_support::noise;

/// Every thread has its own 8 x 4 block of bytes.
#[kernel]
fn brighten(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let block = input.read::<u8, 4, 8>(x, y);
    let sum: Matrix<u8, 4, 8> = (block + 41).convert();
    output.write(x, y, &sum);
}

/// Reads the neighbourhood, including positions beyond the edges.
#[kernel]
fn neighbours(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let block = input.read::<u8, 6, 16>(x.convert::<i32>() - 4, y.convert::<i32>() - 1);
    let mean: Matrix<u8, 4, 8> = ((block.select::<4, 1, 8, 1>(0, 4)
        + block.select::<4, 1, 8, 1>(2, 4)
        + block.select::<4, 1, 8, 1>(1, 0)
        + block.select::<4, 1, 8, 1>(1, 8))
        / 4)
    .convert();
    output.write(x, y, &mean);
}

/// In place: each thread reads and writes its own block.
#[kernel]
fn invert(image: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let block = image.read::<u8, 4, 8>(x, y);
    let inverted: Matrix<u8, 4, 8> = (255u8 - block).convert();
    image.write(x, y, &inverted);
}

/// In place: a thread reads the data that its left neighbour wrote, so only one order gives this result.
#[kernel]
fn running_sum(image: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 4, thread_origin_y());
    let before = image.read::<u8, 1, 4>(x.convert::<i32>() - 4, y);
    let mut here = image.read::<u8, 1, 4>(x, y);
    here += before;
    image.write(x, y, &here);
}

/// Blocks of 16 bytes at distances of 8, and 3 rows at distances of 2: the later thread wins where they
/// overlap.
#[kernel]
fn overlapping(output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let number = y * 37 + x;
    output.write(x * 8, y * 2, &Matrix::<u8, 3, 16>::splat(number));
}

/// Every thread writes the same block.
#[kernel]
fn all_at_one_place(output: &mut Surface2D) {
    let number = thread_origin_y() * 100 + thread_origin_x();
    output.write(0, 0, &Vector::<u32, 2>::splat(number));
}

/// The destination depends on data, so nothing can be proven.
#[kernel]
fn scattered(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let target = input.read::<u8, 1, 4>(x * 4, y);
    let column: u32 = target.get(0, 0).convert::<u32>() / 4 * 4;
    output.write(column, y, &target);
}

/// From right to left: strides may be negative.
#[kernel]
fn mirrored(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y() * 4);
    let block = input.read::<u8, 4, 8>(x * 8, y);
    output.write((79 - x) * 8, y, &block);
}

/// Partly left of the surface and partly above it.
#[kernel]
fn moved_out(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    output.write(x - 12, y - 6, &input.read::<u8, 4, 8>(x, y));
}

/// Columns of threads become rows of blocks.
#[kernel]
fn transposed(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    output.write(y * 8, x * 4, &input.read::<u8, 4, 8>(x * 8, y * 4));
}

/// The column wraps at 256: later threads overwrite earlier ones.
#[kernel]
fn narrow_column(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    output.write(x.convert::<u8>(), y, &input.read::<u8, 4, 8>(x, y));
}

/// Bright blocks move right by half a block, over half of the next one.
#[kernel]
fn conditional_column(input: &Surface2D, output: &mut Surface2D) {
    let (mut x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let block = input.read::<u8, 4, 8>(x, y);
    if block.get(0, 0) > 100 {
        x += 4;
    }
    output.write(x, y, &block);
}

/// The column increases in a loop whose length is an argument.
#[kernel]
fn looped(input: &Surface2D, output: &mut Surface2D, rounds: u32) {
    let (mut x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let block = input.read::<u8, 4, 8>(x, y);
    for _ in 0..rounds {
        output.write(x, y, &block);
        x += 16;
    }
}

const WIDTH: usize = 640;
const HEIGHT: usize = 240;

fn noise() -> Vec<u8> {
    noise::bytes(WIDTH * HEIGHT, 0)
}

/// The bytes of a launch, and its event.
type Outcome = (Vec<u8>, Event);

/// Launches a kernel on a device, with these input bytes.
type Case = fn(&Device, &[u8]) -> cm::Result<Outcome>;

fn image(device: &Device, bytes: &[u8]) -> cm::Result<Surface2D> {
    Surface2D::from_bytes(device, Format::R8, WIDTH, HEIGHT, bytes)
}

fn with_output(
    device: &Device,
    bytes: &[u8],
    launch: impl FnOnce(&Surface2D, &mut Surface2D) -> cm::Result<Event>,
) -> cm::Result<Outcome> {
    let input = image(device, bytes)?;
    let mut output = Surface2D::new(device, Format::R8, WIDTH, HEIGHT)?;
    let event = launch(&input, &mut output)?;
    assert_eq!(input.to_vec()?, bytes, "the input is as it was");
    Ok((output.to_vec()?, event))
}

fn in_place(
    device: &Device,
    bytes: &[u8],
    launch: impl FnOnce(&mut Surface2D) -> cm::Result<Event>,
) -> cm::Result<Outcome> {
    let mut image = image(device, bytes)?;
    let event = launch(&mut image)?;
    Ok((image.to_vec()?, event))
}

/// The cases: whether the kernel is proven safe for several workers.
const CASES: [(&str, bool, Case); 13] = [
    ("brighten", true, |device, bytes| {
        let space = ThreadSpace::new(WIDTH / 8, HEIGHT / 4)?;
        with_output(device, bytes, |input, output| brighten::launch(device, space, input, output))
    }),
    ("neighbours", true, |device, bytes| {
        let space = ThreadSpace::new(WIDTH / 8, HEIGHT / 4)?;
        with_output(device, bytes, |input, output| neighbours::launch(device, space, input, output))
    }),
    ("invert", true, |device, bytes| {
        let space = ThreadSpace::new(WIDTH / 8, HEIGHT / 4)?;
        in_place(device, bytes, |image| invert::launch(device, space, image))
    }),
    ("running_sum", false, |device, bytes| {
        let space = ThreadSpace::new(WIDTH / 4, HEIGHT)?;
        in_place(device, bytes, |image| running_sum::launch(device, space, image))
    }),
    ("overlapping", false, |device, bytes| {
        let space = ThreadSpace::new(WIDTH / 8, HEIGHT / 2)?;
        in_place(device, bytes, |image| overlapping::launch(device, space, image))
    }),
    ("all_at_one_place", false, |device, bytes| {
        let space = ThreadSpace::new(90, 70)?;
        in_place(device, bytes, |image| all_at_one_place::launch(device, space, image))
    }),
    ("scattered", false, |device, bytes| {
        let space = ThreadSpace::new(WIDTH / 4, HEIGHT)?;
        with_output(device, bytes, |input, output| scattered::launch(device, space, input, output))
    }),
    ("mirrored", true, |device, bytes| {
        let space = ThreadSpace::new(WIDTH / 8, HEIGHT / 4)?;
        with_output(device, bytes, |input, output| mirrored::launch(device, space, input, output))
    }),
    ("moved_out", true, |device, bytes| {
        let space = ThreadSpace::new(WIDTH / 8, HEIGHT / 4)?;
        with_output(device, bytes, |input, output| moved_out::launch(device, space, input, output))
    }),
    ("transposed", true, |device, bytes| {
        let space = ThreadSpace::new(WIDTH / 8, HEIGHT / 4)?;
        with_output(device, bytes, |input, output| transposed::launch(device, space, input, output))
    }),
    ("narrow_column", false, |device, bytes| {
        let space = ThreadSpace::new(WIDTH / 8, HEIGHT / 4)?;
        with_output(device, bytes, |input, output| narrow_column::launch(device, space, input, output))
    }),
    ("conditional_column", false, |device, bytes| {
        let space = ThreadSpace::new(WIDTH / 8, HEIGHT / 4)?;
        with_output(device, bytes, |input, output| conditional_column::launch(device, space, input, output))
    }),
    ("looped", false, |device, bytes| {
        let space = ThreadSpace::new(WIDTH / 8, HEIGHT / 4)?;
        with_output(device, bytes, |input, output| looped::launch(device, space, input, output, 3))
    }),
];

/// The expected results, computed thread by thread in raster order.
fn expected(name: &str, input: &[u8]) -> Vec<u8> {
    let at = |bytes: &[u8], x: i64, y: i64| {
        bytes[y.clamp(0, HEIGHT as i64 - 1) as usize * WIDTH + x.clamp(0, WIDTH as i64 - 1) as usize]
    };
    let mut bytes = input.to_vec();
    match name {
        "brighten" => bytes.iter_mut().for_each(|byte| *byte = byte.wrapping_add(41)),
        "invert" => bytes.iter_mut().for_each(|byte| *byte = 255 - *byte),
        "neighbours" => {
            for (n, byte) in bytes.iter_mut().enumerate() {
                let (x, y) = ((n % WIDTH) as i64, (n / WIDTH) as i64);
                let around = [(x, y - 1), (x, y + 1), (x - 4, y), (x + 4, y)];
                *byte = (around.iter().map(|&(x, y)| u32::from(at(input, x, y))).sum::<u32>() / 4) as u8;
            }
        }
        "running_sum" => {
            for n in 0..bytes.len() {
                // The first thread of a row reads the edge, byte by byte.
                let before = if n % WIDTH < 4 { input[n / WIDTH * WIDTH] } else { bytes[n - 4] };
                bytes[n] = input[n].wrapping_add(before);
            }
        }
        "overlapping" => {
            for y in 0..HEIGHT {
                for x in 0..WIDTH {
                    // The last thread that writes a byte: the lowest one in the rightmost column.
                    let (column, row) = (x / 8, y / 2);
                    bytes[y * WIDTH + x] = (row * 37 + column) as u8;
                }
            }
        }
        "all_at_one_place" => {
            let last = (69u32 * 100 + 89).to_le_bytes();
            bytes[..8].copy_from_slice(&[last, last].concat());
        }
        "scattered" => {
            bytes.fill(0);
            for y in 0..HEIGHT {
                for x in (0..WIDTH).step_by(4) {
                    let block = &input[y * WIDTH + x..][..4];
                    let column = usize::from(block[0]) / 4 * 4;
                    bytes[y * WIDTH + column..][..4].copy_from_slice(block);
                }
            }
        }
        "mirrored" => bytes = blocks(input, |x, y, _| vec![(632 - x, y)]),
        "moved_out" => {
            bytes.fill(0);
            for y in 0..HEIGHT - 6 {
                bytes[y * WIDTH..][..WIDTH - 12]
                    .copy_from_slice(&input[(y + 6) * WIDTH + 12..][..WIDTH - 12]);
            }
        }
        "transposed" => bytes = blocks(input, |x, y, _| vec![(y * 2, x / 2)]),
        "narrow_column" => bytes = blocks(input, |x, y, _| vec![(x % 256, y)]),
        "conditional_column" => {
            bytes = blocks(input, |x, y, first| vec![(if first > 100 { x + 4 } else { x }, y)]);
        }
        "looped" => bytes = blocks(input, |x, y, _| vec![(x, y), (x + 16, y), (x + 32, y)]),
        _ => unreachable!("{name}"),
    }
    bytes
}

/// Copies 8 x 4 blocks in raster order. `targets` gives the destinations from the position and the first byte
/// of a block.
fn blocks(input: &[u8], targets: impl Fn(usize, usize, u8) -> Vec<(usize, usize)>) -> Vec<u8> {
    let mut bytes = vec![0; input.len()];
    for (x, y) in (0..HEIGHT).step_by(4).flat_map(|y| (0..WIDTH).step_by(8).map(move |x| (x, y))) {
        for (column, row) in targets(x, y, input[y * WIDTH + x]) {
            for (i, j) in (0..4).flat_map(|i| (0..8).map(move |j| (i, j))) {
                if column + j < WIDTH && row + i < HEIGHT {
                    bytes[(row + i) * WIDTH + column + j] = input[(y + i) * WIDTH + x + j];
                }
            }
        }
    }
    bytes
}

#[test]
fn any_number_of_workers_gives_the_same_bytes() -> cm::Result<()> {
    let input = noise();
    let references: Vec<_> = CASES.iter().map(|(name, ..)| expected(name, &input)).collect();
    for threads in [1, 2, 3, 8] {
        let device = Device::cpu_with_threads(threads)?;
        for ((name, parallel, launch), reference) in CASES.iter().zip(&references) {
            for round in 0..3 {
                let (bytes, event) = launch(&device, &input)?;
                let wrong = bytes.iter().zip(reference).position(|(a, b)| a != b);
                assert_eq!(wrong, None, "{name} with {threads} workers, round {round}: the first wrong byte");
                let workers = if *parallel { threads } else { 1 };
                assert_eq!(event.workers(), workers, "{name} with {threads} workers");
            }
        }
    }
    Ok(())
}

/// `Device::cpu` runs in the pool of the thread that launches.
#[test]
fn a_pool_of_the_user_gives_the_same_bytes() -> cm::Result<()> {
    let input = noise();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        for (name, parallel, launch) in CASES {
            let (bytes, event) = pool.install(|| launch(&Device::cpu()?, &input))?;
            assert!(bytes == expected(name, &input), "{name} in a pool of {threads}");
            // `CM_NUM_THREADS` overrides the pool.
            if std::env::var_os("CM_NUM_THREADS").is_none() {
                assert_eq!(
                    event.workers(),
                    if parallel { threads } else { 1 },
                    "{name} in a pool of {threads}"
                );
            }
        }
    }
    Ok(())
}

/// Several threads of the program launch on one device at the same time.
#[test]
fn concurrent_launches_do_not_disturb_each_other() -> cm::Result<()> {
    let (device, input) = (Device::cpu_with_threads(2)?, noise());
    std::thread::scope(|scope| {
        let running: Vec<_> =
            CASES.iter().map(|(name, _, launch)| (name, scope.spawn(|| launch(&device, &input)))).collect();
        for (name, handle) in running {
            let (bytes, _) = handle.join().expect("no panic")?;
            assert!(bytes == expected(name, &input), "{name} among others");
        }
        Ok(())
    })
}

/// Small spaces use one worker; large ones are divided.
#[test]
fn workers_are_as_many_as_the_space_is_worth() -> cm::Result<()> {
    let device = Device::cpu_with_threads(2)?;
    let input = image(&device, &noise())?;
    let mut output = Surface2D::new(&device, Format::R8, WIDTH, HEIGHT)?;
    let small = brighten::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
    assert_eq!(small.workers(), 1);
    let large = brighten::launch(&device, ThreadSpace::new(80, 60)?, &input, &mut output)?;
    assert!(large.workers() > 1, "{} worker", large.workers());
    assert!(large.elapsed() > std::time::Duration::ZERO);
    // Threads beyond the right edge read edge bytes that another thread writes.
    let beyond = invert::launch(&device, ThreadSpace::new(81, 60)?, &mut output)?;
    assert_eq!(beyond.workers(), 1);
    Ok(())
}
