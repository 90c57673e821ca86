//! Kernels that Intel's compiler once got wrong: `tests/regressions` has one for each fault. Each gives the
//! bytes of the interpreter as machine code of Gen9, in the form for every target, and compiles for every
//! device. A difference that a random kernel shows becomes a file there.

use std::fs;
use std::path::Path;

use cm::Target;
use cm::interpret::{InterpretArg, InterpretError, interpret};
use cm::ir::Function;
use cm::spirv::{LowerError, lower};
use cm::text::parse;
use cm::verify::verify;
use cm_test_support::emulator::{Emulator, Run};
use cm_test_support::ocloc::{self, DEVICES};

use crate::programs::random::{BYTES, Memory, PITCH};

/// The kernels, by their files.
fn kernels() -> Vec<(String, Function)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let read = |path: &Path| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let function = parse(&fs::read_to_string(path).expect("a kernel"));
        let function = function.unwrap_or_else(|error| panic!("{name}: {error}"));
        verify(&function).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, function)
    };
    files.iter().map(|path| read(path)).collect()
}

/// Bytes that have every bit set somewhere, and rows of zeros, of ones and of small numbers.
fn inputs() -> Vec<Vec<u8>> {
    let mut state = 99u32;
    let noise: Vec<u8> = (0..BYTES)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 9) as u8
        })
        .collect();
    let small = noise.iter().enumerate().map(|(n, x)| if n % 2 == 0 { x & 15 } else { 0 }).collect();
    vec![noise, small, vec![0; BYTES], vec![255; BYTES]]
}

#[test]
fn faults_of_the_compiler_do_not_come_back() {
    let Some(emulator) = Emulator::find() else { return };
    let mut wrong = vec![];
    for (name, function) in kernels() {
        let inputs = inputs();
        let noise = inputs[0].clone();
        for bytes in inputs {
            let (mut input, mut output) = (Memory(bytes.clone()), Memory(vec![0; BYTES]));
            let mut args = [InterpretArg::Surface(&mut input), InterpretArg::Surface(&mut output)];
            match interpret(&function, &mut args, [0, 0]) {
                Ok(()) => {}
                // What these bytes ask for does not end; noise always does.
                Err(InterpretError::Budget { .. }) if bytes != noise => continue,
                Err(error) => panic!("{name}: {error}"),
            }
            // The form for registers of 64 bytes is another one; noise shows whether it is right.
            let targets: &[Target] =
                if bytes == noise { &[Target::Gen9, Target::XeHpc] } else { &[Target::Gen9] };
            for &target in targets {
                let module = lower(&function, target).unwrap_or_else(|error| panic!("{name}: {error}"));
                let found = emulator.run(&Run {
                    module: &module,
                    kernel: &function.name,
                    input: &bytes,
                    pitch: PITCH,
                    rows: BYTES / PITCH,
                    grid: (1, 1),
                    arguments: &[],
                });
                if found != output.0 {
                    let at = found.iter().zip(&output.0).position(|(found, want)| found != want);
                    let at = at.expect("a difference");
                    wrong.push(format!(
                        "{name} in the form for {target}: byte {at} is {}, not {}",
                        found[at], output.0[at]
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_device_takes_what_one_was_refused_for() {
    if !ocloc::present() {
        return;
    }
    let mut wrong = vec![];
    for (name, function) in kernels() {
        for (device, target) in DEVICES {
            match lower(&function, target) {
                Ok(module) => {
                    if let Err(error) = ocloc::compile(&module, &function.name, device) {
                        wrong.push(format!("{name} for {device}: {error}"));
                    }
                }
                // There is no `f64` everywhere.
                Err(LowerError::Unsupported { .. }) => {}
                Err(error) => wrong.push(format!("{name} for {device}: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} are refused:\n{}", wrong.len(), wrong.join("\n"));
}
