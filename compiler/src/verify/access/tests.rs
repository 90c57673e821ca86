//! Every rule of buffers: a function that breaks it, and the error.

use crate::ir::{Op, Value};
use crate::text::parse;
use crate::verify::verify;

/// Parameters, and some registers.
const START: &str = "file 0 \"k.rs\" kernel k(s: write surface, r: read buffer u8, w: write buffer u32, d: write buffer f64, n: u32) {
%0: u32 = constant 16 @0:1:1
%1: i32 = constant 16 @0:1:1
%2: u32<1x16> = constant 1 @0:1:1
%3: u32<1x12> = constant 1 @0:1:1
%4: u8<1x16> = constant 1 @0:1:1
%5: i32<1x16> = constant 1 @0:1:1
%6: u32<4x4> = constant 1 @0:1:1
%7: f64<1x2> = constant 1.0 @0:1:1
%9: u32<1x64> = constant 1 @0:1:1
";

fn function(line: &str) -> crate::ir::Function {
    let text = format!("{START}{line} @0:2:1\n}}");
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[track_caller]
fn accepted(line: &str) {
    verify(&function(line)).unwrap();
}

#[track_caller]
fn refused(line: &str, message: &str) {
    let error = verify(&function(line)).unwrap_err();
    assert_eq!(error.to_string(), format!("kernel `k`, k.rs:2:1: {message}"));
}

#[test]
fn legal_accesses() {
    for line in [
        "%10: u8<1x17> = oword_read #1 %0",
        "%10: u32<2x16> = oword_read_dwaligned #2 %0",
        "%10: f64<1x16> = oword_read #3 %0",
        "oword_write #2 %0, %2: u32<1x16>",
        "oword_write #3 %0, %7: f64<1x2>",
        "%10: u8<4x4> = gather #1 %6",
        "%10: u32 = gather #2 %0",
        "scatter #2 %2, %2: u32<1x16>",
        "%10: u32<1x16> = atomic_inc #2 %2",
        "%10: u32<1x16> = atomic_add #2 %2, %2",
        "%10: u32<1x16> = atomic_cmpxchg #2 %2, %2, %2",
    ] {
        accepted(line);
    }
}

#[test]
fn accesses_are_to_buffers() {
    for line in [
        "%10: u32<1x16> = oword_read #0 %0",
        "oword_write #0 %0, %2: u32<1x16>",
        "%10: u32<1x16> = gather #0 %2",
        "scatter #0 %2, %2: u32<1x16>",
        "%10: u32<1x16> = atomic_inc #0 %2",
    ] {
        refused(line, "parameter 0 is not a buffer");
        refused(&line.replace("#0", "#4"), "parameter 4 is not a buffer");
        refused(&line.replace("#0", "#7"), "parameter 7 of 5");
    }
    refused("%10: u8<1x4> = read #1 %1, %1", "parameter 1 is not a surface");
    refused("%10: u8 = argument #1", "parameter 1 is not a uniform value");
}

#[test]
fn writes_are_to_writable_buffers() {
    for line in
        ["oword_write #1 %0, %4: u8<1x16>", "scatter #1 %2, %4: u8<1x16>", "%10: u8<1x16> = atomic_inc #1 %2"]
    {
        refused(line, "parameter 1 is one that the kernel may not write");
    }
}

#[test]
fn a_buffer_has_elements_of_all_types() {
    for line in [
        "%10: i32<1x16> = oword_read #2 %0",
        "oword_write #2 %0, %5: i32<1x16>",
        "%10: u8<1x16> = gather #3 %2",
        "scatter #2 %2, %4: u8<1x16>",
        "%10: i32<1x16> = atomic_inc #3 %2",
    ] {
        accepted(line);
    }
    refused("%10: condition = gather #2 %2", "the type is `condition`, but a register is needed");
}

/// Other arrays are next to an array, so that it has no part of an element.
#[test]
fn an_array_of_a_group_has_whole_elements() {
    for (elements, access, whole) in [
        (6, "%1: u16<1x16> = gather #0 %0", true),
        (6, "%1: u32<1x16> = gather #0 %0", false),
        (6, "scatter #0 %0, %0: u32<1x16>", false),
        (8, "%1: i64<1x16> = gather #0 %0", true),
        (8, "%1: i32<1x16> = atomic_inc #0 %0", true),
        (12, "%1: f64<1x16> = gather #0 %0", false),
    ] {
        let text = format!(
            "file 0 \"k.rs\" kernel k(a: shared u8 {elements}) {{ %0: u32<1x16> = constant 1 @0:1:1
            {access} @0:2:1 }}"
        );
        let result = verify(&parse(&text).unwrap());
        let size = if access.contains("64") { 8 } else { 4 };
        let message = format!(
            "kernel `k`, k.rs:2:1: `format` of an array of {elements} bytes of shared local memory as elements of \
             {size} bytes: the array must have whole elements; make it longer"
        );
        assert_eq!(result.err().map(|error| error.to_string()), (!whole).then_some(message), "{text}");
    }
}

