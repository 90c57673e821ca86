//! The order in which threads run.

use cm::interpret::{BUDGET, InterpretArg, interpret_space};
use cm::prelude::*;
use cm::{DependencyPattern, Event};
use cm_test_kernels::waves::{BORDER, EDGES, VECTORS, chain, edge_chain, smear};
use cm_test_support::memory::Memory;
use cm_test_support::numbers::elements;

use super::devices;

type Launch = fn(&Device, ThreadSpace, &mut Surface2D) -> cm::Result<Event>;

/// The patterns of [`VECTORS`], each with its kernel.
fn chains() -> [(DependencyPattern, Launch, cm::ir::Function); 9] {
    type Pattern = DependencyPattern;
    let custom = |n: usize| Pattern::custom(VECTORS[n]).unwrap();
    macro_rules! chains {
        ($($n:literal $pattern:expr),*) => {
            [$(($pattern, chain::<$n>::launch as Launch, chain::<$n>::ir().unwrap())),*]
        };
    }
    chains![
        0 Pattern::VERTICAL_WAVE,
        1 Pattern::HORIZONTAL_WAVE,
        2 Pattern::WAVEFRONT,
        3 Pattern::WAVEFRONT26,
        4 Pattern::WAVEFRONT26Z,
        5 Pattern::WAVEFRONT26X,
        6 custom(6),
        7 custom(7),
        8 custom(8)
    ]
}

/// Texels of a row of the levels, and rows.
fn extent(size: [usize; 2]) -> [usize; 2] {
    size.map(|threads| threads + 2 * BORDER)
}

/// The levels of a space, with their border: the length of the longest chain of threads that ends at each
/// thread. Dependencies on threads that come later in the dispatch order do not count.
fn levels(n: usize, [width, height]: [usize; 2]) -> Vec<u32> {
    let (columns, block) = (extent([width, height])[0], [[2, 2], [1, 4]].get(n.wrapping_sub(4)));
    let mut threads: Vec<[usize; 2]> = (0..height).flat_map(|y| (0..width).map(move |x| [x, y])).collect();
    if let Some([w, h]) = block {
        threads.sort_by_key(|[x, y]| [y / h, x / w, y % h, x % w]);
    }
    let mut levels = vec![0; columns * extent([width, height])[1]];
    // Other vectors may lead to later threads, so repeat this until nothing changes.
    let rounds = if block.is_some() { 1 } else { width * height };
    for _ in 0..rounds {
        let before = levels.clone();
        for [x, y] in &threads {
            let at = |[dx, dy]: [i32; 2]| {
                let [x, y] = [(x, dx), (y, dy)].map(|(k, d)| (*k + BORDER).wrapping_add_signed(d as isize));
                y * columns + x
            };
            levels[at([0, 0])] = VECTORS[n].iter().map(|vector| levels[at(*vector)]).max().unwrap() + 1;
        }
        if before == levels {
            break;
        }
    }
    levels
}

const SIZES: [[usize; 2]; 5] = [[1, 1], [2, 2], [9, 5], [5, 9], [13, 12]];

#[test]
fn threads_run_after_those_that_they_wait_for() -> cm::Result<()> {
    for (n, (pattern, launch, _)) in chains().into_iter().enumerate() {
        for size @ [width, height] in SIZES {
            let expected = levels(n, size);
            let space = ThreadSpace::new(width, height)?.with_dependencies(pattern);
            for device in devices() {
                let [columns, rows] = extent(size);
                let mut found = Surface2D::new(&device, Format::R32, columns, rows)?;
                launch(&device, space, &mut found)?;
                let found: Vec<u32> = elements(&found.to_vec()?);
                assert_eq!(found, expected, "{pattern:?}, {size:?} on {}", device.name());
            }
        }
    }
    Ok(())
}

#[test]
fn the_interpreter_has_the_same_order() {
    for (n, (pattern, _, function)) in chains().into_iter().enumerate() {
        for size in SIZES {
            let [columns, rows] = extent(size);
            let mut memory = Memory::new(4, columns * 4, rows, &vec![0; columns * 4 * rows]);
            let args = &mut [InterpretArg::Surface(&mut memory)];
            let threads = size.map(|n| n as u32);
            interpret_space(&function, args, threads, pattern, BUDGET, &mut |_| {}).unwrap();
            let found: Vec<u32> = elements(&memory.bytes());
            assert_eq!(found, levels(n, size), "{pattern:?}, {size:?}");
        }
    }
}

/// The levels of the edges of macro blocks, in CM's order of dispatch: macro blocks in raster order, in each the even
/// columns, then the odd ones.
fn edge_levels([w, h]: [usize; 2], [width, height]: [usize; 2]) -> Vec<u32> {
    let columns = extent([width, height])[0];
    let mut threads: Vec<[usize; 2]> = (0..width).flat_map(|x| (0..height).map(move |y| [x, y])).collect();
    threads.sort_by_key(|[x, y]| [y / h, x / w, x % 2]);
    let mut levels = vec![0; columns * extent([width, height])[1]];
    for [x, y] in threads {
        let at = |[dx, dy]: [i32; 2]| {
            let [x, y] = [(x, dx), (y, dy)].map(|(k, d)| (k + BORDER).wrapping_add_signed(d as isize));
            y * columns + x
        };
        levels[at([0, 0])] = EDGES.iter().map(|vector| levels[at(*vector)]).max().unwrap() + 1;
    }
    levels
}

