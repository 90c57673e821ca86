//! Which rows are divided, and into what; the divided kernels compute the same.

use super::*;
use crate::spirv::alike::{assert_alike, kernel};

const BUDGET: usize = 4096;

/// The lengths of the results of operations, and of the elements that are copied, after the numbers `%2` of this kernel
/// were made; `None` if it stays as it is.
fn lengths(lines: &str, form: Target) -> Option<Vec<usize>> {
    let function = kernel(&format!(
        "%0: i32 = constant 3; %1: u32<4x15> = read #0 %0, %0; %2: u32<1x60> = format %1; {lines}
         %20: u32<4x15> = format %19; write #1 %0, %0, %20: u32<4x15>;\n"
    ));
    let divided = divided(&function, form, BUDGET)?;
    assert_alike(&function, &divided);
    let made = |inst: &Inst| match inst.op {
        Op::Map { .. } => Some(inst.ty.count()),
        _ => None,
    };
    Some(divided.body.instructions().filter_map(made).collect())
}

/// A step of a prefix sum.
fn step(distance: usize, kind: &str) -> String {
    let left = 60 - distance;
    format!(
        "%3: u32<1x{left}> = region %2[{distance}| {left}, {left}, 1]; %4: u32<1x{left}> = region %2[0| {left}, {left}, 1];
         %5: u32<1x{left}> = {kind}.u32 %3, %4; %19: u32<1x60> = insert %2[{distance}| {left}, {left}, 1], %5;"
    )
}

#[test]
fn parts_end_where_registers_do() {
    assert_eq!(lengths(&step(1, "add"), Target::Gen9), Some(vec![1, 2, 4, 32, 16, 4]));
    assert_eq!(lengths(&step(1, "sub"), Target::XeHpc), Some(vec![1, 2, 4, 8, 32, 8, 4]));
    assert_eq!(lengths(&step(6, "max"), Target::Gen9), Some(vec![2, 32, 16, 4]));
    assert_eq!(lengths(&step(4, "add"), Target::Gen9), None, "a multiple of 8 elements");
    assert_eq!(lengths(&step(44, "add"), Target::Gen9), None, "a power of two");
    let moved = "%3: u32<1x13> = region %2[5| 13, 13, 1]; %19: u32<1x60> = insert %2[9| 13, 13, 1], %3;";
    assert_eq!(lengths(moved, Target::Gen9), None, "no operation");
}

#[test]
fn the_elements_before_stay() {
    assert_eq!(cuts((0, 5), 8), [(0, 4), (4, 1)]);
    assert_eq!(cuts((3, 3), 8), []);
    assert_eq!(cuts((57, 70), 8), [(57, 1), (58, 2), (60, 4), (64, 4), (68, 2)]);
    assert_eq!(cuts((16, 57), 16), [(16, 32), (48, 8), (56, 1)]);
}

#[test]
fn one_step_after_the_other() {
    let step = |x: usize, distance: usize, result: usize| {
        let (left, n) = (60 - distance, result);
        format!(
            "%{a}: u32<1x{left}> = region %{x}[{distance}| {left}, {left}, 1]; %{b}: u32<1x{left}> = region %{x}[0| {left}, {left}, 1];
             %{c}: u32<1x{left}> = add.u32 %{a}, %{b}; %{n}: u32<1x60> = insert %{x}[{distance}| {left}, {left}, 1], %{c};",
            a = n - 3,
            b = n - 2,
            c = n - 1
        )
    };
    let steps = format!("{} {}", step(2, 1, 6), step(6, 2, 19));
    assert_eq!(lengths(&steps, Target::Gen9), Some(vec![1, 2, 4, 32, 16, 4, 2, 4, 32, 16, 4]));
}

#[test]
fn trees_of_operations() {
    let lines = |last: &str| {
        format!(
            "%3: u32<1x57> = region %2[3| 57, 57, 1]; %4: u32<1x57> = region %2[1| 57, 57, 1]; %5: u32<1x57> = mul.u32 %3, %3;
             %6: u32 = region %2[7| 1, 1, 1]; %7: u32<1x57> = splat %6; %8: u32<1x57> = constant 9; %9: u32<1x57> = xor.u32 %5, %7;
             %10: u32<1x57> = sub.u32 %8, %4; %11: u32<1x57> = max.u32 %9, %10; %12: u32<1x60> = constant 5; {last}"
        )
    };
    let insert = "%19: u32<1x60> = insert %12[2| 57, 57, 1], %11;";
    let parts = [2, 4, 32, 16, 2, 1].into_iter().flat_map(|length| [length; 4]).collect();
    assert_eq!(lengths(&lines(insert), Target::Gen9), Some(parts));
    let dynamic = "%19: u32<1x60> = insert %12[0 + %6| 57, 57, 1], %11;";
    assert_eq!(lengths(&lines(dynamic), Target::Gen9), None);
    let again =
        "%13: u32<1x60> = insert %12[2| 57, 57, 1], %11; %19: u32<1x60> = insert %13[0| 57, 57, 1], %9;";
    assert_eq!(lengths(&lines(again), Target::Gen9), None, "%9 has another use");
}

