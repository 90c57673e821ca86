//! Compares the CPU path with the alternatives that users have, in one run: compare ratios, not times.
//!
//! `cargo bench --bench cpu`; add a filter such as `1080` or `single`.
//!
//! Before each pass, another picture of the same size is copied, which is not measured. As in a program that
//! processes many pictures, a picture is then not in the cache because of the previous pass.

#[path = "../examples/linear/kernels.rs"]
pub mod boxes;
#[macro_use]
pub mod kernels;
mod rows;

use std::thread;

use cm::{CpuEngine, Device, Event, Format, Surface2D, ThreadSpace};
use divan::counter::BytesCount;
use divan::{Bencher, black_box, main as run};

fn main() {
    run();
}

/// Bytes of a row, and rows: 1080p, 4K and 8K of packed RGB.
const SIZES: [(usize, usize); 3] = [(5760, 1080), (11520, 2160), (23040, 4320)];

fn noise(len: usize) -> Vec<u8> {
    (0..len).map(|n| (n.wrapping_mul(2_654_435_761) >> 11) as u8).collect()
}

fn device(threads: usize) -> Device {
    Device::cpu_with_threads(threads).expect("a device")
}

fn all() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

type Launch = fn(&Device, ThreadSpace, &Surface2D, &mut Surface2D) -> cm::Result<Event>;

/// Another picture.
struct Other {
    from: Vec<u8>,
    to: Vec<u8>,
}

impl Other {
    fn new(len: usize) -> Self {
        Self { from: noise(len), to: vec![0; len] }
    }

    fn copy(&mut self) -> u8 {
        self.to.copy_from_slice(black_box(&self.from));
        black_box(&self.to)[0]
    }
}

/// Runs a kernel from a surface of `width` x `height` texels of a format to one of another size, with this
/// many threads.
fn bench(
    bencher: Bencher<'_, '_>,
    launch: Launch,
    device: &Device,
    texels: (Format, usize, usize),
    to: (usize, usize),
    space: [usize; 2],
) {
    let (format, width, height) = texels;
    let bytes = width * height * format.texel_bytes();
    let mut data = noise(bytes);
    if format == Format::R32F {
        // Small floats.
        for texel in data.chunks_exact_mut(4) {
            let value = f32::from(texel[0]) / 64.0 - 2.0;
            texel.copy_from_slice(&value.to_le_bytes());
        }
    }
    let input = Surface2D::from_bytes(device, format, width, height, &data).expect("a surface");
    let mut output = Surface2D::new(device, format, to.0, to.1).expect("a surface");
    let space = ThreadSpace::new(space[0], space[1]).expect("a thread space");
    let mut other = Other::new(bytes);
    bencher
        .counter(BytesCount::new(bytes))
        .with_inputs(|| other.copy())
        .bench_local_values(|_| launch(device, space, black_box(&input), &mut output).expect("a launch"));
}

macro_rules! box_filters {
    ($($name:ident)*) => {$(
        #[divan::bench(args = SIZES)]
        fn $name(bencher: Bencher<'_, '_>, (width, height): (usize, usize)) {
            let space = [width / 24, height / 6];
            let texels = (Format::R8, width, height);
            bench(bencher, boxes::$name::launch, &device(THREADS()), texels, (width, height), space);
        }
    )*};
}

/// One thread.
#[divan::bench_group(min_time = 1, sample_size = 1)]
mod single {
    use super::*;

    const THREADS: fn() -> usize = || 1;

    box_filters! { linear linear1d2 linearslide linearslide2 }

    /// The same from the recording, which is how kernels run if their crate is not optimised.
    #[divan::bench(args = SIZES)]
    fn linear1d2_recorded(bencher: Bencher<'_, '_>, (width, height): (usize, usize)) {
        let (space, texels) = ([width / 24, height / 6], (Format::R8, width, height));
        let device = device(1).with_cpu_engine(CpuEngine::Ir);
        bench(bencher, boxes::linear1d2::launch, &device, texels, (width, height), space);
    }

