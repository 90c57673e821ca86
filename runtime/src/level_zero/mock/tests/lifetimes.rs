//! Lifetimes: nothing is left, whatever the order in which objects are dropped; kernels are compiled once.

use std::any::Any;
use std::sync::Arc;
use std::thread;

use cm_compiler::ir::Waves;
use cm_compiler::spirv::RegisterFile;

use super::super::Mock;
use super::super::commands::TICKS_PER_COLUMN;
use super::super::objects::Settings;
use super::*;
use crate::argument::Arg;
use crate::device::Kind;
use crate::thread_groups::LaunchSpace as _;
use crate::{Error, LevelZeroError, level_zero, recording};

/// Records launches and does not wait for them.
pub(super) fn in_flight(device: &Device, a: &Surface2D, b: &mut Surface2D, count: u8) {
    // A scope always waits, unless it is never dropped.
    let Kind::LevelZero(gpu) = device.kind() else { unreachable!("a GPU") };
    for _ in 0..count {
        let args = [a.into_arg(), (&mut *b).into_arg(), 1u8.into_arg()];
        let args: Vec<_> = args.iter().filter_map(Arg::on_gpu).collect();
        let (recording, threads) = (recording::<Step>().unwrap(), space().threads());
        let batches = level_zero::Batches::default();
        level_zero::enqueue(gpu, RegisterFile::Standard, recording, threads, &args, &batches).unwrap();
    }
}

#[test]
fn nothing_is_left_in_whatever_order_things_go() {
    // Launches that are not submitted yet, and more than one batch.
    for count in [0, 1, 40] {
        for order in 0..24 {
            let mock = Mock::new(Settings::default());
            let level_zero = mock.start(None).unwrap();
            let device = Device::of(level_zero.open(0).unwrap(), "");
            let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
            in_flight(&device, &a, &mut b, count);
            let mut things: Vec<Box<dyn Any>> =
                vec![Box::new(level_zero), Box::new(device), Box::new(a), Box::new(b)];
            let mut left = order;
            for choices in (1..=4).rev() {
                drop(things.remove(left % choices));
                left /= choices;
            }
            mock.assert_clean(&format!("{count} launches, order {order}"));
            let steps = mock.model().done.iter().filter(|what| *what == "step").count();
            assert_eq!(steps, usize::from(count), "the last launches run");
        }
    }
}

#[test]
fn surfaces_that_are_dropped_live_until_the_device_is_done() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
    in_flight(&device, &a, &mut b, 1);
    drop((a, b));
    assert_eq!(mock.count("zeImageDestroy"), 0);
    // Somebody else waits.
    surface(&device).unwrap();
    assert_eq!(mock.count("zeImageDestroy"), 3);
    drop(device);
    mock.assert_clean("dropped in flight");
}

#[test]
fn threads_do_not_share_kernels() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    thread::scope(|threads| {
        for n in 0..4 {
            let (mock, device) = (&mock, &device);
            threads.spawn(move || {
                mock.enter();
                let (a, mut b) = (surface(device).unwrap(), surface(device).unwrap());
                for i in 0..25 {
                    step(device, &a, &mut b, n * 50 + i).unwrap();
                    assert_eq!(b.to_vec().unwrap(), plus(&bytes(), n * 50 + i));
                }
            });
        }
    });
    drop(device);
    mock.assert_clean("four threads");
}

#[test]
fn lists_kernels_and_devices_are_used_again() {
    let mock = Mock::new(Settings::default());
    let level_zero = mock.start(None).unwrap();
    let (first, second) = (level_zero.open(0).unwrap(), level_zero.open(0).unwrap());
    assert!(Arc::ptr_eq(&first, &second));
    let device = Device::of(first, "");
    drop(second);
    let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
    for _ in 0..20 {
        device.scope(|scope| (0..10).try_for_each(|_| later(scope, &a, &mut b, 1).map(drop))).unwrap();
    }
    assert_eq!(mock.count("zeCommandListCreate"), 1);
    // `step`, and the kernel that writes the padding of `a`.
    assert_eq!(mock.count("zeModuleCreate"), 2);
    assert_eq!(mock.count("zeKernelCreate"), 2);
    drop((device, a, b));
    mock.assert_clean("all of it dropped");
    assert_eq!(mock.count("zeContextCreate"), 1);
    drop(level_zero.open(0).unwrap());
    assert_eq!(mock.count("zeContextCreate"), 2, "opened anew");
    mock.assert_clean("opened again");
}

