//! Typed accesses: every set of channels of every format, inside and outside, against a scalar model.

use cm::channels::CM_R;
use cm::compiler::ops::Texel;
use cm::interpret::{InterpretArg, interpret};
use cm::ir::Function;
use cm::prelude::*;
use cm_test_kernels::typed as kernels;
use cm_test_support::devices::{devices, surface_devices};
use cm_test_support::memory::{Linear, Memory};
use cm_test_support::noise::stream;
use cm_test_support::numbers::elements;

/// Texels.
const WIDTH: usize = 12;
const HEIGHT: usize = 5;
/// Elements of a row of the buffers.
const LANES: usize = 32;

/// The formats of typed accesses, and the layout of their texels.
pub(crate) const FORMATS: [(Format, Texel); 5] = [
    (Format::R8, Texel::Byte),
    (Format::R16, Texel::Word),
    (Format::R32, Texel::Dword),
    (Format::Rgba8, Texel::Bytes),
    (Format::R32F, Texel::Float),
];

/// Bytes of a channel, and number of channels, of a format.
pub(crate) fn channels_of(format: Format) -> (usize, usize) {
    match format {
        Format::R8 => (1, 1),
        Format::R16 => (2, 1),
        Format::Rgba8 => (1, 4),
        Format::R32 | Format::R32F => (4, 1),
        other => panic!("{other} has no typed accesses"),
    }
}

/// Columns and rows of the texels to read, then of the texels to write, which are all different, then the
/// indices of the lanes.
fn places() -> Vec<i32> {
    let inside = |step: usize| (0..LANES).map(move |k| k * step % (WIDTH * HEIGHT));
    let around = [
        [-1, 0],
        [0, -1],
        [WIDTH as i32, 2],
        [3, HEIGHT as i32],
        [i32::MIN, 1],
        [i32::MAX, 1],
        [1, i32::MIN],
        [2, i32::MAX],
        // The byte offset of this column wraps to that of column 0.
        [0x4000_0000, 0],
        [0, 0x4000_0000],
        [WIDTH as i32 - 1, HEIGHT as i32 - 1],
    ];
    let mut places = vec![];
    for (step, first) in [(13, 1), (7, 2)] {
        let mut texels: Vec<[i32; 2]> =
            inside(step).map(|n| [(n % WIDTH) as i32, (n / WIDTH) as i32]).collect();
        // Every second or third lane is near the surface.
        for (n, place) in around.into_iter().enumerate().take(10) {
            texels[first + 3 * n % (LANES - first)] = place;
        }
        places.extend(texels.iter().map(|[u, _]| *u));
        places.extend(texels.iter().map(|[_, v]| *v));
    }
    places.extend(0..LANES as i32);
    places
}

/// Channel `channel` of the texel that starts at this byte, if it is inside, as a dword.
pub(crate) fn loaded_at(format: Format, bytes: &[u8], texel: Option<usize>, channel: usize) -> u32 {
    let Some(texel) = texel else { return 0 };
    let (size, count) = channels_of(format);
    if channel < count {
        let mut dword = [0; 4];
        dword[..size].copy_from_slice(&bytes[texel + channel * size..][..size]);
        return u32::from_le_bytes(dword);
    }
    missing(format, channel)
}

fn loaded(format: Format, bytes: &[u8], place: [i32; 2], channel: usize) -> u32 {
    loaded_at(format, bytes, texel_at(format, place), channel)
}

/// A channel that a format lacks.
fn missing(format: Format, channel: usize) -> u32 {
    match (format, channel) {
        (Format::R32F, 3) => 0x3f80_0000,
        (_, 3) => 1,
        _ => 0,
    }
}

/// Writes channel `channel` of the texel that starts at this byte, if it is inside.
pub(crate) fn store_at(format: Format, bytes: &mut [u8], texel: Option<usize>, channel: usize, dword: u32) {
    let (size, count) = channels_of(format);
    let Some(texel) = texel.filter(|_| channel < count) else { return };
    let limited = if size < 4 { dword.min((1 << (8 * size)) - 1) } else { dword };
    bytes[texel + channel * size..][..size].copy_from_slice(&limited.to_le_bytes()[..size]);
}

