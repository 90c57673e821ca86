use super::*;
use crate::elem::ElemType;
use crate::spirv::RegisterFile;
use crate::spirv::alike::{assert_alike, kernel};

/// A kernel of these lines. `%1` has bytes, `%2` words, and `%3` floats, of eight rows of 32.
fn whole_kernel(lines: &str) -> Function {
    kernel(&format!(
        "%0: i32 = constant 2; %1: u8<8x32> = read #0 %0, %0; %2: i16<8x32> = convert %1; %3: f32<8x32> = convert %1;
         %4: f32<1x8> = constant 3; %5: i32<1x8> = constant 5; %7: f16<1x8> = constant 3; {lines}\n"
    ))
}

/// The kernel of these lines with joint reductions; `None` if it does not change.
fn lines(lines: &str) -> Option<Function> {
    let function = whole_kernel(lines);
    let budget = RegisterFile::Standard.registers() * Target::Gen9.register_bytes();
    let joined = joined(&function, Target::Gen9, budget)?;
    assert_alike(&function, &joined);
    Some(joined)
}

fn reductions(function: &Function) -> usize {
    function.body.instructions().filter(|inst| matches!(inst.op, Op::Reduce { .. })).count()
}

/// Reduces the first `count` of eight rows of `width` elements of `x`, applies `of` to each number `%r`, which gives `%o`,
/// and inserts it into `whole` at `place`.
fn rows(
    (x, elem, width): (&str, &str, usize),
    reduce: &str,
    of: &str,
    place: [usize; 2],
    count: usize,
) -> String {
    let common = reduce.split('.').next_back().unwrap();
    let mut whole = match common {
        "f32" => 4,
        "f16" => 7,
        _ => 5,
    };
    let mut text = String::new();
    for row in 0..count {
        let first = 10 * (row + 1);
        let of = of.replace("%r", &format!("%{}", first + 1)).replace("%o", &format!("%{}", first + 5));
        let of = (2..5).fold(of, |of, n| of.replace(&format!("%n{n}"), &format!("%{}", first + n)));
        let at = row * 32;
        text += &format!(
            "%{first}: {elem}<1x{width}> = region {x}[{at}| {width}, {width}, 1];
             %{}: {common} = reduce {reduce} %{first}; {of}
             %{}: {common}<1x8> = insert %{whole}[{}| 1, 1, 1], %{}; ",
            first + 1,
            first + 9,
            place[0] + row * place[1],
            first + 5,
        );
        whole = first + 9;
    }
    text + &format!("write #1 %0, %0, %{whole}: {common}<1x8>;")
}

const FLOATS: (&str, &str, usize) = ("%3", "f32", 32);

#[test]
fn rows_are_reduced_at_once() {
    let of = "%n2: f32 = constant 0.5; %o: f32 = mul.f32 %r, %n2;";
    let joined = lines(&rows(FLOATS, "add.f32", of, [0, 1], 8)).unwrap();
    assert_eq!(reductions(&joined), 0, "{joined}");
    let scalars = joined.body.instructions().filter(|inst| inst.ty == Type::scalar(ElemType::F32));
    assert!(scalars.count() <= 1 + 8, "what is done alike is done at once: {joined}");
    let whole = |inst: &&Inst| matches!(inst.op, Op::Insert(x, ..) if x == Value(4));
    assert_eq!(joined.body.instructions().filter(whole).count(), 1, "{joined}");
}

#[test]
fn all_operations_and_lengths_give_the_same_numbers() {
    let of = "%o: COMMON = add.COMMON %r, %r;";
    for (x, reduce) in [
        (FLOATS, "max.f32"),
        (FLOATS, "mul.f32"),
        (("%3", "f32", 8), "add.f32"),
        (("%3", "f32", 16), "min.f32"),
        (("%2", "i16", 32), "add.i32"),
        (("%2", "i16", 8), "min.i32"),
        (("%1", "u8", 32), "add.i32"),
        (("%1", "u8", 16), "max.i32"),
    ] {
        let of = of.replace("COMMON", reduce.split('.').next_back().unwrap());
        for (place, count) in [([0, 1], 8), ([1, 2], 3), ([7, 0], 4), ([0, 1], 6)] {
            let joined = lines(&rows(x, reduce, &of, place, count));
            assert!(joined.is_some_and(|joined| reductions(&joined) < count), "{reduce} of {x:?}");
        }
    }
}

#[test]
fn numbers_that_are_used_before_the_next_reduction_is_possible_stay() {
    let of = "%o: f32 = add.f32 %r, %r;";
    let chained = rows(FLOATS, "add.f32", of, [0, 1], 2).replace("region %3[32| 32, 32, 1]", "splat %15");
    assert_eq!(lines(&chained), None);
    let written = rows(FLOATS, "add.f32", &format!("{of} write #1 %0, %0, %o: f32;"), [0, 1], 2);
    assert_eq!(lines(&written), None);
    assert_eq!(lines(&rows(FLOATS, "add.f32", of, [0, 1], 1)), None);
}