#[test]
fn padding_is_made_once_after_each_write() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let (mut a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
    mock.model().done.clear();
    step(&device, &a, &mut b, 1).unwrap(); // both were uploaded
    step(&device, &a, &mut b, 1).unwrap(); // `b` was written
    a.write_bytes(&bytes()).unwrap();
    step(&device, &b, &mut a, 1).unwrap();
    let expected = "padding padding step padding step upload padding padding step";
    assert_eq!(mock.model().done.join(" "), expected);
    // Rows of whole dwords have none.
    let aligned = |value| Surface2D::from_bytes(&device, Format::R8, 16, 5, &[value; 80]).unwrap();
    let (a, mut b) = (aligned(1), aligned(2));
    mock.model().done.clear();
    let args = &mut [(&a).into_arg(), (&mut b).into_arg(), 4u8.into_arg()];
    launch::<Step>(&device, ThreadSpace::new(1, 5).unwrap(), args).unwrap();
    assert_eq!(b.to_vec().unwrap(), [5; 80]);
    assert_eq!(mock.model().done.join(" "), "step download");
}

#[test]
fn times_are_those_of_the_clock() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
    // 42 ticks of a microsecond, across the end of 32 bits.
    assert_eq!(step(&device, &a, &mut b, 1).unwrap().elapsed().as_micros(), 42);
}

/// The time that the longest lines of all waves take.
fn ticks(pattern: DependencyPattern, size: [usize; 2]) -> u128 {
    let waves = Waves::new(pattern, size.map(|n| n as u32));
    let longest = |wave| waves.lines(wave).map(|line| line.count).max().unwrap_or(0);
    (0..waves.count()).map(|wave| u128::from(longest(wave))).sum::<u128>() * u128::from(TICKS_PER_COLUMN)
}

/// A launch for each wave, in order, timed from the first start to the last end; the module takes one more argument.
#[test]
fn waves_are_a_launch_each() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let aligned = |value| Surface2D::from_bytes(&device, Format::R8, 16, 5, &[value; 80]).unwrap();
    let (a, mut b) = (aligned(1), aligned(2));
    for (pattern, size, steps) in [
        (DependencyPattern::NONE, [3, 4], 1),
        (DependencyPattern::HORIZONTAL_WAVE, [3, 4], 4),
        (DependencyPattern::WAVEFRONT26, [3, 4], 9),
        // More than one batch.
        (DependencyPattern::WAVEFRONT, [50, 20], 69),
    ] {
        mock.model().done.clear();
        let space = ThreadSpace::new(size[0], size[1]).unwrap().with_dependencies(pattern);
        let args = &mut [(&a).into_arg(), (&mut b).into_arg(), 4u8.into_arg()];
        let event = launch::<Step>(&device, space, args).unwrap();
        assert_eq!(event.elapsed().as_micros(), ticks(pattern, size), "{pattern:?}");
        assert_eq!(mock.model().done, vec!["step"; steps], "{pattern:?}");
    }
    // Without lines and with.
    assert_eq!(mock.count("zeModuleCreate"), 2);
    // The lines of a wave overlap: the last one of the second wave has one thread, the first one 50.
    let space = ThreadSpace::new(50, 4).unwrap().with_dependencies(DependencyPattern::HORIZONTAL_WAVE);
    let masked = space.with_dependency_masks(|x, y| u8::from(y == 1 || (x, y) == (0, 3)));
    let args = &mut [(&a).into_arg(), (&mut b).into_arg(), 4u8.into_arg()];
    let event = launch::<Step>(&device, &masked, args).unwrap();
    assert_eq!(event.elapsed().as_micros(), 2 * 50 * u128::from(TICKS_PER_COLUMN));
    device
        .scope(|scope| {
            let space = ThreadSpace::new(2, 2)?.with_dependencies(DependencyPattern::WAVEFRONT);
            enqueue::<Step>(scope, space, &mut [(&a).into_arg(), (&mut b).into_arg(), 7u8.into_arg()])
        })
        .unwrap();
    assert_eq!(b.to_vec().unwrap(), [8; 80]);
    drop((device, a, b));
    mock.assert_clean("waves");
}

