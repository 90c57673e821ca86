//! The interpreter runs kernels that print; the records in the buffer are compared with the expected lines.

use super::*;
use crate::interpret::{
    BUDGET, InterpretArg, InterpretBuffer, interpret, interpret_group, interpret_printing,
};
use crate::ir::{DependencyPattern, Grid, Waves};
use crate::spirv::passes::dispatch::{self, LINE_DWORDS, line_argument};
use crate::spirv::{Target, lower};
use crate::text::parse;
use crate::verify::verify;

#[derive(Debug)]
struct Dwords(Vec<u32>);

impl InterpretBuffer for Dwords {
    fn size(&self) -> usize {
        4 * self.0.len()
    }

    fn read(&self, offset: u32, bytes: &mut [u8]) {
        for (n, byte) in bytes.iter_mut().enumerate() {
            let at = offset as usize + n;
            *byte = self.0.get(at / 4).map_or(0, |dword| dword.to_le_bytes()[at % 4]);
        }
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) {
        for (n, byte) in bytes.iter().enumerate() {
            let at = offset as usize + n;
            if let Some(dword) = self.0.get_mut(at / 4) {
                let mut own = dword.to_le_bytes();
                own[at % 4] = *byte;
                *dword = u32::from_le_bytes(own);
            }
        }
    }
}

fn kernel(body: &str) -> Function {
    let function = parse(&format!("file 0 \"k.rs\"\nkernel k() {{\n{body}}}\n")).unwrap();
    assert_eq!(parse(&function.to_string()).unwrap(), function);
    verify(&function).unwrap();
    function
}

/// Runs the kernel with a buffer for all these threads.
fn run(function: &Function, threads: u32) -> Dwords {
    let expanded = expand(function, Dispatch::Groups).unwrap();
    verify(&expanded).unwrap();
    for target in [Target::Gen9, Target::XeHpc, Target::Xe2] {
        lower(function, target).unwrap();
    }
    let mut buffer = Dwords(vec![0; PRINTF_BYTES / 4]);
    for x in 0..threads {
        interpret(&expanded, &mut [InterpretArg::Buffer(&mut buffer)], [x, 7]).unwrap();
    }
    buffer
}

/// A value of each element type, and all layouts.
const VALUES: &str = r#"
  %0: u8<1x5> = constant [1, 2, 3, 254, 255] @0:1:1
  %1: i16<3x13> = constant -2 @0:1:1
  %2: f16<1x2> = constant [0.5, -1.5] @0:1:1
  %3: f32 = constant 0.1 @0:1:1
  %4: f64<1x11> = constant 1e300 @0:1:1
  %5: i64<2x2> = constant [-1, 2, -3, 4] @0:1:1
  %6: u32 = thread x @0:1:1
  %7: i32<1x33> = constant -7 @0:1:1
  print "{row:?} {rows:x?} {row:?}\u{a}", %0, %1, %2 @0:2:1
  print "{{{:.3}}} {row:e} {rows:+?} {:>4}", %3, %4, %5, %6 @0:3:1
  print "{row:?}", %7 @0:4:1
  print "nothing" @0:5:1
"#;

#[test]
fn the_host_reads_what_the_interpreter_prints() {
    let function = kernel(VALUES);
    let mut expected = Vec::new();
    for x in 0..3 {
        let mut print = |text| expected.push(PrintfLine { thread: [x, 7], text });
        interpret_printing(&function, &mut [], [x, 7], BUDGET, &mut print).unwrap();
    }
    assert_eq!(
        expected[1].text,
        "{0.100} [1e300, 1e300, 1e300, 1e300, 1e300, 1e300, 1e300, 1e300, 1e300, 1e300, \
         1e300] [[-1, +2], [-3, +4]]    0"
    );
    let buffer = run(&function, 3).0;
    let filled = printf_filled_bytes(buffer[0]) / 4;
    assert!(buffer[filled - 1] != 0 && buffer[filled..].iter().all(|dword| *dword == 0));
    assert_eq!(printed_lines(&function, &buffer[..filled]), (expected, 0));
}