fn store(format: Format, bytes: &mut [u8], place: [i32; 2], channel: usize, dword: u32) {
    store_at(format, bytes, texel_at(format, place), channel, dword);
}

/// The first byte of a texel that is inside.
fn texel_at(format: Format, [u, v]: [i32; 2]) -> Option<usize> {
    let inside = (0..WIDTH as i32).contains(&u) && (0..HEIGHT as i32).contains(&v);
    inside.then(|| (v as usize * WIDTH + u as usize) * format.texel_bytes())
}

/// Numbers around the limits of bytes and words, and others.
pub(crate) fn dwords(seed: u32) -> Vec<u32> {
    let edges = [0, 1, 254, 255, 256, 257, 65534, 65535, 65536, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    let mut next = stream(seed);
    let mut all: Vec<u32> = (0..4 * LANES).map(|_| next() >> (next() % 32)).collect();
    for (n, edge) in edges.into_iter().enumerate() {
        all[n * 5] = edge;
    }
    all
}

/// The data that a kernel of `lanes` texels reads, and the contents of its output surface.
fn expected(
    format: Format,
    mask: usize,
    lanes: usize,
    (input, output, data): (&[u8], &[u8], &[u32]),
) -> (Vec<u32>, Vec<u8>) {
    let places = places();
    let place = |from: usize, k: usize| [places[from * LANES + k], places[(from + 1) * LANES + k]];
    let (mut read, mut output) = (vec![0; 4 * LANES], output.to_vec());
    for (row, channel) in (0..4).filter(|channel| mask >> channel & 1 != 0).enumerate() {
        for k in 0..lanes {
            read[row * LANES + k] = loaded(format, input, place(0, k), channel);
            store(format, &mut output, place(2, k), channel, data[row * LANES + k]);
        }
    }
    (read, output)
}

/// Launches a kernel with typed accesses on all devices. It gets the places of texels, a surface of these bytes, and a
/// buffer of zeros. The buffer then has the bits of `read`, and the surface the bytes of `written`.
pub(crate) fn check<T: Elem + bytemuck::Pod>(
    name: &str,
    (format, width, height): (Format, usize, usize),
    (places, before): (&[i32], &[u8]),
    (read, written): (&[u32], &[u8]),
    launch: impl Fn(&Device, ThreadSpace, &Buffer<i32>, &mut Surface2D, &mut Buffer<T>) -> cm::Result<Event>,
) -> cm::Result<()> {
    for device in surface_devices(1) {
        let places = Buffer::from_slice(&device, places)?;
        let mut texels = Surface2D::from_bytes(&device, format, width, height, before)?;
        let mut found = Buffer::<T>::new(&device, read.len())?;
        launch(&device, ThreadSpace::new(1, 1)?, &places, &mut texels, &mut found)?;
        let found = found.to_vec()?;
        assert_eq!(bytemuck::cast_slice::<T, u32>(&found), read, "{name} on {}", device.name());
        assert_eq!(texels.to_vec()?, written, "{name} on {}", device.name());
    }
    Ok(())
}

/// Interprets a kernel that moves texels from one of two surfaces to a buffer, and from a buffer to the other surface, by
/// these places and of this data. The buffer then has the elements of `read`, and the surface the bytes of `written`.
pub(crate) fn check_interpreted(
    function: &Function,
    format: Format,
    [mut from, mut to]: [Memory; 2],
    (places, data): (&[i32], &[u32]),
    (read, written): (&[u32], &[u8]),
) {
    let [mut at, mut values, mut found] =
        [bytemuck::cast_slice(places), bytemuck::cast_slice(data), &[0; 16 * LANES]]
            .map(|bytes| Linear::new(bytes.to_vec()));
    let mut args = [
        InterpretArg::Surface(&mut from),
        InterpretArg::Buffer(&mut at),
        InterpretArg::Buffer(&mut values),
        InterpretArg::Buffer(&mut found),
        InterpretArg::Surface(&mut to),
    ];
    interpret(function, &mut args, [0, 0]).unwrap();
    assert_eq!(elements::<u32>(&found.into_bytes()), read, "{format}, interpreted");
    assert_eq!(to.bytes(), written, "{format}, interpreted");
}

macro_rules! moves {
    ($($name:ident: $t:ident, $mask:ident, $lanes:literal;)*) => {$(
        #[test]
        fn $name() {
            let function = kernels::$name::ir().unwrap();
            for (format, texel) in FORMATS {
                if (format == Format::R32F) != (stringify!($t) == "f32") {
                    continue;
                }
                let bytes = WIDTH * HEIGHT * format.texel_bytes();
                let [input, before] = [3, 4].map(|seed| {
                    let mut next = stream(seed);
                    (0..bytes).map(|_| next() as u8).collect::<Vec<u8>>()
                });
                let data = dwords(5);
                let (mask, places) = (cm::channels::$mask, places());
                let (read, written) = expected(format, mask, $lanes, (&input, &before, &data));

                let surfaces =
                    [&input, &before].map(|bytes| Memory::of_texels(texel, WIDTH * texel.bytes(), HEIGHT, bytes));
                let (taken, results) = ((&places[..], &data[..]), (&read[..], &written[..]));
                check_interpreted(&function, format, surfaces, taken, results);

                let name = format.to_string();
                let contents = (&places[..], &before[..]);
                check::<$t>(&name, (format, WIDTH, HEIGHT), contents, results, |device, space, at, to, found| {
                    let from = Surface2D::from_bytes(device, format, WIDTH, HEIGHT, &input)?;
                    let data = Buffer::from_slice(device, bytemuck::cast_slice::<u32, $t>(&data))?;
                    kernels::$name::launch(device, space, &from, at, &data, found, to)
                })
                .unwrap();
            }
        }
    )*};
}

moves! {
    texels_r: u32, CM_R, 8;
    texels_g: u32, CM_G, 8;
    texels_gr: u32, CM_GR, 8;
    texels_b: u32, CM_B, 8;
    texels_br: u32, CM_BR, 8;
    texels_bg: u32, CM_BG, 8;
    texels_bgr: u32, CM_BGR, 8;
    texels_a: u32, CM_A, 8;
    texels_ar: u32, CM_AR, 8;
    texels_ag: u32, CM_AG, 8;
    texels_agr: u32, CM_AGR, 8;
    texels_ab: u32, CM_AB, 8;
    texels_abr: u32, CM_ABR, 8;
    texels_abg: u32, CM_ABG, 8;
    texels_abgr: u32, CM_ABGR, 8;
    one_texel: u32, CM_ABGR, 1;
    two_texels: i32, CM_AGR, 2;
    four_texels: u32, CM_R, 4;
    sixteen_texels: i32, CM_ABGR, 16;
    sixteen_reds: u32, CM_R, 16;
    texels_of_32: u32, CM_BG, 32;
    reds_of_32: i32, CM_R, 32;
    floats_abgr: f32, CM_ABGR, 16;
    floats_r: f32, CM_R, 32;
    floats_a: f32, CM_A, 8;
}

#[test]
fn texels_of_masks_are_moved() {
    let (format, bits) = (Format::Rgba8, 0x3c5a_96e1_u32);
    let mut next = stream(9);
    let [input, before] =
        [(); 2].map(|()| (0..WIDTH * HEIGHT * 4).map(|_| next() as u8).collect::<Vec<u8>>());
    let places = places();
    let place = |from: usize, k: usize| [places[from * LANES + k], places[(from + 1) * LANES + k]];
    let (mut read, mut written) = (vec![0; 32], before.clone());
    for k in 0..16 {
        for channel in 0..2 {
            let value = if bits >> k & 1 != 0 { loaded(format, &input, place(0, k), channel) } else { 0 };
            read[channel * 16 + k] = value;
            if bits >> (16 + k) & 1 != 0 {
                store(format, &mut written, place(2, k), channel, value + 3);
            }
        }
        if place(2, k)[0] & 1 != 0 {
            store(format, &mut written, place(2, k), 2, 77);
        }
    }
    let (contents, results) = ((&places[..], &before[..]), (&read[..], &written[..]));
    check::<u32>("masks", (format, WIDTH, HEIGHT), contents, results, |device, space, at, to, found| {
        let from = Surface2D::from_bytes(device, format, WIDTH, HEIGHT, &input)?;
        kernels::masked_texels::launch(device, space, &from, at, found, to, bits)
    })
    .unwrap();
}

/// Coordinates of fewer than 32 bits keep their numbers; negative ones are outside.
#[kernel]
fn short_coordinates(input: &Surface2D, output: &mut Buffer<u32>) {
    let u = Vector::from_array([0i8, 3, 11, 12, -1, 127, -128, 5]);
    let v = Vector::from_array([4u16, 0, 2, 2, 1, 0, 0, 0xffff]);
    output.write(0, &input.read_typed::<u32, CM_R, 1, 8>(&u, &v).row(0));
}

#[test]
fn coordinates_may_be_short() {
    let format = Format::R8;
    let bytes: Vec<u8> = (1..=(WIDTH * HEIGHT) as u8).collect();
    let places = [[0, 4], [3, 0], [11, 2], [12, 2], [-1, 1], [127, 0], [-128, 0], [5, 0xffff]];
    let expected = places.map(|place| loaded(format, &bytes, place, 0));
    assert_eq!(expected.iter().filter(|texel| **texel > 0).count(), 3);

    let mut from = Memory::of_texels(Texel::Byte, WIDTH, HEIGHT, &bytes);
    let mut found = Linear::new(vec![0; 32]);
    let mut args = [InterpretArg::Surface(&mut from), InterpretArg::Buffer(&mut found)];
    interpret(&short_coordinates::ir().unwrap(), &mut args, [0, 0]).unwrap();
    assert_eq!(elements::<u32>(&found.into_bytes()), expected, "interpreted");

    for device in surface_devices(1) {
        let from = Surface2D::from_bytes(&device, format, WIDTH, HEIGHT, &bytes).unwrap();
        let mut found = Buffer::<u32>::new(&device, 8).unwrap();
        short_coordinates::launch(&device, ThreadSpace::new(1, 1).unwrap(), &from, &mut found).unwrap();
        assert_eq!(found.to_vec().unwrap(), expected, "{}", device.name());
    }
}

/// Threads side by side, on several cores and on a GPU: each accesses its own texels.
#[test]
fn threads_have_their_own_texels() {
    let (width, height) = (72, 9);
    let mut next = stream(2);
    let words: Vec<u16> = (0..width * height).map(|_| next() as u16).collect();
    let sum = |n: usize| {
        let above = n.checked_sub(width).map_or(0, |above| u32::from(words[above]));
        u16::try_from(u32::from(words[n]) + above).unwrap_or(u16::MAX)
    };
    let expected: Vec<u16> = (0..words.len()).map(sum).collect();
    for device in devices(3).into_iter().chain(surface_devices(1)) {
        let from = Surface2D::from_slice(&device, Format::R16, width, height, &words).unwrap();
        let mut to = Surface2D::new(&device, Format::R16, width, height).unwrap();
        let space = ThreadSpace::new(width.div_ceil(16), height).unwrap();
        kernels::sums_above::launch(&device, space, &from, &mut to).unwrap();
        let found: Vec<u16> = elements(&to.to_vec().unwrap());
        assert_eq!(found, expected, "{}", device.name());
    }
}

mod refused {
    use cm::channels::CM_R;
    use cm::prelude::*;

    #[kernel]
    pub(super) fn both(input: &Surface2D, output: &mut Surface2D) {
        let at = Vector::<u32, 8>::splat(0);
        let texels = input.read_typed::<u32, CM_R, 1, 8>(&at, &at);
        output.write(0, 0, &(texels + input.read::<u32, 1, 8>(0, 0)));
    }

    #[kernel]
    pub(super) fn field_and_texels(output: &mut Surface2D) {
        let at = Vector::<u32, 8>::splat(0);
        output.write_typed::<CM_R, 1, 8>(&at, &at, &Matrix::<u32, 1, 8>::splat(1));
        output.top_field_mut().write(0, 0, &Matrix::<u32, 1, 8>::splat(1));
    }

    #[kernel]
    pub(super) fn plane(input: &Surface2D, output: &mut Buffer<u32>) {
        let at = Vector::<u32, 8>::splat(0);
        output.write(0, &input.plane(Plane::U).read_typed::<u32, CM_R, 1, 8>(&at, &at).row(0));
    }

    #[kernel]
    pub(super) fn of_any_size<const L: usize>(output: &mut Surface2D) {
        let at = Vector::<u32, L>::splat(0);
        output.write_typed::<CM_R, 1, L>(&at, &at, &Matrix::<u32, 1, L>::splat(1));
    }

    #[kernel]
    pub(super) fn red(output: &mut Surface2D) {
        let at = Vector::<u32, 8>::splat(0);
        output.write_typed::<CM_R, 1, 8>(&at, &at, &Matrix::<u32, 1, 8>::splat(1));
    }

    #[kernel]
    pub(super) fn red_float(output: &mut Surface2D) {
        let at = Vector::<u32, 8>::splat(0);
        output.write_typed::<CM_R, 1, 8>(&at, &at, &Matrix::<f32, 1, 8>::splat(1.0f32));
    }
}

#[test]
fn rules_of_recordings_are_named() {
    for (error, words) in [
        (refused::both::ir().unwrap_err(), "typed accesses and media blocks of one surface"),
        (refused::field_and_texels::ir().unwrap_err(), "typed accesses and media blocks of one surface"),
        (refused::plane::ir().unwrap_err(), "a typed access of a plane or a field"),
        (refused::of_any_size::<3>::ir().unwrap_err(), "a scattered message of 3 elements"),
    ] {
        let message = error.to_string();
        assert!(message.contains(words) && message.contains("typed.rs"), "{message}");
    }
    refused::of_any_size::<16>::ir().unwrap();
}

#[test]
fn surfaces_that_typed_accesses_do_not_take_are_named() {
    use Format::{Bgra8, I420, Nv12, P010, R8, R16, R32, R32F, Rgba8, Uyvy, Yuyv, Yv12};
    let space = || ThreadSpace::new(1, 1).unwrap();
    for device in surface_devices(1) {
        for format in [Bgra8, Yuyv, Uyvy, Nv12, P010, Yv12, I420] {
            let mut surface = Surface2D::new(&device, format, 8, 2).unwrap();
            let error = refused::red::launch(&device, space(), &mut surface).unwrap_err();
            assert!(matches!(error, cm::Error::TypedFormat { .. }), "{error:?}");
            let message = error.to_string();
            assert!(message.contains(&format.to_string()) && message.contains("`output`"), "{message}");
        }
        for format in [R8, R16, R32, Rgba8] {
            let mut surface = Surface2D::new(&device, format, 8, 2).unwrap();
            let error = refused::red_float::launch(&device, space(), &mut surface).unwrap_err();
            assert!(matches!(error, cm::Error::TypedElement { .. }), "{error:?}");
            refused::red::launch(&device, space(), &mut surface).unwrap();
        }
        let mut surface = Surface2D::new(&device, R32F, 8, 2).unwrap();
        let error = refused::red::launch(&device, space(), &mut surface).unwrap_err();
        assert!(matches!(error, cm::Error::TypedElement { .. }), "{error:?}");
        refused::red_float::launch(&device, space(), &mut surface).unwrap();
        for (format, width) in [(R8, 7), (R16, 3)] {
            let mut surface = Surface2D::new(&device, format, width, 2).unwrap();
            let error = refused::red::launch(&device, space(), &mut surface).unwrap_err();
            assert!(matches!(error, cm::Error::TypedRows { .. }), "{error:?}");
        }
    }
}