/// A command waits for those before it only where one of them writes what the other one uses.
#[test]
fn commands_overlap_unless_one_writes_what_another_one_uses() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let aligned = |value| Surface2D::from_bytes(&device, Format::R8, 16, 5, &[value; 80]).unwrap();
    let (mut a, mut b, mut c) = (aligned(1), aligned(2), aligned(3));
    let mut buffer = Buffer::from_slice(&device, &[1u8; 16]).unwrap();
    let barriers = |work: &mut dyn FnMut(&Scope<'_>) -> Result<()>| {
        let before = mock.count("zeCommandListAppendBarrier");
        device.scope(|scope| work(scope)).unwrap();
        // The last one is at the end of the list.
        mock.count("zeCommandListAppendBarrier") - before - 1
    };
    let one_input = barriers(&mut |scope| {
        later(scope, &a, &mut b, 1)?;
        later(scope, &a, &mut c, 1).map(drop)
    });
    let chain = barriers(&mut |scope| {
        later(scope, &a, &mut b, 1)?;
        later(scope, &b, &mut c, 1).map(drop)
    });
    let one_output = barriers(&mut |scope| {
        later(scope, &a, &mut b, 1)?;
        later(scope, &a, &mut b, 2).map(drop)
    });
    let copies = barriers(&mut |scope| {
        b.enqueue_write(scope, &[8; 80])?;
        buffer.enqueue_write(scope, &[8; 16])?;
        c.enqueue_write(scope, &[8; 80])
    });
    let overwritten = barriers(&mut |scope| {
        later(scope, &a, &mut b, 1)?;
        a.enqueue_write(scope, &[7; 80])?;
        // Nothing since the barrier has to do with it.
        later(scope, &b, &mut c, 1).map(drop)
    });
    assert_eq!([one_input, chain, one_output, copies, overwritten], [0, 1, 1, 0, 1]);
    assert_eq!((b.to_vec().unwrap(), c.to_vec().unwrap()), (vec![2; 80], vec![3; 80]));
    drop((device, a, b, c, buffer));
    mock.assert_clean("commands that overlap");
}

/// A wait for one copy or launch does not wait for what was enqueued after it.
#[test]
fn what_is_enqueued_later_is_not_waited_for() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let (mut a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
    let mut buffer = Buffer::from_slice(&device, &[1u8, 2, 3]).unwrap();
    let (first, third) = device
        .scope(|scope| {
            a.enqueue_write(scope, &plus(&bytes(), 1))?;
            let launch = later(scope, &a, &mut b, 1)?;
            let first = b.enqueue_read(scope)?;
            let second = buffer.enqueue_read(scope)?;
            buffer.enqueue_write(scope, &[4, 5, 6])?;
            a.enqueue_write(scope, &plus(&bytes(), 5))?;
            later(scope, &a, &mut b, 1)?;
            let third = b.enqueue_read(scope)?;
            mock.model().done.clear();
            assert_eq!(first.to_vec()?, plus(&bytes(), 2));
            assert_eq!(mock.model().done.join(" "), "upload padding padding step download");
            // It has already completed.
            assert_eq!(launch.wait()?.elapsed().as_micros(), 42);
            assert_eq!(second.to_vec()?, [1, 2, 3]);
            assert_eq!(mock.model().done.join(" "), "upload padding padding step download copy");
            Ok::<_, Error>((first, third))
        })
        .unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [4, 5, 6]);
    // After the scope, and in any order, and again.
    drop(device);
    assert_eq!(third.to_vec().unwrap(), plus(&bytes(), 6));
    assert_eq!(first.to_vec().unwrap(), plus(&bytes(), 2));
    drop((a, b, buffer, first, third));
    mock.assert_clean("downloads");
}

/// Launches that nobody waits for need a limited number of lists and events.
#[test]
fn lists_of_launches_are_used_again() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
    device
        .scope(|scope| {
            for _ in 0..10_000 {
                later(scope, &a, &mut b, 1)?;
            }
            Ok::<_, Error>(())
        })
        .unwrap();
    assert_eq!(b.to_vec().unwrap(), plus(&bytes(), 1));
    let count = |call| mock.count(call);
    assert!(count("zeCommandListCreate") <= 70, "{} times", count("zeCommandListCreate"));
    assert!(count("zeEventPoolCreate") <= 300, "{} times", count("zeEventPoolCreate"));
    drop((device, a, b));
    mock.assert_clean("launches");
}

/// A pipeline that waits needs only as much staged memory and as many lists as are in flight at once.
#[test]
fn memory_of_copies_is_used_again() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let (mut a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
    device
        .scope(|scope| {
            let mut frames = std::collections::VecDeque::new();
            for n in 0..100 {
                a.enqueue_write(scope, &plus(&bytes(), n))?;
                let launch = later(scope, &a, &mut b, 1)?;
                frames.push_back((n, b.enqueue_read(scope)?, launch));
                if frames.len() == 3 {
                    let (n, frame, launch) = frames.pop_front().unwrap();
                    assert_eq!(frame.to_vec()?, plus(&bytes(), n + 1));
                    assert_eq!(launch.wait()?.elapsed().as_micros(), 42);
                }
            }
            Ok::<_, Error>(())
        })
        .unwrap();
    let count = |call| mock.count(call);
    assert!(count("zeMemAllocHost") <= 8, "{} times", count("zeMemAllocHost"));
    assert!(count("zeCommandListCreate") <= 8, "{} times", count("zeCommandListCreate"));
    assert!(count("zeEventPoolCreate") <= 2, "{} times", count("zeEventPoolCreate"));
    drop((device, a, b));
    mock.assert_clean("a pipeline");
}

