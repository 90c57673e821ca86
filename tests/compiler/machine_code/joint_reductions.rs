//! Several reductions that are computed at once, and what is done with their numbers.

use std::fmt::Write;

use super::compared::{SURFACES, assert_same, kernel_of};

/// A kernel that reduces `count` rows of `width` elements, which are `step` elements apart, and writes what `of` makes of
/// each number.
fn kernel(elem: &str, reduce: &str, [width, step, count]: [usize; 3], of: &str) -> cm::ir::Function {
    let numbers = format!("%2: {elem}<8x32> = convert %1;");
    rows((elem, &numbers), reduce, [width, step, count], (of, "convert"))
}

/// Such a kernel of the numbers that are made of the bytes `%1`, whose results `written` makes dwords.
fn rows(
    (elem, numbers): (&str, &str),
    reduce: &str,
    [width, step, count]: [usize; 3],
    (of, written): (&str, &str),
) -> cm::ir::Function {
    let common = reduce.split('.').next_back().unwrap();
    let mut lines = format!(
        "%0: i32 = constant 0; %1: u8<8x32> = read #0 %0, %0; {numbers} %3: i32<1x16> = constant 7;
         %4: {common} = convert %0;"
    );
    let mut whole = 3;
    for row in 0..count {
        let first = 10 * (row + 1);
        let of = of.replace("%r", &format!("%{}", first + 1)).replace("%o", &format!("%{}", first + 5));
        let of = of.replace("%n", &format!("%{}", first + 2)).replace("COMMON", common);
        let part = format!("%{first}: {elem}<1x{width}> = region %2[{}| {width}, {width}, 1];", row * step);
        let sum = format!("%{}: {common} = reduce {reduce} %{first}; {of}", first + 1);
        let bits = if common == "f16" { "u16" } else { "i32" };
        let number = match written {
            "bits" => format!(
                "%{}: {bits} = format %{}; %{}: i32 = convert %{};",
                first + 7,
                first + 5,
                first + 8,
                first + 7
            ),
            _ => format!("%{}: i32 = convert %{};", first + 8, first + 5),
        };
        let insert = format!("%{}: i32<1x16> = insert %{whole}[{row}| 1, 1, 1], %{};", first + 9, first + 8);
        write!(lines, "{part} {sum} {number} {insert}").unwrap();
        whole = first + 9;
    }
    write!(lines, "write #1 %0, %0, %{whole}: i32<1x16>;").unwrap();
    kernel_of(SURFACES, &lines)
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
    // Fractions, zeros of both signs, and infinities, of which sums are NaN, whose bits are undefined.
    let signed =
        "%200: i8<8x32> = format %1; %201: ELEM<8x32> = convert %200; %202: ELEM<8x32> = constant SCALE;
        %2: ELEM<8x32> = mul.ELEM %201, %202;";
    let same = "%o: COMMON = convert %r;";
    for elem in ["f32", "f16"] {
        for (scale, kind, written) in [
            ("0.1", "add", "bits"),
            ("0.1", "mul", "bits"),
            ("0.0", "add", "bits"),
            ("0.0", "min", "bits"),
            ("-0.0", "max", "bits"),
            ("-0.0", "add", "bits"),
            ("1e37", "add", "convert"),
            ("1e37", "max", "bits"),
        ] {
            let numbers = signed.replace("ELEM", elem).replace("SCALE", scale);
            let of = if kind == "add" { half } else { same };
            for shape in [[32, 32, 8], [8, 8, 4]] {
                kernels.push(rows((elem, &numbers), &format!("{kind}.{elem}"), shape, (of, written)));
            }
        }
    }
    assert_same(&kernels);
}
