//! Properties of particular devices: scopes, threads that launch at the same time, surfaces of other devices,
//! the cache of compiled kernels, the limits of devices. On the CPU, and on Level Zero if it has a device.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use cm::prelude::*;
use cm::{Error, LevelZeroError};
use cm_test_support::devices::{devices, level_zero};
use cm_test_support::noise::{self, plus};

const WIDTH: usize = 64;
const HEIGHT: usize = 16;

fn space() -> ThreadSpace {
    ThreadSpace::new(WIDTH / 16, HEIGHT / 4).unwrap()
}

/// Adds a number to every byte.
#[kernel]
fn add(input: &Surface2D, output: &mut Surface2D, n: u8) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let m: Matrix<u8, 4, 16> = (input.read::<u8, 4, 16>(x, y) + n).convert();
    output.write(x, y, &m);
}

/// Adds one to every byte in place, slowly: each thread first counts to a number.
#[kernel]
fn count(image: &mut Surface2D, rounds: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut m = image.read::<u8, 4, 16>(x, y);
    for _ in 0..rounds {
        m += 2;
        m -= 1;
    }
    image.write(x, y, &m);
}

/// Each byte becomes its right neighbour.
#[kernel]
fn left(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    output.write(x, y, &input.read::<u8, 4, 16>(x + 1, y));
}

/// Arguments by value: an odd number of bytes, followed by more bytes.
#[kernel]
fn by_value(
    output: &mut Surface2D,
    first: Vector<u8, 7>,
    one: u8,
    second: Vector<u8, 14>,
    last: Vector<u8, 3>,
) {
    let mut row = Vector::<u8, 28>::splat(0);
    row.select_mut::<7, 1>(0).assign(first);
    row.select_mut::<1, 1>(7).assign(one);
    row.select_mut::<14, 1>(8).assign(second);
    row.select_mut::<3, 1>(22).assign(last);
    output.write(0, 0, &row);
}

fn bytes() -> Vec<u8> {
    noise::bytes(WIDTH * HEIGHT, 0)
}

fn image(device: &Device, bytes: &[u8]) -> Surface2D {
    Surface2D::from_bytes(device, Format::R8, WIDTH, HEIGHT, bytes).unwrap()
}

#[test]
fn bytes_by_value_arrive_behind_odd_numbers_of_them() {
    for device in devices(1) {
        let mut output = Surface2D::new(&device, Format::R8, 28, 1).unwrap();
        let (first, second) = (std::array::from_fn(|n| n as u8 + 1), std::array::from_fn(|n| n as u8 + 9));
        let space = ThreadSpace::new(1, 1).unwrap();
        let given =
            (Vector::from_array(first), 8, Vector::from_array(second), Vector::from_array([23, 24, 25]));
        by_value::launch(&device, space, &mut output, given.0, given.1, given.2, given.3).unwrap();
        let expected: Vec<u8> = (1..=25).chain([0; 3]).collect();
        assert_eq!(output.to_vec().unwrap(), expected, "{}", device.name());
    }
}

#[test]
fn launches_of_a_scope_follow_one_another() {
    for device in devices(2) {
        let (mut a, mut b) = (image(&device, &bytes()), image(&device, &[0; WIDTH * HEIGHT]));
        // More launches than are sent to the device at once.
        device
            .scope(|scope| {
                for _ in 0..50 {
                    add::enqueue(scope, space(), &a, &mut b, 3)?;
                    add::enqueue(scope, space(), &b, &mut a, 4)?;
                }
                add::enqueue(scope, space(), &a, &mut b, 1)
            })
            .unwrap();
        assert_eq!(b.to_vec().unwrap(), plus(&bytes(), (50 * 7 + 1) as u8), "{}", device.name());
    }
}

#[test]
fn the_host_sees_what_was_launched_before_inside_a_scope() {
    for device in devices(2) {
        let a = image(&device, &bytes());
        let seen = device
            .scope(|scope| {
                let mut b = image(scope.device(), &[0; WIDTH * HEIGHT]);
                count::enqueue(scope, space(), &mut b, 200)?;
                add::enqueue(scope, space(), &a, &mut b, 1)?;
                let first = b.to_vec()?;
                b.write_bytes(&plus(&first, 5))?;
                // A launch that waits among others that do not, and a surface that is dropped before the
                // scope ends.
                count::launch(&device, space(), &mut b, 1)?;
                count::enqueue(scope, space(), &mut b, 1)?;
                let second = b.read_rect(0, 0, WIDTH, HEIGHT)?;
                count::enqueue(scope, space(), &mut b, 100)?;
                Ok::<_, Error>((first, second))
            })
            .unwrap();
        assert_eq!(seen, (plus(&bytes(), 1), plus(&bytes(), 8)), "{}", device.name());
    }
}

