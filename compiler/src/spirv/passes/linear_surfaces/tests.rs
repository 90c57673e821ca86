//! Surfaces in buffers, interpreted: each access gives the same as on a surface.

use super::*;
use crate::interpret::bytes::Bytes;
use crate::interpret::{BUDGET, InterpretArg, InterpretSurface, interpret, interpret_printing};
use crate::ir::Type;
use crate::ops::{AtomicKind, ChannelMask, Dims, Texel};
use crate::text::parse;
use crate::verify::verify;

/// The bytes of a row, from 8 bytes before the surface to 8 bytes after it, as letters.
const EDGES: [(&str, usize, Option<[usize; 2]>, &str); 6] = [
    ("abcd", 1, None, "aaaaaaaaabcddddddddd"),
    ("abcd", 2, None, "abababababcdcdcdcdcd"),
    ("abcdefgh", 4, None, "abcdabcdabcdefghefghefgh"),
    ("abc", 1, None, "aaaaaaaaabccccccccc"),
    ("yuzvYUZV", 4, Some([2, 0]), "yuyvyuyvyuzvYUZVZUZVZUZV"),
    ("uyvzUYVZ", 4, Some([3, 1]), "uyvyuyvyuyvzUYVZUZVZUZVZ"),
];

/// Targets without messages for 2-D blocks and with them.
const TARGETS: [Target; 2] = [Target::Gen9, Target::XeHpc];

/// Runs a kernel on a surface whose buffer has other bytes, `-`, after each row, and two more rows of them. Returns both
/// buffers, which are the same for all targets.
fn run(
    text: &str,
    rows: &[&str],
    period: usize,
    replaced: Option<[usize; 2]>,
    place: [i32; 2],
) -> (Vec<u8>, Vec<u8>) {
    let all = TARGETS.map(|target| run_for(target, text, rows, (period, replaced), place));
    assert_eq!(all[0], all[1], "{place:?}\n{text}");
    let [first, _] = all;
    first
}

fn run_for(
    target: Target,
    text: &str,
    rows: &[&str],
    (period, replaced): (usize, Option<[usize; 2]>),
    [x, y]: [i32; 2],
) -> (Vec<u8>, Vec<u8>) {
    let function = parse(text).unwrap();
    verify(&function).unwrap();
    let linear = expand(&function, target).unwrap();
    verify(&linear).unwrap_or_else(|error| panic!("{error}\n{linear}"));
    let width = rows[0].len();
    let mut memory = Bytes(vec![b'-'; LINEAR_PITCH * (rows.len() + 2)]);
    for (row, text) in rows.iter().enumerate() {
        memory.0[LINEAR_PITCH * row..][..width].copy_from_slice(text.as_bytes());
    }
    let shape = LinearShape {
        pitch: LINEAR_PITCH,
        width,
        height: rows.len(),
        slices: None,
        period,
        replaced,
        texel: Texel::Byte,
    };
    let mut output = Bytes(vec![0; 128]);
    let [x, y] = [x, y].map(i32::to_le_bytes);
    let (shape, number) = (shape.bytes(), Type::scalar(ElemType::I32));
    let mut args = [
        InterpretArg::Buffer(&mut memory),
        InterpretArg::Buffer(&mut output),
        InterpretArg::Uniform { ty: number, bytes: &x },
        InterpretArg::Uniform { ty: number, bytes: &y },
        InterpretArg::Uniform { ty: Type::new(ElemType::I32, 1, NUMBERS), bytes: &shape },
    ];
    interpret(&linear, &mut args, [0, 0]).unwrap();
    // Messages write rows of at least 64 bytes: nothing reads those after the surface.
    for row in memory.0.chunks_mut(LINEAR_PITCH).take(rows.len()) {
        row[width..].fill(b'-');
    }
    (memory.0, output.0)
}

const START: &str = "file 0 \"k.rs\" kernel k(s: write surface, out: write buffer u8, x: i32, y: i32) {
    %0: i32 = argument #2 @0:1:1
    %1: i32 = argument #3 @0:1:1
    %9: u32 = constant 0 @0:1:1
";

