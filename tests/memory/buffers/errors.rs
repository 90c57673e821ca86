//! Errors of host calls, and of kernels that break a rule which is checked when they are recorded.

use cm::Error;
use cm::prelude::*;
use cm_test_support::spaces::space;

fn device() -> Device {
    Device::cpu_with_threads(2).expect("a device")
}

#[test]
fn sizes_of_buffers() {
    let device = &device();
    fails!(Buffer::<u8>::new(device, 0), Error::EmptyBuffer, "at least 1");
    fails!(Buffer::<f64>::from_slice(device, &[]), Error::EmptyBuffer, "at least 1");
    let limit = i32::MAX as usize;
    fails!(
        Buffer::<u8>::new(device, limit + 1),
        Error::BufferTooLarge { .. },
        "2147483648",
        "u8",
        "2147483647"
    );
    fails!(Buffer::<f32>::new(device, limit / 4 + 1), Error::BufferTooLarge { .. }, "f32", "536870911");
    fails!(Buffer::<u64>::new(device, usize::MAX), Error::BufferTooLarge { .. }, "u64", "several");
}

#[test]
fn lengths_of_slices() {
    let mut buffer = Buffer::from_slice(&device(), &[1u32, 2, 3]).expect("a buffer");
    fails!(buffer.write_slice(&[1, 2]), Error::BufferLength { .. }, "2 elements", "of 3");
    fails!(buffer.write_slice(&[1, 2, 3, 4]), Error::BufferLength { .. }, "4 elements", "of 3");
    assert_eq!(buffer.to_vec().expect("its elements"), [1, 2, 3], "it stays as it is");
}

#[kernel]
fn block<const N: usize>(x: &Buffer<f32>) {
    let _v = x.read::<N>(0);
}

#[kernel]
fn written<const N: usize>(y: &mut Buffer<u32>) {
    y.write(0, &Vector::<u32, N>::splat(1));
}

#[kernel]
fn gathered<const N: usize>(x: &Buffer<f32>) {
    let _v = x.read_scattered(0, &Vector::<u8, N>::splat(1));
}

#[kernel]
fn scattered<const N: usize>(y: &mut Buffer<u32>) {
    y.write_scattered(0, &Vector::<u8, N>::splat(1), &Vector::<u32, N>::splat(1));
}

#[kernel]
fn counted<const N: usize>(y: &mut Buffer<u32>) {
    y.write_atomic(atomic::Inc, &Vector::<u8, N>::splat(1));
}

#[kernel]
fn fetched<const N: usize>(y: &mut Buffer<u32>) {
    let _old = y.fetch_atomic(atomic::Inc, &Vector::<u8, N>::splat(1));
}

#[kernel]
fn computed_offset(y: &mut Buffer<u32>) {
    for i in 0..3 {
        y.write(i * 8, &Vector::<u32, 4>::splat(1));
    }
}

#[kernel]
fn computed_dword_offset(x: &Buffer<f32>) {
    for i in 0..3 {
        let _v = x.read_dwaligned::<4>(i * 2);
    }
}

#[kernel]
fn negative_offset(x: &Buffer<f32>) {
    for i in 0..3 {
        let _v = x.read::<4>(-16 * i);
    }
}

#[kernel]
fn negative_base(x: &Buffer<f32>, at: Vector<u32, 4>) {
    for i in 0..3 {
        let _v = x.read_scattered(-i, &at);
    }
}

#[kernel]
fn negative_byte_base(x: &Buffer<f32>, at: Vector<u32, 4>) {
    for i in 0..3 {
        let _v = x.read_scaled(-4 * i, &at);
    }
}

#[kernel]
fn masked<const N: usize>(y: &mut Buffer<u32>) {
    let at = Vector::<u8, N>::splat(1);
    y.write_scaled_masked(&at, 0, &at, &Vector::<u32, N>::splat(1));
}

#[kernel]
fn loaded<const N: usize>(x: &Buffer<f32>) {
    x.prefetch::<N>(0);
    let _v = x.load::<N>(4);
}

#[kernel]
fn stored<const N: usize>(y: &mut Buffer<u32>) {
    y.store(4, &Vector::<u32, N>::splat(1));
}

#[kernel]
fn thread_offset(x: &Buffer<f32>) {
    let _v = x.read::<4>(thread_origin_x() * 8);
}

#[kernel]
fn thread_dword_offset(x: &Buffer<f32>) {
    let _v = x.read_dwaligned::<4>(thread_origin_y() + 4);
}

#[kernel]
fn thread_write_offset(y: &mut Buffer<u32>) {
    y.write(thread_origin_x() * 16 + 4, &Vector::<u32, 4>::splat(1));
}

#[test]
fn rules_that_show_when_recorded() -> cm::Result<()> {
    let (device, space) = (device(), space(2, 1));
    let x = Buffer::<f32>::new(&device, 64)?;
    let mut y = Buffer::<u32>::new(&device, 64)?;
    fails!(block::<3>::launch(&device, space, &x), Error::Record(_), "12 bytes", "16 to 128");
    fails!(block::<33>::launch(&device, space, &x), Error::Record(_), "132 bytes", "pieces");
    fails!(written::<12>::launch(&device, space, &mut y), Error::Record(_), "48 bytes", "16, 32, 64 or 128");
    fails!(written::<64>::launch(&device, space, &mut y), Error::Record(_), "256 bytes");
    fails!(gathered::<24>::launch(&device, space, &x), Error::Record(_), "24 elements", "groups");
    fails!(scattered::<64>::launch(&device, space, &mut y), Error::Record(_), "64 elements", "groups");
    fails!(counted::<3>::launch(&device, space, &mut y), Error::Record(_), "3 elements");
    fails!(fetched::<48>::launch(&device, space, &mut y), Error::Record(_), "48 elements");
    fails!(computed_offset::launch(&device, space, &mut y), Error::Record(_), "byte 8", "multiple of 16");
    fails!(computed_dword_offset::launch(&device, space, &x), Error::Record(_), "byte 2", "multiple of 4");
    fails!(negative_offset::launch(&device, space, &x), Error::Record(_), "byte -16", "0 to 2147483647");
    let at = Vector::splat(1);
    fails!(negative_base::launch(&device, space, &x, at), Error::Record(_), "-1 elements", "0 to 2147483647");
    fails!(
        negative_byte_base::launch(&device, space, &x, at),
        Error::Record(_),
        "-4 bytes",
        "0 to 2147483647"
    );
    fails!(
        loaded::<3>::launch(&device, space, &x),
        Error::Record(_),
        "12 bytes",
        "4, 8, 16, 32, 64, 128 or 256"
    );
    fails!(stored::<128>::launch(&device, space, &mut y), Error::Record(_), "512 bytes", "pieces");
    fails!(masked::<24>::launch(&device, space, &mut y), Error::Record(_), "24 elements", "groups");
    for (result, alignment) in [
        (thread_offset::launch(&device, space, &x), "16"),
        (thread_dword_offset::launch(&device, space, &x), "4"),
        (thread_write_offset::launch(&device, space, &mut y), "16"),
    ] {
        fails!(
            result,
            Error::Record(_),
            &format!("multiples of {alignment}"),
            "bytes, not elements",
            "errors.rs:"
        );
    }
    assert_eq!(y.to_vec()?, [0; 64], "nothing ran");
    Ok(())
}
