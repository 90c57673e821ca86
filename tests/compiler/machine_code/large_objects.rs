//! Objects of 6 to 12 KB: kernels for larger register files, under every register file that they fit.

use std::fs;

use cm::RegisterFile;
use cm::compiler::elem::ElemType;
use cm::ir::{Function, Type};
use cm::prelude::*;
use cm::spirv::{LowerError, lower_for};
use cm_test_kernels::attention::{HEAD, KEYS, QUERIES, attention};
use cm_test_kernels::{for_each_large_object, large_objects as kernels};
use cm_test_support::arguments::{Argument, interpreted};
use cm_test_support::buffers::from_bytes;
use cm_test_support::emulator::Emulator;
use cm_test_support::noise::{finite_bytes, stream};
use cm_test_support::ocloc::{check, compile_all};

fn argument<T: Elem>(buffer: &Buffer<T>) -> Argument {
    Argument::Buffer(bytemuck::cast_slice(&buffer.to_vec().unwrap()).to_vec())
}

fn number(elem: ElemType, bytes: [u8; 4]) -> Argument {
    Argument::Uniform(Type::scalar(elem), bytes.to_vec())
}

/// An emulator for each register file.
fn emulators() -> Option<[(RegisterFile, Emulator); 2]> {
    let large = Emulator::newest_or_installed()?.with_registers(RegisterFile::Large);
    Some([(RegisterFile::Standard, Emulator::newest_or_installed()?), (RegisterFile::Large, large)])
}

/// The arguments after the kernel has run on each device with each register file that is large enough. In others it has no
/// module.
fn executed(
    emulators: &[(RegisterFile, Emulator); 2],
    function: &Function,
    threads: (usize, usize),
    before: &[Argument],
    wanted: fn(Target) -> bool,
    mut check: impl FnMut(&str, &[Argument]),
) {
    let mut count = 0;
    for (registers, emulator) in emulators {
        for &(device, target) in emulator.devices().iter().filter(|(_, target)| wanted(*target)) {
            let name = format!("{} on {device}, {registers:?}", function.name);
            let module = lower_for(function, target, *registers);
            if *registers == RegisterFile::Large && !target.has_large_register_file() {
                assert!(matches!(module, Err(LowerError::RegisterFile { .. })), "{name}: {module:?}");
                continue;
            }
            if function.register_file > registers.registers() * target.register_bytes() {
                assert!(matches!(module, Err(LowerError::SmallRegisterFile { .. })), "{name}: {module:?}");
                continue;
            }
            let module = module.unwrap_or_else(|error| panic!("{name}: {error}"));
            let code = emulator.compile((&module, device), &function.name);
            let found = code.execute_on(threads, &code.binding(function, target).unwrap(), before);
            check(&name, &found.unwrap_or_else(|error| panic!("{name}: {error}")));
            count += 1;
        }
    }
    assert!(count > 0, "no device runs {}", function.name);
}

#[test]
fn large_objects_are_those_of_the_cpu() {
    let Some(emulators) = emulators() else { return };
    let device = Device::cpu().unwrap();
    let mut next = stream(9);
    let indices: Vec<u16> =
        (0..32).map(|n| if n % 4 == 0 { 60_000 } else { (next() % 13_000) as u16 }).collect();
    macro_rules! check {
        ($($name:ident: $file:literal, $t:ident $r:literal x $c:literal;)*) => {$(
            let input = from_bytes::<$t>(&device, &finite_bytes($r * $c * size_of::<$t>(), 4)).unwrap();
            let numbers = Buffer::from_slice(&device, &indices).unwrap();
            let function = kernels::$name::ir().unwrap();
            for (i, j) in [(3, 5), (19, 41), (-1, 1_000_000)] {
                let mut output = Buffer::<$t>::new(&device, $r * $c).unwrap();
                let mut sums = Buffer::<$t>::new(&device, 32).unwrap();
                let [i_argument, j_argument] = [i, j].map(|x: i32| number(ElemType::I32, x.to_le_bytes()));
                let before = [
                    argument(&input), argument(&numbers), argument(&output), argument(&sums), i_argument, j_argument,
                ];
                let space = ThreadSpace::new(1, 1).unwrap();
                kernels::$name::launch(&device, space, &input, &numbers, &mut output, &mut sums, i, j).unwrap();
                let after = [argument(&output), argument(&sums)];
                let alone = interpreted(&function, &before).unwrap();
                assert!(alone[2..4] == after, "{} in the interpreter, {i}, {j}", function.name);
                executed(&emulators, &function, (1, 1), &before, |_| true, |name, found| {
                    assert!(found[2..4] == after, "{name}, {i}, {j}");
                });
            }
        )*};
    }
    for_each_large_object!(check);
}

#[test]
fn attention_is_that_of_the_cpu() {
    let Some(emulators) = emulators() else { return };
    let device = Device::cpu().unwrap();
    let mut next = stream(3);
    let mut matrix = |rows: usize| -> Vec<f16> {
        (0..rows * HEAD).map(|_| f16::from_f32((next() % 65) as f32 / 16.0 - 2.0)).collect()
    };
    let (rows, count) = (2 * QUERIES, 3 * KEYS);
    let (query, keys, values) = (matrix(rows), matrix(count), matrix(count));
    let scale = std::f32::consts::LOG2_E / (HEAD as f32).sqrt();
    let [q, v] = [&query, &values].map(|m| Buffer::from_slice(&device, m).unwrap());
    let k = Buffer::from_slice(&device, bytemuck::cast_slice::<f16, u32>(&keys)).unwrap();
    let mut output = Buffer::<f32>::new(&device, rows * HEAD).unwrap();
    let before = [
        argument(&q),
        argument(&k),
        argument(&v),
        argument(&output),
        number(ElemType::U32, (rows as u32).to_le_bytes()),
        number(ElemType::U32, (count as u32).to_le_bytes()),
        number(ElemType::F32, scale.to_le_bytes()),
    ];
    let space = ThreadSpace::new(2, 1).unwrap();
    attention::launch(&device, space, &q, &k, &v, &mut output, rows as u32, count as u32, scale).unwrap();
    let expected: Vec<f32> = output.to_vec().unwrap();
    executed(&emulators, &attention::ir().unwrap(), (2, 1), &before, Target::has_2d_blocks, |name, found| {
        let found: Vec<f32> = bytemuck::pod_collect_to_vec(found[3].bytes());
        for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
            // The powers may differ in their last bit, as halves.
            assert!((found - expected).abs() < 2e-3, "{name}, {n}: {found}, not {expected}");
        }
    });
}

/// The sums, the scores and the tiles fit the registers: a spill is an error.
#[test]
fn attention_stays_in_registers() {
    let Some([_, (registers, emulator)]) = emulators() else { return };
    let function = attention::ir().unwrap();
    assert!(function.register_file == 16384 && attention::registers().unwrap().fits());
    let folder = tempfile::tempdir().unwrap();
    for &(device, target) in emulator.devices().iter().filter(|(_, target)| target.has_2d_blocks()) {
        let module = lower_for(&function, target, registers).unwrap();
        let made = compile_all(emulator.compiler(), &[(&module, device)], folder.path()).remove(0).unwrap();
        check(&fs::read(made).unwrap(), &function.name).unwrap_or_else(|error| panic!("{device}: {error}"));
    }
}
