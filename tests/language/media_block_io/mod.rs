//! The built-ins of `cl_intel_media_block_io`, lane by lane: the specification of the extension, on the CPU,
//! interpreted, and as machine code for Gen9.

mod buffers;
mod executions;
mod model;
mod rules;

use cm::prelude::*;
use cm_test_kernels::{horizontal_difference, media_block_io as kernels};
use cm_test_support::devices::devices;
use cm_test_support::emulator::{Emulator, Run};
use executions::{executed, interpreted, launched, same_as_its_text, surface};
use model::{BuiltIn, Picture};

const WIDTH: usize = 128;
const HEIGHT: usize = 70;

/// Columns and rows: inside, across each edge and corner, and far outside.
const POSITIONS: [(i32, i32); 8] =
    [(8, 3), (-4, -2), (-8, 5), (116, 66), (108, -1), (-20, 68), (-1000, 1000), (400, 30)];

/// Every built-in with the sub-group sizes, and rows of 4, 12 and 32 bytes: fewer elements than the sub-group
/// has, the same number, and more.
macro_rules! every_built_in {
    ($do:ident; $($element:literal $k:literal $kernel:ident $w4:literal $w12:literal $w32:literal;)*) => {$(
        every_built_in!(@sizes $do $element $k $kernel $w4 $w12 $w32; 8 16 32);
    )*};
    (@sizes $do:ident $element:literal $k:literal $kernel:ident $w4:literal $w12:literal $w32:literal; $($sg:literal)*) => {$(
        $do!($kernel $element $k $sg $w4 64);
        $do!($kernel $element $k $sg $w12 5);
        $do!($kernel $element $k $sg $w32 8);
    )*};
}

macro_rules! every_read {
    ($do:ident) => {
        every_built_in! { $do;
            1 1 reads_uc1 4 12 32; 1 2 reads_uc2 4 12 32; 1 4 reads_uc4 4 12 32; 1 8 reads_uc8 4 12 32;
            1 16 reads_uc16 4 12 32; 2 1 reads_us1 2 6 16; 2 2 reads_us2 2 6 16; 2 4 reads_us4 2 6 16;
            2 8 reads_us8 2 6 16; 2 16 reads_us16 2 6 16; 4 1 reads_ui1 1 3 8; 4 2 reads_ui2 1 3 8;
            4 4 reads_ui4 1 3 8; 4 8 reads_ui8 1 3 8;
        }
    };
}

macro_rules! every_write {
    ($do:ident) => {
        every_built_in! { $do;
            1 1 writes_uc1 4 12 32; 1 2 writes_uc2 4 12 32; 1 4 writes_uc4 4 12 32; 1 8 writes_uc8 4 12 32;
            1 16 writes_uc16 4 12 32; 2 1 writes_us1 2 6 16; 2 2 writes_us2 2 6 16; 2 4 writes_us4 2 6 16;
            2 8 writes_us8 2 6 16; 2 16 writes_us16 2 6 16; 4 1 writes_ui1 1 3 8; 4 2 writes_ui2 1 3 8;
            4 4 writes_ui4 1 3 8; 4 8 writes_ui8 1 3 8;
        }
    };
}

/// The output of a kernel that shows the data it reads.
fn shown(built_in: BuiltIn, image: &Picture, x: i32, y: i32) -> Vec<u8> {
    let mut output = Picture::dark(WIDTH, HEIGHT);
    for (row, values) in built_in.read(image, x, y).into_iter().enumerate() {
        output.bytes[row * WIDTH..][..values.len()].copy_from_slice(&values);
    }
    output.bytes
}

/// The values that a writing kernel takes from its input.
fn taken(built_in: BuiltIn, input: &Picture) -> Vec<Vec<u8>> {
    let row = built_in.sub_group * built_in.element;
    (0..built_in.components).map(|k| input.bytes[k * WIDTH..][..row].to_vec()).collect()
}

#[test]
fn reads_are_the_rows_of_the_sub_group() {
    let inputs =
        [Format::R8, Format::R16, Format::R32].map(|format| Picture::noise(format, WIDTH, HEIGHT, 7));
    let mut examples = 0..;
    macro_rules! check {
        ($kernel:ident $element:literal $k:literal $sg:literal $width:literal $height:literal) => {{
            type Kernel = kernels::$kernel<$sg, $width, $height>;
            let built_in =
                BuiltIn { element: $element, components: $k, sub_group: $sg, width: $width, height: $height };
            let function = Kernel::ir().unwrap();
            same_as_its_text(&function);
            let dark = Picture::dark(WIDTH, HEIGHT);
            for (n, (x, y)) in POSITIONS.into_iter().enumerate() {
                let input = &inputs[n % 3];
                let expected = shown(built_in, input, x, y);
                let found = launched(Kernel::launch, input, &dark, (x, y), examples.next().unwrap());
                assert!(found == expected, "{built_in:?} at {x}, {y}");
                assert!(
                    interpreted(&function, input, &dark, x, y) == expected,
                    "{built_in:?} at {x}, {y}, interpreted"
                );
            }
        }};
    }
    every_read!(check);
}

