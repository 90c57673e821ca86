//! Typed accesses to 3-D surfaces, lane by lane: channels of every format, inside and outside, and atomic operations,
//! against a scalar model.

use cm::compiler::ops::Texel;
use cm::interpret::{InterpretArg, interpret};
use cm::prelude::*;
use cm_test_kernels::typed_3d as kernels;
use cm_test_support::devices::{devices, surface_devices};
use cm_test_support::memory::{Linear, Memory};
use cm_test_support::noise::{self, small_and_large, stream};
use cm_test_support::numbers::elements;

use crate::atomics::integer_steps;
use crate::typed::{FORMATS, check_interpreted, dwords, loaded_at, store_at};

/// Texels of a row, rows, and slices. Rows of one byte per texel are not whole dwords.
const SIZE: [usize; 3] = [7, 3, 5];
/// Elements of a row of the buffers.
const LANES: usize = 32;

const fn texels() -> usize {
    SIZE[0] * SIZE[1] * SIZE[2]
}

/// Columns, rows and slices of the texels to read, then of the texels to write, which are all different, then
/// the indices of the lanes.
fn places() -> Vec<i32> {
    let [width, height, depth] = SIZE.map(|n| n as i32);
    let around = [
        [-1, 0, 0],
        [0, -1, 1],
        [0, 0, -1],
        [width, 1, 1],
        // If slices were counted in rows, this would be a row of the next slice.
        [2, height, 1],
        [3, 1, depth],
        [i32::MIN, 1, 2],
        [1, i32::MAX, 2],
        [1, 2, i32::MAX],
        // The number of this row wraps to that of row 0.
        [0, 0, 0x5555_5556],
    ];
    let mut places = vec![];
    for (step, first) in [(23, 1), (11, 2)] {
        let inside = (0..LANES as i32).map(|k| k * step % (width * height * depth));
        let mut all: Vec<[i32; 3]> =
            inside.map(|n| [n % width, n / width % height, n / width / height]).collect();
        for (n, place) in around.into_iter().enumerate() {
            all[first + 3 * n % (LANES - first)] = place;
        }
        // The last texel.
        all[0] = [width - 1, height - 1, depth - 1];
        places.extend((0..3).flat_map(|axis| all.iter().map(move |place| place[axis]).collect::<Vec<_>>()));
    }
    places.extend(0..LANES as i32);
    places
}

/// A place to read, or from number 3 on, one to write.
fn place(places: &[i32], from: usize, k: usize) -> [i32; 3] {
    [0, 1, 2].map(|axis| places[(from + axis) * LANES + k])
}

/// The number of a texel that is inside.
fn texel_at(place: [i32; 3]) -> Option<usize> {
    let inside = (0..3).all(|axis| (0..SIZE[axis] as i32).contains(&place[axis]));
    let [u, v, r] = place.map(|n| n as usize);
    inside.then(|| (r * SIZE[1] + v) * SIZE[0] + u)
}

fn loaded(format: Format, bytes: &[u8], place: [i32; 3], channel: usize) -> u32 {
    loaded_at(format, bytes, texel_at(place).map(|n| n * format.texel_bytes()), channel)
}

fn store(format: Format, bytes: &mut [u8], place: [i32; 3], channel: usize, dword: u32) {
    store_at(format, bytes, texel_at(place).map(|n| n * format.texel_bytes()), channel, dword);
}

/// Launches a kernel on all devices. It gets the places of texels, a surface of these bytes, and a buffer of zeros. The
/// buffer then has the bits of `read`, and the surface the bytes of `written`.
fn check<T: Elem + bytemuck::Pod>(
    format: Format,
    (places, before): (&[i32], &[u8]),
    (read, written): (&[u32], &[u8]),
    launch: impl Fn(&Device, ThreadSpace, &Buffer<i32>, &mut Surface3D, &mut Buffer<T>) -> cm::Result<Event>,
) -> cm::Result<()> {
    let [width, height, depth] = SIZE;
    for device in surface_devices(1) {
        let places = Buffer::from_slice(&device, places)?;
        let mut texels = Surface3D::from_bytes(&device, format, width, height, depth, before)?;
        let mut found = Buffer::<T>::new(&device, read.len())?;
        launch(&device, ThreadSpace::new(1, 1)?, &places, &mut texels, &mut found)?;
        let found = found.to_vec()?;
        assert_eq!(bytemuck::cast_slice::<T, u32>(&found), read, "{format} on {}", device.name());
        assert_eq!(texels.to_vec()?, written, "{format} on {}", device.name());
    }
    Ok(())
}

