//! Typed accesses whose texels follow from the coordinates of the thread: they run on all cores. Others run in order.

use cm::channels::{CM_ABGR, CM_G, CM_R};
use cm::prelude::*;
use cm::{CpuEngine, DependencyPattern};
use cm_test_support::devices::devices;
use cm_test_support::noise;

const LANES: [i32; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Each thread has 16 texels of a row. The last threads of a row are partly outside.
#[kernel]
fn rows_of_16(picture: &mut Surface2D, least: u32) {
    let u = Vector::<i32, 16>::constant(LANES) + thread_origin_x() * 16;
    let v = Vector::<i32, 16>::splat(0) + thread_origin_y();
    let texels = picture.read_typed::<u32, CM_R, 1, 16>(&u, &v);
    let red = texels.row(0);
    let more: Matrix<u32, 1, 16> = texels + 3u32;
    picture.write_typed_masked::<CM_R, 1, 16>(&(red >= least), &u, &v, &more);
}

/// Each thread has a column of 4 texels with four channels, and changes two of the channels in different accesses.
#[kernel]
fn columns_of_4(picture: &mut Surface2D) {
    let u = Vector::<u32, 4>::splat(0) + thread_origin_x();
    let v = Vector::<u32, 4>::constant([0, 1, 2, 3]) + thread_origin_y() * 4;
    let texels = picture.read_typed::<u32, CM_ABGR, 4, 4>(&u, &v);
    let swapped: Matrix<u32, 1, 4> = texels.select::<1, 1, 4, 1>(0, 0).convert();
    picture.write_typed::<CM_G, 1, 4>(&u, &v, &swapped);
    picture.write_typed::<CM_R, 1, 4>(&u, &v, &texels.select::<1, 1, 4, 1>(1, 0).convert::<u32>());
}

/// Each thread counts its own texels.
#[kernel]
fn own_counts(counts: &mut Surface2D) {
    let u = Vector::<i32, 16>::constant(LANES) + thread_origin_x() * 16;
    let v = Vector::<i32, 16>::splat(0) + thread_origin_y();
    counts.write_typed_atomic::<u32, 16>(atomic::Inc, &u, &v);
    counts.write_typed_atomic_masked::<u32, 16>(&(u & 1), atomic::Add(&Vector::splat(10)), &u, &v);
}

/// Threads share half of their texels with the next one.
#[kernel]
fn overlapping(picture: &mut Surface2D) {
    let u = Vector::<i32, 16>::constant(LANES) + thread_origin_x() * 8;
    let v = Vector::<i32, 16>::splat(0) + thread_origin_y();
    let number: Matrix<u32, 1, 16> = (Matrix::<u32, 1, 16>::splat(1) + thread_origin_x()).convert();
    picture.write_typed::<CM_R, 1, 16>(&u, &v, &number);
}

/// The columns depend on data.
#[kernel]
fn anywhere(picture: &mut Surface2D, columns: &Buffer<u32>) {
    let u = columns.read::<8>(thread_origin_x() * 32);
    let v = Vector::<u32, 8>::splat(0);
    picture.write_typed::<CM_R, 1, 8>(&u, &v, &Matrix::<u32, 1, 8>::splat(7));
}

/// Sums along rows: each thread adds a column to the next one, which the next thread reads.
#[kernel]
fn sums_of_columns(picture: &mut Surface2D) {
    let u = Vector::<u32, 8>::splat(0) + thread_origin_x();
    let v = Vector::<u32, 8>::constant([0, 1, 2, 3, 4, 5, 6, 7]) + thread_origin_y() * 8;
    let before = picture.read_typed::<u32, CM_R, 1, 8>(&u, &v);
    let own = picture.read_typed::<u32, CM_R, 1, 8>(&(u + 1), &v);
    picture.write_typed::<CM_R, 1, 8>(&(u + 1), &v, &(before + own));
}

/// Both engines of the CPU on three workers, and the other devices.
fn all() -> Vec<Device> {
    devices(3)
}

/// Launches a kernel on a picture on all devices. The CPU uses several cores, and all devices give these bytes.
fn check(
    [width, height]: [usize; 2],
    (format, bytes, expected): (Format, &[u8], &[u8]),
    launch: impl Fn(&Device, &mut Surface2D) -> cm::Result<Event>,
) -> cm::Result<()> {
    for device in all() {
        let mut picture = Surface2D::from_bytes(&device, format, width, height, bytes)?;
        let event = launch(&device, &mut picture)?;
        assert!(picture.to_vec()? == expected, "{}", device.name());
        if !device.is_gpu() {
            assert_eq!(event.ran_one_by_one(), None, "{}", device.name());
            assert!(event.workers() > 1, "{}: {} workers", device.name(), event.workers());
        }
    }
    Ok(())
}

#[test]
fn rows_of_texels_are_the_thread_s_own() -> cm::Result<()> {
    let (width, height) = (1020, 300);
    let bytes = noise::bytes(width * height, 0);
    let expected: Vec<u8> = bytes.iter().map(|&x| if x >= 100 { x.saturating_add(3) } else { x }).collect();
    check([width, height], (Format::R8, &bytes, &expected), |device, picture| {
        rows_of_16::launch(device, ThreadSpace::new(width.div_ceil(16), height)?, picture, 100)
    })
}

#[test]
fn columns_of_texels_are_the_thread_s_own() -> cm::Result<()> {
    let (width, height) = (500, 160);
    let bytes = noise::bytes(width * height * 4, 0);
    let swapped = |texel: &[u8]| [texel[1], texel[0], texel[2], texel[3]];
    let expected: Vec<u8> = bytes.chunks(4).flat_map(swapped).collect();
    check([width, height], (Format::Rgba8, &bytes, &expected), |device, picture| {
        columns_of_4::launch(device, ThreadSpace::new(width, height / 4)?, picture)
    })
}

#[test]
fn own_texels_are_counted_on_all_cores() -> cm::Result<()> {
    let (width, height) = (1020, 300);
    let zeros = vec![0; width * height * 4];
    let expected: Vec<u8> = (0..width * height).flat_map(|n| [1, 11_u32][n % 2].to_le_bytes()).collect();
    check([width, height], (Format::R32, &zeros, &expected), |device, counts| {
        own_counts::launch(device, ThreadSpace::new(width.div_ceil(16), height)?, counts)
    })
}

#[test]
fn texels_of_several_threads_are_written_in_order() -> cm::Result<()> {
    let (width, height) = (1024, 64);
    let threads = width / 8;
    for engine in CpuEngine::ALL {
        let device = Device::cpu_with_threads(3)?.with_cpu_engine(*engine);
        let mut picture = Surface2D::new(&device, Format::R16, width, height)?;
        let event = overlapping::launch(&device, ThreadSpace::new(threads, height)?, &mut picture)?;
        let words: Vec<u16> = bytemuck::pod_collect_to_vec(&picture.to_vec()?);
        assert!(
            words.iter().enumerate().all(|(n, x)| usize::from(*x) == n % width / 8 + 1),
            "{}",
            engine.name()
        );
        let why = event.ran_one_by_one().expect("threads that are not apart");
        assert_eq!((event.workers(), why.argument()), (1, "picture"));

        let columns = Buffer::from_slice(&device, &[5u32; 512])?;
        let event = anywhere::launch(&device, ThreadSpace::new(64, 1)?, &mut picture, &columns)?;
        let why = event.ran_one_by_one().expect("places that depend on data").to_string();
        assert!(why.ends_with("the position of the access depends on data"), "{why}");
    }
    Ok(())
}

#[test]
fn texels_of_earlier_waves_are_read() -> cm::Result<()> {
    let (width, height) = (41, 16 * 8);
    let bytes = noise::bytes(width * height, 0);
    let words: Vec<u32> = bytes.iter().map(|x| u32::from(*x)).collect();
    let sums = |row: &[u32]| {
        row.iter()
            .scan(0, |sum, x| {
                *sum += x;
                Some(*sum)
            })
            .collect::<Vec<u32>>()
    };
    let expected: Vec<u32> = words.chunks(width).flat_map(sums).collect();
    for device in all() {
        let mut picture = Surface2D::from_slice(&device, Format::R32, width, height, &words)?;
        let space =
            ThreadSpace::new(width - 1, height / 8)?.with_dependencies(DependencyPattern::VERTICAL_WAVE);
        let event = sums_of_columns::launch(&device, space, &mut picture)?;
        let mut found = vec![0; width * height];
        picture.read_into(&mut found)?;
        assert_eq!(found, expected, "{}", device.name());
        if !device.is_gpu() {
            assert_eq!(event.ran_one_by_one(), None, "{}", device.name());
        }
    }
    Ok(())
}
