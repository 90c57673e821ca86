//! Compares recordings with control flow, and the modules of the tutorial kernels and of some buffer kernels,
//! with committed texts, word for word. `CM_BLESS=1` rewrites the texts; then read the difference.

use cm::Target;
use cm::dsl::recorder::record;
use cm::ir::Function;
use cm::spirv::lower;
use cm_test_kernels::{buffers, exits, linear, simd, staging};
use cm_test_support::committed;
use rspirv::binary::{Disassemble, parse_words};
use rspirv::dr::Loader;

#[track_caller]
fn check(file: &str, text: &str) {
    committed::check(&format!("tests/compiler/golden/{file}"), text);
}

/// A recording, without source locations.
fn recording(name: &str, function: cm::Result<Function>) {
    let text = function.unwrap().to_string();
    let without = |line: &str| match line.rsplit_once(" @") {
        Some((instruction, place)) => {
            format!("{instruction}{}\n", if place.ends_with(" {") { " {" } else { "" })
        }
        None => format!("{line}\n"),
    };
    let body: String = text.lines().filter(|line| !line.starts_with("file ")).map(without).collect();
    check(&format!("{name}.ir"), &body);
}

fn module(name: &str, module: cm::Result<Vec<u32>>) {
    let words = module.unwrap();
    let mut loader = Loader::new();
    parse_words(&words, &mut loader).unwrap_or_else(|error| panic!("{name}: {error}"));
    check(&format!("{name}.spvasm"), &(loader.module().disassemble() + "\n"));
}

#[test]
fn both_arms_of_a_staged_if_are_recorded() {
    recording("darken_bright", staging::darken_bright::ir());
}

#[test]
fn a_staged_loop_is_recorded_once() {
    recording("halve_until", staging::halve_until::ir());
    recording("add_rows", staging::add_rows::ir());
}

#[test]
fn ways_out_are_recorded_as_breaks() {
    recording("several_exits", exits::several_exits::ir());
    recording("choose_number", exits::choose_number::ir());
    recording("simd_collatz", simd::simd_collatz::ir());
}

#[test]
fn modules_are_the_committed_ones() {
    module("several_exits.gen9", exits::several_exits::spirv());
    module("histogram.gen9", buffers::histogram::spirv());
    module("reverse.gen9", buffers::reverse::spirv());
    module("linear.gen9", linear::linear::spirv());
    module("linear1d2.gen9", linear::linear1d2::spirv());
    module("linear1d2.xe-hpc", linear::linear1d2::spirv_for(Target::XeHpc));
    module("linearslide.gen9", linear::linearslide::spirv());
    module("linearslide2.gen9", linear::linearslide2::spirv());
}

#[test]
fn the_same_kernel_gives_the_same_module() {
    // `k::spirv()` records a kernel only once.
    let again = record::<linear::linearslide>().unwrap().function;
    assert_eq!(again, linear::linearslide::ir().unwrap());
    assert_eq!(lower(&again, Target::Gen9).unwrap(), linear::linearslide::spirv().unwrap());
}
