//! Every rule: a function that breaks it, and the error.

mod breaks;

use super::verify;
use crate::text::parse;

/// A function with these lines in its body, each at its line and column 1.
fn function(lines: &str) -> crate::ir::Function {
    let mut text = String::from(
        "file 0 \"k.rs\" kernel k(src: read surface, dst: write surface, gain: f32, m: i16<2x3>) {\n",
    );
    for (n, line) in (1..).zip(lines.lines()) {
        let line = line.trim();
        let (inst, brace) = match line.strip_suffix('{') {
            Some(inst) => (inst, "{"),
            None => (line, ""),
        };
        let at = if line.starts_with('}') || line.is_empty() { String::new() } else { format!(" @0:{n}:1") };
        text.push_str(&format!("{inst}{at}{brace}\n"));
    }
    text.push('}');
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[track_caller]
fn accepted(lines: &str) {
    verify(&function(lines)).unwrap();
}

/// The last line is refused with this message.
#[track_caller]
fn refused(lines: &str, message: &str) {
    let last = lines.trim_end().lines().count();
    refused_at(last, lines, message);
}

#[track_caller]
fn refused_at(line: usize, lines: &str, message: &str) {
    let error = verify(&function(lines)).unwrap_err();
    assert_eq!(error.to_string(), format!("kernel `k`, k.rs:{line}:1: {message}"));
}

/// Some registers for the tests of operations.
const SOME: &str = "%0: u8<2x8> = constant 1
%1: f32<2x8> = constant 0.5
%2: u32 = thread x
%3: i32 = constant -1
%4: condition = known true
%5: u32<1x4> = constant [0, 1, 2, 3]
%6: i16<1x16> = constant 7
";

#[track_caller]
fn refused_op(line: &str, message: &str) {
    refused(&format!("{SOME}{line}"), message);
}

#[track_caller]
fn accepted_op(line: &str) {
    accepted(&format!("{SOME}{line}"));
}

#[test]
fn values_are_defined_once() {
    refused("%0: u8 = constant 1\n%0: u8 = constant 1", "`%0` is defined twice");
    refused_at(
        5,
        "%0: condition = known true
        if %0 {
        %1: u8 = constant 1
        } else {
        %1: u8 = constant 1
        }",
        "`%1` is defined twice",
    );
}

#[test]
fn numbers_are_limited() {
    accepted("%2147483647: u8 = constant 1\nvar $2147483647: u8 = %2147483647");
    refused(
        "%2147483648: u8 = constant 1",
        "the number of `%2147483648` is too large: numbers are below 2147483648",
    );
    refused(
        "%0: u8 = constant 1\nvar $4294967295: u8 = %0",
        "the number of `$4294967295` is too large: numbers are below 2147483648",
    );
}

#[test]
fn values_are_used_after_their_definition() {
    refused("%1: u8 = convert %1", "`%1` is used before it is defined");
    refused_at(1, "%1: u8 = convert %0\n%0: u8 = constant 1", "`%0` is used before it is defined");
}

#[test]
fn values_are_used_inside_their_block() {
    refused(
        "%0: condition = known true
        if %0 {
        %1: u8 = constant 1
        }
        %2: u8 = convert %1",
        "`%1` is used outside of the block that defines it",
    );
    refused_at(
        5,
        "%0: condition = known true
        if %0 {
        %1: u8 = constant 1
        } else {
        %2: u8 = convert %1
        }",
        "`%1` is used outside of the block that defines it",
    );
}

#[test]
fn values_of_a_loop_condition_live_in_its_body() {
    accepted(
        "%0: u8 = constant 1
        loop {
        %1: condition = any %0
        } while %1 {
        %2: condition = not %1
        %3: u8 = convert %0
        }",
    );
    refused(
        "loop {
        %1: condition = known false
        } while %1 {
        %2: u8 = constant 1
        }
        %3: condition = not %1",
        "`%1` is used outside of the block that defines it",
    );
}

