//! Batches that cannot be submitted: what their commands were to do is missing, and whoever recorded one learns it.

use level_zero_sys as ze;

use super::super::Mock;
use super::super::objects::Settings;
use super::lifetimes::in_flight;
use super::*;
use crate::device::Kind;

/// Submits the open batch, which fails in this call.
fn fail_to_submit(mock: &Mock, device: &Device, call: &'static str) {
    let Kind::LevelZero(gpu) = device.kind() else { unreachable!("a GPU") };
    mock.fail(call, ze::ZE_RESULT_ERROR_UNKNOWN);
    let error = gpu.submit().unwrap_err().to_string();
    assert!(error.contains(call), "{error}");
    mock.mend();
}

/// The calls of a submission, one after the other.
const SUBMISSION: [&str; 3] =
    ["zeCommandListAppendBarrier", "zeCommandListClose", "zeCommandQueueExecuteCommandLists"];

#[test]
fn padding_that_was_not_written_is_written_by_the_next_launch() {
    for call in SUBMISSION {
        let mock = Mock::new(Settings::default());
        let device = mock.device();
        let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
        in_flight(&device, &a, &mut b, 1);
        fail_to_submit(&mock, &device, call);
        mock.model().done.clear();
        step(&device, &a, &mut b, 1).unwrap();
        assert_eq!(mock.model().done.join(" "), "padding padding step", "{call}");
        assert_eq!(b.to_vec().unwrap(), plus(&bytes(), 1));
        drop((device, a, b));
        mock.assert_clean(call);
    }
}

/// The input of a launch is not written by it, so nothing else makes the next launch clear its end.
#[test]
fn the_end_of_a_buffer_that_was_not_cleared_is_cleared_by_the_next_launch() {
    let mock = Mock::new(Settings { model: 0x0bd5, ..Settings::default() });
    let device = mock.device();
    let bytes: Vec<u8> = (0..65).collect();
    let input = Buffer::from_slice(&device, &bytes).unwrap();
    let mut output = Buffer::<u8>::from_slice(&device, &[0; 65]).unwrap();
    let mut tile = |fails: bool| {
        device.scope(|scope| {
            enqueue::<Tile>(scope, space(), &mut [(&input).into_arg(), (&mut output).into_arg()])?;
            if fails {
                fail_to_submit(&mock, &device, SUBMISSION[2]);
            }
            Ok::<_, crate::Error>(())
        })
    };
    tile(true).unwrap_err();
    mock.model().done.clear();
    tile(false).unwrap();
    assert_eq!(mock.model().done.join(" "), "fill fill tile");
    assert_eq!(output.to_vec().unwrap()[..64], bytes[..64]);
    drop((device, input, output));
    mock.assert_clean("the end of a buffer");
}

/// A new buffer is cleared by a command. If that never runs, the memory has no value.
#[test]
fn buffers_that_were_not_cleared_are_cleared_before_they_are_used() {
    /// The last bytes of a buffer with such a history; it was to be zeros.
    type Use = fn(&Device, &mut Buffer<u8>) -> Result<()>;
    let uses: [(&str, Use, u8); 5] = [
        ("read", |_, _| Ok(()), 0),
        ("a part is written", |_, buffer| buffer.slice_mut(..64)?.write_slice(&[1; 64]), 0),
        ("raised", |device, buffer| raise(device, buffer, 7).map(drop), 7),
        ("all is written", |_, buffer| buffer.write_slice(&[9; 128]), 9),
        (
            "written and raised",
            |device, buffer| {
                buffer.write_slice(&[9; 128])?;
                raise(device, buffer, 1).map(drop)
            },
            10,
        ),
    ];
    for (name, act, last) in uses {
        let mock = Mock::new(Settings::default());
        let device = mock.device();
        let mut buffer = Buffer::<u8>::new(&device, 128).unwrap();
        fail_to_submit(&mock, &device, SUBMISSION[2]);
        act(&device, &mut buffer).unwrap();
        let bytes = buffer.to_vec().unwrap();
        assert_eq!(bytes[64..], [last; 64], "{name}");
        // Only once.
        mock.model().done.clear();
        assert_eq!(buffer.to_vec().unwrap(), bytes, "{name}");
        assert_eq!(mock.model().done.join(" "), "copy", "{name}");
        drop((device, buffer));
        mock.assert_clean(name);
    }
}

