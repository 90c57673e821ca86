//! The ids of threads and groups, and launches of groups.

use cm::LevelZeroError;
use cm::prelude::*;
use cm_test_support::cases::cases;
use cm_test_support::devices::{devices, level_zero};
use cm_test_support::groups::interpreted;
use proptest::prelude::*;

use super::bytes;

/// The numbers that a thread writes.
const IDS: usize = 20;

/// Writes every id; each thread writes 32 numbers.
#[kernel]
fn ids(output: &mut Buffer<u32>) {
    let mut all = Vector::<u32, 32>::splat(0);
    for dimension in 0..3usize {
        all.get_mut(dimension).assign(local_id(dimension));
        all.get_mut(3 + dimension).assign(local_size(dimension));
        all.get_mut(6 + dimension).assign(group_id(dimension));
        all.get_mut(9 + dimension).assign(group_count(dimension));
    }
    all.get_mut(12).assign(linear_local_id());
    all.get_mut(13).assign(linear_local_size());
    all.get_mut(14).assign(linear_group_id());
    all.get_mut(15).assign(linear_group_count());
    all.get_mut(16).assign(linear_global_id());
    all.get_mut(17).assign(linear_global_size());
    all.get_mut(18).assign(thread_origin_x());
    all.get_mut(19).assign(thread_origin_y());
    output.write(linear_global_id() * 128, &all);
}

/// The same, by plain loops.
fn expected(groups: [usize; 3], local: [usize; 3]) -> Vec<u32> {
    let mut all = vec![];
    for (n, group) in raster(groups).into_iter().enumerate() {
        for (m, id) in raster(local).into_iter().enumerate() {
            let (sizes, size) = (local, local[0] * local[1] * local[2]);
            let count = groups[0] * groups[1] * groups[2];
            let origin = [0, 1].map(|axis| group[axis] * local[axis] + id[axis]);
            let own = [id, sizes, group, groups].concat();
            let linear = [m, size, n, count, n * size + m, count * size, origin[0], origin[1]];
            let mut numbers: Vec<u32> = own.into_iter().chain(linear).map(|n| n as u32).collect();
            assert_eq!(numbers.len(), IDS);
            numbers.resize(32, 0);
            all.extend(numbers);
        }
    }
    all
}

fn raster([width, height, depth]: [usize; 3]) -> Vec<[usize; 3]> {
    let rows = (0..depth).flat_map(|z| (0..height).map(move |y| (y, z)));
    rows.flat_map(|(y, z)| (0..width).map(move |x| [x, y, z])).collect()
}

fn check_ids(groups: [usize; 3], local: [usize; 3]) -> cm::Result<()> {
    let expected = expected(groups, local);
    for device in &devices(2) {
        let mut output = Buffer::<u32>::new(device, expected.len())?;
        ids::launch(device, ThreadGroups::new(groups, local)?, &mut output)?;
        assert_eq!(output.to_vec()?, expected, "{groups:?} of {local:?} on {device:?}");
    }
    let after = interpreted(&ids::ir()?, (groups, local), vec![vec![0; expected.len() * 4]]);
    assert_eq!(bytemuck::cast_slice::<u8, u32>(&after.unwrap()[0]), expected, "interpreted");
    Ok(())
}

#[test]
fn threads_know_where_they_are() -> cm::Result<()> {
    check_ids([1; 3], [1; 3])?;
    check_ids([3, 2, 2], [4, 3, 2])?;
    check_ids([5, 1, 1], [1, 7, 1])
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn threads_of_random_groups_know_where_they_are(
        groups in [1usize..6, 1usize..4, 1usize..4],
        local in [1usize..7, 1usize..5, 1usize..3],
    ) {
        check_ids(groups, local).unwrap();
    }
}

/// In a thread space, every thread is a group.
#[test]
fn groups_of_thread_spaces_are_single_threads() -> cm::Result<()> {
    for device in &devices(2) {
        let mut output = Buffer::<u32>::new(device, 7 * 3 * 32)?;
        ids::launch(device, ThreadSpace::new(7, 3)?, &mut output)?;
        assert_eq!(output.to_vec()?, expected([7, 3, 1], [1; 3]), "{device:?}");
        device.scope(|scope| ids::enqueue(scope, ThreadGroups::new([3, 1, 1], [2, 1, 1])?, &mut output))?;
        assert_eq!(output.to_vec()?[..192], expected([3, 1, 1], [2, 1, 1]), "{device:?}");
    }
    Ok(())
}