#[test]
fn the_body_of_a_loop_does_not_reach_its_condition() {
    refused_at(
        1,
        "loop {
        } while %1 {
        %1: condition = known false
        }",
        "`%1` is used before it is defined",
    );
}

#[test]
fn variables_have_scopes() {
    refused("var $0: u8\nvar $0: u8", "`$0` is declared twice");
    refused("%0: u8 = load $0", "`$0` is used before it is declared");
    refused("%0: u8 = constant 1\nstore $0, %0: u8", "`$0` is used before it is declared");
    refused(
        "%0: condition = known true
        if %0 {
        var $0: u8
        }
        %1: u8 = load $0",
        "`$0` is used outside of the block that declares it",
    );
}

#[test]
fn variables_have_types() {
    accepted("%0: u8<1x2> = constant 1\nvar $0: u8<1x2> = %0\n%1: u8<1x2> = load $0\nstore $0, %1: u8<1x2>");
    accepted("%0: condition = known true\nvar $0: condition\nstore $0, %0: condition");
    refused("var $0: u8\n%0: i8 = load $0", "the type is `i8`, but `u8` is needed");
    refused("%0: u8 = constant 1\nvar $0: i8 = %0", "the operand `%0` is `u8`, but `i8` is needed");
    refused(
        "%0: u8 = constant 1\nvar $0: i8\nstore $0, %0: i8",
        "the operand `%0` is `u8`, but `i8` is needed",
    );
    refused("%0: u8 = constant 1\nvar $0: i8\nstore $0, %0: u8", "the type is `u8`, but `i8` is needed");
}

#[test]
fn results_stand_where_there_are_some() {
    refused("known true: condition", "`known` must have a result");
    refused("%0: u8 = var $0", "`var` has no result");
}

#[test]
fn objects_have_elements() {
    refused("%0: u8<0x4> = constant 1", "0 x 4 elements; an object has 1 to 4096");
    refused("%0: u8<1x4097> = constant 1", "1 x 4097 elements; an object has 1 to 4096");
    let huge = usize::MAX;
    refused(
        &format!("%0: u8<{huge}x{huge}> = constant 1"),
        &format!("{huge} x {huge} elements; an object has 1 to 4096"),
    );
    let parameter = verify(&parse("kernel k(a: u8<0x1>) {}").unwrap()).unwrap_err();
    assert_eq!(parameter.to_string(), "kernel `k`: 0 x 1 elements; an object has 1 to 4096");
    assert_eq!(parameter.location, None);
}

#[test]
fn objects_fit_the_register_file_of_the_kernel() {
    let in_file = |file: usize, lines: &str| {
        verify(&parse(&format!("file 0 \"k.rs\" kernel k() register_file {file} {{ {lines} }}")).unwrap())
            .map_err(|error| error.to_string())
    };
    for file in [4096, 8192, 16384] {
        let [fits, larger] = [file, file + 1].map(|count| format!("%0: u8<1x{count}> = constant 1 @0:1:1"));
        assert_eq!(in_file(file, &fits), Ok(()));
        let error = format!("kernel `k`, k.rs:1:1: 1 x {} elements; an object has 1 to {file}", file + 1);
        assert_eq!(in_file(file, &larger), Err(error));
    }
    assert_eq!(in_file(16384, "%0: f32<64x128> = constant 1 @0:1:1"), Ok(()));
    let error = in_file(16384, "%0: f32<65x128> = constant 1 @0:1:1").unwrap_err();
    assert!(error.contains("a value of 33280 bytes"), "{error}");
    let error = in_file(6000, "").unwrap_err();
    assert_eq!(
        error,
        "kernel `k`: a register file of 6000 bytes: those of GPUs have 4096, 8192 or 16384 bytes"
    );
}

#[test]
fn constants_have_all_their_elements() {
    refused("%0: u8<1x4> = constant [1, 2, 3]", "3 elements for a constant of 4");
    refused("%0: u8<1x2> = constant [1, 0x100]", "0x100 has more bits than `u8`");
    refused("%0: u8<1x2> = constant 0x100", "0x100 has more bits than `u8`");
    refused("%0: condition = constant 0x1", "the type is `condition`, but a register is needed");
}

