use super::*;
use crate::spirv::alike::{assert_alike, kernel};
use crate::spirv::register_file::RegisterFile;

/// The kernel of these lines, which write `%99` from the matrix `%1`, with all blocks at once.
fn lines(columns: usize, lines: &str) -> Option<Function> {
    let function = kernel(&format!(
        "%0: i32 = constant 3; %4: u8<8x{columns}> = read #0 %0, %0; %1: i16<8x{columns}> = convert %4; %2: i16<8x{columns}> = constant 7; {lines}
         %3: i16<8x16> = region %99[0| {columns}, 16, 1]; write #1 %0, %0, %3: i16<8x16>;\n"
    ));
    let budget = RegisterFile::Standard.registers() * Target::Gen9.register_bytes();
    let joined = beside(&function, Target::Gen9, budget)?;
    assert_alike(&function, &joined);
    Some(joined)
}

/// The rows, columns, and number of the operations of a kernel.
fn operations(function: &Function) -> Vec<(usize, usize)> {
    let maps = function.body.instructions().filter(|inst| matches!(inst.op, Op::Map { .. }));
    maps.map(|inst| (inst.ty.rows, inst.ty.columns)).collect()
}

/// What `one` writes for the number of each part, with results from 100, 110, .. on: the part `%a`, `%b`, .., inserted in this
/// region of the matrix.
fn parts(columns: usize, all: &[(usize, &str)], one: impl Fn(usize) -> (String, String)) -> String {
    let mut whole = 2;
    let each = all.iter().enumerate().map(|(n, (at, shape))| {
        let (own, part) = one(*at);
        let result = if n + 1 == all.len() { 99 } else { 1000 + n };
        let text = format!("{own} %{result}: i16<8x{columns}> = insert %{whole}[{at}| {shape}], {part}; ");
        whole = result;
        text
    });
    each.collect()
}

/// Columns of blocks of 8: the sum of two columns is multiplied by a number.
fn columns(all: usize, factor: impl Fn(usize) -> usize) -> String {
    let shape = format!("{all}, 1, 1");
    let places: Vec<(usize, &str)> = (0..all).map(|at| (at, &*shape)).collect();
    parts(all, &places, |at| {
        let first = 100 + 10 * at;
        let n: Vec<String> = (0..6).map(|n| format!("%{}", first + n)).collect();
        let [a, b, c, d, e, f] = &n[..] else { unreachable!("six names") };
        let other = at / 8 * 8 + 7 - at % 8;
        let text = format!(
            "{a}: i16<8x1> = region %1[{at}| {all}, 1, 1]; {b}: i16<8x1> = region %1[{other}| {all}, 1, 1]; {c}: i32<8x1> = add.i32 {a}, {b};
             {d}: i32<8x1> = constant {}; {e}: i32<8x1> = mul.i32 {c}, {d}; {f}: i16<8x1> = convert {e};",
            factor(at)
        );
        (text, f.clone())
    })
}

#[test]
fn columns_of_all_blocks_are_columns() {
    let joined = lines(16, &columns(16, |at| at % 8 + 3)).unwrap();
    assert_eq!(operations(&joined), [&[(8, 16)], [(16, 1); 3 * 8].as_slice()].concat());
    let three = lines(24, &columns(24, |at| at % 8 + 3)).unwrap();
    assert_eq!(operations(&three), [&[(8, 24)], [(24, 1); 3 * 8].as_slice()].concat());
}

#[test]
fn blocks_that_differ_stay() {
    assert!(lines(16, &columns(16, |at| at)).is_none(), "another factor");
    assert!(lines(16, &columns(16, |_| 3).replace("%1[15|", "%1[3|")).is_none(), "another column");
}

#[test]
fn blocks_that_are_taken_and_put_back_as_a_whole() {
    let block = |at: usize| {
        let first = 100 + 100 * at;
        let names: Vec<String> = (0..3).map(|n| format!("%{}", first + n)).collect();
        let [a, b, c] = &names[..] else { unreachable!("three names") };
        let mut text = format!(
            "{a}: i16<8x8> = region %1[{at}| 16, 8, 1]; {b}: i32<8x8> = convert {a}; {c}: i32<8x8> = constant 0; "
        );
        let mut whole = first + 2;
        for n in 0..8 {
            let own = first + 10 + 5 * n;
            text += &format!(
                "%{own}: i32<8x1> = region {b}[{n}| 8, 1, 1]; %{}: i32<8x1> = region {b}[{}| 8, 1, 1]; %{}: i32<8x1> = mul.i32 %{own}, %{};
                 %{}: i32<8x8> = insert %{whole}[{n}| 8, 1, 1], %{}; ",
                own + 1, 7 - n, own + 2, own + 1, own + 3, own + 2
            );
            whole = own + 3;
        }
        (format!("{text} %{}: i16<8x8> = convert %{whole};", first + 99), format!("%{}", first + 99))
    };
    let joined = lines(16, &parts(16, &[(0, "16, 8, 1"), (8, "16, 8, 1")], block)).unwrap();
    let found = operations(&joined);
    assert_eq!(found.iter().filter(|shape| **shape == (16, 1)).count(), 8, "{joined}");
    assert_eq!(found.iter().filter(|shape| **shape == (16, 8)).count(), 2, "{joined}");
}

