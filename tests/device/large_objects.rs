//! Objects of 6 to 12 KB in kernels for larger register files: every element, against a scalar implementation.

use cm::prelude::*;
use cm::spirv::LowerError;
use cm::{Error, RegisterFile};
use cm_test_kernels::attention::{HEAD, KEYS, QUERIES, attention};
use cm_test_kernels::{for_each_large_object, large_objects as kernels};
use cm_test_support::devices::devices;
use cm_test_support::noise::stream;

/// An element of the scalar implementation.
trait Number: Elem + PartialOrd + bytemuck::Pod {
    fn plus(self, other: Self) -> Self;
    fn from_small(x: u8) -> Self;
}

macro_rules! numbers {
    ($($t:ident: $plus:expr, $from:expr;)*) => {$(
        impl Number for $t {
            fn plus(self, other: Self) -> Self {
                let plus: fn($t, $t) -> $t = $plus;
                plus(self, other)
            }
            fn from_small(x: u8) -> Self {
                let from: fn(u8) -> $t = $from;
                from(x)
            }
        }
    )*};
}

numbers! {
    u8: u8::wrapping_add, |x| x;
    i16: i16::wrapping_add, |x| i16::from(x).wrapping_mul(1021);
    u32: u32::wrapping_add, |x| u32::from(x).wrapping_mul(0x0101_0109);
    i64: i64::wrapping_add, |x| (i64::from(x) - 60) * 0x1234_5678_9abc;
    f32: |x, y| x + y, |x| f32::from(x) - 100.0;
    f16: |x, y| f16::from_f32(x.to_f32() + y.to_f32()), |x| f16::from_f32(f32::from(x % 4));
}

/// The first row, column or element of a region, at an offset that the kernel computes.
fn start(offset: i32, count: usize, size: usize, stride: usize) -> usize {
    (offset as u32 as usize).min(count - (size - 1) * stride - 1)
}

/// The sum in the order of reductions.
fn sum<T: Number>(elements: &[T]) -> T {
    let mut left = elements.to_vec();
    let mut count = 1 << left.len().ilog2();
    for k in count..left.len() {
        left[k - count] = left[k - count].plus(left[k]);
    }
    while count > 1 {
        count /= 2;
        for k in 0..count {
            left[k] = left[k].plus(left[k + count]);
        }
    }
    left[0]
}

/// The object and the two sums that a kernel writes.
fn expected<T: Number>(
    (rows, columns): (usize, usize),
    mut m: Vec<T>,
    indices: &[u16],
    (i, j): (i32, i32),
) -> (Vec<T>, [T; 2]) {
    let at = |row: usize, column: usize| row * columns + column;
    let region = |m: &[T], i: i32, j: i32, stride: usize| -> Vec<T> {
        let (top, left) = (start(i, rows, 4, stride), start(j, columns, 16, stride));
        (0..64).map(|k| m[at(top + k / 16 * stride, left + k % 16 * stride)]).collect()
    };
    let taken = region(&m, i, j, 2);
    for (k, x) in taken.into_iter().enumerate() {
        m[at(start(j, rows, 4, 1) + k / 16, start(i, columns, 16, 1) + k % 16)] = x;
    }
    for c in 0..columns {
        m[at(start(j, rows, 1, 1), c)] = m[at(start(i + 1, rows, 1, 1), c)];
    }
    for r in 0..rows {
        m[at(r, start(i, columns, 1, 1))] = m[at(r, start(j, columns, 1, 1))];
    }
    let last = m[at(rows - 2, 0)..].to_vec();
    m[at(start(i, rows, 2, 1), 0)..][..2 * columns].copy_from_slice(&last);
    m[at(rows - 1, columns - 1)] = m[at(start(i, rows, 1, 1), start(j, columns, 1, 1))];
    let chosen: Vec<T> = indices.iter().map(|&n| m[usize::from(n).min(rows * columns - 1)]).collect();
    for (k, x) in chosen.into_iter().enumerate() {
        m[at(2, 1 + 2 * k)] = x;
    }
    let (a, b) = (m[at(rows - 1, 0)..].to_vec(), m[..columns].to_vec());
    for c in 0..columns {
        if a[c] > b[c] {
            m[at(rows - 2, c)] = a[c];
        }
    }
    let (left, right) = (region(&m, i, j, 1), region(&m, j, i, 1));
    for k in 0..64 {
        m[at(rows - 4 + k / 16, columns - 16 + k % 16)] = if left[k] > right[k] { a[1] } else { b[2] };
    }
    let sums = [sum(&m[at(rows - rows / 4, 0)..]), sum(&m)];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut m);
    let from = start(i * 100, bytes.len(), 32, 3);
    let copied: Vec<u8> = (0..32).map(|k| bytes[from + k * 3]).collect();
    let to = start(j * 50, bytes.len(), 32, 1);
    bytes[to..to + 32].copy_from_slice(&copied);
    let half = bytes.len() / rows / 2;
    let end = bytes.len() - half;
    bytes[end..].fill(7);
    (m, sums)
}