/// A copy that fails leaves the bytes that the buffer had.
#[test]
fn bytes_stay_if_a_later_copy_is_not_submitted() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let mut buffer = Buffer::from_slice(&device, &[1u8, 2, 3]).unwrap();
    device
        .scope(|scope| {
            buffer.enqueue_write(scope, &[4, 5, 6])?;
            fail_to_submit(&mock, &device, SUBMISSION[2]);
            Ok::<_, crate::Error>(())
        })
        .ok();
    assert_eq!(buffer.to_vec().unwrap(), [1, 2, 3]);
    drop((device, buffer));
    mock.assert_clean("a later copy");
}

/// Another thread may submit the commands of a scope, and gets the error; the scope gets it as well.
#[test]
fn a_scope_returns_the_error_of_its_commands_whoever_submits_them() {
    type Record = fn(&Scope<'_>, &Surface2D, &mut Surface2D, &mut Buffer<u8>) -> Result<()>;
    let records: [(&str, Record); 4] = [
        ("a launch", |scope, a, b, _| later(scope, a, b, 1).map(drop)),
        ("an upload", |scope, _, b, _| b.enqueue_write(scope, &bytes())),
        ("a write", |scope, _, _, buffer| buffer.enqueue_write(scope, &[4, 5, 6])),
        // The next batch, which is submitted, is not all of it.
        ("more than a batch", |scope, a, b, _| (0..40).try_for_each(|_| later(scope, a, b, 1).map(drop))),
    ];
    for (name, record) in records {
        for call in SUBMISSION {
            let mock = Mock::new(Settings::default());
            let device = mock.device();
            let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
            let mut buffer = Buffer::from_slice(&device, &[1u8, 2, 3]).unwrap();
            let mut scoped = |fails: bool| {
                device.scope(|scope| {
                    record(scope, &a, &mut b, &mut buffer)?;
                    if fails {
                        fail_to_submit(&mock, &device, call);
                    }
                    record(scope, &a, &mut b, &mut buffer)
                })
            };
            let error = scoped(true).unwrap_err().to_string();
            assert!(error.contains(call), "{name}: {error}");
            scoped(false).unwrap();
            drop((device, a, b, buffer));
            mock.assert_clean(name);
        }
    }
}

/// A scope without commands in a batch does not get its error.
#[test]
fn a_scope_does_not_return_the_errors_of_others() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
    let ended = device.scope(|scope| {
        later(scope, &a, &mut b, 1)?.wait()?;
        in_flight(&device, &a, &mut b, 1);
        fail_to_submit(&mock, &device, SUBMISSION[2]);
        Ok::<_, crate::Error>(())
    });
    ended.unwrap();
    drop((device, a, b));
    mock.assert_clean("others");
}

/// A batch that failed is not waited for, nor are those after it forgotten.
#[test]
fn batches_after_one_that_failed_are_waited_for() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
    let Kind::LevelZero(gpu) = device.kind() else { unreachable!("a GPU") };
    in_flight(&device, &a, &mut b, 1);
    fail_to_submit(&mock, &device, SUBMISSION[2]);
    let waits = mock.count("zeFenceHostSynchronize");
    for _ in 0..200 {
        in_flight(&device, &a, &mut b, 1);
        gpu.submit().unwrap();
    }
    assert!(mock.count("zeFenceHostSynchronize") - waits > 100);
    drop((device, a, b));
    mock.assert_clean("batches after one that failed");
}

/// The mock detects commands without a barrier between them.
#[test]
fn a_barrier_that_failed_is_still_needed() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let aligned = |value| Surface2D::from_bytes(&device, Format::R8, 16, 5, &[value; 80]).unwrap();
    let (a, mut b, mut c, mut d) = (aligned(1), aligned(2), aligned(3), aligned(4));
    device
        .scope(|scope| {
            later(scope, &a, &mut b, 1)?;
            mock.fail(SUBMISSION[0], ze::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
            later(scope, &b, &mut c, 1).unwrap_err();
            mock.mend();
            // It shares only `b` with the first one, and nothing that is written with the one that failed.
            later(scope, &b, &mut d, 1).map(drop)
        })
        .unwrap();
    assert_eq!((d.to_vec().unwrap(), c.to_vec().unwrap()), (vec![3; 80], vec![3; 80]));
    drop((device, a, b, c, d));
    mock.assert_clean("a barrier");
}

