//! Each cause leads to its error, with the right message.

use cm_compiler::spirv::{LowerError, RegisterFile};
use level_zero_sys as ze;

use super::super::objects::Settings;
use super::super::{Mock, table};
use super::*;
use crate::error::LevelZeroError as E;
use crate::level_zero::devices::LevelZero;
use crate::level_zero::probe::{Node, Probe};
use crate::{Error, LevelZeroError};

/// Starts with these results of the search.
fn start_in(probe: Probe) -> E {
    let api = Box::leak(Box::new(table::api()));
    match LevelZero::start(api, || probe) {
        Ok(started) => panic!("{} devices", started.devices().len()),
        Err(error) => error,
    }
}

fn start(settings: Settings) -> E {
    Mock::new(settings);
    start_in(Probe::default())
}

#[track_caller]
fn level_zero<T: std::fmt::Debug>(result: Result<T>) -> LevelZeroError {
    match result {
        Err(Error::LevelZero(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn gpu_node(opens: std::result::Result<(), String>) -> Probe {
    let node = Node { path: "/dev/dri/renderD128".into(), vendor: Some(0x8086), opens };
    Probe { driver: Some(Ok("driver".to_owned())), nodes: vec![node] }
}

#[test]
fn no_driver_no_device_no_permission() {
    let none = || Settings { drivers: 0, ..Settings::default() };
    Mock::new(none());
    let missing = Probe { driver: Some(Err("not installed".to_owned())), nodes: vec![] };
    let detail = "not installed".to_owned();
    assert_eq!(start_in(missing), E::NoDriver { detail });
    let denied = E::NoPermission { node: "/dev/dri/renderD128".into(), reason: "denied".to_owned() };
    assert_eq!(start_in(gpu_node(Err("denied".to_owned()))), denied);
    assert!(matches!(start_in(gpu_node(Ok(()))), E::NoDevice { detail } if detail.contains("opens, but")));
    assert!(matches!(start(none()), E::NoDevice { .. }));
    assert!(matches!(start(Settings { devices: 0, ..Settings::default() }), E::NoDevice { .. }));
    let processor = Settings { device_type: ze::ZE_DEVICE_TYPE_CPU, ..Settings::default() };
    assert!(matches!(start(processor), E::NoDevice { .. }));
}

#[test]
fn a_loader_that_cannot_start_is_asked_no_more() {
    for (result, name) in [
        (ze::ZE_RESULT_ERROR_UNINITIALIZED, "ZE_RESULT_ERROR_UNINITIALIZED"),
        (ze::ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE, "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE"),
        (ze::ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, "ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS"),
    ] {
        let mock = Mock::new(Settings::default());
        mock.fail("zeInit", result);
        let error = start_in(gpu_node(Ok(())));
        assert!(matches!(&error, E::NoDevice { detail } if detail.contains(name)), "{error}");
        assert!(matches!(start_in(gpu_node(Err("denied".to_owned()))), E::NoPermission { .. }));
        assert_eq!(mock.model().calls, ["zeInit", "zeInit"]);
    }
    let mock = Mock::new(Settings::default());
    mock.fail("zeInit", ze::ZE_RESULT_ERROR_UNKNOWN);
    let name = "ZE_RESULT_ERROR_UNKNOWN".to_owned();
    let unknown = E::Call { call: "zeInit", name, code: 0x7fff_fffe };
    assert_eq!(start_in(gpu_node(Ok(()))), unknown);
}

#[test]
fn an_old_driver_is_told_by_its_version() {
    let error = start(Settings { version: 1 << 16 | 1, ..Settings::default() });
    assert_eq!(error, E::TooOld { missing: "version 1.2 of Level Zero (1.1)".to_owned() });
    let mock = Mock::new(Settings { version: 1 << 16 | 2, ..Settings::default() });
    assert_eq!(mock.device().name(), "made-up (Level Zero 1.2, Gen9 code)");
}

#[test]
fn devices_are_counted_over_all_drivers() {
    let mock = Mock::new(Settings { drivers: 2, devices: 2, ..Settings::default() });
    let started = mock.start(None).unwrap();
    assert_eq!(started.devices().len(), 4);
    assert_eq!(started.open(4).err(), Some(E::NoSuchDevice { index: 4, count: 4 }));
    started.open(3).unwrap();
    mock.assert_clean("opened");
}

/// A GPU that does not answer does not hide the other one of its driver; its error counts only without another one.
#[test]
fn a_gpu_that_cannot_be_asked_does_not_hide_others() {
    let questions = ["zeDeviceGetProperties", "zeDeviceGetImageProperties", "zeDeviceGetComputeProperties"];
    for question in questions {
        let start = |devices, fails| {
            let mock = Mock::new(Settings { devices, ..Settings::default() });
            mock.start(None).unwrap();
            let calls = mock.model().calls.clone();
            let asked = calls.iter().enumerate().filter(|(_, call)| **call == question).map(|(n, _)| n);
            let first = asked.clone().nth(fails).unwrap();
            let mock = Mock::new(Settings { devices, ..Settings::default() });
            mock.fail_after(first, ze::ZE_RESULT_ERROR_UNKNOWN);
            mock.start(None).map(|started| {
                started.open(devices as usize - 2).unwrap();
                started.devices().len()
            })
        };
        assert_eq!(start(3, 0), Ok(2), "{question}");
        assert_eq!(start(3, 1), Ok(2), "{question}");
        assert_eq!(start(3, 2), Ok(2), "{question}");
        let mock = Mock::new(Settings { devices: 2, ..Settings::default() });
        mock.fail(question, ze::ZE_RESULT_ERROR_UNKNOWN);
        assert!(matches!(mock.start(None), Err(E::Call { call, .. }) if call == question), "{question}");
    }
    // What is no GPU is not asked for its images.
    let processor = Settings { device_type: ze::ZE_DEVICE_TYPE_CPU, ..Settings::default() };
    let mock = Mock::new(processor);
    mock.fail("zeDeviceGetImageProperties", ze::ZE_RESULT_ERROR_UNKNOWN);
    assert!(matches!(mock.start(None), Err(E::NoDevice { .. })));
}

#[test]
fn surfaces_have_the_formats_and_sizes_of_images() {
    let made_up = || "made-up".to_owned();
    let mock = Mock::new(Settings { image_texels: 16, ..Settings::default() });
    let device = mock.device();
    for (format, width, height) in [
        (Format::R8, 17, 1),
        (Format::R8, 1, 17),
        (Format::R16, 17, 1),
        (Format::Rgba8, 17, 1),
        (Format::Yuyv, 34, 1),
    ] {
        let error = level_zero(Surface2D::new(&device, format, width, height));
        assert_eq!(error, E::SurfaceTooLarge { width, height, format, device: made_up(), limit: 16 });
    }
    for (format, width) in
        [(Format::R8, 16), (Format::R8, 13), (Format::R32F, 16), (Format::Bgra8, 16), (Format::Uyvy, 32)]
    {
        Surface2D::new(&device, format, width, 16).unwrap();
    }
    for result in [ze::ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT, ze::ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION]
    {
        mock.fail("zeImageCreate", result);
        let error = level_zero(Surface2D::new(&device, Format::R16, 4, 4));
        assert_eq!(error, E::Format { device: made_up(), format: Format::R16 });
    }
    drop(device);
    mock.assert_clean("refused surfaces");
}

#[test]
fn slices_are_images_of_three_dimensions() {
    let mock = Mock::new(Settings { image_texels: 64, slice_texels: 16, ..Settings::default() });
    let device = mock.device();
    for [width, height, depth] in [[17, 1, 1], [1, 17, 1], [1, 1, 17]] {
        let error = level_zero(Surface3D::new(&device, Format::R8, width, height, depth));
        let device = "made-up".to_owned();
        assert_eq!(error, E::Surface3dTooLarge { width, height, depth, device, limit: 16 });
    }
    let mut bytes: Vec<u8> = (0..3 * 5 * 16).collect();
    let mut cube = Surface3D::from_bytes(&device, Format::R8, 3, 5, 16, &bytes).unwrap();
    assert_eq!(cube.to_vec().unwrap(), bytes);
    assert_eq!(cube.read_box([1, 2, 3], [1, 2, 2]).unwrap(), [52, 55, 67, 70]);
    cube.write_box([0, 4, 15], [3, 1, 1], &[251, 252, 253]).unwrap();
    bytes[237..].copy_from_slice(&[251, 252, 253]);
    assert_eq!(cube.to_vec().unwrap(), bytes);
    Surface3D::new(&device, Format::R32F, 16, 16, 16).unwrap();
    drop((device, cube));
    mock.assert_clean("3-D surfaces");
}

#[test]
fn without_images_surfaces_are_in_buffers() {
    let mock = Mock::new(Settings { image_texels: 0, ..Settings::default() });
    let device = mock.device();
    assert!(
        device.has_surfaces_in_buffers() && device.name().contains("surfaces in buffers"),
        "{}",
        device.name()
    );
    let picture: Vec<u8> = (0..6 * 4 * 3 / 2).collect();
    let mut surface = Surface2D::from_bytes(&device, Format::Nv12, 6, 4, &picture).unwrap();
    assert_eq!(surface.to_vec().unwrap(), picture);
    surface.write_rect(2, 2, 2, 2, &[91, 92, 93, 94, 95, 96]).unwrap();
    assert_eq!(surface.read_rect(2, 2, 2, 2).unwrap(), [91, 92, 93, 94, 95, 96]);
    let mut expected = picture;
    for (at, byte) in [(14, 91), (15, 92), (20, 93), (21, 94), (32, 95), (33, 96)] {
        expected[at] = byte;
    }
    assert_eq!(surface.to_vec().unwrap(), expected);
    let too_large = Surface2D::new(&device, Format::R8, 1 << 20, 1 << 12).unwrap_err();
    assert!(matches!(too_large, Error::SurfaceInBuffer { bytes: 0x1_0000_0000, .. }), "{too_large:?}");
    for (width, height) in [((1 << 23) + 1, 1), (1, (1 << 23) + 1)] {
        let too_long = Surface2D::new(&device, Format::R8, width, height).unwrap_err();
        assert!(matches!(too_long, Error::SurfaceTooLarge { limit: 0x80_0000, .. }), "{too_long:?}");
    }
    drop((device, surface));
    mock.assert_clean("surfaces in buffers");

    let mock = Mock::new(Settings::default());
    let images = mock.device();
    assert!(!images.has_surfaces_in_buffers() && !images.name().contains("surfaces in buffers"));
    let buffers = images.with_surfaces_in_buffers();
    assert!(buffers.has_surfaces_in_buffers() && buffers.name().ends_with(", surfaces in buffers)"));
    let (a, mut b) = (surface_on(&images), surface_on(&buffers));
    let error = level_zero(step(&images, &a, &mut b, 1));
    assert_eq!(error, E::MixedSurfaces { kernel: "step" });
    drop((images, buffers, a, b));
    mock.assert_clean("both kinds of surfaces");
}

fn surface_on(device: &Device) -> Surface2D {
    Surface2D::new(device, Format::R8, WIDTH, HEIGHT).unwrap()
}

/// The result of a launch on such a device.
fn launched(settings: Settings) -> Result<Event> {
    let mock = Mock::new(settings);
    let device = mock.device();
    let (a, mut b) = (surface(&device)?, surface(&device)?);
    let result = step(&device, &a, &mut b, 1);
    drop((device, a, b));
    mock.assert_clean("a launch");
    result
}

/// Messages for 2-D blocks take addresses: a pointer to each buffer, a multiple of 64, after the other arguments.
#[test]
fn buffers_of_2d_blocks_are_pointers_too() {
    let mock = Mock::new(Settings { model: 0x0bd5, ..Settings::default() });
    let device = mock.device();
    for len in [64, 65, 127, 4096] {
        let bytes: Vec<u8> = (0..len).map(|n| n as u8 ^ 0x55).collect();
        let input = Buffer::from_slice(&device, &bytes).unwrap();
        let mut output = Buffer::<u8>::new(&device, len).unwrap();
        launch::<Tile>(&device, space(), &mut [(&input).into_arg(), (&mut output).into_arg()]).unwrap();
        let copy = output.to_vec().unwrap();
        assert!(copy[..64] == bytes[..64] && copy[64..].iter().all(|byte| *byte == 0), "{len} bytes");
    }
    drop(device);
    mock.assert_clean("2-D blocks");
}

#[test]
fn register_files_are_chosen_for_each_launch() {
    let arc = Settings { model: 0x56a0, ..Settings::default() };
    for (settings, large) in [(arc, true), (Settings::default(), false)] {
        let mock = Mock::new(settings);
        let device = mock.device();
        let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
        mock.model().options.clear();
        step(&device, &a, &mut b, 1).unwrap();
        let result = step(&device.with_large_register_file(), &a, &mut b, 1);
        let refused = matches!(result, Err(Error::Lower(LowerError::RegisterFile { .. })));
        assert_eq!((result.is_ok(), refused), (large, !large));
        step(&device, &a, &mut b, 1).unwrap();
        let sizes = RegisterFile::ALL.iter().map(|size| size.build_options());
        let expected: Vec<&str> = sizes.take(if large { 2 } else { 1 }).collect();
        // The padding of the surface is a kernel too.
        mock.model().options.dedup();
        assert_eq!(mock.model().options, expected);
        drop((device, a, b));
        mock.assert_clean("two register files");
    }
}

#[test]
fn kernels_have_as_many_arguments_as_the_device_takes() {
    let arguments = |what, count, limit| {
        let device = "made-up".to_owned();
        E::Arguments { kernel: "step", what, count, limit, device }
    };
    let error = level_zero(launched(Settings { read_images: 1, ..Settings::default() }));
    assert_eq!(error, arguments("surfaces", 2, 1));
    let error = level_zero(launched(Settings { written_images: 0, ..Settings::default() }));
    assert_eq!(error, arguments("writable surfaces", 1, 0));
    let error = level_zero(launched(Settings { argument_bytes: 16, ..Settings::default() }));
    assert_eq!(error, arguments("bytes of arguments", 17, 16));
    launched(Settings { read_images: 2, written_images: 1, argument_bytes: 17, ..Settings::default() })
        .unwrap();
}

#[test]
fn kernels_that_are_refused_come_with_the_log() {
    // Surfaces are padded, and the padding kernel is compiled after `step`: it is the first that is refused.
    let (kernel, device) = (|| "step".to_owned(), || "made-up".to_owned());
    let build = |log: &str| E::Build { kernel: kernel(), device: device(), log: log.to_owned() };
    let refused = |log| Settings { compiles: false, log, ..Settings::default() };
    let log = "error: undefined reference\nat line 7";
    assert_eq!(level_zero(launched(refused(log))), build(log));
    assert_eq!(level_zero(launched(refused(""))), build(""));
    // A driver that reports success, except in the log.
    for log in ["error: no such intrinsic", "warning: x\n  error: y"] {
        assert_eq!(level_zero(launched(Settings { log, ..Settings::default() })), build(log));
    }
    let log = "warning: 1 error: recovered";
    launched(Settings { log, ..Settings::default() }).unwrap();
    let error = level_zero(launched(Settings { has_kernel: false, log, ..Settings::default() }));
    assert_eq!(error, E::NoKernel { kernel: kernel(), device: device(), log: log.to_owned() });
    // Linking is part of building, and an unreadable log is empty.
    let mock = Mock::new(refused("lost"));
    let open = mock.device();
    let (a, mut b) = (surface(&open).unwrap(), surface(&open).unwrap());
    mock.fail("zeModuleBuildLogGetString", ze::ZE_RESULT_ERROR_UNKNOWN);
    assert_eq!(level_zero(step(&open, &a, &mut b, 1)), build(""));
    mock.fail("zeModuleCreate", ze::ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
    assert_eq!(level_zero(step(&open, &a, &mut b, 1)), build(""));
    mock.mend();
    // It is tried again: failures are not cached.
    mock.model().settings.compiles = true;
    step(&open, &a, &mut b, 1).unwrap();
    drop((open, a, b));
    mock.assert_clean("after refusals");
}

#[test]
fn arguments_that_the_compiler_left_out_may_be_anything() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
    for (result, taken) in [
        (ze::ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, true),
        (ze::ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, false),
    ] {
        // Not the last one: by then the kernel has its arguments.
        step(&device, &a, &mut b, 1).unwrap();
        mock.fail("zeKernelSetArgumentValue", result);
        assert_eq!(step(&device, &a, &mut b, 1).is_ok(), taken);
        mock.mend();
    }
}

#[test]
fn devices_take_so_many_groups() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let surface = |format| Surface2D::new(&device, format, 16, 4).unwrap();
    let (input, mut output) = (&surface(Format::R8), surface(Format::R8));
    let space = crate::ThreadGroups::new([1, 4097, 1], [1, 1, 1]).unwrap();
    let args = &mut [input.into_arg(), (&mut output).into_arg(), 0u8.into_arg()];
    match level_zero(launch::<Step>(&device, space, args)) {
        E::Groups { kernel: "step", what: "rows of groups", count: 4097, limit: 4096, .. } => {}
        error => panic!("{error}"),
    }
    // This kernel does not use groups: each plane is a command, and those of the last number fill any memory.
    for planes in [(1 << 16) + 1, u32::MAX as usize] {
        let space = crate::ThreadGroups::new([1, 1, planes], [1, 1, 1]).unwrap();
        match level_zero(launch::<Step>(&device, space, args)) {
            E::Groups { kernel: "step", what, count, limit: 0x1_0000, .. } => {
                assert_eq!((what, count), ("planes of groups, one after the other", planes));
            }
            error => panic!("{error}"),
        }
    }
}

#[test]
fn packed_yuv_is_not_read_beyond_its_edge() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let surface = |format| Surface2D::new(&device, format, 16, 4).unwrap();
    let (input, mut output) = (surface(Format::Yuyv), surface(Format::R8));
    let run = |width, input: &Surface2D, output: &mut Surface2D| {
        let args = &mut [input.into_arg(), output.into_arg(), 0u8.into_arg()];
        launch::<Step>(&device, ThreadSpace::new(width, 4).unwrap(), args)
    };
    match level_zero(run(3, &input, &mut output)) {
        E::PackedYuvEdge { kernel: "step", argument: "input", format: Format::Yuyv, file, line } => {
            assert!(file.ends_with("mod.rs") && line > 20, "{file}:{line}");
        }
        error => panic!("{error}"),
    }
    let inside = surface(Format::Uyvy);
    let mut output = surface(Format::Yuyv);
    run(2, &inside, &mut output).unwrap();
}

#[test]
fn surfaces_of_other_devices_are_refused() {
    let mock = Mock::new(Settings { devices: 2, ..Settings::default() });
    let started = mock.start(None).unwrap();
    let [one, two] = [0, 1].map(|index| Device::of(started.open(index).unwrap(), ""));
    let cpu = Device::cpu_with_threads(1).unwrap();
    let (mut a, b, c) = (surface(&one).unwrap(), surface(&two).unwrap(), surface(&cpu).unwrap());
    for foreign in [&b, &c] {
        let error = step(&one, foreign, &mut a, 1).unwrap_err();
        assert!(matches!(error, Error::OtherDevice { kernel: "step", argument: "input" }), "{error}");
    }
    let error = step(&two, &b, &mut a, 1).unwrap_err();
    assert!(matches!(error, Error::OtherDevice { kernel: "step", argument: "output" }), "{error}");
    drop((one, two, a, b, started));
    mock.assert_clean("two devices");
}

#[test]
fn memory_and_the_device_are_told_with_the_call() {
    for (call, result, expected) in [
        (
            "zeImageCreate",
            ze::ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
            E::OutOfDeviceMemory { call: "zeImageCreate" },
        ),
        (
            "zeMemAllocHost",
            ze::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY,
            E::OutOfHostMemory { call: "zeMemAllocHost" },
        ),
        (
            "zeCommandQueueSynchronize",
            ze::ZE_RESULT_ERROR_DEVICE_LOST,
            E::DeviceLost { call: "zeCommandQueueSynchronize" },
        ),
    ] {
        let mock = Mock::new(Settings::default());
        mock.fail(call, result);
        assert_eq!(level_zero(surface(&mock.device())), expected);
        mock.assert_clean(call);
    }
}

/// The compiling program crashes: the kernel is an error, and the device continues to work.
#[cfg(unix)]
#[test]
fn crashes_of_the_compiler_name_the_kernel() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("compiler");
    let behave = |lines: &str| {
        std::fs::write(&program, format!("#!/bin/sh\n{lines}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    behave("cat > /dev/null; echo 'LLVM ERROR: Cannot select' >&2; kill -ABRT $$");
    let mock = Mock::new(Settings::default());
    let device = mock.open_with(&program).unwrap();
    let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
    for _ in 0..2 {
        let error = level_zero(step(&device, &a, &mut b, 1));
        let E::CompilerCrashed { kernel, device, reason } = &error else { panic!("{error}") };
        assert_eq!((&**kernel, &**device), ("step", "made-up"));
        assert!(reason.contains("SIGABRT") && reason.contains("LLVM ERROR: Cannot select"), "{reason}");
    }
    assert_eq!(mock.count("zeModuleCreate"), 0, "nothing is compiled here");
    // A program that lets this process compile.
    behave("cat > /dev/null; printf 'cm compiled 2\\n0'");
    step(&device, &a, &mut b, 1).unwrap();
    assert_eq!(b.to_vec().unwrap(), plus(&bytes(), 1));
    drop((device, a, b));
    mock.assert_clean("after crashes");
}
