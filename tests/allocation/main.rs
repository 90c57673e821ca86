//! A launch of compiled kernels in the steady state allocates nothing.

#[allow(dead_code, unreachable_pub, reason = "a module of other crates too")]
#[path = "../../examples/linear/kernels.rs"]
mod linear;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use cm::{CpuEngine, Device, Format, Surface2D, ThreadSpace};

/// The system allocator, with a counter.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all calls are passed to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller says.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller says.
        unsafe { System.dealloc(memory, layout) }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller says.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The number of allocations of 100 launches, after some warm-up launches.
fn of_launches(device: &Device) -> cm::Result<usize> {
    // The engine for recorded kernels keeps registers on the heap.
    let device = &device.with_cpu_engine(CpuEngine::Native);
    let (width, height) = (24 * 16, 6 * 16);
    let input = Surface2D::new(device, Format::R8, width, height)?;
    let mut output = Surface2D::new(device, Format::R8, width, height)?;
    let space = ThreadSpace::new(16, 16)?;
    let mut before = 0;
    for round in 0..30 {
        if round == 5 {
            before = ALLOCATIONS.load(Ordering::Relaxed);
        }
        linear::linear::launch(device, space, &input, &mut output)?;
        linear::linear1d2::launch(device, space, &input, &mut output)?;
        linear::linearslide::launch(device, space, &input, &mut output)?;
        linear::linearslide2::launch(device, space, &input, &mut output)?;
    }
    Ok(ALLOCATIONS.load(Ordering::Relaxed) - before)
}

/// There is only one test, because others would allocate at the same time.
#[test]
fn launches_allocate_nothing() -> cm::Result<()> {
    let allocated = Box::new(7);
    assert!(ALLOCATIONS.load(Ordering::Relaxed) > 0, "{allocated} was allocated");
    assert_eq!(of_launches(&Device::cpu_with_threads(1)?)?, 0, "with one thread");
    // Run inside of the pool: a launch from outside allocates the tasks of the workers that help.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");
    assert_eq!(pool.install(|| of_launches(&Device::cpu()?))?, 0, "in a pool of two threads");
    Ok(())
}
