//! Errors that are found when a kernel is recorded, with the line of the kernel.

use cm::compiler::access::{Space, summary};
use cm::compiler::ops::AccessKind;
use cm::ir::{Grid, Op};
use cm::prelude::*;
use cm_test_kernels::linear;

/// The message of the first broken rule, whose location must be in this file.
fn refused(result: cm::Result<cm::ir::Function>) -> String {
    let error = result.unwrap_err();
    let cm::Error::Record(record) = &error else { panic!("{error}") };
    assert!(record.file.ends_with("recording.rs") && record.line > 0 && record.column > 0, "{error}");
    error.to_string()
}

#[kernel]
fn computed_offset<const AT: usize>(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 16>(0, 0);
    for i in AT..AT + 1 {
        output.write(0, 0, &m.select::<2, 1, 8, 2>(i, 0));
    }
}

#[kernel]
fn host_variable(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 16>(0, 0);
    let mut rows: usize = 1;
    if m.any() {
        rows += 1;
    }
    output.write(0, rows, &m);
}

#[kernel]
fn endless(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 4, 16>(0, 0);
    let mut n: usize = 0;
    while n < 1_000_000_000 {
        m += 1;
        n += 1;
    }
    output.write(0, 0, &m);
}

#[kernel]
fn endless_range<const LAST: usize>(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 4, 16>(0, 0);
    for _ in 1..=LAST {
        let _ = LAST;
    }
    m += 1;
    output.write(0, 0, &m);
}

#[function]
fn down(m: Matrix<u8, 4, 16>) -> Matrix<u8, 4, 16> {
    if m.any() { further_down((m - 1).saturate()) } else { m }
}

#[function]
fn further_down(m: Matrix<u8, 4, 16>) -> Matrix<u8, 4, 16> {
    down(m)
}

#[kernel]
fn recursive(input: &Surface2D, output: &mut Surface2D) {
    output.write(0, 0, &down(input.read::<u8, 4, 16>(0, 0)));
}

#[kernel]
fn misaligned(input: &Surface2D, output: &mut Surface2D) {
    output.write(thread_origin_x() * 6, 0, &input.read::<u8, 4, 16>(0, 0));
}

#[kernel]
fn far(input: &Surface2D, output: &mut Surface2D) {
    output.write(0, 0, &input.read::<u8, 4, 16>(1i64 << 31, 0));
}

#[kernel]
fn too_large<const N: usize>(input: &Surface2D, output: &mut Surface2D) {
    let zero = Vector::<f32, N>::splat(0);
    let m = input.read::<u8, 4, 16>(0, 0);
    output.write(0, 0, &m);
    output.write(0, 0, &zero.select::<4, 1>(0));
}

/// The host variable counts iterations that may not happen.
#[kernel]
fn host_variable_behind_a_break(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 16>(0, 0);
    let mut rounds: usize = 0;
    for i in 0..4 {
        if m.get(i, 0) > 3 {
            break;
        }
        rounds += 1;
    }
    output.write(0, rounds, &m);
}

#[kernel]
fn lanes<const N: usize>(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 16>(0, 0);
    let mut v = m.row(0).select::<N, 1>(0);
    simd_if! { v > 3 => {
        v += 1;
    } }
    output.write(0, 0, &m);
}

/// All exits are known.
#[kernel]
fn known_exits(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 4, 16>(0, 0);
    let mut rounds: usize = 0;
    'all: for i in 0..10 {
        for j in 0..10 {
            if j == 2 {
                continue;
            }
            if i == 2 {
                break 'all;
            }
            if j == 4 {
                break;
            }
            rounds += 1;
            m += j;
        }
    }
    output.write(0, rounds * 4, &m);
    if rounds > 5 {
        return;
    }
    output.write(0, 0, &m);
}

#[test]
fn exits_that_are_known_leave_no_trace() {
    let function = known_exits::ir().unwrap();
    let control = function.body.instructions().filter(|inst| inst.op.is_control_flow()).count();
    let stores = function.body.instructions().filter(|inst| matches!(inst.op, Op::Store(..))).count();
    let writes = function.body.instructions().filter(|inst| inst.op.name() == "write").count();
    assert_eq!((control, stores, writes), (0, 6, 1), "{function}");
}

