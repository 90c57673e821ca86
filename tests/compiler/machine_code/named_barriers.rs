//! Named barriers in machine code: the number that the binary states, the messages to the gateway, and the results.
//!
//! Only the newest compiler states the number, so these tests need `CM_NEWEST_OCLOC`.

use std::fs;

use cm::Target;
use cm::ir::Grid;
use cm::prelude::*;
use cm::spirv::{BARRIERS_OF_PROBE, barrier_probe, lower};
use cm_test_kernels::named_barriers as kernels;
use cm_test_support::emulator::{Code, Emulator};
use cm_test_support::noise;
use cm_test_support::ocloc::{Compiler, DEVICES, check, compile_all};

/// The devices with named barriers. In code for Nova Lake the messages have another form.
const DEVICES_WITH_BARRIERS: [(&str, Target); 4] =
    [("pvc", Target::XeHpc), ("bmg", Target::Xe2), ("lnl-m", Target::Xe2), ("ptl-h", Target::Xe3)];

/// The emulator of the newest compiler.
fn newest() -> Option<Emulator> {
    Compiler::newest().and_then(|_| Emulator::newest_or_installed())
}

/// The binary of a kernel.
fn binary(emulator: &Emulator, function: &cm::ir::Function, (device, target): (&str, Target)) -> Vec<u8> {
    let module = lower(function, target).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = compile_all(emulator.compiler(), &[(&module, device)], folder.path()).remove(0);
    let path = path.unwrap_or_else(|error| panic!("{} on {device}: {error}", function.name));
    let binary = fs::read(path).unwrap();
    check(&binary, &function.name).unwrap_or_else(|error| panic!("{} on {device}: {error}", function.name));
    binary
}

/// The number of barriers that a binary states.
fn stated(binary: &[u8]) -> Option<u32> {
    let text = String::from_utf8_lossy(binary).into_owned();
    let (_, behind) = text.split_once("barrier_count:")?;
    behind.lines().next()?.trim().parse().ok()
}

/// One signal in each role, and a wait; all numbers are constants.
#[kernel]
fn constants() {
    let barriers = named_barriers::<8>();
    barriers.signal(5, BarrierRole::Producer, 3, 7);
    barriers.signal(6, BarrierRole::ProducerConsumer, 9, 10);
    barriers.signal(7, BarrierRole::Consumer, 17, 18);
    barriers.wait(7);
}

/// Also meets all threads.
#[kernel]
fn constants_beside_a_barrier() {
    let barriers = named_barriers::<8>();
    barriers.signal(5, BarrierRole::Producer, 3, 7);
    barrier();
}

/// The messages to the gateway that signal a barrier: the descriptor says so.
fn signals(code: &Code) -> usize {
    code.lines().filter(|line| line.contains("send.gtwy") && line.contains("0x02000004")).count()
}

/// Whether a program has a number as an operand.
fn has_number(code: &Code, number: u32) -> bool {
    code.lines().any(|line| line.to_lowercase().contains(&format!("{number:#x}:")))
}

#[test]
fn binaries_state_the_barriers_and_signal_them() {
    let Some(emulator) = newest() else { return };
    for device in DEVICES_WITH_BARRIERS {
        let name = device.0;
        // The hardware rounds the number up; the barrier of all threads counts.
        for (function, count) in [
            (constants::ir().unwrap(), 8),
            (constants_beside_a_barrier::ir().unwrap(), 16),
            (kernels::pipeline::ir().unwrap(), 4),
            (kernels::pairs::ir().unwrap(), 8),
            (kernels::halves::ir().unwrap(), 4),
        ] {
            let found = stated(&binary(&emulator, &function, device));
            assert_eq!(found, Some(count), "{} on {name}", function.name);
        }
        let code = emulator.code(&binary(&emulator, &constants::ir().unwrap(), device)).unwrap();
        let lines = || code.lines().collect::<Vec<_>>().join("\n");
        assert_eq!(signals(&code), 3, "{name}\n{}", lines());
        // Barrier, role in bits 14 and 15, producers, consumers.
        for payload in [0x0703_4005, 0x0a09_0006, 0x1211_8007] {
            assert!(has_number(&code, payload), "{name} lacks {payload:#x}\n{}", lines());
        }
        let waits = code.lines().filter(|line| line.contains("sync.bar")).collect::<Vec<_>>();
        assert!(matches!(&waits[..], [wait] if wait.contains(" 7:w")), "{name}: {waits:?}");
        // The barrier of all threads is number 0.
        let function = constants_beside_a_barrier::ir().unwrap();
        let code = emulator.code(&binary(&emulator, &function, device)).unwrap();
        let lines = || code.lines().collect::<Vec<_>>().join("\n");
        assert_eq!(signals(&code), 2, "{name}\n{}", lines());
        assert!(has_number(&code, 0x0703_4006), "{name}\n{}", lines());
    }
}

