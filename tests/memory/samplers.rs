//! Samples of surfaces, lane by lane against a scalar model: every filter and address mode, formats, and edges.

use cm::channels;
use cm::compiler::elem::ElemType;
use cm::compiler::ir::Type;
use cm::compiler::ops::Texel;
use cm::interpret::{InterpretArg, interpret};
use cm::prelude::*;
use cm::sampler::{Border, Clamp, Linear, Mirror, MirrorOnce, Nearest, Wrap};
use cm_test_kernels::samplers as kernels;
use cm_test_support::devices::surface_devices;
use cm_test_support::memory::{Linear as Bytes, Memory};
use cm_test_support::noise::{self, stream};
use cm_test_support::numbers::elements;

use crate::typed::{FORMATS, channels_of};

/// Elements of a row of the buffers.
const LANES: usize = 32;
/// Sizes that are, and are not, powers of two.
const SIZE: [usize; 3] = [12, 5, 3];

/// What is outside.
#[derive(Clone, Copy)]
enum Outside {
    Clamp,
    Wrap,
    Mirror,
    MirrorOnce,
    Border,
}

/// The number of a texel by the address mode, if there is one.
fn address(n: i64, size: i64, outside: Outside) -> Option<i64> {
    let nearest = |n: i64| n.clamp(0, size - 1);
    Some(match outside {
        Outside::Clamp => nearest(n),
        Outside::Wrap => n.rem_euclid(size),
        Outside::Mirror if n.div_euclid(size) % 2 == 0 => n.rem_euclid(size),
        Outside::Mirror => size - 1 - n.rem_euclid(size),
        Outside::MirrorOnce => nearest(if n < 0 { -1 - n } else { n }),
        Outside::Border => return (0..size).contains(&n).then_some(n),
    })
}

/// A surface of the test.
#[derive(Clone, Copy)]
struct Picture<'a> {
    format: Format,
    size: [usize; 3],
    bytes: &'a [u8],
}

impl Picture<'_> {
    /// A channel of the texel at this place, before it is scaled; 0 outside.
    fn channel(&self, place: [Option<i64>; 3], channel: usize) -> f32 {
        let [Some(u), Some(v), Some(r)] = place else { return 0.0 };
        let (bytes, count) = channels_of(self.format);
        if channel >= count {
            return if channel == 3 { 1.0 } else { 0.0 };
        }
        let texel = (r as usize * self.size[1] + v as usize) * self.size[0] + u as usize;
        let start = texel * self.format.texel_bytes() + channel * bytes;
        let mut dword = [0; 4];
        dword[..bytes].copy_from_slice(&self.bytes[start..][..bytes]);
        let dword = u32::from_le_bytes(dword);
        if self.format == Format::R32F { f32::from_bits(dword) } else { dword as f32 }
    }

    /// A channel in its range.
    fn scaled(&self, channel: usize, value: f32) -> f32 {
        let (bytes, count) = channels_of(self.format);
        if self.format == Format::R32F || channel >= count {
            return value;
        }
        value * (1.0 / ((1u64 << (8 * bytes)) - 1) as f64) as f32
    }

    /// A sample at these coordinates, of which the last ones of a surface of two dimensions are not used.
    fn sample(
        &self,
        (linear, outside, in_texels): (bool, Outside, bool),
        (coordinates, dimensions): ([f32; 3], usize),
        channel: usize,
    ) -> f32 {
        let places = [0, 1, 2].map(|axis| {
            if axis >= dimensions {
                return ([Some(0); 2], 0.0);
            }
            let size = self.size[axis] as i64;
            let factor = if in_texels { 256.0 } else { 256.0 * size as f32 };
            let furthest = (256 << 21) as f32;
            let parts = coordinates[axis] * factor;
            let mut parts = if parts.is_nan() { furthest } else { parts.clamp(-furthest, furthest) };
            if linear {
                parts -= 128.0;
            }
            let parts = parts.round_ties_even() as i64;
            let (first, weight) = (parts.div_euclid(256), parts.rem_euclid(256));
            ([first, first + 1].map(|n| address(n, size, outside)), weight as f32 / 256.0)
        });
        let [(u, along), (v, down), (r, deep)] = places;
        let texel = |r: usize, v: usize, u: usize, at: [[Option<i64>; 2]; 3]| {
            self.channel([at[0][u], at[1][v], at[2][r]], channel)
        };
        let at = [u, v, r];
        let value = if linear {
            let between = |a: f32, b: f32, weight: f32| a + (b - a) * weight;
            let row = |r, v| between(texel(r, v, 0, at), texel(r, v, 1, at), along);
            let slice = |r| between(row(r, 0), row(r, 1), down);
            if dimensions == 3 { between(slice(0), slice(1), deep) } else { slice(0) }
        } else {
            texel(0, 0, 0, at)
        };
        self.scaled(channel, value)
    }

    /// The channel of the texel at these coordinates.
    fn loaded(&self, coordinates: [f32; 3], channel: usize) -> f32 {
        let place = [0, 1, 2].map(|axis| {
            let n = i64::from(coordinates[axis] as i32);
            (0..self.size[axis] as i64).contains(&n).then_some(n)
        });
        self.scaled(channel, self.channel(place, channel))
    }
}

