//! Combinations of masks where masks are expected, without a conversion.

use cm::prelude::*;
use cm_test_support::devices::devices;

type Lanes = Vector<f32, 16>;

#[function]
fn inverted(mask: Vector<u16, 16>, by: &Vector<u16, 16>) -> Vector<u16, 16> {
    let both = mask | *by;
    !both & 1
}

#[function]
fn early(mask: Vector<u16, 16>, v: Lanes) -> Vector<u16, 16> {
    if (v > 14.0f32).any() {
        return mask & !(v > 14.0f32);
    }
    mask ^ (v > 7.0f32)
}

/// Bit `n` of a lane is the result of the `n`th combination.
#[kernel]
fn combined(input: &Buffer<f32>, output: &mut Buffer<u32>, limit: f32) {
    let v = input.read::<16>(0);
    let flat = v < 4.0f32;
    let mut alive = Vector::<u16, 16>::splat(1);
    alive = alive & (v >= 2.0f32);
    let outside: Vector<u16, 16> = !flat & alive;
    let row = Matrix::<u16, 2, 16>::splat(1);
    let odd: Vector<u16, 16> = row.row(1) & (v.convert::<i32>() & 1).convert::<u16>();
    let within = |m: Vector<u16, 16>| -> Vector<u16, 16> { m & !outside };
    let (a, b) = (inverted(!alive & 1, &(flat & odd)), within(flat & odd));
    let mut bits = Vector::<u32, 16>::splat(0);
    for (n, mask) in [alive, outside, odd, a, b, early(alive, v), early(!odd & 1, (v + limit).convert())]
        .into_iter()
        .enumerate()
    {
        bits += mask.convert::<u32>() << n;
    }
    output.write(0, &bits);
}

#[test]
fn combinations_of_masks_are_masks() -> cm::Result<()> {
    let data: Vec<f32> = (0..16).map(|n| n as f32).collect();
    let of = |x: f32| {
        let (flat, alive, odd) = (x < 4.0, x >= 2.0, x as i32 & 1 == 1);
        let outside = !flat && alive;
        let early = |mask: bool, y: f32| mask && y <= 14.0;
        let late = |mask: bool, y: f32| mask ^ (y > 7.0);
        let bits = [
            alive,
            outside,
            odd,
            !(!alive || flat && odd),
            flat && odd && !outside,
            early(alive, x),
            late(!odd, x - 8.0),
        ];
        bits.iter().enumerate().map(|(n, bit)| u32::from(*bit) << n).sum::<u32>()
    };
    let expected: Vec<u32> = data.iter().map(|x| of(*x)).collect();
    for device in &devices(1) {
        let (input, mut output) = (Buffer::from_slice(device, &data)?, Buffer::<u32>::new(device, 16)?);
        combined::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, -8.0)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

#[function]
fn chosen(first: bool, second: bool) -> u32 {
    let both: (bool, u32) = (first & !second, 4);
    if both.0 {
        both.1
    } else if first | second {
        2
    } else {
        1
    }
}

/// The same operators on conditions, and on masks in arrays.
#[kernel]
fn conditions(input: &Buffer<f32>, output: &mut Buffer<u32>, n: u32) {
    let v = input.read::<16>(0);
    let (near, low) = (n < 3, v < 8.0f32);
    let far = n > 1;
    let far: bool = !near & far;
    let masks: [Vector<u16, 16>; 2] = [low & !(v < 2.0f32), !low & (v > 9.0f32)];
    let mut sum = Vector::<u32, 16>::splat(chosen(near & !far, far | !near) * 16);
    for (k, m) in masks.into_iter().enumerate() {
        sum += m << k;
    }
    output.write(0, &sum);
}

#[test]
fn conditions_and_arrays_of_masks() -> cm::Result<()> {
    let data: Vec<f32> = (0..16).map(|n| n as f32).collect();
    for (n, first) in [(1, 4), (5, 2)] {
        let of = |x: f32| first * 16 + u32::from((2.0..8.0).contains(&x)) + 2 * u32::from(x > 9.0);
        let expected: Vec<u32> = data.iter().map(|x| of(*x)).collect();
        for device in &devices(1) {
            let (input, mut output) = (Buffer::from_slice(device, &data)?, Buffer::<u32>::new(device, 16)?);
            conditions::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, n)?;
            assert_eq!(output.to_vec()?, expected, "{}", device.name());
        }
    }
    Ok(())
}

