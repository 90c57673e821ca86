//! Matrix products in machine code: one instruction with the right factor types, rows and lanes if the GPU
//! has it, else none. If the code is executed, it gives the sums of the CPU.

use std::fs;

use cm::RegisterFile::{self, Large, Standard};
use cm::ir::Function;
use cm::prelude::*;
use cm::spirv::{lower, lower_for};
use cm_test_kernels::matrix_product::{
    matrix_product, matrix_product_2d, matrix_product_2d_large, matrix_product_of_8,
};
use cm_test_support::emulator::Emulator;
use cm_test_support::ocloc::{Compiler, check as check_binary, compile, compile_all, present};
use cm_test_support::products::{factors, precisions};

/// Checks the factor types of columns and rows in the disassembly, and the lines with the instruction.
fn check(kernel: &Function, lanes: usize, rows: usize, factors: [&str; 2], is_tf32: bool) {
    for (device, target) in
        [("skl", Target::Gen9), ("tgllp", Target::XeLp), ("dg2-g10", Target::XeHpg), ("pvc", Target::XeHpc)]
    {
        let compiled = compile(&lower(kernel, target).unwrap(), "product", device).unwrap();
        let found: Vec<&str> = compiled
            .assembly
            .lines()
            .filter(|line| !line.starts_with("//") && line.contains("dpas."))
            .collect();
        if target.dpas_lanes() != Some(lanes) || is_tf32 && target == Target::XeHpg {
            assert_eq!(found, [""; 0], "{device} has no such instruction");
            continue;
        }
        let [line] = found[..] else { panic!("{device}: {found:?}") };
        let [columns, own] = factors;
        for part in
            [format!("dpas.8x{rows} "), format!("({lanes}|M0)"), format!(":{columns} "), format!(":{own} ")]
        {
            assert!(line.contains(&part), "{device}: `{part}` is not in `{line}`");
        }
    }
}

macro_rules! products {
    ($($name:ident: $sum:ident, $rows:literal x $lanes:literal, [$b:literal $a:literal],
        |$columns:ident, $own:ident, $sums:ident| $product:expr;)*) => {$(
        #[test]
        fn $name() {
            #[kernel]
            fn product(columns: &Buffer<u8>, rows: &Buffer<u8>, out: &mut Buffer<$sum>) {
                let mut $columns = Matrix::<u8, { $lanes / 4 }, 128>::splat(0);
                for i in 0..$lanes / 4 {
                    $columns.row_mut(i).assign(columns.read::<128>(i * 128));
                }
                let mut $own = Matrix::<u8, $rows, 32>::splat(0);
                let mut $sums = Matrix::<$sum, $rows, $lanes>::splat(0 as $sum);
                for r in 0..$rows {
                    $own.row_mut(r).assign(rows.read::<32>(r * 32));
                    $sums.row_mut(r).assign(out.read::<$lanes>(r * $lanes * 4));
                }
                let product = $product;
                for r in 0..$rows {
                    out.write(r * $lanes * 4, &product.row(r));
                }
            }

            if !present() {
                return;
            }
            let function = product::ir().unwrap();
            check(&function, $lanes, $rows, [$b, $a], $b == "tf32");
            let Some(emulator) = Emulator::newest_or_installed() else { return };
            let [b, a] = precisions(&function);
            let (columns, rows) = (factors(32 * $lanes, b, 1), factors(32 * $rows, a, 500));
            let start: Vec<$sum> = (0..$rows * $lanes).map(|n| (n as $sum - 9 as $sum) * 3 as $sum).collect();
            let device = Device::cpu().unwrap();
            let mut out = Buffer::from_slice(&device, &start).unwrap();
            let given = [&columns, &rows].map(|bytes| Buffer::from_slice(&device, bytes).unwrap());
            let space = ThreadSpace::new(1, 1).unwrap();
            product::launch(&device, space, &given[0], &given[1], &mut out).unwrap();
            let sums: Vec<$sum> = out.to_vec().unwrap();
            let with_engine = |(_, target): &&(&str, Target)| target.dpas_lanes().is_some();
            for &(name, target) in emulator.devices().iter().filter(with_engine) {
                let module = lower(&function, target).unwrap();
                let start: &[u8] = bytemuck::cast_slice(&start);
                let found =
                    emulator.run_on_buffers((&module, name), "product", (1, 1), &[&columns, &rows, start], &[]);
                assert_eq!(found[2], bytemuck::cast_slice::<$sum, u8>(&sums), "{name}");
            }
        }
    )*};
}

