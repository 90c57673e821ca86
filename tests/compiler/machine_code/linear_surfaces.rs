//! Surfaces in buffers: the machine code moves the bytes that the CPU moves. The blocks of a kernel cover the surface:
//! some are inside, others reach beyond each edge and each corner, or are outside. On GPUs with messages for 2-D blocks
//! those inside use them.

use cm::compiler::elem::ElemType;
use cm::compiler::ops::Texel;
use cm::ir::{Function, Type};
use cm::prelude::*;
use cm::spirv::{LINEAR_PITCH, LinearShape, lower_with_linear_surfaces};
use cm::{RegisterFile, Target};
use cm_test_kernels::{classes, everyday, linear};
use cm_test_support::arguments::Argument;
use cm_test_support::emulator::Emulator;
use cm_test_support::inside::inside;
use cm_test_support::noise::bytes;

/// Columns and rows of threads. With the surfaces below, no two blocks that a kernel writes overlap.
const GRID: (usize, usize) = (6, 5);
/// Bytes between the rows in a buffer.
const PADDING: u8 = 0xEE;

/// Kernels that copy blocks, and in which columns are known to be whole dwords: rows, bytes of a row that is read, and
/// bytes of a row that is written.
macro_rules! for_each_kernel {
    ($macro:ident $($more:tt)*) => {
        $macro! { $($more)*
            rows_of_32: 8 x 32;
            rows_of_24: 8 x 24;
            rows_of_64: 4 x 64;
            columns_of_16: 16 x 16;
            columns_of_4: 64 x 4;
            one_row_of_12: 1 x 12;
            five_rows_of_20: 5 x 20;
        }
    };
}

macro_rules! kernels {
    ($($name:ident: $r:literal x $c:literal;)*) => {$(
        /// Reads at any byte, so that blocks start anywhere in a dword.
        #[kernel]
        fn $name(input: &Surface2D, output: &mut Surface2D, column: i32, row: i32) {
            let (tx, ty) = (thread_origin_x().convert::<i32>(), thread_origin_y().convert::<i32>());
            let block = input.read::<u8, $r, $c>(tx * $c + column, ty * $r + row);
            output.write(tx * $c - $c / 8 * 4, ty * $r - $r / 2, &block);
        }
    )*};
}
for_each_kernel!(kernels);

/// Reads at whole dwords, and rows that are not whole dwords.
#[kernel]
fn whole_dwords(input: &Surface2D, output: &mut Surface2D, column: i32, row: i32) {
    let (tx, ty) = (thread_origin_x().convert::<i32>(), thread_origin_y().convert::<i32>());
    let mut block = Matrix::<u8, 4, 16>::splat(7);
    block.select_mut::<4, 1, 13, 1>(0, 0).assign(input.read::<u8, 4, 13>(tx * 16 - 8, ty * 4 - 2));
    block.select_mut::<4, 1, 3, 1>(0, 13).assign(input.read::<u8, 4, 3>(tx * 16 + column, ty * 4 + row));
    output.write(tx * 16 - 8, ty * 4 - 2, &block);
}

/// Rows that start at a known byte of a dword, and rows of several blocks.
#[kernel]
fn known_bytes(input: &Surface2D, output: &mut Surface2D, column: i32, row: i32) {
    let (tx, ty) = (thread_origin_x().convert::<i32>() * 16, thread_origin_y().convert::<i32>() * 8);
    let left = input.read::<u8, 4, 16>(tx - 5, ty - 3);
    let below = input.read::<u8, 4, 16>(tx - 5, ty + 1);
    let right = input.read::<u8, 8, 16>(tx + 2, ty + row);
    let last = input.read::<u16, 8, 8>(tx + 1, ty + column);
    let mut block = right ^ last.format::<u8, 8, 16>();
    block.select_mut::<4, 1, 16, 1>(0, 0).assign(block.select::<4, 1, 16, 1>(0, 0) + left);
    block.select_mut::<4, 1, 16, 1>(4, 0).assign(block.select::<4, 1, 16, 1>(4, 0) + below);
    output.write(tx - 8, ty - 4, &block.select::<4, 1, 16, 1>(0, 0));
    output.write(tx - 8, ty, &block.select::<4, 1, 16, 1>(4, 0));
}

/// Longer elements, written at columns that are whole dwords only for some arguments.
#[kernel]
fn dwords_anywhere(input: &Surface2D, output: &mut Surface2D, column: i32, row: i32) {
    let (tx, ty) = (thread_origin_x().convert::<i32>(), thread_origin_y().convert::<i32>());
    let block = input.read::<u32, 6, 8>(tx * 32 + column, ty * 6 + row);
    output.write(tx * 32 + column * 4, ty * 6 - 3, &(block ^ 0x0102_0304u32));
}

