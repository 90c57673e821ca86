//! Scattered vectors, and scattered elements of 8 bytes of shared memory: results of the machine code for every device, and
//! the decoded messages to shared memory.

use cm::Target;
use cm::ir::{Function, Grid};
use cm::prelude::*;
use cm::spirv::lower;
use cm_test_kernels::vectors as kernels;
use cm_test_support::emulator::{Code, Emulator};
use cm_test_support::noise::{bytes, small};
use cm_test_support::numbers::{shared_places, vector_places};

use super::compared::{assert_same, kernel_of};

#[test]
fn vectors_of_buffers() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let cpu = Device::cpu().unwrap();
    macro_rules! check {
        ($($kernel:ident: $t:ident;)*) => {$(
            let size = size_of::<$t>();
            let places = vector_places(size as u32, 651);
            let [input, old] = [5, 6].map(|seed| small::<$t>(651, seed));
            for (base, bits) in [(0i32, u32::MAX), (-2, 0x8001_fefe)] {
                let mut output = Buffer::from_slice(&cpu, &old).unwrap();
                let [x, at] = [bytemuck::cast_slice::<_, u8>(&input), bytemuck::cast_slice(&places)];
                kernels::$kernel::launch(
                    &cpu,
                    ThreadSpace::new(1, 1).unwrap(),
                    &Buffer::from_slice(&cpu, bytemuck::cast_slice(x)).unwrap(),
                    &Buffer::from_slice(&cpu, bytemuck::cast_slice(at)).unwrap(),
                    &mut output,
                    base,
                    bits,
                )
                .unwrap();
                let arguments = [base.to_le_bytes().to_vec(), bits.to_le_bytes().to_vec()];
                let function = kernels::$kernel::ir().unwrap();
                for &(device, target) in emulator.devices() {
                    let module = lower(&function, target).unwrap();
                    let buffers = [x, at, bytemuck::cast_slice(&old)];
                    let found = emulator.run_on_buffers(
                        (&module, device), stringify!($kernel), (1, 1), &buffers, &arguments,
                    );
                    let found: Vec<$t> = bytemuck::pod_collect_to_vec(found.last().unwrap());
                    assert_eq!(found, output.to_vec().unwrap(), "{} on {device}", stringify!($kernel));
                }
            }
        )*};
    }
    check! { vectors_u32: u32; vectors_f32: f32; vectors_u64: u64; }
}

/// Atomic operations are other messages than vectors of the load/store cache, which they may overtake: with them, each row
/// of vectors is a message of their kind.
#[test]
fn vectors_of_counters_are_rows() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    for (function, expected) in
        [(kernels::vectors_u32::ir().unwrap(), true), (kernels::vectors_and_counts::ir().unwrap(), false)]
    {
        for (device, target, module) in modules(&emulator, &function) {
            let code = emulator.compile((&module, device), &function.name);
            let found = code.lines().any(|line| line.contains(".d32x4."));
            let cached = !matches!(target, Target::Gen9 | Target::XeLp);
            assert_eq!(found, expected && cached, "{} on {device}", function.name);
        }
    }
}

/// The message for shared memory compares and exchanges qwords; the other operations are loops of it.
#[test]
fn atomic_operations_on_longs_of_shared_memory() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let cpu = Device::cpu().unwrap().with_race_checks(true);
    let (input, places) = (small::<i64>(651, 7), shared_places(12));
    let input: Vec<i64> = input[..96].iter().map(|x| (x - 128) * 0x0123_4567_89ab).collect();
    let input = &input[..];
    let mut expected = vec![];
    for group in 0..3 {
        let mut cells = [-1i64; 32];
        for lane in group * 32..(group + 1) * 32 {
            let (x, at) = (input[lane], places[lane] as usize);
            let mut update = |cell: usize, new: fn(i64, i64) -> i64| cells[cell] = new(cells[cell], x);
            update(at & 3, i64::wrapping_add);
            if 0x6b >> (lane % 8) & 1 != 0 {
                update(at & 3 | 4, i64::wrapping_sub);
            }
            update(at & 3 | 8, Ord::min);
            update(at & 3 | 12, Ord::max);
            update(at & 1 | 16, |old, x| old & x);
            update(at & 1 | 18, |old, x| old | x);
            update(at & 3 | 20, |old, x| old ^ x);
            update(at & 15 | 24, |old, _| old.wrapping_add(1));
            update(at & 1 | 28, |old, _| old.wrapping_sub(1));
        }
        expected.extend(cells);
    }
    let mut output = Buffer::<i64>::new(&cpu, 96).unwrap();
    let space = ThreadGroups::new([3, 1, 1], [4, 1, 1]).unwrap();
    let at = Buffer::from_slice(&cpu, &places).unwrap();
    kernels::shared_atomics_i64::launch(
        &cpu,
        space,
        &Buffer::from_slice(&cpu, input).unwrap(),
        &at,
        &mut output,
    )
    .unwrap();
    assert_eq!(output.to_vec().unwrap(), expected);
    let function = kernels::shared_atomics_i64::ir().unwrap();
    for &(device, target) in emulator.devices() {
        let module = match lower(&function, target) {
            Ok(module) => module,
            Err(error) => {
                assert!(!matches!(target, Target::Xe2 | Target::Xe3 | Target::Xe3p), "{device}: {error}");
                assert!(error.to_string().contains("in shared memory"), "{device}: {error}");
                continue;
            }
        };
        let buffers: [&[u8]; 3] = [bytemuck::cast_slice(input), bytemuck::cast_slice(&places), &[0; 768]];
        let found = emulator.run_groups((&module, device), "shared_atomics_i64", GRID, &buffers, &[]);
        let found: Vec<i64> = bytemuck::pod_collect_to_vec(found.last().unwrap());
        assert_eq!(found, expected, "{device}");
    }
}

