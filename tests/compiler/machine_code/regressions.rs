//! Kernels that Intel's compiler once compiled incorrectly: `tests/regressions` has one for each fault. On
//! every device, the machine code of each kernel must give the bytes of the interpreter; on Gen9 also in the
//! form for larger registers. If a random kernel shows a difference, it becomes a file there.

use std::fs;
use std::path::Path;

use cm::ir::Function;
use cm::spirv::{LowerError, lower};
use cm::text::parse;
use cm::verify::verify;
use cm_random_kernels::difference::{Difference, Forms, Kind, Machine, Outcome};
use cm_test_support::ocloc::{self, DEVICES};

/// The kernels, with the names of their files.
fn kernels() -> Vec<Function> {
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

/// Faults of the compiler that are not fixed yet, by kernel and device, with the effect.
const OPEN: [(&str, &str); 1] = [
    // The compiler splits a selection of two elements into two of one element, and both read the flag of the
    // first.
    ("bytes_ordered_as_signed", "pvc"),
];

#[test]
fn faults_of_the_compiler_do_not_come_back() {
    let Some(machine) = Machine::find() else { return };
    let kernels = kernels();
    let outcomes = machine.compare(&kernels, Forms::All);
    let wrong: Vec<String> = kernels
        .iter()
        .zip(outcomes)
        .filter_map(|(Function { name, .. }, outcome)| match outcome {
            Outcome::Same => None,
            Outcome::Rejected => Some(format!("{name}: nothing is compared")),
            Outcome::Different(Difference { kind: Kind::Bytes, device: Some(device), .. })
                if OPEN.contains(&(name.as_str(), device)) =>
            {
                None
            }
            Outcome::Different(difference) => Some(format!("{name}: {difference}")),
        })
        .collect();
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_device_takes_what_one_was_refused_for() {
    if !ocloc::present() {
        return;
    }
    let kernels = kernels();
    let mut modules = vec![];
    for kernel in &kernels {
        for (device, target) in DEVICES {
            match lower(kernel, target) {
                Ok(module) => modules.push((module, &kernel.name[..], device)),
                // Some devices have no `f64`.
                Err(LowerError::Unsupported { .. }) => {}
                Err(error) => panic!("{} for {device}: {error}", kernel.name),
            }
        }
    }
    let wrong = ocloc::refused(&modules);
    assert!(wrong.is_empty(), "{} are refused:\n{}", wrong.len(), wrong.join("\n"));
}