#[test]
fn writes_are_the_rows_of_the_sub_group() {
    let input = Picture::noise(Format::R8, WIDTH, HEIGHT, 9);
    let mut examples = 0..;
    macro_rules! check {
        ($kernel:ident $element:literal $k:literal $sg:literal $width:literal $height:literal) => {{
            type Kernel = kernels::$kernel<$sg, $width, $height>;
            let built_in =
                BuiltIn { element: $element, components: $k, sub_group: $sg, width: $width, height: $height };
            let function = Kernel::ir().unwrap();
            same_as_its_text(&function);
            let before = Picture::noise(Format::R8, WIDTH, HEIGHT, 11);
            for (x, y) in POSITIONS {
                let mut after = before.clone();
                built_in.write(&mut after, x, y, &taken(built_in, &input));
                let found = launched(Kernel::launch, &input, &before, (x, y), examples.next().unwrap());
                assert!(found == after.bytes, "{built_in:?} at {x}, {y}");
                assert!(
                    interpreted(&function, &input, &before, x, y) == after.bytes,
                    "{built_in:?} at {x}, {y}, interpreted"
                );
            }
        }};
    }
    every_write!(check);
}

#[test]
fn machine_code_reads_the_same() {
    let Some(emulator) = Emulator::find() else { return };
    let input = Picture::noise(Format::R8, WIDTH, HEIGHT, 13);
    let mut positions = POSITIONS.into_iter().cycle();
    macro_rules! check {
        ($kernel:ident $element:literal $k:literal $sg:literal $width:literal $height:literal) => {{
            let built_in =
                BuiltIn { element: $element, components: $k, sub_group: $sg, width: $width, height: $height };
            let function = kernels::$kernel::<$sg, $width, $height>::ir().unwrap();
            let (x, y) = positions.next().unwrap();
            let found = executed(&emulator, &function, &input, x, y);
            assert!(found == shown(built_in, &input, x, y), "{built_in:?} at {x}, {y}");
        }};
    }
    every_read!(check);
}

#[test]
fn machine_code_writes_the_same() {
    let Some(emulator) = Emulator::find() else { return };
    let input = Picture::noise(Format::R8, WIDTH, HEIGHT, 17);
    let mut positions = POSITIONS.into_iter().cycle();
    macro_rules! check {
        ($kernel:ident $element:literal $k:literal $sg:literal $width:literal $height:literal) => {{
            let built_in =
                BuiltIn { element: $element, components: $k, sub_group: $sg, width: $width, height: $height };
            let function = kernels::$kernel::<$sg, $width, $height>::ir().unwrap();
            let (x, y) = positions.next().unwrap();
            let mut after = Picture::dark(WIDTH, HEIGHT);
            built_in.write(&mut after, x, y, &taken(built_in, &input));
            assert!(executed(&emulator, &function, &input, x, y) == after.bytes, "{built_in:?} at {x}, {y}");
        }};
    }
    every_write!(check);
}

/// Out-of-bounds reads repeat the boundary texel of the format, whatever the element type of the built-in.
#[test]
fn edges_are_those_of_the_format() {
    let emulator = Emulator::find();
    for format in [Format::R8, Format::R16, Format::R32, Format::Yuyv, Format::Uyvy] {
        let input = Picture::noise(format, WIDTH, HEIGHT, 19);
        let dark = Picture::dark(WIDTH, HEIGHT);
        macro_rules! check {
            ($($kernel:ident $element:literal $width:literal;)*) => {$(
                type $kernel = kernels::$kernel<16, $width, 4>;
                let built_in =
                    BuiltIn { element: $element, components: 8, sub_group: 16, width: $width, height: 4 };
                for (x, y) in [(-12, -2), (WIDTH as i32 - 12, 2), (-64, 1), (WIDTH as i32 + 60, 69)] {
                    let expected = shown(built_in, &input, x, y);
                    let found = launched($kernel::launch, &input, &dark, (x, y), 0);
                    assert!(found == expected, "{} of {format} at {x}, {y}", stringify!($kernel));
                    // The interpreter of machine code does not support packed YUV.
                    if let Some(emulator) = emulator.as_ref().filter(|_| !format.is_packed_yuv()) {
                        let found = executed(emulator, &$kernel::ir().unwrap(), &input, x, y);
                        assert!(found == expected, "machine code of {} of {format} at {x}, {y}", stringify!($kernel));
                    }
                }
            )*};
        }
        #[allow(non_camel_case_types)]
        {
            check! { reads_uc8 1 28; reads_us8 2 14; reads_ui8 4 7; }
        }
    }
}

