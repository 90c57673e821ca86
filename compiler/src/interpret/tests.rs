//! Control flow, surfaces, arguments and errors of the interpreter.

use super::cases::Case;
use super::{
    InterpretArg, InterpretError, InterpretSurface, interpret, interpret_group, interpret_waves,
    interpret_within,
};
use crate::elem::ElemType;
use crate::ir::{DependencyPattern, Function, Grid, Type, Waves};
use crate::ops::Computed;
use crate::text::parse;
use crate::verify::verify;

/// One row of bytes without edges.
#[derive(Debug)]
struct Row(Vec<u8>);

impl InterpretSurface for Row {
    fn read_row(&self, x: i32, _: i32, row: &mut [u8]) {
        row.copy_from_slice(&self.0[x as usize..][..row.len()]);
    }

    fn write_row(&mut self, x: i32, _: i32, row: &[u8]) {
        self.0[x as usize..][..row.len()].copy_from_slice(row);
    }
}

/// A function of one writable surface and a number.
fn function(body: &str) -> Function {
    let body = body.replace(';', " @0:1:1\n").replace('|', ";").replace('{', "@0:2:2 {");
    let text = format!("file 0 \"k.rs\" kernel k(out: write surface, n: u32) {{ {body} }}")
        .replace("while %99 @0:2:2", "while %99")
        .replace("else @0:2:2", "else");
    let function = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&function).unwrap();
    function
}

fn run(body: &str, n: u32) -> Result<Vec<u8>, InterpretError> {
    let mut surface = Row((0..16).collect());
    let bytes = n.to_le_bytes();
    let ty = Type::scalar(ElemType::U32);
    let mut args = [InterpretArg::Surface(&mut surface), InterpretArg::Uniform { ty, bytes: &bytes }];
    interpret_within(&function(body), &mut args, [3, 5], 1000)?;
    Ok(surface.0)
}

#[test]
fn blocks_are_read_and_written() {
    let out = run(
        "%0: i32 = constant 4; %1: u8<1x8> = read #0 %0, %0; %2: i32 = constant 0; %3: u8<1x8> = neg %1;
        write #0 %2, %2, %3: u8<1x8>;",
        0,
    );
    assert_eq!(out.unwrap(), [252, 251, 250, 249, 248, 247, 246, 245, 8, 9, 10, 11, 12, 13, 14, 15]);
}

#[test]
fn breaks_leave_their_blocks() {
    // Counts to 5 in a loop without an end, leaving out 3, and behind it writes the sum.
    let body = "%0: u32 = constant 0; %1: u32 = constant 1; %2: u32 = constant 5; %3: u32 = constant 3;
        var $0: u32 = %0; var $1: u32 = %0; %5: condition = known true;
        labelled ^0 { loop { } while %5 { labelled ^1 {
            %10: u32 = load $0; %11: u32 = add.u32 %10, %1; store $0, %11: u32;
            %12: u16 = eq.u32 %11, %3; %13: condition = any %12; if %13 { break ^1; } else { }
            %14: u16 = gt.u32 %11, %2; %15: condition = any %14; if %15 { break ^0; } else { }
            %16: u32 = load $1; %17: u32 = add.u32 %16, %11; store $1, %17: u32;
        } } }
        %20: i32 = constant 0; %21: u32 = load $1; write #0 %20, %20, %21: u32;"
        .replace("while %5", "while %99")
        .replace("%5", "%99");
    assert_eq!(run(&body, 0).unwrap()[..4], [1 + 2 + 4 + 5, 0, 0, 0]);
}

#[test]
fn threads_know_their_place_and_arguments() {
    let out = run(
        "%0: i32 = constant 0; %1: u32 = thread x; %2: u32 = thread y; %3: u32 = argument #1;
        write #0 %0, %0, %1: u32; %4: i32 = constant 4; write #0 %4, %0, %2: u32;
        %5: i32 = constant 8; write #0 %5, %0, %3: u32;",
        0x0102_0304,
    );
    assert_eq!(out.unwrap(), [3, 0, 0, 0, 5, 0, 0, 0, 4, 3, 2, 1, 12, 13, 14, 15]);
}

/// The sum of the numbers below the argument.
const SUM: &str = "%0: u32 = constant 0; %1: u32 = constant 1; %2: u32 = argument #1; var $0: u32 = %0;
    var $1: u32 = %0; loop { %3: u32 = load $0; %4: u16 = lt.u32 %3, %2; %99: condition = any %4; } while %99 {
    %5: u32 = load $1; %6: u32 = add.u32 %5, %3; store $1, %6: u32; %7: u32 = add.u32 %3, %1; store $0, %7: u32; }
    %8: i32 = constant 0; %9: u32 = load $1; write #0 %8, %8, %9: u32;";

#[test]
fn loops_end_by_their_condition() {
    assert_eq!(run(SUM, 10).unwrap()[..4], [45, 0, 0, 0]);
    assert_eq!(run(SUM, 0).unwrap()[..4], [0, 0, 0, 0]);
}

#[test]
fn loops_that_do_not_end_are_an_error() {
    let error = run(SUM, 1000).unwrap_err();
    assert!(matches!(error, InterpretError::Budget { budget: 1000, .. }), "{error}");
    let error = run("%99: condition = known true; loop { } while %99 { }", 0).unwrap_err();
    assert_eq!(error.to_string(), "k.rs:2:2: still running after 1000 instructions");
}

#[test]
fn one_arm_is_taken() {
    let body = "%0: u32 = argument #1; %1: condition = any %0; %2: i32 = constant 0; if %1 {
        %3: u8<1x4> = constant 1; write #0 %2, %2, %3: u8<1x4>; } else { %4: u8<1x4> = constant 2;
        write #0 %2, %2, %4: u8<1x4>; }";
    assert_eq!(run(body, 7).unwrap()[..4], [1; 4]);
    assert_eq!(run(body, 0).unwrap()[..4], [2; 4]);
}