fn bytes(seed: usize, format: Format) -> Vec<u8> {
    noise::bytes(texels() * format.texel_bytes(), seed)
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
                let [input, before] = [3, 4].map(|seed| bytes(seed, format));
                let (data, mask, places) = (dwords(5), cm::channels::$mask, places());
                let (mut read, mut written) = (vec![0; 4 * LANES], before.clone());
                for (row, channel) in (0..4).filter(|channel| mask >> channel & 1 != 0).enumerate() {
                    for k in 0..$lanes {
                        read[row * LANES + k] = loaded(format, &input, place(&places, 0, k), channel);
                        store(format, &mut written, place(&places, 3, k), channel, data[row * LANES + k]);
                    }
                }
                let size = [SIZE[0] * texel.bytes(), SIZE[1], SIZE[2]];
                let surfaces = [&input, &before].map(|bytes| Memory::of_slices(texel, size, bytes));
                let (taken, results) = ((&places[..], &data[..]), (&read[..], &written[..]));
                check_interpreted(&function, format, surfaces, taken, results);

                let contents = (&places[..], &before[..]);
                check::<$t>(format, contents, results, |device, space, at, to, found| {
                    let [width, height, depth] = SIZE;
                    let from = Surface3D::from_bytes(device, format, width, height, depth, &input)?;
                    let data = Buffer::from_slice(device, bytemuck::cast_slice::<u32, $t>(&data))?;
                    kernels::$name::launch(device, space, &from, at, &data, found, to)
                })
                .unwrap();
            }
        }
    )*};
}

moves! {
    slices_r: u32, CM_R, 8;
    slices_g: i32, CM_G, 8;
    slices_gr: u32, CM_GR, 8;
    slices_b: u32, CM_B, 8;
    slices_br: u32, CM_BR, 8;
    slices_bg: u32, CM_BG, 8;
    slices_bgr: u32, CM_BGR, 8;
    slices_a: u32, CM_A, 8;
    slices_ar: u32, CM_AR, 8;
    slices_ag: u32, CM_AG, 8;
    slices_agr: u32, CM_AGR, 8;
    slices_ab: u32, CM_AB, 8;
    slices_abr: u32, CM_ABR, 8;
    slices_abg: u32, CM_ABG, 8;
    slices_abgr: u32, CM_ABGR, 8;
    one_in_slices: u32, CM_AGR, 1;
    four_in_slices: i32, CM_ABGR, 4;
    sixteen_in_slices: i32, CM_ABGR, 16;
    slices_of_32: u32, CM_BG, 32;
    floats_in_slices: f32, CM_ABGR, 16;
    floats_r_in_slices: f32, CM_R, 32;
}

#[test]
fn texels_of_masks_are_moved() {
    let (format, bits, places) = (Format::Rgba8, 0x3c5a_96e1_u32, places());
    let [input, before] = [6, 7].map(|seed| bytes(seed, format));
    let (mut read, mut written) = (vec![0; 32], before.clone());
    for k in 0..16 {
        let to = place(&places, 3, k);
        for channel in 0..2 {
            let inside = bits >> k & 1 != 0;
            let value = if inside { loaded(format, &input, place(&places, 0, k), channel) } else { 0 };
            read[channel * 16 + k] = value;
            if bits >> (16 + k) & 1 != 0 {
                store(format, &mut written, to, channel, value + 3);
            }
        }
        if to[2] & 1 != 0 {
            for channel in [1, 2] {
                store(format, &mut written, to, channel, 77);
            }
        }
    }
    let (contents, results) = ((&places[..], &before[..]), (&read[..], &written[..]));
    check::<u32>(format, contents, results, |device, space, at, to, found| {
        let from = Surface3D::from_bytes(device, format, SIZE[0], SIZE[1], SIZE[2], &input)?;
        kernels::masked_slices::launch(device, space, &from, at, found, to, bits)
    })
    .unwrap();
}