/// Reads what it wrote.
#[kernel]
fn its_own_blocks(input: &Surface2D, output: &mut Surface2D, column: i32, row: i32) {
    let (tx, ty) = (thread_origin_x().convert::<i32>() * 16, thread_origin_y().convert::<i32>() * 4);
    output.write(tx, ty, &input.read::<u8, 4, 16>(tx + column, ty + row));
    let written = output.read::<u8, 4, 16>(tx, ty);
    output.write(tx, ty, &(written ^ 0x55u8).convert::<u8>());
}

/// A surface: its format, texels of a row, and rows.
type Size = (Format, usize, usize);

/// One narrower than the rows of the messages, and one whose rows end inside of a dword.
const SIZES: [Size; 4] =
    [(Format::R8, 157, 29), (Format::R8, 24, 9), (Format::R32, 45, 70), (Format::Yuyv, 70, 17)];

/// The bytes of a surface in its buffer, and the bytes of its rows without padding.
fn padded(bytes: &[u8], shape: LinearShape) -> Vec<u8> {
    let row = |row: &[u8]| [row, &vec![PADDING; shape.pitch - shape.width]].concat();
    bytes.chunks(shape.width).flat_map(row).collect()
}

/// The bytes of a buffer, of which nothing may change those between the rows that messages do not move: 64 bytes of a row,
/// or its whole dwords.
fn unpadded(mut bytes: Vec<u8>, shape: LinearShape) -> Vec<u8> {
    let moved = shape.width.next_multiple_of(4).max(64);
    for row in bytes.chunks_mut(shape.pitch) {
        row[shape.width..moved].fill(PADDING);
    }
    bytes
}

/// The shape of a surface, or of a field of a surface that is twice as high: its rows are every second row.
fn shape((format, width, height): Size, field: bool) -> LinearShape {
    let width = width * format.texel_bytes();
    let (period, replaced) = match format {
        Format::Yuyv => (4, Some([2, 0])),
        _ => (format.texel_bytes(), None),
    };
    let pitch = width.next_multiple_of(LINEAR_PITCH) << u32::from(field);
    LinearShape { pitch, width, height, slices: None, period, replaced, texel: Texel::Byte }
}

/// Compares a kernel for these sizes with the CPU. Its parameters are two surfaces, and a place if it has more.
fn check(
    emulator: &Emulator,
    function: &Function,
    sizes: &[Size],
    launch: impl Fn(&Device, &Surface2D, &mut Surface2D, [i32; 2]) -> cm::Result<Event>,
) {
    let cpu = Device::cpu().expect("the CPU");
    for &size in sizes {
        let (format, width, height) = size;
        let [shape, field] = [false, true].map(|field| shape(size, field));
        let [input, before] = [1, 2].map(|seed| bytes(shape.width * height, seed));
        let places = if function.params.len() > 2 { &PLACES[..] } else { &PLACES[..1] };
        for &place in places {
            let surface =
                |bytes| Surface2D::from_bytes(&cpu, format, width, height, bytes).expect("a surface");
            let mut output = surface(&before);
            launch(&cpu, &surface(&input), &mut output, place).expect("a launch");
            let expected = output.to_vec().expect("its bytes");
            assert_ne!(expected, before, "{} writes nothing", function.name);
            // The simulated GPU of the `memory` suite executes the form of the others.
            for &(name, target) in emulator.devices().iter().filter(|(_, target)| target.has_2d_blocks()) {
                for shape in [shape, field] {
                    let [from, to] = [&input, &before].map(|bytes| padded(bytes, shape));
                    let surfaces = [(shape, &from[..]), (shape, &to[..])];
                    let number =
                        |x: i32| Argument::Uniform(Type::scalar(ElemType::I32), x.to_le_bytes().to_vec());
                    let numbers: Vec<_> =
                        place.iter().take(function.params.len() - 2).map(|x| number(*x)).collect();
                    let (after, _) =
                        emulator.run_on_rows((function, target, name), GRID, &surfaces, &numbers);
                    let what = format!("{} at {place:?} on {size:?}, {shape:?}, {name}", function.name);
                    assert!(after[0] == from, "{what} changes its input");
                    assert!(unpadded(after[1].clone(), shape) == padded(&expected, shape), "{what}");
                }
            }
        }
    }
}

/// The columns and rows that kernels take.
const PLACES: [[i32; 2]; 4] = [[-13, -2], [-8, -3], [3, 1], [0, 0]];

