//! Places with names, formats of parts, and assignments between shapes, against scalar code, on every device.

use cm::prelude::*;
use cm_test_support::devices::devices;

/// The output of a kernel for four threads, with each device.
fn check<const N: usize>(
    launch: impl Fn(&Device, ThreadSpace, &Buffer<u8>, &mut Buffer<u8>),
    expected: impl Fn([u8; N]) -> [u8; N],
) {
    let bytes: Vec<u8> = (0..4 * N).map(|n| (n * n / 3 + n * 41) as u8).collect();
    let expected: Vec<u8> = bytes.as_chunks::<N>().0.iter().flat_map(|&thread| expected(thread)).collect();
    for device in devices(1) {
        let input = Buffer::from_slice(&device, &bytes).unwrap();
        let mut output = Buffer::new(&device, 4 * N).unwrap();
        launch(&device, ThreadSpace::new(4, 1).unwrap(), &input, &mut output);
        assert_eq!(output.to_vec().unwrap(), expected, "{}", device.name());
    }
}

/// Parts without gaps, as dwords and words, at any byte.
#[kernel]
fn formatted_parts(input: &Buffer<u8>, output: &mut Buffer<u8>, first: u32) {
    let at = thread_origin_x() * 128;
    let read = input.read::<128>(at);
    let mut m = read.format::<u8, 8, 16>();
    m.select_mut::<2, 1, 16, 1>(4, 0).format_mut::<u32>().assign(7);
    m.row_mut(0).select_mut::<8, 1>(first).format_mut::<u32>().select_mut::<1, 1>(1).assign(0x0403_0201);
    m.select_mut::<4, 2, 6, 1>(0, 5).row_mut(3).format_mut::<u16>().get_mut(1).assign(0x0605);
    // Across the end of a row.
    m.format_mut::<u8>().select_mut::<8, 1>(43).format_mut::<u32>().assign(0x0d0c_0b0a);
    m.format_mut::<u32>()
        .select_mut::<2, 1>(30)
        .format_matrix_mut::<u8, 2, 4>()
        .column_mut(first - 1)
        .assign(9);
    output.write(at, &m);
}

#[test]
fn parts_without_gaps_are_formatted() {
    check::<128>(
        |device, space, input, output| {
            formatted_parts::launch(device, space, input, output, 3).unwrap();
        },
        |mut bytes| {
            for word in 16..24 {
                bytes[word * 4..][..4].copy_from_slice(&[7, 0, 0, 0]);
            }
            bytes[7..11].copy_from_slice(&[1, 2, 3, 4]);
            bytes[6 * 16 + 5 + 2..][..2].copy_from_slice(&[5, 6]);
            bytes[43..51].copy_from_slice(&[10, 11, 12, 13, 10, 11, 12, 13]);
            (bytes[122], bytes[126]) = (9, 9);
            bytes
        },
    );
}

#[function]
fn raised(v: &mut Vector<u8, 8>, by: u8) {
    *v += by;
}

/// Names of places, used several times.
#[kernel]
fn named_places(input: &Buffer<u8>, output: &mut Buffer<u8>, last: u32) {
    let at = thread_origin_x() * 64;
    let mut m = input.read::<64>(at).format::<u8, 8, 8>();
    let r = m.row_mut(3);
    r.select_mut::<4, 1>(0).assign(1);
    r.select_mut::<4, 1>(4).assign(2);
    r += 5;
    raised(&mut r, 10);
    let mut q = m.format_mut::<u16, 4, 8>();
    q.row_mut(0).assign(q.row(3) + 1);
    if last > 6 {
        q.row_mut(3).assign(q.row(1) - q.row(1));
    }
    for i in 0..last {
        q.get_mut(2, i).assign(i);
    }
    let part = q.select_mut::<2, 1, 2, 1>(0, 6);
    part.merge(0, part > 300);
    part.row_mut(1).get_mut(1).assign(part.get(0, 0));
    let element = m.get_mut(7, 7);
    element.assign(element.value() + 1);
    element += element;
    output.write(at, &m);
}

