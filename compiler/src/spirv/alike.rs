//! Checks that a rewritten kernel does the same as the original: both are interpreted on the same surfaces.

use crate::interpret::{InterpretArg, InterpretSurface, interpret};
use crate::ir::Function;
use crate::spirv::binary::Op;
use crate::text::parse;
use crate::verify::verify;

const WIDTH: usize = 256;
const HEIGHT: usize = 24;

#[derive(Clone, PartialEq, Debug)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn noise(mut state: u32) -> Self {
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        Self((0..WIDTH * HEIGHT).map(next).collect())
    }
}

impl InterpretSurface for Bytes {
    fn read_row(&self, x: i32, y: i32, row: &mut [u8]) {
        let y = y.clamp(0, HEIGHT as i32 - 1) as usize;
        for (at, byte) in (x..).zip(row) {
            *byte = self.0[y * WIDTH + at.clamp(0, WIDTH as i32 - 1) as usize];
        }
    }

    fn write_row(&mut self, x: i32, y: i32, row: &[u8]) {
        for (at, byte) in (x..).zip(row) {
            let inside = (0..WIDTH as i32).contains(&at) && (0..HEIGHT as i32).contains(&y);
            if inside {
                self.0[y as usize * WIDTH + at as usize] = *byte;
            }
        }
    }
}

/// A kernel of these lines, separated by `;`, that reads surface 0 and writes surface 1.
pub(super) fn kernel(lines: &str) -> Function {
    let lines = lines.replace("; ", " @0:1:1\n").replace(";\n", " @0:1:1\n");
    let text = format!("file 0 \"k.rs\" kernel k(i: read surface, o: write surface) {{ {lines} }}");
    let function = parse(&text.replace('|', ";")).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&function).unwrap_or_else(|error| panic!("{error}\n{function}"));
    function
}

/// Asserts that both kernels write the same bytes, including at the edges of the surface.
pub(super) fn assert_alike(function: &Function, other: &Function) {
    verify(other).unwrap_or_else(|error| panic!("{error}\n{other}"));
    for origin in [[0, 0], [1, 2], [3, 7], [0xffff_fffe, 3]] {
        let written = |function: &Function| {
            let (mut input, mut output) = (Bytes::noise(1), Bytes::noise(2));
            let mut args = [InterpretArg::Surface(&mut input), InterpretArg::Surface(&mut output)];
            interpret(function, &mut args, origin).unwrap_or_else(|error| panic!("{error}\n{function}"));
            output
        };
        assert!(written(function) == written(other), "thread {origin:?} of\n{function}{other}");
    }
}

/// How often a module has an instruction.
pub(super) fn count(module: &[u32], op: Op) -> usize {
    let (mut rest, mut found) = (&module[5..], 0);
    while let Some(&first) = rest.first() {
        found += usize::from(first & 0xffff == op as u32);
        rest = &rest[first as usize >> 16..];
    }
    found
}
