//! Upload and download of surfaces: rows with every pitch, elements, and errors that change nothing.

use cm::Error;
use cm::prelude::*;
use cm_test_support::devices::surface_devices;

/// Every format; for each of its planes, the bytes of a texel, and the divisor of width and height.
const FORMATS: [(Format, &[(usize, usize)]); 12] = [
    (Format::R8, &[(1, 1)]),
    (Format::R16, &[(2, 1)]),
    (Format::R32, &[(4, 1)]),
    (Format::R32F, &[(4, 1)]),
    (Format::Rgba8, &[(4, 1)]),
    (Format::Bgra8, &[(4, 1)]),
    (Format::Yuyv, &[(2, 1)]),
    (Format::Uyvy, &[(2, 1)]),
    (Format::Nv12, &[(1, 1), (2, 2)]),
    (Format::P010, &[(2, 1), (4, 2)]),
    (Format::Yv12, &[(1, 1), (1, 2), (1, 2)]),
    (Format::I420, &[(1, 1), (1, 2), (1, 2)]),
];

/// The bytes between rows.
const PADDING: u8 = 0xee;

/// The rows of a picture, plane by plane.
fn picture(planes: &[(usize, usize)], width: usize, height: usize) -> Vec<Vec<u8>> {
    let mut next = 0u8;
    let mut rows = vec![];
    for (sample, part) in planes {
        for _ in 0..height / part {
            let row = (0..width / part * sample).map(|_| {
                next = next.wrapping_mul(5).wrapping_add(3);
                next
            });
            rows.push(row.collect());
        }
    }
    rows
}

/// The rows with a pitch. Rows that are half as long as the first ones have half the pitch. The last row has
/// no padding.
fn padded(rows: &[Vec<u8>], pitch: usize) -> Vec<u8> {
    let mut bytes = vec![];
    for (n, row) in rows.iter().enumerate() {
        bytes.extend(row);
        let pitch = if row.len() == rows[0].len() { pitch } else { pitch / 2 };
        let padding = if n + 1 == rows.len() { 0 } else { pitch - row.len() };
        bytes.extend(vec![PADDING; padding]);
    }
    bytes
}

/// Each format and size with each pitch.
fn each(check: impl Fn(&Device, Format, [usize; 2], &[Vec<u8>], usize)) {
    for device in surface_devices(2) {
        for (format, planes) in FORMATS {
            for [width, height] in [[2, 2], [6, 4], [34, 6]] {
                let rows = picture(planes, width, height);
                for extra in [0, 1, 2, 15] {
                    let pitch = rows[0].len() + extra * if planes.len() == 3 { 2 } else { planes[0].0 };
                    check(&device, format, [width, height], &rows, pitch);
                }
            }
        }
    }
}

#[test]
fn rows_go_in_and_out_with_any_pitch() {
    each(|device, format, [width, height], rows, pitch| {
        let what = format!("{} {format} {width} x {height}, pitch {pitch}", device.name());
        let (packed, padded) = (rows.concat(), padded(rows, pitch));
        let surface = Surface2D::from_rows(device, format, width, height, &padded, pitch).unwrap();
        assert_eq!(surface.to_vec().unwrap(), packed, "{what}");
        let mut other = Surface2D::new(device, format, width, height).unwrap();
        // Bytes after the rows are not used.
        let longer = [&padded[..], &[1, 2, 3]].concat();
        other.write_rows(&longer, pitch).unwrap();
        assert_eq!(other.to_vec().unwrap(), packed, "{what}");
        let mut out = vec![PADDING; longer.len()];
        surface.read_rows(&mut out, pitch).unwrap();
        assert_eq!(out, [&padded[..], &[PADDING; 3]].concat(), "{what}");
        let mut bytes = vec![0u8; packed.len()];
        surface.read_into(&mut bytes).unwrap();
        assert_eq!(bytes, packed, "{what}");
    });
}

/// With one byte too few, or an invalid pitch, surface and memory stay unchanged.
#[test]
fn what_does_not_fit_changes_nothing() {
    each(|device, format, [width, height], rows, pitch| {
        let padded = padded(rows, pitch);
        let short = &padded[..padded.len() - 1];
        let mut surface = Surface2D::new(device, format, width, height).unwrap();
        let made = Surface2D::from_rows(device, format, width, height, short, pitch);
        assert!(matches!(made, Err(Error::ShortRows { needed, found })
            if needed == padded.len() && found == short.len()));
        assert!(matches!(surface.write_rows(short, pitch), Err(Error::ShortRows { .. })));
        let mut out = vec![PADDING; short.len()];
        assert!(matches!(surface.read_rows(&mut out, pitch), Err(Error::ShortRows { .. })));
        let narrow = rows[0].len() - 1;
        assert!(matches!(surface.write_rows(&padded, narrow), Err(Error::RowPitch { .. })));
        assert!(matches!(surface.read_rows(&mut out, narrow), Err(Error::RowPitch { .. })));
        assert_eq!(out, vec![PADDING; short.len()]);
        assert!(surface.to_vec().unwrap().iter().all(|&byte| byte == 0));
    });
}

#[test]
fn elements_of_any_type_are_their_bytes() {
    for device in surface_devices(2) {
        let floats: Vec<f32> = (0..35).map(|n| n as f32 / 3.0).collect();
        let mut surface = Surface2D::from_slice(&device, Format::R32F, 7, 5, &floats).unwrap();
        let mut out = vec![0f32; 35];
        surface.read_into(&mut out).unwrap();
        assert_eq!(out, floats, "{}", device.name());
        let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_ne_bytes()).collect();
        assert_eq!(surface.to_vec().unwrap(), bytes);
        out.reverse();
        surface.write_slice(&out).unwrap();
        let mut words = vec![0u16; 70];
        surface.read_into(&mut words).unwrap();
        assert_eq!(words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<_>>()[..4], bytes[136..]);
        let mut few = [0f32; 34];
        let error = surface.read_into(&mut few).unwrap_err();
        assert!(matches!(error, Error::WrongLength { expected: 140, found: 136, .. }), "{error}");
        let error = surface.write_slice(&floats[1..]).unwrap_err();
        assert!(matches!(error, Error::WrongLength { expected: 140, found: 136, .. }), "{error}");
    }
}

/// A surface over the memory of a buffer has a pitch of its own.
#[test]
fn surfaces_over_buffers_too() {
    let device = Device::cpu_with_threads(1).unwrap();
    let buffer = Buffer::<u8>::new(&device, 200).unwrap();
    let mut surface = Surface2D::from_buffer(&device, buffer, 3, Format::R8, 5, 3, 64).unwrap();
    surface.write_rows(&[1, 2, 3, 4, 5, 0, 6, 7, 8, 9, 10, 0, 11, 12, 13, 14, 15], 6).unwrap();
    let mut out = [PADDING; 23];
    surface.read_rows(&mut out, 9).unwrap();
    let e = PADDING;
    assert_eq!(out, [1, 2, 3, 4, 5, e, e, e, e, 6, 7, 8, 9, 10, e, e, e, e, 11, 12, 13, 14, 15]);
    let download = device.scope(|scope| surface.enqueue_read(scope)).unwrap();
    assert_eq!(download.to_vec().unwrap(), (1..=15).collect::<Vec<u8>>());
    let bytes = surface.into_buffer().unwrap().to_vec().unwrap();
    assert_eq!(bytes.iter().filter(|&&byte| byte != 0).count(), 15, "nothing lies between the rows");
    assert_eq!((bytes[3], bytes[3 + 64], bytes[3 + 128 + 4]), (1, 6, 15));
}
