//! Errors: the variant, and a message that says what to do.

use cm::prelude::*;
use cm::{Device, Error, Format, Surface2D, ThreadSpace};
use cm_test_support::spaces::one;

fn device() -> Device {
    Device::cpu_with_threads(1).expect("a device")
}

#[test]
fn sizes_of_surfaces() {
    let device = &device();
    for (width, height) in [(0, 1), (1, 0), (0, 0), (0, usize::MAX)] {
        let size = format!("{width} x {height}");
        fails!(
            Surface2D::new(device, Format::R8, width, height),
            Error::EmptySurface { .. },
            &size,
            "at least 1"
        );
        fails!(
            Surface2D::from_bytes(device, Format::R32, width, height, &[]),
            Error::EmptySurface { .. },
            &size
        );
    }
    let limit = i32::MAX as usize;
    for (format, width, height) in [
        (Format::R8, limit + 1, 1),
        (Format::R16, limit / 2 + 1, 1),
        (Format::R32, limit / 4 + 1, 1),
        (Format::R8, 1, limit + 1),
        (Format::R8, usize::MAX, usize::MAX),
        (Format::R32F, usize::MAX / 4 + 1, 1),
        (Format::R32F, usize::MAX, 1),
        (Format::Yuyv, usize::MAX - 1, 3),
    ] {
        let size = format!("{width} x {height}");
        let name = format.to_string();
        fails!(
            Surface2D::new(device, format, width, height),
            Error::SurfaceTooLarge { .. },
            &size,
            &name,
            "2147483647"
        );
        fails!(
            Surface2D::from_bytes(device, format, width, height, &[1]),
            Error::SurfaceTooLarge { .. },
            &size
        );
    }
    // Legal coordinates, but too much memory for any machine.
    fails!(
        Surface2D::new(device, Format::R8, limit, limit),
        Error::OutOfMemory { .. },
        "4611686014132420609",
        "smaller"
    );
    // The length is checked before memory is allocated.
    fails!(
        Surface2D::from_bytes(device, Format::R8, limit, limit, &[1]),
        Error::WrongLength { .. },
        "1 bytes"
    );
}

#[test]
fn packed_yuv_has_pairs() {
    let device = &device();
    for format in [Format::Yuyv, Format::Uyvy] {
        for width in [1, 3, 101] {
            let (name, texels) = (format.to_string(), format!("{width} wide"));
            fails!(Surface2D::new(device, format, width, 2), Error::OddWidth { .. }, &name, &texels, "even");
        }
        assert_eq!(Surface2D::new(device, format, 2, 1).expect("a pair").to_vec().expect("bytes").len(), 4);
    }
    assert!(Surface2D::new(device, Format::R16, 3, 1).is_ok(), "words that are not YUV have no pairs");
}

#[test]
fn lengths_of_bytes() {
    let device = &device();
    for (format, width, height, expected) in [
        (Format::R8, 5, 3, 15),
        (Format::R16, 5, 3, 30),
        (Format::R32, 5, 3, 60),
        (Format::R32F, 1, 1, 4),
        (Format::Rgba8, 2, 2, 16),
        (Format::Bgra8, 3, 1, 12),
        (Format::Yuyv, 4, 2, 16),
        (Format::Uyvy, 2, 5, 20),
    ] {
        let bytes: Vec<u8> = (0..100).collect();
        for found in [0, expected - 1, expected + 1, 100] {
            let (name, counts) =
                (format.to_string(), format!("{found} bytes for a surface that takes {expected}"));
            fails!(
                Surface2D::from_bytes(device, format, width, height, &bytes[..found]),
                Error::WrongLength { .. },
                &name,
                &counts,
                "without padding"
            );
        }
        let mut surface =
            Surface2D::from_bytes(device, format, width, height, &bytes[..expected]).expect("a surface");
        assert_eq!((surface.width(), surface.height(), surface.format()), (width, height, format));
        for found in [0, expected - 1, expected + 1] {
            fails!(surface.write_bytes(&bytes[..found]), Error::WrongLength { .. }, &expected.to_string());
        }
        assert_eq!(surface.to_vec().expect("bytes"), bytes[..expected], "a failed write changes nothing");
        surface.write_bytes(&bytes[7..7 + expected]).expect("as many bytes");
        assert_eq!(surface.to_vec().expect("bytes"), bytes[7..7 + expected]);
        let zero = Surface2D::new(device, format, width, height).expect("a surface");
        assert_eq!(zero.to_vec().expect("bytes"), vec![0; expected]);
    }
}

#[test]
fn thread_spaces() {
    for (width, height) in [(0, 1), (1, 0), (0, 0), (2048, 1), (1, 2048), (usize::MAX, 1), (5, usize::MAX)] {
        let size = format!("{width} x {height}");
        let rule = if width == 0 || height == 0 { "at least 1" } else { "2047" };
        fails!(ThreadSpace::new(width, height), Error::ThreadSpace { .. }, &size, rule);
    }
    for (width, height) in [(1, 1), (2047, 2047), (1, 2047), (2047, 1)] {
        let space = ThreadSpace::new(width, height).expect("a thread space");
        assert_eq!((space.width(), space.height()), (width, height));
    }
}

