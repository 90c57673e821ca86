//! Functions that are generic over the elements, which they move and convert, and over sizes; against scalar code, on every device.

use cm::prelude::*;
use cm_test_support::devices::devices;

/// The mean of elements, computed in `i32`.
#[function]
fn mean<T: Elem, const N: usize>(a: Vector<T, N>, b: Vector<T, N>, bias: Scalar<T>) -> Vector<T, N> {
    let sum = a.convert::<i32>() + b.convert::<i32>() + bias.convert::<i32>();
    (sum >> 1).convert()
}

/// The elements in the reverse order, and the one that was the last.
#[function]
fn reversed<T: Elem, const N: usize>(v: Vector<T, N>) -> (Vector<T, N>, Scalar<T>) {
    let mut out = v;
    for i in 0..N {
        out.get_mut(i).assign(v.get(N - 1 - i));
    }
    (out, last(out.select::<N, 1>(0)))
}

#[function]
fn last<T: Elem, const N: usize>(v: Vector<T, N>) -> Scalar<T> {
    v.get(N - 1)
}

#[function]
fn transposed<T: Elem, const R: usize, const C: usize>(m: Matrix<T, R, C>) -> Matrix<T, C, R> {
    m.transpose()
}

#[kernel]
fn generic(bytes: &Buffer<u8>, floats: &Buffer<f32>, output: &mut Buffer<i32>) {
    let (b, f) = (bytes.read::<16>(0), floats.read::<8>(0));
    let (turned, first) = reversed(b);
    output.write_linear(0, &mean(b, turned, first).convert::<i32>());
    let (turned, first) = reversed(f);
    output.write(64, &mean::<f32, 8>(f, turned, first * 2.0f32).convert::<i32>());
    let m = transposed::<u8, 2, 8>(b.format::<u8, 2, 8>());
    output.write_linear(96, &m.format::<u8>().convert::<i32>());
    output.write(160, &Vector::<i32, 4>::splat(last::<f32, _, _>(f) as i32));
}

#[test]
fn functions_of_any_elements() -> cm::Result<()> {
    let bytes: Vec<u8> = (0..16).map(|n| 200 + 3 * n).collect();
    let floats: Vec<f32> = (0..8).map(|n| 40.0 - 9.5 * n as f32).collect();
    let mut expected = Vec::new();
    for n in 0..16 {
        // The bias is the element that is last after the elements have been reversed.
        let sum = i32::from(bytes[n]) + i32::from(bytes[15 - n]) + i32::from(bytes[0]);
        expected.push(i32::from((sum >> 1) as u8));
    }
    for n in 0..8 {
        expected.push((floats[n] as i32 + floats[7 - n] as i32 + (floats[0] * 2.0) as i32) >> 1);
    }
    expected.extend((0..16).map(|n| i32::from(bytes[n % 2 * 8 + n / 2])));
    expected.extend([floats[7] as i32; 4]);
    for device in &devices(1) {
        let input = (Buffer::from_slice(device, &bytes)?, Buffer::from_slice(device, &floats)?);
        let mut output = Buffer::<i32>::new(device, expected.len())?;
        generic::launch(device, ThreadSpace::new(1, 1)?, &input.0, &input.1, &mut output)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}
