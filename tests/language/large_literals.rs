//! Integer literals that are too large for `i32`, and literals whose types a method needs.

use cm::prelude::*;
use cm_test_support::devices::devices;

#[registers]
struct Hash {
    state: Vector<u32, 8>,
    seed: u32,
}

#[registers]
impl Hash {
    fn next(&mut self) -> Vector<u32, 8> {
        self.state ^= 0x9e37_79b9;
        self.state = (self.state * 0x85eb_ca6b) ^ (self.state >> 13);
        if self.seed == 0xffff_ffff {
            self.seed = 0x8000_0001;
        }
        (self.state & 0xffff_0000) ^ self.seed
    }
}

/// Integers that are too large for `i32`: they are `u32`, or `i64`.
#[kernel]
fn large_literals(input: &Buffer<u32>, output: &mut Buffer<u32>, n: u32) {
    let v = input.read::<8>(0);
    let mut hash = Hash { state: v, seed: 0xffff_ffff };
    output.write(0, &hash.next());
    let mut x = Vector::<u32, 8>::splat(0xffff_ff00);
    x.merge(0x8000_0000, v == 0xffff_fff0);
    x.get_mut(2).assign(0xf000_0000);
    x ^= 0x8000_0000;
    output.write(32, &x);
    let t = Vector::<u32, 4>::from_array([n, 0xffff_fffe, n & 0xffff_ff0f, n | 0x8000_0000]);
    let mut y = math::max::<u32, _>(v, 0x9000_0000);
    y.select_mut::<4, 1>(4).assign(t);
    output.write(64, &y);
    let mut fnv = 0x811c_9dc5;
    fnv = (fnv ^ n) * 16_777_619;
    let wide = v.convert::<u64>() * 0x1_0000_0001 & 0xffff_ffff_0000;
    let mut z = (wide >> 16).convert::<u32>();
    z.get_mut(0).assign(fnv);
    let picked: u32 = match n {
        0xffff_ffff => 0xaaaa_aaaa,
        _ => 0xbbbb_bbbb,
    };
    z.get_mut(1).assign(picked);
    output.write(96, &z);
}

#[test]
fn large_literals_are_unsigned() -> cm::Result<()> {
    let data: Vec<u32> =
        (0..8u32).map(|n| if n == 5 { 0xffff_fff0 } else { n.wrapping_mul(0x3456_789a) }).collect();
    for n in [7u32, 0xffff_ffff] {
        let mut expected = vec![];
        expected.extend(data.iter().map(|v| {
            let s = v ^ 0x9e37_79b9;
            let s = s.wrapping_mul(0x85eb_ca6b) ^ (s >> 13);
            (s & 0xffff_0000) ^ 0x8000_0001
        }));
        expected.extend((0..8).map(|i| match i {
            2 => 0x7000_0000u32,
            5 => 0,
            _ => 0x7fff_ff00,
        }));
        expected.extend(data[..4].iter().map(|v| *v.max(&0x9000_0000)));
        expected.extend([n, 0xffff_fffe, n & 0xffff_ff0f, n | 0x8000_0000]);
        expected.push((0x811c_9dc5u32 ^ n).wrapping_mul(16_777_619));
        expected.push(if n == 7 { 0xbbbb_bbbb } else { 0xaaaa_aaaa });
        expected.extend(
            data[2..]
                .iter()
                .map(|v| ((u64::from(*v).wrapping_mul(0x1_0000_0001) & 0xffff_ffff_0000) >> 16) as u32),
        );
        for device in &devices(1) {
            let (input, mut output) = (Buffer::from_slice(device, &data)?, Buffer::<u32>::new(device, 32)?);
            large_literals::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, n)?;
            assert_eq!(output.to_vec()?, expected, "{}", device.name());
        }
    }
    Ok(())
}

#[function]
fn difference(a: Vector<u8, 8>, b: Vector<u8, 8>) -> Vector<i16, 8> {
    (a - b).convert()
}

/// Methods that need the types of literals, or of numbers, before them.
#[kernel]
fn before_methods(input: &Buffer<u8>, output: &mut Buffer<i32>, n: u32) {
    let (a, b) = (input.read::<16>(0).select::<8, 1>(0), input.read::<16>(0).select::<8, 1>(8));
    let k = (a >> 1) - n as i32;
    let words = (k & 0xff).format::<i16>();
    let near = (2 + difference(a, b)).select::<8, 1>(0);
    let far = (difference(a, b) * 3).format::<u32>();
    output.write(0, &(words + 1).convert::<i32>().select::<8, 2>(0));
    output.write(32, &near.convert::<i32>());
    output.write(64, &far.convert::<i32>());
}

