//! Runs the example `linear` as a program, and compares with an independent scalar filter.

mod desk;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod unix;

use std::fs;
use std::path::Path;

use cm_test_support::devices::level_zero;
use cm_test_support::noise::byte;
use cm_test_support::programs::example;
use image::{DynamicImage, GrayImage, ImageBuffer, ImageFormat, Luma, Rgb, RgbImage, RgbaImage};

use desk::{Desk, colours, error_text, scalar};

#[test]
fn without_arguments_the_test_card_is_filtered() {
    let desk = Desk::new();
    let text = desk.run(&[]);
    assert!(
        text.contains("device: ") && text.contains("linear.png") && text.contains("megapixels/s"),
        "{text}"
    );
    assert_eq!(desk.names("."), ["linear.png"]);
    let first = fs::read(desk.path("linear.png")).expect("the output");
    desk.run(&["--compare"]);
    assert_eq!(desk.names("."), ["linear-compare.png", "linear.png"]);
    assert_eq!(fs::read(desk.path("linear.png")).expect("the output"), first);
    let card = desk.get("linear-compare.png").crop_imm(0, 0, 480, 270);
    assert_eq!(desk.get("linear.png"), scalar(&card).into());
}

#[test]
fn every_kernel_computes_the_scalar_filter() {
    let desk = Desk::new();
    for (width, height) in [(1, 1), (2, 7), (8, 6), (37, 29), (64, 48)] {
        let expected = scalar(&desk.put("in.png", colours(width, height)));
        for kernel in ["linear", "linear1d2", "linearslide", "linearslide2"] {
            desk.run(&["in.png", "out.png", "--kernel", kernel]);
            assert_eq!(desk.get("out.png"), expected.clone().into(), "{kernel}, {width} x {height}");
        }
    }
}

#[test]
fn every_kind_of_pixel_is_understood() {
    let desk = Desk::new();
    let grey = desk.put("in.png", GrayImage::from_fn(9, 5, |x, y| Luma([byte((x + 9 * y) as usize)])));
    desk.run(&["in.png", "out.png"]);
    assert_eq!(desk.get("out.png"), scalar(&grey).into());

    let rgba = RgbaImage::from_fn(9, 5, |x, y| {
        image::Rgba([0, 1, 2, 3].map(|c| byte((x * 4 + y * 36 + c) as usize)))
    });
    let filtered = scalar(&desk.put("in.png", rgba.clone()));
    desk.run(&["in.png", "out.png"]);
    for (x, y, pixel) in desk.get("out.png").as_rgba8().expect("alpha").enumerate_pixels() {
        let [red, green, blue] = filtered.get_pixel(x, y).0;
        assert_eq!(pixel.0, [red, green, blue, rgba.get_pixel(x, y)[3]]);
    }
    let text = desk.run(&["in.png", "out.jpg"]);
    assert!(text.contains("note: ") && text.contains("alpha"), "{text}");

    let deep =
        ImageBuffer::from_fn(9, 5, |x, y| Rgb([0, 1, 2].map(|c| (x * 7001 + y * 901 + c * 13) as u16)));
    let deep = desk.put("in.png", DynamicImage::ImageRgb16(deep));
    let text = desk.run(&["in.png", "out.png"]);
    assert!(text.contains("note: ") && text.contains("16 bits"), "{text}");
    assert_eq!(desk.get("out.png"), scalar(&deep).into());

    fs::write(desk.path("in.png"), PALETTE_PNG).expect("the file is written");
    desk.run(&["in.png", "out.png"]);
    let palette = [[200, 10, 20], [30, 220, 40], [50, 60, 240]];
    let pixels = [0, 1, 2, 2, 0, 1].into_iter().flat_map(|index: usize| palette[index]).collect();
    let image = RgbImage::from_raw(3, 2, pixels).expect("six pixels");
    assert_eq!(desk.get("out.png"), scalar(&image.into()).into());
}