/// The figure of the first example: work item n has the dword of row n.
#[test]
fn the_left_edge_of_a_macroblock() {
    let device = Device::cpu().unwrap();
    let luma = Picture::noise(Format::R8, 48, 32, 23);
    let mut edge = Surface2D::new(&device, Format::R8, 48, 2).unwrap();
    let space = ThreadSpace::new(3, 2).unwrap();
    kernels::left_edge::launch(&device, space, &surface(&device, &luma), &mut edge).unwrap();
    for (at, texel) in edge.to_vec().unwrap().into_iter().enumerate() {
        let (macroblock, n, row) = (at % 48 / 16, at % 16, at / 48);
        let column = (macroblock * 16).saturating_sub(1);
        assert_eq!(
            texel,
            luma.bytes[(row * 16 + n) * 48 + column],
            "work item {n} of macroblock {macroblock}, {row}"
        );
    }
}

/// The figure of the second example: the words of the first row are rows 0 and 1, those of the second are
/// rows 2 and 3.
#[test]
fn a_region_of_16_by_2_words() {
    let device = Device::cpu().unwrap();
    let numbers: Vec<u8> =
        (0..64u16 * 3).flat_map(|word| (word % 64 + 256 * (word / 64)).to_le_bytes()).collect();
    let input = Surface2D::from_bytes(&device, Format::R8, 128, 3, &numbers).unwrap();
    let mut output = Surface2D::new(&device, Format::R16, 8, 4).unwrap();
    kernels::words::launch(&device, ThreadSpace::new(1, 1).unwrap(), &input, &mut output).unwrap();
    let words: Vec<u16> =
        output.to_vec().unwrap().chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
    let row = |y: u16, x: u16| (x..x + 8).map(move |x| x + 256 * y);
    let figure: Vec<u16> = row(1, 4).chain(row(1, 12)).chain(row(2, 4)).chain(row(2, 12)).collect();
    assert_eq!(words, figure);
}

/// The example: the same picture as a plain loop, on the CPU and as machine code.
#[test]
fn the_port_gives_the_picture_of_a_loop() {
    let card = Picture::noise(Format::R8, 96, 24, 29);
    let mut expected = Vec::new();
    for row in card.bytes.chunks(96) {
        expected.extend((0..96).map(|x| row[x].abs_diff(row[(x + 1).min(95)])));
    }
    for device in devices(2) {
        let mut output = Surface2D::new(&device, Format::R8, 96, 24).unwrap();
        let space = ThreadSpace::new(6, 3).unwrap();
        horizontal_difference::horizontal_difference::launch(
            &device,
            space,
            &surface(&device, &card),
            &mut output,
        )
        .unwrap();
        assert!(output.to_vec().unwrap() == expected, "{}", device.name());
    }
    let Some(emulator) = Emulator::find() else { return };
    let module = horizontal_difference::horizontal_difference::spirv().unwrap();
    let run = Run {
        module: &module,
        device: "skl",
        kernel: "horizontal_difference",
        input: &card.bytes,
        pitch: 96,
        rows: 24,
        grid: (6, 3),
        arguments: &[],
    };
    assert!(emulator.run(&run) == expected);
}

/// The extension requires rows of whole dwords. On the CPU and in the interpreter, other rows have the same
/// meaning.
#[test]
fn rows_of_any_width() {
    let built_in = BuiltIn { element: 2, components: 8, sub_group: 16, width: 6, height: 5 };
    let function = kernels::reads_us8::<16, 6, 5>::ir().unwrap();
    let store = kernels::writes_us8::<16, 6, 5>::ir().unwrap();
    for width in [1, 2, 5, 30, 31] {
        let (input, dark) = (Picture::noise(Format::R8, width, 7, 43), Picture::dark(32, 8));
        let values = Picture::noise(Format::R8, 32, 8, 47);
        let rows: Vec<_> = values.bytes.chunks(32).map(<[u8]>::to_vec).collect();
        for (x, y) in [(0, 0), (-4, -1), (24, 3), (28, 6)] {
            let expected = built_in.read(&input, x, y).concat();
            let found = launched(kernels::reads_us8::<16, 6, 5>::launch, &input, &dark, (x, y), 0);
            assert_eq!(found, expected, "{width} at {x}, {y}");
            assert_eq!(interpreted(&function, &input, &dark, x, y), expected, "{width} at {x}, {y}");

            let mut expected = input.clone();
            built_in.write(&mut expected, x, y, &rows);
            let found = launched(kernels::writes_us8::<16, 6, 5>::launch, &values, &input, (x, y), 0);
            assert_eq!(found, expected.bytes, "{width} at {x}, {y}");
            assert_eq!(interpreted(&store, &values, &input, x, y), expected.bytes, "{width} at {x}, {y}");
        }
    }
}
