//! The kernels of the example `linear` against an independent scalar filter, byte for byte.

use cm::{Device, Event, Format, Surface2D, ThreadSpace};
use cm_test_kernels::linear;
use cm_test_support::cases::cases;
use cm_test_support::devices::surface_devices;
use cm_test_support::noise;
use proptest::prelude::*;

type Launch = fn(&Device, ThreadSpace, &Surface2D, &mut Surface2D) -> cm::Result<Event>;

const KERNELS: [(&str, Launch); 4] = [
    ("linear", |device, space, input, output| linear::linear::launch(device, space, input, output)),
    ("linear1d2", |device, space, input, output| linear::linear1d2::launch(device, space, input, output)),
    ("linearslide", |device, space, input, output| linear::linearslide::launch(device, space, input, output)),
    ("linearslide2", |device, space, input, output| {
        linear::linearslide2::launch(device, space, input, output)
    }),
];

/// The block of a thread: 8 pixels of 3 bytes, 6 rows.
const BLOCK: (usize, usize) = (24, 6);

/// A picture of `width` bytes and `height` rows.
#[derive(Clone, Debug)]
struct Picture {
    format: Format,
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Picture {
    fn new(format: Format, width: usize, height: usize, byte: impl FnMut(usize) -> u8) -> Self {
        Self { format, width, height, bytes: (0..width * height).map(byte).collect() }
    }

    fn surface(&self, device: &Device) -> Surface2D {
        let texels = self.width / self.format.texel_bytes();
        Surface2D::from_bytes(device, self.format, texels, self.height, &self.bytes).expect("a surface")
    }

    /// The byte at a position to the right of or below the first one. Outside, it is the byte of the last
    /// texel, whose size depends on the format, in the last row.
    fn at(&self, x: usize, y: usize) -> u8 {
        let texel = self.format.texel_bytes();
        let x = if x < self.width { x } else { self.width - texel + x % texel };
        self.bytes[y.min(self.height - 1) * self.width + x]
    }

    /// The mean of 3 x 3 pixels of 3 bytes, of which the first is at (x, y). The kernels multiply by 0.111
    /// and truncate.
    fn mean(&self, x: usize, y: usize) -> u8 {
        let sum: u32 = (0..3)
            .flat_map(|i| (0..3).map(move |j| (x + 3 * j, y + i)))
            .map(|(x, y)| u32::from(self.at(x, y)))
            .sum();
        (sum as f32 * 0.111).trunc() as u8
    }
}

/// Runs every kernel over a thread space on a copy of `before`. Compares with the filter where there are
/// threads, and with `before` elsewhere.
fn check(device: &Device, input: &Picture, before: &Picture, space: (usize, usize)) {
    let surface = input.surface(device);
    let (columns, rows) = (space.0 * BLOCK.0, space.1 * BLOCK.1);
    for (name, launch) in KERNELS {
        let mut output = before.surface(device);
        let threads = ThreadSpace::new(space.0, space.1).expect("a thread space");
        launch(device, threads, &surface, &mut output).expect(name);
        let found = output.to_vec().expect("bytes");
        for (n, &found) in found.iter().enumerate() {
            let (x, y) = (n % input.width, n / input.width);
            let covered = x < columns && y < rows;
            let expected = if covered { input.mean(x, y) } else { before.bytes[n] };
            assert_eq!(
                found,
                expected,
                "{name}, {} {} bytes x {} rows, {space:?} threads: byte {x} of row {y}, {}",
                input.format,
                input.width,
                input.height,
                if covered { "filtered" } else { "left alone" }
            );
        }
        assert_eq!(surface.to_vec().expect("bytes"), input.bytes, "{name} changed its input");
    }
}

/// The number of threads that cover the picture.
fn cover(width: usize, height: usize) -> (usize, usize) {
    (width.div_ceil(BLOCK.0), height.div_ceil(BLOCK.1))
}

#[test]
fn sizes_around_the_block() {
    for device in &surface_devices(2) {
        let sizes = [
            (1, 1),
            (1, 2),
            (2, 1),
            (1, 40),
            (70, 1),
            (7, 5),
            (8, 6),
            (9, 7),
            (8, 7),
            (9, 6),
            (15, 11),
            (16, 12),
            (17, 13),
            (24, 18),
            (10, 8),
            (11, 8),
            (33, 19),
            (64, 36),
        ];
        for (pixels, height) in sizes {
            let width = 3 * pixels;
            for format in [Format::R8, Format::Bgra8, Format::Rgba8] {
                if width % format.texel_bytes() == 0 {
                    let input = Picture::new(format, width, height, noise::byte);
                    let before = Picture::new(format, width, height, |n| n as u8);
                    check(device, &input, &before, cover(width, height));
                }
            }
        }
    }
}

/// The sum of nine 255s is 2295; times 0.111 it is 254.7, which becomes 254.
#[test]
fn white_becomes_nearly_white() {
    for device in &surface_devices(2) {
        for format in [Format::R8, Format::Bgra8] {
            let input = Picture::new(format, 84, 25, |_| 255);
            assert_eq!(input.mean(0, 0), 254);
            check(device, &input, &Picture::new(format, 84, 25, |_| 0), cover(84, 25));
        }
    }
}

/// Beyond the edge of 4-byte texels, bytes come from the last dword, so the colours of packed pixels mix
/// there.
#[test]
fn the_format_decides_what_lies_beyond_the_edge() {
    for device in &surface_devices(2) {
        let row = [10u8, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120];
        let picture = |format| Picture { format, width: 12, height: 1, bytes: row.to_vec() };
        let last_pixel = |format| (9..12).map(|x| picture(format).mean(x, 0)).collect::<Vec<_>>();
        // R8: 3 * (100 + 120 + 120) * 0.111; Bgra8: beyond 12, the row continues with 90 100 110 120 90 100
        // ..
        assert_eq!(last_pixel(Format::R8), [113, 116, 119]);
        assert_eq!(last_pixel(Format::Bgra8), [103, 99, 109]);
        for format in [Format::R8, Format::Bgra8, Format::Rgba8] {
            check(device, &picture(format), &picture(format), (1, 1));
        }
    }
}

fn pictures() -> impl Strategy<Value = (Picture, Picture, (usize, usize))> {
    let formats = prop_oneof![Just(Format::R8), Just(Format::Bgra8), Just(Format::Rgba8)];
    (formats, 1usize..70, 1usize..40).prop_flat_map(|(format, pixels, height)| {
        // Rows consist of whole texels.
        let width = if format == Format::R8 { 3 * pixels } else { 3 * pixels.next_multiple_of(4) };
        let bytes = || proptest::collection::vec(any::<u8>(), width * height);
        let (columns, rows) = cover(width, height);
        // Fewer threads than the picture needs, the same number, or more.
        let space = (1..=columns + 2, 1..=rows + 2);
        (bytes(), bytes(), space).prop_map(move |(input, before, space)| {
            let picture = |bytes| Picture { format, width, height, bytes };
            (picture(input), picture(before), space)
        })
    })
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn random_pictures_and_thread_spaces((input, before, space) in pictures()) {
        for device in &surface_devices(2) {
            check(device, &input, &before, space);
        }
    }
}