#[test]
fn reads_follow_the_edge_rule() {
    let text = format!(
        "{START} %2: u16<2x4> = read #0 %0, %1 @0:2:1
        %3: u8<1x16> = format %2 @0:3:1
        oword_write #1 %9, %3: u8<1x16> @0:3:1 }}"
    );
    for (row, period, replaced, around) in EDGES {
        let upper: String = row.chars().rev().collect();
        let above: &str = if replaced.is_some() { row } else { &upper };
        for x in -8..row.len() as i32 {
            for y in [i32::MIN, -1, 0, 1, 2, i32::MAX] {
                let (_, found) = run(&text, &[above, row], period, replaced, [x, y]);
                let from = (x + 8) as usize;
                let expected = &around.as_bytes()[from..from + 8];
                let second = i64::from(y) + 1 >= 1;
                if second {
                    assert_eq!(&found[8..16], expected, "{row} at {x}, {y}");
                }
                assert_eq!(found[..8] == *expected, y >= 1 || replaced.is_some(), "{row} at {x}, {y}");
            }
        }
        for x in [i32::MIN, i32::MIN + 4, -1000] {
            assert_eq!(
                run(&text, &[row], period, replaced, [x, 0]).1[..8],
                around.as_bytes()[..8],
                "{row} at {x}"
            );
        }
        if row.len() % 4 == 0 {
            for x in [i32::MAX - 3, 400] {
                let expected = &around.as_bytes()[around.len() - 8..];
                assert_eq!(&run(&text, &[row], period, replaced, [x, 0]).1[..8], expected, "{row} at {x}");
            }
        }
    }
}

#[test]
fn writes_change_what_is_inside_and_nothing_else() {
    for (width, count) in [(4, 8), (16, 32), (48, 52)] {
        let text = format!(
            "{START} %2: u8<2x{width}> = constant 120 @0:2:1
            write #0 %0, %1, %2: u8<2x{width}> @0:3:1 }}"
        );
        let row = ".".repeat(count);
        for x in [i32::MIN, -64, -3, 0, 1, 16, count as i32 - 4, count as i32, i32::MAX] {
            for y in [i32::MIN, -2, -1, 0, 1, 2, 3, i32::MAX] {
                let (found, _) = run(&text, &[&row, &row, &row], 1, None, [x, y]);
                for (at, byte) in found.iter().enumerate() {
                    let (column, line) = ((at % LINEAR_PITCH) as i64, (at / LINEAR_PITCH) as i64);
                    let inside = (0..3).contains(&line) && column < count as i64;
                    let (x, y) = (i64::from(x), i64::from(y));
                    let written = (x..x + width).contains(&column) && (y..y + 2).contains(&line);
                    let expected = if !inside {
                        b'-'
                    } else if written {
                        b'x'
                    } else {
                        b'.'
                    };
                    assert_eq!(*byte, expected, "{width} bytes at {x}, {y}: byte {column} of row {line}");
                }
            }
        }
    }
}

/// Blocks that take several messages for 2-D blocks: of 64 bytes at any byte, and of 64 rows.
#[test]
fn large_blocks_are_read_and_written_in_parts() {
    let rows: Vec<String> =
        (0..80_u32).map(|n| (0..64).map(|m| char::from(b'0' + ((n * 7 + m) % 60) as u8)).collect()).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    for (height, width) in [(4, 64), (64, 4), (4, 52), (16, 16)] {
        let text = format!(
            "{START} %2: u8<{height}x{width}> = read #0 %0, %1 @0:2:1
            %3: i32 = constant 8 @0:2:1
            %4: i32 = add.i32 %1, %3 @0:2:1
            %5: i32 = sub.i32 %0, %0 @0:2:1
            write #0 %5, %4, %2: u8<{height}x{width}> @0:3:1 }}"
        );
        for [x, y] in [[0, 0], [3, 2], [1, 8], [-1, 0]] {
            let (found, _) = run(&text, &rows, 1, None, [x, y]);
            for (at, byte) in found.iter().enumerate().take(LINEAR_PITCH * rows.len()) {
                let (column, line) = ((at % LINEAR_PITCH) as i32, (at / LINEAR_PITCH) as i32);
                let written = column < width && (y + 8..y + 8 + height).contains(&line);
                let (from, row) =
                    if written { ((column + x).clamp(0, 63), line - 8) } else { (column, line) };
                let expected = rows[row as usize].as_bytes()[from as usize];
                assert_eq!(*byte, expected, "{height} x {width} at {x}, {y}: byte {column} of row {line}");
            }
        }
    }
}