#[test]
fn edges_of_macro_blocks_wait_for_those_before_them() -> cm::Result<()> {
    macro_rules! check {
        ($($w:literal x $h:literal)*) => {$(
            let pattern = DependencyPattern::wavefront26zi($w, $h).unwrap();
            for size @ [width, height] in SIZES {
                let (expected, [columns, rows]) = (edge_levels([$w, $h], size), extent(size));
                for device in devices() {
                    let mut found = Surface2D::new(&device, Format::R32, columns, rows)?;
                    let space = ThreadSpace::new(width, height)?.with_dependencies(pattern);
                    edge_chain::<$w, $h>::launch(&device, space, &mut found)?;
                    let found: Vec<u32> = elements(&found.to_vec()?);
                    assert_eq!(found, expected, "{pattern:?}, {size:?} on {}", device.name());
                }
                let mut memory = Memory::new(4, columns * 4, rows, &vec![0; columns * 4 * rows]);
                let args = &mut [InterpretArg::Surface(&mut memory)];
                let (function, threads) = (edge_chain::<$w, $h>::ir()?, size.map(|n| n as u32));
                interpret_space(&function, args, threads, pattern, BUDGET, &mut |_| {}).unwrap();
                assert_eq!(elements::<u32>(&memory.bytes()), expected, "{pattern:?}, {size:?}, interpreted");
            }
        )*};
    }
    check! { 2 x 1  2 x 2  4 x 3  16 x 8 }
    Ok(())
}

/// Kernels that read data of earlier waves run on several cores.
#[test]
fn waves_run_on_all_cores() -> cm::Result<()> {
    let cpu = Device::cpu_with_threads(2)?;
    for (pattern, launch, _) in chains() {
        let [columns, rows] = extent([100, 60]);
        let mut levels = Surface2D::new(&cpu, Format::R32, columns, rows)?;
        let space = ThreadSpace::new(100, 60)?.with_dependencies(pattern);
        assert_eq!(launch(&cpu, space, &mut levels)?.workers(), 2, "{pattern:?}");
    }
    Ok(())
}

/// With too few dependencies, nothing can be proven: threads of a wave run in raster order.
#[test]
fn threads_of_a_wave_that_disturb_each_other_run_in_raster_order() -> cm::Result<()> {
    let size = [40, 30];
    for threads in [1, 2, 5] {
        let cpu = Device::cpu_with_threads(threads)?;
        let [columns, rows] = extent(size);
        let mut found = Surface2D::new(&cpu, Format::R32, columns, rows)?;
        let space = ThreadSpace::new(40, 30)?.with_dependencies(DependencyPattern::WAVEFRONT);
        let event = chain::<3>::launch(&cpu, space, &mut found)?;
        assert_eq!(event.workers(), 1);
        let found: Vec<u32> = elements(&found.to_vec()?);
        assert_eq!(found, levels(3, size));
    }
    Ok(())
}

/// Rows of threads, which run side by side on wide registers, with reads beyond both edges.
#[test]
fn rows_of_threads_run_one_after_the_other() -> cm::Result<()> {
    let (width, height, threads) = (16 * 21 + 8, 40, [22, 37]);
    let picture: Vec<u8> = (0..width * height).map(|n| (n * n / 7 + n / width * 31) as u8).collect();
    let mut expected = picture.clone();
    for y in 0..threads[1] {
        for x in 0..width {
            let above = |x: isize| u32::from(expected[y * width + x.clamp(0, width as isize - 1) as usize]);
            let x = x as isize;
            let own = u32::from(expected[(y + 1) * width + x as usize]);
            let mean = (above(x - 1) + above(x) + above(x + 1) + own + 2) >> 2;
            expected[(y + 1) * width + x as usize] = mean as u8;
        }
    }
    for device in devices() {
        let mut image = Surface2D::from_bytes(&device, Format::R8, width, height, &picture)?;
        let space = ThreadSpace::new(threads[0], threads[1])?
            .with_dependencies(DependencyPattern::custom(&[[-1, -1], [0, -1], [1, -1]])?);
        let event = smear::launch(&device, space, &mut image)?;
        assert!(image.to_vec()? == expected, "on {}", device.name());
        assert!(event.workers() != 1 || device.name().contains("1 thread"), "{}", device.name());
    }
    Ok(())
}

#[test]
fn launches_of_a_scope_follow_each_other() -> cm::Result<()> {
    for device in devices() {
        let [columns, rows] = extent([9, 5]);
        let (mut first, mut second) = (
            Surface2D::new(&device, Format::R32, columns, rows)?,
            Surface2D::new(&device, Format::R32, columns, rows)?,
        );
        let space = ThreadSpace::new(9, 5)?;
        device.scope(|scope| {
            chain::<3>::enqueue(scope, space.with_dependencies(DependencyPattern::WAVEFRONT26), &mut first)?;
            chain::<2>::enqueue(scope, space.with_dependencies(DependencyPattern::WAVEFRONT), &mut second)
        })?;
        for (n, found) in [(3, first), (2, second)] {
            let found: Vec<u32> = elements(&found.to_vec()?);
            assert_eq!(found, levels(n, [9, 5]), "on {}", device.name());
        }
    }
    Ok(())
}
