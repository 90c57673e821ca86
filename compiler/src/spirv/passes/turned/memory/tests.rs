//! Blocks of buffers that become vectors, and those that stay.

use crate::elem::ElemType;
use crate::interpret::bytes::Bytes;
use crate::interpret::{InterpretArg, interpret};
use crate::ir::{Function, Type};
use crate::spirv::passes::setting::{Options, Setting};
use crate::spirv::passes::turned::turned;
use crate::spirv::target::Target;
use crate::text::parse;
use crate::verify::verify;

const READ: &str = "%1: u32<1x32> = oword_read #0 %0; %2: u32 = constant 128; %3: u32 = add.u32 %0, %2;
    %4: u32<1x32> = oword_read #0 %3; var $0: u32<1x64>; %5: u32<1x64> = load $0;
    %6: u32<1x64> = insert %5[0| 32, 32, 1], %1; %7: u32<1x64> = insert %6[32| 32, 32, 1], %4; %8: u32<16x4> = format %7;";
const WRITE: &str = "%20: u32<1x64> = format %19; %21: u32<1x32> = region %20[0| 32, 32, 1]; oword_write #1 %0, %21: u32<1x32>;
    %22: u32<1x32> = region %20[32| 32, 32, 1]; oword_write #1 %3, %22: u32<1x32>;";

/// How many reads and writes of the kernel are vectors, if the columns of `%8` are added to become `%19`.
fn vectors_on(target: Target, read: &str, write: &str) -> [usize; 2] {
    let sum = |n: usize| {
        let (a, b, whole) = (2 * n + 30, 2 * n + 31, if n == 0 { 8 } else { 39 + n });
        let result = if n == 3 { 19 } else { 40 + n };
        format!(
            "%{a}: u32<16x1> = region %{whole}[{n}| 4, 1, 1]; %{b}: u32<16x1> = add.u32 %{a}, %{a};
             %{result}: u32<16x4> = insert %{whole}[{n}| 4, 1, 1], %{b};"
        )
    };
    let sums: String = (0..4).map(sum).collect();
    let lines =
        format!("%0: u32 = argument #2; {read} {sums} {write}").replace(';', " @0:1:1\n").replace('|', ";");
    let params = "x: write buffer u32, y: write buffer u32, n: u32";
    let function = parse(&format!("file 0 \"k.rs\" kernel k({params}) {{ {lines} }}")).unwrap();
    verify(&function).unwrap_or_else(|error| panic!("{error}\n{function}"));
    let turned = turned(&function, &Setting { options: Options::default(), form: target, target });
    let turned = turned.unwrap_or(function);
    verify(&turned).unwrap_or_else(|error| panic!("{error}\n{turned}"));
    let text = turned.to_string();
    [text.matches("gather_vectors").count(), text.matches("scatter_vectors").count()]
}

fn vectors(read: &str, write: &str) -> [usize; 2] {
    vectors_on(Target::Gen9, read, write)
}

#[test]
fn blocks_become_vectors() {
    assert_eq!(vectors(READ, WRITE), [1, 1]);
    assert_eq!(vectors_on(Target::XeHpg, READ, WRITE), [1, 1]);
    let backwards =
        WRITE.replace("%0, %21: u32<1x32>", "%3, %22: u32<1x32>; oword_write #1 %0, %21: u32<1x32>");
    let backwards = backwards
        .replace("%22: u32<1x32> = region %20[32| 32, 32, 1]; oword_write #1 %3, %22: u32<1x32>;", "");
    let backwards =
        backwards.replacen("oword_write", "%22: u32<1x32> = region %20[32| 32, 32, 1]; oword_write", 1);
    assert_eq!(vectors(READ, &backwards), [1, 1]);
}

#[test]
fn one_block_is_read_as_vectors() {
    let read = "%2: u32 = constant 128; %3: u32 = add.u32 %0, %2; %7: u32<1x32> = oword_read #0 %0; %6: u32<8x4> = format %7;
        %60: u32<16x4> = constant 0; %8: u32<16x4> = insert %60[0| 4, 4, 1], %6;";
    assert_eq!(vectors(read, WRITE), [1, 1]);
}

#[test]
fn blocks_of_other_places_stay() {
    assert_eq!(vectors(&READ.replace("constant 128", "constant 256"), WRITE), [0, 0]);
    assert_eq!(vectors(&READ.replace("oword_read #0 %3", "oword_read #1 %3"), WRITE), [0, 1]);
    assert_eq!(vectors(READ, &WRITE.replace("#1 %3", "#1 %2"))[1], 0);
}

#[test]
fn what_others_read_or_write_in_between_stays() {
    let write = "oword_write #0 %3, %90: u32<1x32>; var $0";
    let data = "%90: u32<1x32> = constant 5; %1:";
    assert_eq!(vectors(&READ.replace("var $0", write).replace("%1:", data), WRITE), [0, 1]);
    assert_eq!(
        vectors(&READ.replace("var $0", &write.replace("#0", "#1")).replace("%1:", data), WRITE),
        [1, 1]
    );
    let read = "%50: u32<1x32> = oword_read #1 %0; oword_write #0 %0, %50: u32<1x32>; %22: u32<1x32> =";
    assert_eq!(vectors(READ, &WRITE.replace("%22: u32<1x32> =", read))[1], 0);
    assert_eq!(
        vectors(READ, &WRITE.replace("%22: u32<1x32> =", &read.replace("read #1", "read #0"))),
        [1, 1]
    );
    let barrier = "barrier; %22: u32<1x32> =";
    assert_eq!(vectors(READ, &WRITE.replace("%22: u32<1x32> =", barrier))[1], 0);
}