#[test]
fn regions_are_taken_and_replaced_row_by_row() {
    let out = run(
        "%0: i32 = constant 0; %1: u8<2x8> = constant [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
        %2: u8<2x2> = region %1[1| 8, 2, 3]; write #0 %0, %0, %3: u8<1x4>;"
            .replace("write", "%3: u8<1x4> = format %2; write")
            .as_str(),
        0,
    );
    assert_eq!(out.unwrap()[..4], [1, 4, 9, 12]);
    let insert = "%0: i32 = constant 0; %1: u8<1x8> = constant 0; %2: u8<1x2> = constant [1, 2]; %3: u32 = argument #1;
        %4: u8<1x8> = insert %1[1 + %3| 0, 2, 2], %2; write #0 %0, %0, %4: u8<1x8>;";
    assert_eq!(run(insert, 4).unwrap()[..8], [0, 0, 0, 0, 0, 1, 0, 2]);
    let error = run(insert, 5).unwrap_err();
    assert_eq!(error.to_string(), "k.rs:1:1: the region reaches element 8 of 8");
    assert!(run(insert, u32::MAX).is_err());
}

#[test]
fn indices_masks_and_formats() {
    let out = run(
        "%0: i32 = constant 0; %1: u8<1x4> = constant [10, 11, 12, 13];
        %2: u32<1x4> = constant [3, 0, 4, 4294967295]; %3: u8<1x4> = iselect %1, %2; %4: u32 = argument #1;
        %5: u16<1x4> = unpack_mask %4; %6: u8<1x4> = merge %5, %3, %1; write #0 %0, %0, %6: u8<1x4>;
        %7: u16 = format %1; %8: u32 = convert %7; %9: i32 = constant 4; write #0 %9, %0, %8: u32;",
        0b0101,
    );
    assert_eq!(out.unwrap()[..8], [13, 11, 13, 13, 10, 11, 0, 0]);
}

#[test]
fn arguments_must_fit() {
    let function = function("");
    assert_eq!(
        interpret(&function, &mut [], [0, 0]).unwrap_err().to_string(),
        "0 arguments for 2 parameters"
    );
    let mut surface = Row(vec![]);
    let ty = Type::scalar(ElemType::U32);
    let mut args = [InterpretArg::Surface(&mut surface), InterpretArg::Uniform { ty, bytes: &[0; 5] }];
    assert_eq!(
        interpret(&function, &mut args, [0, 0]).unwrap_err().to_string(),
        "the argument `n` is not what the kernel takes"
    );
}

#[test]
fn what_is_not_verified_is_an_error() {
    for line in ["%1: u8 = convert %0", "%1: u8<1x2> = constant [1, 2, 3]", "%1: u8 = load $0"] {
        let function = parse(&format!("file 0 \"k.rs\" kernel k() {{ {line} @0:1:1 }}")).unwrap();
        let error = interpret(&function, &mut [], [0, 0]).unwrap_err();
        assert!(matches!(error, InterpretError::NotVerified(_)), "{error}");
    }
}

#[test]
fn threads_that_do_not_exist_are_errors() {
    let function = parse("file 0 \"k.rs\" kernel k() { %0: u32 = thread x @0:1:1 }").unwrap();
    let last = interpret(&function, &mut [], [u32::MAX - 1, 0]);
    assert_eq!(last, Ok(()));
    for origin in [[u32::MAX, 0], [0, u32::MAX]] {
        assert_eq!(interpret(&function, &mut [], origin), Err(InterpretError::NoThread { origin }));
    }
    let refused = [
        ([2, 2, 1], [1, 1, 1], 4),
        ([0, 2, 1], [1, 1, 1], 0),
        ([2, 2, 1], [1, 0, 1], 0),
        ([1 << 31, 1, 1], [2, 1, 1], 0),
        ([1, 1, 1], [1 << 31, 2, 1], 0),
        ([u32::MAX; 3], [1, 1, 1], 0),
    ];
    for (groups, local, group) in refused {
        let grid = Grid { groups, local };
        let ran = interpret_group(&function, &mut [], grid, group, 1, &mut |_| {});
        assert_eq!(ran, Err(InterpretError::NoGroup { grid, group }));
    }
    let waves = Waves::new(DependencyPattern::WAVEFRONT, [3, 2]);
    let ran = interpret_waves(&function, &mut [], [2, 2], &waves, 1, &mut |_| {});
    assert_eq!(ran, Err(InterpretError::NoThread { origin: [2, 0] }));
}

/// What the verifier lets saturate has a text and runs, and nothing else does.
#[test]
fn what_saturates_is_agreed_on() {
    for case in Case::all() {
        let Computed::Map(kind, _) = case.kind else { continue };
        for saturate in [false, true] {
            let case = Case { kind: Computed::Map(kind, saturate), ..case.clone() };
            let function = Function::new("k", vec![], case.block(&case.splats(0)));
            let (verified, ran) = (verify(&function), interpret(&function, &mut [], [0, 0]));
            if !saturate || kind.saturates() {
                assert_eq!((verified, ran), (Ok(()), Ok(())), "{case:?}");
                assert_eq!(parse(&function.to_string()), Ok(function), "{case:?}");
            } else {
                let refused =
                    format!("`{}` cannot saturate; convert its result with `saturate`", kind.name());
                assert_eq!(verified.unwrap_err().to_string(), format!("kernel `k`, k.rs:1:1: {refused}"));
                assert!(matches!(ran, Err(InterpretError::NotVerified(_))), "{case:?}");
            }
        }
    }
}