/// Coordinates of each axis, then the indices of the lanes.
fn places(dimensions: usize, in_texels: bool) -> Vec<f32> {
    let mut next = stream(17);
    let mut places = vec![];
    for size in SIZE.into_iter().take(dimensions) {
        let size = if in_texels { size as f32 } else { 1.0 };
        // From -1.5 to 2.5 sizes, and the ends, centres and borders of texels.
        let mut along: Vec<f32> = (0..LANES).map(|_| (next() % 4096) as f32 / 1024.0 - 1.5).collect();
        let edges = [
            0.0,
            -0.0,
            1.0,
            0.5,
            -1.0,
            2.0,
            1e-30,
            -1e-9,
            -1e30,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            16_777_217.0,
            -99_999.625,
            1.0 / 24.0,
            11.5 / 12.0,
            1.0 / 512.0,
            3.0 / 512.0,
        ];
        let first = places.len() / LANES;
        for (n, edge) in edges.into_iter().enumerate() {
            along[(first + 1 + n * 5) % LANES] = edge;
        }
        places.extend(along.into_iter().map(|x| x * size));
    }
    places.extend((0..LANES).map(|lane| lane as f32));
    places
}

/// Noise; floats of ordinary size for `R32F`, whose sums round.
fn bytes(format: Format, texels: usize) -> Vec<u8> {
    if format == Format::R32F {
        let mut next = stream(23);
        return (0..texels).flat_map(|_| ((next() as i32) as f32 / 3e7).to_le_bytes()).collect();
    }
    noise::bytes(texels * format.texel_bytes(), 23)
}

/// The rows of samples, then of texels.
fn expected(
    picture: Picture<'_>,
    how: (bool, Outside, bool),
    (places, dimensions): (&[f32], usize),
    (mask, lanes): (usize, usize),
) -> Vec<f32> {
    let mut all = vec![0.0; 8 * LANES];
    for (row, channel) in (0..4).filter(|channel| mask >> channel & 1 != 0).enumerate() {
        for lane in 0..lanes {
            let mut at = [0.0; 3];
            for (axis, at) in at.iter_mut().enumerate().take(dimensions) {
                *at = places[axis * LANES + lane];
            }
            all[row * LANES + lane] = picture.sample(how, (at, dimensions), channel);
            all[(4 + row) * LANES + lane] = picture.loaded(at, channel);
        }
    }
    all
}

fn assert_bits(found: &[f32], expected: &[f32], what: &str) {
    for (n, (found, expected)) in found.iter().zip(expected).enumerate() {
        let (row, lane) = (n / LANES, n % LANES);
        assert_eq!(
            found.to_bits(),
            expected.to_bits(),
            "row {row}, lane {lane}: {found}, {expected}; {what}"
        );
    }
    assert_eq!(found.len(), expected.len());
}

