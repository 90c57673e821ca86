//! Kernels with named barriers, on devices and compilers that do or do not support them.

use cm_compiler::spirv::{LowerError, Options};
use cm_dsl::named_barriers::{BarrierRole, named_barriers};

use super::super::Mock;
use super::super::objects::Settings;
use super::*;
use crate::recording::recording;
use crate::{Error, LevelZeroError};

/// Each thread meets itself.
enum Meet {}

impl Kernel for Meet {
    type Unit = Self;
    const NAME: &'static str = "meet";
    const PLACE: (&'static str, u32, u32) = (file!(), line!(), column!());
    const PARAMS: &'static [Param] = &[];

    fn run<B: Backend>(_: &mut impl ArgSource<B>, threads: impl Iterator<Item = ()>) {
        for () in threads {
            let barriers = named_barriers::<3, B>();
            barriers.signal(2, BarrierRole::Producer, 1, 1);
            barriers.signal(2, BarrierRole::Consumer, 1, 1);
            barriers.wait(2);
        }
    }
}

/// Compiles the kernel for devices with these settings, twice; the last result, and the number of compiled modules.
fn compiled(settings: Settings) -> (Result<()>, usize) {
    let mock = Mock::new(settings);
    let gpu = mock.gpu();
    let kernel = || {
        let kernel = gpu.kernel(recording::<Meet>()?, Options::default())?;
        drop(kernel);
        Ok(())
    };
    _ = kernel();
    let last = kernel();
    drop(gpu);
    mock.assert_clean("after compiling");
    let modules = mock.model().calls.iter().filter(|call| **call == "zeModuleCreate").count();
    (last, modules)
}

/// Ponte Vecchio, with this end of binaries.
fn ponte_vecchio(end: &'static str) -> Settings {
    Settings { model: 0x0bd5, end, ..Settings::default() }
}

#[test]
fn the_compiler_must_state_their_number() {
    // The small kernel, and the kernel itself; both once.
    let (kernel, modules) = compiled(ponte_vecchio("    barrier_count:   2\n"));
    assert_eq!((kernel.is_ok(), modules), (true, 2));
    for end in ["", "    barrier_count:   1\n"] {
        let (kernel, modules) = compiled(ponte_vecchio(end));
        // The kernel itself would crash such compilers.
        assert_eq!(modules, 1, "{end}");
        match kernel.unwrap_err() {
            Error::LevelZero(error @ LevelZeroError::NoNamedBarriers { kernel: "meet", .. }) => {
                let message = error.to_string();
                assert!(
                    message.contains("leaves their number out") && message.contains("update"),
                    "{message}"
                );
            }
            error => panic!("{error}"),
        }
    }
}

#[test]
fn devices_without_named_barriers_say_so() {
    let (kernel, modules) = compiled(Settings::default());
    match kernel.unwrap_err() {
        Error::Lower(error @ LowerError::Unsupported { .. }) => {
            let message = error.to_string();
            assert!(message.contains("named barriers on Gen9"), "{message}");
            assert!(message.contains("launch the kernel on the CPU"), "{message}");
        }
        error => panic!("{error}"),
    }
    assert_eq!(modules, 0);
}