#[test]
fn broken_rules_name_the_line() {
    assert!(computed_offset::<2>::ir().is_ok());
    let message = refused(computed_offset::<3>::ir());
    assert!(message.contains("kernel `computed_offset`") && message.contains("from row 3"), "{message}");
    let message = refused(host_variable::ir());
    assert!(message.contains("give it a staged type"), "{message}");
    let message = refused(host_variable_behind_a_break::ir());
    assert!(message.contains("give it a staged type"), "{message}");
    assert!(lanes::<8>::ir().is_ok());
    let message = refused(lanes::<12>::ir());
    assert!(message.contains("SIMD control flow over 12 lanes"), "{message}");
    let message = refused(endless::ir());
    assert!(message.contains("a host loop unrolls"), "{message}");
    let message = refused(endless_range::<{ usize::MAX }>::ir());
    assert!(message.contains("a host loop unrolls"), "{message}");
    let message = refused(recursive::ir());
    assert!(message.contains("calls itself"), "{message}");
    let message = refused(misaligned::ir());
    assert!(message.contains("multiple of 4"), "{message}");
    let message = refused(far::ir());
    assert!(message.contains("coordinate 2147483648 is not a signed 32-bit number"), "{message}");
    assert!(too_large::<1000>::ir().is_ok());
    let message = refused(too_large::<1024>::ir());
    assert!(message.contains("4096 bytes"), "{message}");
}

#[kernel]
fn regions<const AT: usize>(input: &Surface2D, output: &mut Surface2D) {
    let block = input.read::<u8, 4, 32>(thread_origin_x() * 16, 0);
    let lower = block.row(2).select::<16, 1>(AT);
    output.write(thread_origin_x() * 16, 0, &block.select::<1, 1, 16, 1>(1, 8));
    output.write(thread_origin_x() * 16, 1, &lower);
}

/// A name at the end of a range is not a member of the expression before it; all uses except regions need the
/// whole block.
#[kernel]
fn other_uses(input: &Surface2D, output: &mut Surface2D) {
    let count = input.read::<u8, 1, 4>(0, 0);
    let rest = input.read::<u8, 1, 16>(0, 1);
    let mut sum = rest.select::<1, 1, 16, 1>(0, 0);
    for _ in 0..count.get(0, 1) {
        sum += 1;
    }
    let copy = rest;
    output.write(0, 0, &(sum + copy).convert::<u8>());
}

#[test]
fn blocks_read_in_place_are_recorded_as_others() {
    assert!(other_uses::ir().is_ok());
    // The location is the call in this file, not the line of the attribute.
    let source = include_str!("recording.rs");
    let line = |what: &str| source.lines().position(|line| line.contains(what)).unwrap() + 1;
    let function = regions::<3>::ir().unwrap();
    let lines: Vec<_> = function
        .body
        .insts
        .iter()
        .filter(|inst| matches!(inst.op, Op::Access { kind: AccessKind::MediaRead, .. } | Op::Region(..)))
        .map(|inst| inst.location.line as usize)
        .collect();
    let lower = line("let lower = block.row(2)");
    assert_eq!(lines, [line("let block = input.read::<u8, 4, 32>"), lower, lower, lower + 1]);
    let message = refused(regions::<17>::ir());
    assert!(message.contains("kernel `regions`") && message.contains("17"), "{message}");
}

#[test]
fn a_refused_kernel_does_not_run() {
    let device = Device::cpu().unwrap();
    let input = Surface2D::from_bytes(&device, Format::R8, 16, 4, &[7; 64]).unwrap();
    let mut output = Surface2D::new(&device, Format::R8, 16, 4).unwrap();
    for _ in 0..2 {
        let error =
            host_variable::launch(&device, ThreadSpace::new(1, 1).unwrap(), &input, &mut output).unwrap_err();
        assert!(matches!(error, cm::Error::Record(_)), "{error}");
    }
    assert_eq!(output.to_vec().unwrap(), [0; 64]);
}

#[kernel]
fn tiles(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, (thread_origin_y() << 2) + 4 - 4);
    output.write(x, y, &input.read::<u8, 4, 16>(x - 4, y));
}

