//! Planes: each has its own rows and edges, in kernels and in the bytes of the picture.

use cm::interpret::{InterpretArg, interpret};
use cm::ir::{Function, Type};
use cm::prelude::*;
use cm::{Device, Error, Event, Format, Plane, Surface2D, ThreadSpace};
use cm_test_support::devices::{surface_devices, takes};
use cm_test_support::memory::Memory;
use cm_test_support::spaces::one;

use super::Bytes;

/// Every format with planes: the planes in memory order, each with a format that has the same texels.
const FORMATS: [(Format, &[(Plane, Format)]); 4] = [
    (Format::Nv12, &[(Plane::Y, Format::R8), (Plane::Uv, Format::R16)]),
    (Format::P010, &[(Plane::Y, Format::R16), (Plane::Uv, Format::R32)]),
    (Format::Yv12, &[(Plane::Y, Format::R8), (Plane::V, Format::R8), (Plane::U, Format::R8)]),
    (Format::I420, &[(Plane::Y, Format::R8), (Plane::U, Format::R8), (Plane::V, Format::R8)]),
];

/// A picture, plane by plane.
#[derive(Clone, Debug)]
struct Picture {
    format: Format,
    width: usize,
    height: usize,
    planes: Vec<(Plane, Bytes)>,
}

impl Picture {
    /// Planes with different bytes.
    fn new(format: Format, width: usize, height: usize, seed: usize) -> Self {
        let (_, planes) = FORMATS.iter().find(|row| row.0 == format).expect("a format with planes");
        let plane = |&(plane, texels): &(Plane, Format)| {
            let half = if plane == Plane::Y { 1 } else { 2 };
            let row = width / half * texels.texel_bytes();
            (plane, Bytes::new(texels, row, height / half, seed + 100 * half + plane as usize))
        };
        Self { format, width, height, planes: planes.iter().map(plane).collect() }
    }

    fn bytes(&self) -> Vec<u8> {
        self.planes.iter().flat_map(|(_, plane)| plane.bytes.clone()).collect()
    }

    fn surface(&self, device: &Device) -> Surface2D {
        Surface2D::from_bytes(device, self.format, self.width, self.height, &self.bytes()).expect("a surface")
    }

    fn plane(&mut self, plane: Plane) -> Option<&mut Bytes> {
        self.planes.iter_mut().find(|(of, _)| *of == plane).map(|(_, bytes)| bytes)
    }
}

/// Reads an 8 x 32 block of a plane at any position; writes a 4 x 8 block.
macro_rules! kernels {
    ($($plane:ident: $read:ident $write:ident;)*) => {$(
        #[kernel]
        fn $read(input: &Surface2D, output: &mut Surface2D, x: i32, y: i32) {
            output.write(0, 0, &input.read_plane::<u8, 8, 32>(Plane::$plane, x, y));
        }

        #[kernel]
        fn $write(output: &mut Surface2D, block: Matrix<u8, 4, 8>, x: i32, y: i32) {
            output.write_plane(Plane::$plane, x, y, &block);
        }
    )*};
}

kernels! {
    Y: read_y write_y;
    U: read_u write_u;
    V: read_v write_v;
    Uv: read_uv write_uv;
}

type Read = fn(&Device, ThreadSpace, &Surface2D, &mut Surface2D, i32, i32) -> cm::Result<Event>;
type Write = fn(&Device, ThreadSpace, &mut Surface2D, Matrix<u8, 4, 8>, i32, i32) -> cm::Result<Event>;
type Ir = fn() -> cm::Result<Function>;

const KERNELS: [(Plane, Read, Ir, Write, Ir); 4] = [
    (Plane::Y, read_y::launch, read_y::ir, write_y::launch, write_y::ir),
    (Plane::U, read_u::launch, read_u::ir, write_u::launch, write_u::ir),
    (Plane::V, read_v::launch, read_v::ir, write_v::launch, write_v::ir),
    (Plane::Uv, read_uv::launch, read_uv::ir, write_uv::launch, write_uv::ir),
];

