//! `#[registers]` of an `enum`: a host value, on which functions decide when they are recorded.

use std::cmp::Ordering;

use cm::prelude::*;
use cm_test_support::devices::devices;

/// Which neighbours a filter takes.
#[registers]
#[derive(Debug, PartialEq)]
enum Side {
    Left = 3,
    Right = 5,
}

/// The neighbours of 8 elements, in front of them or behind them.
#[function]
fn neighbours(v: Vector<i32, 16>, side: Side) -> Vector<i32, 8> {
    v.select::<8, 1>(side as usize)
}

#[function]
fn weight(side: Side, n: i32) -> i32 {
    if side != Side::Left && n > 0 {
        return n;
    }
    match side {
        Side::Left => 10,
        Side::Right => 100,
    }
}

#[kernel]
fn choices(input: &Buffer<i32>, output: &mut Buffer<i32>, n: i32) {
    let v = input.read::<16>(0);
    let mut sum = v.select::<8, 1>(4);
    for side in [Side::Left, Side::Right] {
        sum += neighbours(v, side) * weight(side, n) + side as i32;
    }
    output.write(0, &sum);
}

#[test]
fn functions_that_take_enums() -> cm::Result<()> {
    let v: [i32; 16] = std::array::from_fn(|i| (i * i) as i32 - 20);
    for n in [-1, 7] {
        let right = if n > 0 { n } else { 100 };
        let expected: Vec<i32> = (4..12).map(|i| v[i] + v[i - 1] * 10 + v[i + 1] * right + 3 + 5).collect();
        for device in &devices(1) {
            let input = Buffer::from_slice(device, &v)?;
            let mut output = Buffer::<i32>::new(device, 8)?;
            choices::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, n)?;
            assert_eq!(output.to_vec()?, expected, "{}", device.name());
        }
    }
    // In plain Rust, too.
    assert_eq!(neighbours(Vector::from_array(v), Side::Left).to_array(), v[3..11]);
    assert_eq!(format!("{:?}", Side::Right), "Right");
    Ok(())
}

/// Names that the macro would give to its own parameters.
mod names {
    use cm::prelude::*;

    #[registers]
    #[derive(PartialEq)]
    pub(super) enum B {
        M,
        O = 2,
    }

    #[registers]
    #[derive(PartialEq)]
    pub(super) enum M {
        B,
        O = 3,
    }

    #[registers]
    #[derive(PartialEq)]
    pub(super) enum O {
        B,
        M = 4,
    }

    #[registers]
    #[derive(PartialEq)]
    pub(super) enum T {
        B,
        M = 5,
    }

    #[registers]
    #[derive(PartialEq)]
    #[allow(clippy::upper_case_acronyms, reason = "the name of a parameter of the macro")]
    pub(super) enum FILE {
        B,
        M = 6,
    }
}

#[function]
fn named(b: names::B, m: names::M, o: names::O, t: names::T, file: names::FILE) -> i32 {
    let differ = b != names::B::M && m != names::M::B && o != names::O::B && t != names::T::B;
    let file = match file {
        names::FILE::B => 0,
        names::FILE::M => file as i32,
    };
    if differ { b as i32 + m as i32 * 10 + o as i32 * 100 + t as i32 * 1000 + file * 10000 } else { -1 }
}

#[kernel]
fn names_of_parameters(output: &mut Buffer<i32>) {
    let all = named(names::B::O, names::M::O, names::O::M, names::T::M, names::FILE::M);
    let none = named(names::B::M, names::M::O, names::O::M, names::T::M, names::FILE::B);
    output.write(0, &Vector::<i32, 4>::from_array([all, none, 0, 0]));
}

#[test]
fn enums_with_any_names() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<i32>::new(device, 4)?;
        names_of_parameters::launch(device, ThreadSpace::new(1, 1)?, &mut output)?;
        assert_eq!(output.to_vec()?[..2], [65432, -1], "{}", device.name());
    }
    Ok(())
}

/// Its own traits compare: the two ways up are equal, and the larger number comes first.
#[registers]
#[derive(Debug)]
enum Way {
    Up = 2,
    Upwards = 3,
    Down = 1,
}

impl PartialEq for Way {
    fn eq(&self, other: &Self) -> bool {
        matches!(
            (self, other),
            (Self::Down, Self::Down) | (Self::Up | Self::Upwards, Self::Up | Self::Upwards)
        )
    }
}

