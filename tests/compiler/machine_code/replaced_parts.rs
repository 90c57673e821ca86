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

/// Rows of odd lengths. Only those of dwords are divided; the others stay, and have the same bytes.
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

/// Only dwords are divided; all elements of the others are computed.
#[test]
fn constant_masks_of_neighbours() {
    let mut kernels = vec![];
    for elem in ["u8", "i16", "u32", "f16"] {
        for (start, end) in [(1, 64), (2, 64), (0, 9), (13, 14), (5, 61), (32, 64)] {
            let each: Vec<&str> =
                (0..64).map(|n| if (start..end).contains(&n) { "1" } else { "2" }).collect();
            for turned in [63, 17, 0] {
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

/// Dwords that are converted from results of other sizes: none of these operations are divided.
#[test]
fn operations_of_other_sizes() {
    let mut kernels = vec![];
    for elem in ["i32", "u32", "f32"] {
        for (inner, kind) in [
            ("f16", "min"),
            ("f16", "sub"),
            ("i64", "mul"),
            ("i16", "max"),
            ("u16", "add"),
            ("u8", "min"),
            ("i8", "sub"),
        ] {
            for (start, count) in [(0, 20), (5, 23), (2, 57)] {
                let shifted = (64 - count).min(13);
                let lines = format!(
                    "%0: i32 = constant 0; %1: i8<4x16> = read #0 %0, %0; %2: i8<1x64> = format %1; %3: {inner}<1x64> = convert %2;
                     %4: {inner}<1x{count}> = region %3[0| {count}, {count}, 1]; %5: {inner}<1x{count}> = region %3[{shifted}| {count}, {count}, 1];
                     %6: {inner}<1x{count}> = {kind}.{inner} %4, %5; %7: {elem}<1x{count}> = convert %6; %8: {elem}<1x64> = convert %2;
                     %9: {elem}<1x64> = insert %8[{start}| {count}, {count}, 1], %7; {}",
                    written(9, elem, 10)
                );
                kernels.push(kernel(&lines));
            }
        }
    }
    assert_same(&kernels);
}

/// Fractions, zeros of both signs, infinities and NaN. What is a NaN becomes 7 at last: its payload is not defined.
#[test]
fn special_floats() {
    let special = ["0x7fc00000", "-0.0", "0.1", "-2.75", "inf", "0.0", "-inf", "1e-3"];
    let each: Vec<&str> = special.into_iter().cycle().take(64).collect();
    let mut kernels = vec![];
    for (distance, kinds) in [
        (1, ["add", "add"]),
        (2, ["sub", "mul"]),
        (3, ["mul", "sub"]),
        (5, ["mul", "add"]),
        (7, ["max", "add"]),
        (13, ["min", "mul"]),
    ] {
        let (left, [first, second]) = (64 - distance, kinds);
        let each = each.join(", ");
        let lines = format!(
            "%0: i32 = constant 0; %1: i8<4x16> = read #0 %0, %0; %2: i8<1x64> = format %1; %3: f32<1x64> = convert %2;
             %4: f32<1x64> = constant -0.375; %5: f32<1x64> = mul.f32 %3, %4; %6: f32<1x64> = constant [{each}];
             %7: i8<1x64> = constant 9; %8: u16<1x64> = lt.i8 %2, %7; %20: f32<1x64> = merge %8, %6, %5;
             %21: f32<1x{left}> = region %20[{distance}| {left}, {left}, 1]; %22: f32<1x{left}> = region %20[0| {left}, {left}, 1];
             %23: f32<1x{left}> = {first}.f32 %21, %22; %24: f32<1x{left}> = {second}.f32 %23, %21;
             %25: f32<1x64> = insert %20[{distance}| {left}, {left}, 1], %24; %26: u16<1x64> = eq.f32 %25, %25;
             %27: f32<1x64> = constant 7.0; %28: f32<1x64> = merge %26, %25, %27; {}",
            written(28, "f32", 30)
        );
        kernels.push(kernel(&lines));
    }
    assert_same(&kernels);
}

/// A kernel that inserts its bytes in these regions, one after the other. They have this shape, and are taken from these
/// regions.
fn of_pixels(shape: &str, [near, far]: [&str; 2], base: &str, [first, second, third]: [&str; 3]) -> Function {
    kernel(&format!(
        "%0: i32 = constant 0; %1: u8<4x64> = read #0 %0, %0; %20: u8<{shape}> = region %1[5| {near}, 3];
         %2: i8<{shape}> = format %20; %3: u8<{shape}> = region %1[9| {far}, 2]; %4: i32<{shape}> = mul.i32 %2, %3;
         %5: u8<{shape}> = saturate %4; {base} %7: u8<4x64> = insert %6[{first}], %3; %8: u8<4x64> = insert %7[{second}], %5;
         %9: u8<4x64> = insert %8[{third}], %20; write #1 %0, %0, %9: u8<4x64>;"
    ))
}

#[test]
fn bytes_of_every_second_or_fourth_pixel() {
    let mut kernels = vec![];
    for base in [
        "%6: u8<4x64> = constant 255;",
        "%6: u8<4x64> = convert %1;",
        "%21: i16<4x64> = mul.i16 %1, %1; %6: u8<4x64> = convert %21;",
    ] {
        for regions in [
            ["0| 128, 8, 8", "1| 128, 8, 8", "66| 128, 8, 8"],
            ["0| 128, 8, 8", "7| 128, 8, 8", "0| 128, 8, 8"],
            ["3| 128, 8, 8", "130| 64, 8, 8", "5| 64, 8, 8"],
            // Some dwords belong to two of these: they stay as they are.
            ["1| 64, 8, 8", "65| 64, 8, 8", "130| 64, 8, 8"],
        ] {
            kernels.push(of_pixels("2x8", ["64, 8", "128, 8"], base, regions));
        }
        let columns = ["1| 64, 4, 16", "14| 64, 4, 16", "7| 64, 4, 16"];
        kernels.push(of_pixels("4x4", ["32, 4", "64, 4"], base, columns));
        // All dwords get bytes.
        kernels.push(of_pixels(
            "4x8",
            ["48, 8", "64, 8"],
            base,
            ["2| 64, 8, 8", "5| 64, 8, 8", "3| 64, 8, 8"],
        ));
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
    for (dot, elem) in [("dot_uu", "u32"), ("dot_us", "i32"), ("dot_su", "u32"), ("dot_ss", "i32")] {
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
    assert_same(&kernels);
}