#[function]
fn two(v: Vector<u32, 8>) -> (Vector<u32, 8>, Vector<u32, 8>) {
    (v + 1, v + 2)
}

/// A name that is no mask any more.
#[function]
fn shadowed(v: Vector<u32, 8>, m: Vector<u16, 8>) -> Vector<u32, 8> {
    let (m, q) = two(v + m);
    m & (q | 0xff)
}

#[kernel]
fn closures_over_masks(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    let v = input.read::<8>(0);
    let low = |mut x: Vector<u16, 8>| -> Vector<u16, 8> {
        x &= 1;
        x & 3
    };
    let both = |x: &Vector<u16, 8>, y: &Vector<u16, 8>| -> Vector<u16, 8> { *x & *y };
    let (small, large): (Vector<u16, 8>, Vector<u16, 8>) = ((v < 9).convert(), (v > 3).convert());
    let m = low(both(&small, &large));
    output.write(0, &shadowed(v, m));
}

#[test]
fn masks_of_closures_and_names_that_are_none() -> cm::Result<()> {
    let v: Vec<u32> = (0..8).map(|n| n * 3).collect();
    let of = |v: &u32| {
        let v = v + u32::from((4..9).contains(v));
        (v + 1) & ((v + 2) | 0xff)
    };
    let expected: Vec<u32> = v.iter().map(of).collect();
    for device in &devices(1) {
        let mut output = Buffer::<u32>::new(device, 8)?;
        closures_over_masks::launch(
            device,
            ThreadSpace::new(1, 1)?,
            &Buffer::from_slice(device, &v)?,
            &mut output,
        )?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

type Mask = Vector<u16, 16>;

#[registers]
#[derive(Clone, Copy)]
struct Lane {
    alive: Mask,
    bits: Vector<u32, 16>,
}

#[registers]
impl Lane {
    fn narrowed(&mut self, by: Mask) {
        self.alive = self.alive & by;
        self.bits = self.bits & (self.bits | 0xff);
    }
    fn small(&self) -> Vector<u16, 16> {
        self.alive & (self.bits < 8)
    }
}

#[function]
fn low(v: Vector<u32, 16>) -> Mask {
    v < 12
}

/// Masks of which syntax does not show the type: fields, results of functions, names for these, and types with another name.
#[kernel]
fn of_unknown_types(input: &Buffer<u32>, output: &mut Buffer<u32>, n: u32) {
    let v = input.read::<16>(0);
    let near = low(v);
    let mut alive = Mask::splat(1);
    alive = if n > 2 { alive & near } else { alive };
    alive = match n {
        3 => alive & !(v == 5),
        _ => alive,
    };
    let mut lane = Lane { alive: alive & low(v * 2), bits: v | n };
    lane.alive = lane.alive ^ (v == 1);
    lane.narrowed(alive);
    let small: Vector<u16, 16> = lane.small() & near;
    let even: Vector<u16, 16> = lane.alive & low(v);
    // Numbers keep their type.
    let bits: Vector<u32, 16> = lane.bits & (v ^ lane.bits);
    output.write(0, &(bits << 8 | alive | lane.alive << 1 | small << 2 | even << 3));
}

#[test]
fn masks_in_fields_and_of_functions() -> cm::Result<()> {
    let v: Vec<u32> = (0..16).collect();
    for n in [0, 3, 4] {
        let of = |&v: &u32| {
            let alive = (n <= 2 || v < 12) && !(n == 3 && v == 5);
            let own = (alive && v * 2 < 12) ^ (v == 1) && alive;
            let bits = v | n;
            let small = own && bits < 8 && v < 12;
            let masks = [alive, own, small, own && v < 12];
            let masks = masks.iter().enumerate().map(|(n, bit)| u32::from(*bit) << n).sum::<u32>();
            (bits & (v ^ bits)) << 8 | masks
        };
        let expected: Vec<u32> = v.iter().map(of).collect();
        for device in &devices(1) {
            let mut output = Buffer::<u32>::new(device, 16)?;
            let input = Buffer::from_slice(device, &v)?;
            of_unknown_types::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, n)?;
            assert_eq!(output.to_vec()?, expected, "{n} {}", device.name());
        }
    }
    Ok(())
}

/// Combinations in arms without a type beside masks, which say the type: in an `if`, a chain, a `match`, the places of tuples, a
/// block with a label and a loop.
#[kernel]
fn in_arms(input: &Buffer<u32>, output: &mut Buffer<u32>, n: u32) {
    let v = input.read::<16>(0);
    let (alive, near) = (v < 9, low(v * 2));
    let first = if n > 2 { alive & near } else { alive };
    let second = if n == 1 {
        first
    } else if n == 2 {
        !first & 1
    } else {
        let odd: Mask = ((v & 1) != 0).convert();
        odd ^ near
    };
    let third = match n {
        0 => second | near,
        1 => low(v),
        _ => near & !(v == 2),
    };
    let (fourth, factor) = if n < 2 { (third & alive, 1) } else { (third, 2) };
    let fifth = 'chosen: {
        if n == 3 {
            break 'chosen alive ^ near;
        }
        fourth
    };
    let mut turns = 0u32;
    let sixth = loop {
        turns += 1;
        if turns > n {
            break fifth | near;
        } else if turns == 3 {
            break fifth;
        }
    };
    let unlike = n != 1;
    let other = if n > 0 { unlike & (n < 3) } else { unlike };
    let seventh = match Plane::Y {
        Plane::Y => sixth & alive,
        _ => sixth,
    };
    let mut bits = Vector::<u32, 16>::splat(factor);
    for (k, mask) in [first, second, third, fourth, fifth, sixth, seventh].into_iter().enumerate() {
        bits += mask << (k + 2);
    }
    if other {
        bits += 1024;
    }
    output.write(0, &bits);
}

