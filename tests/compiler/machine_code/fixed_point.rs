//! Sums that are multiplied by a float and truncated: these become integer products if the range of the sum
//! allows it, and give the same bytes in every shape.

use cm::Target;
use cm::ir::Function;
use cm::spirv::lower;
use cm::text::parse;
use cm_random_kernels::difference::{Forms, Machine, Outcome};

/// The sum of three regions of bytes times a number, as elements of a type.
fn kernel(rows: usize, columns: usize, by: f32, to: &str) -> Function {
    let (sum, count) = (format!("i16<{rows}x{columns}>"), format!("f32<{rows}x{columns}>"));
    let region = |offset: usize| format!("region %1[{offset}; 32, {columns}, 1]");
    let bytes = format!("u8<{rows}x{columns}>");
    // The bytes of the result, as rows that surfaces accept.
    let result = if to == "u8" || to == "i8" { 1 } else { 2 } * rows * columns;
    let lines = [
        "%0: i32 = constant 0".into(),
        "%1: u8<8x32> = read #0 %0, %0".into(),
        format!("%2: {bytes} = {}", region(0)),
        format!("%3: {bytes} = {}", region(3)),
        format!("%4: {bytes} = {}", region(32)),
        format!("%5: {sum} = add.i16 %2, %3"),
        format!("%6: {sum} = add.i16 %5, %4"),
        format!("%7: {count} = constant {by:?}"),
        format!("%8: {count} = mul.f32 %6, %7"),
        format!("%9: {to}<{rows}x{columns}> = convert %8"),
        "%10: u8<4x64> = constant 0".into(),
        format!("%11: u8<1x{result}> = format %9"),
        format!("%12: u8<4x64> = insert %10[0; {result}, {result}, 1], %11"),
        "write #1 %0, %0, %12: u8<4x64>".into(),
    ];
    let lines: String = lines.iter().map(|line| format!("{line} @0:1:1\n")).collect();
    let head = "file 0 \"k.rs\" kernel k(input: read surface, output: write surface)";
    parse(&format!("{head} {{\n{lines}}}")).unwrap_or_else(|error| panic!("{error}\n{lines}"))
}

/// Counts the float products in a module, by opcode.
fn float_products(module: &[u32]) -> usize {
    let (mut rest, mut found) = (&module[5..], 0);
    while let Some(&first) = rest.first() {
        found += usize::from(first & 0xffff == 133);
        rest = &rest[first as usize >> 16..];
    }
    found
}

#[test]
fn products_of_integers_give_the_bytes_of_those_of_floats() {
    let shapes = [(1, 1), (1, 17), (1, 29), (2, 16), (3, 5), (4, 24), (5, 13), (6, 8), (6, 24), (7, 7)];
    let factors = [0.111f32, 1.0 / 3.0, 0.25, 0.9, 0.003, 1.0, 0.1, 7.5, 42.0];
    let mut kernels = vec![];
    for (rows, columns) in shapes {
        for (n, by) in factors.into_iter().enumerate() {
            // A write has at most 256 bytes.
            let to = if rows * columns > 128 { "u8" } else { ["u8", "u16", "i16", "i8"][(n + columns) % 4] };
            kernels.push(kernel(rows, columns, by, to));
        }
    }
    let replaced = |kernel: &&Function| float_products(&lower(kernel, Target::Gen9).unwrap()) == 0;
    let count = kernels.iter().filter(replaced).count();
    // Products of words that become bytes are limited by more than the highest byte.
    assert!(count * 2 > kernels.len(), "{count} of {}", kernels.len());
    let Some(machine) = Machine::find() else { return };
    for (kernel, outcome) in kernels.iter().zip(machine.compare(&kernels, Forms::All)) {
        assert!(matches!(outcome, Outcome::Same), "{outcome:?}\n{kernel}");
    }
}

#[test]
fn products_of_unknown_sums_stay_those_of_floats() {
    let text = "file 0 \"k.rs\" kernel k(input: read surface, output: write surface) {
        %0: i32 = constant 0 @0:1:1
        %1: i16<1x16> = read #0 %0, %0 @0:1:1
        %2: f32 = constant 0.111 @0:1:1
        %3: f32<1x16> = splat %2 @0:1:1
        %4: f32<1x16> = mul.f32 %1, %3 @0:1:1
        %5: u8<1x16> = convert %4 @0:1:1
        write #1 %0, %0, %5: u8<1x16> @0:1:1
    }";
    let module = lower(&parse(text).unwrap(), Target::Gen9).unwrap();
    assert_eq!(float_products(&module), 1);
}