#[test]
fn methods_follow_literals() -> cm::Result<()> {
    let data: Vec<u8> = (0..16).map(|n| n * 13 + 5).collect();
    let (a, b) = data.split_at(8);
    let n = 3;
    let differences = || a.iter().zip(b).map(|(a, b)| i32::from(*a) - i32::from(*b));
    let expected: Vec<i32> = (a.iter().map(|a| ((i32::from(a >> 1) - n) & 0xff) + 1))
        .chain(differences().map(|d| d + 2))
        .chain(differences().map(|d| d * 3))
        .collect();
    for device in &devices(1) {
        let (input, mut output) = (Buffer::from_slice(device, &data)?, Buffer::<i32>::new(device, 24)?);
        before_methods::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, n as u32)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

/// Literals that are no `i32`, without types: beside numbers and registers they are `u32`, as in C.
#[kernel]
fn large_operands(output: &mut Buffer<u32>, x: u32, wide: u64) {
    let v = Vector::from_array([1u32, 0x8000_0001, 0xffff_ffff, 7]);
    let mut out = v ^ 0x9e37_79b9;
    output.write(0, &out);
    output.write(16, &(v & 0xffff_0000).convert::<u32>());
    out = Vector::<u32, 4>::splat(0x8000_0000);
    out += 0xf000_0000;
    out.get_mut(1).assign(0xdead_beef);
    out.get_mut(2).assign(math::max::<u32, _>(x, 0x8000_0000));
    output.write(32, &out);
    let mut y = x;
    y &= 0xf000_0000;
    let mut z = x;
    z = if x > 0x8000_0000 { z } else { y };
    if z == 0xffff_fff0 {
        z = 0x9000_0000;
    }
    let high = wide & 0xffff_ffff_0000_0000;
    let mut last = Vector::<u32, 4>::splat(0);
    last.get_mut(0).assign(x & 0xffff_0000);
    last.get_mut(1).assign(y);
    last.get_mut(2).assign(z);
    last.get_mut(3).assign((high >> 32).convert::<u32>());
    output.write(48, &last);
    let host: [u64; 2] = [(3_000_000_000) as u64, 5];
    output.write(64, &Vector::<u32, 4>::splat(host[0] as u32 ^ host[1] as u32));
}

#[test]
fn large_operands_are_unsigned() -> cm::Result<()> {
    let v = [1u32, 0x8000_0001, 0xffff_ffff, 7];
    let x = 0xffff_fff0u32;
    let mut expected: Vec<u32> = v.iter().map(|v| v ^ 0x9e37_79b9).collect();
    expected.extend(v.iter().map(|v| v & 0xffff_0000));
    expected.extend([0x7000_0000, 0xdead_beef, x, 0x7000_0000]);
    expected.extend([0xffff_0000, 0xf000_0000, 0x9000_0000, 0x1234_5678]);
    expected.extend([3_000_000_000 ^ 5; 4]);
    for device in &devices(1) {
        let mut output = Buffer::<u32>::new(device, 20)?;
        large_operands::launch(device, ThreadSpace::new(1, 1)?, &mut output, x, 0x1234_5678_9abc_def0)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

/// A constant of the host.
const POINT: (u64, u64) = (5, 9);

/// Beside host numbers, they have the type of these.
#[kernel]
fn host_hash(output: &mut Buffer<u32>) {
    let mut hash: usize = 7;
    for i in 0..3u64 {
        hash = (hash * 31) & 0xffff_ffff;
        let x = i.pow(2) | 0xf000_0000;
        let y = core::cmp::max(i, 2) | 0xf000_0000;
        let z = u64::from(3u32) * 0xffff_ffff;
        let w = POINT.1 | 0xf000_0000;
        let mut out = Vector::<u32, 8>::splat(0);
        out.get_mut(0).assign(x as u32);
        out.get_mut(1).assign(y as u32);
        out.get_mut(2).assign((z >> 16) as u32);
        out.get_mut(3).assign(w as u32);
        out.get_mut(4).assign(hash as u32);
        output.write(i as u32 * 32, &out);
    }
}

#[test]
fn large_literals_beside_host_numbers() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<u32>::new(device, 24)?;
        host_hash::launch(device, ThreadSpace::new(1, 1)?, &mut output)?;
        let mut hash = 7u64;
        let mut expected = vec![];
        for i in 0..3u64 {
            hash = (hash * 31) & 0xffff_ffff;
            let z = u64::from(3u32) * 0xffff_ffff;
            let of =
                [i.pow(2) | 0xf000_0000, i.max(2) | 0xf000_0000, z >> 16, 9 | 0xf000_0000, hash, 0, 0, 0];
            expected.extend(of.map(|x| x as u32));
        }
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}