#[test]
fn compiled_kernels_are_taken_from_the_cache_and_made_anew_if_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = |settings: Settings| {
        let mock = Mock::new(settings);
        let device = mock.open(Some(folder.path())).unwrap();
        let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
        step(&device, &a, &mut b, 5).unwrap();
        assert_eq!(b.to_vec().unwrap(), plus(&bytes(), 5));
        drop((device, a, b));
        mock.assert_clean("cached");
        (mock.count("zeModuleCreate"), mock.count("zeModuleGetNativeBinary"))
    };
    // Two kernels; a binary is asked for twice: for its size and its bytes.
    assert_eq!(run(Settings::default()), (2, 4), "compiled");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    assert_eq!(run(Settings::default()), (2, 0), "taken");
    assert_eq!(run(Settings { takes_binaries: false, ..Settings::default() }), (4, 4), "refused");
    for file in std::fs::read_dir(folder.path()).unwrap() {
        std::fs::write(file.unwrap().path(), "broken").unwrap();
    }
    assert_eq!(run(Settings::default()), (2, 4), "broken");
    assert_eq!(run(Settings { compiles: false, ..Settings::default() }), (2, 0), "only the cache");
}

#[test]
fn a_lost_device_is_asked_for_nothing() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
    let lost = level_zero_sys::ZE_RESULT_ERROR_DEVICE_LOST;
    mock.fail("zeCommandQueueSynchronize", lost);
    let is_lost = |error: Error| {
        let Error::LevelZero(LevelZeroError::DeviceLost { call }) = error else { panic!("{error}") };
        assert_eq!(call, "zeCommandQueueSynchronize");
    };
    is_lost(step(&device, &a, &mut b, 1).unwrap_err());
    let before = mock.model().calls.len();
    is_lost(step(&device, &a, &mut b, 1).unwrap_err());
    is_lost(device.scope(|scope| later(scope, &a, &mut b, 1)).unwrap_err());
    is_lost(a.to_vec().unwrap_err());
    is_lost(b.write_bytes(&bytes()).unwrap_err());
    let work = |call: &&&str| call.starts_with("zeCommand");
    let model = mock.model();
    assert_eq!(model.calls[before..].iter().find(work), None);
    drop(model);
    drop((a, b, device));
    mock.assert_clean("lost");
}

/// Does some work, then makes waiting fail. Only objects that the device may still use are left: objects of these
/// kinds.
fn abandoned(work: impl FnOnce(&Mock, &Device), kinds: &[&str]) {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    work(&mock, &device);
    mock.mend();
    assert!(surface(&device).is_err(), "nothing is asked of the device any more");
    drop(device);
    // The model detects objects that are destroyed while the device uses them.
    mock.assert_clean("abandoned");
    let living = mock.model().living();
    for kind in kinds.iter().chain(&["List", "Fence", "Queue", "Context"]) {
        assert!(living.iter().any(|object| object.contains(kind)), "no {kind} in {living:?}");
    }
}

fn fail_to_wait(mock: &Mock) {
    mock.fail("zeCommandQueueSynchronize", level_zero_sys::ZE_RESULT_ERROR_UNKNOWN);
}

#[test]
fn what_a_device_may_still_use_is_leaked() {
    let launch = |mock: &Mock, device: &Device| {
        let (a, mut b) = (surface(device).unwrap(), surface(device).unwrap());
        in_flight(device, &a, &mut b, 1);
        fail_to_wait(mock);
        assert!(a.to_vec().is_err());
    };
    abandoned(launch, &["Image", "Kernel", "Module", "Memory", "Pool", "Event"]);
    let upload = |mock: &Mock, device: &Device| {
        fail_to_wait(mock);
        assert!(surface(device).is_err());
    };
    abandoned(upload, &["Image", "Memory"]);
    let fill = |mock: &Mock, device: &Device| {
        fail_to_wait(mock);
        assert!(Buffer::from_slice(device, &[1u8, 2, 3]).is_err());
    };
    abandoned(fill, &["Memory"]);
    let download = |mock: &Mock, device: &Device| {
        let (a, mut b) = (surface(device).unwrap(), surface(device).unwrap());
        mock.fail("zeFenceHostSynchronize", level_zero_sys::ZE_RESULT_ERROR_UNKNOWN);
        let ended = device.scope(|scope| {
            let first = a.enqueue_read(scope)?;
            let _launch = later(scope, &a, &mut b, 1)?;
            let _second = b.enqueue_read(scope)?;
            first.to_vec()
        });
        assert!(ended.is_err());
    };
    abandoned(download, &["Image", "Memory", "Pool"]);
}
