//! The kernels of `tests/regressions`, one for each fault that Intel's compiler once had.

use std::fs;
use std::path::Path;

use cm::RegisterFile;
use cm::ir::Function;
use cm::spirv::{LowerError, lower};
use cm::text::parse;
use cm::verify::verify;
use cm_test_support::ocloc::{DEVICES, every_device, present, refused};

/// The kernels, with the names of their files.
pub(crate) fn kernels() -> Vec<Function> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let read = |path: &Path| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let function = parse(&fs::read_to_string(path).expect("a kernel"));
        let function = function.unwrap_or_else(|error| panic!("{name}: {error}"));
        verify(&function).unwrap_or_else(|error| panic!("{name}: {error}"));
        Function { name, ..function }
    };
    files.iter().map(|path| read(path)).collect()
}

/// With the installed compiler for Gen9, and with `CM_EVERY_DEVICE=1` for all devices. `machine_code` compiles and executes
/// the kernels on every device, and for Gen9 another kind of binary, which does not list unresolved symbols.
#[test]
fn devices_take_what_one_was_refused_for() {
    if !present() {
        return;
    }
    let kernels = kernels();
    let devices = if every_device() { &DEVICES[..] } else { &DEVICES[..1] };
    let mut modules = vec![];
    for kernel in &kernels {
        for (device, target) in devices {
            match lower(kernel, *target) {
                Ok(module) => modules.push((module, &kernel.name[..], *device)),
                Err(LowerError::Unsupported { .. }) if !target.has_f64() => {}
                Err(error) => panic!("{} for {device}: {error}", kernel.name),
            }
        }
    }
    let wrong = refused(&modules, RegisterFile::Standard);
    assert!(wrong.is_empty(), "{} are refused:\n{}", wrong.len(), wrong.join("\n"));
}
