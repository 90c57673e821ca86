//! Operations that take fewer instructions where nobody sees the difference: minima and maxima of floats, averages, regions of
//! floats that start inside of registers, comparisons with scalars, and transpositions.

use std::fmt::Write;

use cm::ir::Function;

use super::compared::{SURFACES, assert_same, kernel_of};

/// A kernel of these lines, separated by `;`.
fn kernel(lines: &str) -> Function {
    kernel_of(SURFACES, lines)
}

/// Signed numbers times a factor, of which many are zeros of both signs for small factors.
fn numbers(elem: &str, factor: &str) -> String {
    format!(
        "%0: i32 = constant 0; %1: i8<8x16> = read #0 %0, %0; %2: {elem}<8x16> = convert %1; %3: {elem}<8x16> = constant {factor};
         %4: {elem}<8x16> = mul.{elem} %2, %3; %5: {elem}<4x16> = region %4[0| 16, 16, 1]; %6: {elem}<4x16> = region %4[64| 16, 16, 1];"
    )
}

#[test]
fn minima_and_maxima_of_which_nobody_sees_the_sign_of_zero() {
    let mut kernels = vec![];
    for (elem, bits) in [("f32", "i32"), ("f16", "i16")] {
        for (factor, kind) in [("0.0", "min"), ("0.0", "max"), ("0.01", "min"), ("0.3", "max")] {
            let numbers = numbers(elem, factor);
            let chosen = format!("{numbers} %7: {elem}<4x16> = {kind}.{elem} %5, %6;");
            let bytes = "write #1 %0, %0, %9: u8<4x16>;";
            for used in [
                format!("%8: i32<4x16> = convert %7; %9: u8<4x16> = convert %8; {bytes}"),
                format!("%9: u8<4x16> = saturate %7; {bytes}"),
                format!("%8: u16<4x16> = le.{elem} %7, %5; %9: u8<4x16> = convert %8; {bytes}"),
                format!(
                    "%8: {elem}<4x16> = mul.{elem} %7, %5; %10: {elem}<4x16> = sub.{elem} %8, %6;
                     %11: i32<4x16> = convert %10; %9: u8<4x16> = convert %11; {bytes}"
                ),
                format!("%8: {bits}<4x16> = format %7; %9: u8<4x16> = convert %8; {bytes}"),
                format!(
                    "%8: {bits}<4x16> = format %7; %10: {bits}<4x16> = constant 8; %11: {bits}<4x16> = shr.{bits} %8, %10;
                     %9: u8<4x16> = convert %11; {bytes}"
                ),
                format!(
                    "%8: {elem} = reduce {kind}.{elem} %4; %10: {elem}<4x16> = splat %8; %11: {elem}<4x16> = sub.{elem} %5, %10;
                     %12: i32<4x16> = convert %11; %9: u8<4x16> = convert %12; {bytes}"
                ),
                format!("write #1 %0, %0, %7: {elem}<4x16>;"),
                format!(
                    "%8: {elem} = reduce {kind}.{elem} %4; %9: {elem}<1x2> = splat %8; write #1 %0, %0, %9: {elem}<1x2>;"
                ),
            ] {
                kernels.push(kernel(&format!("{chosen} {used}")));
            }
            let constant =
                format!("%8: {elem}<4x16> = constant 3.5; %9: {elem}<4x16> = {kind}.{elem} %5, %8;");
            kernels.push(kernel(&format!("{numbers} {constant} write #1 %0, %0, %9: {elem}<4x16>;")));
        }
    }
    assert_same(&kernels);
}

#[test]
fn averages_whose_sums_are_words() {
    let mut kernels = vec![];
    let start = "%0: i32 = constant 0; %1: u8<4x32> = read #0 %0, %0; %2: i8<4x32> = format %1; %20: u8<4x32> = read #0 %4, %0;
        %3: i8<4x32> = format %20;";
    for [a, b] in [[1, 20], [2, 3], [1, 3]] {
        for common in ["i32", "u32", "i16", "i64"] {
            for factor in [128, 255, 257] {
                let numbers = format!(
                    "%4: i32 = constant 8; {start} %5: {common}<4x32> = constant {factor}; %6: {common}<4x32> = mul.{common} %{a}, %5;
                     %7: {common}<4x32> = mul.{common} %{b}, %5; %8: {common}<4x32> = avg.{common} %6, %7;"
                );
                kernels.push(kernel(&format!(
                    "{numbers} %9: i16<4x32> = convert %8; %10: u8<4x64> = format %9; write #1 %0, %0, %10: u8<4x64>;"
                )));
                kernels.push(kernel(&format!(
                    "{numbers} %9: u8<4x32> = saturate %8; write #1 %0, %0, %9: u8<4x32>;"
                )));
            }
            kernels.push(kernel(&format!(
                "%4: i32 = constant 8; {start} %8: {common}<4x32> = avg.{common} %{a}, %{b}; %9: u8<4x32> = convert %8;
                 write #1 %0, %0, %9: u8<4x32>;"
            )));
        }
    }
    assert_same(&kernels);
}

