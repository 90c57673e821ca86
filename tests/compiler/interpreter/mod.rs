//! Devices run the program that is recorded: kernels that are launched on the CPU and by Level Zero write the
//! same bytes as their IR, interpreted for every thread of the same space.

mod buffers;
mod kernels;

use cm::interpret::{InterpretArg, interpret};
use cm::ir::{Function, Type};
use cm::prelude::*;
use cm::text::parse;
use cm::verify::verify;
use cm_test_kernels::{exits, linear, places, simd, staging};
use cm_test_support::devices::devices;
use cm_test_support::memory::Memory;
use proptest::prelude::*;

/// A uniform argument for the interpreter.
type Uniform = (Type, Vec<u8>);

fn number<T: Elem>(x: T) -> Uniform {
    vector(&[x])
}

fn vector<T: Elem>(all: &[T]) -> Uniform {
    (Type::new(T::TYPE, 1, all.len()), bytemuck::cast_slice(all).to_vec())
}

/// A picture, and the threads that process it.
#[derive(Clone, Debug)]
struct Job {
    format: Format,
    width: usize,
    height: usize,
    threads: (usize, usize),
    input: Vec<u8>,
    output: Vec<u8>,
}

/// Jobs for kernels whose threads write blocks of this size. There may be threads beyond the edges, or texels
/// without a thread; the width is a whole number of dwords.
fn jobs((width, height): (usize, usize)) -> impl Strategy<Value = Job> {
    let formats = prop::sample::select(vec![Format::R8, Format::R16, Format::R32, Format::Rgba8]);
    let sizes = (1..2 * width.div_ceil(4) + 3, 1..2 * height + 3);
    (formats, sizes, (1usize..4, 1usize..4), any::<u8>()).prop_flat_map(
        |(format, (dwords, height), threads, mask)| {
            let bytes = || prop::collection::vec(any::<u8>(), dwords * 4 * height);
            (bytes(), bytes()).prop_map(move |(input, output)| Job {
                format,
                width: dwords * 4,
                height,
                threads,
                // Some pictures have only dark texels, so that conditions take both branches.
                input: input.into_iter().map(|byte| byte & mask).collect(),
                output,
            })
        },
    )
}