#[test]
fn places_have_names() {
    check::<64>(
        |device, space, input, output| {
            named_places::launch(device, space, input, output, 8).unwrap();
        },
        |mut bytes| {
            bytes[24..32].copy_from_slice(&[16, 16, 16, 16, 17, 17, 17, 17]);
            let mut words: [u16; 32] =
                std::array::from_fn(|n| u16::from_le_bytes([bytes[2 * n], bytes[2 * n + 1]]));
            for c in 0..8 {
                words[c] = words[24 + c].wrapping_add(1);
            }
            words[24..].fill(0);
            for c in 0..8 {
                words[16 + c] = c as u16;
            }
            for at in [6, 7, 14, 15] {
                if words[at] > 300 {
                    words[at] = 0;
                }
            }
            words[15] = words[6];
            let mut bytes: [u8; 64] = std::array::from_fn(|n| words[n / 2].to_le_bytes()[n % 2]);
            bytes[63] = bytes[63].wrapping_add(1).wrapping_mul(2);
            bytes
        },
    );
}

/// The lanes of a place with a name, and of its parts.
#[kernel]
fn named_lanes(input: &Buffer<u8>, output: &mut Buffer<u8>) {
    let at = thread_origin_x() * 64;
    let mut m = input.read::<64>(at).format::<u8, 4, 16>();
    let mask = m.row(0) > 100;
    let r = m.row_mut(1);
    simd_if! { mask => {
        r.assign(7);
        r += 1;
        r.select_mut::<16, 1>(0).merge(r + 1, 0xf);
    } else {
        r.assign(r - 1);
    } }
    output.write(at, &m);
}

#[test]
fn lanes_of_places_have_names() {
    check::<64>(
        |device, space, input, output| {
            named_lanes::launch(device, space, input, output).unwrap();
        },
        |mut bytes| {
            for c in 0..16 {
                let old = bytes[16 + c];
                bytes[16 + c] = if bytes[c] > 100 { 8 + u8::from(c < 4) } else { old.wrapping_sub(1) };
            }
            bytes
        },
    );
}

#[function]
fn reshaped(m: Matrix<u8, 8, 2>, mut o: Matrix<u8, 2, 8>) -> Matrix<u8, 2, 8> {
    o.assign(m);
    o
}

/// Assignments of matrices with as many elements, row by row.
#[kernel]
fn other_shapes(input: &Buffer<u8>, output: &mut Buffer<u8>) {
    let at = thread_origin_x() * 64;
    let read = input.read::<64>(at);
    let m = read.format::<u8, 8, 8>();
    let mut out = Matrix::<u8, 8, 8>::splat(0);
    // A step of a transposition.
    out.select_mut::<2, 1, 8, 1>(0, 0).assign(m.select::<8, 1, 2, 4>(0, 0));
    out.select_mut::<2, 1, 8, 1>(2, 0)
        .assign(reshaped(m.select::<8, 1, 2, 1>(0, 3), m.select::<2, 1, 8, 1>(0, 0)));
    let columns = m.select::<8, 1, 2, 1>(0, 5);
    out.select_mut::<2, 1, 8, 1>(4, 0).assign(columns + m.select::<8, 1, 2, 1>(0, 1));
    let mut words = Matrix::<u16, 4, 4>::splat(0);
    words.assign(columns);
    out.select_mut::<2, 1, 8, 1>(6, 0).assign(words);
    output.write(at, &out);
}

#[test]
fn other_shapes_are_assigned_row_by_row() {
    check::<64>(
        |device, space, input, output| {
            other_shapes::launch(device, space, input, output).unwrap();
        },
        |bytes| {
            let columns = |first: usize, step: usize| {
                std::array::from_fn::<u8, 16, _>(|n| bytes[n / 2 * 8 + first + n % 2 * step])
            };
            let sum: [u8; 16] = std::array::from_fn(|n| columns(5, 1)[n].wrapping_add(columns(1, 1)[n]));
            let rows = [columns(0, 4), columns(3, 1), sum, columns(5, 1)];
            std::array::from_fn(|n| rows[n / 16][n % 16])
        },
    );
}