/// The places of texels to update: some of them are equal.
fn equal_places() -> Vec<i32> {
    let mut places = places();
    for axis in 0..3 {
        for k in [4, 7, 19] {
            places[axis * LANES + k] = places[axis * LANES];
        }
    }
    places
}

#[test]
fn atomics() -> cm::Result<()> {
    macro_rules! updates {
        ($($name:ident: $t:ident, $($lanes:literal)*;)*) => {$($({
            let mut next = stream(1);
            let (sources, cells) = (small_and_large(2 * LANES, &mut next), small_and_large(texels(), &mut next));
            let places = equal_places();
            let (x, y) = bytemuck::cast_slice::<u32, $t>(&sources).split_at(LANES);
            let steps = integer_steps!($t);
            let (mut expected, mut before) = (cells.clone(), vec![]);
            for (round, step) in (0..2).flat_map(|round| steps.iter().map(move |step| (round, step))) {
                for k in 0..$lanes {
                    let texel = texel_at(place(&places, 0, k));
                    let old = texel.map_or(0, |texel| expected[texel]);
                    if let Some(texel) = texel {
                        expected[texel] = bytemuck::cast(step(bytemuck::cast(old), x[k], y[k]));
                    }
                    if round == 0 {
                        before.push(old);
                    }
                }
            }
            let size = [SIZE[0] * 4, SIZE[1], SIZE[2]];
            let mut texels = Memory::of_slices(Texel::Dword, size, bytemuck::cast_slice(&cells));
            let [mut at, mut values, mut found] =
                [bytemuck::cast_slice(&places), bytemuck::cast_slice(&sources), &vec![0; before.len() * 4]]
                    .map(|bytes| Linear::new(bytes.to_vec()));
            let mut args = [
                InterpretArg::Buffer(&mut at),
                InterpretArg::Buffer(&mut values),
                InterpretArg::Surface(&mut texels),
                InterpretArg::Buffer(&mut found),
            ];
            interpret(&kernels::$name::<$lanes>::ir()?, &mut args, [0, 0]).unwrap();
            assert_eq!(elements::<u32>(&found.into_bytes()), before, "{} lanes, interpreted", $lanes);
            assert_eq!(elements::<u32>(&texels.bytes()), expected, "{} lanes, interpreted", $lanes);

            let contents = (&places[..], bytemuck::cast_slice(&cells));
            let results = (&before[..], bytemuck::cast_slice(&expected));
            check::<$t>(Format::R32, contents, results, |device, space, at, texels, old| {
                let values = Buffer::from_slice(device, bytemuck::cast_slice::<u32, $t>(&sources))?;
                kernels::$name::<$lanes>::launch(device, space, at, &values, texels, old)
            })?;
        })*)*};
    }
    updates! {
        slice_atomics_u32: u32, 1 8 32;
        slice_atomics_i32: i32, 4 16;
    }
    Ok(())
}

#[test]
fn lanes_of_masks_are_updated() -> cm::Result<()> {
    let (bits, places, cells) = (0x3c5a_96e1_u32, equal_places(), small_and_large(texels(), &mut stream(8)));
    let (mut expected, mut before) = (cells.clone(), vec![0; 16]);
    let x = |k: usize| {
        let [u, v, r] = place(&places, 0, k);
        u.wrapping_mul(5).wrapping_add(v).wrapping_add(r.wrapping_mul(7)) as u32
    };
    let texel = |k: usize| texel_at(place(&places, 0, k));
    for (k, texel) in (0..16).filter(|k| bits >> k & 1 != 0).filter_map(|k| Some((k, texel(k)?))) {
        before[k] = expected[texel];
        expected[texel] = expected[texel].wrapping_add(x(k));
    }
    for texel in (0..16).filter(|k| bits >> (16 + k) & 1 != 0).filter_map(texel) {
        expected[texel] = expected[texel].wrapping_add(1);
    }
    for (k, texel) in (0..16).filter(|k| places[*k] & 1 != 0).filter_map(|k| Some((k, texel(k)?))) {
        expected[texel] ^= x(k);
    }
    let contents = (&places[..], bytemuck::cast_slice(&cells));
    let results = (&before[..], bytemuck::cast_slice(&expected));
    check::<u32>(Format::R32, contents, results, |device, space, at, texels, old| {
        kernels::masked_slice_atomics::launch(device, space, at, texels, old, bits)
    })
}

