//! Executes the machine code that Intel's compiler generates, and compares the output with the CPU. With the
//! installed compiler, this is the code for each device in `DEVICES`; if `CM_NEWEST_OCLOC` names a newer
//! compiler, the code for `EXECUTED_OF_NEWEST`.
//!
//! These tests need `ocloc`. Without it, they report that they are skipped.

mod blocks_2d;
mod buffers;
mod byte_products;
mod compared;
mod compiler_workarounds;
mod division;
mod fixed_point;
mod float_division;
mod joint_channels;
mod joint_reductions;
mod large_objects;
mod linear_surfaces;
mod messages;
mod named_barriers;
mod operations;
mod picked_columns;
mod random_kernels;
mod regressions;
mod replaced_parts;
mod short_forms;
mod surface_messages;
mod texels;
mod vectors;

use cm::Target;
use cm::ir::Function;
use cm::prelude::*;
use cm::spirv::{lower, lower_in_form};
use cm_test_kernels::{exits, groups, linear, simd, staging};
use cm_test_support::cases::cases;
use cm_test_support::emulator::{Emulator, Run};
use cm_test_support::noise::stream;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use crate::programs::{on_a_thread, program, random};

const WIDTH: usize = 96;
const HEIGHT: usize = 24;

/// Texels with dark blocks and bright blocks.
fn image() -> Vec<u8> {
    let mut next = stream(12345);
    (0..WIDTH * HEIGHT)
        .map(|i| {
            let texel = (next() >> 8) as u8;
            match (i / WIDTH / 4 + i % WIDTH / 16) % 3 {
                0 => texel & 63,
                1 => texel | 0x81,
                _ => texel,
            }
        })
        .collect()
}

/// The modules of a kernel that are executed: one for each device, and for Gen9 also the other forms that it
/// supports.
fn modules(
    emulator: &Emulator,
    function: &Function,
    forms: &[Target],
) -> Vec<(&'static str, Target, Vec<u32>)> {
    let forms_of = |device: &(&str, Target)| {
        if device.1 == Target::Gen9 { forms.to_vec() } else { vec![device.1] }
    };
    let forms = emulator.devices().iter().flat_map(|device| {
        forms_of(device).into_iter().map(|form| (device.0, form, lower_in_form(function, form, device.1)))
    });
    forms.map(|(device, form, module)| (device, form, module.unwrap())).collect()
}

/// The bytes that a kernel writes on the CPU, given `image`.
fn on_cpu(
    (across, down): (usize, usize),
    launch: impl FnOnce(&Device, ThreadSpace, &Surface2D, &mut Surface2D) -> cm::Result<Event>,
) -> Vec<u8> {
    let device = Device::cpu().unwrap();
    let input = Surface2D::from_bytes(&device, Format::R8, WIDTH, HEIGHT, &image()).unwrap();
    let mut output = Surface2D::new(&device, Format::R8, WIDTH, HEIGHT).unwrap();
    launch(&device, ThreadSpace::new(across, down).unwrap(), &input, &mut output).unwrap();
    output.to_vec().unwrap()
}

/// Compares what a kernel writes on the CPU and as machine code for each device, in these forms for Gen9.
fn same_bytes(
    (emulator, function): (&Emulator, &Function),
    forms: &[Target],
    grid: (usize, usize),
    arguments: &[Vec<u8>],
    launch: impl FnOnce(&Device, ThreadSpace, &Surface2D, &mut Surface2D) -> cm::Result<Event>,
) {
    let expected = on_cpu(grid, launch);
    for (device, form, module) in modules(emulator, function, forms) {
        let found = emulator.run(&Run {
            module: &module,
            device,
            kernel: &function.name,
            input: &image(),
            pitch: WIDTH,
            rows: HEIGHT,
            grid,
            arguments,
        });
        assert_eq!(found, expected, "{} on {device} in the form for {form}", function.name);
    }
}

/// Compares a kernel with constants.
macro_rules! same_bytes_of {
    ($emulator:expr, $kernel:ident<$($number:literal),*> by $grid:expr) => {{
        type Kernel = $kernel<$($number),*>;
        $crate::machine_code::same_bytes(
            (&$emulator, &Kernel::ir().unwrap()),
            &[Target::Gen9],
            $grid,
            &[],
            |device, space, input, output| Kernel::launch(device, space, input, output),
        );
    }};
}
use same_bytes_of;