#[test]
fn numbers_that_are_used_in_different_ways_are_taken_apart() {
    let of = "%n2: f32 = constant 0.5; %o: f32 = mul.f32 %r, %n2;";
    let all = rows(FLOATS, "add.f32", of, [0, 1], 4);
    let other = all.replacen("mul.f32", "add.f32", 1);
    assert_eq!(reductions(&lines(&other).unwrap()), 0);
    let twice = all.replace("write #1", "%99: f32 = add.f32 %11, %21; write #1 %0, %5, %99: f32; write #1");
    let twice = twice.replace("%0, %5, %99", "%0, %0, %99");
    assert_eq!(reductions(&lines(&twice).unwrap()), 0);
}

#[test]
fn numbers_that_are_combined_with_each_other_are_taken_apart() {
    let both = "%16: f32<1x32> = region %3[0| 32, 32, 1]; %17: f32 = reduce add.f32 %16; %8: f32<1x32> = region %3[64| 32, 32, 1];
        %9: f32 = reduce add.f32 %8; %10: f32 = add.f32 %17, %9; write #1 %0, %0, %10: f32;";
    assert_eq!(reductions(&lines(both).unwrap()), 0);
}

#[test]
fn absolute_values_are_operand_modifiers_of_reductions() {
    let both =
        "%6: i16<1x32> = region %2[0| 32, 32, 1]; %17: u16<1x32> = OP.i16 %6; %8: i32 = reduce add.i32 %17;
        %9: i16<1x32> = region %2[64| 32, 32, 1]; %10: u16<1x32> = OP.i16 %9; %11: i32 = reduce add.i32 %10;
        %12: i32 = add.i32 %8, %11; write #1 %0, %0, %12: i32;";
    assert_eq!(lines(&both.replace("OP", "abs")), None);
    assert!(lines(&both.replace("OP.i16", "convert")).is_some());
}

#[test]
fn one_sum_of_short_elements_extends_them_in_its_first_step() {
    let joined = lines(
        "%6: i16<1x256> = format %2; %17: i32 = reduce add.i32 %6; %8: i32<1x8> = splat %17; write #1 %0, %0, %8: i32<1x8>;",
    );
    let joined = joined.unwrap();
    assert!(joined.to_string().contains("i32<1x128> = add.i32"), "{joined}");
    let float = "%6: f32<1x256> = format %3; %17: f32 = reduce add.f32 %6; write #1 %0, %0, %17: f32;";
    assert_eq!(lines(float), None);
}

/// Floats whose sums are rounded, zeros of both signs, and numbers among which are NaN and infinities.
#[test]
fn the_order_of_elements_stays() {
    let signed = "%91: i8<8x32> = format %1; %92: ELEM<8x32> = convert %91; %93: ELEM<8x32> = constant SCALE;
        %94: ELEM<8x32> = mul.ELEM %92, %93;";
    let divided = "%95: ELEM<8x32> = div.ELEM %94, %92;";
    let of = "%o: ELEM = add.ELEM %r, %r;";
    for elem in ["f32", "f16"] {
        for (scale, x) in
            [("0.1", "%94"), ("0.0", "%94"), ("-0.0", "%94"), ("60000.0", "%94"), ("0.3", "%95")]
        {
            for kind in ["add", "min", "max", "mul"] {
                for (width, count) in [(32, 8), (16, 6), (8, 4)] {
                    let rows = rows((x, elem, width), &format!("{kind}.{elem}"), of, [0, 1], count);
                    let all =
                        format!("{signed} {divided} {rows}").replace("ELEM", elem).replace("SCALE", scale);
                    let joined = lines(&all).unwrap();
                    assert!(
                        reductions(&joined) < count,
                        "{kind} of {count} rows of {width} {elem} times {scale}"
                    );
                }
            }
        }
    }
}

#[test]
fn groups_become_smaller_where_registers_are_scarce() {
    let of = "%o: f32 = add.f32 %r, %r;";
    let function = whole_kernel(&rows(FLOATS, "add.f32", of, [0, 1], 8));
    let with = |most: usize| {
        let mut pass = Pass::new(&function, Target::Gen9, most).unwrap();
        let joined = Function { body: pass.block(&function.body), ..function.clone() };
        assert_alike(&function, &joined);
        (pass.changed, pass.largest, reductions(&joined))
    };
    // Eight rows of eight floats.
    assert_eq!(with(usize::MAX), (true, 256, 0));
    assert_eq!(with(255), (true, 128, 0));
    assert_eq!(with(127), (true, 64, 0));
    assert_eq!(with(63), (false, 0, 8));
    let budgets = [1 << 10, 1 << 11, 1 << 12].map(|budget| joined(&function, Target::Gen9, budget).is_some());
    assert_eq!(budgets, [false, true, true]);
}