/// Threads side by side, on several cores and on a GPU: each writes its own columns of slices.
#[test]
fn threads_have_their_own_columns_of_slices() {
    let (width, height, depth) = (37, 9, 6);
    let mut next = stream(2);
    let words: Vec<u16> = (0..width * height * depth).map(|_| next() as u16 % 30_000).collect();
    let slice = width * height;
    let sum = |n: usize| {
        let near = [n.checked_sub(slice), Some(n), n.checked_add(slice)].into_iter().flatten();
        let sum = near.filter_map(|n| words.get(n)).map(|x| u32::from(*x)).sum::<u32>();
        u16::try_from(sum).unwrap_or(u16::MAX)
    };
    let expected: Vec<u16> = (0..words.len()).map(sum).collect();
    for device in devices(3).into_iter().chain(surface_devices(1)) {
        let from = Surface3D::from_slice(&device, Format::R16, width, height, depth, &words).unwrap();
        let mut to = Surface3D::new(&device, Format::R16, width, height, depth).unwrap();
        let space = ThreadSpace::new(width.div_ceil(8), height).unwrap();
        kernels::sums_of_slices::launch(&device, space, &from, &mut to, depth as u32).unwrap();
        assert_eq!(elements::<u16>(&to.to_vec().unwrap()), expected, "{}", device.name());
    }
}

mod refused {
    use cm::channels::CM_R;
    use cm::prelude::*;

    #[kernel]
    pub(super) fn of_any_size<const L: usize>(output: &mut Surface3D) {
        let at = Vector::<u32, L>::splat(0);
        output.write_typed::<CM_R, 1, L>(&at, &at, &at, &Matrix::<u32, 1, L>::splat(1));
    }

    #[kernel]
    pub(super) fn count(output: &mut Surface3D) {
        let at = Vector::<u32, 8>::splat(0);
        output.write_typed_atomic::<u32, 8>(atomic::Inc, &at, &at, &at);
    }

    #[kernel]
    pub(super) fn red_float(output: &mut Surface3D) {
        let at = Vector::<u32, 8>::splat(0);
        output.write_typed::<CM_R, 1, 8>(&at, &at, &at, &Matrix::<f32, 1, 8>::splat(1.0f32));
    }
}

#[test]
fn rules_of_recordings_are_named() {
    let message = refused::of_any_size::<3>::ir().unwrap_err().to_string();
    assert!(
        message.contains("a scattered message of 3 elements") && message.contains("typed_3d.rs"),
        "{message}"
    );
    refused::of_any_size::<16>::ir().unwrap();
}

#[test]
fn formats_that_an_access_does_not_take_are_named() {
    let space = || ThreadSpace::new(1, 1).unwrap();
    for device in surface_devices(1) {
        for (format, _) in FORMATS {
            let mut surface = Surface3D::new(&device, format, 5, 2, 2).unwrap();
            let red = refused::of_any_size::<8>::launch(&device, space(), &mut surface);
            let float = refused::red_float::launch(&device, space(), &mut surface);
            let count = refused::count::launch(&device, space(), &mut surface);
            let is_float = format == Format::R32F;
            assert_eq!((red.is_ok(), float.is_ok()), (!is_float, is_float), "{format}");
            let error = if is_float { red } else { float }.unwrap_err();
            assert!(matches!(error, cm::Error::TypedElement { .. }), "{error:?}");
            match count {
                Ok(_) => assert_eq!(format, Format::R32),
                Err(error) => assert!(matches!(error, cm::Error::TypedAtomic { .. }), "{error:?}"),
            }
        }
    }
}
