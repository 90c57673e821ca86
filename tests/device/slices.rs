//! 3-D surfaces whose texels follow from the coordinates of the thread: the CPU uses all cores. Others run in order.

use cm::channels::{CM_ABGR, CM_R};
use cm::prelude::*;
use cm::{CpuEngine, DependencyPattern};
use cm_test_support::devices::devices;
use cm_test_support::noise::bytes;

const LANES: [i32; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Each thread has 16 texels of a row in every slice: running sums through the slices.
#[kernel]
fn sums_through_slices(cube: &mut Surface3D, slices: u32) {
    let u = Vector::<i32, 16>::constant(LANES) + thread_origin_x() * 16;
    let v = Vector::<i32, 16>::splat(0) + thread_origin_y();
    let mut sum = Matrix::<u32, 1, 16>::splat(0);
    for z in 0..slices {
        let r = Vector::<u32, 16>::splat(0) + z;
        sum += cube.read_typed::<u32, CM_R, 1, 16>(&u, &v, &r);
        cube.write_typed::<CM_R, 1, 16>(&u, &v, &r, &sum);
    }
}

/// Each thread has a row of texels in the slice that is its third coordinate, in groups of several threads.
#[kernel]
fn halves_of_slices(cube: &mut Surface3D) {
    let (x, y) = (group_id(0) * local_size(0) + local_id(0), group_id(1) * local_size(1) + local_id(1));
    let u = Vector::<i32, 16>::constant(LANES) + x * 16;
    let v = Vector::<i32, 16>::splat(0) + y;
    let r = Vector::<i32, 16>::splat(0) + (group_id(2) * local_size(2) + local_id(2));
    let texels = cube.read_typed::<u32, CM_ABGR, 4, 16>(&u, &v, &r);
    cube.write_typed::<CM_ABGR, 4, 16>(&u, &v, &r, &(texels >> 1));
}

/// Threads of a column write the same texels of different slices.
#[kernel]
fn overlapping(cube: &mut Surface3D) {
    let u = Vector::<i32, 16>::constant(LANES) + thread_origin_x() * 8;
    let zero = Vector::<i32, 16>::splat(0);
    let number: Matrix<u32, 1, 16> = (Matrix::<u32, 1, 16>::splat(1) + thread_origin_x()).convert();
    cube.write_typed::<CM_R, 1, 16>(&u, &zero, &(zero + thread_origin_y()), &number);
}

/// The slices depend on data.
#[kernel]
fn anywhere(cube: &mut Surface3D, slices: &Buffer<u32>) {
    let r = slices.read::<8>(thread_origin_x() * 32);
    let at = Vector::<u32, 8>::splat(0);
    cube.write_typed::<CM_R, 1, 8>(&at, &at, &r, &Matrix::<u32, 1, 8>::splat(7));
}

/// Sums along rows in each of 8 slices: each thread adds a column to the next one, which the next thread reads.
#[kernel]
fn sums_of_columns(cube: &mut Surface3D) {
    let u = Vector::<u32, 8>::splat(0) + thread_origin_x();
    let v = Vector::<u32, 8>::splat(0) + thread_origin_y();
    let r = Vector::<u32, 8>::constant([0, 1, 2, 3, 4, 5, 6, 7]);
    let before = cube.read_typed::<u32, CM_R, 1, 8>(&u, &v, &r);
    let own = cube.read_typed::<u32, CM_R, 1, 8>(&(u + 1), &v, &r);
    cube.write_typed::<CM_R, 1, 8>(&(u + 1), &v, &r, &(before + own));
}

/// Launches a kernel on a surface on all devices. The CPU uses several cores, and all devices give these bytes.
fn check(
    [width, height, depth]: [usize; 3],
    (format, bytes, expected): (Format, &[u8], &[u8]),
    launch: impl Fn(&Device, &mut Surface3D) -> cm::Result<Event>,
) -> cm::Result<()> {
    for device in devices(3) {
        let mut cube = Surface3D::from_bytes(&device, format, width, height, depth, bytes)?;
        let event = launch(&device, &mut cube)?;
        assert!(cube.to_vec()? == expected, "{}", device.name());
        if !device.is_gpu() {
            assert_eq!(event.ran_one_by_one(), None, "{}", device.name());
            assert!(event.workers() > 1, "{}: {} workers", device.name(), event.workers());
        }
    }
    Ok(())
}

#[test]
fn columns_of_slices_are_the_thread_s_own() -> cm::Result<()> {
    let size @ [width, height, depth] = [250, 100, 7];
    let words: Vec<u32> = bytes(width * height * depth, 5).into_iter().map(u32::from).collect();
    let mut sums = words.clone();
    for n in width * height..sums.len() {
        sums[n] += sums[n - width * height];
    }
    let (bytes, expected) = (bytemuck::cast_slice(&words), bytemuck::cast_slice(&sums));
    check(size, (Format::R32, bytes, expected), |device, cube| {
        let space = ThreadSpace::new(width.div_ceil(16), height)?;
        sums_through_slices::launch(device, space, cube, depth as u32)
    })
}

#[test]
fn slices_are_those_of_planes_of_threads() -> cm::Result<()> {
    let size @ [width, height, depth] = [90, 40, 12];
    let bytes = bytes(width * height * depth * 4, 5);
    let expected: Vec<u8> = bytes.iter().map(|x| x >> 1).collect();
    check(size, (Format::Rgba8, &bytes, &expected), |device, cube| {
        halves_of_slices::launch(device, ThreadGroups::new([3, 10, 6], [2, 4, 2])?, cube)
    })
}

#[test]
fn texels_of_several_threads_are_written_in_order() -> cm::Result<()> {
    let (width, depth) = (1024, 64);
    for engine in CpuEngine::ALL {
        let device = Device::cpu_with_threads(3)?.with_cpu_engine(*engine);
        let mut cube = Surface3D::new(&device, Format::R16, width, 1, depth)?;
        let event = overlapping::launch(&device, ThreadSpace::new(width / 8, depth)?, &mut cube)?;
        let words: Vec<u16> = bytemuck::pod_collect_to_vec(&cube.to_vec()?);
        let in_order = |(n, x): (usize, &u16)| usize::from(*x) == n % width / 8 + 1;
        assert!(words.iter().enumerate().all(in_order), "{}", engine.name());
        let why = event.ran_one_by_one().expect("threads that are not apart");
        assert_eq!((event.workers(), why.argument()), (1, "cube"));

        let slices = Buffer::from_slice(&device, &[5u32; 512])?;
        let event = anywhere::launch(&device, ThreadSpace::new(64, 1)?, &mut cube, &slices)?;
        let why = event.ran_one_by_one().expect("places that depend on data").to_string();
        assert!(why.ends_with("the position of the access depends on data"), "{why}");
    }
    Ok(())
}

#[test]
fn texels_of_earlier_waves_are_read() -> cm::Result<()> {
    let (width, height, depth) = (41, 16, 8);
    let words: Vec<u32> = bytes(width * height * depth, 5).into_iter().map(u32::from).collect();
    let mut sums = words.clone();
    for n in (0..sums.len()).filter(|n| n % width != 0) {
        sums[n] += sums[n - 1];
    }
    for device in devices(3) {
        let mut cube = Surface3D::from_slice(&device, Format::R32, width, height, depth, &words)?;
        let space = ThreadSpace::new(width - 1, height)?.with_dependencies(DependencyPattern::VERTICAL_WAVE);
        let event = sums_of_columns::launch(&device, space, &mut cube)?;
        let mut found = vec![0; sums.len()];
        cube.read_into(&mut found)?;
        assert_eq!(found, sums, "{}", device.name());
        if !device.is_gpu() {
            assert_eq!(event.ran_one_by_one(), None, "{}", device.name());
        }
    }
    Ok(())
}
