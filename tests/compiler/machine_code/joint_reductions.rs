//! Several reductions that are computed at once, and what is done with their numbers.

use std::fmt::Write;

use cm::text::parse;
use cm_random_kernels::difference::{Forms, Machine, Outcome};

/// A kernel that reduces `count` rows of `width` elements, which are `step` elements apart, and writes what `of` makes of
/// each number.
fn kernel(elem: &str, reduce: &str, [width, step, count]: [usize; 3], of: &str) -> cm::ir::Function {
    let common = reduce.split('.').next_back().unwrap();
    let mut lines = format!(
        "%0: i32 = constant 0; %1: u8<8x32> = read #0 %0, %0; %2: {elem}<8x32> = convert %1; %3: i32<1x16> = constant 7;
         %4: {common} = convert %0;"
    );
    let mut whole = 3;
    for row in 0..count {
        let first = 10 * (row + 1);
        let of = of.replace("%r", &format!("%{}", first + 1)).replace("%o", &format!("%{}", first + 5));
        let of = of.replace("%n", &format!("%{}", first + 2)).replace("COMMON", common);
        let part = format!("%{first}: {elem}<1x{width}> = region %2[{}| {width}, {width}, 1];", row * step);
        let sum = format!("%{}: {common} = reduce {reduce} %{first}; {of}", first + 1);
        let number = format!("%{}: i32 = convert %{};", first + 8, first + 5);
        let insert = format!("%{}: i32<1x16> = insert %{whole}[{row}| 1, 1, 1], %{};", first + 9, first + 8);
        write!(lines, "{part} {sum} {number} {insert}").unwrap();
        whole = first + 9;
    }
    write!(lines, "write #1 %0, %0, %{whole}: i32<1x16>;").unwrap();
    let lines = lines.replace(';', " @0:1:1\n").replace('|', ";");
    let text = format!("file 0 \"k.rs\" kernel k(input: read surface, output: write surface) {{ {lines} }}");
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn joint_reductions_are_the_same_on_all_devices() {
    let half = "%n: COMMON = constant 3; %o: COMMON = sub.COMMON %r, %n;";
    let outer = "%o: COMMON = max.COMMON %4, %r;";
    let mut kernels = vec![];
    for (elem, reduce) in [
        ("f32", "add.f32"),
        ("f32", "max.f32"),
        ("f16", "min.f16"),
        ("i16", "add.i32"),
        ("i16", "max.i16"),
        ("u16", "add.u16"),
        ("u16", "min.u32"),
        ("u8", "add.u32"),
        ("i8", "add.i32"),
        ("i8", "min.i32"),
        ("i32", "mul.i32"),
    ] {
        for (n, shape) in
            [[32, 32, 8], [16, 16, 16], [16, 19, 6], [8, 8, 4], [64, 64, 3], [4, 8, 16], [2, 2, 8]]
                .into_iter()
                .enumerate()
        {
            kernels.push(kernel(elem, reduce, shape, [half, outer][n % 2]));
        }
    }
    let Some(machine) = Machine::find() else { return };
    for (kernel, outcome) in kernels.iter().zip(machine.compare(&kernels, Forms::All)) {
        assert!(matches!(outcome, Outcome::Same), "{outcome:?}\n{kernel}");
    }
}
