//! Fields: every second row of a surface or plane, with separate edges.

use cm::interpret::{InterpretArg, interpret};
use cm::ir::{Field, Type};
use cm::prelude::*;
use cm::{Device, Error, Event, Format, Plane, Surface2D, ThreadSpace};
use cm_test_support::devices::surface_devices;
use cm_test_support::memory::Memory;
use cm_test_support::spaces::one;

use super::Bytes;

#[kernel]
fn read_top(input: &Surface2D, output: &mut Surface2D, x: i32, y: i32) {
    output.write(0, 0, &input.top_field().read::<u8, 8, 32>(x, y));
}

#[kernel]
fn read_bottom(input: &Surface2D, output: &mut Surface2D, x: i32, y: i32) {
    output.write(0, 0, &input.bottom_field().read::<u8, 8, 32>(x, y));
}

#[kernel]
fn write_top(output: &mut Surface2D, block: Matrix<u8, 4, 8>, x: i32, y: i32) {
    output.top_field_mut().write(x, y, &block);
}

#[kernel]
fn write_bottom(output: &mut Surface2D, block: Matrix<u8, 4, 8>, x: i32, y: i32) {
    output.bottom_field_mut().write(x, y, &block);
}

type Read = fn(&Device, ThreadSpace, &Surface2D, &mut Surface2D, i32, i32) -> cm::Result<Event>;
type Write = fn(&Device, ThreadSpace, &mut Surface2D, Matrix<u8, 4, 8>, i32, i32) -> cm::Result<Event>;

const KERNELS: [(Field, Read, Write); 2] = [
    (Field::Top, read_top::launch, write_top::launch),
    (Field::Bottom, read_bottom::launch, write_bottom::launch),
];

/// The rows of a field.
fn rows(frame: &Bytes, field: Field) -> Bytes {
    let first = usize::from(field == Field::Bottom);
    let bytes = frame.bytes.chunks(frame.width).skip(first).step_by(2).collect::<Vec<_>>().concat();
    Bytes { height: bytes.len() / frame.width, bytes, ..*frame }
}

/// Positions inside, at every edge and corner, and at the limits of coordinates; whole dwords.
fn positions(field: &Bytes) -> Vec<(i32, i32)> {
    let (right, below) = (field.width as i32 / 4 * 4, field.height as i32);
    let rows = [i32::MIN, i32::MIN + 1, -8, -1, 0, 1, below - 4, below - 1, below, i32::MAX - 7, i32::MAX];
    [-8, 0, right - 8].into_iter().flat_map(|x| rows.map(|y| (x, y))).collect()
}

fn block(field: &Bytes, x: i32, y: i32) -> Vec<u8> {
    let places = (0..8).flat_map(|i| (0..32).map(move |j| (j, i)));
    places.map(|(j, i)| field.at(i64::from(x) + j, i64::from(y) + i)).collect()
}