#[test]
fn a_scope_that_fails_or_panics_has_waited() {
    for device in devices(1) {
        let mut a = image(&device, &bytes());
        let failed: Result<(), Box<dyn std::error::Error>> = {
            device.scope(|scope| {
                count::enqueue(scope, space(), &mut a, 1).map_err(Scoped)?;
                Err(Scoped(Error::EmptySurface { width: 0, height: 0 }))
            })
        }
        .map_err(|Scoped(error)| error.into());
        assert!(failed.is_err());
        assert_eq!(a.to_vec().unwrap(), plus(&bytes(), 1));
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            device.scope(|scope| -> cm::Result<()> {
                count::enqueue(scope, space(), &mut a, 1)?;
                panic!("on purpose")
            })
        }));
        assert!(panicked.is_err());
        assert_eq!(a.to_vec().unwrap(), plus(&bytes(), 2), "{}", device.name());
    }
}

/// An error type of the user.
struct Scoped(Error);

impl From<Error> for Scoped {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

#[test]
fn many_threads_launch_at_once() {
    for device in devices(2) {
        let shared = image(&device, &bytes());
        thread::scope(|threads| {
            for n in 0..6u8 {
                let (device, shared) = (&device, &shared);
                threads.spawn(move || {
                    let mut own = image(device, &[n; WIDTH * HEIGHT]);
                    for i in 0..10 {
                        // The same kernel with other arguments in other threads.
                        add::launch(device, space(), shared, &mut own, n * 10 + i).unwrap();
                        count::launch(device, space(), &mut own, u32::from(n)).unwrap();
                        assert_eq!(own.to_vec().unwrap(), plus(&bytes(), n * 11 + i), "{}", device.name());
                    }
                    device
                        .scope(|scope| {
                            (0..10).try_for_each(|_| count::enqueue(scope, space(), &mut own, 1).map(drop))
                        })
                        .unwrap();
                    assert_eq!(own.to_vec().unwrap(), plus(&bytes(), n * 11 + 19));
                });
            }
        });
    }
}

#[test]
fn surfaces_belong_to_their_device() {
    let Some(gpu) = level_zero() else { return };
    let cpu = Device::cpu().unwrap();
    let (on_cpu, mut on_gpu) = (image(&cpu, &bytes()), image(gpu, &bytes()));
    for device in [&cpu, gpu] {
        let error = add::launch(device, space(), &on_cpu, &mut on_gpu, 1).unwrap_err();
        let argument = if device.is_gpu() { "input" } else { "output" };
        assert!(matches!(error, Error::OtherDevice { kernel: "add", argument: found } if found == argument));
        assert!(error.to_string().contains("make it with the device"), "{error}");
    }
    assert_eq!(on_gpu.to_vec().unwrap(), bytes(), "nothing has run");
    // Devices with the same number are the same device.
    let again = Device::level_zero().unwrap();
    add::launch(&again, space(), &image(gpu, &bytes()), &mut on_gpu, 1).unwrap();
    assert_eq!(on_gpu.to_vec().unwrap(), plus(&bytes(), 1));
}

#[test]
fn rectangles_of_every_format() {
    let formats = [
        Format::R8,
        Format::R16,
        Format::R32,
        Format::R32F,
        Format::Rgba8,
        Format::Bgra8,
        Format::Yuyv,
        Format::Uyvy,
    ];
    for device in devices(1) {
        for format in formats {
            let texel = format.texel_bytes();
            for (width, height) in [(2, 1), (6, 3), (7, 5), (13, 4), (64, 2)] {
                if format.is_packed_yuv() && width % 2 == 1 {
                    continue;
                }
                let mut model: Vec<u8> = (0..width * height * texel).map(|n| (n * 7 + 3) as u8).collect();
                let mut surface = Surface2D::from_bytes(&device, format, width, height, &model).unwrap();
                for (x, y, w, h) in [(0, 0, width, height), (0, 0, 2, 1), (2, height - 1, 4, 1), (4, 1, 2, 2)]
                {
                    let fits = x + w <= width && y + h <= height;
                    let found = surface.read_rect(x, y, w, h);
                    assert_eq!(found.is_ok(), fits, "{format} {width} x {height}: {x} {y} {w} {h}");
                    if !fits {
                        assert!(matches!(found, Err(Error::Rectangle { .. })));
                        continue;
                    }
                    let rows = |x: usize, w: usize| {
                        (y..y + h).map(move |y| (y * width + x) * texel..(y * width + x + w) * texel)
                    };
                    let expected: Vec<u8> = rows(x, w).flat_map(|row| model[row].to_vec()).collect();
                    assert_eq!(found.unwrap(), expected, "{format} {width} x {height}: {x} {y} {w} {h}");
                    let new: Vec<u8> = (0..w * h * texel).map(|n| (n * 29 + x + y) as u8).collect();
                    surface.write_rect(x, y, w, h, &new).unwrap();
                    for (row, new) in rows(x, w).zip(new.chunks(w * texel)) {
                        model[row].copy_from_slice(new);
                    }
                    assert_eq!(
                        surface.to_vec().unwrap(),
                        model,
                        "{format} {width} x {height} on {}",
                        device.name()
                    );
                }
            }
        }
        let mut yuv = Surface2D::new(&device, Format::Yuyv, 4, 2).unwrap();
        assert!(matches!(yuv.read_rect(1, 0, 2, 1), Err(Error::Rectangle { .. })));
        assert!(matches!(yuv.write_rect(0, 0, 1, 1, &[0; 2]), Err(Error::Rectangle { .. })));
        assert!(matches!(yuv.read_rect(0, 0, 0, 1), Err(Error::Rectangle { .. })));
        assert!(matches!(yuv.read_rect(usize::MAX - 1, 0, 2, 1), Err(Error::Rectangle { .. })));
        assert!(matches!(
            yuv.write_rect(0, 0, 2, 1, &[0; 5]),
            Err(Error::WrongLength { expected: 4, found: 5, .. })
        ));
    }
}

/// Rows that are not whole dwords: reads beyond the edge give the last texel, whatever wrote it.
#[test]
fn edges_follow_what_is_written() {
    for (format, width) in
        [(Format::R8, 17), (Format::R8, 18), (Format::R8, 19), (Format::R16, 9), (Format::R8, 1)]
    {
        let results: Vec<Vec<u8>> = devices(1)
            .iter()
            .map(|device| {
                let texel = format.texel_bytes();
                let bytes: Vec<u8> = (0..width * 4 * texel).map(|n| (n * 37 + 5) as u8).collect();
                let mut a = Surface2D::from_bytes(device, format, width, 4, &bytes).unwrap();
                let mut b = Surface2D::new(device, Format::R8, 48, 4).unwrap();
                let wide = ThreadSpace::new(3, 1).unwrap();
                let mut all = Vec::new();
                // As uploaded from the host; after a kernel wrote it; after the host wrote its last column.
                left2::launch(device, wide, &a, &mut b).unwrap();
                all.extend(b.to_vec().unwrap());
                count::launch(device, ThreadSpace::new(2, 1).unwrap(), &mut a, 9).unwrap();
                left2::launch(device, wide, &a, &mut b).unwrap();
                all.extend(b.to_vec().unwrap());
                a.write_rect(width - 1, 1, 1, 2, &bytes[..2 * texel]).unwrap();
                device
                    .scope(|scope| {
                        left2::enqueue(scope, wide, &a, &mut b)?;
                        count::enqueue(scope, ThreadSpace::new(2, 1)?, &mut a, 3)
                    })
                    .unwrap();
                all.extend(b.to_vec().unwrap());
                left2::launch(device, wide, &a, &mut b).unwrap();
                all.extend(b.to_vec().unwrap());
                all.extend(a.to_vec().unwrap());
                all
            })
            .collect();
        assert!(results.iter().all(|result| *result == results[0]), "{format}, {width} texels");
    }
}

/// Each byte becomes the one two positions to its right.
#[kernel]
fn left2(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    output.write(x, y, &input.read::<u8, 4, 16>(x + 2, y));
}

/// The surface is read only inside, so its edge rule does not matter.
#[kernel]
fn copy(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    output.write(x, y, &input.read::<u8, 4, 16>(x, y));
}

#[test]
fn packed_yuv_is_read_inside() {
    for device in devices(1) {
        for format in [Format::Yuyv, Format::Uyvy] {
            let surface = Surface2D::from_bytes(&device, format, WIDTH / 2, HEIGHT, &bytes()).unwrap();
            let mut output = Surface2D::new(&device, format, WIDTH / 2, HEIGHT).unwrap();
            copy::launch(&device, space(), &surface, &mut output).unwrap();
            assert_eq!(output.to_vec().unwrap(), bytes());
            let more = ThreadSpace::new(WIDTH / 16 + 1, 1).unwrap();
            let beyond = copy::launch(&device, more, &surface, &mut output);
            match beyond {
                Ok(_) => assert!(!device.is_gpu()),
                Err(error) => {
                    let message = error.to_string();
                    assert!(
                        matches!(error, Error::LevelZero(LevelZeroError::PackedYuvEdge { .. })),
                        "{message}"
                    );
                    for word in ["`input`", "`copy`", "level_zero.rs", "keep the read inside"] {
                        assert!(message.contains(word), "{message}: {word}");
                    }
                }
            }
        }
    }
}

#[test]
fn limits_of_the_device_are_errors() {
    let Some(gpu) = level_zero() else { return };
    let result = Surface2D::new(gpu, Format::R8, 1 << 20, 1);
    let Err(Error::LevelZero(LevelZeroError::SurfaceTooLarge { width, limit, .. })) = result else {
        panic!("{result:?}")
    };
    assert_eq!(width, 1 << 20);
    // The largest size works, including its edge.
    let mut surface = Surface2D::new(gpu, Format::R8, limit, 2).unwrap();
    surface.write_rect(limit - 1, 1, 1, 1, &[7]).unwrap();
    let mut out = image(gpu, &bytes());
    edge::launch(gpu, ThreadSpace::new(1, 1).unwrap(), &surface, &mut out, limit as i32).unwrap();
    assert_eq!(out.read_rect(0, 0, 4, 2).unwrap(), [0, 0, 0, 0, 7, 7, 7, 7]);
    assert!(matches!(
        Surface2D::new(gpu, Format::Rgba8, 1, limit + 1),
        Err(Error::LevelZero(LevelZeroError::SurfaceTooLarge { .. }))
    ));
    // Everything still works afterwards.
    count::launch(gpu, space(), &mut out, 1).unwrap();
}

#[kernel]
fn edge(input: &Surface2D, output: &mut Surface2D, x: i32) {
    output.write(0, 0, &input.read::<u8, 2, 4>(x, 0));
}

/// Surfaces, devices and errors can be sent between threads.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Surface2D>();
    shared::<Device>();
    shared::<Error>();
    shared::<Event>();
};

