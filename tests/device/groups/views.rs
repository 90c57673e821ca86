//! Shared local memory as elements of other types, next to other arrays.

use cm::prelude::*;
use cm_test_support::groups::interpreted;

use super::devices;

/// An array of 24 bytes between two others: written as dwords, words and bytes, also outside of it, and read.
#[kernel]
fn viewed(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    let (before, cells, behind) = (slm::<u8, 4>(), slm::<u8, 24>(), slm::<u16, 8>());
    let first = Vector::<u32, 1>::splat(0);
    let steps = Vector::<u32, 8>::constant([0, 1, 2, 3, 4, 5, 6, 7]);
    before.format::<u32>().write_scattered(0, &first, &Vector::<u32, 1>::splat(11));
    behind.write(0, &Vector::<u16, 8>::splat(13));
    let dwords = cells.format::<u32>();
    dwords.write_scattered(0, &steps, &input.read::<8>(0));
    let words = cells.format::<u16>();
    let old = words.fetch_atomic(atomic::Add(&Vector::<u16, 8>::splat(0xfff0)), &(steps * 2));
    cells.format::<i8>().write_scattered(21, &steps, &Vector::<i8, 8>::splat(9));
    dwords.store(4, &Vector::<u32, 1>::splat(0x7060504));
    cells.format::<f32>().write(16, &Vector::<f32, 4>::splat(1.0f32));
    output.write(0, &dwords.read_scattered(0, &steps));
    output.write(32, &cells.format::<f32>().read_dwaligned::<4>(8).format::<u32>());
    output.write(48, &old.format::<u32>());
    output.write(64, &behind.format::<u32>().read::<4>(0));
    output.write_scattered(20, &first, &before.format::<u32>().read_scattered(0, &first));
}

#[test]
fn views_of_arrays_stay_inside_of_them() -> cm::Result<()> {
    let input: Vec<u32> = (0..8).map(|n| 0x8001_0020 + n * 0x10_0011).collect();
    let mut cells: Vec<u8> = bytemuck::cast_slice(&input[..6]).to_vec();
    let mut old = [0u16; 8];
    for n in 0..6 {
        old[n] = u16::from_le_bytes([cells[n * 4], cells[n * 4 + 1]]);
        cells[n * 4..][..2].copy_from_slice(&old[n].wrapping_sub(16).to_le_bytes());
    }
    cells[21..].fill(9);
    cells[4..8].copy_from_slice(&0x0706_0504u32.to_le_bytes());
    let cells: &[u32] = &cells.chunks(4).map(bytemuck::pod_read_unaligned).collect::<Vec<_>>();
    let expected: Vec<u32> = [
        &[cells, &[0; 2]].concat(),
        &cells[2..],
        &old.chunks(2).map(|pair| u32::from(pair[0]) | u32::from(pair[1]) << 16).collect::<Vec<_>>(),
        &[0xd_000d; 4],
        &[11],
    ]
    .concat();
    let groups = ([1; 3], [1; 3]);
    for device in &devices(2) {
        let mut output = Buffer::<u32>::new(device, expected.len())?;
        let input = Buffer::from_slice(device, &input)?;
        viewed::launch(device, ThreadGroups::new(groups.0, groups.1)?, &input, &mut output)?;
        assert_eq!(output.to_vec()?, expected, "{device:?}");
    }
    let before = vec![bytemuck::cast_slice(&input).to_vec(), vec![0; expected.len() * 4]];
    let after = interpreted(&viewed::ir()?, groups, before).unwrap();
    assert_eq!(after[1], bytemuck::cast_slice::<_, u8>(&expected), "interpreted");
    Ok(())
}
