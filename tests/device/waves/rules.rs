//! Ids, output and barriers of threads of thread spaces; rejected spaces.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex};

use cm::CpuEngine;
use cm::prelude::*;
use cm::{DependencyError, DependencyPattern, Error};

use super::devices;

/// Writes all ids of a thread.
#[kernel]
fn ids(output: &mut Buffer<u32>) {
    signal();
    let place = thread_origin_y() * group_count(0) + thread_origin_x();
    let mut all = Vector::<u32, 16>::splat(0);
    for axis in 0..3 {
        all.select_mut::<1, 1>(axis * 4).assign(group_id(axis));
        all.select_mut::<1, 1>(axis * 4 + 1).assign(group_count(axis));
        all.select_mut::<1, 1>(axis * 4 + 2).assign(local_id(axis));
        all.select_mut::<1, 1>(axis * 4 + 3).assign(local_size(axis));
    }
    all.select_mut::<1, 1>(12).assign(linear_global_id());
    all.select_mut::<1, 1>(13).assign(linear_global_size());
    all.select_mut::<1, 1>(14).assign(thread_origin_x());
    all.select_mut::<1, 1>(15).assign(thread_origin_y());
    output.write(place * 64, &all);
    wait();
}

#[test]
fn threads_know_the_same_with_dependencies_and_without() -> cm::Result<()> {
    let [width, height] = [7, 5];
    let mut expected = vec![];
    for y in 0..height {
        for x in 0..width {
            expected.extend([
                x,
                width,
                0,
                1,
                y,
                height,
                0,
                1,
                0,
                1,
                0,
                1,
                y * width + x,
                width * height,
                x,
                y,
            ]);
        }
    }
    for device in devices() {
        for pattern in
            [DependencyPattern::NONE, DependencyPattern::WAVEFRONT26Z, DependencyPattern::WAVEFRONT]
        {
            let mut output = Buffer::<u32>::new(&device, 7 * 5 * 16)?;
            ids::launch(&device, ThreadSpace::new(7, 5)?.with_dependencies(pattern), &mut output)?;
            assert_eq!(output.to_vec()?, expected, "{pattern:?} on {}", device.name());
        }
    }
    Ok(())
}

/// Halves of barriers in every order, as in kernels of CM.
#[kernel]
fn halves(output: &mut Buffer<u32>) {
    wait();
    barrier();
    signal();
    signal();
    output.write(thread_origin_x() * 16, &Vector::<u32, 4>::splat(thread_origin_x() + 1));
    wait();
    wait();
    fence();
    signal();
}

#[test]
fn threads_of_thread_spaces_wait_for_nobody() -> cm::Result<()> {
    let expected: Vec<u32> = (0..100 * 4).map(|n| n / 4 + 1).collect();
    for device in devices() {
        for pattern in
            [DependencyPattern::NONE, DependencyPattern::HORIZONTAL_WAVE, DependencyPattern::VERTICAL_WAVE]
        {
            let mut output = Buffer::<u32>::new(&device, 400)?;
            let space = ThreadSpace::new(100, 1)?.with_dependencies(pattern);
            let event = halves::launch(&device, space, &mut output)?;
            assert_eq!(output.to_vec()?, expected, "{pattern:?} on {}", device.name());
            if event.workers() > 0 && pattern == DependencyPattern::VERTICAL_WAVE {
                assert_eq!(event.workers(), 1, "waves of one thread");
            }
        }
    }
    let cpu = Device::cpu_with_threads(2)?;
    let mut output = Buffer::<u32>::new(&cpu, 400)?;
    let space = ThreadSpace::new(100, 1)?.with_dependencies(DependencyPattern::HORIZONTAL_WAVE);
    assert_eq!(halves::launch(&cpu, space, &mut output)?.workers(), 2, "barriers do not slow it down");
    // In groups, the halves must alternate.
    let groups = ThreadGroups::new([100, 1, 1], [1, 1, 1])?;
    assert!(matches!(halves::launch(&cpu, groups, &mut output), Err(Error::Group { .. })));
    Ok(())
}

/// A running sum in shared memory, which each thread has for itself.
#[kernel]
fn own_memory(sums: &mut Buffer<u32>) {
    let own = slm::<u32, 4>();
    let x = thread_origin_x().convert::<i32>();
    wait();
    own.write(0, &(sums.read::<4>(x * 16) + 1).convert::<u32>());
    barrier();
    sums.write(x * 16 + 16, &own.read::<4>(0));
    signal();
}