#[test]
fn operands_have_their_types() {
    let offset = "the operand `%1` is `i32`, but `u32` is needed";
    refused("%10: u8<1x16> = oword_read #1 %1", offset);
    refused("oword_write #2 %1, %2: u32<1x16>", offset);
    refused("oword_write #2 %0, %5: u32<1x16>", "the operand `%5` is `i32<1x16>`, but `u32<1x16>` is needed");
    let numbers = "the operand `%6` is `u32<4x4>`, but `u32<1x16>` is needed";
    refused("%10: u8<1x16> = gather #1 %6", numbers);
    refused("scatter #2 %6, %2: u32<1x16>", numbers);
    refused("scatter #2 %2, %6: u32<1x16>", numbers);
    refused("%10: u32<1x16> = atomic_add #2 %6, %2", numbers);
    refused("%10: u32<1x16> = atomic_add #2 %2, %6", numbers);
    refused("%10: u32<1x16> = atomic_cmpxchg #2 %2, %2, %6", numbers);
}

#[test]
fn blocks_have_limits() {
    let limits = "blocks that are read have 16 to 128 bytes";
    refused(
        "%10: u8<1x15> = oword_read #1 %0",
        &format!(
            "an oword block read of 15 bytes: {limits}; read more elements and select the first, or use `load` or `read_scattered`"
        ),
    );
    refused(
        "%10: u8<1x129> = oword_read_dwaligned #1 %0",
        &format!("an oword block read of 129 bytes: {limits}; read it in pieces, or use `read_linear`"),
    );
    let limits =
        "blocks that are written have 16, 32, 64 or 128 bytes; write it in pieces, or use `write_linear`";
    refused("oword_write #2 %0, %3: u32<1x12>", &format!("an oword block write of 48 bytes: {limits}"));
    refused("oword_write #2 %0, %9: u32<1x64>", &format!("an oword block write of 256 bytes: {limits}"));
}

#[test]
fn scattered_messages_have_limits() {
    let limits = "it takes 1, 2, 4, 8, 16 or 32; take them in groups";
    refused("%10: u8<1x12> = gather #1 %3", &format!("a scattered message of 12 elements: {limits}"));
    refused("scatter #2 %9, %9: u32<1x64>", &format!("a scattered message of 64 elements: {limits}"));
    refused("%10: u32<1x12> = atomic_inc #2 %3", &format!("a scattered message of 12 elements: {limits}"));
}