impl PartialOrd for Way {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(if self == other { Ordering::Equal } else { (*other as i32).cmp(&(*self as i32)) })
    }
}

/// Numbers that an `isize` does not have.
#[registers]
#[derive(PartialEq, PartialOrd)]
#[repr(u64)]
enum Mark {
    Small = 7,
    Large = u64::MAX - 1,
}

#[function]
fn compared(a: Way, b: Way) -> i32 {
    let (mut found, marks) = (0, [Mark::Small, Mark::Large]);
    if a == b {
        found += 1;
    }
    if a != b {
        found += 2;
    }
    if a < b {
        found += 4;
    }
    if a >= b {
        found += 8;
    }
    if marks[0] < marks[1] {
        found += 16;
    }
    if marks[1] as f64 > 1.0 && marks[1] as u64 == u64::MAX - 1 {
        found += 32;
    }
    found
}

#[kernel]
fn comparisons(output: &mut Buffer<i32>) {
    let equal = compared(Way::Up, Way::Upwards);
    let before = compared(Way::Upwards, Way::Down);
    let after = compared(Way::Down, Way::Up);
    output.write(0, &Vector::<i32, 4>::from_array([equal, before, after, 0]));
}

#[test]
fn enums_compare_by_their_own_traits() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<i32>::new(device, 4)?;
        comparisons::launch(device, ThreadSpace::new(1, 1)?, &mut output)?;
        assert_eq!(output.to_vec()?, [48 + 1 + 8, 48 + 2 + 4, 48 + 2 + 8, 0], "{}", device.name());
    }
    Ok(())
}

/// Which of two lines counts, and how; with variants in capitals, as constants have.
#[registers]
#[derive(PartialEq)]
#[allow(clippy::upper_case_acronyms, reason = "as formats are written")]
enum Mode {
    RGB,
    YUV,
    Gray = 7,
}

#[function]
fn of_mode(mode: Mode, n: i32) -> i32 {
    let first = match mode {
        Mode::RGB => n,
        _ => n + 100,
    };
    let all = match mode {
        Mode::RGB => 1,
        Mode::YUV => 2,
        Mode::Gray => mode as i32,
    };
    first * 10 + all
}

#[function]
fn of_modes(first: Mode, second: Mode) -> i32 {
    match (first, second) {
        (Mode::RGB, Mode::RGB | Mode::YUV) => 1,
        (Mode::YUV, other) if other != Mode::YUV => 2,
        _ => 3,
    }
}

#[function]
fn line_of(a: &Buffer<i32>, b: &Buffer<i32>, mode: Mode) -> Vector<i32, 8> {
    let line = match mode {
        Mode::YUV => b,
        _ => a,
    };
    line.read::<8>(0)
}

#[kernel]
fn modes(a: &Buffer<i32>, b: &Buffer<i32>, output: &mut Buffer<i32>, n: i32) {
    let mut all = Vector::<i32, 8>::splat(0);
    for (i, mode) in [Mode::RGB, Mode::YUV, Mode::Gray].into_iter().enumerate() {
        all.get_mut(i).assign(of_mode(mode, n));
    }
    all.get_mut(3).assign(of_modes(Mode::RGB, Mode::YUV));
    all.get_mut(4).assign(of_modes(Mode::YUV, Mode::RGB));
    all.get_mut(5).assign(of_modes(Mode::YUV, Mode::YUV));
    output.write(0, &(all + line_of(a, b, Mode::RGB) * 1000 + line_of(a, b, Mode::YUV) * 10000));
}

#[test]
fn variants_in_capitals_are_no_constants() -> cm::Result<()> {
    for device in &devices(1) {
        let (a, b) = (Buffer::from_slice(device, &[1; 8])?, Buffer::from_slice(device, &[2; 8])?);
        let mut output = Buffer::<i32>::new(device, 8)?;
        modes::launch(device, ThreadSpace::new(1, 1)?, &a, &b, &mut output, 5)?;
        let own = [51, 1052, 1057, 1, 2, 3, 0, 0];
        assert_eq!(output.to_vec()?, own.map(|own| own + 21000), "{}", device.name());
    }
    Ok(())
}

#[function]
fn side_of(_v: Vector<i32, 16>, n: usize) -> Side {
    if n == 0 {
        return Side::Left;
    }
    Side::Right
}

