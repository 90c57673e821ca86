//! Compiles every kernel with Intel's compiler. These tests need `ocloc`; without it they are skipped, unless
//! `CM_REQUIRE_OCLOC` is set.

use std::collections::BTreeSet;

use cm::RegisterFile;
use cm::compiler::ops::AccessKind;
use cm::ir::Function;
use cm::prelude::*;
use cm::spirv::{Dispatch, LowerError, lower, lower_dispatched, lower_for};
use cm_test_kernels::{blocks_2d, buffers, classes, everyday, families, linear};
use cm_test_support::ocloc::{
    DEVICES, compile, every_device, fits, is_counted, lower_as_launched, present, refused,
};

use crate::kernels::{all, has_surfaces, in_waves, kernels, recorded, sub_groups, with_256_registers};
use crate::programs::operations;
use crate::unsupported::is_unsupported;

/// Random programs have no buffers, so accesses need kernels of their own.
#[test]
fn every_access_is_in_a_kernel() {
    let found: BTreeSet<_> = all().iter().flat_map(operations).collect();
    assert_eq!(AccessKind::all().find(|kind| !found.contains(kind.spec().name)), None);
}

/// A 2-D block is one message on GPUs that have these messages, and two for the largest blocks. Other GPUs
/// use none, although the compiler accepts them.
#[test]
fn a_2d_block_is_a_message() {
    if !present() {
        return;
    }
    let (mut loads, mut stores) = (vec![], vec![]);
    macro_rules! loads {
        ($($name:ident: $t:ident $r:literal x $c:literal $form:ty;)*) => {$(
            // Rows of 2048 bytes, or a transposed column of 128 bytes.
            let largest = $r * $c * size_of::<$t>() == 2048 || stringify!($name) == "transposed_f32";
            loads.push((recorded::<blocks_2d::$name>(), if largest { 2 } else { 1 }));
        )*};
    }
    macro_rules! stores {
        ($($name:ident: $t:ident $r:literal x $c:literal;)*) => {$(
            stores.push(recorded::<blocks_2d::$name>());
        )*};
    }
    cm_test_kernels::for_each_load_2d!(loads);
    cm_test_kernels::for_each_store_2d!(stores);
    let messages = |kernel: &Function, device, target| {
        let module = lower(kernel, target).unwrap();
        let compiled =
            compile(&module, &kernel.name, device).unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
        ["load_block2d", "store_block2d"].map(|message| compiled.count(message))
    };
    for (kernel, count) in &loads {
        assert_eq!(messages(kernel, "pvc", Target::XeHpc), [*count, 0], "{}", kernel.name);
        assert_eq!(messages(kernel, "dg2-g10", Target::XeHpg), [0, 0], "{}", kernel.name);
    }
    for kernel in &stores {
        // Each kernel loads the blocks that it stores.
        assert_eq!(messages(kernel, "pvc", Target::XeHpc), [1, 1], "{}", kernel.name);
        assert_eq!(messages(kernel, "dg2-g10", Target::XeHpg), [0, 0], "{}", kernel.name);
    }
}

/// In the form that launches use: on Ponte Vecchio, whose programs are the longest, and on one of the other devices in
/// turn, or with `CM_EVERY_DEVICE=1` on all.
#[test]
fn every_kernel_compiles() {
    compile_on(&all(), lower_as_launched, |place, devices| {
        if every_device() {
            return devices;
        }
        let (last, others): (Vec<_>, Vec<_>) = devices.into_iter().partition(|device| *device == "pvc");
        let in_turn = others.get(place % others.len().max(1)).copied();
        last.into_iter().chain(in_turn).collect()
    });
}

