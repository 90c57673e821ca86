//! The kernels of `tests/regressions`, one for each fault that Intel's compiler once had.

use std::fs;
use std::path::Path;

use cm::RegisterFile;
use cm::ir::Function;
use cm::spirv::lower;
use cm::text::parse;
use cm::verify::verify;
use cm_test_support::ocloc::{DEVICES, present, refused};

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

/// With the installed compiler for Gen9, whose binaries show only in one of their forms what they lack. `machine_code` compiles
/// and executes the kernels on every device, `newest` compiles them with the newest compiler.
#[test]
fn gen9_takes_what_one_device_was_refused_for() {
    if !present() {
        return;
    }
    let kernels = kernels();
    let [(device, target), ..] = DEVICES;
    let modules: Vec<_> = kernels
        .iter()
        .map(|kernel| match lower(kernel, target) {
            Ok(module) => (module, &kernel.name[..], device),
            Err(error) => panic!("{} for {device}: {error}", kernel.name),
        })
        .collect();
    let wrong = refused(&modules, RegisterFile::Standard);
    assert!(wrong.is_empty(), "{} are refused:\n{}", wrong.len(), wrong.join("\n"));
}