/// The lines of a launch of groups. `line` is the argument of a line of threads.
fn lines(
    function: &Function,
    dispatch: Dispatch,
    grid: Grid,
    line: Option<[u32; LINE_DWORDS]>,
) -> Vec<PrintfLine> {
    let launched = dispatch::expand(function, dispatch).unwrap();
    let expanded = expand(&launched, dispatch).unwrap();
    verify(&expanded).unwrap();
    let mut buffer = Dwords(vec![0; PRINTF_BYTES / 4]);
    let bytes: Vec<u8> = line.iter().flatten().flat_map(|dword| dword.to_le_bytes()).collect();
    for group in 0..grid.group_count() {
        let ty = Type::new(ElemType::U32, 1, LINE_DWORDS);
        let mut args = vec![InterpretArg::Buffer(&mut buffer)];
        if line.is_some() {
            args.insert(0, InterpretArg::Uniform { ty, bytes: &bytes });
        }
        interpret_group(&expanded, &mut args, grid, group, BUDGET, &mut |_| {}).unwrap();
    }
    let (mut lines, dropped) = printed_lines(function, &buffer.0);
    assert_eq!(dropped, 0);
    lines.sort_by_key(|line| [line.thread[1], line.thread[0]]);
    lines
}

#[test]
fn records_have_the_coordinates_in_the_thread_space() {
    let function =
        kernel("%0: u32 = thread x @0:1:1\n%1: u32 = thread y @0:1:1\nprint \"{} {}\", %0, %1 @0:2:1\n");
    let expected = |[width, height]: [u32; 2]| -> Vec<PrintfLine> {
        let threads = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
        threads.map(|[x, y]| PrintfLine { thread: [x, y], text: format!("{x} {y}") }).collect()
    };
    for size @ [width, height] in [[2, 1], [6, 3], [3, 4]] {
        let grid = Grid::single([width, height, 1]);
        let pairs = Dispatch::pairs(grid).unwrap();
        assert_eq!(lines(&function, pairs, pairs.grid(grid), None), expected(size), "{size:?}");
    }
    let size = [3, 4];
    let waves = Waves::new(DependencyPattern::WAVEFRONT26, size);
    let mut all = Vec::new();
    for line in (0..waves.count()).flat_map(|wave| waves.lines(wave).collect::<Vec<_>>()) {
        let grid = Grid::single([line.count, 1, 1]);
        all.extend(lines(&function, Dispatch::Line, grid, Some(line_argument(line, size))));
    }
    all.sort_by_key(|line| [line.thread[1], line.thread[0]]);
    assert_eq!(all, expected(size));
}

#[test]
fn lines_inside_of_control_flow_have_their_own_numbers() {
    let function = kernel(
        r#"
  %0: u32 = thread x @0:1:1
  %1: condition = any %0 @0:1:1
  if %1 @0:1:1 {
    print "then {}", %0 @0:2:1
  } else {
    print "else {}", %0 @0:3:1
  }
  print "after" @0:4:1
"#,
    );
    let (lines, dropped) = printed_lines(&function, &run(&function, 2).0);
    let texts: Vec<&str> = lines.iter().map(|line| &*line.text).collect();
    assert_eq!((texts, dropped), (vec!["else 0", "after", "then 1", "after"], 0));
}

#[test]
fn what_does_not_fit_is_counted() {
    let function = kernel(VALUES);
    let mut buffer = run(&function, 1);
    // As if other lines had left only this much space.
    let (lines, _) = printed_lines(&function, &buffer.0);
    let taken = buffer.0[0] as usize;
    let mut room = PrintfRoom { taken: RECORDS - taken };
    buffer.0[0] = (RECORDS - 10) as u32;
    let expanded = expand(&function, Dispatch::Groups).unwrap();
    for _ in 0..2 {
        interpret(&expanded, &mut [InterpretArg::Buffer(&mut buffer)], [0, 0]).unwrap();
    }
    // Only the first line occupied space, although all lines are counted.
    assert_eq!(buffer.0[1], 12);
    assert!(buffer.0[0] as usize > RECORDS && (buffer.0[0] as usize) < RECORDS + 100);
    assert_eq!(printf_filled_bytes(buffer.0[0]), PRINTF_BYTES);
    assert_eq!(printed_lines(&function, &buffer.0[..HEADER + taken]), (lines, 8));
    let value = |count| Printed { elem: ElemType::U8, columns: count, bits: vec![0; count] };
    assert!(room.take(&[value(taken - RECORD_HEADER)]));
    assert!(!room.take(&[]));
    let mut room = PrintfRoom { taken: RECORDS - 1 };
    assert!(!room.take(&[]) && !room.take(&[]));
    assert_eq!(room.taken, RECORDS + 2);
}

#[test]
fn kernels_that_print_nothing_stay_as_they_are() {
    assert!(expand(&kernel("  %0: u32<1x4> = clock @0:1:1\n"), Dispatch::Groups).is_none());
}