    pub(super) fn competitor(
        bencher: Bencher<'_, '_>,
        (width, height): (usize, usize),
        work: impl Fn(&[u8], &mut [u8], usize),
    ) {
        let (input, mut output) = (noise(width * height), vec![0; width * height]);
        let mut other = Other::new(width * height);
        bencher
            .counter(BytesCount::new(width * height))
            .with_inputs(|| other.copy())
            .bench_local_values(|_| work(black_box(&input), black_box(&mut output), width));
    }

    #[divan::bench(args = SIZES)]
    fn memcpy(bencher: Bencher<'_, '_>, size: (usize, usize)) {
        competitor(bencher, size, |input, output, _| output.copy_from_slice(input));
    }

    #[divan::bench(args = SIZES)]
    fn rows_autovectorised(bencher: Bencher<'_, '_>, size: (usize, usize)) {
        competitor(bencher, size, rows::autovectorised);
    }

    #[divan::bench(args = SIZES)]
    fn rows_avx2(bencher: Bencher<'_, '_>, size: (usize, usize)) {
        if rows::has_avx2() {
            competitor(bencher, size, rows::avx2);
        }
    }

    #[divan::bench(args = SIZES)]
    fn rows_avx512(bencher: Bencher<'_, '_>, size: (usize, usize)) {
        if rows::has_avx512() {
            competitor(bencher, size, rows::avx512);
        }
    }
}

/// All cores.
#[divan::bench_group(min_time = 1, sample_size = 1)]
mod every_core {
    use super::*;

    const THREADS: fn() -> usize = all;

    box_filters! { linear linear1d2 linearslide linearslide2 }

    /// The memory bandwidth: each core copies its part.
    #[divan::bench(args = SIZES)]
    fn memcpy(bencher: Bencher<'_, '_>, size: (usize, usize)) {
        single::competitor(bencher, size, |input, output, _| {
            let part = input.len().div_ceil(all());
            thread::scope(|scope| {
                for (input, output) in input.chunks(part).zip(output.chunks_mut(part)) {
                    scope.spawn(|| output.copy_from_slice(input));
                }
            });
        });
    }
}

/// One kernel of each other family, one thread, 3840 x 2160 bytes.
#[divan::bench_group(min_time = 1, sample_size = 1)]
mod family {
    use super::*;

    macro_rules! families {
        ($($name:ident $format:ident $width:literal $height:literal, $x:literal $y:literal;)*) => {$(
            #[divan::bench]
            fn $name(bencher: Bencher<'_, '_>) {
                let (texels, space) = ((Format::$format, 3840 / Format::$format.texel_bytes(), 2160), [3840 / $x, 2160 / $y]);
                bench(bencher, kernels::$name::launch, &device(1), texels, ($width, $height), space);
            }
        )*};
    }

    with_families! { families }
}

/// The overhead of a launch apart from its kernel threads.
#[divan::bench]
fn launch_of_one_thread(bencher: Bencher<'_, '_>) {
    let device = device(1);
    let input = Surface2D::new(&device, Format::R8, 32, 8).expect("a surface");
    let mut output = Surface2D::new(&device, Format::R8, 32, 8).expect("a surface");
    let space = ThreadSpace::new(1, 1).expect("a thread space");
    bencher.bench_local(|| boxes::linear1d2::launch(&device, space, &input, &mut output).expect("a launch"));
}

/// Launches of a few threads, each with one worker and with all workers: more workers are woken only if that
/// is worthwhile.
mod small_launches {
    use super::*;

    const SIDES: [usize; 5] = [8, 16, 32, 64, 128];

    #[divan::bench(args = SIDES)]
    fn one_worker(bencher: Bencher<'_, '_>, side: usize) {
        launch(bencher, side, 1);
    }

    #[divan::bench(args = SIDES)]
    fn all_workers(bencher: Bencher<'_, '_>, side: usize) {
        launch(bencher, side, all());
    }

    fn launch(bencher: Bencher<'_, '_>, side: usize, workers: usize) {
        let device = device(workers);
        let (width, height) = (side * 24, side * 6);
        let input = Surface2D::new(&device, Format::R8, width, height).expect("a surface");
        let mut output = Surface2D::new(&device, Format::R8, width, height).expect("a surface");
        let space = ThreadSpace::new(side, side).expect("a thread space");
        bencher
            .bench_local(|| boxes::linear1d2::launch(&device, space, &input, &mut output).expect("a launch"));
    }
}
