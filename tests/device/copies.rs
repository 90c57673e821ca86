//! Copies and launches of a scope that return before they complete, and the events of launches.

use std::collections::VecDeque;

use cm::Error;
use cm::prelude::*;
use cm_test_support::devices::{devices, level_zero, surface_devices};
use cm_test_support::noise::{self, plus};

const WIDTH: usize = 34;
const HEIGHT: usize = 6;

/// Adds a number to every byte of plane Y.
#[kernel]
fn add(input: &Surface2D, output: &mut Surface2D, n: u8) {
    let (x, y) = (thread_origin_x() * 4, thread_origin_y());
    output.write(x, y, &(input.read::<u8, 1, 4>(x, y) + n).convert::<u8>());
}

/// Adds a number to every element.
#[kernel]
fn raise(buffer: &mut Buffer<f32>, by: f32) {
    let offset = thread_origin_x() * 64;
    let sum = buffer.read::<16>(offset) + by;
    buffer.write(offset, &sum);
}

fn space(width: usize) -> ThreadSpace {
    ThreadSpace::new(width.div_ceil(4), HEIGHT).unwrap()
}

/// Frames in flight: each is uploaded, processed and read back a few iterations later, while its surfaces are
/// already used for the next frames.
#[test]
fn frames_in_flight_keep_their_bytes() {
    for device in surface_devices(2) {
        for (format, width) in [(Format::R8, WIDTH), (Format::R16, WIDTH / 2), (Format::Rgba8, 9)] {
            let row = width * format.texel_bytes();
            let mut input = Surface2D::new(&device, format, width, HEIGHT).unwrap();
            let mut output = Surface2D::new(&device, format, width, HEIGHT).unwrap();
            let check = |(n, download): (usize, cm::Download<u8>)| {
                let expected = plus(&noise::bytes(row * HEIGHT, n), n as u8);
                assert_eq!(download.to_vec().unwrap(), expected, "{} {format} {n}", device.name());
            };
            let mut in_flight = VecDeque::new();
            device
                .scope(|scope| {
                    for n in 0..20 {
                        input.enqueue_write(scope, &noise::bytes(row * HEIGHT, n))?;
                        add::enqueue(scope, space(row), &input, &mut output, n as u8)?;
                        in_flight.push_back((n, output.enqueue_read(scope)?));
                        if in_flight.len() > 3 {
                            in_flight.pop_front().into_iter().for_each(check);
                        }
                    }
                    Ok::<_, Error>(())
                })
                .unwrap();
            // The others complete after the scope, when their surfaces no longer exist.
            drop((input, output));
            assert_eq!(in_flight.len(), 3);
            in_flight.into_iter().rev().for_each(check);
        }
    }
}

#[test]
fn all_planes_are_copied() {
    for device in surface_devices(2) {
        for format in [Format::Nv12, Format::P010, Format::Yv12, Format::I420] {
            let bytes = noise::bytes(WIDTH * HEIGHT * 3 / 2 * format.texel_bytes(), 1);
            let mut surface = Surface2D::new(&device, format, WIDTH, HEIGHT).unwrap();
            let download = device.scope(|scope| {
                surface.enqueue_write(scope, &bytes)?;
                surface.enqueue_read(scope)
            });
            let download = download.unwrap();
            assert_eq!(download.to_vec().unwrap(), bytes, "{} {format}", device.name());
            assert_eq!(surface.to_vec().unwrap(), bytes, "{} {format}", device.name());
            let error = download.read_into(&mut vec![0; bytes.len() - 1]).unwrap_err();
            assert!(matches!(error, Error::WrongLength { .. }), "{error}");
        }
    }
}

#[test]
fn buffers_are_copied_in_order() {
    for device in devices(2) {
        let mut buffer = Buffer::<f32>::new(&device, 32).unwrap();
        let threads = ThreadSpace::new(2, 1).unwrap();
        let downloads = device.scope(|scope| {
            let mut downloads = vec![buffer.enqueue_read(scope)?];
            for n in 0..40 {
                buffer.enqueue_write(scope, &[n as f32; 32])?;
                raise::enqueue(scope, threads, &mut buffer, 0.5)?;
                downloads.push(buffer.enqueue_read(scope)?);
            }
            Ok::<_, Error>(downloads)
        });
        let downloads = downloads.unwrap();
        assert_eq!(downloads[0].to_vec().unwrap(), [0.0; 32]);
        for (n, download) in downloads[1..].iter().enumerate() {
            assert_eq!(download.to_vec().unwrap(), [n as f32 + 0.5; 32], "{}", device.name());
        }
        let error = downloads[0].read_into(&mut [0.0; 31]).unwrap_err();
        assert!(matches!(error, Error::BufferLength { expected: 32, found: 31 }), "{error}");
    }
}