/// Compares kernels of a module, of which each thread writes so many columns and rows.
macro_rules! same_bytes_in {
    (
        $emulator:expr, $module:ident,
        $($kernel:ident($($arg:expr),*) by $columns:literal x $rows:literal;)*
    ) => {$(
        same_bytes(
            (&$emulator, &$module::$kernel::ir().unwrap()),
            Target::ALL,
            (WIDTH / $columns, HEIGHT / $rows),
            &[$(bytemuck::bytes_of(&$arg).to_vec()),*],
            |device, space, input, output| {
                $module::$kernel::launch(device, space, input, output $(, $arg)*)
            },
        );
    )*};
}

#[test]
fn kernels_give_the_bytes_of_the_cpu() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    same_bytes_in! { emulator, linear,
        linear() by 24 x 6; linear1d2() by 24 x 6; linearslide() by 24 x 6; linearslide2() by 24 x 6;
    }
    same_bytes_in! { emulator, staging,
        darken_bright() by 16 x 4; halve_until(60u32) by 16 x 4;
        add_rows(6u32) by 16 x 4; choose(40i32) by 16 x 4;
        unrolled() by 16 x 4; helpers(3.5f32) by 16 x 4; negative() by 16 x 4; copies() by 16 x 4;
    }
    same_bytes_in! { emulator, exits,
        return_early() by 16 x 4; several_exits(900u32) by 16 x 4; outer_loops(11u32) by 16 x 4;
        unrolled_exits() by 16 x 4; early_functions(90u32, 6u32) by 16 x 4; choose_number(80u32) by 16 x 4;
        interpret_bytes() by 16 x 4; loop_values(3u32) by 16 x 4;
    }
    same_bytes_in! { emulator, simd,
        simd_branches(90u32) by 16 x 4; simd_collatz(70u32) by 16 x 4; simd_nested(5u32) by 16 x 4;
        simd_lanes(7i32) by 16 x 4; simd_references(70u32) by 16 x 4; simd_reductions(30u32) by 16 x 4;
    }
    same_bytes_in! { emulator, groups,
        distances() by 16 x 8; sepia_red() by 32 x 4; groups_of_all_sizes() by 96 x 24;
    }
}

/// Reads a block of `R` rows of `W` bytes, and writes it as part of a block of whole dwords.
#[kernel]
fn block_of<const R: usize, const W: usize, const OUT: usize>(input: &Surface2D, output: &mut Surface2D) {
    let mut out = Matrix::<u8, R, OUT>::splat(7);
    out.select_mut::<R, 1, W, 1>(0, 0).assign(input.read::<u8, R, W>(thread_origin_x() * 8 + 1, 3));
    output.write(4, 2, &out);
}

#[test]
fn media_blocks_of_every_width_give_the_bytes_of_the_cpu() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    macro_rules! widths {
        ($($rows:literal x $width:literal as $out:literal),* $(,)?) => {$(
            same_bytes_of!(emulator, block_of<$rows, $width, $out> by (1, 1));
        )*};
    }
    widths![
        1 x 1 as 4, 16 x 2 as 4, 16 x 3 as 4, 16 x 4 as 4, 16 x 5 as 8, 16 x 7 as 8, 16 x 8 as 8,
        16 x 9 as 12,
        16 x 12 as 12, 16 x 16 as 16, 8 x 17 as 20, 8 x 24 as 24, 6 x 24 as 28, 8 x 30 as 32, 8 x 31 as 32,
        8 x 32 as 32, 4 x 33 as 36, 4 x 40 as 40, 4 x 45 as 48, 4 x 47 as 52, 4 x 56 as 56, 4 x 60 as 60,
        4 x 61 as 64, 4 x 63 as 64, 4 x 64 as 64, 3 x 64 as 64, 1 x 64 as 64,
    ];
}

#[test]
fn random_programs_give_the_bytes_of_the_cpu() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let (device, target) = emulator.devices()[0];
    let config = ProptestConfig { max_shrink_iters: 60, ..cases(40) };
    let inputs = (program::programs(), prop::collection::vec(any::<u8>(), random::BYTES));
    // Every run uses the same programs, so a difference is always reproducible.
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let result = TestRunner::new_with_rng(config, rng).run(&inputs, |(program, bytes)| {
        let (function, bytes, mut expected) = on_a_thread(move || {
            let (function, expected) = random::recorded(program, &bytes);
            (function, bytes, expected)
        });
        let module = match lower(&function, target) {
            Ok(module) => module,
            Err(cm::spirv::LowerError::Registers { .. }) => {
                return Err(TestCaseError::reject("too many registers"));
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        let mut found = emulator.run(&Run {
            module: &module,
            device,
            kernel: "random",
            input: &bytes,
            pitch: random::PITCH,
            rows: random::BYTES / random::PITCH,
            grid: (1, 1),
            arguments: &[],
        });
        random::forget_payloads(&mut expected);
        random::forget_payloads(&mut found);
        prop_assert_eq!(found, expected, "{}", function);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