/// Host conditions choose sides: by an `if`, by a `match`, by `return`, and in variables.
#[kernel]
fn host_choices<const N: usize>(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let v = input.read::<16>(0);
    let side = if N == 0 { Side::Left } else { Side::Right };
    let other = match N {
        0 => Side::Right,
        _ => Side::Left,
    };
    let mut last = side_of(v, N);
    let mut sides = [side, other];
    for i in 0..2 {
        if i == N {
            last = other;
            sides[i] = last;
        }
    }
    output.write(0, &(neighbours(v, side) + neighbours(v, other) * 100 + neighbours(v, last) * 10000));
    output.write(32, &(neighbours(v, sides[0]) + neighbours(v, sides[1]) * 100));
}

#[test]
fn host_conditions_choose_enums() -> cm::Result<()> {
    let v: [i32; 16] = std::array::from_fn(|i| (i * i) as i32);
    let (left, right): (&[i32], &[i32]) = (&v[3..11], &v[5..13]);
    let sum = |a: &[i32], b: &[i32], c: &[i32]| -> Vec<i32> {
        (0..8).map(|i| a[i] + b[i] * 100 + c[i] * 10000).collect()
    };
    let none = [0; 8];
    for device in &devices(1) {
        let input = Buffer::from_slice(device, &v)?;
        let mut output = Buffer::<i32>::new(device, 16)?;
        let space = ThreadSpace::new(1, 1)?;
        host_choices::<0>::launch(device, space, &input, &mut output)?;
        let expected = [sum(left, right, right), sum(right, right, &none)].concat();
        assert_eq!(output.to_vec()?, expected, "0, {}", device.name());
        host_choices::<1>::launch(device, space, &input, &mut output)?;
        let expected = [sum(right, left, left), sum(right, left, &none)].concat();
        assert_eq!(output.to_vec()?, expected, "1, {}", device.name());
        host_choices::<2>::launch(device, space, &input, &mut output)?;
        let expected = [sum(right, left, right), sum(right, left, &none)].concat();
        assert_eq!(output.to_vec()?, expected, "2, {}", device.name());
    }
    Ok(())
}

#[function]
fn plane_of(_line: Vector<u8, 16>, chroma: usize) -> Plane {
    if chroma != 0 {
        return Plane::Uv;
    }
    Plane::Y
}

#[kernel]
fn planes<const CHROMA: usize>(picture: &Surface2D, output: &mut Buffer<u8>) {
    let first = if CHROMA == 0 { Plane::Y } else { Plane::Uv };
    let line: Vector<u8, 16> = picture.plane(first).read(0, 0);
    let second = plane_of(line, CHROMA);
    output.write(0, &line);
    output.write(16, &picture.plane(second).read::<u8, 1, 16>(0, 1).row(0));
}

#[test]
fn host_conditions_choose_planes() -> cm::Result<()> {
    let bytes: Vec<u8> = (0..16 * 6).collect();
    for device in &devices(1) {
        let picture = Surface2D::from_bytes(device, Format::Nv12, 16, 4, &bytes)?;
        let mut output = Buffer::<u8>::new(device, 32)?;
        planes::<0>::launch(device, ThreadSpace::new(1, 1)?, &picture, &mut output)?;
        assert_eq!(output.to_vec()?, bytes[..32], "{}", device.name());
        planes::<1>::launch(device, ThreadSpace::new(1, 1)?, &picture, &mut output)?;
        assert_eq!(output.to_vec()?, bytes[64..], "{}", device.name());
    }
    Ok(())
}

#[kernel]
fn staged_choice(output: &mut Buffer<i32>, n: i32) {
    let side = if n > 0 { Side::Left } else { Side::Right };
    output.write(0, &Vector::<i32, 4>::splat(side as i32));
}

#[kernel]
fn staged_plane(picture: &Surface2D, output: &mut Buffer<u8>, n: i32) {
    let plane = match n {
        0 => Plane::Y,
        _ => Plane::Uv,
    };
    let line: Vector<u8, 16> = picture.plane(plane).read(0, 0);
    output.write(0, &line);
}

#[test]
fn staged_conditions_do_not_choose_host_values() -> cm::Result<()> {
    for device in &devices(1) {
        let space = ThreadSpace::new(1, 1)?;
        let mut output = Buffer::<i32>::new(device, 4)?;
        let error = staged_choice::launch(device, space, &mut output, 1).unwrap_err().to_string();
        assert!(error.contains("known only when the kernel runs"), "{error}");
        assert!(error.contains("enums.rs"), "{error}");
        let picture = Surface2D::new(device, Format::Nv12, 16, 4)?;
        let mut output = Buffer::<u8>::new(device, 16)?;
        let error = staged_plane::launch(device, space, &picture, &mut output, 1).unwrap_err().to_string();
        assert!(error.contains("known only when the kernel runs"), "{error}");
    }
    Ok(())
}