#[test]
fn arguments_are_uniform_parameters() {
    accepted("%0: f32 = argument #2\n%1: i16<2x3> = argument #3");
    refused("%0: f32 = argument #4", "parameter 4 of 4");
    refused("%0: f32 = argument #0", "parameter 0 is not a uniform value");
    refused("%0: u32 = argument #2", "the type is `u32`, but `f32` is needed");
    refused("%0: i16<3x2> = argument #3", "the type is `i16<3x2>`, but `i16<2x3>` is needed");
}

#[test]
fn thread_coordinates_are_u32() {
    refused("%0: i32 = thread x", "the type is `i32`, but `u32` is needed");
}

#[test]
fn splats_take_scalars() {
    accepted_op("%10: u32<4x4> = splat %2");
    refused_op("%10: u8<4x4> = splat %0", "the operand `%0` is `u8<2x8>`, but `u8` is needed");
    refused_op("%10: u8<4x4> = splat %2", "the operand `%2` is `u32`, but `u8` is needed");
    refused_op("%10: condition = splat %4", "the type is `condition`, but a register is needed");
}

#[test]
fn unary_operators_keep_the_type() {
    accepted_op("%10: f32<2x8> = neg %1");
    refused_op("%10: f32<2x8> = complement %1", "`complement` is not defined for `f32` elements");
    refused_op("%10: i32<2x8> = neg %0", "the operand `%0` is `u8<2x8>`, but `i32<2x8>` is needed");
    refused_op("%10: condition = neg %4", "the type is `condition`, but a register is needed");
}

#[test]
fn binary_operators_combine_equal_shapes() {
    accepted_op("%10: f32<2x8> = add.f32 %0, %1");
    accepted_op("%10: i32<2x8> = rem.i32 %0, %0");
    refused_op(
        "%10: i32<2x8> = add.i32 %0, %0\n%11: i32<2x8> = add.i32 %10, %2",
        "the operand `%2` is `u32`, but a register of 2 x 8 elements is needed",
    );
    refused_op("%10: u8<2x8> = add.i32 %0, %0", "the type is `u8<2x8>`, but `i32<2x8>` is needed");
    refused_op("%10: u8 = add.u8 %2, %4", "the operand `%4` is `condition`, but a register is needed");
}

#[test]
fn integer_operators_take_integers() {
    for op in ["rem", "and", "or", "xor", "shl", "shr", "avg", "shl_sat"] {
        refused_op(
            &format!("%10: f32<2x8> = {op}.f32 %1, %1"),
            &format!("`{op}` is not defined for `f32` elements"),
        );
        refused_op(
            &format!("%10: i32<2x8> = {op}.i32 %0, %1"),
            &format!("`{op}` cannot take `f32` elements as `i32`"),
        );
    }
}

#[test]
fn reductions_give_one_number() {
    accepted_op("%10: f32 = reduce add.f32 %1");
    accepted_op("%10: u32 = reduce or.u32 %0");
    refused_op(
        "%10: f32 = reduce sub.f32 %1",
        "`sub` reduces no register; `add`, `mul`, `min`, `max`, `and`, `or` and `xor` do",
    );
    refused_op("%10: f32 = reduce and.f32 %1", "`and` is not defined for `f32` elements");
    refused_op("%10: i32 = reduce add.i32 %1", "`add` cannot take `f32` elements as `i32`");
    refused_op("%10: f32<2x8> = reduce add.f32 %1", "the type is `f32<2x8>`, but `f32` is needed");
    refused_op("%10: f32 = reduce add.f32 %4", "the operand `%4` is `condition`, but a register is needed");
}

#[test]
fn masks_are_packed_into_a_number() {
    accepted_op("%10: u32 = pack_mask %0");
    refused_op("%10: u32 = pack_mask %1", "`pack_mask` is not defined for `f32` elements");
    refused_op("%10: u16 = pack_mask %0", "the type is `u16`, but `u32` is needed");
}