macro_rules! samples {
    ($surface:ident, $dimensions:literal; $($name:ident: $filter:ident, $mode:ident, $t:ident, $mask:ident, $lanes:literal;)*) => {$(
        #[test]
        fn $name() {
            let function = kernels::$name::ir().unwrap();
            let mut size = SIZE;
            size[$dimensions..].fill(1);
            let of_floats = stringify!($t) == "f32";
            let formats = FORMATS.into_iter().filter(|(format, _)| (*format == Format::R32F) == of_floats);
            for ((format, texel), in_texels) in formats.flat_map(|format| [(format, false), (format, true)]) {
                let places = places($dimensions, in_texels);
                let bytes = bytes(format, size.iter().product());
                let picture = Picture { format, size, bytes: &bytes };
                let how = (stringify!($filter) == "Linear", Outside::$mode, in_texels);
                let expected = expected(picture, how, (&places, $dimensions), (channels::$mask, $lanes));

                let sampler = Sampler::<$filter, $mode>::of(&size[..$dimensions], texel);
                let sampler = if in_texels { sampler.in_texels() } else { sampler };
                let values = sampler.values().to_array();
                let mut from = memory(texel, $dimensions, &bytes);
                let [mut at, mut found] = [bytemuck::cast_slice(&places), &[0; 32 * LANES]]
                    .map(|bytes| Bytes::new(bytes.to_vec()));
                let mut args = [
                    InterpretArg::Surface(&mut from),
                    InterpretArg::Uniform {
                        ty: Type::new(ElemType::F32, 1, values.len()),
                        bytes: bytemuck::cast_slice(&values),
                    },
                    InterpretArg::Buffer(&mut at),
                    InterpretArg::Buffer(&mut found),
                ];
                interpret(&function, &mut args, [0, 0]).unwrap();
                assert_bits(&elements::<f32>(&found.into_bytes()), &expected, &format!("{format}, interpreted"));

                for device in surface_devices(1) {
                    let input = surfaces::$surface(&device, format, &bytes).unwrap();
                    let sampler = input.sampler::<$filter, $mode>().unwrap();
                    let sampler = if in_texels { sampler.in_texels() } else { sampler };
                    let at = Buffer::from_slice(&device, &places).unwrap();
                    let mut found = Buffer::<f32>::new(&device, 8 * LANES).unwrap();
                    let space = ThreadSpace::new(1, 1).unwrap();
                    kernels::$name::launch(&device, space, &input, sampler, &at, &mut found).unwrap();
                    assert_bits(&found.to_vec().unwrap(), &expected, &format!("{format} on {}", device.name()));
                }
            }
        }
    )*};
}

/// Memory for the interpreter.
fn memory(texel: Texel, dimensions: usize, bytes: &[u8]) -> Memory {
    let size = [SIZE[0] * texel.bytes(), SIZE[1], SIZE[2]];
    if dimensions == 3 {
        Memory::of_slices(texel, size, bytes)
    } else {
        Memory::of_texels(texel, size[0], size[1], bytes)
    }
}

/// Surfaces of the size of the tests.
#[allow(non_snake_case, reason = "named after their types")]
mod surfaces {
    use cm::prelude::*;

    use super::SIZE;

    pub(super) fn Surface2D(device: &Device, format: Format, bytes: &[u8]) -> cm::Result<Surface2D> {
        Surface2D::from_bytes(device, format, SIZE[0], SIZE[1], bytes)
    }

    pub(super) fn Surface3D(device: &Device, format: Format, bytes: &[u8]) -> cm::Result<Surface3D> {
        Surface3D::from_bytes(device, format, SIZE[0], SIZE[1], SIZE[2], bytes)
    }
}

samples! {
    Surface2D, 2;
    nearest_clamp: Nearest, Clamp, u32, CM_ABGR, 16;
    nearest_wrap: Nearest, Wrap, u32, CM_AR, 32;
    nearest_mirror: Nearest, Mirror, u32, CM_R, 8;
    nearest_mirror_once: Nearest, MirrorOnce, u32, CM_A, 16;
    nearest_border: Nearest, Border, u32, CM_ABR, 4;
    linear_clamp: Linear, Clamp, u32, CM_ABGR, 16;
    linear_wrap: Linear, Wrap, u32, CM_BGR, 16;
    linear_mirror: Linear, Mirror, u32, CM_R, 32;
    linear_mirror_once: Linear, MirrorOnce, u32, CM_GR, 16;
    linear_border: Linear, Border, u32, CM_ABGR, 8;
    one_linear: Linear, Clamp, u32, CM_G, 1;
    nearest_float: Nearest, Wrap, f32, CM_ABGR, 8;
    linear_float: Linear, Clamp, f32, CM_R, 16;
    linear_float_border: Linear, Border, f32, CM_AR, 16;
}