/// Code after an early return is known as well, including variables.
#[kernel]
fn returning(input: &Surface2D, output: &mut Surface2D) {
    let (mut x, y) = (thread_origin_x(), thread_origin_y() * 4);
    let t = input.read::<u8, 4, 16>(x * 16, y);
    if t.any() {
        return;
    }
    x *= 16;
    output.write(x, y, &t);
}

#[kernel]
fn overlapping(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 12, thread_origin_y() * 4);
    output.write(x, y, &input.read::<u8, 4, 16>(x, y));
}

#[kernel]
fn in_place(output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut m = output.read::<u8, 4, 16>(x, y);
    m += 1;
    output.write(x, y, &m);
}

#[kernel]
fn turned(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    output.write(y * 16, x * 4, &input.read::<u8, 4, 16>(x * 16, y * 4));
}

#[kernel]
fn turned_overlapping(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    output.write(y * 16, x * 3, &input.read::<u8, 4, 16>(x * 16, y * 4));
}

#[kernel]
fn diagonal(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    output.write(y * 16, y * 4, &input.read::<u8, 4, 16>(x * 16, y * 4));
}

#[kernel]
fn walking(input: &Surface2D, output: &mut Surface2D, steps: u32) {
    let y = thread_origin_y() * 4;
    let mut x = thread_origin_x();
    for i in 0..steps {
        x = i * 16;
        output.write(x, y, &input.read::<u8, 4, 16>(x, y));
    }
    output.write(x, y, &input.read::<u8, 4, 16>(x, y));
}

#[kernel]
fn following(input: &Surface2D, output: &mut Surface2D) {
    let mut y = thread_origin_y() * 8;
    output.write(0, y, &input.read::<u8, 4, 16>(0, y));
    y += 4;
    output.write(0, y, &input.read::<u8, 4, 16>(0, y));
}

#[kernel]
fn wide(input: &Surface2D, output: &mut Surface2D) {
    let y = (thread_origin_y() as u64 + 1 - 1) * 4;
    let far = (thread_origin_x() - 1) as u64;
    output.write(far * 16, y, &input.read::<u8, 4, 16>(0, y));
}

#[test]
fn threads_that_are_proven_apart_have_footprints() {
    let space = |width, height| Space {
        grid: Grid::single([width, height, 1]),
        surface_width: 64,
        surface_height: 64,
        period: 1,
    };
    let footprint = |function: cm::Result<cm::ir::Function>, argument, width, height| {
        summary(&function.unwrap()).footprint(argument, space(width, height))
    };
    let tile = footprint(tiles::ir(), 1, 4, 16).unwrap();
    assert!(tile.covers([2, 3], || 0, [32, 12], [16, 4]) && !tile.covers([2, 3], || 0, [31, 12], [16, 4]));
    assert!(!tile.covers([2, 3], || 0, [32, 12], [16, 5]) && !tile.covers([1, 3], || 0, [32, 12], [16, 4]));
    let tile = footprint(returning::ir(), 1, 4, 16).unwrap();
    assert!(tile.covers([2, 3], || 0, [32, 12], [16, 4]) && !tile.covers([1, 3], || 0, [32, 12], [16, 4]));
    assert!(footprint(overlapping::ir(), 1, 4, 16).is_none());
    assert!(footprint(overlapping::ir(), 1, 1, 16).is_some(), "one column of threads");
    let block = footprint(turned::ir(), 1, 16, 4).unwrap();
    assert!(block.covers([5, 3], || 0, [48, 20], [16, 4]) && !block.covers([5, 3], || 0, [49, 20], [16, 4]));
    assert!(!block.covers([5, 3], || 0, [48, 19], [16, 4]) && !block.covers([3, 5], || 0, [48, 20], [16, 4]));
    assert!(footprint(turned_overlapping::ir(), 1, 16, 4).is_none());
    assert!(
        footprint(turned_overlapping::ir(), 1, 1, 4).is_some(),
        "one column of threads, which is one row of blocks"
    );
    assert!(footprint(diagonal::ir(), 1, 16, 4).is_none(), "threads of a row write to one place");
    assert!(footprint(diagonal::ir(), 1, 1, 4).is_some());
    assert!(footprint(in_place::ir(), 0, 4, 16).is_some());
    assert!(
        footprint(in_place::ir(), 0, 5, 16).is_none(),
        "a read beyond the edge is another thread's texel"
    );
    assert!(footprint(walking::ir(), 2, 1, 16).is_some(), "argument 2 is no surface");
    assert!(footprint(walking::ir(), 1, 1, 16).is_some(), "rows are apart, whatever the columns");
    assert!(footprint(walking::ir(), 1, 2, 16).is_none());
    assert!(footprint(following::ir(), 1, 1, 8).is_some());
    assert!(footprint(wide::ir(), 1, 1, 16).is_some(), "the rows are followed through u64");
    assert!(footprint(wide::ir(), 1, 2, 16).is_none(), "the columns wrap");
    assert!(!summary(&tiles::ir().unwrap()).has_staged_control_flow());
    assert!(summary(&walking::ir().unwrap()).has_staged_control_flow());
    assert!(!summary(&known_exits::ir().unwrap()).has_staged_control_flow());
    assert!(summary(&tiles::ir().unwrap()).rows_stay_together());
    assert!(summary(&walking::ir().unwrap()).rows_stay_together(), "all threads walk as far");
    assert!(!summary(&returning::ir().unwrap()).rows_stay_together(), "the data decides");
    assert!(summary(&known_exits::ir().unwrap()).rows_stay_together());
}

