//! Typed accesses to surfaces of two and three dimensions: the machine code moves the texels that the CPU moves,
//! inside and outside the surface. This is the code of the installed compiler: the simulator's execution units lack the
//! messages of Xe2 with three coordinates and a level.

use cm::Target;
use cm::ir::{Function, Grid};
use cm::prelude::*;
use cm::spirv::lower;
use cm_test_kernels::{typed, typed_3d};
use cm_test_support::emulator::{Emulator, Shape};
use cm_test_support::noise::{bytes, stream};

/// Texels of a row, rows, and slices.
const SIZE: [usize; 3] = [12, 5, 4];
/// Elements of a row of the buffers.
const LANES: usize = 32;

/// The coordinates of the texels to read, then of those to write, which are all different, then the indices of the
/// lanes. Every fifth texel is outside.
fn places(dimensions: usize) -> Vec<i32> {
    let count: usize = SIZE[..dimensions].iter().product();
    let mut places = vec![];
    for step in [13, 7] {
        let place = |k: usize| {
            let n = k * step % count;
            let mut place = [n % SIZE[0], n / SIZE[0] % SIZE[1], n / SIZE[0] / SIZE[1]].map(|n| n as i32);
            if k % 5 == 4 {
                let axis = k / 5 % dimensions;
                place[axis] = [-1, SIZE[axis] as i32, i32::MIN, i32::MAX][k % 4];
            }
            place
        };
        for axis in 0..dimensions {
            places.extend((0..LANES).map(|k| place(k)[axis]));
        }
    }
    places.extend(0..LANES as i32);
    places
}

/// What a kernel does with its places, data and two surfaces: the elements that it reads, and its output surface.
struct Moved {
    read: Vec<u8>,
    written: Vec<u8>,
}

/// Compares with the machine code for each device.
fn check(
    emulator: &Emulator,
    function: &Function,
    (format, dimensions): (Format, usize),
    on_cpu: impl FnOnce(&Device, [&[u8]; 2], &[i32], &[u8]) -> cm::Result<Moved>,
) {
    let texel = format.texel_bytes();
    let [width, height, depth] = SIZE;
    let slices = if dimensions == 3 { depth } else { 1 };
    let [input, before] = [3, 4].map(|seed| bytes(width * height * slices * texel, seed));
    // Numbers of all sizes, since those that are too large for a channel become the largest one.
    let data: Vec<u32> = {
        let mut next = stream(5);
        (0..4 * LANES).map(|_| next() >> (next() % 32)).collect()
    };
    let (places, data) = (places(dimensions), bytemuck::cast_slice(&data));
    let device = Device::cpu().expect("the CPU");
    let expected = on_cpu(&device, [&input, &before], &places, data).expect("a launch");

    let rows = Shape::rows((width * texel) as u32, height as u32, (width * texel) as u32, texel as u32);
    let rows = match format {
        // R8G8B8A8_UINT and R32_FLOAT.
        Format::Rgba8 => Shape { format: 0x0cb, ..rows },
        Format::R32F => Shape { format: 0x0d8, ..rows },
        _ => rows,
    };
    let surface = if dimensions == 3 { rows.slices(slices as u32) } else { rows };
    let buffer = |bytes: &[u8]| Shape::buffer(bytes.len() as u32);
    let (places, zeros) = (bytemuck::cast_slice(&places), vec![0; expected.read.len()]);
    let memories = [
        (surface, &input[..]),
        (buffer(places), places),
        (buffer(data), data),
        (buffer(&zeros), &zeros),
        (surface, &before),
    ];
    // Ponte Vecchio has no images: there surfaces are in buffers.
    let with_images = |(_, target): &&(&str, Target)| *target != Target::XeHpc;
    for &(name, target) in emulator.devices().iter().filter(with_images) {
        let module = lower(function, target).expect("a module");
        let kernel = &function.name;
        let after = emulator.run_on_shapes((&module, name), kernel, Grid::single([1; 3]), &memories, &[]);
        assert_eq!(after[3], expected.read, "{kernel} reads {format} on {name}");
        assert_eq!(after[4], expected.written, "{kernel} writes {format} on {name}");
    }
}

macro_rules! same_texels {
    (
        $emulator:expr, $module:ident, $surface:ident $size:tt;
        $($kernel:ident: $t:ident, [$($format:ident)+];)*
    ) => {
        $($(same_texels!(@one $emulator, $module, $surface $size; $kernel: $t, $format);)+)*
    };
    (
        @one $emulator:expr, $module:ident, $surface:ident($($size:expr),+);
        $kernel:ident: $t:ident, $format:ident
    ) => {
        let (format, dimensions) = (Format::$format, [$($size),+].len());
        let function = $module::$kernel::ir().expect("a kernel");
        check(&$emulator, &function, (format, dimensions), |device, [input, before], places, data| {
            let input = $surface::from_bytes(device, format, $($size,)+ input)?;
            let mut output = $surface::from_bytes(device, format, $($size,)+ before)?;
            let places = Buffer::from_slice(device, places)?;
            let data = Buffer::from_slice(device, bytemuck::cast_slice::<u8, $t>(data))?;
            let mut read = Buffer::<$t>::new(device, 4 * LANES)?;
            let space = ThreadSpace::new(1, 1)?;
            $module::$kernel::launch(device, space, &input, &places, &data, &mut read, &mut output)?;
            let read = bytemuck::cast_slice(&read.to_vec()?).to_vec();
            Ok(Moved { read, written: output.to_vec()? })
        });
    };
}

#[test]
fn texels_of_2d_surfaces_are_those_of_the_cpu() {
    let Some(emulator) = Emulator::find() else { return };
    same_texels! { emulator, typed, Surface2D(SIZE[0], SIZE[1]);
        texels_gr: u32, [Rgba8 R32];
        texels_abg: u32, [Rgba8];
        texels_abgr: u32, [Rgba8 R8 R16];
        one_texel: u32, [Rgba8];
        sixteen_texels: i32, [Rgba8 R32];
        reds_of_32: i32, [R8 R16 R32];
        floats_abgr: f32, [R32F];
    }
}

#[test]
fn texels_of_3d_surfaces_are_those_of_the_cpu() {
    let Some(emulator) = Emulator::find() else { return };
    same_texels! { emulator, typed_3d, Surface3D(SIZE[0], SIZE[1], SIZE[2]);
        slices_r: u32, [R8 R16 R32];
        slices_ag: u32, [Rgba8];
        slices_abgr: u32, [Rgba8];
        one_in_slices: u32, [Rgba8];
        sixteen_in_slices: i32, [Rgba8 R32];
        slices_of_32: u32, [Rgba8];
        floats_r_in_slices: f32, [R32F];
    }
}
