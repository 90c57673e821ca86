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

/// What a kernel is generic over: types of the host choose its constants.
trait Filter {
    const TAPS: &'static [i32];
    const SHIFT: i32 = 2;
    fn bias() -> i32 {
        1
    }
}

struct Binomial;
struct Edge;

impl Filter for Binomial {
    const TAPS: &'static [i32] = &[1, 2, 1];
}

impl Filter for Edge {
    const TAPS: &'static [i32] = &[-1, 0, 0, 1];
    const SHIFT: i32 = 0;
    fn bias() -> i32 {
        0
    }
}

#[kernel]
fn filtered<F, T: Elem, const N: usize>(input: &Buffer<T>, output: &mut Buffer<T>, scale: i32)
where
    F: Filter,
{
    let line = input.read_linear::<32>(0);
    let mut sum = Vector::<i32, N>::splat(F::bias() * scale);
    for (i, tap) in F::TAPS.iter().enumerate().filter(|(_, tap)| **tap != 0) {
        sum += line.select::<N, 1>(i).convert::<i32>() * *tap;
    }
    output.write_linear(0, &(sum >> F::SHIFT).convert::<T>());
}

fn filters<F: Filter + 'static>() -> cm::Result<()> {
    let line: Vec<u8> = (0..32u32).map(|n| (n * n % 83) as u8).collect();
    let floats: Vec<f32> = line.iter().map(|&x| f32::from(x)).collect();
    let filtered = |at: usize, scale: i32| {
        let taps = F::TAPS.iter().zip(&line[at..]).map(|(tap, &x)| tap * i32::from(x));
        (taps.sum::<i32>() + F::bias() * scale) >> F::SHIFT
    };
    for device in &devices(1) {
        let (bytes, floats) = (Buffer::from_slice(device, &line)?, Buffer::from_slice(device, &floats)?);
        let (mut of_bytes, mut of_floats) = (Buffer::<u8>::new(device, 16)?, Buffer::<f32>::new(device, 8)?);
        let space = ThreadSpace::new(1, 1)?;
        filtered::<F, u8, 16>::launch(device, space, &bytes, &mut of_bytes, 2)?;
        filtered::<F, f32, 8>::launch(device, space, &floats, &mut of_floats, 4)?;
        let expected: Vec<u8> = (0..16).map(|at| filtered(at, 2) as u8).collect();
        assert_eq!(of_bytes.to_vec()?, expected, "{}", device.name());
        let expected: Vec<f32> = (0..8).map(|at| filtered(at, 4) as f32).collect();
        assert_eq!(of_floats.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

#[test]
fn kernels_that_are_generic_over_types() -> cm::Result<()> {
    filters::<Binomial>()?;
    filters::<Edge>()
}