samples! {
    Surface3D, 3;
    nearest_in_slices: Nearest, Mirror, u32, CM_ABGR, 8;
    linear_in_slices: Linear, Clamp, u32, CM_ABGR, 8;
    linear_wrap_in_slices: Linear, Wrap, u32, CM_R, 16;
    linear_float_in_slices: Linear, Border, f32, CM_AR, 16;
}

/// The remainder is exact for every size of a surface and every texel that a coordinate reaches: here the ones around
/// multiples of the size.
#[test]
fn repeated_texels_are_exact() {
    let device = Device::cpu().unwrap();
    for size in [1, 2, 3, 7, 41, 255, 1000, 4095, 16383, 16384] {
        let bytes: Vec<u8> = (0..size as u32).flat_map(u32::to_le_bytes).collect();
        let format = Format::R32;
        let picture = Picture { format, size: [size, 1, 1], bytes: &bytes };
        let reach = (1 << 21) / size as i64;
        let multiples =
            [0, 1, 2, reach / 3, reach / 2, reach - 1, -1, -reach / 3, 1 - reach].map(|k| k * size as i64);
        let mut texels: Vec<f32> =
            multiples.into_iter().flat_map(|n| [n - 1, n, n + 1]).map(|n| n as f32 + 0.5).collect();
        texels.resize(LANES, ((1 << 21) - 1) as f32 + 0.25);
        let mut places = texels;
        places.extend([0.5; LANES]);
        places.extend((0..LANES).map(|lane| lane as f32));
        let input = Surface2D::from_bytes(&device, format, size, 1, &bytes).unwrap();
        let at = Buffer::from_slice(&device, &places).unwrap();
        let mut found = Buffer::<f32>::new(&device, 8 * LANES).unwrap();
        let (space, sampler) = (ThreadSpace::new(1, 1).unwrap(), input.sampler().unwrap().in_texels());
        kernels::nearest_wrap::launch(&device, space, &input, sampler, &at, &mut found).unwrap();
        let how = (false, Outside::Wrap, true);
        let expected = expected(picture, how, (&places, 2), (channels::CM_AR, LANES));
        assert_bits(&found.to_vec().unwrap(), &expected, &format!("{size} texels"));
    }
}

#[test]
fn the_largest_integers_are_1() {
    for (format, texel) in FORMATS.into_iter().filter(|(format, _)| *format != Format::R32F) {
        let [unit, .., alpha] = {
            let values = Sampler::<Nearest, Clamp>::of(&[1; 3], texel).values().to_array();
            [values[12], values[13], values[14], values[15]]
        };
        let (bytes, _) = channels_of(format);
        assert_eq!((u64::MAX >> (64 - 8 * bytes)) as f32 * unit, 1.0, "{format}");
        assert_eq!(alpha, if format == Format::Rgba8 { unit } else { 1.0 }, "{format}");
    }
}

/// CM's tutorial `Sampler3D`: a picture that is scaled.
#[test]
fn sampler_3d_scales_a_picture() {
    let (from, to) = ([20, 9], [32, 14]);
    let bytes = noise::bytes(from[0] * from[1] * 4, 31);
    let picture = Picture { format: Format::Rgba8, size: [from[0], from[1], 1], bytes: &bytes };
    let [across, down] = to.map(|n| 1.0 / n as f32);
    let mut expected = vec![];
    for (y, x) in (0..to[1]).flat_map(|y| (0..to[0]).map(move |x| (y, x))) {
        let at = [(x as f32 + 0.5) * across, (y as f32 + 0.5) * down, 0.0];
        for channel in 0..3 {
            let sample = picture.sample((true, Outside::Clamp, false), (at, 2), channel);
            expected.push((sample * 255.0).round_ties_even() as u8);
        }
        expected.push(255);
    }
    for device in surface_devices(2) {
        let input = Surface2D::from_bytes(&device, Format::Rgba8, from[0], from[1], &bytes).unwrap();
        let mut output = Surface2D::new(&device, Format::Rgba8, to[0], to[1]).unwrap();
        let space = ThreadSpace::new(to[0] / 8, to[1] / 2).unwrap();
        let sampler = input.sampler().unwrap();
        kernels::sampler_3d::launch(&device, space, &input, sampler, &mut output, across, down).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{}", device.name());
    }
}