/// A launch of several commands that fails half-way runs in part, as documented. Nothing is lost with it.
#[test]
fn a_launch_that_fails_half_way_runs_in_part() {
    let mut parts = vec![];
    for n in 0..60 {
        let mock = Mock::new(Settings::default());
        let device = mock.device();
        let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
        step(&device, &a, &mut b, 1).unwrap();
        mock.model().done.clear();
        mock.fail_after(n, ze::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
        let space = space().with_dependencies(DependencyPattern::HORIZONTAL_WAVE);
        let args = &mut [(&a).into_arg(), (&mut b).into_arg(), 2u8.into_arg()];
        let launched = device.scope(|scope| enqueue::<Step>(scope, space, args).map(drop));
        mock.mend();
        if launched.is_err() {
            parts.push(mock.model().done.iter().filter(|what| *what == "step").count());
        }
        // A failed wait loses the device.
        if surface(&device).is_ok() {
            step(&device, &a, &mut b, 3).unwrap();
            assert_eq!(b.to_vec().unwrap(), plus(&bytes(), 3), "call {n}");
        }
        drop((device, a, b));
        mock.assert_clean(&format!("call {n}"));
    }
    assert!((0..HEIGHT).all(|steps| parts.contains(&steps)), "{parts:?}");
}

#[test]
fn a_command_that_failed_does_not_keep_its_objects() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let aligned = |value| Surface2D::from_bytes(&device, Format::R8, 16, 5, &[value; 80]).unwrap();
    let (a, mut b) = (aligned(1), aligned(2));
    for call in ["zeCommandListAppendLaunchKernel", "zeCommandListAppendImageCopyToMemory"] {
        mock.fail(call, ze::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
        let failed = step(&device, &a, &mut b, 1).and(a.to_vec().map(drop)).unwrap_err();
        assert!(failed.to_string().contains(call), "{failed}");
        mock.mend();
    }
    drop((a, b));
    assert_eq!(mock.count("zeImageDestroy"), 2);
    drop(device);
    mock.assert_clean("failed commands");
}

#[test]
fn a_failed_wait_is_named_and_a_lost_device_is_not_asked_for_times() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
    let launch = device.scope(|scope| later(scope, &a, &mut b, 1)).unwrap();
    assert_eq!(launch.wait().unwrap().elapsed().as_micros(), 42);
    mock.fail("zeFenceHostSynchronize", ze::ZE_RESULT_ERROR_UNKNOWN);
    device
        .scope(|scope| {
            let read = a.enqueue_read(scope)?;
            b.enqueue_write(scope, &bytes())?;
            read.to_vec()
        })
        .unwrap_err();
    let times = mock.count("zeEventQueryKernelTimestamp");
    for error in [launch.wait().map(drop), a.to_vec().map(drop)].map(Result::unwrap_err) {
        let crate::Error::LevelZero(crate::LevelZeroError::DeviceLost { call }) = error else {
            panic!("{error}")
        };
        assert_eq!(call, "zeFenceHostSynchronize");
    }
    assert_eq!(mock.count("zeEventQueryKernelTimestamp"), times);
    drop((device, a, b, launch));
    mock.assert_clean("a failed wait");
}

/// Memory of earlier copies is freed before a copy is an error.
#[test]
fn memory_that_no_copy_uses_is_freed_if_there_is_no_other() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let aligned = || Surface2D::from_bytes(&device, Format::R8, 16, 5, &[1; 80]).unwrap();
    let (mut a, mut b, mut c) = (aligned(), aligned(), aligned());
    // Three pieces of memory, which no copy uses afterwards.
    device
        .scope(|scope| {
            [&mut a, &mut b, &mut c].into_iter().try_for_each(|s| s.enqueue_write(scope, &[2; 80]))
        })
        .unwrap();
    let (made, freed) = (mock.count("zeMemAllocHost"), mock.count("zeMemFree"));
    assert!(made - freed >= 3, "{made} pieces, {freed} freed");
    let mut large = Buffer::<u8>::new(&device, 4096).unwrap();
    mock.fail_after(1, ze::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    large.write_slice(&[3; 4096]).unwrap();
    assert_eq!(mock.count("zeMemAllocHost"), made + 2);
    mock.fail("zeMemAllocHost", ze::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    Buffer::<u8>::new(&device, 8192).unwrap().write_slice(&[3; 8192]).unwrap_err();
    mock.mend();
    drop((device, a, b, c, large));
    mock.assert_clean("no memory");
}