/// 3 x 2 pixels, 2 bits each: 0 1 2, 2 0 1.
const PALETTE_PNG: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x03\x00\x00\x00\x02\x02\x03\x00\x00\x00\xe0\x1a\x8e\x89\
    \x00\x00\x00\x09PLTE\xc8\x0a\x14\x1e\xdc(2<\xf0{\xd3\x20\xfa\
    \x00\x00\x00\x0cIDATx\x9cc\x90`h\x01\x00\x00\xd0\x00\x9d\xebk$\x8e\
    \x00\x00\x00\x00IEND\xaeB`\x82";

#[test]
fn content_decides_how_to_read_and_the_extension_how_to_write() {
    let desk = Desk::new();
    desk.put("in.jpg", colours(33, 17));
    let decoded = desk.get("in.jpg");
    desk.run(&["in.jpg", "out.PNG"]);
    assert_eq!(desk.get("out.PNG"), scalar(&decoded).into());
    fs::rename(desk.path("out.PNG"), desk.path("really-a-png.jpeg")).expect("the file is renamed");
    desk.run(&["really-a-png.jpeg", "out.jpeg"]);
    let bytes = fs::read(desk.path("out.jpeg")).expect("the output");
    assert_eq!(image::guess_format(&bytes).ok(), Some(ImageFormat::Jpeg));
}

#[test]
fn a_photograph_is_filtered_as_it_is_looked_at() {
    let desk = Desk::new();
    desk.put("plain.jpg", colours(40, 24));
    let plain = fs::read(desk.path("plain.jpg")).unwrap();
    // After the start of the image: an Exif segment with one entry, which says that the camera was rotated
    // (orientation 6).
    let exif = b"\xff\xe1\x00\x22Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    fs::write(desk.path("turned.jpg"), [&plain[..2], exif, &plain[2..]].concat()).unwrap();
    desk.run(&["turned.jpg", "out.png"]);
    let upright = DynamicImage::ImageRgb8(desk.get("plain.jpg").into_rgb8()).rotate90();
    assert_eq!(desk.get("out.png").into_rgb8(), scalar(&upright));
}

#[test]
fn the_input_is_replaced_only_when_asked() {
    let desk = Desk::new();
    let before = desk.put("a.png", colours(20, 20));
    let refused = desk.fail(&["a.png", "./a.png"]);
    assert!(refused.contains("--in-place"), "{refused}");
    assert_eq!(desk.get("a.png"), before);
    desk.run(&["a.png", "a.png", "--in-place"]);
    assert_eq!(desk.get("a.png"), scalar(&before).into());
    assert_eq!(desk.names("."), ["a.png"]);
    // As the target of a comparison, and as a folder.
    assert!(desk.fail(&["a.png", "b.png", "--compare=a.png"]).contains("--in-place"));
    assert!(desk.fail(&[".", "."]).contains("--in-place"));
    desk.run(&[".", ".", "--in-place"]);
    assert_eq!(desk.names("."), ["a.png"]);
}

#[test]
fn output_folders_are_made() {
    let desk = Desk::new();
    let before = desk.put("in.png", colours(9, 7));
    desk.run(&["in.png", "new/deep/out.png"]);
    assert_eq!(desk.get("new/deep/out.png"), scalar(&before).into());
    fs::create_dir(desk.path("in")).expect("a folder");
    desk.put("in/a.png", colours(9, 7));
    desk.run(&["in", "out/of/it"]);
    assert_eq!(desk.names("out/of/it"), ["a.png"]);
    // With a bad input, no folder is created.
    desk.fail(&["missing.png", "not/made.png"]);
    assert!(!desk.path("not").exists());
}

#[test]
fn bad_input_is_an_error_without_output() {
    let desk = Desk::new();
    for name in ["whole.png", "whole.jpg"] {
        desk.put(name, colours(64, 64));
    }
    let (png, jpeg) = (fs::read(desk.path("whole.png")), fs::read(desk.path("whole.jpg")));
    let (png, jpeg) = (png.expect("written above"), jpeg.expect("written above"));
    fs::write(desk.path("old.png"), &png).expect("the file is written");
    let mut flipped = png.clone();
    flipped[png.len() / 2] ^= 0x55;
    let files: [(&[u8], &str); 7] = [
        (&png[..png.len() / 2], ""),
        (&png[..20], ""),
        (&flipped, ""),
        (&jpeg[..jpeg.len() / 2], "break off"),
        (b"", "empty"),
        (b"Lorem ipsum dolor sit amet", "neither a PNG nor a JPEG"),
        (b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00", "neither a PNG nor a JPEG"),
    ];
    for (bytes, message) in files {
        fs::write(desk.path("bad.png"), bytes).expect("the file is written");
        for output in ["out.png", "old.png"] {
            let error = desk.fail(&["bad.png", output]);
            assert!(error.contains("bad.png") && error.contains(message), "{error}");
        }
    }
    let error = desk.fail(&["missing.png", "out.png"]);
    assert!(error.contains("missing.png") && error.contains("No such file") || cfg!(windows), "{error}");
    assert_eq!(fs::read(desk.path("old.png")).expect("the old file"), png);
    assert_eq!(desk.names("."), ["bad.png", "old.png", "whole.jpg", "whole.png"]);
}

#[test]
fn an_image_beyond_the_thread_space_is_refused() {
    let desk = Desk::new();
    for (width, height) in [(16_377, 1), (1, 12_283)] {
        desk.put("in.png", colours(width, height));
        let error = desk.fail(&["in.png", "out.png"]);
        assert!(error.contains("16376 x 12282"), "{error}");
    }
}

/// A PNG whose header states this size, without anything else.
fn header(width: u32, height: u32, bits: u8, colour: u8) -> Vec<u8> {
    let mut chunk = b"IHDR".to_vec();
    chunk.extend(width.to_be_bytes());
    chunk.extend(height.to_be_bytes());
    chunk.extend([bits, colour, 0, 0, 0]);
    let mut crc = !0_u32;
    for byte in &chunk {
        crc ^= u32::from(*byte);
        (0..8).for_each(|_| crc = (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 });
    }
    [b"\x89PNG\r\n\x1a\n\0\0\0\r".as_slice(), &chunk, &(!crc).to_be_bytes(), b"\0\0\0\0IDAT"].concat()
}

/// The program spends no memory or time on the size that the header states.
#[test]
fn huge_headers_are_refused_at_once() {
    let desk = Desk::new();
    for (width, height) in [(65_536, 65_536), (1 << 31, 1), (1, u32::MAX >> 1), (40_000, 40_000)] {
        fs::write(desk.path("huge.png"), header(width, height, 16, 6)).expect("the file is written");
        let error = desk.fail(&["huge.png", "out.png"]);
        assert!(error.contains("huge.png"), "{error}");
        assert!(error.contains("16376 x 12282") || error.contains("memory"), "{width} x {height}: {error}");
    }
    // A JPEG of 65535 x 65535: the start, the frame header, the end.
    let frame =
        b"\xff\xd8\xff\xc0\0\x11\x08\xff\xff\xff\xff\x03\x01\x11\0\x02\x11\0\x03\x11\0\xff\xda\0\x0c\x03\
        \x01\0\x02\0\x03\0\0\x3f\0\xff\xd9";
    fs::write(desk.path("huge.jpg"), frame).expect("the file is written");
    assert!(desk.fail(&["huge.jpg", "out.png"]).contains("huge.jpg"));
    assert!(!desk.path("out.png").exists());
}

#[test]
fn bad_targets_are_refused_before_any_work() {
    let desk = Desk::new();
    fs::create_dir(desk.path("folder.png")).expect("a folder");
    fs::write(desk.path("in.txt"), "").expect("the file is written");
    // The input is also missing, but the message must be about the output.
    for (output, message) in [
        ("out.gif", ".gif"),
        ("out", ".png, .jpg or .jpeg"),
        ("in.txt/out.png", "not a folder"),
        ("folder.png", "not a file"),
    ] {
        let error = desk.fail(&["missing.png", output]);
        assert!(error.contains(message) && !error.contains("missing.png"), "{error}");
        let error = desk.fail(&[&format!("--compare={output}")]);
        assert!(error.contains(message), "{error}");
    }
    desk.put("in.png", colours(4, 4));
    assert!(desk.fail(&["in.png", "out.png", "--compare=./out.png"]).contains("one file"));
    assert_eq!(desk.names("."), ["folder.png", "in.png", "in.txt"]);
}

#[test]
fn wrong_usage_is_refused() {
    let desk = Desk::new();
    desk.put("in.png", colours(4, 4));
    assert!(desk.misuse(&["in.png"]).contains("OUTPUT"));
    assert!(desk.misuse(&["--repeat", "0"]).contains("--repeat"));
    assert!(desk.misuse(&["--kernel", "sepia"]).contains("linearslide2"));
    assert!(desk.misuse(&["--device", "tpu"]).contains("level-zero"));
    desk.misuse(&["--compare="]);
    assert_eq!(desk.names("."), ["in.png"]);
}

#[test]
fn devices_are_listed() {
    let desk = Desk::new();
    let text = desk.run(&["--list-devices"]);
    assert!(text.starts_with("cpu           CPU ("), "{text}");
    assert!(text.contains("level-zero    ") || text.contains("no Level Zero"), "{text}");
    assert!(desk.names(".").is_empty(), "no image was asked for");
}

/// The output file does not depend on the device.
#[test]
fn a_gpu_gives_the_file_of_the_cpu() {
    let Some(gpu) = level_zero() else { return };
    let desk = Desk::new();
    assert!(desk.run(&["--list-devices"]).contains(gpu.name()));
    for (width, height) in [(61, 23), (64, 24), (1, 1)] {
        desk.put(
            "in.png",
            RgbImage::from_fn(width, height, |x, y| Rgb([(x * 7) as u8, (y * 9) as u8, (x * y) as u8])),
        );
        for kernel in ["linear", "linear1d2", "linearslide", "linearslide2"] {
            for device in ["cpu", "level-zero"] {
                let text =
                    desk.run(&["in.png", &format!("{device}.png"), "--device", device, "--kernel", kernel]);
                assert!(text.contains(if device == "cpu" { "device: CPU" } else { gpu.name() }), "{text}");
            }
            let [cpu, gpu] =
                ["cpu.png", "level-zero.png"].map(|name| fs::read(desk.path(name)).expect("a file"));
            assert!(cpu == gpu, "{kernel}, {width} x {height}");
        }
    }
}

/// `CM_COMPILER`: another process compiles the kernels, and its crash is an error.
#[cfg(unix)]
#[test]
fn kernels_are_compiled_by_another_process() {
    use std::os::unix::fs::PermissionsExt;

    if level_zero().is_none() {
        return;
    }
    let desk = Desk::new();
    let expected = scalar(&desk.put("in.png", colours(16, 12)));
    let run = |compiler: &Path| {
        let mut command = desk.command(&["in.png", "out.png", "--device", "level-zero"]);
        command.env("CM_COMPILER", compiler).env("CM_CACHE", desk.path("cache"));
        command.output().expect("the program starts")
    };
    let crashing = desk.path("crashing");
    fs::write(&crashing, "#!/bin/sh\ncat > /dev/null\nkill -SEGV $$\n").expect("the file is written");
    fs::set_permissions(&crashing, fs::Permissions::from_mode(0o755)).expect("permissions");
    let output = run(&crashing);
    let error = error_text(&output);
    assert!(output.status.code() == Some(1) && error.contains("crashed on kernel `linear1d2`"), "{output:?}");
    assert!(error.contains("SIGSEGV") && !desk.path("out.png").exists(), "{error}");
    let error = error_text(&run(Path::new("/not/there")));
    assert!(error.contains("CM_COMPILER names /not/there, which cannot be started"), "{error}");

    let output = run(&example("compile"));
    assert!(output.status.success(), "{output:?}");
    assert_eq!(desk.get("out.png"), expected.clone().into());
    // Kernels come from the cache, without the program.
    let compiled = desk.names("cache");
    assert!(!compiled.is_empty());
    fs::remove_file(desk.path("out.png")).expect("it is there");
    assert!(run(&crashing).status.success());
    assert_eq!(desk.get("out.png"), expected.into());
    assert_eq!(desk.names("cache"), compiled);
}

#[test]
fn passes_are_timed() {
    let desk = Desk::new();
    let text = desk.run(&["--device", "cpu", "--repeat", "5"]);
    assert!(text.contains("5 warm passes, min ") && text.contains(" ms, median "), "{text}");
    assert!(desk.run(&["--repeat", "1"]).contains(": 480 x 270, warm pass "));
}

#[test]
fn a_kernel_shows_what_it_becomes() {
    let desk = Desk::new();
    for kernel in ["linear", "linear1d2", "linearslide", "linearslide2"] {
        let said = desk.run(&["--kernel", kernel, "--registers=chart.svg"]);
        assert!(said.contains(&format!("kernel `{kernel}`: at most")) && said.contains("<- peak"), "{said}");
        let chart = fs::read_to_string(desk.path("chart.svg")).unwrap();
        assert!(chart.starts_with("<svg") && chart.ends_with("</svg>\n"), "{chart}");

        desk.run(&["--kernel", kernel, "--emit", "ir", "kernel.ir"]);
        let text = fs::read_to_string(desk.path("kernel.ir")).unwrap();
        assert_eq!(cm::text::parse(&text).unwrap().name, kernel);

        desk.run(&["--kernel", kernel, "--target", "xe-hpc", "--emit", "spirv", "kernel.spv"]);
        let module = fs::read(desk.path("kernel.spv")).unwrap();
        assert_eq!(module[..4], 0x0723_0203u32.to_le_bytes(), "the magic number of SPIR-V");
    }
    assert_eq!(desk.names(""), ["chart.svg", "kernel.ir", "kernel.spv"], "no image was asked for");
    assert!(desk.fail(&["--emit", "bitcode", "file"]).contains("expected ir, spirv or isa"));
}

#[test]
fn the_comparison_shows_before_and_after() {
    let desk = Desk::new();
    let before = desk.put("in.png", colours(10, 6));
    desk.run(&["in.png", "out.png", "--compare"]);
    desk.run(&["in.png", "out.png", "--compare=both.png"]);
    let both = desk.get("out-compare.png");
    assert_eq!((both.width(), both.height()), (23, 6));
    assert_eq!(both.crop_imm(0, 0, 10, 6), before);
    assert_eq!(both.crop_imm(13, 0, 10, 6), scalar(&before).into());
    assert_eq!(desk.get("both.png"), both);
}

#[test]
fn a_folder_is_filtered_in_spite_of_a_bad_file() {
    let desk = Desk::new();
    for folder in ["in", "out", "in/sub"] {
        fs::create_dir(desk.path(folder)).expect("a folder");
    }
    assert!(desk.fail(&["in", "out"]).contains("no PNG or JPEG"));
    let first = desk.put("in/a.png", colours(12, 9));
    desk.put("in/c.jpg", colours(12, 9));
    fs::copy(desk.path("in/a.png"), desk.path("in/no-extension")).expect("a copy");
    fs::write(desk.path("in/notes.txt"), "not an image").expect("the file is written");
    let text = desk.run(&["in", "out", "--compare"]);
    assert!(text.contains("3 of 3 images"), "{text}");

    fs::write(desk.path("in/b.png"), "broken").expect("the file is written");
    let output = desk.command(&["in", "out", "--compare"]).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), error_text(&output));
    assert!(text.contains("3 of 4 images"), "{text}");
    assert!(errors.contains("b.png") && errors.ends_with("error: 1 of 4 images failed\n"), "{errors}");
    assert_eq!(desk.get("out/a.png"), scalar(&first).into());
    let stems = ["a-compare.png", "a.png", "c-compare.jpg", "c.jpg"];
    let last = ["no-extension-compare.png", "no-extension.png"];
    assert_eq!(desk.names("out"), [&stems[..], &last[..]].concat());

    assert!(desk.fail(&["in", "out/a.png"]).contains("not a folder"));
    assert!(desk.fail(&["in", "out/a.png/more"]).contains("not a folder"));
    assert!(text.contains("first pass "), "{text}");
    assert!(desk.fail(&["in", "out", "--compare=x.png"]).contains("comparison of its own"));
}