#[kernel]
fn double(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 16>(0, 0);
    output.write(0, 0, &(m * 0.5).convert::<u8>());
}

#[test]
fn an_operation_that_a_target_lacks_names_the_line_and_a_remedy() {
    use cm::Target;
    assert!(double::spirv().is_ok());
    for target in [Target::XeLp, Target::XeHpg] {
        let message = double::spirv_for(target).unwrap_err().to_string();
        assert!(message.contains("recording.rs:") && message.contains("kernel `double`"), "{message}");
        assert!(message.contains("there is no f64") && message.contains("0.5f32"), "{message}");
    }
}

#[test]
fn the_documented_stages_are_those_of_the_kernel() {
    let text = include_str!("../../docs/book/src/stages.md");
    let ir = linear::linear1d2::ir().unwrap().to_string();
    for line in ir.lines().skip(1) {
        let line = line.rsplit_once(" @").map_or(line, |(instruction, _)| instruction);
        assert!(
            text.lines().any(|documented| documented == line),
            "docs/book/src/stages.md has no line `{line}`"
        );
    }
    let registers = linear::linear1d2::registers().unwrap().to_string();
    for line in registers.lines() {
        assert!(
            text.lines().any(|documented| documented == line),
            "docs/book/src/stages.md has no line `{line}`"
        );
    }
}

/// Five blocks of floats are live before the first of them is used.
#[kernel]
fn too_much(input: &Surface2D, output: &mut Surface2D) {
    let block = |i| input.read::<u8, 8, 32>(i * 32, 0).convert::<f32>();
    let (a, b, c, d, e) = (block(0), block(1), block(2), block(3), block(4));
    let sum: Matrix<u8, 8, 32> = (a * b + c * d + e).convert();
    output.write(0, 0, &sum);
}

/// Objects of these sizes in a kernel for a register file of 8192 bytes; functions for other register files.
#[kernel(register_file = 8192)]
fn larger<const R: usize>(input: &Buffer<f32>, output: &mut Buffer<f32>) {
    let mut m = Matrix::<f32, R, 64>::splat(filled::<8>(input));
    m.row_mut(0).assign(filled_more::<R>(input));
    output.write(0, &m.row(R - 1).select::<32, 1>(0));
}

#[kernel]
fn usual<const R: usize>(input: &Buffer<f32>, output: &mut Buffer<f32>) {
    output.write(0, &Vector::<f32, 32>::splat(filled_more::<R>(input)));
}

/// A function for the smallest register file.
#[function]
fn filled<const R: usize>(input: &Buffer<f32>) -> f32 {
    let m = Matrix::<f32, R, 64>::splat(input.read::<32>(0).get(1));
    m.get(R - 1, 0)
}

/// A function for the largest one.
#[function(register_file = 16384)]
fn filled_more<const R: usize>(input: &Buffer<f32>) -> f32 {
    let m = Matrix::<f32, R, 64>::splat(input.read::<32>(0).get(2));
    m.get(R - 1, 0)
}

