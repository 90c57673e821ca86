//! Every call that the wrapper makes fails once: the error names it, nothing leaks, nothing is misused.

use std::path::Path;

use level_zero_sys as ze;

use super::super::objects::{Settings, is_tolerated};
use super::super::{Mock, table};
use super::*;
use crate::{Error, LevelZeroError};

/// The number of launches of `work`; more than one batch.
const STEPS: u8 = 17;

/// Surfaces, uploads, a launch that waits, many that do not, downloads; buffers.
fn work(device: &Device) -> Result<Vec<u8>> {
    let (mut a, mut b) = (surface(device)?, Surface2D::new(device, Format::R8, WIDTH, HEIGHT)?);
    step(device, &a, &mut b, 1)?;
    device.scope(|scope| {
        for _ in 0..STEPS {
            later(scope, &b, &mut a, 1)?;
            std::mem::swap(&mut a, &mut b);
        }
        Ok::<_, Error>(())
    })?;
    let (first, last) = device.scope(|scope| {
        let bytes = b.to_vec()?;
        a.enqueue_write(scope, &bytes)?;
        let first = a.enqueue_read(scope)?;
        b.enqueue_write(scope, &bytes)?;
        let launch = later(scope, &b, &mut a, 3)?;
        let last = a.enqueue_read(scope)?;
        assert_eq!(first.to_vec()?, bytes);
        assert_eq!(launch.wait()?.elapsed().as_micros(), 42);
        Ok::<_, Error>((first, last))
    })?;
    assert_eq!(plus(&first.to_vec()?, 3), last.to_vec()?);
    b.write_rect(0, 0, 1, 1, &[9])?;
    step(device, &b, &mut a, 0)?;
    let space = space().with_dependencies(DependencyPattern::HORIZONTAL_WAVE);
    launch::<Step>(device, space, &mut [(&b).into_arg(), (&mut a).into_arg(), 0u8.into_arg()])?;
    let mut all = a.to_vec()?;

    let (mut c, mut d) = (Buffer::<u8>::new(device, 5)?, Buffer::from_slice(device, &[1u8, 2, 3])?);
    raise(device, &mut c, 3)?;
    raise(device, &mut d, 4)?;
    all.extend(d.to_vec()?);
    d.write_slice(&[7, 8, 9])?;
    raise(device, &mut d, 1)?;
    all.extend(c.to_vec()?);
    all.extend(d.to_vec()?);
    all.extend(show(device, 7)?.bytes());
    Ok(all)
}

fn right() -> Vec<u8> {
    let mut bytes = plus(&bytes(), 1 + STEPS);
    bytes[0] = 9;
    bytes.extend([5, 6, 7, 3, 3, 3, 3, 3, 8, 9, 10]);
    bytes.extend(b"n = 7\nn = 8\n");
    bytes
}

/// Devices with their own memory, and devices that use the memory of the host.
fn devices() -> [Settings; 2] {
    [false, true].map(|integrated| Settings { integrated, ..Settings::default() })
}

/// The calls from the start to the end.
fn calls(settings: Settings, cache: Option<&Path>) -> Vec<&'static str> {
    let mock = Mock::new(settings);
    assert_eq!(work(&mock.open(cache).unwrap()).unwrap(), right());
    mock.assert_clean("nothing failed");
    mock.model().calls.clone()
}

/// Calls that a kernel from the cache needs: if they fail, the kernel is compiled again.
const TAKEN: [&str; 2] = ["zeModuleCreate", "zeKernelCreate"];

/// Whether the call may be repeated: without memory, staging memory that no copy uses is freed first.
fn is_repeated(call: &str, result: ze::ze_result_t) -> bool {
    call == "zeMemAllocHost"
        && [ze::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, ze::ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY]
            .contains(&result)
}

/// Fails each call once, with alternating results.
fn fail_each(results: &[ze::ze_result_t], cache: Option<&Path>) {
    devices().into_iter().for_each(|settings| fail_each_of(&settings, results, cache));
}

fn fail_each_of(settings: &Settings, results: &[ze::ze_result_t], cache: Option<&Path>) {
    let all = calls(settings.clone(), cache).len();
    assert!(all > 100, "{all} calls");
    for n in 0..all {
        let mock = Mock::new(settings.clone());
        let result = results[n % results.len()];
        mock.fail_after(n, result);
        let opened = mock.open(cache);
        let worked = opened.as_ref().map_or(Ok(vec![]), work);
        let failed = mock.model().calls.get(n).copied();
        mock.mend();
        let lost = result == ze::ZE_RESULT_ERROR_DEVICE_LOST;
        let when = format!("call {n}, {failed:?}, fails: {:?} {worked:?}", opened.as_ref().err());
        match (failed, opened.as_ref().err().or(worked.as_ref().err())) {
            (None, None) => assert_eq!(worked.as_ref().unwrap(), &right(), "{when}"),
            (None, Some(_)) => panic!("{when}"),
            (Some(call), None) => {
                let taken = cache.is_some() && TAKEN.contains(&call);
                assert!(is_tolerated(call) || is_repeated(call, result) || taken, "{when}");
                assert_eq!(worked.as_ref().unwrap(), &right(), "{when}");
            }
            (Some(call), Some(error)) => {
                assert!(lost || !is_tolerated(call), "{when}");
                assert!(error.to_string().contains(call) || is_tolerated(call), "{when}: {error}");
            }
        }
        // The device continues to work, unless it is lost.
        if let Ok(device) = &opened {
            let gone = lost && failed.is_some() || failed.is_some_and(|call| call.ends_with("Synchronize"));
            match work(device) {
                Ok(again) => assert!(again == right() && !gone, "{when}: then {again:?}"),
                Err(Error::LevelZero(LevelZeroError::DeviceLost { .. })) => assert!(gone, "{when}"),
                Err(error) => panic!("{when}: then {error}"),
            }
        }
        drop((opened, worked));
        mock.assert_clean(&when);
    }
}

#[test]
fn no_memory_and_what_is_unknown() {
    fail_each(
        &[
            ze::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY,
            ze::ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
            ze::ZE_RESULT_ERROR_UNKNOWN,
        ],
        None,
    );
}

#[test]
fn the_device_is_lost() {
    fail_each(&[ze::ZE_RESULT_ERROR_DEVICE_LOST], None);
}

#[test]
fn with_compiled_kernels_in_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    calls(Settings::default(), Some(folder.path()));
    fail_each(&[ze::ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY], Some(folder.path()));
}

#[test]
fn the_device_is_lost_with_compiled_kernels_in_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    calls(Settings::default(), Some(folder.path()));
    fail_each(&[ze::ZE_RESULT_ERROR_DEVICE_LOST], Some(folder.path()));
}

#[test]
fn every_function_may_be_missing() {
    for name in table::NAMES {
        let destroys = name.ends_with("Destroy") || *name == "zeMemFree";
        let mock = Mock::new(Settings::default());
        let device = Mock::start_with(table::without(name), None)
            .and_then(|started| started.open(0))
            .map_err(Error::from)
            .map(|gpu| Device::of(gpu, ""));
        match device.and_then(|device| work(&device)) {
            Ok(bytes) => {
                assert_eq!(bytes, right(), "{name}");
                assert!(is_tolerated(name), "{name} was not missed");
            }
            Err(Error::LevelZero(LevelZeroError::TooOld { missing })) => assert_eq!(missing, *name),
            Err(error) => panic!("{name}: {error}"),
        }
        // Without a function that destroys, objects are left, but nothing is misused.
        if !destroys {
            mock.assert_clean(name);
        }
    }
}