/// Does not use groups.
#[kernel]
fn columns(output: &mut Buffer<u32>) {
    output.write(
        thread_origin_x() * 16,
        &Vector::<u32, 4>::splat(thread_origin_x() + thread_origin_y() * 100_000),
    );
}

/// Rows may have more threads than a thread space allows, and run on all cores.
#[test]
fn rows_of_groups_are_longer_than_thread_spaces() -> cm::Result<()> {
    let expected: Vec<u32> = (0..20_000).flat_map(|n| [n; 4]).collect();
    for device in &devices(2) {
        for (groups, local) in [(5000, 4), (20_000, 1)] {
            let mut output = Buffer::<u32>::new(device, expected.len())?;
            let event =
                columns::launch(device, ThreadGroups::new([groups, 1, 1], [local, 1, 1])?, &mut output)?;
            assert_eq!(output.to_vec()?, expected, "{device:?}");
            assert!(device.name().contains("Level Zero") || event.workers() == 2, "{device:?}: {event:?}");
        }
    }
    Ok(())
}

/// The bytes that a group writes are proven from its ids.
#[kernel]
fn tiles(output: &mut Surface2D) {
    let (x, y) = (group_id(0) * 32 + local_id(0) * 8, group_id(1) * 4 + local_id(1) * 2);
    output.write(x, y, &Matrix::<u8, 2, 8>::splat(linear_global_id()));
}

/// Planes of groups are below each other in the surface.
#[kernel]
fn planes(output: &mut Surface2D) {
    let y = (group_id(2) * group_count(1) + group_id(1)) * 4 + local_id(2) * 2 + local_id(1);
    output.write(thread_origin_x() * 4, y, &Vector::<u32, 1>::splat(linear_global_id()));
}

/// All groups write the same bytes.
#[kernel]
fn one_place(output: &mut Buffer<u32>) {
    output.write(local_id(0) * 16, &Vector::<u32, 4>::splat(linear_group_id()));
}

#[test]
fn groups_that_write_disjoint_bytes_run_on_all_cores() -> cm::Result<()> {
    let cpu = Device::cpu_with_threads(2)?;
    let mut surface = Surface2D::new(&cpu, Format::R8, 32 * 20, 4 * 10)?;
    let event = tiles::launch(&cpu, ThreadGroups::new([20, 10, 1], [4, 2, 1])?, &mut surface)?;
    assert_eq!(event.workers(), 2);
    let bytes = surface.to_vec()?;
    for (y, row) in bytes.chunks(640).enumerate() {
        for (x, byte) in row.iter().enumerate() {
            let (group, local) = (y / 4 * 20 + x / 32, y % 4 / 2 * 4 + x % 32 / 8);
            assert_eq!(*byte, (group * 8 + local) as u8, "{x} {y}");
        }
    }
    let mut surface = Surface2D::new(&cpu, Format::R32, 8 * 3, 5 * 7 * 4)?;
    let event = planes::launch(&cpu, ThreadGroups::new([8, 5, 7], [3, 2, 2])?, &mut surface)?;
    assert_eq!(event.workers(), 2);
    let bytes = surface.to_vec()?;
    for (n, found) in bytemuck::cast_slice::<u8, u32>(&bytes).iter().enumerate() {
        let (x, y) = (n % 24, n / 24);
        let group = y / 4 * 8 + x / 3;
        let local = (y % 4 / 2 * 2 + y % 2) * 3 + x % 3;
        assert_eq!(*found as usize, group * 12 + local, "{x} {y}");
    }
    let mut output = Buffer::<u32>::new(&cpu, 8)?;
    let event = one_place::launch(&cpu, ThreadGroups::new([500, 1, 1], [2, 1, 1])?, &mut output)?;
    assert_eq!((event.workers(), output.to_vec()?), (1, vec![499; 8]), "one after the other");
    Ok(())
}

#[test]
fn groups_have_limits() {
    for (groups, threads) in [
        ([0, 1, 1], [1; 3]),
        ([1; 3], [1, 0, 1]),
        ([1; 3], [43, 3, 1]),
        ([1; 3], [1 << 32, 1 << 32, 1]),
        ([1 << 16, 1 << 16, 1], [1; 3]),
        ([usize::MAX, usize::MAX, 2], [1; 3]),
    ] {
        let error = ThreadGroups::new(groups, threads).unwrap_err();
        assert!(matches!(error, cm::Error::ThreadGroups { .. }));
        let message = error.to_string();
        assert!(message.contains(&format!("{groups:?} groups of {threads:?}")), "{message}");
        let rule = if groups.contains(&0) || threads.contains(&0) { "at least 1" } else { "at most" };
        assert!(message.contains(rule), "{message}");
    }
    assert!(ThreadGroups::new([1 << 16, (1 << 16) - 1, 1], [1; 3]).is_ok());
    assert!(ThreadGroups::new([1; 3], [32, 2, 2]).is_ok());
}