products! {
    bytes_of_8_lanes: i32, 8 x 8, ["ub" "b"],
        |b, a, sums| math::dpas(sums, b.format::<u8, 8, 32>(), a.format::<i8, 8, 32>());
    bytes_of_16_lanes: i32, 3 x 16, ["b" "ub"],
        |b, a, sums| math::dpas(sums, b.format::<i8, 8, 64>(), a.format::<u8, 3, 32>());
    four_bits_of_8_lanes: i32, 1 x 8, ["u4" "s4"],
        |b, a, sums| math::dpas_4bit::<math::U4, math::S4, _>(sums, b.format::<u8, 8, 32>(), a);
    four_bits_of_16_lanes: i32, 8 x 16, ["s4" "u4"],
        |b, a, sums| math::dpas_4bit::<math::S4, math::U4, _>(sums, b.format::<u8, 8, 64>(), a);
    halves_of_8_lanes: f32, 8 x 8, ["hf" "hf"],
        |b, a, sums| math::dpas(sums, b.format::<f16, 8, 16>(), a.format::<f16, 8, 16>());
    halves_of_16_lanes: f32, 8 x 16, ["hf" "hf"],
        |b, a, sums| math::dpas(sums, b.format::<f16, 8, 32>(), a.format::<f16, 8, 16>());
    brain_floats_of_8_lanes: f32, 4 x 8, ["bf" "bf"],
        |b, a, sums| math::dpas(sums, b.format::<bf16, 8, 16>(), a.format::<bf16, 4, 16>());
    brain_floats_of_16_lanes: f32, 8 x 16, ["bf" "bf"],
        |b, a, sums| math::dpas(sums, b.format::<bf16, 8, 32>(), a.format::<bf16, 8, 16>());
    tensor_floats_of_8_lanes: f32, 2 x 8, ["tf32" "tf32"],
        |b, a, sums| math::dpas(sums, b.format::<tf32, 8, 8>(), a.format::<tf32, 2, 8>());
    tensor_floats_of_16_lanes: f32, 8 x 16, ["tf32" "tf32"],
        |b, a, sums| math::dpas(sums, b.format::<tf32, 8, 16>(), a.format::<tf32, 8, 8>());
}

/// The round with `dpas` of a kernel on a device: its `dpas`, and its other instructions.
type Round<'a> = (cm::Result<Function>, RegisterFile, &'a str, Target, [usize; 2]);

/// The `dpas` and the other instructions of a round of the example's products, for the device whose engine has as many
/// lanes. The others may only become fewer.
#[test]
fn rounds_of_products_are_as_short_as_they_were() {
    let Some(emulator) = Emulator::find() else { return };
    check_rounds(
        &emulator,
        &[
            (matrix_product_of_8::ir(), Standard, "dg2-g10", Target::XeHpg, [8, 16]),
            (matrix_product::ir(), Standard, "pvc", Target::XeHpc, [8, 19]),
            (matrix_product_2d::ir(), Standard, "pvc", Target::XeHpc, [16, 11]),
            (matrix_product_2d_large::ir(), Large, "pvc", Target::XeHpc, [32, 15]),
        ],
    );
}

