//! Copies of 3-D surfaces by the host: bytes, rows and slices with pitches, boxes, against scalar copies.

use cm::prelude::*;
use cm_test_support::devices::surface_devices;
use cm_test_support::noise::bytes;

const FORMATS: [Format; 5] = [Format::R8, Format::R16, Format::R32, Format::R32F, Format::Rgba8];

/// Sizes in which rows, slices or everything may be one texel, and one with more rows and slices than a tile of memory.
const SIZES: [[usize; 3]; 6] = [[5, 3, 4], [1, 1, 1], [7, 1, 3], [1, 4, 2], [66, 5, 2], [3, 34, 33]];

/// A box of a surface.
#[derive(Clone, Copy)]
struct Part {
    start: [usize; 3],
    size: [usize; 3],
}

/// The first byte of each row of a box, in a surface with these pitches, and in the box without padding.
fn rows(part: Part, texel: usize, [row_pitch, slice_pitch]: [usize; 2]) -> Vec<[usize; 2]> {
    let Part { start: [x, y, z], size: [width, height, depth] } = part;
    let mut all = vec![];
    for slice in 0..depth {
        for row in 0..height {
            let inside = (z + slice) * slice_pitch + (y + row) * row_pitch + x * texel;
            all.push([inside, (slice * height + row) * width * texel]);
        }
    }
    all
}

/// Calls `check` for every device, format and size, with the bytes of a surface.
fn each(check: impl Fn(&Device, Format, [usize; 3], Vec<u8>)) {
    for device in surface_devices(1) {
        for (seed, (format, size)) in (1..).zip(FORMATS.into_iter().flat_map(|f| SIZES.map(|size| (f, size))))
        {
            let count = size.iter().product::<usize>() * format.texel_bytes();
            check(&device, format, size, bytes(count, seed));
        }
    }
}

fn surface(device: &Device, format: Format, [width, height, depth]: [usize; 3], bytes: &[u8]) -> Surface3D {
    Surface3D::from_bytes(device, format, width, height, depth, bytes).unwrap()
}

#[test]
fn bytes_go_in_and_out() {
    each(|device, format, size, bytes| {
        let [width, height, depth] = size;
        let mut zeros = Surface3D::new(device, format, width, height, depth).unwrap();
        assert!(zeros.to_vec().unwrap().iter().all(|byte| *byte == 0), "{format} on {}", device.name());
        zeros.write_bytes(&bytes).unwrap();
        for surface in [zeros, surface(device, format, size, &bytes)] {
            assert_eq!(surface.to_vec().unwrap(), bytes, "{format} {size:?} on {}", device.name());
            let mut read = vec![0; bytes.len()];
            surface.read_into(&mut read).unwrap();
            assert_eq!(read, bytes);
            let shape = (surface.width(), surface.height(), surface.depth(), surface.format());
            assert_eq!(shape, (width, height, depth, format));
        }
    });
}

#[test]
fn boxes_go_in_and_out() {
    each(|device, format, size, mut bytes| {
        let texel = format.texel_bytes();
        let pitches = [size[0] * texel, size[0] * size[1] * texel];
        let mut surface = surface(device, format, size, &bytes);
        // A corner, the rest, whole rows and whole slices.
        let half = size.map(|n| n.div_ceil(2));
        let rest = Part { start: size.map(|n| n / 2), size: half };
        let slice = Part { start: [0, 0, size[2] - 1], size: [size[0], size[1], 1] };
        let row = Part { start: [0, size[1] / 2, 0], size: [size[0], 1, size[2]] };
        let column = Part { start: [size[0] - 1, 0, 0], size: [1, size[1], size[2]] };
        for (seed, part) in (70..).zip([Part { start: [0; 3], size: half }, rest, slice, row, column]) {
            let Part { start, size } = part;
            let width = size[0] * texel;
            let new = self::bytes(size.iter().product::<usize>() * texel, seed);
            let place = format!("{size:?} at {start:?} of {format} on {}", device.name());
            let mut old = vec![0; new.len()];
            for [inside, apart] in rows(part, texel, pitches) {
                old[apart..apart + width].copy_from_slice(&bytes[inside..inside + width]);
                bytes[inside..inside + width].copy_from_slice(&new[apart..apart + width]);
            }
            assert_eq!(surface.read_box(start, size).unwrap(), old, "{place}");
            surface.write_box(start, size, &new).unwrap();
            assert_eq!(surface.to_vec().unwrap(), bytes, "{place}");
        }
    });
}