/// Positions inside, at every edge and corner, and far outside; multiples of the largest texel.
fn positions(plane: &Bytes) -> Vec<(i32, i32)> {
    let (right, below) = (plane.width as i32 / 4 * 4, plane.height as i32);
    let columns = [-400, -32, -4, 0, 4, right - 32, right - 4, right, right + 8];
    let rows = [i32::MIN, -9, -1, 0, 1, below - 4, below - 1, below, below + 100];
    columns.into_iter().flat_map(|x| rows.map(|y| (x, y))).collect()
}

/// The arguments of a kernel that takes a plane: the surface itself is plane Y, and the plane follows the
/// other arguments.
fn interpreted(function: &Function, surfaces: &mut [Memory], values: &[(Type, &[u8])], plane: &mut Memory) {
    let mut args: Vec<InterpretArg<'_>> = surfaces.iter_mut().map(|s| InterpretArg::Surface(s)).collect();
    args.extend(values.iter().map(|&(ty, bytes)| InterpretArg::Uniform { ty, bytes }));
    args.push(InterpretArg::Surface(plane));
    interpret(function, &mut args, [0, 0]).expect("a thread");
}

fn memory(bytes: &Bytes) -> Memory {
    Memory::new(bytes.format.texel_bytes(), bytes.width, bytes.height, &bytes.bytes)
}

#[test]
fn reads_repeat_the_edge_of_the_plane() {
    let mut examples = 0..;
    for (format, planes) in FORMATS {
        for (width, height) in [(64, 20), (36, 10), (8, 4), (2, 2)] {
            let mut picture = Picture::new(format, width, height, 7);
            let inputs: Vec<_> =
                surface_devices(1).into_iter().map(|device| (picture.surface(&device), device)).collect();
            for (plane, read, ir, ..) in KERNELS {
                if !planes.iter().any(|(of, _)| *of == plane) {
                    continue;
                }
                let bytes = picture.plane(plane).expect("the plane");
                for (x, y) in positions(bytes) {
                    let example = examples.next().expect("a number");
                    let expected: Vec<u8> = (0..8)
                        .flat_map(|i| (0..32).map(move |j| (j, i)))
                        .map(|(j, i)| bytes.at(i64::from(x) + j, i64::from(y) + i))
                        .collect();
                    for (input, device) in inputs.iter().filter(|(_, device)| takes(device, example)) {
                        let mut output = Surface2D::new(device, Format::R8, 32, 8).expect("a surface");
                        let _ = read(device, one(), input, &mut output, x, y).expect("a launch");
                        let found = output.to_vec().expect("bytes");
                        assert_eq!(
                            found,
                            expected,
                            "{format} {plane} {width}x{height} {x},{y} {}",
                            device.name()
                        );
                    }
                    if plane != Plane::Y {
                        let nothing = Memory::new(1, 32, 8, &[0; 256]);
                        let mut surfaces = [Memory::new(1, 4, 1, &[0; 4]), nothing];
                        let (x, y) = (x.to_le_bytes(), y.to_le_bytes());
                        let number = Type::scalar(cm::elem::ElemType::I32);
                        let values: [(Type, &[u8]); 2] = [(number, &x), (number, &y)];
                        interpreted(&ir().expect("ir"), &mut surfaces, &values, &mut memory(bytes));
                        assert_eq!(surfaces[1].bytes(), expected, "{format} {plane} interpreted");
                    }
                }
            }
        }
    }
}