/// Runs a kernel with a buffer, a number and the output on the CPU and as machine code.
macro_rules! same {
    ($emulator:expr, $kernel:ident, $groups:expr, $local:expr, [$($input:expr)?], $bytes:expr $(, $number:expr)?) => {{
        let (groups, local): ([usize; 3], [usize; 3]) = ($groups, $local);
        let cpu = Device::cpu().unwrap().with_race_checks(true);
        let mut output = Buffer::<u32>::new(&cpu, $bytes / 4).unwrap();
        let space = ThreadGroups::new(groups, local).unwrap();
        kernels::$kernel::launch(
            &cpu, space, $(&Buffer::from_slice(&cpu, &$input).unwrap(),)? &mut output $(, $number)?
        ).unwrap();
        let expected: Vec<u32> = output.to_vec().unwrap();
        assert!(expected.iter().any(|x| *x != 0));
        let grid = Grid { groups: groups.map(|n| n as u32), local: local.map(|n| n as u32) };
        for (device, target) in DEVICES_WITH_BARRIERS {
            let module = lower(&kernels::$kernel::ir().unwrap(), target).unwrap();
            let empty = vec![0; $bytes];
            let buffers: Vec<&[u8]> = vec![$(bytemuck::cast_slice(&$input),)? &empty];
            let arguments: Vec<Vec<u8>> = vec![$(u32::to_le_bytes($number).to_vec())?];
            let found = $emulator.run_groups(
                (&module, device), stringify!($kernel), grid, &buffers, &arguments
            );
            let found: &[u32] = bytemuck::cast_slice(found.last().unwrap());
            assert_eq!(found, expected, "{} on {device}", stringify!($kernel));
        }
    }};
}

#[test]
fn producers_and_consumers_give_the_bytes_of_the_cpu() {
    let Some(emulator) = newest() else { return };
    let numbers: Vec<u32> = (0..512).map(noise::number).collect();
    same!(emulator, pipeline, [3, 1, 1], [2, 1, 1], [numbers[..108]], 3 * 9 * 16, 9);
    same!(emulator, pipeline, [2, 1, 1], [5, 1, 1], [numbers[..48]], 2 * 4 * 6 * 16, 6);
    same!(emulator, pairs, [2, 1, 1], [16, 1, 1], [], 2 * 16 * 4, 3);
    same!(emulator, halves, [4, 1, 1], [16, 1, 1], [numbers[..64]], 4 * 16 * 4);
}

/// Devices of the installed compiler without named barriers have no module.
#[test]
fn other_targets_have_no_module() {
    for (_, target) in DEVICES {
        let module = lower(&kernels::pairs::ir().unwrap(), target);
        match module {
            Ok(_) => assert!(target.has_named_barriers(), "{target}"),
            Err(error) => {
                let message = error.to_string();
                assert!(!target.has_named_barriers() && message.contains("named_barriers.rs"), "{message}");
                assert!(
                    message.contains(&format!("named barriers on {target}: Xe-HPC and newer")),
                    "{message}"
                );
            }
        }
    }
}

/// Every compiler must accept the kernel that Level Zero compiles first, to find out whether it states the number of
/// barriers.
#[test]
fn every_compiler_takes_the_kernel_that_asks() {
    let asking = barrier_probe();
    let both = [Emulator::find(), newest()];
    for emulator in both.iter().flatten() {
        let found = stated(&binary(emulator, &asking, ("pvc", Target::XeHpc)));
        let newest = emulator.compiler().is_newest();
        assert!(found == Some(BARRIERS_OF_PROBE) || !newest && found.is_none(), "{found:?}");
        println!("{:?} states {found:?}", emulator.compiler());
    }
}