/// The same with the newest compiler, for the GPUs that it supports.
#[test]
fn rounds_of_products_are_as_short_as_they_were_with_the_newest_compiler() {
    if Compiler::newest().is_none() {
        return;
    }
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    check_rounds(
        &emulator,
        &[
            (matrix_product::ir(), Standard, "pvc", Target::XeHpc, [8, 28]),
            (matrix_product_2d::ir(), Standard, "pvc", Target::XeHpc, [16, 16]),
            (matrix_product::ir(), Standard, "bmg", Target::Xe2, [8, 20]),
            (matrix_product::ir(), Standard, "lnl-m", Target::Xe2, [8, 20]),
            (matrix_product_2d::ir(), Standard, "bmg", Target::Xe2, [16, 11]),
            (matrix_product_2d::ir(), Standard, "lnl-m", Target::Xe2, [16, 11]),
            (matrix_product::ir(), Standard, "ptl-h", Target::Xe3, [8, 20]),
            (matrix_product_2d::ir(), Standard, "ptl-h", Target::Xe3, [16, 11]),
            (matrix_product_2d_large::ir(), Large, "bmg", Target::Xe2, [32, 15]),
            (matrix_product_2d_large::ir(), Large, "lnl-m", Target::Xe2, [32, 15]),
            (matrix_product_2d_large::ir(), Large, "ptl-h", Target::Xe3, [32, 15]),
        ],
    );
}

fn check_rounds(emulator: &Emulator, rounds: &[Round<'_>]) {
    let folder = tempfile::tempdir().unwrap();
    let mut changed = vec![];
    for (kernel, registers, device, target, [products, others]) in rounds {
        let kernel = kernel.as_ref().unwrap();
        let module = lower_for(kernel, *target, *registers).unwrap();
        let compiler = emulator.compiler().clone().with_registers(*registers);
        let path = compile_all(&compiler, &[(&module, *device)], folder.path()).remove(0).unwrap();
        let binary = fs::read(path).unwrap();
        // A spill is an error.
        check_binary(&binary, &kernel.name)
            .unwrap_or_else(|error| panic!("{} on {device}: {error}", kernel.name));
        let code = emulator.code(&binary).unwrap();
        let is_product = |line: &&&str| line.contains("dpas.");
        let rounds = code.rounds();
        let round = rounds.iter().find(|round| round.iter().any(|line| is_product(&line)));
        let round = round.unwrap_or_else(|| panic!("{} on {device}: no round with `dpas`", kernel.name));
        let found = round.iter().filter(is_product).count();
        assert_eq!(found, *products, "{} on {device}: {round:?}", kernel.name);
        let count = round.iter().filter(|line| !line.contains("sync.")).count() - found;
        if count != *others {
            changed.push(format!("{} on {device}: {count} other instructions, not {others}", kernel.name));
        }
    }
    assert!(changed.is_empty(), "longer is worse, shorter is to be noted here: {}", changed.join("; "));
}

/// Four products are added to parts of one object.
#[kernel]
fn parts_of_sums(columns: &Buffer<u8>, rows: &Buffer<u8>, out: &mut Buffer<i32>) {
    let mut factors = Matrix::<u8, 4, 128>::splat(0);
    for i in 0..4 {
        factors.row_mut(i).assign(columns.read::<128>(i * 128));
    }
    let mut sums = Matrix::<i32, 32, 16>::splat(0);
    for i in 0..4 {
        let mut own = Matrix::<u8, 8, 32>::splat(0);
        for r in 0..8 {
            own.row_mut(r).assign(rows.read::<32>(i * 256 + r * 32));
        }
        let product: Matrix<i32, 8, 16> =
            math::dpas(sums.select::<8, 1, 16, 1>(i * 8, 0), factors.format_matrix::<u8, 8, 64>(), own);
        sums.select_mut::<8, 1, 16, 1>(i * 8, 0).assign(product);
    }
    for r in 0..32 {
        out.write(r * 64, &sums.row(r));
    }
}

#[test]
fn sums_in_parts_of_an_object_take_no_other_registers() {
    let report = parts_of_sums::registers().unwrap();
    let objects = 4 * 128 + 32 * 16 * 4 + 8 * 32;
    // A product of its own would take half of its 512 bytes more than its rows, which end there.
    assert!(report.peak().bytes < objects + 256, "{report}");
}
