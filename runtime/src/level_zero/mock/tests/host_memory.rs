//! Buffers in memory of the host, on devices that are part of the processor.

use super::super::Mock;
use super::super::objects::Settings;
use super::*;
use crate::Error;

fn integrated() -> Mock {
    Mock::new(Settings { integrated: true, ..Settings::default() })
}

/// The commands of the device since the last call.
fn done(mock: &Mock) -> String {
    std::mem::take(&mut mock.model().done).join(" ")
}

#[test]
fn copies_are_no_commands() {
    let mock = integrated();
    let device = mock.device();
    let zeros = Buffer::<u8>::new(&device, 5).unwrap();
    let mut buffer = Buffer::from_slice(&device, &[1u8, 2, 3]).unwrap();
    assert_eq!(zeros.to_vec().unwrap(), [0; 5]);
    raise(&device, &mut buffer, 4).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [5, 6, 7]);
    buffer.write_slice(&[9, 8, 7]).unwrap();
    // The bytes beyond the end were raised, and are cleared.
    raise(&device, &mut buffer, 1).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [10, 9, 8]);
    assert_eq!(show(&device, 7).unwrap(), "n = 7\nn = 8\n");
    assert_eq!(done(&mock), "raise raise show show");
    assert_eq!(mock.count("zeCommandQueueExecuteCommandLists"), 4);
    assert_eq!(mock.count("zeMemAllocDevice"), 0);
    drop((device, zeros, buffer));
    mock.assert_clean("copies by the host");
}

#[test]
fn surfaces_in_buffers_too() {
    let mock = integrated();
    let device = mock.device().with_surfaces_in_buffers();
    let mut a = surface(&device).unwrap();
    a.write_rect(1, 1, 2, 2, &[1, 2, 3, 4]).unwrap();
    let mut expected = bytes();
    expected[WIDTH + 1..][..2].copy_from_slice(&[1, 2]);
    expected[2 * WIDTH + 1..][..2].copy_from_slice(&[3, 4]);
    assert_eq!(a.to_vec().unwrap(), expected);
    assert_eq!(a.read_rect(1, 1, 2, 2).unwrap(), [1, 2, 3, 4]);
    assert_eq!(mock.count("zeCommandQueueExecuteCommandLists"), 0);
    drop((device, a));
    mock.assert_clean("surfaces in buffers");
}

/// Copies that may not wait are commands if a launch is pending; other copies wait for it.
#[test]
fn launches_in_flight_come_first() {
    let mock = integrated();
    let device = mock.device();
    let [mut a, mut b] = [1u8, 2].map(|n| Buffer::from_slice(&device, &[n; 16]).unwrap());
    let raise = |scope: &Scope<'_>, buffer: &mut Buffer<u8>, n: u8| {
        enqueue::<Raise>(scope, space(), &mut [buffer.into_arg(), n.into_arg()]).map(drop)
    };
    device
        .scope(|scope| {
            raise(scope, &mut a, 10)?;
            // Nobody uses `b` yet.
            b.enqueue_write(scope, &[5; 16])?;
            assert_eq!(b.to_vec()?, [5; 16]);
            let early = b.enqueue_read(scope)?;
            assert_eq!(done(&mock), "");
            let first = a.enqueue_read(scope)?;
            a.enqueue_write(scope, &[3; 16])?;
            raise(scope, &mut a, 1)?;
            assert_eq!(done(&mock), "");
            assert_eq!(first.to_vec()?, [11; 16]);
            assert_eq!(done(&mock), "raise copy");
            assert_eq!(a.to_vec()?, [4; 16]);
            assert_eq!(done(&mock), "copy raise");
            raise(scope, &mut a, 1)?;
            a.write_slice(&[7; 16])?;
            assert_eq!(done(&mock), "raise");
            assert_eq!(a.to_vec()?, [7; 16]);
            assert_eq!(early.to_vec()?, [5; 16]);
            Ok::<_, Error>(())
        })
        .unwrap();
    assert_eq!(done(&mock), "");
    drop((device, a, b));
    mock.assert_clean("copies and launches");
}

/// A read does not wait for launches that only read the buffer.
#[test]
fn readers_do_not_wait_for_each_other() {
    let mock = Mock::new(Settings { model: 0x0bd5, integrated: true, ..Settings::default() });
    let device = mock.device();
    let input = Buffer::from_slice(&device, &[1u8; 64]).unwrap();
    let mut output = Buffer::<u8>::new(&device, 64).unwrap();
    device
        .scope(|scope| {
            enqueue::<Tile>(
                scope,
                ThreadSpace::new(1, 1)?,
                &mut [(&input).into_arg(), (&mut output).into_arg()],
            )?;
            assert_eq!(input.to_vec()?, [1; 64]);
            assert_eq!(done(&mock), "");
            assert_eq!(output.to_vec()?, [1; 64]);
            assert_eq!(done(&mock), "tile");
            Ok::<_, Error>(())
        })
        .unwrap();
    drop((device, input, output));
    mock.assert_clean("readers");
}