#[test]
fn atomic_operations_have_elements() {
    for (param, elem, operation, legal) in [
        ("write buffer f32", "f32", "atomic_inc", false),
        ("write buffer f32", "f32", "atomic_and", false),
        ("write buffer f32", "f32", "atomic_add", true),
        ("write buffer f16", "f16", "atomic_max", true),
        ("write buffer f64", "f64", "atomic_add", false),
        ("write buffer u8", "u8", "atomic_add", false),
        ("write buffer u64", "u64", "atomic_xor", true),
        ("shared u64 16", "u64", "atomic_xor", true),
        ("shared u8 16", "u8", "atomic_xor", false),
        ("shared i16 16", "i16", "atomic_xor", true),
        ("shared f32 16", "f32", "atomic_min", true),
    ] {
        let source = if operation == "atomic_inc" { "" } else { ", %10" };
        let text = START.replace("n: u32", &format!("n: u32, x: {param}"))
            + &format!(
                "%10: {elem}<1x16> = constant 1 @0:1:1\n%11: {elem}<1x16> = {operation} #5 %2{source} @0:2:1 }}"
            );
        let found = verify(&parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")));
        match found {
            Ok(()) => assert!(legal, "{operation} of {param}"),
            Err(error) => {
                assert!(!legal, "{error}");
                let message =
                    format!("kernel `k`, k.rs:2:1: `{operation}` is not defined for `{elem}` elements");
                assert_eq!(error.to_string(), message);
            }
        }
    }
}

/// The text always has the right number.
#[test]
fn atomic_operations_have_their_operands() {
    let mut function = function("%10: u32<1x16> = atomic_add #2 %2, %2");
    for found in [1, 3, 4] {
        let Some(inst) = function.body.insts.last_mut() else { unreachable!() };
        let Op::Access { operands, .. } = &mut inst.op else { unreachable!() };
        *operands = vec![Value(2); found];
        let error = verify(&function).unwrap_err().to_string();
        assert!(error.ends_with(&format!("{found} operands for `atomic_add`, which takes 2")), "{error}");
    }
}

#[test]
fn views_are_parts_of_surfaces() {
    let verified = |params: &str, line: &str| {
        let text = format!(
            "file 0 \"k.rs\" kernel k({params}) {{\n%0: i32 = constant 0 @0:1:1\n%1: u8<1x4> = constant 1 @0:1:1\n\
             {line} @0:2:1\n}}"
        );
        let function = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(parse(&function.to_string()).unwrap(), function);
        verify(&function).map_err(|error| error.to_string())
    };
    let (read, write) = ("%2: u8<8x16> = read #1 %0, %0", "write #1 %0, %0, %1: u8<1x4>");
    for (params, line) in [
        ("s: read surface, v: read plane uv of #0", read),
        ("s: write surface, v: read plane u of #0", read),
        ("s: write surface, v: write plane v of #0", write),
        ("s: write surface, v: write plane y of #0", write),
        ("s: write surface, v: write plane y top field of #0", write),
        ("s: read surface, v: read plane uv bottom field of #0", read),
    ] {
        assert_eq!(verified(params, line), Ok(()), "{params}");
    }
    for (params, line, message) in [
        (
            "s: read surface, v: write plane uv of #0",
            read,
            "kernel `k`: parameter 0 is one that the kernel may not write",
        ),
        ("s: read buffer u8, v: read plane uv of #0", read, "kernel `k`: parameter 0 is not a surface"),
        ("s: read surface, v: read plane uv of #1", read, "kernel `k`: parameter 1 is not a surface"),
        ("s: read surface, v: read plane uv of #2", read, "kernel `k`: parameter 2 of 2"),
        (
            "s: write surface, v: read plane uv of #0",
            write,
            "kernel `k`, k.rs:2:1: parameter 1 is one that the kernel may not write",
        ),
        (
            "s: write surface, v: read plane uv of #0",
            "%2: i32 = argument #1",
            "kernel `k`, k.rs:2:1: parameter 1 is not a uniform value",
        ),
        (
            "s: write surface, v: read plane uv of #0",
            "%2: u8<1x16> = oword_read #1 %0",
            "kernel `k`, k.rs:2:1: parameter 1 is not a buffer",
        ),
    ] {
        assert_eq!(verified(params, line), Err(message.to_owned()), "{params}");
    }
}