/// `spirv_for` returns the form with images, also for the GPU whose launches use surfaces in buffers. One in four
/// kernels, or all with `CM_EVERY_DEVICE=1`.
#[test]
fn kernels_compile_with_images() {
    if !present() {
        return;
    }
    let all = all();
    let kernels = all.iter().filter(|kernel| has_surfaces(kernel));
    let kernels = kernels.step_by(if every_device() { 1 } else { 4 });
    let modules = kernels.map(|kernel| (lower(kernel, Target::XeHpc).unwrap(), &kernel.name[..], "pvc"));
    let failed = refused(&modules.collect::<Vec<_>>(), RegisterFile::Standard);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The modules for lines of threads compile.
#[test]
fn waves_compile_everywhere() {
    compile_everywhere(&in_waves(), |kernel, target| {
        lower_dispatched(kernel, target, RegisterFile::Standard, Dispatch::Line)
    });
}

#[test]
fn every_built_in_of_sub_groups_compiles_everywhere() {
    compile_everywhere(&sub_groups(), lower_as_launched);
}

/// On the generations that have the large register file. In the standard one they spill.
#[test]
fn kernels_with_256_registers_compile() {
    if !present() {
        return;
    }
    let kernels = with_256_registers();
    let mut modules = vec![];
    for kernel in &kernels {
        for (device, target) in DEVICES {
            let module = lower_for(kernel, target, RegisterFile::Large);
            assert_eq!(module.is_ok(), target.has_large_register_file(), "{} on {device}", kernel.name);
            modules.extend(module.ok().map(|module| (module, &kernel.name[..], device)));
        }
    }
    assert_eq!(refused(&modules, RegisterFile::Large), [""; 0]);
}

/// Compiles kernels for all devices.
fn compile_everywhere(
    kernels: &[Function],
    lower: impl Fn(&Function, Target) -> Result<Vec<u32>, LowerError>,
) {
    compile_on(kernels, lower, |_, devices| devices);
}

/// Compiles kernels for the devices that are wanted. The function gets the place of a kernel in the list, and the devices
/// that it has a module for: kernels with `f64` only those that have it.
fn compile_on(
    kernels: &[Function],
    lower: impl Fn(&Function, Target) -> Result<Vec<u32>, LowerError>,
    wanted: impl Fn(usize, Vec<&'static str>) -> Vec<&'static str>,
) {
    if !present() {
        return;
    }
    let mut modules = vec![];
    for (place, kernel) in kernels.iter().enumerate() {
        let mut own = vec![];
        for (device, target) in DEVICES {
            match lower(kernel, target) {
                Ok(module) => own.push((module, &kernel.name[..], device)),
                Err(LowerError::Unsupported { .. }) if is_unsupported(kernel, target) => {}
                Err(error) => panic!("{} on {device}: {error}", kernel.name),
            }
        }
        let taken = wanted(place, own.iter().map(|(.., device)| *device).collect());
        own.retain(|(.., device)| taken.contains(device));
        modules.extend(own);
    }
    let failed = refused(&modules, RegisterFile::Standard);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A float product and a sum.
#[kernel]
fn product_and_sum(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<f32, 4, 16>(0, 0);
    output.write(0, 0, &(m * 0.3f32 + m));
}

#[test]
fn products_and_sums_are_not_fused() {
    if !present() {
        return;
    }
    for (device, target) in DEVICES {
        let module = lower(&recorded::<product_and_sum>(), target).unwrap();
        let compiled = compile(&module, "product_and_sum", device).unwrap();
        assert_eq!(compiled.count("mad"), 0, "{device} rounds once: {}", compiled.assembly);
        assert!(compiled.count("mul") > 0 && compiled.count("add") > 0, "{device}: {}", compiled.assembly);
    }
}

/// The number of instructions that the compiler generates for the tutorial kernels and for kernels that were
/// not tuned, for each device in the order of [`DEVICES`]. On pvc surfaces are in buffers, so each block has code for the
/// inside and code for the edges; `machine_code::linear_surfaces` counts what a thread inside executes. These numbers may
/// only go down.
const INSTRUCTIONS: [(&str, [usize; 4]); 17] = [
    ("linear", [175, 177, 251, 323]),
    ("linear1d2", [60, 70, 76, 171]),
    ("linearslide", [79, 87, 98, 207]),
    ("linearslide2", [60, 68, 80, 191]),
    ("gradients", [95, 97, 109, 204]),
    ("median", [121, 132, 144, 243]),
    ("blend", [69, 78, 91, 243]),
    ("axpy", [16, 18, 29, 21]),
    ("half_polynomial", [35, 37, 49, 158]),
    ("nv12", [65, 66, 77, 183]),
    ("downsample", [32, 34, 46, 124]),
    ("blur5", [107, 109, 159, 237]),
    ("escape", [51, 57, 70, 63]),
    ("sepia", [58, 64, 80, 146]),
    ("binomial5", [96, 90, 100, 196]),
    ("luma", [65, 60, 72, 175]),
    ("mix", [119, 118, 130, 245]),
];

#[test]
fn kernels_are_as_short_as_they_were() {
    if !is_counted() {
        return;
    }
    let kernels = kernels![
        linear::linear,
        linear::linear1d2,
        linear::linearslide,
        linear::linearslide2,
        classes::gradients,
        classes::median,
        classes::blend,
        buffers::axpy,
        classes::half_polynomial,
        classes::nv12::<16, 1>,
        classes::downsample,
        classes::blur5,
        everyday::escape::<16>,
        families::sepia,
        families::binomial5,
        families::luma,
        families::mix,
    ];
    let mut changed = vec![];
    for (kernel, (name, limits)) in kernels.iter().zip(INSTRUCTIONS) {
        assert_eq!(kernel.name, name);
        for ((device, target), limit) in DEVICES.into_iter().zip(limits) {
            let module = lower_as_launched(kernel, target).unwrap();
            let count = compile(&module, name, device).unwrap().instructions;
            if count != limit {
                changed.push(format!("{name} on {device}: {count} instructions, not {limit}"));
            }
        }
    }
    assert!(changed.is_empty(), "longer is worse, shorter is to be noted here: {}", changed.join("; "));
}

#[test]
fn the_register_report_agrees_with_the_compiler() {
    if !present() {
        return;
    }
    // The rows of `linearslide` become one block if registers are free: 6 rows of 32 bytes, which the report
    // does not count.
    let kernels = [
        (recorded::<linear::linear>(), 0),
        (recorded::<linear::linear1d2>(), 0),
        (recorded::<linear::linearslide>(), 6),
        (recorded::<linear::linearslide2>(), 0),
    ];
    for (kernel, joined) in kernels {
        let module = lower(&kernel, Target::Gen9).unwrap();
        let reported = cm::RegisterReport::new(&kernel).unwrap().peak().registers;
        // The documented margin is a quarter: with a quarter more registers the compiler does not spill, with
        // a quarter less it does. It accepts register files in steps of four.
        let (more, less) = (((reported + joined) * 5 / 4).next_multiple_of(4), reported * 3 / 4 / 4 * 4);
        assert!(
            fits(&module, &kernel.name, "skl", more),
            "{}: {reported}, but {more} do not do",
            kernel.name
        );
        assert!(!fits(&module, &kernel.name, "skl", less), "{}: {reported}, but {less} do", kernel.name);
    }
}
