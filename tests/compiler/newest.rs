//! Compiles every kernel with the newest Intel compiler, for Battlemage and for one of the other devices in turn; with
//! `CM_EVERY_DEVICE=1` for all devices.
//! `sh tests/newest_compiler.sh` downloads that compiler and runs these tests.

use std::fs;

use cm::ir::Function;
use cm::spirv::{LowerError, lower, lower_for};
use cm::{RegisterFile, Target};
use cm_test_support::ocloc::{
    Compiler, DEVICES_OF_NEWEST, EXECUTED_OF_NEWEST, check, compile_all, every_device, lower_as_launched,
};
use rayon::prelude::*;

use crate::kernels::{all, has_surfaces, sub_groups, with_256_registers};
use crate::regressions::kernels;
use crate::unsupported::is_unsupported;

/// Kernels that the compiler (IGC 2.40) rejects. For Nova Lake, it generates instructions of 64-bit integers
/// that it then reports as too wide. Do not add entries; remove kernels that compile again.
const REFUSED: [(&str, &str); 3] =
    [("nvl-p", "collective_i64_32"), ("nvl-p", "collective_u64_32"), ("nvl-p", "wide_quotients")];

/// In the form that launches use, for the first generation that only this compiler supports, and for one of the other
/// devices.
#[test]
fn every_kernel_compiles() {
    let [first, ..] = EXECUTED_OF_NEWEST;
    let kernels = all();
    compile(&kernels, |_, kernel| module(kernel, first, lower_as_launched).into_iter().collect());
    compile_in_turn(&kernels, &devices(|device| device != first), lower_as_launched);
}

/// `spirv_for` returns the form with images, also for generations whose launches use surfaces in buffers.
#[test]
fn kernels_compile_with_images() {
    let mut kernels = all();
    kernels.retain(has_surfaces);
    compile_in_turn(&kernels, &devices(|(_, target)| !target.has_media_blocks()), lower);
}

#[test]
fn every_built_in_of_sub_groups_compiles() {
    compile_in_turn(&sub_groups(), &DEVICES_OF_NEWEST, lower_as_launched);
}

/// The kernels for which the installed compiler once generated wrong code, or none. `machine_code` compiles them for
/// the generations whose code is executed.
#[test]
fn every_regression_compiles() {
    compile_in_turn(&kernels(), &devices(|device| !EXECUTED_OF_NEWEST.contains(&device)), lower_as_launched);
}

/// The kernels that need the large register file.
#[test]
fn kernels_with_256_registers_compile() {
    let Some(compiler) = Compiler::newest() else { return };
    let compiler = compiler.with_registers(RegisterFile::Large);
    let large: Lowering = |kernel, target| lower_for(kernel, target, RegisterFile::Large);
    let devices = devices(|(_, target)| target.has_large_register_file());
    compile_with(&compiler, &with_256_registers(), |_, kernel| {
        devices.iter().filter_map(|device| module(kernel, *device, large)).collect()
    });
}

/// The lowering of a kernel for a target.
type Lowering = fn(&Function, Target) -> Result<Vec<u32>, LowerError>;

/// A device and the target of its modules.
type Listed = (&'static str, Target);

/// The devices that are wanted.
fn devices(wanted: impl Fn(Listed) -> bool) -> Vec<Listed> {
    DEVICES_OF_NEWEST.into_iter().filter(|&device| wanted(device)).collect()
}

/// Each kernel for one of the devices, which its place in the list chooses, and for those that are known to refuse it; with
/// `CM_EVERY_DEVICE=1` for all. If a device lacks something that a kernel needs, it is the turn of the next one.
fn compile_in_turn(kernels: &[Function], devices: &[Listed], lower: Lowering) {
    compile(kernels, |place, kernel| {
        let lowered = |device: &Listed| module(kernel, *device, lower);
        if every_device() {
            return devices.iter().filter_map(lowered).collect();
        }
        let mut in_turn = devices.iter().cycle().skip(place % devices.len()).take(devices.len());
        let first = in_turn.find_map(lowered);
        let taken = first.as_ref().map(|(device, _)| *device);
        let refusing = devices
            .iter()
            .filter(|(device, _)| REFUSED.contains(&(*device, &kernel.name[..])) && taken != Some(*device));
        first.into_iter().chain(refusing.filter_map(lowered)).collect()
    });
}

/// Every kernel that is listed as refused is one of those that are compiled.
#[test]
fn refused_kernels_exist() {
    let names: Vec<String> = all().into_iter().chain(sub_groups()).map(|kernel| kernel.name).collect();
    for (_, refused) in REFUSED {
        assert!(names.iter().any(|name| name == refused), "no kernel is named {refused}");
    }
}

/// A kernel's module for a device, if there is one.
fn module(kernel: &Function, (device, target): Listed, lower: Lowering) -> Option<(&'static str, Vec<u32>)> {
    match lower(kernel, target) {
        Ok(module) => Some((device, module)),
        Err(LowerError::Unsupported { .. }) if is_unsupported(kernel, target) => None,
        Err(error) => panic!("{} on {device}: {error}", kernel.name),
    }
}

/// Each module compiles for its device. The function gets the place of a kernel in the list, and the kernel.
fn compile<F>(kernels: &[Function], modules: F)
where
    F: Fn(usize, &Function) -> Vec<(&'static str, Vec<u32>)> + Sync,
{
    if let Some(compiler) = Compiler::newest() {
        compile_with(&compiler, kernels, modules);
    }
}

/// The same with this compiler. Listed kernels that compile again are errors, too.
fn compile_with<F>(compiler: &Compiler, kernels: &[Function], modules: F)
where
    F: Fn(usize, &Function) -> Vec<(&'static str, Vec<u32>)> + Sync,
{
    let folder = tempfile::tempdir().unwrap();
    let named = |(place, kernel): (usize, &Function)| {
        let name = kernel.name.clone();
        modules(place, kernel)
            .into_iter()
            .map(move |(device, module)| (name.clone(), device, module))
            .collect::<Vec<_>>()
    };
    let modules: Vec<_> = kernels.par_iter().enumerate().flat_map_iter(named).collect();
    assert!(modules.len() * 2 > kernels.len(), "hardly any kernel has a module");
    let inputs: Vec<(&[u32], &str)> =
        modules.iter().map(|(_, device, module)| (&module[..], *device)).collect();
    let binaries = compile_all(compiler, &inputs, folder.path());
    let wrong = modules.iter().zip(binaries).filter_map(|((name, device, _), binary)| {
        let checked = binary.and_then(|path| check(&fs::read(path).map_err(|e| e.to_string())?, name));
        match (checked, REFUSED.contains(&(*device, &name[..]))) {
            (Err(error), false) => Some(format!("{name} on {device}: {error}")),
            (Ok(()), true) => Some(format!("{name} on {device} compiles again")),
            _ => None,
        }
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
