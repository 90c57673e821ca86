//! Sums of products of bytes, which are dot products on GPUs that have them, and absolute values that are added.

use super::compared::{SURFACES, assert_same, kernel_of};

/// A kernel of these lines, which make the number `%20` of the bytes `%1`, `%2` (unsigned) and `%3`, `%4` (signed).
fn kernel(lines: &str) -> cm::ir::Function {
    let start = "%0: i32 = constant 0; %10: i32 = constant 3; %1: u8<2x32> = read #0 %0, %0;
        %2: u8<2x32> = read #0 %10, %10; %3: i8<2x32> = read #0 %0, %10; %4: i8<2x32> = read #0 %10, %0;";
    let lines = format!("{start} {lines} %21: i32 = convert %20; write #1 %0, %0, %21: i32;");
    kernel_of(SURFACES, &lines)
}

#[test]
fn sums_of_products_of_bytes_are_the_same_on_all_devices() {
    let mut kernels = vec![];
    for (a, b, own) in [
        ("%1", "%2", "i32"),
        ("%1", "%2", "u16"),
        ("%3", "%4", "i32"),
        ("%3", "%4", "i16"),
        ("%3", "%3", "u32"),
        ("%1", "%3", "i32"),
    ] {
        let ty = format!("{own}<2x32>");
        kernels.push(kernel(&format!("%5: {ty} = mul.{own} {a}, {b}; %20: i32 = reduce add.i32 %5;")));
        let part = "<1x24> = region";
        let (x, y) = if a == "%1" { ("u8", if b == "%3" { "i8" } else { "u8" }) } else { ("i8", "i8") };
        kernels.push(kernel(&format!(
            "%5: {x}{part} {a}[3| 24, 24, 1]; %6: {y}{part} {b}[17| 24, 24, 1]; %7: {own}<1x24> = mul.{own} %5, %6;
             %20: u32 = reduce add.u32 %7;"
        )));
    }
    assert_same(&kernels);
}

#[test]
fn sums_of_absolute_values_are_the_same_on_all_devices() {
    let differences = "%5: i16<2x32> = sub.i16 %1, %2; %6: u16<2x32> = abs.i16 %5;";
    let kernels = [
        format!("{differences} %20: u16 = reduce add.u16 %6;"),
        format!("{differences} %7: u16<2x32> = add.u16 %6, %6; %20: u16 = reduce add.u16 %7;"),
        "%5: i16<1x32> = format %3; %6: u16<1x32> = abs.i16 %5; %7: i16<1x32> = add.i16 %5, %6; %20: i16 = reduce max.i16 %7;"
            .to_owned(),
        "%5: i32<1x16> = format %3; %6: u32<1x16> = abs.i32 %5; %7: i32<1x16> = add.i32 %5, %6; %20: i32 = reduce max.i32 %7;"
            .to_owned(),
    ]
    .map(|lines| kernel(&lines));
    assert_same(&kernels);
}