#[test]
fn what_is_used_in_rows_is_read_in_blocks() {
    let used = WRITE.to_owned()
        + "%51: u32<1x4> = region %8[7| 4, 4, 1]; %52: u32<1x4> = add.u32 %51, %51; oword_write #1 %2, %52: u32<1x4>;";
    assert_eq!(vectors(READ, &used)[0], 0);
}

/// A kernel that reads 16 points of three elements from `%0` on, as a block of `first` elements and the rest, and adds the
/// columns.
fn points(first: usize, start: &str) -> Function {
    let rest = 48 - first;
    let lines = format!(
        "{start} %2: u32 = constant {}; %1: u32<1x{first}> = oword_read #0 %0; %3: u32 = add.u32 %0, %2;
         %4: u32<1x{rest}> = oword_read #0 %3; %5: u32<1x48> = constant 0;
         %6: u32<1x48> = insert %5[0| {first}, {first}, 1], %1; %7: u32<1x48> = insert %6[{first}| {rest}, {rest}, 1], %4;
         %8: u32<16x3> = format %7; %9: u32<16x1> = region %8[0| 3, 1, 1];
         %10: u32<16x1> = region %8[1| 3, 1, 1]; %11: u32<16x1> = region %8[2| 3, 1, 1]; %12: u32<16x1> = mul.u32 %9, %10;
         %13: u32<16x1> = add.u32 %12, %11; %14: u32<1x16> = format %13; %15: u32 = constant 0;
         oword_write #1 %15, %14: u32<1x16>;",
        4 * first
    );
    let lines = lines.replace(';', " @0:1:1\n").replace('|', ";");
    let params = "x: read buffer u32, y: write buffer u32, n: u32";
    let function = parse(&format!("file 0 \"k.rs\" kernel k({params}) {{ {lines} }}")).unwrap();
    verify(&function).unwrap_or_else(|error| panic!("{error}\n{function}"));
    function
}

fn turned_on(target: Target, function: &Function) -> Option<Function> {
    let turned = turned(function, &Setting { options: Options::default(), form: target, target })?;
    verify(&turned).unwrap_or_else(|error| panic!("{error}\n{turned}"));
    Some(turned)
}

/// The first message of elements of these points.
fn points_on(target: Target, start: &str) -> Option<String> {
    let text = turned_on(target, &points(32, start))?.to_string();
    let read = text.lines().find(|line| line.contains("gather"))?;
    Some(read.split_once(": ")?.1.split_once(" #")?.0.to_owned())
}

/// Blocks that begin before the buffer, end behind it, or wrap, are inside and outside as they were.
#[test]
fn points_at_the_ends_of_buffers() {
    let written = |function: &Function, n: u32| {
        let mut input = Bytes((0..400).map(|n| (n * 7 + 1) as u8).collect());
        let (mut output, bytes) = (Bytes(vec![0; 64]), n.to_le_bytes());
        let n = InterpretArg::Uniform { ty: Type::scalar(ElemType::U32), bytes: &bytes };
        let args = &mut [InterpretArg::Buffer(&mut input), InterpretArg::Buffer(&mut output), n];
        interpret(function, args, [0, 0]).unwrap_or_else(|error| panic!("{error}\n{function}"));
        output.0
    };
    for (first, target) in [16, 24, 32].into_iter().flat_map(|n| [(n, Target::Gen9), (n, Target::XeHpg)]) {
        let function = points(first, "%0: u32 = argument #2;");
        let turned = turned_on(target, &function).expect("columns");
        for n in [0u32, 16, 100, 208, 224, 380, 400, 1 << 31, u32::MAX - 63, u32::MAX - 127, u32::MAX - 15] {
            assert_eq!(written(&turned, n), written(&function, n), "{first} {target:?} {n}");
        }
    }
}

#[test]
fn vectors_are_of_two_blocks_where_offsets_do_not_wrap() {
    let threads = |factor: &str| {
        format!("%20: u32 = thread x; %21: u32 = constant {factor}; %0: u32 = mul.u32 %20, %21;")
    };
    let three = "u32<3x16> = gather_vectors";
    let one = "u32<1x16> = gather";
    assert_eq!(points_on(Target::Gen9, &threads("192")).as_deref(), Some(three));
    assert_eq!(points_on(Target::XeHpg, &threads("192")).as_deref(), Some(one));
    // A negative factor, and an argument.
    assert_eq!(points_on(Target::Gen9, &threads("4294967104")).as_deref(), Some(one));
    assert_eq!(points_on(Target::Gen9, "%0: u32 = argument #2;").as_deref(), Some(one));
}