#[test]
fn groups_are_whole() {
    for kind in crate::ops::GroupKind::ALL {
        let (name, width) = (kind.name(), kind.width());
        accepted_op(&format!("%10: i32<2x8> = {name}.i32 %0, %0"));
        accepted_op(&format!("%10: i8<1x{width}> = constant 1\n%11: u8<1x{width}> = {name}.u8 %10, %10"));
        refused_op(
            &format!("%10: u8<1x{0}> = constant 1\n%11: u8<1x{0}> = {name}.u8 %10, %10", width + 1),
            &format!(
                "groups of {width} elements in an object of {}: the number of elements must be a multiple of \
                 {width}",
                width + 1
            ),
        );
        refused_op(
            &format!("%10: i32<1x16> = {name}.i32 %0, %6"),
            "the operand `%0` is `u8<2x8>`, but a register of 1 x 16 elements is needed",
        );
        refused_op(
            &format!("%10: u8<2x8> = {name}.i32 %0, %0"),
            "the type is `u8<2x8>`, but `i32<2x8>` is needed",
        );
        refused_op(
            &format!("%10: i32<2x8> = {name}.i32 %0, %1"),
            &format!("`{name}` cannot take `f32` elements as `i32`"),
        );
        refused_op(
            &format!("%10: condition = {name}.u8 %4, %4"),
            "the type is `condition`, but a register is needed",
        );
    }
    accepted_op("%10: f32<2x8> = dp4.f32 %0, %1");
    refused_op("%10: f32<2x8> = sad2.f32 %1, %1", "`sad2` is not defined for `f32` elements");
}

#[test]
fn comparisons_give_masks() {
    accepted_op("%10: u16<2x8> = lt.f32 %0, %1");
    refused_op("%10: u8<2x8> = lt.u8 %0, %0", "the type is `u8<2x8>`, but `u16<2x8>` is needed");
    refused_op("%10: u16<2x8> = eq.u32 %0, %1", "`eq` cannot take `f32` elements as `u32`");
}

#[test]
fn conversions_keep_the_shape() {
    accepted_op("%10: f16<2x8> = convert %0\n%11: u8<2x8> = saturate %1");
    for op in ["convert", "saturate"] {
        refused_op(
            &format!("%10: f16<8x2> = {op} %0"),
            "the operand `%0` is `u8<2x8>`, but a register of 8 x 2 elements is needed",
        );
        refused_op(
            &format!("%10: u8 = {op} %4"),
            "the operand `%4` is `condition`, but a register is needed",
        );
    }
}

#[test]
fn regions_lie_inside() {
    accepted_op("%10: u8<2x4> = region %0[1; 8, 4, 2]");
    accepted_op("%10: u8<1x64> = region %0[0; 0, 16, 1]");
    refused_op(
        "%10: u8<2x4> = region %0[2; 8, 4, 2]",
        "the last element of the region, 16, lies outside of an object of 16 elements",
    );
    refused_op(
        "%10: u8<2x4> = region %0[0 + %2; 9, 4, 3]",
        "the last element of the region, 18, lies outside of an object of 16 elements",
    );
    let huge = usize::MAX;
    refused_op(
        &format!("%10: u8<2x4> = region %0[{huge}; 8, 4, 2]"),
        "the last element of the region, 18446744073709551629, lies outside of an object of 16 elements",
    );
    // Strides that the region does not use count, too.
    for strides in [format!("{huge}, 4, 1"), String::from("65536, 4, 1"), format!("4, 1, {huge}")] {
        let stride = strides.split(", ").find(|number| number.len() > 3).unwrap();
        refused_op(
            &format!("%10: u8<1x4> = region %0[0; {strides}]"),
            &format!("a region with a stride of {stride} elements: strides are below 65536"),
        );
    }
    accepted_op("%10: u8<1x4> = region %0[0; 65535, 4, 1]");
}

#[test]
fn rows_divide_regions() {
    refused_op(
        "%10: u8<2x4> = region %0[0; 0, 3, 1]",
        "rows of 3 elements do not divide a region of 8 elements",
    );
    refused_op(
        "%10: u8<2x4> = region %0[0; 0, 0, 1]",
        "rows of 0 elements do not divide a region of 8 elements",
    );
}