/// A result of 40 KB, from an object of 10 KB.
#[kernel(register_file = 16384)]
fn long_sums(input: &Buffer<u8>, output: &mut Buffer<u8>) {
    let m = input.read_linear::<10240>(0);
    output.write(0, &(m + 1).convert::<u8>().select::<16, 1>(0));
}

#[test]
fn objects_fit_the_register_file_that_the_kernel_declares() {
    assert!(larger::<31>::ir().is_ok());
    let message = refused(larger::<32>::ir());
    assert!(message.contains("an object of 8192 bytes"), "{message}");
    assert!(message.contains("objects are smaller than 8192 bytes"), "{message}");
    assert!(usual::<15>::ir().is_ok(), "a function for a larger register file, with smaller objects");
    let message = refused(usual::<16>::ir());
    assert!(message.contains("objects are smaller than 4096 bytes"), "{message}");
    let message = refused(long_sums::ir());
    assert!(message.contains("a value of 40960 bytes"), "{message}");
}

#[test]
fn reports_and_modules_are_for_the_register_file_that_the_kernel_declares() {
    let report = larger::<31>::registers().unwrap();
    assert_eq!(report.budget(), 8192);
    assert!(report.fits() && report.peak().bytes > 4096, "{report}");
    assert!(report.to_string().contains(" of 256 registers"), "{report}");
    let module = |target| larger::<31>::spirv_for(target).map_err(|error| error.to_string());
    let message = module(Target::Gen9).unwrap_err();
    assert!(message.contains("8192 bytes, and that of Gen9 has 4096"), "{message}");
    for target in [Target::XeHpg, Target::XeHpc, Target::Xe2, Target::Xe3, Target::Xe3p] {
        assert!(module(target).is_ok(), "{target}");
    }
}

#[test]
fn more_than_the_register_file_holds_names_the_line() {
    let report = too_much::registers().unwrap();
    assert!(!report.fits() && report.peak().bytes > report.budget(), "{report}");
    let message = too_much::spirv().unwrap_err().to_string();
    assert!(message.contains("recording.rs:") && message.contains("Gen9 has 4096"), "{message}");
    assert!(too_much::spirv_for(Target::XeHpc).is_ok(), "registers of 64 bytes hold it");
}

/// Hides a copy from the syntax, which is rejected.
fn copied<T: Copy>(x: &T) -> T {
    *x
}

#[kernel]
fn stale(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 1, 4>(0, 0);
    let old = copied(&m);
    m += 1;
    output.write(0, 0, &old);
}

fn bump(k: &mut usize) {
    *k += 1;
}

#[kernel]
fn host_reference(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 16>(0, 0);
    let mut k = 0usize;
    if thread_origin_x() == 5 {
        bump(&mut k);
    }
    output.write(0, k, &m);
}

#[kernel]
fn never(output: &mut Surface2D) {
    let mut n = 0usize;
    while n < 1 {
        n += 0;
    }
    output.write(0, 0, &Vector::<u8, 4>::splat(1));
}

#[test]
fn copies_that_syntax_does_not_show_are_refused() {
    assert!(refused(stale::ir()).contains("a copy of a variable that was stored since"));
    assert!(refused(host_reference::ir()).contains("give it a staged type"));
    assert!(refused(never::ir()).contains("a host loop unrolls"));
}

const B: usize = 4;

#[kernel]
fn args(source: &Surface2D, output: &mut Surface2D) {
    let m = source.read::<u8, B, 32>(0, 0);
    output.write(0, 0, &Vector::<u8, B>::splat(first::<B>(m)));
}

#[function]
fn first<const N: usize>(m: Matrix<u8, 4, 32>) -> u8 {
    m.get(N - 1, N)
}

#[test]
fn names_of_the_macro_may_be_the_users() {
    let text = args::ir().unwrap().to_string();
    let line = |what: &str| -> u32 {
        let line = text.lines().find(|line| line.contains(what)).unwrap();
        line.rsplit(':').nth(1).unwrap().parse().unwrap()
    };
    assert_eq!(line(" splat "), line(" read #") + 1, "the constructor stands in its own line: {text}");
}
