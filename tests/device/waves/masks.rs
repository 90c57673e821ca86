//! Threads that have only some of the dependencies of a pattern.

use cm::DependencyPattern;
use cm::interpret::{BUDGET, InterpretArg, interpret_waves};
use cm::ir::Waves;
use cm::prelude::*;
use cm_test_kernels::waves::{BORDER, VECTORS, masked_chain};
use cm_test_support::memory::Memory;
use cm_test_support::numbers::elements;

use super::devices;

type Mask = fn(usize, usize) -> u8;

/// Masks of all kinds: everything, nothing, slices of rows and of columns, and numbers without a rule.
const MASKS: [Mask; 5] = [
    |_, _| !0,
    |_, _| 0,
    |_, y| if y % 3 == 0 { 0 } else { !0 },
    |x, y| if x % 4 == 0 { y as u8 } else { 5 },
    |x, y| (x * 37 + y * 101 + x * y) as u8,
];

/// The pattern with these vectors.
fn pattern(n: usize) -> DependencyPattern {
    match n {
        4 => DependencyPattern::WAVEFRONT26Z,
        5 => DependencyPattern::WAVEFRONT26X,
        _ => DependencyPattern::custom(VECTORS[n]).unwrap(),
    }
}

/// The length of the longest chain of threads that ends at each thread, row by row.
fn levels(n: usize, [width, height]: [usize; 2], mask: Mask) -> Vec<u32> {
    let block = [[2, 2], [1, 4]].get(n.wrapping_sub(4)).copied();
    let dispatched = |x: i32, y: i32| block.map(|[w, h]: [i32; 2]| [y / h, x / w, y % h, x % w]);
    let mut levels = vec![1; width * height];
    for _ in 0..width * height {
        let before = levels.clone();
        for (thread, level) in levels.iter_mut().enumerate() {
            let (x, y) = (thread % width, thread / width);
            let mask = mask(x, y);
            for (k, [dx, dy]) in VECTORS[n].iter().enumerate() {
                let (ox, oy) = (x as i32 + dx, y as i32 + dy);
                let inside = (0..width as i32).contains(&ox) && (0..height as i32).contains(&oy);
                let earlier = block.is_none() || dispatched(ox, oy) < dispatched(x as i32, y as i32);
                if mask >> k & 1 == 1 && inside && earlier {
                    *level = (*level).max(before[oy as usize * width + ox as usize] + 1);
                }
            }
        }
        if before == levels {
            break;
        }
    }
    levels
}

/// The masks as a kernel reads them: a dword per thread. With patterns in blocks, the bits of threads that come later
/// are missing.
fn bits(n: usize, size: [usize; 2], mask: Mask) -> Vec<u32> {
    let block = [[2, 2], [1, 4]].get(n.wrapping_sub(4)).copied();
    let dispatched = |x: i32, y: i32| {
        block.map(|[w, h]: [i32; 2]| [y.div_euclid(h), x.div_euclid(w), y.rem_euclid(h), x.rem_euclid(w)])
    };
    let threads = (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y)));
    threads
        .map(|(x, y)| {
            let counts = VECTORS[n].iter().enumerate().filter(|(_, [dx, dy])| {
                let (x, y) = (x as i32, y as i32);
                block.is_none() || dispatched(x + dx, y + dy) < dispatched(x, y)
            });
            counts.fold(0, |bits, (k, _)| bits | u32::from(mask(x, y)) & 1 << k)
        })
        .collect()
}

/// The levels inside the border.
fn inner(found: &[u32], [width, height]: [usize; 2]) -> Vec<u32> {
    let rows = found.chunks(width + 2 * BORDER).skip(BORDER).take(height);
    rows.flat_map(|row| row[BORDER..][..width].to_vec()).collect()
}

const SIZES: [[usize; 2]; 4] = [[1, 1], [9, 5], [5, 9], [13, 12]];

#[test]
fn threads_run_after_those_that_their_mask_names() -> cm::Result<()> {
    macro_rules! check {
        ($($n:literal)*) => {$(
            for size @ [width, height] in SIZES {
                for (number, mask) in MASKS.into_iter().enumerate() {
                    let expected = levels($n, size, mask);
                    let [columns, rows] = size.map(|threads| threads + 2 * BORDER);
                    let masks = bits($n, size, mask);
                    let space = ThreadSpace::new(width, height)?.with_dependencies(pattern($n));
                    let masked = space.with_dependency_masks(mask);
                    for device in devices() {
                        let input = Surface2D::from_slice(&device, Format::R32, width, height, &masks)?;
                        let mut found = Surface2D::new(&device, Format::R32, columns, rows)?;
                        masked_chain::<$n>::launch(&device, &masked, &input, &mut found)?;
                        let found = inner(&elements(&found.to_vec()?), size);
                        assert_eq!(found, expected, "{} {size:?} {number} on {}", $n, device.name());
                    }
                    let mut input = Memory::new(4, width * 4, height, bytemuck::cast_slice(&masks));
                    let mut found = Memory::new(4, columns * 4, rows, &vec![0; columns * 4 * rows]);
                    let args = &mut [InterpretArg::Surface(&mut input), InterpretArg::Surface(&mut found)];
                    let (function, threads) = (masked_chain::<$n>::ir()?, size.map(|n| n as u32));
                    let waves = Waves::masked(pattern($n), threads, |[x, y]| mask(x as usize, y as usize));
                    assert_eq!(waves.count(), expected.iter().max().map_or(0, |most| *most as usize));
                    interpret_waves(&function, args, threads, &waves, BUDGET, &mut |_| {}).unwrap();
                    let found = inner(&elements(&found.bytes()), size);
                    assert_eq!(found, expected, "{} {size:?} {number}, interpreted", $n);
                }
            }
        )*};
    }
    check! { 1 2 3 4 5 7 8 }
    Ok(())
}

/// Sums down the columns of slices of 8 rows: a slice does not read the one above.
#[kernel]
fn slice_sums(image: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y());
    let mut sum = image.read::<u8, 1, 16>(x, y);
    if y % 8 != 0 {
        sum += image.read::<u8, 1, 16>(x, y - 1);
    }
    image.write(x, y, &sum);
}

/// Slices run at the same time on several cores, although the kernel reads the row above.
#[test]
fn slices_run_on_all_cores() -> cm::Result<()> {
    let (width, height) = (60, 64);
    let space = ThreadSpace::new(width, height)?.with_dependencies(DependencyPattern::HORIZONTAL_WAVE);
    let slices = space.with_dependency_masks(|_, y| u8::from(y % 8 != 0));
    let expected: Vec<u8> = (0..height).flat_map(|y| vec![(y % 8 + 1) as u8 * 3; width * 16]).collect();
    for device in devices() {
        let mut image =
            Surface2D::from_bytes(&device, Format::R8, width * 16, height, &vec![3; width * 16 * height])?;
        let event = slice_sums::launch(&device, &slices, &mut image)?;
        assert!(image.to_vec()? == expected, "on {}", device.name());
        assert_eq!(event.ran_one_by_one(), None, "{}", device.name());
    }
    Ok(())
}
