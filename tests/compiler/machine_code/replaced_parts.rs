//! Parts of registers that are replaced: rows of odd lengths, constant masks, bytes with large gaps; and what masks choose from
//! constants.

use std::fmt::Write;

use cm::ir::Function;

use super::compared::{SURFACES, assert_same, kernel_of};

/// A kernel of these lines, separated by `;`.
fn kernel(lines: &str) -> Function {
    kernel_of(SURFACES, lines)
}

/// The numbers `%2` of 4 x 16 elements, which are large and small, of both signs if there are any.
fn numbers(elem: &str) -> String {
    let start = "%0: i32 = constant 0; %1: i8<4x16> = read #0 %0, %0;";
    match elem {
        "i8" => format!("{start} %2: i8<1x64> = format %1;"),
        "u8" => format!("{start} %2: u8<1x64> = format %1;"),
        _ => format!(
            "{start} %98: {elem}<4x16> = convert %1; %97: {elem}<4x16> = constant 37; %99: {elem}<4x16> = mul.{elem} %98, %97;
             %2: {elem}<1x64> = format %99;"
        ),
    }
}

/// Writes 64 elements `%x`, in blocks of at most 256 bytes.
fn written(x: usize, elem: &str, to: usize) -> String {
    let bits: usize = elem[1..].parse().expect("the bits of an element");
    let rows = bits / 8;
    let first = rows.min(4);
    let blocks = (0..rows / first).map(|n| {
        let (part, y, end) = (to + 3 * n, to + 3 * n + 1, to + 3 * n + 2);
        let (count, at) = (64 * first * 8 / bits, 64 * first * 8 / bits * n);
        format!(
            "%{part}: {elem}<1x{count}> = region %{x}[{at}| {count}, {count}, 1]; %{end}: u8<{first}x64> = format %{part};
             %{y}: i32 = constant {}; write #1 %0, %{y}, %{end}: u8<{first}x64>;",
            n * first
        )
    });
    blocks.collect()
}

#[test]
fn sums_of_shifted_neighbours() {
    let mut kernels = vec![];
    for elem in ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "f16", "f32"] {
        for (distance, from, kind) in
            [(1, 0, "add"), (2, 0, "sub"), (3, 0, "max"), (1, 2, "add"), (5, 4, "min")]
        {
            let left = 64 - distance - from;
            let mut lines = numbers(elem);
            write!(
                lines,
                "%3: {elem}<1x{left}> = region %2[{distance}| {left}, {left}, 1]; %4: {elem}<1x{left}> = region %2[{from}| {left}, {left}, 1];
                 %5: {elem}<1x{left}> = {kind}.{elem} %3, %4; %6: {elem}<1x64> = insert %2[{distance}| {left}, {left}, 1], %5;
                 %7: {elem}<1x{left}> = region %6[0| {left}, {left}, 1]; %8: {elem}<1x{left}> = {kind}.{elem} %7, %7;
                 %9: {elem}<1x64> = insert %6[{distance}| {left}, {left}, 1], %8; {}",
                written(9, elem, 10)
            )
            .unwrap();
            kernels.push(kernel(&lines));
        }
    }
    assert_same(&kernels);
}

#[test]
fn constant_masks_of_neighbours() {
    let mut kernels = vec![];
    for elem in ["u8", "i16", "u32", "i32", "f16", "f32"] {
        for (start, end) in [(1, 64), (2, 64), (0, 9), (13, 14), (5, 61), (32, 64)] {
            let each: Vec<&str> =
                (0..64).map(|n| if (start..end).contains(&n) { "1" } else { "2" }).collect();
            for turned in [63, 60, 17, 0] {
                let mut lines = numbers(elem);
                write!(
                    lines,
                    "%3: u16<1x64> = constant [{}]; %4: {elem}<2x64> = constant 1; %5: {elem}<2x64> = insert %4[0| 64, 64, 1], %2;
                     %6: {elem}<2x64> = insert %5[64| 64, 64, 1], %2; %7: {elem}<1x64> = region %6[{turned}| 64, 64, 1];
                     %8: {elem}<1x64> = sub.{elem} %7, %2; %9: {elem}<1x64> = merge %3, %8, %2; {}",
                    each.join(", "),
                    written(9, elem, 10)
                )
                .unwrap();
                kernels.push(kernel(&lines));
            }
        }
    }
    assert_same(&kernels);
}

#[test]
fn bytes_of_every_second_or_fourth_pixel() {
    let mut kernels = vec![];
    let start = "%0: i32 = constant 0; %1: u8<4x64> = read #0 %0, %0; %2: i8<2x8> = region %1[5| 64, 8, 3];
        %3: u8<2x8> = region %1[9| 128, 8, 2]; %4: i32<2x8> = mul.i32 %2, %3; %5: u8<2x8> = saturate %4;"
        .replace("%2: i8<2x8> = region", "%20: u8<2x8> = region")
        .replace("%4: i32", "%2: i8<2x8> = format %20; %4: i32");
    for base in [
        "%6: u8<4x64> = constant 255;",
        "%6: u8<4x64> = convert %1;",
        "%21: i16<4x64> = mul.i16 %1, %1; %6: u8<4x64> = convert %21;",
    ] {
        for regions in [
            ["0| 128, 8, 8", "1| 128, 8, 8", "66| 128, 8, 8"],
            ["0| 128, 8, 8", "7| 128, 8, 8", "0| 128, 8, 8"],
            ["3| 4, 8, 8", "130| 64, 8, 8", "5| 64, 8, 8"],
            ["1| 64, 4, 16", "14| 64, 4, 16", "7| 64, 4, 16"],
        ] {
            let mut lines = format!("{start} {base}");
            for (n, region) in regions.iter().enumerate() {
                let part = ["%3", "%5", "%20"][n];
                write!(lines, "%{}: u8<4x64> = insert %{}[{region}], {part};", n + 7, n + 6).unwrap();
            }
            lines += "write #1 %0, %0, %9: u8<4x64>;";
            // Rows that overlap within a dword, or of other shapes, stay as they are.
            if regions[0].starts_with('3') {
                lines = lines.replace("3| 4, 8, 8", "3| 128, 8, 8");
            }
            let lines = if regions[0].ends_with("16") {
                lines.replace("2x8", "4x4").replace("64, 8, 3", "32, 4, 3").replace("128, 8, 2", "64, 4, 2")
            } else {
                lines
            };
            kernels.push(kernel(&lines));
        }
    }
    assert_same(&kernels);
}