#[test]
fn regions_have_the_element_type() {
    refused_op(
        "%10: i8<1x4> = region %0[0; 4, 4, 1]",
        "the type is `i8<1x4>`, but a register of `u8` is needed",
    );
    refused_op("%10: u8<1x4> = region %0[0 + %3; 4, 4, 1]", "the operand `%3` is `i32`, but `u32` is needed");
    refused_op(
        "%10: u8<1x4> = region %4[0; 4, 4, 1]",
        "the operand `%4` is `condition`, but a register is needed",
    );
}

#[test]
fn inserts_keep_the_type() {
    accepted_op("%10: u32<1x4> = insert %5[1; 1, 1, 1], %2");
    refused_op(
        "%10: u32<1x4> = insert %5[4; 1, 1, 1], %2",
        "the last element of the region, 4, lies outside of an object of 4 elements",
    );
    refused_op(
        "%10: u32<1x4> = insert %5[0; 1, 1, 1], %3",
        "the operand `%3` is `i32`, but a register of `u32` is needed",
    );
    refused_op(
        "%10: u32<2x2> = insert %5[0; 1, 1, 1], %2",
        "the operand `%5` is `u32<1x4>`, but `u32<2x2>` is needed",
    );
}

#[test]
fn inserts_do_not_overlap() {
    let part = "%10: u8<2x4> = constant 1\n";
    accepted_op(&format!("{part}%11: u8<2x8> = insert %0[0; 1, 4, 2], %10"));
    for region in ["0; 1, 4, 1", "0; 2, 2, 2", "0; 0, 4, 1", "0; 4, 4, 0", "0; 4, 8, 0"] {
        refused_op(
            &format!("{part}%11: u8<2x8> = insert %0[{region}], %10"),
            "the region has an element twice, so that it cannot be replaced",
        );
    }
}

#[test]
fn indices_are_u32() {
    accepted_op("%10: u8<1x4> = iselect %0, %5");
    refused_op("%10: u8 = iselect %0, %3", "the operand `%3` is `i32`, but `u32` is needed");
    refused_op("%10: u8<1x5> = iselect %0, %5", "the operand `%5` is `u32<1x4>`, but `u32<1x5>` is needed");
    refused_op("%10: i8<1x4> = iselect %0, %5", "the type is `i8<1x4>`, but `u8<1x4>` is needed");
}

#[test]
fn formats_do_not_grow() {
    accepted_op("%10: u32<1x3> = format %0");
    refused_op("%10: u32<1x5> = format %0", "a format of 16 bytes as 20 bytes");
    refused_op("%10: condition = format %0", "the type is `condition`, but a register is needed");
    refused_op("%10: u8 = format %4", "the operand `%4` is `condition`, but a register is needed");
}

#[test]
fn merges_take_integer_masks() {
    accepted_op("%10: f32<2x8> = merge %0, %1, %1");
    refused_op("%10: u8<2x8> = merge %1, %0, %0", "`merge` is not defined for `f32` elements");
    refused_op(
        "%10: u8<2x8> = merge %6, %0, %0",
        "the operand `%6` is `i16<1x16>`, but a register of 2 x 8 elements is needed",
    );
    refused_op("%10: u8<2x8> = merge %0, %1, %0", "the operand `%1` is `f32<2x8>`, but `u8<2x8>` is needed");
    refused_op("%10: u8<2x8> = merge %0, %0, %1", "the operand `%1` is `f32<2x8>`, but `u8<2x8>` is needed");
}

#[test]
fn bits_become_masks() {
    accepted_op("%10: u16<2x20> = unpack_mask %2");
    refused_op("%10: u16<2x8> = unpack_mask %3", "the operand `%3` is `i32`, but `u32` is needed");
    refused_op("%10: u8<2x8> = unpack_mask %2", "the type is `u8<2x8>`, but `u16<2x8>` is needed");
}