/// A surface of texels in a buffer.
#[derive(Clone, Debug)]
struct Texels(Texel, Vec<u8>, Dims);

/// Texels of a row, rows, and slices.
const fn texels(dims: Dims) -> [u32; 3] {
    match dims {
        Dims::Two => [6, 3, 1],
        Dims::Three => [6, 3, 2],
    }
}

/// The kind of surface, and the operands after `%0` and `%1`: the slices, `%9`.
fn slices(dims: Dims) -> [&'static str; 3] {
    match dims {
        Dims::Two => ["surface", "", ""],
        Dims::Three => {
            let slices = "%9: u32<1x8> = constant [0, 1, 0, 0, 1, 2, 1, 4294967295] @0:1:1";
            ["surface_3d", ", %9", slices]
        }
    }
}

impl InterpretSurface for Texels {
    fn read_row(&self, x: i32, y: i32, row: &mut [u8]) {
        row.copy_from_slice(&self.1[LINEAR_PITCH * y as usize + x as usize..][..row.len()]);
    }

    fn write_row(&mut self, x: i32, y: i32, row: &[u8]) {
        self.1[LINEAR_PITCH * y as usize + x as usize..][..row.len()].copy_from_slice(row);
    }

    fn texels(&self) -> (Texel, [u32; 3]) {
        (self.0, texels(self.2))
    }
}

/// A kernel that reads channels of texels to a buffer, and writes them to other texels.
fn typed(channels: ChannelMask, dims: Dims) -> String {
    let (read, write, rows) = (channels.read_name(dims), channels.write_name(dims), channels.count());
    let [surface, r, slices] = slices(dims);
    let number = |n: u32| [n, 300 * n, 70_000 * n, u32::MAX - n][n as usize % 4];
    let written: Vec<u32> = (0..8 * rows as u32).map(number).collect();
    let mut text = format!(
        "file 0 \"k.rs\" kernel k(s: write {surface}, out: write buffer u32) {{
        {slices}
        %0: u32<1x8> = constant [0, 1, 2, 3, 4, 5, 6, 4294967295] @0:1:1
        %1: u32<1x8> = constant [0, 2, 1, 3, 0, 2, 1, 0] @0:1:1
        %2: u32<{rows}x8> = {read} #0 %0, %1{r} @0:2:1\n"
    );
    for row in 0..rows {
        let (first, part) = (10 + 2 * row, 11 + 2 * row);
        let elements: Vec<usize> = (8 * row..8 * (row + 1)).collect();
        text += &format!(
            "%{first}: u32<1x8> = constant {elements:?} @0:2:1
            %{part}: u32<1x8> = region %2[{}; 8, 8, 1] @0:2:1
            scatter #1 %{first}, %{part}: u32<1x8> @0:2:1\n",
            8 * row
        );
    }
    text + &format!(
        "%3: u32<{rows}x8> = constant {written:?} @0:3:1
        {write} #0 %1, %0{r}, %3: u32<{rows}x8> @0:3:1 }}"
    )
}

/// A kernel, and its form for a surface in a buffer.
fn forms(text: &str) -> (Function, Function) {
    let function = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&function).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let linear = expand(&function, Target::XeHpc).unwrap();
    verify(&linear).unwrap_or_else(|error| panic!("{error}\n{linear}"));
    (function, linear)
}

/// The layout of a surface of [`Texels`] in a buffer.
fn shape_of(texel: Texel, dims: Dims) -> LinearShape {
    let [width, height, depth] = texels(dims).map(|n| n as usize);
    LinearShape {
        pitch: LINEAR_PITCH,
        width: width * texel.bytes(),
        height,
        slices: (dims == Dims::Three).then_some(depth),
        period: texel.bytes(),
        replaced: None,
        texel,
    }
}

