//! The memory of copies: a scope of any length needs a bounded number of bytes, which are freed afterwards.

use level_zero_sys as ze;

use super::super::Mock;
use super::super::objects::Settings;
use super::*;
use crate::device::Kind;
use crate::level_zero::staging::MOST;
use crate::{Error, LevelZeroError};

/// Bytes of a buffer.
const LENGTH: usize = 32 << 20;

#[test]
fn uploads_that_the_device_has_not_taken_are_bounded() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let mut buffer = Buffer::<u8>::new(&device, LENGTH).unwrap();
    let own = mock.model().bytes();
    let mut most = 0;
    device
        .scope(|scope| {
            for n in 0..20 {
                buffer.enqueue_write(scope, &vec![n; LENGTH])?;
                most = most.max(mock.model().bytes() - own);
            }
            Ok::<_, Error>(())
        })
        .unwrap();
    assert_eq!(most, MOST);
    assert!(buffer.to_vec().unwrap() == vec![19; LENGTH]);
    drop((device, buffer));
    mock.assert_clean("many uploads");
}

#[test]
fn memory_of_large_copies_is_freed() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let mut buffer = Buffer::<u8>::new(&device, MOST + 1).unwrap();
    let all = mock.model().bytes();
    buffer.write_slice(&vec![1; MOST + 1]).unwrap();
    assert_eq!(mock.model().bytes(), all, "a copy that is larger than everything that is kept");
    drop((device, buffer));
    mock.assert_clean("a large upload");
}

#[test]
fn without_memory_a_copy_waits_for_earlier_copies() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let [mut a, mut b] = [1u8, 2].map(|n| Buffer::from_slice(&device, &[n; 16]).unwrap());
    device
        .scope(|scope| {
            a.enqueue_write(scope, &[3; 16])?;
            let waits = mock.count("zeCommandQueueSynchronize");
            let n = mock.model().calls.len();
            mock.fail_after(0, ze::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
            b.enqueue_write(scope, &[4; 16])?;
            assert_eq!(mock.model().calls[n], "zeMemAllocHost");
            assert_eq!(mock.count("zeCommandQueueSynchronize"), waits + 1);
            Ok::<_, Error>(())
        })
        .unwrap();
    assert_eq!((a.to_vec().unwrap(), b.to_vec().unwrap()), (vec![3; 16], vec![4; 16]));
    drop((device, a, b));
    mock.assert_clean("no memory once");
}

/// Another thread may have found out that the device does not answer.
#[test]
fn a_lost_device_gets_no_batches() {
    let mock = Mock::new(Settings::default());
    let device = mock.device();
    let Kind::LevelZero(gpu) = device.kind() else { unreachable!("a GPU") };
    let (a, mut b) = (surface(&device).unwrap(), surface(&device).unwrap());
    let failed = device.scope(|scope| {
        let early = a.enqueue_read(scope)?;
        later(scope, &a, &mut b, 1)?;
        mock.fail("zeFenceHostSynchronize", ze::ZE_RESULT_ERROR_UNKNOWN);
        early.to_vec().unwrap_err();
        mock.mend();
        let submitted = mock.count("zeCommandQueueExecuteCommandLists");
        let error = gpu.submit().unwrap_err();
        assert!(matches!(error, Error::LevelZero(LevelZeroError::DeviceLost { .. })), "{error}");
        assert_eq!(mock.count("zeCommandQueueExecuteCommandLists"), submitted);
        Ok::<_, Error>(())
    });
    failed.unwrap_err();
    drop((device, a, b));
    mock.assert_clean("a device that does not answer");
}
