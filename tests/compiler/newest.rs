//! Compiles every kernel with the newest Intel compiler, for one device of each generation that is not in `DEVICES`, and
//! a part of the kernels for each of the other devices; with `CM_EVERY_DEVICE=1` all kernels for all devices.
//! `sh tests/newest_compiler.sh` downloads that compiler and runs these tests.

use std::fs;

use cm::compiler::ops::AccessKind;
use cm::ir::{Function, Op};
use cm::spirv::{LowerError, lower, lower_for};
use cm::{RegisterFile, Target};
use cm_test_support::ocloc::{
    Compiler, DEVICES, DEVICES_OF_NEWEST, EXECUTED_OF_NEWEST, check, compile_all, lower_as_launched,
    takes_turn,
};
use rayon::prelude::*;

use crate::kernels::{all, has_surfaces, sub_groups, with_256_registers};
use crate::regressions::kernels;

/// Kernels that the compiler (IGC 2.40) rejects. For Nova Lake, it generates instructions of 64-bit integers
/// that it then reports as too wide. Do not add entries; remove kernels that compile again.
const REFUSED: [(&str, &str); 3] =
    [("nvl-p", "collective_i64_32"), ("nvl-p", "collective_u64_32"), ("nvl-p", "wide_quotients")];

#[test]
fn every_kernel_compiles() {
    compile_as_launched(&all(), &[]);
}

/// `spirv_for` returns the form with images, also for generations whose launches use surfaces in buffers.
#[test]
fn kernels_compile_with_images() {
    let (mut devices, _) = devices();
    devices.retain(|(_, target)| !target.has_media_blocks());
    let mut kernels = all();
    kernels.retain(has_surfaces);
    compile_in_turn(&kernels, &devices, lower);
}

#[test]
fn every_built_in_of_sub_groups_compiles() {
    compile_as_launched(&sub_groups(), &[]);
}

/// The kernels for which the installed compiler once generated wrong code, or none. `machine_code` compiles them for
/// the generations whose code is executed.
#[test]
fn every_regression_compiles() {
    compile_as_launched(&kernels(), &EXECUTED_OF_NEWEST);
}

/// The kernels that need the large register file.
#[test]
fn kernels_with_256_registers_compile() {
    let Some(compiler) = Compiler::newest() else { return };
    let compiler = compiler.with_registers(RegisterFile::Large);
    let devices = DEVICES_OF_NEWEST.into_iter().filter(|(_, target)| target.has_large_register_file());
    let large: Lowering = |kernel, target| lower_for(kernel, target, RegisterFile::Large);
    let kernels = with_256_registers();
    let wrong: Vec<String> = devices.flat_map(|device| wrong(&compiler, &kernels, device, large)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The lowering of a kernel for a target.
type Lowering = fn(&Function, Target) -> Result<Vec<u32>, LowerError>;

/// A device and the target of its modules.
type Listed = (&'static str, Target);

/// One device of each generation that is not in `DEVICES`, and the other devices.
fn devices() -> (Vec<Listed>, Vec<Listed>) {
    let mut known = DEVICES.map(|(_, target)| target).to_vec();
    DEVICES_OF_NEWEST.into_iter().partition(|&(_, target)| {
        let is_new = !known.contains(&target);
        known.push(target);
        is_new
    })
}

/// In the form that launches use, on all devices of new generations besides some, and on one of the others.
fn compile_as_launched(kernels: &[Function], besides: &[(&str, Target)]) {
    let (mut new, others) = devices();
    new.retain(|device| !besides.contains(device));
    compile(kernels, &new, lower_as_launched);
    compile_in_turn(kernels, &others, lower_as_launched);
}

/// For all of these devices.
fn compile(kernels: &[Function], devices: &[(&str, Target)], lower: Lowering) {
    let Some(compiler) = Compiler::newest() else { return };
    let wrong: Vec<String> =
        devices.par_iter().flat_map(|&device| wrong(&compiler, kernels, device, lower)).collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Each kernel for one of the devices.
fn compile_in_turn(kernels: &[Function], devices: &[(&str, Target)], lower: Lowering) {
    for (number, device) in devices.iter().enumerate() {
        let mut kernels = kernels.to_vec();
        kernels.retain(|kernel| takes_turn(kernel, number, devices.len()));
        compile(&kernels, &[*device], lower);
    }
}

/// Whether a kernel has atomic operations on texels, for which the compiler has no messages from Xe2 on.
fn updates_texels(kernel: &Function) -> bool {
    kernel
        .body
        .instructions()
        .any(|inst| matches!(inst.op, Op::Access { kind: AccessKind::TypedAtomic(..), .. }))
}

/// The kernels that do not compile for a device, with the reason; and listed kernels that compile again.
fn wrong(
    compiler: &Compiler,
    kernels: &[Function],
    (device, target): (&str, Target),
    lower: Lowering,
) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = vec![];
    let mut modules = vec![];
    for kernel in kernels {
        match lower(kernel, target) {
            Ok(module) => modules.push((&kernel.name, module)),
            Err(LowerError::Unsupported { .. }) if !target.has_f64() => {}
            Err(LowerError::Unsupported { .. })
                if matches!(target, Target::Xe2 | Target::Xe3 | Target::Xe3p) && updates_texels(kernel) => {}
            Err(error) => wrong.push(format!("{} on {device}: {error}", kernel.name)),
        }
    }
    assert!(modules.len() * 2 > kernels.len(), "{device} has hardly any kernel");
    let inputs: Vec<(&[u32], &str)> = modules.iter().map(|(_, module)| (&module[..], device)).collect();
    let binaries = compile_all(compiler, &inputs, folder.path());
    for ((name, _), binary) in modules.iter().zip(binaries) {
        let checked = binary.and_then(|path| check(&fs::read(path).map_err(|e| e.to_string())?, name));
        let refused = REFUSED.contains(&(device, name.as_str()));
        match checked {
            Err(error) if !refused => wrong.push(format!("{name} on {device}: {error}")),
            Ok(()) if refused => wrong.push(format!("{name} on {device} compiles again")),
            _ => {}
        }
    }
    wrong
}