#[test]
fn devices_have_limits() -> cm::Result<()> {
    let groups = ThreadGroups::new([1; 3], [128, 1, 1])?;
    let cpu = Device::cpu()?;
    let mut output = Buffer::<u32>::new(&cpu, 128 * 32)?;
    ids::launch(&cpu, groups, &mut output)?;
    assert_eq!(bytes(&output)?, bytemuck::cast_slice::<u32, u8>(&expected([1; 3], [128, 1, 1])));
    if let Some(gpu) = level_zero() {
        let mut output = Buffer::<u32>::new(gpu, 128 * 32)?;
        match ids::launch(gpu, groups, &mut output) {
            // A subslice of 16 units with 8 threads each has space for them.
            Ok(_) => {
                let expected = expected([1; 3], [128, 1, 1]);
                assert_eq!(bytes(&output)?, bytemuck::cast_slice::<u32, u8>(&expected));
            }
            Err(cm::Error::LevelZero(LevelZeroError::Groups { count, limit, .. })) => {
                assert_eq!(count, 128);
                assert!((32..128).contains(&limit), "{limit}");
            }
            Err(error) => panic!("{error}"),
        }
        // A kernel that does not use groups has none.
        let mut output = Buffer::<u32>::new(gpu, 128 * 4)?;
        columns::launch(gpu, groups, &mut output)?;
        assert_eq!(output.to_vec()?[508..], [127; 4]);
    }
    Ok(())
}

#[kernel]
fn fourth(output: &mut Buffer<u32>) {
    output.write(local_id(3) * 16, &Vector::<u32, 4>::splat(1));
}

#[test]
fn there_are_three_dimensions() {
    let error = fourth::ir().unwrap_err().to_string();
    assert!(error.contains("dimension 3 of a group of threads"), "{error}");
}

/// Counts its launches.
#[kernel]
fn counted(output: &mut Buffer<u32>) {
    let mut at = Vector::<u32, 1>::splat(0);
    at.assign(thread_origin_x());
    output.write_atomic(atomic::Inc, &at);
}

/// A kernel that does not use groups does the same in each plane.
#[test]
fn planes_run_one_by_one() -> cm::Result<()> {
    for device in &devices(2) {
        let mut output = Buffer::<u32>::new(device, 8)?;
        counted::launch(device, ThreadGroups::new([2, 1, 3], [3, 1, 2])?, &mut output)?;
        assert_eq!(output.to_vec()?, [6, 6, 6, 6, 6, 6, 0, 0], "{device:?}");
        device
            .scope(|scope| counted::enqueue(scope, ThreadGroups::new([1, 1, 2], [1, 1, 1])?, &mut output))?;
        assert_eq!(output.to_vec()?[..2], [8, 6], "{device:?}");
    }
    Ok(())
}

/// Writes its position in the group to a row. The surface is its only argument.
#[kernel]
fn rows_of_groups(output: &mut Surface2D) {
    let number: Vector<u8, 4> = (Vector::<u32, 4>::splat(local_id(1)) + 1u32).convert();
    output.write(group_id(0) * 4, local_id(1), &number);
}

/// The compiler and the driver of a GPU must agree on the location of local ids, with and without other
/// arguments.
#[test]
fn kernels_without_numbers_as_arguments_know_their_ids() {
    for device in &devices(2) {
        let rows: Vec<u8> = (1..=4).flat_map(|row| [row; 12]).collect();
        // Drivers reuse the memory of arguments, so it contains those of other launches.
        for round in 0..24 {
            let mut output = Surface2D::new(device, Format::R8, 12, 4).unwrap();
            rows_of_groups::launch(device, ThreadGroups::new([3, 1, 1], [1, 4, 1]).unwrap(), &mut output)
                .unwrap();
            assert_eq!(output.to_vec().unwrap(), rows, "{}, round {round}", device.name());
            let mut numbers = Buffer::<u32>::new(device, 6 * 32).unwrap();
            ids::launch(device, ThreadGroups::new([1, 2, 1], [3, 1, 1]).unwrap(), &mut numbers).unwrap();
        }
    }
}