#[test]
fn reads_repeat_the_edge_of_the_field() {
    for device in &surface_devices(1) {
        for format in [Format::R8, Format::R32] {
            for (width, height) in [(64, 24), (32, 17), (12, 2), (8, 3)] {
                let frame = Bytes::new(format, width, height, 9);
                let input = frame.surface(device);
                for (field, read, _) in KERNELS {
                    let bytes = rows(&frame, field);
                    for (x, y) in positions(&bytes) {
                        let mut output = Surface2D::new(device, Format::R8, 32, 8).unwrap();
                        read(device, one(), &input, &mut output, x, y).unwrap();
                        let expected = block(&bytes, x, y);
                        let name = device.name();
                        assert_eq!(
                            output.to_vec().unwrap(),
                            expected,
                            "{field:?} {width}x{height} {x},{y} {name}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn writes_change_rows_of_the_field_and_drop_what_is_outside() {
    let elements: [[u8; 8]; 4] = std::array::from_fn(|i| std::array::from_fn(|j| (200 + i * 8 + j) as u8));
    for device in &surface_devices(1) {
        for (width, height) in [(32, 24), (32, 17), (12, 3)] {
            let before = Bytes::new(Format::R8, width, height, 4);
            for (field, _, write) in KERNELS {
                for (x, y) in positions(&rows(&before, field)) {
                    let mut output = before.surface(device);
                    write(device, one(), &mut output, Matrix::from_array(elements), x, y).unwrap();
                    let mut expected = before.clone();
                    for (i, row) in elements.iter().enumerate() {
                        // Row by row, because the rows of a field are not adjacent.
                        let y = (i64::from(y) + i as i64) * 2 + i64::from(field == Field::Bottom);
                        expected.put(x.into(), y, 8, row);
                    }
                    let name = device.name();
                    assert_eq!(
                        output.to_vec().unwrap(),
                        expected.bytes,
                        "{field:?} {width}x{height} {x},{y} {name}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_interpreter_takes_a_field_as_an_argument() {
    let frame = Bytes::new(Format::R8, 64, 24, 9);
    for (field, function) in
        [(Field::Top, read_top::ir().unwrap()), (Field::Bottom, read_bottom::ir().unwrap())]
    {
        assert_eq!(cm::text::parse(&function.to_string()).as_ref(), Ok(&function));
        let bytes = rows(&frame, field);
        let mut unused = Memory::new(1, 4, 1, &[0; 4]);
        let mut shown = Memory::new(1, bytes.width, bytes.height, &bytes.bytes);
        let mut output = Memory::new(1, 32, 8, &[0; 256]);
        let [x, y] = [8_i32, -3].map(i32::to_le_bytes);
        let ty = Type::scalar(cm::elem::ElemType::I32);
        let mut args = [
            InterpretArg::Surface(&mut unused),
            InterpretArg::Surface(&mut output),
            InterpretArg::Uniform { ty, bytes: &x },
            InterpretArg::Uniform { ty, bytes: &y },
            InterpretArg::Surface(&mut shown),
        ];
        interpret(&function, &mut args, [0, 0]).unwrap();
        assert_eq!(output.bytes(), block(&bytes, 8, -3));
    }
}

/// Weaves two fields into one picture, as for interlaced video.
#[kernel]
fn woven(top: &Surface2D, bottom: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    output.top_field_mut().write(x, y, &top.read::<u8, 4, 16>(x, y));
    output.bottom_field_mut().write(x, y, &bottom.read::<u8, 4, 16>(x, y));
    let y = y / 2;
    output.plane_mut(Plane::Uv).top_field_mut().write(x, y, &top.plane(Plane::Uv).read::<u8, 2, 16>(x, y));
    output.bottom_field_mut().plane_mut(Plane::Uv).write(
        x,
        y,
        &bottom.read_plane::<u8, 2, 16>(Plane::Uv, x, y),
    );
}

#[test]
fn threads_write_both_fields_of_planes() {
    let (width, height) = (64, 32);
    let picture = |seed| Bytes::new(Format::R8, width, height / 2 * 3 / 2, seed).bytes;
    let fields = [picture(1), picture(2)];
    let luma = width * height / 2;
    let mut expected = vec![];
    for part in [0..luma, luma..luma * 3 / 2] {
        let rows = fields[0][part.clone()].chunks(width).zip(fields[1][part].chunks(width));
        rows.for_each(|(top, bottom)| expected.extend_from_slice(&[top, bottom].concat()));
    }
    for threads in [1, 2] {
        for device in &surface_devices(threads) {
            let [top, bottom] = [0, 1]
                .map(|n| Surface2D::from_bytes(device, Format::Nv12, width, height / 2, &fields[n]).unwrap());
            let mut output = Surface2D::new(device, Format::Nv12, width, height).unwrap();
            let space = ThreadSpace::new(4, 4).unwrap();
            woven::launch(device, space, &top, &bottom, &mut output).unwrap();
            assert_eq!(output.to_vec().unwrap(), expected, "{}", device.name());
        }
    }
    // Both ways to name a field of a plane give the same parameter.
    let function = woven::ir().unwrap();
    let names: Vec<_> = function.views().map(|(param, _)| function.params[param].name.clone()).collect();
    // The intermediate views of a field of a plane are parameters, too.
    let expected = "output_y_top output_y_bottom output_uv output_uv_top top_uv output_uv_bottom bottom_uv";
    assert_eq!(names.join(" "), expected);
}

/// Every thread writes a row of a field.
#[kernel]
fn marked(output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y());
    output.bottom_field_mut().write(x, y, &Vector::<u8, 16>::splat(7));
}

/// Every thread writes a row of a field, and reads rows of the frame that other threads write.
#[kernel]
fn smeared(output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y());
    let above = output.read::<u8, 1, 16>(x, y * 2);
    output.bottom_field_mut().write(x, y + 1, &(above + 1).convert::<u8>());
}

#[test]
fn fields_of_their_own_run_in_parallel_and_fields_of_a_frame_do_not() {
    let device = &Device::cpu_with_threads(2).unwrap();
    let mut output = Surface2D::new(device, Format::R8, 16, 512).unwrap();
    let event = marked::launch(device, ThreadSpace::new(1, 256).unwrap(), &mut output).unwrap();
    assert_eq!(event.workers(), 2);
    assert_eq!(output.to_vec().unwrap(), [[0; 16], [7; 16]].concat().repeat(256));
    let event = smeared::launch(device, ThreadSpace::new(1, 200).unwrap(), &mut output).unwrap();
    assert_eq!(event.workers(), 1);
}

#[kernel]
fn field_of_a_field(input: &Surface2D, output: &mut Surface2D) {
    output.write(0, 0, &input.top_field().bottom_field().read::<u8, 1, 4>(0, 0));
}

#[test]
fn fields_that_are_not_there() {
    for device in &surface_devices(1) {
        let row = Surface2D::new(device, Format::R8, 32, 1).unwrap();
        let mut output = Surface2D::new(device, Format::R8, 32, 8).unwrap();
        read_top::launch(device, one(), &row, &mut output, 0, 0).unwrap();
        let error = read_bottom::launch(device, one(), &row, &mut output, 0, 0).unwrap_err();
        assert!(matches!(error, Error::NoField { plane: Plane::Y, .. }), "{error:?}");
        assert!(error.to_string().contains("`input` of kernel `read_bottom` has one row"), "{error}");
        let error = field_of_a_field::launch(device, one(), &row, &mut output).unwrap_err();
        assert!(error.to_string().contains("a field of a field"), "{error}");
    }
}