/// Whether a device can run a kernel that is written for a register file of this number of bytes. If not, this checks the
/// error of its launch.
fn can_run(device: &Device, registers: RegisterFile, file: usize, result: &cm::Result<Event>) -> bool {
    let Some(target) = device.target() else { return true };
    let size = |registers: RegisterFile| registers.registers() * target.register_bytes();
    if registers == RegisterFile::Large && !target.has_large_register_file() {
        assert!(matches!(result, Err(Error::Lower(LowerError::RegisterFile { .. }))), "{result:?}");
        return false;
    }
    if file <= size(registers) {
        return true;
    }
    let Err(Error::Lower(error @ LowerError::SmallRegisterFile { needed, found, larger, .. })) = result
    else {
        panic!("{}: {result:?}", device.name());
    };
    let with_more = target.has_large_register_file() && file <= size(RegisterFile::Large);
    assert_eq!((*needed, *found, *larger), (file, size(registers), with_more), "{error}");
    assert_eq!(error.to_string().contains("with_large_register_file"), with_more, "{error}");
    false
}

/// The rows and columns of regions, inside and outside.
const PLACES: [(i32, i32); 6] = [(0, 0), (3, 5), (17, 41), (1000, 2), (-1, 7), (11, 1_000_000)];

#[test]
fn every_operation_on_large_objects() {
    let mut next = stream(7);
    let indices: Vec<u16> =
        (0..32).map(|n| if n % 4 == 0 { 60_000 } else { (next() % 13_000) as u16 }).collect();
    let devices = devices(2).into_iter().flat_map(|device| {
        [(device.with_large_register_file(), RegisterFile::Large), (device, RegisterFile::Standard)]
    });
    for (device, registers) in devices {
        macro_rules! check {
            ($($name:ident: $file:literal, $t:ident $r:literal x $c:literal;)*) => {$(
                let before: Vec<$t> = (0..$r * $c).map(|_| $t::from_small((next() >> 9) as u8)).collect();
                for (i, j) in PLACES {
                    let input = Buffer::from_slice(&device, &before).unwrap();
                    let numbers = Buffer::from_slice(&device, &indices).unwrap();
                    let mut output = Buffer::<$t>::new(&device, $r * $c).unwrap();
                    let mut sums = Buffer::<$t>::new(&device, 32).unwrap();
                    let space = ThreadSpace::new(1, 1).unwrap();
                    let launched =
                        kernels::$name::launch(&device, space, &input, &numbers, &mut output, &mut sums, i, j);
                    if !can_run(&device, registers, $file, &launched) {
                        break;
                    }
                    launched.unwrap();
                    let (m, [rows, all]) = expected(($r, $c), before.clone(), &indices, (i, j));
                    let name = (stringify!($name), device.name(), i, j);
                    let bits = |x: &[$t]| bytemuck::cast_slice::<$t, u8>(x).to_vec();
                    assert!(bits(&output.to_vec().unwrap()) == bits(&m), "{name:?}");
                    let wanted = [[rows; 16], [all; 16]].concat();
                    assert_eq!(bits(&sums.to_vec().unwrap()), bits(&wanted), "{name:?}");
                }
            )*};
        }
        for_each_large_object!(check);
    }
}