/// The driver is loaded at run time; a program also starts without one.
#[cfg(target_os = "linux")]
#[test]
fn nothing_of_level_zero_is_linked() {
    use object::Object;
    use object::read::elf::ElfFile64;

    let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let file = ElfFile64::<object::Endianness>::parse(&*bytes).unwrap();
    let libraries = file.import_libraries().unwrap();
    let needed: Vec<String> =
        libraries.map(|library| String::from_utf8_lossy(library.unwrap().name()).into_owned()).collect();
    assert!(!needed.is_empty() && needed.iter().all(|name| !name.contains("ze_")), "{needed:?}");
}

#[test]
fn devices_say_what_they_are() {
    let Some(gpu) = level_zero() else { return };
    let all = Device::level_zero_devices().unwrap();
    assert!(gpu.name().contains("Level Zero") && gpu.name().contains("code"), "{}", gpu.name());
    assert_eq!(all[0].name(), gpu.name());
    let event = count::launch(gpu, space(), &mut image(gpu, &bytes()), 1).unwrap();
    assert_eq!(event.workers(), 0, "no thread of the CPU");
    let diagnosis = cm::diagnose();
    assert!(diagnosis.problem().is_none());
    let text = diagnosis.to_string();
    for word in ["libze_loader", "level-zero:0: ", "best device", "cache"] {
        assert!(text.contains(word), "{text}: {word}");
    }
}