/// Launches a kernel with an input, an output and uniform arguments, interprets it, and compares the results.
fn check(
    job: &Job,
    launch: impl Fn(&Device, ThreadSpace, &Surface2D, &mut Surface2D) -> cm::Result<Event>,
    function: cm::Result<Function>,
    uniforms: &[Uniform],
) {
    let texels = job.width / job.format.texel_bytes();
    let space = ThreadSpace::new(job.threads.0, job.threads.1).unwrap();
    let mut launched = Vec::new();
    for device in devices(2) {
        let surface = |bytes| Surface2D::from_bytes(&device, job.format, texels, job.height, bytes).unwrap();
        let mut output = surface(&job.output);
        match launch(&device, space, &surface(&job.input), &mut output) {
            // The columns of this kernel are not whole texels of this format.
            Err(cm::Error::ArgumentFormat { .. }) => return,
            result => drop(result.unwrap()),
        }
        launched.push((device.name().to_owned(), output.to_vec().unwrap()));
    }

    let function = function.unwrap();
    verify(&function).unwrap();
    assert_eq!(parse(&function.to_string()).as_ref(), Ok(&function));
    let memory = |bytes| Memory::new(job.format.texel_bytes(), job.width, job.height, bytes);
    let (mut input, mut output) = (memory(&job.input), memory(&job.output));
    for (x, y) in (0..job.threads.1).flat_map(|y| (0..job.threads.0).map(move |x| (x, y))) {
        let mut args = vec![InterpretArg::Surface(&mut input), InterpretArg::Surface(&mut output)];
        args.extend(uniforms.iter().map(|(ty, bytes)| InterpretArg::Uniform { ty: *ty, bytes }));
        interpret(&function, &mut args, [x as u32, y as u32]).unwrap();
    }
    for (device, launched) in launched {
        assert_eq!(launched, output.bytes(), "{device}: {function}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn tutorial_kernels(job in jobs((24, 6))) {
        check(&job, linear::linear::launch, linear::linear::ir(), &[]);
        check(&job, linear::linear1d2::launch, linear::linear1d2::ir(), &[]);
        check(&job, linear::linearslide::launch, linear::linearslide::ir(), &[]);
        check(&job, linear::linearslide2::launch, linear::linearslide2::ir(), &[]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn control_flow(job in jobs((16, 4)), limit in 0u32..300, threshold: i32, gain: f32) {
        use staging as k;
        check(&job, k::darken_bright::launch, k::darken_bright::ir(), &[]);
        check(&job, |d, s, i, o| k::halve_until::launch(d, s, i, o, limit), k::halve_until::ir(), &[number(limit)]);
        let count = limit % 9;
        check(&job, |d, s, i, o| k::add_rows::launch(d, s, i, o, count), k::add_rows::ir(), &[number(count)]);
        for threshold in [threshold, threshold % 256] {
            check(&job, |d, s, i, o| k::choose::launch(d, s, i, o, threshold), k::choose::ir(), &[number(threshold)]);
        }
        check(&job, k::unrolled::launch, k::unrolled::ir(), &[]);
        for gain in [gain, limit as f32 / 3.0] {
            check(&job, |d, s, i, o| k::helpers::launch(d, s, i, o, gain), k::helpers::ir(), &[number(gain)]);
            check(&job, k::copies::launch, k::copies::ir(), &[]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn functions_of_places(job in jobs((16, 4)), least in 0i32..260, rows in 0u32..7) {
        use places as k;
        check(&job, k::parts::launch, k::parts::ir(), &[]);
        let uniforms = [number(least), number(rows)];
        check(&job, |d, s, i, o| k::staged_parts::launch(d, s, i, o, least, rows), k::staged_parts::ir(), &uniforms);
    }

    #[test]
    fn exits(job in jobs((16, 4)), limit in 0u32..4000, n in 0u32..256) {
        use exits as k;
        check(&job, k::return_early::launch, k::return_early::ir(), &[]);
        check(&job, |d, s, i, o| k::several_exits::launch(d, s, i, o, limit), k::several_exits::ir(), &[number(limit)]);
        let few = n % 17;
        check(&job, |d, s, i, o| k::outer_loops::launch(d, s, i, o, few), k::outer_loops::ir(), &[number(few)]);
        check(&job, k::unrolled_exits::launch, k::unrolled_exits::ir(), &[]);
        check(
            &job,
            |d, s, i, o| k::early_functions::launch(d, s, i, o, n, few),
            k::early_functions::ir(),
            &[number(n), number(few)],
        );
        check(&job, |d, s, i, o| k::choose_number::launch(d, s, i, o, n), k::choose_number::ir(), &[number(n)]);
        check(&job, k::interpret_bytes::launch, k::interpret_bytes::ir(), &[]);
        check(&job, |d, s, i, o| k::loop_values::launch(d, s, i, o, few), k::loop_values::ir(), &[number(few)]);
    }

    #[test]
    fn simd_control_flow(job in jobs((16, 4)), n in 0u32..256, by in 0i32..40) {
        use simd as k;
        check(&job, |d, s, i, o| k::simd_branches::launch(d, s, i, o, n), k::simd_branches::ir(), &[number(n)]);
        check(&job, |d, s, i, o| k::simd_collatz::launch(d, s, i, o, n), k::simd_collatz::ir(), &[number(n)]);
        let few = n % 12;
        check(&job, |d, s, i, o| k::simd_nested::launch(d, s, i, o, few), k::simd_nested::ir(), &[number(few)]);
        check(&job, |d, s, i, o| k::simd_reductions::launch(d, s, i, o, n), k::simd_reductions::ir(), &[number(n)]);
        check(&job, |d, s, i, o| k::simd_lanes::launch(d, s, i, o, by), k::simd_lanes::ir(), &[number(by)]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn views_and_masks(job in jobs((16, 4)), i in 0u32..40, j in -3i32..40, bits: u32, limit in -100i16..300) {
        use kernels as k;
        check(&job, |d, s, a, o| k::views::launch(d, s, a, o, i, j), k::views::ir(), &[number(i), number(j)]);
        check(
            &job,
            |d, s, a, o| k::masks::launch(d, s, a, o, bits, limit),
            k::masks::ir(),
            &[number(bits), number(limit)],
        );
    }

    /// The kernel interprets opcodes, so these are random programs with random control flow.
    #[test]
    fn programs(
        job in jobs((16, 4)),
        code in prop::array::uniform12((0..kernels::OPCODES, 0u32..40)),
        seed in -3i32..300,
    ) {
        let code = code.map(|(op, n)| op + kernels::OPCODES * n);
        check(
            &job,
            |d, s, i, o| kernels::program::launch(d, s, i, o, Vector::from_array(code), seed),
            kernels::program::ir(),
            &[vector(&code), number(seed)],
        );
    }
}

macro_rules! pairs {
    ($($name:ident)*) => {
        proptest! {
            #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
            $(
                #[test]
                fn $name(job in jobs((64, 20))) {
                    check(&job, kernels::$name::launch, kernels::$name::ir(), &[]);
                }
            )*
        }
    };
}

/// Operators on pairs of element types.
mod arithmetic {
    use super::*;

    pairs! { u8_i8 u16_i32 i64_u8 u32_i64 i16_u64 f16_u8 f16_f16 f32_i16 i64_f32 f64_f16 f64_f32 }
}

macro_rules! shapes {
    ($($name:ident: $($r:literal $c:literal $r2:literal $vs:literal $c2:literal $hs:literal),*;)*) => {
        proptest! {
            #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
            $(
                #[test]
                fn $name(job in jobs((64, 16)), i in 0u32..20, j in 0u16..70) {
                    use kernels::$name as k;
                    $({
                        type Kernel = k<$r, $c, $r2, $vs, $c2, $hs>;
                        check(
                            &job,
                            |d, s, a, o| Kernel::launch(d, s, a, o, i, j),
                            Kernel::ir(),
                            &[number(i), number(j)],
                        );
                    })*
                }
            )*
        }
    };
}

/// Rows and columns of the register, then rows, stride, columns and stride of the region.
mod shapes {
    use super::*;

    shapes! {
        shapes_u8: 4 16 2 2 4 3, 1 32 1 1 8 4, 3 20 3 1 5 4;
        shapes_i16: 8 8 3 2 8 1, 16 4 4 4 2 2, 4 64 2 3 16 4;
        shapes_u64: 4 16 4 1 1 1, 2 28 1 1 9 3;
        shapes_f16: 4 16 2 2 4 3, 8 12 8 1 2 11;
        shapes_f32: 5 24 2 4 6 4, 1 4 1 1 4 1;
    }
}