#[test]
fn launches_of_a_scope_tell_their_times() {
    for device in devices(2) {
        let mut surfaces = [(); 2].map(|()| Surface2D::new(&device, Format::R8, WIDTH, HEIGHT).unwrap());
        let [a, b] = &mut surfaces;
        let launches = device.scope(|scope| {
            let mut launches = vec![];
            for n in 0..40 {
                launches.push(add::enqueue(scope, space(WIDTH), a, b, n)?);
            }
            // Wait in the middle, and again after the scope.
            launches[3].wait()?;
            Ok::<_, Error>(launches)
        });
        let launches = launches.unwrap();
        drop(surfaces);
        let events = launches.iter().map(|launch| launch.wait().unwrap()).collect::<Vec<_>>();
        let on_gpu = device.name() != Device::cpu_with_threads(2).unwrap().name();
        assert!(events.iter().all(|event| (event.workers() == 0) == on_gpu), "{}", device.name());
        assert!(events.iter().all(|event| !event.elapsed().is_zero()), "{}", device.name());
        assert_eq!(launches[3].wait().unwrap().elapsed(), events[3].elapsed(), "it does not change");
    }
}

#[test]
fn copies_of_another_device_are_refused() {
    let cpu = Device::cpu_with_threads(1).unwrap();
    let Some(gpu) = level_zero() else { return };
    for (device, other) in [(&cpu, gpu), (gpu, &cpu)] {
        let mut surface = Surface2D::new(device, Format::R8, 4, 1).unwrap();
        let mut buffer = Buffer::<u8>::new(device, 4).unwrap();
        let refused = |result: cm::Result<()>| {
            let error = result.unwrap_err();
            assert!(matches!(error, Error::ScopeDevice { .. }), "{error}");
            assert!(error.to_string().contains(other.name()), "{error}");
        };
        refused(other.scope(|scope| surface.enqueue_write(scope, &[1; 4])));
        refused(other.scope(|scope| surface.enqueue_read(scope).map(drop)));
        refused(other.scope(|scope| buffer.enqueue_write(scope, &[1; 4])));
        refused(other.scope(|scope| buffer.enqueue_read(scope).map(drop)));
        assert_eq!((surface.to_vec().unwrap(), buffer.to_vec().unwrap()), (vec![0; 4], vec![0; 4]));
        // A wrong length is also an immediate error.
        let error = device.scope(|scope| surface.enqueue_write(scope, &[1; 5])).unwrap_err();
        assert!(matches!(error, Error::WrongLength { expected: 4, found: 5, .. }), "{error}");
    }
}

/// Works on buffers and on surfaces in buffers, with six launches.
#[test]
#[ignore = "`copies_of_host_memory_are_no_commands` runs it in another process"]
fn six_launches() {
    let Some(device) = level_zero() else { return };
    let threads = ThreadSpace::new(2, 1).unwrap();
    let mut buffer = Buffer::from_slice(device, &[1.0f32; 33]).unwrap();
    let mut zeros = Buffer::<f32>::new(device, 33).unwrap();
    for n in 0..2 {
        raise::launch(device, threads, &mut buffer, 0.5).unwrap();
        raise::launch(device, threads, &mut zeros, 0.5).unwrap();
        assert_eq!(buffer.to_vec().unwrap()[..32], [1.5 + n as f32 * 8.0; 32]);
        assert_eq!(zeros.to_vec().unwrap()[..32], [0.5 + n as f32 * 0.5; 32]);
        buffer.write_slice(&[9.0; 33]).unwrap();
    }
    let device = device.with_surfaces_in_buffers();
    let bytes = noise::bytes(WIDTH * HEIGHT, 0);
    let mut surfaces =
        [(); 3].map(|()| Surface2D::from_bytes(&device, Format::R8, WIDTH, HEIGHT, &bytes).unwrap());
    let [a, b, c] = &mut surfaces;
    a.write_rect(3, 1, 1, 1, &[7]).unwrap();
    let expected = plus(&a.to_vec().unwrap(), 1);
    add::launch(&device, space(WIDTH), a, b, 1).unwrap();
    let download = device.scope(|scope| {
        c.enqueue_write(scope, &bytes)?;
        add::enqueue(scope, space(WIDTH), a, c, 1)?;
        b.enqueue_read(scope)
    });
    assert_eq!(download.unwrap().to_vec().unwrap(), expected);
    assert_eq!(c.to_vec().unwrap(), expected);
}

/// On GPUs without memory of their own, the host copies the bytes of buffers itself. The simulated GPU counts the
/// launches of the driver, which copies with kernels or with batches of commands.
#[test]
fn copies_of_host_memory_are_no_commands() {
    if level_zero().is_none() || std::env::var_os("CM_SIMULATOR").is_none() {
        eprintln!("skipped: only the simulated GPU counts its commands");
        return;
    }
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "copies::six_launches", "--ignored", "--test-threads=1"]);
    command.env("CM_SIMULATOR_STATS", "1").env("CM_SIMULATOR_LOG_FILE", log.path());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let log = std::fs::read_to_string(log.path()).unwrap();
    let before = |word: &str| {
        let words: Vec<&str> = log.split_whitespace().collect();
        let n = words.iter().position(|found| found.starts_with(word)).unwrap_or_else(|| panic!("{log}"));
        words[n - 1].parse::<usize>().unwrap()
    };
    let (batches, walkers) = (before("batches"), before("walkers"));
    println!("{batches} batches, {walkers} walkers");
    // Arc A770 has its own memory.
    let discrete = std::env::var("CM_SIMULATOR_DEVICE").is_ok_and(|id| id == "0x56a0");
    assert_eq!(walkers == 6, !discrete, "{batches} batches, {walkers} walkers");
}