/// Its fields are values of the host, too.
#[registers]
#[derive(Debug, PartialEq)]
enum Activation {
    Identity,
    Leaky(f32),
    Clip { low: f32, high: f32 },
    Table([i32; 2], (usize, bool)),
}

const LEAKY: Activation = Activation::Leaky(0.5);

#[function]
fn activated<const N: usize>(x: Vector<f32, N>, a: Activation) -> Vector<f32, N> {
    match a {
        Activation::Leaky(slope) if slope > 0.0 => {
            let mut y = x;
            y.merge(x * slope, x < 0.0f32);
            y
        }
        Activation::Clip { low, high } => math::min::<f32, _>(math::max::<f32, _>(x, low), high),
        Activation::Table(numbers, (at, true)) => x + numbers[at],
        Activation::Identity | Activation::Leaky(_) | Activation::Table(..) => x,
    }
}

/// Constants compare with their fields.
#[function]
fn number_of(a: Activation) -> i32 {
    match a {
        LEAKY => 1,
        Activation::Identity => 2,
        _ if a == Activation::Leaky(0.25) => 3,
        _ => 4,
    }
}

/// Chooses a buffer.
#[function]
fn chosen(a: Activation, first: &Buffer<f32>, second: &Buffer<f32>) -> Vector<f32, 8> {
    let of = match a {
        LEAKY => first,
        _ => second,
    };
    of.read::<8>(0)
}

#[kernel]
fn chosen_by_constants(first: &Buffer<f32>, second: &Buffer<f32>, output: &mut Buffer<f32>) {
    output.write(0, &chosen(LEAKY, first, second));
    output.write(32, &chosen(Activation::Leaky(0.25), first, second));
}

/// A function of the host.
fn is_clip(a: Activation) -> bool {
    matches!(a, Activation::Clip { .. })
}

#[kernel]
fn activations(input: &Buffer<f32>, output: &mut Buffer<f32>, numbers: &mut Buffer<i32>) {
    let v = input.read::<8>(0);
    let mut last = Activation::Identity;
    let all = [
        Activation::Identity,
        LEAKY,
        Activation::Leaky(0.25),
        Activation::Clip { low: -1.0, high: 2.0 },
        Activation::Table([3, -7], (1, true)),
        Activation::Table([3, -7], (0, false)),
    ];
    let mut kinds = Vector::<i32, 8>::splat(0);
    for (i, a) in all.into_iter().enumerate() {
        output.write((i * 32) as u32, &activated(v, a));
        kinds.get_mut(i).assign(number_of(a));
        if is_clip(a) {
            last = a;
        }
    }
    if let Activation::Clip { high, .. } = last {
        kinds.get_mut(7).assign(high as i32);
    }
    numbers.write(0, &kinds);
}

#[test]
fn enums_with_fields() -> cm::Result<()> {
    let v: [f32; 8] = std::array::from_fn(|i| i as f32 - 3.5);
    let scaled = |s: f32| v.map(|x| if x < 0.0 { x * s } else { x });
    let expected =
        [v, scaled(0.5), scaled(0.25), v.map(|x| x.clamp(-1.0, 2.0)), v.map(|x| x - 7.0), v].concat();
    for device in &devices(1) {
        let input = Buffer::from_slice(device, &v)?;
        let (mut output, mut numbers) = (Buffer::<f32>::new(device, 48)?, Buffer::<i32>::new(device, 8)?);
        activations::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, &mut numbers)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
        assert_eq!(numbers.to_vec()?, [2, 1, 3, 4, 4, 4, 0, 2], "{}", device.name());
        let other = Buffer::from_slice(device, &v.map(|x| x * 2.0))?;
        chosen_by_constants::launch(device, ThreadSpace::new(1, 1)?, &input, &other, &mut output)?;
        assert_eq!(output.to_vec()?[..16], [v, v.map(|x| x * 2.0)].concat(), "{}", device.name());
    }
    // In plain Rust, too.
    assert_eq!(activated(Vector::from_array(v), LEAKY).to_array(), scaled(0.5));
    Ok(())
}