#[test]
fn places_that_masks_choose_from_constants() {
    let mut kernels = vec![];
    for (elem, other) in [("u32", 64), ("i32", 3), ("u16", 64), ("i16", 0), ("u8", 200)] {
        for kind in ["min", "max"] {
            for order in ["gt", "eq"] {
                let places: Vec<String> = (0..64).map(|n| (n * 5 % 64).to_string()).collect();
                let mut lines = format!(
                    "%0: i32 = constant 0; %1: u8<1x64> = read #0 %0, %0; %2: u8 = reduce {kind}.u8 %1; %3: u8<1x64> = splat %2;
                     %4: u16<1x64> = {order}.u8 %1, %3; %5: {elem}<1x64> = constant [{}]; %6: {elem}<1x64> = constant {other};
                     %7: {elem}<1x64> = merge %4, %5, %6;",
                    places.join(", ")
                );
                let mut half = 32;
                while half > 0 {
                    let (x, n) = (if half == 32 { 7 } else { 10 * half * 2 + 2 }, 10 * half);
                    write!(
                        lines,
                        "%{n}: {elem}<1x{half}> = region %{x}[0| {half}, {half}, 1]; %{}: {elem}<1x{half}> = region %{x}[{half}| {half}, {half}, 1];
                         %{}: {elem}<1x{half}> = {kind}.{elem} %{n}, %{};",
                        n + 1,
                        n + 2,
                        n + 1
                    )
                    .unwrap();
                    half /= 2;
                }
                let lines = lines.replace("<1x1>", "");
                kernels
                    .push(kernel(&format!("{lines} %400: u32 = convert %12; write #1 %0, %0, %400: u32;")));
            }
        }
    }
    assert_same(&kernels);
}

#[test]
fn dot_products_that_other_operations_take() {
    let mut kernels = vec![];
    for dot in ["dot_uu", "dot_us", "dot_su", "dot_ss"] {
        for elem in ["i32", "u32"] {
            let start = format!(
                "%0: i32 = constant 0; %1: u8<4x32> = read #0 %0, %0; %2: {elem}<1x32> = format %1; %3: {elem}<1x16> = region %2[0| 16, 16, 1];
                 %4: {elem}<1x16> = region %2[16| 16, 16, 1]; %5: {elem}<1x16> = {dot}.{elem} %3, %4; %6: {elem}<1x8> = region %5[0| 8, 8, 1];
                 %7: {elem}<1x8> = region %5[8| 8, 8, 1];"
            );
            for used in [
                format!("%9: {elem}<1x8> = sub.{elem} %6, %7;"),
                format!("%9: {elem}<1x8> = min.{elem} %6, %7;"),
                format!("%8: {elem}<1x8> = constant 3; %9: {elem}<1x8> = shr.{elem} %6, %8;"),
                format!(
                    "%8: f32<1x8> = convert %6; %10: f32<1x8> = constant 0.5; %11: f32<1x8> = mul.f32 %8, %10; %9: {elem}<1x8> = convert %11;"
                ),
                format!("%8: u16<1x8> = lt.{elem} %6, %7; %9: {elem}<1x8> = merge %8, %6, %7;"),
                format!("%8: u8<1x8> = saturate %6; %9: {elem}<1x8> = convert %8;"),
                format!("%8: i16<1x8> = convert %6; %9: {elem}<1x8> = mul.{elem} %8, %7;"),
                format!(
                    "%8: {elem}<1x8> = constant 0; %10: {elem}<1x8> = sub.{elem} %6, %7; %11: u16<1x8> = lt.{elem} %6, %7; %9: {elem}<1x8> = merge %11, %8, %10;"
                ),
                format!("%9: {elem}<1x8> = sub_sat.{elem} %6, %7;"),
                format!(
                    "%8: i64<1x8> = convert %6; %10: i64<1x8> = mul.i64 %8, %8; %9: {elem}<1x8> = convert %10;"
                ),
            ] {
                kernels.push(kernel(&format!("{start} {used} write #1 %0, %0, %9: {elem}<1x8>;")));
            }
            let known = format!(
                "%0: i32 = constant 0; %2: {elem}<1x8> = constant 67305985; %3: {elem}<1x8> = constant [1, 2, 3, 4, 5, 6, 7, 8];
                 %5: {elem}<1x8> = {dot}.{elem} %2, %3; %8: u16<1x8> = lt.{elem} %3, %5; %9: {elem}<1x8> = merge %8, %5, %3;"
            );
            kernels.push(kernel(&format!("{known} write #1 %0, %0, %9: {elem}<1x8>;")));
        }
    }
    assert_same(&kernels);
}