#[test]
fn writes_change_their_plane_and_drop_what_is_outside() {
    let mut examples = 0..;
    let block: Vec<u8> = (0..32).map(|n| 200 + n).collect();
    let matrix = Matrix::from_array(std::array::from_fn::<_, 4, _>(|i| {
        std::array::from_fn::<_, 8, _>(|j| block[i * 8 + j])
    }));
    for (format, planes) in FORMATS {
        for (width, height) in [(32, 12), (8, 4)] {
            let before = Picture::new(format, width, height, 3);
            for (plane, .., write, ir) in KERNELS {
                if !planes.iter().any(|(of, _)| *of == plane) {
                    continue;
                }
                for (x, y) in positions(before.clone().plane(plane).expect("the plane")) {
                    let example = examples.next().expect("a number");
                    let mut after = before.clone();
                    after.plane(plane).expect("the plane").put(x.into(), y.into(), 8, &block);
                    for device in surface_devices(1).iter().filter(|device| takes(device, example)) {
                        let mut output = before.surface(device);
                        let _ = write(device, one(), &mut output, matrix, x, y).expect("a launch");
                        assert_eq!(
                            output.to_vec().expect("bytes"),
                            after.bytes(),
                            "{format} {plane} {x},{y}"
                        );
                    }
                    if plane != Plane::Y {
                        let mut interpreted_plane = memory(before.clone().plane(plane).expect("the plane"));
                        let (x, y) = (x.to_le_bytes(), y.to_le_bytes());
                        let number = Type::scalar(cm::elem::ElemType::I32);
                        let bytes = Type::new(cm::elem::ElemType::U8, 4, 8);
                        let values: [(Type, &[u8]); 3] = [(bytes, &block), (number, &x), (number, &y)];
                        let mut surfaces = [Memory::new(1, 4, 1, &[0; 4])];
                        interpreted(&ir().expect("ir"), &mut surfaces, &values, &mut interpreted_plane);
                        let expected = &after.plane(plane).expect("the plane").bytes;
                        assert_eq!(&interpreted_plane.bytes(), expected, "{format} {plane} interpreted");
                    }
                }
            }
        }
    }
}

/// NV12 as YV12: threads write three planes of one surface, and read two of another.
#[kernel]
fn planar(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    output.write(x, y, &input.read::<u8, 8, 16>(x, y));
    let pairs = input.plane(Plane::Uv).read::<u8, 4, 16>(x, y / 2);
    let (x, y) = (x / 2, y / 2);
    output.plane_mut(Plane::U).write(x, y, &pairs.select::<4, 1, 8, 2>(0, 0));
    output.plane_mut(Plane::V).write(x, y, &pairs.select::<4, 1, 8, 2>(0, 1));
}

/// Copies the planes in a helper that takes surfaces.
#[function]
fn copy_block(input: &Surface2D, output: &mut Surface2D, x: u32, y: u32) {
    output.write_block(x, y, &input.read_block::<u8, 8, 48>(x, y));
}

#[kernel]
fn copied(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 48, thread_origin_y() * 8);
    copy_block(input, output, x, y);
    copy_block(&input.plane(Plane::U), &mut output.plane_mut(Plane::U), x, y);
    copy_block(&input.plane(Plane::V), &mut output.plane_mut(Plane::V), x, y);
}

#[test]
fn threads_write_several_planes() {
    for threads in [1, 2] {
        for device in &surface_devices(threads) {
            let mut input = Picture::new(Format::Nv12, 832, 352, 1);
            let mut expected = Picture::new(Format::Yv12, 832, 352, 0);
            let pairs = input.plane(Plane::Uv).expect("chroma").bytes.clone();
            for (plane, from) in [(Plane::U, 0), (Plane::V, 1)] {
                let samples = pairs.iter().skip(from).step_by(2).copied().collect();
                expected.plane(plane).expect("chroma").bytes = samples;
            }
            expected.plane(Plane::Y).expect("luma").bytes =
                input.plane(Plane::Y).expect("luma").bytes.clone();
            let (from, mut to) =
                (input.surface(device), Surface2D::new(device, Format::Yv12, 832, 352).unwrap());
            let space = ThreadSpace::new(52, 44).unwrap();
            let event = planar::launch(device, space, &from, &mut to).unwrap();
            assert_eq!(to.to_vec().unwrap(), expected.bytes(), "{}", device.name());
            if !device.is_gpu() {
                // The work on each plane is divided among the threads.
                assert_eq!(event.workers(), threads);
            }
            let mut again = Surface2D::new(device, Format::I420, 832, 352).unwrap();
            let space = ThreadSpace::new(18, 44).unwrap();
            copied::launch(device, space, &to, &mut again).unwrap();
            let mut i420 = Picture::new(Format::I420, 832, 352, 0);
            for plane in [Plane::Y, Plane::U, Plane::V] {
                i420.plane(plane).unwrap().bytes = expected.plane(plane).unwrap().bytes.clone();
            }
            assert_eq!(again.to_vec().unwrap(), i420.bytes(), "{}", device.name());
        }
    }
}