#[test]
fn conditions_are_conditions() {
    accepted_op("%10: condition = any %1\n%11: condition = and %10, %4");
    refused_op("%10: u16 = any %0", "the type is `u16`, but `condition` is needed");
    refused_op("%10: u16 = known true", "the type is `u16`, but `condition` is needed");
    refused_op("%10: condition = all %4", "the operand `%4` is `condition`, but a register is needed");
    refused_op("%10: condition = not %2", "the operand `%2` is `u32`, but `condition` is needed");
    refused_op("%10: condition = and %4, %2", "the operand `%2` is `u32`, but `condition` is needed");
    refused_op("%10: condition = or %2, %4", "the operand `%2` is `u32`, but `condition` is needed");
    refused_at(8, &format!("{SOME}if %2 {{\n}}"), "the operand `%2` is `u32`, but `condition` is needed");
    refused_at(
        8,
        &format!("{SOME}loop {{\n}} while %2 {{\n}}"),
        "the operand `%2` is `u32`, but `condition` is needed",
    );
}

#[test]
fn blocks_are_read_from_surfaces() {
    accepted_op(
        "%10: u8<8x32> = read #0 %3, %3\n%11: f32<4x16> = read #1 %3, %3\n%12: u8<8x30> = read #0 %3, %3",
    );
    refused_op("%10: u8 = read #2 %3, %3", "parameter 2 is not a surface");
    refused_op("%10: u8 = read #9 %3, %3", "parameter 9 of 4");
    refused_op("%10: u8 = read #0 %2, %3", "the operand `%2` is `u32`, but `i32` is needed");
    refused_op("%10: u8 = read #0 %3, %2", "the operand `%2` is `u32`, but `i32` is needed");
    refused_op("%10: condition = read #0 %3, %3", "the type is `condition`, but a register is needed");
}

#[test]
fn blocks_have_limits() {
    let counts = |pitch: usize| {
        let most = 256 / pitch;
        format!(
            "a row counts as {pitch} bytes, and a block has at most 256 bytes, which are {most} such rows"
        )
    };
    for (ty, rows, width, limit) in [
        ("u8<1x65>", 1, 65, "a row has at most 64 bytes".to_owned()),
        ("f32<1x17>", 1, 68, "a row has at most 64 bytes".to_owned()),
        ("u8<5x33>", 5, 33, counts(64)),
        ("u8<9x24>", 9, 24, counts(32)),
        ("u8<65x1>", 65, 1, counts(4)),
    ] {
        refused_op(
            &format!("%10: {ty} = read #0 %3, %3"),
            &format!(
                "a media block of {rows} rows of {width} bytes: {limit}; `read_block` and `write_block` take larger blocks"
            ),
        );
    }
}

#[test]
fn blocks_are_written_to_writable_surfaces() {
    accepted_op("write #1 %3, %3, %0: u8<2x8>");
    refused_op("write #0 %3, %3, %0: u8<2x8>", "parameter 0 is one that the kernel may not write");
    refused_op("write #3 %3, %3, %0: u8<2x8>", "parameter 3 is not a surface");
    refused_op("write #1 %3, %3, %0: u8<4x4>", "the operand `%0` is `u8<2x8>`, but `u8<4x4>` is needed");
    refused_op(
        "%10: u8<2x6> = constant 1\nwrite #1 %3, %3, %10: u8<2x6>",
        "a media block write of rows of 6 bytes: the row width is a multiple of 4",
    );
}

#[test]
fn blocks_are_not_nested_without_end() {
    let mut block = crate::ir::Block::default();
    let mut function = function("%0: condition = known true\nif %0 {\n}");
    for _ in 0..200 {
        let mut inst = function.body.insts[1].clone();
        inst.op = crate::ir::Op::If(crate::ir::Value(0), block, crate::ir::Block::default());
        block = crate::ir::Block { insts: vec![inst] };
    }
    function.body.insts.push(block.insts.remove(0));
    let error = verify(&function).unwrap_err();
    assert_eq!(error.to_string(), "kernel `k`, k.rs:2:1: more than 128 blocks inside each other");
}