#[test]
fn rows_and_slices_go_in_and_out_with_any_pitch() {
    each(|device, format, size, bytes| {
        let texel = format.texel_bytes();
        let row = size[0] * texel;
        for (between_rows, between_slices) in [(0, 0), (texel, 0), (0, texel), (3 * texel, 2 * texel)] {
            let row_pitch = row + between_rows;
            let slice_pitch = (size[1] - 1) * row_pitch + row + between_slices;
            let pitches = [row_pitch, slice_pitch];
            let end = (size[2] - 1) * slice_pitch + (size[1] - 1) * row_pitch + row;
            let mut padded = vec![0xee; end + 1];
            for [at, from] in rows(Part { start: [0; 3], size }, texel, pitches) {
                padded[at..at + row].copy_from_slice(&bytes[from..from + row]);
            }
            let mut surface = surface(device, format, size, &vec![1; bytes.len()]);
            surface.write_rows(&padded[..end], row_pitch, slice_pitch).unwrap();
            assert_eq!(surface.to_vec().unwrap(), bytes, "{pitches:?} of {format} on {}", device.name());
            let mut read = vec![0xee; end + 1];
            surface.read_rows(&mut read, row_pitch, slice_pitch).unwrap();
            assert_eq!(read, padded, "{pitches:?} of {format} on {}", device.name());
        }
    });
}

#[test]
fn what_does_not_fit_changes_nothing() {
    for device in surface_devices(1) {
        let bytes = bytes(24, 4);
        let mut surface = surface(&device, Format::R8, [4, 3, 2], &bytes);
        surface.write_bytes(&[9; 23]).unwrap_err();
        surface.write_box([1, 0, 0], [4, 1, 1], &[9; 4]).unwrap_err();
        surface.write_box([1, 0, 0], [3, 1, 1], &[9; 4]).unwrap_err();
        surface.write_rows(&[9; 23], 4, 12).unwrap_err();
        surface.write_rows(&[9; 64], 4, 11).unwrap_err();
        assert_eq!(surface.to_vec().unwrap(), bytes, "{}", device.name());
    }
}

/// Copies in a scope come in the order of its launches.
#[test]
fn copies_in_a_scope_are_in_order() {
    #[kernel]
    fn double(cube: &mut Surface3D) {
        use cm::channels::CM_R;
        let u = Vector::<u32, 4>::constant([0, 1, 2, 3]);
        let (v, r) = (Vector::<u32, 4>::splat(0), Vector::<u32, 4>::splat(0) + thread_origin_x());
        let texels = cube.read_typed::<u32, CM_R, 1, 4>(&u, &v, &r);
        cube.write_typed::<CM_R, 1, 4>(&u, &v, &r, &(texels * 2));
    }

    for device in surface_devices(2) {
        let mut cube = Surface3D::new(&device, Format::R8, 4, 1, 3).unwrap();
        let frames = device.scope(|scope| {
            let mut frames = vec![];
            for n in 1..4 {
                cube.enqueue_write(scope, &[n; 12])?;
                double::enqueue(scope, ThreadSpace::new(3, 1)?, &mut cube)?;
                frames.push(cube.enqueue_read(scope)?);
            }
            Ok::<_, cm::Error>(frames)
        });
        for (n, frame) in (1..).zip(frames.unwrap()) {
            assert_eq!(frame.to_vec().unwrap(), [2 * n; 12], "{}", device.name());
        }
    }
}

#[test]
fn surfaces_show_their_size() {
    let surface = Surface3D::new(&Device::cpu().unwrap(), Format::R16, 4, 3, 2).unwrap();
    let text = "Surface3D { format: R16, width: 4, height: 3, depth: 2, .. }";
    assert_eq!(format!("{surface:?}"), text);
}