/// Launches of larger kernels need no larger stack of their caller.
#[test]
fn large_objects_run_on_any_thread() {
    let run = || {
        for device in devices(1) {
            let Some(first) = first_floats(&device) else { continue };
            assert_eq!(first, [1.5; 4], "{}", device.name());
        }
    };
    // A recording needs more than that.
    three_objects::ir().unwrap();
    std::thread::Builder::new().stack_size(256 << 10).spawn(run).unwrap().join().unwrap();
}

/// Three objects of 12 KB that live one after the other.
#[kernel(register_file = 16384)]
fn three_objects(output: &mut Buffer<f32>) {
    let mut m = Matrix::<f32, 24, 128>::splat(0.5f32);
    for _ in 0..3u32 {
        let n: Matrix<f32, 24, 128> = m * 2.0f32 - 0.25f32;
        m = n;
    }
    output.write(0, &Vector::<f32, 4>::splat(m.get(23, 127) - 0.75f32));
}

fn first_floats(device: &Device) -> Option<Vec<f32>> {
    let mut output = Buffer::<f32>::new(device, 4).unwrap();
    let launched = three_objects::launch(device, ThreadSpace::new(1, 1).unwrap(), &mut output);
    can_run(device, RegisterFile::Standard, 16384, &launched).then(|| output.to_vec().unwrap())
}

/// Attention in 64-bit floats.
fn softmax(query: &[f16], keys: &[f16], values: &[f16], scale: f32) -> Vec<f64> {
    let row =
        |m: &[f16], n: usize| -> Vec<f64> { m[n * HEAD..][..HEAD].iter().map(|x| x.to_f64()).collect() };
    let keys: Vec<_> = (0..keys.len() / HEAD).map(|n| (row(keys, n), row(values, n))).collect();
    let mut output = vec![];
    for q in (0..query.len() / HEAD).map(|n| row(query, n)) {
        let score = |key: &[f64]| q.iter().zip(key).map(|(a, b)| a * b).sum::<f64>() * f64::from(scale);
        let powers: Vec<f64> = keys.iter().map(|(key, _)| score(key).exp2()).collect();
        let total: f64 = powers.iter().sum();
        output.extend((0..HEAD).map(|d| {
            powers.iter().zip(&keys).map(|(power, (_, value))| power * value[d]).sum::<f64>() / total
        }));
    }
    output
}

#[test]
fn attention_is_that_of_the_formula() {
    let mut next = stream(3);
    let mut matrix = |rows: usize| -> Vec<f16> {
        (0..rows * HEAD).map(|_| f16::from_f32((next() % 65) as f32 / 16.0 - 2.0)).collect()
    };
    let (rows, count) = (3 * QUERIES, 5 * KEYS);
    let (query, keys, values) = (matrix(rows), matrix(count), matrix(count));
    let scale = std::f32::consts::LOG2_E / (HEAD as f32).sqrt();
    let exact = softmax(&query, &keys, &values, scale);
    for device in devices(2) {
        let [q, v] = [&query, &values].map(|m| Buffer::from_slice(&device, m).unwrap());
        let k = Buffer::from_slice(&device, bytemuck::cast_slice::<f16, u32>(&keys)).unwrap();
        let mut output = Buffer::<f32>::new(&device, rows * HEAD).unwrap();
        let space = ThreadSpace::new(3, 1).unwrap();
        let launched =
            attention::launch(&device, space, &q, &k, &v, &mut output, rows as u32, count as u32, scale);
        if !can_run(&device, RegisterFile::Standard, 16384, &launched) {
            continue;
        }
        launched.unwrap();
        for (n, (found, exact)) in output.to_vec().unwrap().into_iter().zip(&exact).enumerate() {
            // The powers are halves: 11 bits.
            assert!((f64::from(found) - exact).abs() < 2e-3, "{}, {n}: {found}, not {exact}", device.name());
        }
    }
}