#[test]
fn devices() {
    for threads in [0, Device::MAX_THREADS + 1, usize::MAX] {
        fails!(
            Device::cpu_with_threads(threads),
            Error::ThreadCount { .. },
            &threads.to_string(),
            "1 to 1024"
        );
    }
    if Device::level_zero().is_err() {
        fails!(Device::level_zero(), Error::LevelZero(_), "Level Zero", "CM_DEVICE=cpu");
    }
    let one = Device::cpu_with_threads(1).expect("a device");
    assert!(one.name().starts_with("CPU (") && one.name().contains("1 thread"), "{}", one.name());
    assert!(!one.name().contains("threads"), "{}", one.name());
    let three = Device::cpu_with_threads(3).expect("a device");
    assert!(three.name().contains("3 threads"), "{}", three.name());
    assert!(format!("{three:?}").contains(three.name()));
}

/// Above the kernels; line numbers are relative to this one.
const HERE: u32 = line!();

#[kernel]
fn odd_column(input: &Surface2D, output: &mut Surface2D) {
    let x = thread_origin_x();
    let block = input.read::<u8, 1, 4>(x * 3, 0);
    output.write(x * 4, 0, &block);
}

#[kernel]
fn second_word(input: &Surface2D, output: &mut Surface2D) {
    let first = input.read::<u8, 1, 4>(4, 0);
    let second = input.read::<u8, 1, 4>(2, 0);
    output.write(0, 0, &first);
    output.write(0, 1, &second);
}

#[kernel]
fn unaligned_write(output: &mut Surface2D) {
    output.write(thread_origin_x() * 4 + 2, 0, &Vector::<u8, 4>::splat(1));
}

#[kernel]
fn any_column(input: &Surface2D, output: &mut Surface2D, x: i32) {
    output.write(0, 0, &input.read::<u8, 1, 4>(x, 0));
}

#[test]
fn columns_that_are_not_texels() {
    let device = &device();
    let bytes: Vec<u8> = (0..64).collect();
    let surface = |format: Format| {
        Surface2D::from_bytes(device, format, 32 / format.texel_bytes(), 2, &bytes).expect("a surface")
    };
    let mut output = surface(Format::R8);
    // Bytes need no alignment.
    assert!(odd_column::launch(device, one(), &surface(Format::R8), &mut output).is_ok());
    assert!(second_word::launch(device, one(), &surface(Format::R16), &mut output).is_ok());
    for (format, alignment) in [
        (Format::R16, 2),
        (Format::R32, 4),
        (Format::R32F, 4),
        (Format::Rgba8, 4),
        (Format::Bgra8, 4),
        (Format::Yuyv, 4),
        (Format::Uyvy, 4),
    ] {
        let name = format!("surface of format {format}");
        let multiples = format!("multiples of {alignment}");
        let line = format!("line {} of ", HERE + 5);
        fails!(
            odd_column::launch(device, one(), &surface(format), &mut output),
            Error::ArgumentFormat { kernel: "odd_column", argument: "input", .. },
            "`input`",
            "`odd_column`",
            &name,
            &multiples,
            &line,
            "errors.rs",
            "whole texels"
        );
        if alignment == 4 {
            // The first read is legal, the second is not.
            let line = format!("line {} of ", HERE + 12);
            fails!(
                second_word::launch(device, one(), &surface(format), &mut output),
                Error::ArgumentFormat { argument: "input", alignment: 4, .. },
                &name,
                &line
            );
        }
        // A column that depends on data is not an error, and no byte outside is read.
        for x in [-5, -1, 1, 2, 3, 29, 30, 31, 33] {
            let mut output = surface(Format::R8);
            assert!(
                any_column::launch(device, one(), &surface(format), &mut output, x).is_ok(),
                "{format} at {x}"
            );
        }
    }
    // A written surface must also match its format.
    let mut words = surface(Format::R16);
    assert!(
        odd_column::launch(device, one(), &surface(Format::R8), &mut words).is_ok(),
        "dwords are whole words"
    );
}

#[test]
fn writes_that_are_not_dwords() {
    let device = &device();
    let mut output = Surface2D::new(device, Format::R8, 32, 1).expect("a surface");
    let line = format!("errors.rs:{}:", HERE + 19);
    fails!(
        unaligned_write::launch(device, one(), &mut output),
        Error::Record(_),
        "`unaligned_write`",
        &line,
        "multiple of 4"
    );
    assert_eq!(output.to_vec().expect("bytes"), [0; 32], "nothing ran");
}

/// Errors can be sent between threads, and boxed.
#[test]
fn errors_are_ordinary_errors() {
    fn ordinary<E: std::error::Error + Send + Sync + 'static>() {}
    ordinary::<Error>();
}

#[test]
fn rectangles_have_pairs_of_texels_only_in_yuv() {
    let device = &device();
    let small = |format| Surface2D::new(device, format, 8, 4).unwrap();
    fails!(small(Format::Yuyv).read_rect(1, 0, 2, 1), Error::Rectangle { .. }, "whole pairs", "chroma");
    let message = fails!(small(Format::R8).read_rect(7, 0, 2, 1), Error::Rectangle { .. }, "lie inside");
    assert!(!message.contains("chroma"), "{message}");
}