#[test]
fn combinations_in_arms_are_masks_beside_masks() -> cm::Result<()> {
    let v: Vec<u32> = (0..16).collect();
    for n in 0..5 {
        let of = |v: &u32| {
            let (alive, near) = (*v < 9, *v < 6);
            let first = if n > 2 { alive && near } else { alive };
            let second = match n {
                1 => first,
                2 => !first,
                _ => (v % 2 == 1) ^ near,
            };
            let third = match n {
                0 => second || near,
                1 => *v < 12,
                _ => near && *v != 2,
            };
            let fourth = if n < 2 { third && alive } else { third };
            let fifth = if n == 3 { alive ^ near } else { fourth };
            let sixth = if n < 3 { fifth || near } else { fifth };
            let masks = [first, second, third, fourth, fifth, sixth, sixth && alive];
            let bits: u32 = masks.iter().enumerate().map(|(k, mask)| u32::from(*mask) << (k + 2)).sum();
            let other = if n > 0 { n != 1 && n < 3 } else { n != 1 };
            bits + if n < 2 { 1 } else { 2 } + u32::from(other) * 1024
        };
        let expected: Vec<u32> = v.iter().map(of).collect();
        for device in &devices(1) {
            let (input, mut output) = (Buffer::from_slice(device, &v)?, Buffer::<u32>::new(device, 16)?);
            in_arms::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, n)?;
            assert_eq!(output.to_vec()?, expected, "{n} {}", device.name());
        }
    }
    Ok(())
}