#[test]
fn every_thread_has_shared_memory_for_itself() -> cm::Result<()> {
    for device in devices() {
        let mut sums = Buffer::<u32>::new(&device, 4 * 11)?;
        let space = ThreadSpace::new(10, 1)?.with_dependencies(DependencyPattern::VERTICAL_WAVE);
        own_memory::launch(&device, space, &mut sums)?;
        assert_eq!(sums.to_vec()?, (0..44).map(|n| n / 4).collect::<Vec<u32>>(), "on {}", device.name());
    }
    Ok(())
}

#[kernel]
fn printing(offset: u32, sums: &mut Buffer<u32>) {
    let x = thread_origin_x();
    let sum: Vector<u32, 4> = (sums.read::<4>(x * 16) + offset).convert();
    printf!("{} at {}", sum.get(1), x);
    sums.write(x * 16 + 16, &sum);
}

#[test]
fn lines_are_printed_in_the_order_of_threads() -> cm::Result<()> {
    for device in devices() {
        let lines = Arc::new(Mutex::new(vec![]));
        let kept = Arc::clone(&lines);
        let device = device.with_printf_handler(move |output| {
            kept.lock().unwrap().extend(output.lines.iter().map(|line| line.text.clone()));
        });
        let mut sums = Buffer::<u32>::new(&device, 4 * 6)?;
        let space = ThreadSpace::new(5, 1)?.with_dependencies(DependencyPattern::WAVEFRONT);
        printing::launch(&device, space, 3, &mut sums)?;
        let expected: Vec<String> = (0..5).map(|x| format!("{} at {x}", 3 * (x + 1))).collect();
        assert_eq!(*lines.lock().unwrap(), expected, "on {}", device.name());
    }
    Ok(())
}

static MOVED: AtomicI32 = AtomicI32::new(0);

/// A host number that changes.
fn moved() -> i32 {
    MOVED.load(Ordering::SeqCst)
}

#[kernel]
fn unsteady(image: &mut Surface2D) {
    let (x, y) = (thread_origin_x().convert::<i32>() * 16, thread_origin_y().convert::<i32>());
    let above = image.read::<u8, 1, 16>(x + moved(), y - 1);
    image.write(x, y, &above);
}

/// Accesses are checked against the proof for the recording: no thread may read what another thread of its
/// wave writes.
#[test]
fn accesses_are_held_to_the_recording() -> cm::Result<()> {
    let cpu = Device::cpu_with_threads(2)?.with_cpu_engine(CpuEngine::Native);
    let mut image = Surface2D::new(&cpu, Format::R8, 16 * 100, 20)?;
    let space = ThreadSpace::new(100, 20)?.with_dependencies(DependencyPattern::HORIZONTAL_WAVE);
    assert_eq!(unsteady::launch(&cpu, space, &mut image)?.workers(), 2);
    MOVED.store(4, Ordering::SeqCst);
    let launched = catch_unwind(AssertUnwindSafe(|| unsteady::launch(&cpu, space, &mut image)));
    MOVED.store(0, Ordering::SeqCst);
    let panic = launched.expect_err("the kernel is not deterministic");
    let text = panic.downcast_ref::<String>().cloned();
    let text =
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default();
    assert!(text.contains("deterministic"), "{text}");
    Ok(())
}

#[test]
fn patterns_that_are_none_are_errors() {
    fn space(size: [usize; 2], vectors: &[[i32; 2]]) -> cm::Result<ThreadSpace> {
        Ok(ThreadSpace::new(size[0], size[1])?.with_dependencies(DependencyPattern::custom(vectors)?))
    }
    assert!(matches!(space([2048, 1], &[[-1, 0]]), Err(Error::ThreadSpace { width: 2048, height: 1 })));
    for (vectors, words) in [
        (vec![[-1, 0]; 9], "a dependency pattern of 9 vectors: it has at most 8"),
        (vec![[0, 8]], "a dependency on the thread at (0, 8): each number is -8 to 7"),
        (vec![[0, 0]], "[[0, 0]] lead in a circle"),
        (vec![[-1, 0], [1, -1], [0, 1]], "wait for each other forever"),
    ] {
        let error = space([4, 4], &vectors).unwrap_err();
        assert!(matches!(error, Error::Dependencies(_)) && error.to_string().contains(words), "{error}");
    }
    assert_eq!(DependencyPattern::custom(&[[-9, 0]]), Err(DependencyError::Range { vector: [-9, 0] }));
}