#[test]
fn floats_that_start_inside_of_registers() {
    let mut kernels = vec![];
    let start = "%0: i32 = constant 0; %1: u8<4x24> = read #0 %0, %0; %2: f32<4x24> = convert %1; %3: f32<4x24> = constant 0.37;
        %4: f32<4x24> = mul.f32 %2, %3;";
    for region in [
        "1| 24, 16, 1",
        "8| 24, 16, 1",
        "3| 4, 16, 1",
        "0| 24, 8, 2",
        "5| 24, 8, 2",
        "2| 1, 16, 1",
        "7| 1, 16, 0",
    ] {
        for operation in ["add.f32", "mul.f32", "max.f32", "lt.f32"] {
            let count = if region.contains(", 8, 2") { "4x8" } else { "4x16" };
            let region = format!(
                "%5: f32<{count}> = region %4[{region}]; %6: f32<{count}> = region %4[0| 24, 16, 1];"
            );
            let region = region.replace(", 16, 1];", if count == "4x8" { ", 8, 1];" } else { ", 16, 1];" });
            let elem = if operation == "lt.f32" { "u16" } else { "f32" };
            let result =
                format!("%7: {elem}<{count}> = {operation} %5, %6; write #1 %0, %0, %7: {elem}<{count}>;");
            kernels.push(kernel(&format!("{start} {region} {result}")));
        }
    }
    assert_same(&kernels);
}

#[test]
fn scalars_that_are_compared_with_short_numbers() {
    let mut kernels = vec![];
    for elem in ["i32", "u32"] {
        for (place, shift) in [(0, 22), (3, 22), (5, 21), (7, 8), (9, 0)] {
            for kind in ["lt", "le", "gt", "eq"] {
                let mut lines = format!(
                    "%0: i32 = constant 0; %1: u8<4x32> = read #0 %0, %0; %2: {elem}<1x32> = format %1; %3: {elem} = region %2[{place}| 1, 1, 1];
                     %4: {elem} = constant {shift}; %5: {elem} = shr.{elem} %3, %4; %6: {elem}<4x32> = splat %5;"
                );
                let numbers = match elem {
                    "i32" => {
                        "%7: u8<4x32> = format %1; %8: i32<4x32> = sub.i32 %1, %7; %9: i32<4x32> = sub.i32 %8, %1;"
                    }
                    _ => "%9: u32<4x32> = mul.u32 %1, %1;",
                };
                let compared = if place % 2 == 0 { "%1" } else { "%9" };
                let operands = if kind.len() + place > 6 {
                    format!("%6, {compared}")
                } else {
                    format!("{compared}, %6")
                };
                write!(
                    lines,
                    "{numbers} %10: u16<4x32> = {kind}.{elem} {operands}; %11: u8<4x32> = convert %10; write #1 %0, %0, %11: u8<4x32>;"
                )
                .unwrap();
                kernels.push(kernel(&lines));
            }
        }
    }
    assert_same(&kernels);
}

#[test]
fn columns_that_become_rows() {
    let mut kernels = vec![];
    let small = [(2, 4), (4, 2), (4, 4), (8, 2), (3, 4), (8, 4)];
    let small = ["u8", "i16", "i32", "f16", "f32"].into_iter().flat_map(|elem| {
        let sides = small.into_iter().filter(move |(_, columns)| elem.ends_with('8') || *columns > 2);
        sides.flat_map(move |(rows, columns)| [(elem, rows, columns, false), (elem, rows, columns, true)])
    });
    let large =
        [("u8", 16, 16), ("i16", 8, 16), ("i16", 8, 8), ("f32", 8, 8), ("u32", 4, 16), ("u32", 16, 4)];
    for (elem, rows, columns, negated) in
        small.chain(large.map(|(elem, rows, columns)| (elem, rows, columns, false)))
    {
        let (ty, turned) = (format!("{elem}<{rows}x{columns}>"), format!("{elem}<{columns}x{rows}>"));
        let mut lines =
            format!("%0: i32 = constant 0; %1: {ty} = read #0 %0, %0; %2: {turned} = constant 0;");
        if negated {
            lines = format!(
                "%0: i32 = constant 0; %97: u8<{rows}x{columns}> = read #0 %0, %0; %98: {ty} = convert %97; %1: {ty} = neg %98;
                 %2: {turned} = constant 0;"
            );
        }
        for column in 0..columns {
            let (part, whole) = (3 + 2 * column, 4 + 2 * column);
            write!(
                lines,
                "%{part}: {elem}<1x{rows}> = region %1[{column}| {rows}, {rows}, {columns}];
                 %{whole}: {turned} = insert %{}[{}| {rows}, {rows}, 1], %{part};",
                whole - 2,
                column * rows
            )
            .unwrap();
        }
        // Rows of whole dwords are written.
        let (last, one) = (2 + 2 * columns, format!("{elem}<1x{}>", rows * columns));
        if rows % 4 == 0 {
            write!(lines, "write #1 %0, %0, %{last}: {turned};").unwrap();
        } else {
            write!(lines, "%100: {one} = format %{last}; write #1 %0, %0, %100: {one};").unwrap();
        }
        kernels.push(kernel(&lines));
    }
    assert_same(&kernels);
}