macro_rules! same_bytes {
    ($emulator:expr, $sizes:expr; $($name:ident)*) => {$({
        let function = $name::ir().expect("a kernel");
        check(&$emulator, &function, $sizes, |device, input, output, [column, row]| {
            let space = ThreadSpace::new(GRID.0, GRID.1)?;
            $name::launch(device, space, input, output, column, row)
        });
    })*};
}

macro_rules! copies {
    ($emulator:expr; $($name:ident: $r:literal x $c:literal;)*) => { same_bytes!($emulator, &SIZES; $($name)*) };
}

#[test]
fn blocks_of_surfaces_in_buffers_are_those_of_the_cpu() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    for_each_kernel!(copies emulator;);
    same_bytes!(emulator, &SIZES; whole_dwords dwords_anywhere its_own_blocks);
    // A known column must be at a whole texel.
    same_bytes!(emulator, &SIZES[..2]; known_bytes);
}

/// Kernels of bytes and words whose threads read what their neighbours do, or blocks of any size.
#[test]
fn kernels_with_surfaces_in_buffers_are_those_of_the_cpu() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    macro_rules! same {
        ($($name:path)*) => {$({
            use $name as kernel;
            let function = kernel::ir().expect("a kernel");
            check(&emulator, &function, &SIZES[..2], |device, input, output, _| {
                kernel::launch(device, ThreadSpace::new(GRID.0, GRID.1)?, input, output)
            });
        })*};
    }
    same!(classes::gradients classes::median classes::downsample everyday::grey everyday::erode everyday::upscale);
    same!(everyday::cross_median);
}

/// A block inside is one message, or as many as its size needs, where the GPU has messages for 2-D blocks.
#[test]
fn blocks_inside_are_2d_blocks() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    // Loads of more than 61 bytes at any byte are two; stores have at most 8 rows.
    let count = |function: Function, messages: [usize; 2]| {
        for &(name, target) in emulator.devices() {
            let module =
                lower_with_linear_surfaces(&function, target, RegisterFile::Standard).expect("a module");
            let code = emulator.compile((&module, name), &function.name);
            let found = ["load_block2d", "store_block2d"]
                .map(|message| code.lines().filter(|line| line.contains(message)).count());
            let expected = if target.has_2d_blocks() { messages } else { [0, 0] };
            assert_eq!(found, expected, "{} on {name}", function.name);
        }
    };
    count(rows_of_32::ir().expect("a kernel"), [1, 1]);
    count(rows_of_64::ir().expect("a kernel"), [2, 1]);
    count(columns_of_16::ir().expect("a kernel"), [1, 2]);
    count(columns_of_4::ir().expect("a kernel"), [2, 8]);
    count(whole_dwords::ir().expect("a kernel"), [2, 1]);
}

/// Instructions that a thread executes whose blocks are all inside: one message for each row, and 2-D blocks. With the
/// installed compiler, for Ponte Vecchio. These numbers may only go down.
const INSIDE: [(&str, [u64; 2]); 9] = [
    ("linear", [474, 252]),
    ("linear1d2", [338, 100]),
    ("linearslide", [499, 136]),
    ("gradients", [256, 131]),
    ("median", [294, 170]),
    ("blur5", [339, 127]),
    ("downsample", [108, 53]),
    ("blend", [150, 100]),
    ("erode", [247, 88]),
];

#[test]
fn blocks_inside_take_fewer_instructions_as_2d_blocks() {
    let Some(emulator) = Emulator::find() else { return };
    let kernels = [
        linear::linear::ir(),
        linear::linear1d2::ir(),
        linear::linearslide::ir(),
        classes::gradients::ir(),
        classes::median::ir(),
        classes::blur5::ir(),
        classes::downsample::ir(),
        classes::blend::ir(),
        everyday::erode::ir(),
    ];
    let mut changed = vec![];
    for &(device, target) in emulator.devices().iter().filter(|(_, target)| target.has_2d_blocks()) {
        for (kernel, (name, limits)) in kernels.iter().zip(INSIDE) {
            let kernel = kernel.as_ref().expect("a kernel");
            assert_eq!(kernel.name, name);
            // Modules of earlier generations run here too.
            let counts = [Target::XeHpg, target]
                .map(|form| inside(&emulator, (kernel, form, device)).expect("only surfaces"));
            assert!(counts[1] < counts[0], "{name} on {device}: {counts:?}");
            if counts != limits {
                changed.push(format!("{name}: {counts:?}, not {limits:?}"));
            }
        }
    }
    assert!(changed.is_empty(), "more is worse, fewer are to be noted here: {}", changed.join("; "));
}