const GRID: Grid = Grid { groups: [3, 1, 1], local: [4, 1, 1] };

/// The modules for all devices.
fn modules(emulator: &Emulator, function: &Function) -> Vec<(&'static str, Target, Vec<u32>)> {
    let lowered = |&(device, target)| (device, target, lower(function, target).unwrap());
    emulator.devices().iter().map(lowered).collect()
}

/// The decoded messages to shared memory that load or store.
fn messages(code: &Code) -> Vec<&str> {
    let decoded = |line: &'_ str| {
        let text = line.split_once("// ")?.1.split_once("; ")?.1.trim();
        (text.starts_with("load.slm.") || text.starts_with("store.slm.")).then_some(())
    };
    code.lines()
        .filter(|line| decoded(line).is_some())
        .map(|line| line.rsplit("; ").next().unwrap_or_default().trim())
        .collect()
}

#[test]
fn accesses_to_shared_memory() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let cpu = Device::cpu().unwrap().with_race_checks(true);
    let places = shared_places(12);
    macro_rules! check {
        ($($kernel:ident: $t:ident, $elements:literal, $each:literal, [$($message:literal)*];)*) => {$(
            let input: Vec<$t> = bytes(12 * $elements * size_of::<$t>(), 5)
                .chunks(size_of::<$t>())
                .map(bytemuck::pod_read_unaligned)
                .collect();
            let mut output = Buffer::<$t>::new(&cpu, 12 * $each).unwrap();
            let space = ThreadGroups::new([3, 1, 1], [4, 1, 1]).unwrap();
            let at = Buffer::from_slice(&cpu, &places).unwrap();
            kernels::$kernel::launch(&cpu, space, &Buffer::from_slice(&cpu, &input).unwrap(), &at, &mut output).unwrap();
            let expected = output.to_vec().unwrap();
            for (device, target, module) in modules(&emulator, &kernels::$kernel::ir().unwrap()) {
                let empty = vec![0; 12 * $each * size_of::<$t>()];
                let buffers: [&[u8]; 3] = [bytemuck::cast_slice(&input), bytemuck::cast_slice(&places), &empty];
                let found = emulator.run_groups((&module, device), stringify!($kernel), GRID, &buffers, &[]);
                let found: Vec<$t> = bytemuck::pod_collect_to_vec(found.last().unwrap());
                assert_eq!(found, expected, "{} on {device}", stringify!($kernel));
                let code = emulator.compile((&module, device), stringify!($kernel));
                let messages = messages(&code);
                let has = |text: &str| messages.iter().any(|message| message.starts_with(text));
                let cached = !matches!(target, Target::Gen9 | Target::XeLp);
                assert!(cached || messages.is_empty(), "{device}: {messages:#?}");
                $(assert!(!cached || has($message), "{} on {device}: {messages:#?}", $message);)*
            }
        )*};
    }
    check! {
        shared_vectors_u32: u32, 64, 96, ["store.slm.d32x4.a32" "store.slm.d32x3.a32" "load.slm.d32x3.a32"];
        shared_vectors_u64: u64, 64, 96, ["store.slm.d64x4.a32" "store.slm.d64x3.a32" "load.slm.d64x3.a32"];
        shared_longs: i64, 8, 16, ["store.slm.d64.a32" "load.slm.d64.a32"];
    }
}

/// A kernel that reads elements at `numbers`, plus each of these, and adds them.
fn neighbours(elem: &str, lanes: usize, numbers: &str, plus: &[u32]) -> Function {
    let mut lines = format!(
        "%0: i32 = constant 0; %1: u8<1x{lanes}> = read #1 %0, %0; %2: u32<1x{lanes}> = convert %1;
         %3: u32<1x{lanes}> = constant 4; %4: u32<1x{lanes}> = mul.u32 %2, %3; %5: u32<1x{lanes}> = constant 1065353216;
         %6: u32<1x{lanes}> = mul.u32 %4, %5; %7: {elem}<1x{lanes}> = constant 1; "
    );
    let mut sum = 7;
    for (k, plus) in plus.iter().enumerate() {
        let first = 10 * (k + 1);
        let ty = format!("<1x{lanes}>");
        lines += &format!(
            "%{first}: u32{ty} = constant {plus}; %{}: u32{ty} = add.u32 {numbers}, %{first}; %{}: {elem}{ty} = gather #0 %{};
             %{}: {elem}{ty} = add.{elem} %{sum}, %{}; ",
            first + 1,
            first + 2,
            first + 1,
            first + 3,
            first + 2,
        );
        sum = first + 3;
    }
    lines += &format!("%90: u32<1x{lanes}> = convert %{sum}; write #2 %0, %0, %90: u32<1x{lanes}>;");
    kernel_of(&format!("x: read buffer {elem}, i: read surface, o: write surface"), &lines)
}

#[test]
fn neighbouring_elements_that_are_read_at_once() {
    let mut kernels = vec![];
    for elem in ["u32", "i32"] {
        for lanes in [8, 16] {
            // Bytes, multiples of 4 up to the end of the buffer and beyond, and any multiples of 4.
            for numbers in ["%2", "%4", "%6"] {
                for plus in [&[0, 1, 2, 3][..], &[1, 0], &[2, 1, 0], &[5, 4, 9, 8, 7, 6], &[3, 4]] {
                    kernels.push(neighbours(elem, lanes, numbers, plus));
                }
            }
        }
    }
    assert_same(&kernels);
}