#[test]
fn the_bytes_of_a_picture_are_its_planes() {
    for device in &surface_devices(1) {
        for (format, _) in FORMATS {
            let mut picture = Picture::new(format, 12, 8, 5);
            let mut surface = picture.surface(device);
            assert_eq!(surface.to_vec().unwrap(), picture.bytes(), "{format}");
            assert_eq!(surface.to_vec().unwrap().len(), 12 * 8 * format.texel_bytes() * 3 / 2);
            // A rectangle is a picture of the same format.
            let part = Picture::new(format, 4, 2, 90);
            surface.write_rect(6, 4, 4, 2, &part.bytes()).unwrap();
            assert_eq!(surface.read_rect(6, 4, 4, 2).unwrap(), part.bytes());
            for (plane, bytes) in &part.planes {
                let half = if *plane == Plane::Y { 1 } else { 2 };
                let left = 6 / half * bytes.format.texel_bytes();
                picture.plane(*plane).unwrap().put(left as i64, 4 / half as i64, bytes.width, &bytes.bytes);
            }
            assert_eq!(surface.to_vec().unwrap(), picture.bytes(), "{format}");
            surface.write_bytes(&vec![9; picture.bytes().len()]).unwrap();
            assert!(surface.to_vec().unwrap().iter().all(|byte| *byte == 9));
            let zeros = Surface2D::new(device, format, 12, 8).unwrap().to_vec().unwrap();
            assert_eq!(zeros, vec![0; picture.bytes().len()]);
        }
    }
}

#[test]
fn the_first_plane_is_the_surface() {
    for device in &surface_devices(1) {
        let picture = Picture::new(Format::I420, 32, 8, 2);
        let grey = Bytes::new(Format::R8, 32, 8, 2);
        for (input, expected) in
            [(picture.surface(device), &picture.planes[0].1), (grey.surface(device), &grey)]
        {
            let mut output = Surface2D::new(device, Format::R8, 32, 8).unwrap();
            read_y::launch(device, one(), &input, &mut output, 0, 0).unwrap();
            assert_eq!(output.to_vec().unwrap(), expected.bytes);
        }
        assert!(read_y::ir().unwrap().views().next().is_none());
    }
}

#[kernel]
fn chroma_of_chroma(input: &Surface2D, output: &mut Surface2D) {
    output.write(0, 0, &input.plane(Plane::Uv).read_plane::<u8, 1, 4>(Plane::U, 0, 0));
}

#[kernel]
fn odd_column(input: &Surface2D, output: &mut Surface2D) {
    output.write(0, 0, &input.read_plane::<u8, 1, 4>(Plane::Uv, 1, 0));
}

#[kernel]
fn declared(input: &Surface2D, _output: &mut Surface2D) {
    let _unused = input.plane(Plane::V);
}

#[test]
fn planes_that_are_not_there() {
    for device in &surface_devices(1) {
        let mut output = Surface2D::new(device, Format::R8, 32, 8).unwrap();
        let surface = |format| Surface2D::new(device, format, 8, 4).unwrap();
        for format in [Format::R8, Format::Yuyv, Format::Yv12, Format::I420] {
            let error = read_uv::launch(device, one(), &surface(format), &mut output, 0, 0).unwrap_err();
            assert!(matches!(error, Error::NoPlane { plane: Plane::Uv, .. }), "{error:?}");
            let message = error.to_string();
            for word in ["`input`", "`read_uv`", &format.to_string(), "no plane Uv"] {
                assert!(message.contains(word), "{message}");
            }
        }
        for format in [Format::Nv12, Format::P010] {
            for launched in [
                read_u::launch(device, one(), &surface(format), &mut output, 0, 0),
                read_v::launch(device, one(), &surface(format), &mut output, 0, 0),
                // A plane that is named but not used still counts.
                declared::launch(device, one(), &surface(format), &mut output),
            ] {
                assert!(matches!(launched, Err(Error::NoPlane { .. })), "{launched:?}");
            }
        }
        // The columns are those of the plane, the format is that of the surface.
        let error = odd_column::launch(device, one(), &surface(Format::Nv12), &mut output).unwrap_err();
        assert!(
            matches!(error, Error::ArgumentFormat { format: Format::Nv12, alignment: 2, .. }),
            "{error:?}"
        );
        let error = chroma_of_chroma::launch(device, one(), &surface(Format::Nv12), &mut output).unwrap_err();
        assert!(error.to_string().contains("a plane of another plane"), "{error}");
    }
}