#[test]
fn sums_in_place_are_sums_of_all_blocks() {
    let mut whole = 1;
    let mut text = String::new();
    for at in [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15] {
        let own = 100 + 5 * at;
        let result = if at == 15 { 99 } else { own + 4 };
        text += &format!(
            "%{own}: i16<8x1> = region %{whole}[{}| 16, 1, 1]; %{}: i16<8x1> = region %{whole}[{at}| 16, 1, 1];
             %{}: i32<8x1> = add.i32 %{own}, %{}; %{}: i16<8x1> = convert %{}; %{result}: i16<8x16> = insert %{whole}[{at}| 16, 1, 1], %{}; ",
            at - 1, own + 1, own + 2, own + 1, own + 3, own + 2, own + 3
        );
        whole = result;
    }
    assert_eq!(operations(&lines(16, &text).unwrap()), [&[(8, 16)], [(32, 1); 2 * 3].as_slice()].concat());
}

#[test]
fn blocks_of_rows_that_fill_the_lanes_stay() {
    let one = |at: usize| {
        let [a, b, c] = [0, 1, 2].map(|n| 100 + 10 * at + n);
        let text = format!(
            "%{a}: i16<8x16> = region %1[{at}| 32, 16, 1]; %{b}: i32<8x16> = mul.i32 %{a}, %{a}; %{c}: i16<8x16> = convert %{b};"
        );
        (text, format!("%{c}"))
    };
    assert!(lines(32, &parts(32, &[(0, "32, 16, 1"), (16, "32, 16, 1")], one)).is_none());
}

/// The kernel of these lines, which write `%99` from the matrix `%1`, with neighbours at once, for registers of 64 bytes.
fn rows(lines: &str) -> Option<Function> {
    let function = kernel(&format!(
        "%0: i32 = constant 3; %1: f32<8x8> = read #0 %0, %0; {lines} write #1 %0, %0, %99: f32<8x8>;\n"
    ));
    let budget = RegisterFile::Standard.registers() * Target::XeHpc.register_bytes();
    let joined = below(&function, Target::XeHpc, budget)?;
    assert_alike(&function, &joined);
    Some(joined)
}

/// Adds and subtracts rows of a matrix at these distances.
fn butterflies(distances: &[usize]) -> String {
    let (mut whole, mut text, mut next) = (1, String::new(), 100);
    for (step, distance) in distances.iter().enumerate() {
        let first: Vec<usize> = (0..8).filter(|row| row & distance == 0).collect();
        for row in &first {
            let (a, b) = (8 * row, 8 * (row + distance));
            let last = step + 1 == distances.len() && Some(row) == first.last();
            let (n, result) = (next, if last { 99 } else { next + 5 });
            text += &format!(
                "%{n}: f32<1x8> = region %{whole}[{a}| 64, 8, 1]; %{}: f32<1x8> = region %{whole}[{b}| 64, 8, 1];
                 %{}: f32<1x8> = add.f32 %{n}, %{}; %{}: f32<8x8> = insert %{whole}[{a}| 64, 8, 1], %{};
                 %{}: f32<1x8> = sub.f32 %{n}, %{}; %{result}: f32<8x8> = insert %{}[{b}| 64, 8, 1], %{}; ",
                n + 1, n + 2, n + 1, n + 3, n + 2, n + 4, n + 1, n + 3, n + 4
            );
            (whole, next) = (result, next + 10);
        }
    }
    text
}

#[test]
fn neighbours_are_computed_at_once() {
    assert_eq!(operations(&rows(&butterflies(&[4])).unwrap()), [(4, 8); 2]);
    let both = operations(&rows(&butterflies(&[2, 4])).unwrap());
    assert_eq!(both, [[(2, 8); 4].as_slice(), &[(4, 8); 2]].concat());
}

#[test]
fn rows_that_are_apart_are_computed_one_by_one() {
    assert!(rows(&butterflies(&[1])).is_none());
}

#[test]
fn rows_of_a_matrix_that_stays_are_not_moved() {
    let lines = butterflies(&[4]);
    let first = lines.rsplit_once("insert").unwrap().0.rsplit_once(';').unwrap().0.to_owned() + ";";
    assert!(rows(&first.replacen("%133: f32<8x8>", "%99: f32<8x8>", 1).replace("%133", "%99")).is_none());
}

#[test]
fn parts_that_only_a_later_block_has_are_not_lost() {
    let joined = lines(
        16,
        "%10: i16<8x1> = region %1[0| 16, 1, 1]; %11: i16<8x1> = add.i16 %10, %10; %12: i16<8x16> = insert %1[0| 16, 1, 1], %11;
         %20: i16<8x1> = region %1[8| 16, 1, 1]; %21: i16<8x1> = add.i16 %20, %20; %22: i16<8x16> = insert %12[8| 16, 1, 1], %21;
         %31: i16<8x1> = constant 5; %32: i16<8x16> = insert %22[9| 16, 1, 1], %31; %99: i16<8x16> = insert %32[10| 16, 1, 1], %31;",
    );
    assert!(joined.is_none());
}