#[test]
fn texels_are_those_of_surfaces() {
    for (channels, dims) in ChannelMask::ALL.into_iter().flat_map(|mask| Dims::ALL.map(|dims| (mask, dims))) {
        let (function, linear) = forms(&typed(channels, dims));
        for texel in [Texel::Byte, Texel::Word, Texel::Dword, Texel::Float, Texel::Bytes] {
            let bytes: Vec<u8> = (0..LINEAR_PITCH as u32 * 8).map(|n| ((n * 37) >> 3) as u8).collect();
            let [mut expected, mut found] = [(); 2].map(|()| Bytes(vec![0; 128]));
            let mut surface = Texels(texel, bytes.clone(), dims);
            let mut args = [InterpretArg::Surface(&mut surface), InterpretArg::Buffer(&mut expected)];
            interpret(&function, &mut args, [0, 0]).unwrap();
            let (mut memory, shape) = (Bytes(bytes.clone()), shape_of(texel, dims).bytes());
            let mut args = [
                InterpretArg::Buffer(&mut memory),
                InterpretArg::Buffer(&mut found),
                InterpretArg::Uniform { ty: Type::new(ElemType::I32, 1, NUMBERS), bytes: &shape },
            ];
            interpret(&linear, &mut args, [0, 0]).unwrap();
            let name = channels.read_name(dims);
            assert_eq!(found.0, expected.0, "{name} of {texel:?}");
            let changes = channels.channels().any(|channel| texel.start(channel).is_some());
            assert_eq!(memory.0 != bytes, changes, "{} of {texel:?}", channels.write_name(dims));
            assert_eq!(memory.0, surface.1, "{} of {texel:?}", channels.write_name(dims));
        }
    }
}

/// A kernel that updates texels, some of them twice and some outside, and prints their old values.
fn atomic(kind: AtomicKind, elem: ElemType, dims: Dims) -> String {
    let sources = [", %3", ", %4"][..kind.sources()].concat();
    let (name, read) = (kind.typed_name(dims), ChannelMask::RED.read_name(dims));
    let [surface, r, slices] = slices(dims);
    format!(
        "file 0 \"k.rs\" kernel k(s: write {surface}) {{
        {slices}
        %0: u32<1x8> = constant [0, 1, 2, 5, 5, 6, 4, 4294967295] @0:1:1
        %1: u32<1x8> = constant [0, 2, 1, 2, 2, 2, 3, 0] @0:1:1
        %2: {elem}<1x8> = {read} #0 %0, %1{r} @0:2:1
        %6: u32<1x8> = constant [7, 2147483648, 9, 3000000000, 5, 6, 1, 0] @0:2:1
        %3: {elem}<1x8> = format %6 @0:2:1
        %4: {elem}<1x8> = region %2 [0; 8, 8, 1] @0:2:1
        %5: {elem}<1x8> = {name} #0 %0, %1{r}{sources} @0:3:1
        print \"{{row:?}}\", %5 @0:4:1 }}"
    )
}

#[test]
fn atomic_operations_on_texels_are_those_of_surfaces() {
    let elems = [ElemType::U32, ElemType::I32];
    let kinds = AtomicKind::ALL.iter().flat_map(|kind| elems.map(|elem| (*kind, elem)));
    for ((kind, elem), dims) in kinds.flat_map(|kind| Dims::ALL.map(|dims| (kind, dims))) {
        let (function, linear) = forms(&atomic(kind, elem, dims));
        let texel = Texel::Dword;
        let bytes: Vec<u8> = (0..LINEAR_PITCH as u32 * 8).map(|n| (((n + 64) * 37) >> 1) as u8).collect();
        let (mut surface, mut lines) = (Texels(texel, bytes.clone(), dims), [String::new(), String::new()]);
        let mut args = [InterpretArg::Surface(&mut surface)];
        let mut print = |line: String| lines[0] += &line;
        interpret_printing(&function, &mut args, [0, 0], BUDGET, &mut print).unwrap();
        let (mut memory, shape) = (Bytes(bytes.clone()), shape_of(texel, dims).bytes());
        let mut args = [
            InterpretArg::Buffer(&mut memory),
            InterpretArg::Uniform { ty: Type::new(ElemType::I32, 1, NUMBERS), bytes: &shape },
        ];
        let mut print = |line: String| lines[1] += &line;
        interpret_printing(&linear, &mut args, [0, 0], BUDGET, &mut print).unwrap();
        assert_eq!(lines[1], lines[0], "{kind:?} {elem}");
        assert_eq!(memory.0, surface.1, "{kind:?} {elem}");
        assert!(surface.1 != bytes && !lines[0].is_empty(), "{kind:?} {elem}");
    }
}

#[test]
fn kernels_without_surfaces_stay_as_they_are() {
    let function = parse("file 0 \"k.rs\" kernel k(n: u32) { %0: u32 = argument #0 @0:1:1 }").unwrap();
    assert_eq!(TARGETS.map(|target| expand(&function, target)), [None, None]);
}