#[test]
fn constant_masks_of_neighbours() {
    let mask = |set: std::ops::Range<usize>| {
        let each: Vec<&str> = (0..60).map(|n| if set.contains(&n) { "3" } else { "2" }).collect();
        format!("%3: u16<1x60> = constant [{}];", each.join(", "))
    };
    let twice = "%4: u32<2x60> = constant 0; %5: u32<2x60> = insert %4[0| 60, 60, 1], %2; %6: u32<2x60> = insert %5[60| 60, 60, 1], %2;
        %7: u32<1x60> = region %6[58| 60, 60, 1]; %8: u32<1x60> = add.u32 %7, %2; %19: u32<1x60> = merge %3, %8, %2;";
    assert_eq!(lengths(&format!("{} {twice}", mask(2..60)), Target::Gen9), Some(vec![2, 4, 32, 16, 4]));
    assert_eq!(lengths(&format!("{} {twice}", mask(0..9)), Target::Gen9), Some(vec![8, 1]));
    assert_eq!(lengths(&format!("{} {twice}", mask(0..60)), Target::Gen9), None, "a splat");
    assert_eq!(lengths(&format!("{} {twice}", mask(7..7)), Target::Gen9), None);
    let long =
        "%4: u32<1x60> = mul.u32 %2, %2; %5: u32<1x60> = mul.u32 %4, %4; %6: u32<1x60> = mul.u32 %5, %5;
        %19: u32<1x60> = merge %3, %6, %2;";
    assert_eq!(
        lengths(&format!("{} {long}", mask(16..24)), Target::Gen9),
        Some(vec![60; 3]),
        "computed once"
    );
}

#[test]
fn other_rows_of_odd_lengths_would_be_left() {
    let other =
        "%15: u32<1x7> = region %2[9| 7, 7, 1]; %16: u32<4x15> = format %2; write #1 %0, %0, %15: u32<1x7>;";
    assert_eq!(lengths(&format!("{other} {}", step(1, "add")), Target::Gen9), None);
    let function = kernel(&format!(
        "%0: i32 = constant 3; %1: u32<4x15> = read #0 %0, %0; %2: u32<1x60> = format %1; {}
         %20: u32<4x15> = format %19; write #1 %0, %0, %20: u32<4x15>;\n",
        step(1, "add")
    ));
    assert!(divided(&function, Target::Gen9, 256).is_none(), "no room");
}

#[test]
fn operations_of_other_sizes_are_not_divided() {
    let lines = |made: &str| {
        format!(
            "%3: u32<1x57> = region %2[3| 57, 57, 1]; %4: u32<1x57> = region %2[1| 57, 57, 1]; {made}
             %19: u32<1x60> = insert %2[2| 57, 57, 1], %9;"
        )
    };
    assert!(
        lengths(&lines("%5: u32<1x57> = xor.u32 %3, %4; %9: u32<1x57> = max.u32 %5, %4;"), Target::XeHpc)
            .is_some()
    );
    for made in [
        "%5: f16<1x57> = convert %3; %6: f16<1x57> = convert %4; %7: f16<1x57> = min.f16 %5, %6; %9: u32<1x57> = convert %7;",
        "%5: i64<1x57> = convert %3; %6: i64<1x57> = mul.i64 %5, %5; %9: u32<1x57> = convert %6;",
        "%5: u16<1x57> = lt.u32 %3, %4; %9: u32<1x57> = merge %5, %3, %4;",
    ] {
        assert_eq!(lengths(&lines(made), Target::XeHpc), None, "{made}");
    }
}

/// Asserts that a kernel that replaces elements of `%2` by what these lines compute as `%9` is divided. The work would not end if it
/// grew with the number of paths to a value.
fn assert_divided(lines: &str) {
    let function = kernel(&format!(
        "%0: i32 = constant 3; %1: u32<4x15> = read #0 %0, %0; %2: u32<1x60> = format %1; {lines}
         %7: u32<1x60> = constant 5; %8: u32<1x60> = insert %7[1| 57, 57, 1], %9; %10: u32<4x15> = format %8;
         write #1 %0, %0, %10: u32<4x15>;\n"
    ));
    let divided = divided(&function, Target::Gen9, BUDGET).unwrap();
    assert_alike(&function, &divided);
}

#[test]
fn values_with_several_uses_are_followed_once() {
    let mut lines = String::new();
    for n in (20..140).step_by(2) {
        let before = if n == 20 { 2 } else { n - 1 };
        let (part, next) = (n, n + 1);
        lines += &format!("%{part}: u32<1x16> = region %{before}[3| 16, 16, 1]; ");
        lines += &format!("%{next}: u32<1x60> = insert %{before}[{}| 16, 16, 1], %{part}; ", n % 44);
    }
    assert_divided(&format!(
        "{lines} %3: u32<1x57> = region %139[2| 57, 57, 1]; %9: u32<1x57> = add.u32 %3, %3;"
    ));
}

#[test]
fn long_chains_of_operations() {
    let mut lines = String::from("%19: u32<1x57> = region %2[2| 57, 57, 1]; ");
    let count = 20_000;
    for n in 20..count {
        lines += &format!("%{n}: u32<1x57> = add.u32 %{}, %19; ", n - 1);
    }
    assert_divided(&format!("{lines} %9: u32<1x57> = add.u32 %{}, %19;", count - 1));
}
