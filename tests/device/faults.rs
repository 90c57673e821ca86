//! Faults while kernels run: the error describes them, nothing is lost, and the next launch works.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use cm::CpuEngine;
use cm::Error;
use cm::prelude::*;
use cm_test_support::devices::devices;

const WIDTH: usize = 1024;
const HEIGHT: usize = 16;

/// The number of calls after which the host code of `fragile` panics; 0 means never.
static FUSE: AtomicUsize = AtomicUsize::new(0);

fn burn() {
    let left = FUSE.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
    assert_ne!(left, Ok(1), "the host code of a kernel panics");
}

/// Adds 1 to every byte. Its host code may panic, on the CPU in the middle of a launch.
#[kernel]
fn fragile(image: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y());
    burn();
    let m = image.read::<u8, 1, 16>(x, y);
    image.write(x, y, &(m + 1).convert::<u8>());
}

#[kernel]
fn count(image: &mut Surface2D, n: u8) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y());
    let m = image.read::<u8, 1, 16>(x, y);
    image.write(x, y, &(m + n).convert::<u8>());
}

fn space() -> ThreadSpace {
    ThreadSpace::new(WIDTH / 16, HEIGHT).expect("a thread space")
}

fn image(device: &Device) -> Surface2D {
    Surface2D::new(device, Format::R8, WIDTH, HEIGHT).expect("a surface")
}

/// The panic reaches the caller, whichever thread it happened on. The threads before it have written their
/// data, no thread has written twice or partially, and the same workers run the next launch.
#[test]
fn a_kernel_that_panics_on_a_worker() {
    for threads in [1, 2, 5] {
        let device = Device::cpu_with_threads(threads).unwrap().with_cpu_engine(CpuEngine::Native);
        let mut surface = image(&device);
        // Record the kernel first: the recorder also runs the host code.
        fragile::launch(&device, space(), &mut surface).unwrap();
        // Neighbours that run side by side call it only once.
        for fuse in [1, 2, 100, 400] {
            let before = surface.to_vec().unwrap();
            FUSE.store(fuse, Ordering::Relaxed);
            let launched = catch_unwind(AssertUnwindSafe(|| fragile::launch(&device, space(), &mut surface)));
            let message = launched.expect_err("it panics");
            assert!(message.downcast_ref::<String>().is_some_and(|text| text.contains("the host code")));
            FUSE.store(0, Ordering::Relaxed);

            let after = surface.to_vec().unwrap();
            for (old, new) in before.chunks(16).zip(after.chunks(16)) {
                let whole = new.iter().zip(old).all(|(new, old)| new.wrapping_sub(*old) == new - old);
                assert!(whole && (new[0] == old[0] || new[0] == old[0] + 1) && new == [new[0]; 16]);
            }
            fragile::launch(&device, space(), &mut surface).unwrap();
            assert!(surface.to_vec().unwrap().iter().zip(after).all(|(new, old)| *new == old + 1));
        }
    }
}

/// Without `AssertUnwindSafe`, unless the kernel writes.
#[test]
fn panics_are_caught() {
    #[kernel]
    fn shown(image: &Surface2D, numbers: &Buffer<u8>) {
        printf!("{:?} {:?}", image.read::<u8, 1, 4>(0, 0), numbers.read::<16>(0));
    }

    let device = Device::cpu().unwrap();
    let (image, numbers) = (image(&device), Buffer::new(&device, 16).unwrap());
    let one = ThreadSpace::new(1, 1).unwrap();
    let broken = device.with_printf_handler(|_| panic!("the handler panics"));
    assert!(catch_unwind(|| shown::launch(&broken, one, &image, &numbers)).is_err());
    let quiet = device.with_printf_handler(|_| {});
    assert!(catch_unwind(|| shown::launch(&quiet, one, &image, &numbers)).is_ok());
}

/// A kernel that panics while it is recorded is recorded at the next launch.
#[test]
fn a_kernel_that_panics_when_it_is_recorded() {
    static ARMED: AtomicUsize = AtomicUsize::new(1);

    fn once() {
        assert_eq!(ARMED.swap(0, Ordering::Relaxed), 0, "the first time");
    }

    #[kernel]
    fn first(image: &mut Surface2D) {
        once();
        image.write(0, 0, &Matrix::<u8, 1, 16>::splat(3));
    }

    for device in devices(1) {
        ARMED.store(1, Ordering::Relaxed);
        let mut surface = image(&device);
        let one = ThreadSpace::new(1, 1).unwrap();
        // For the second device it is already recorded; the CPU is the first device.
        let _ = catch_unwind(AssertUnwindSafe(|| first::launch(&device, one, &mut surface)));
        ARMED.store(0, Ordering::Relaxed);
        first::launch(&device, one, &mut surface).unwrap();
        assert_eq!(surface.read_rect(0, 0, 17, 1).unwrap()[14..], [3, 3, 0], "{}", device.name());
    }
}

/// `Device::scope` owns the pending launches, so forgetting the scope inside the closure loses nothing: all
/// launches run.
#[test]
fn nothing_is_lost_with_a_forgotten_scope() {
    for device in devices(2) {
        let mut surface = image(&device);
        for n in 1..=40 {
            let mut forgotten = image(&device);
            device
                .scope(|scope| {
                    count::enqueue(scope, space(), &mut surface, 1)?;
                    count::enqueue(scope, space(), &mut forgotten, 1)?;
                    std::mem::forget(Box::new(scope));
                    // Its memory is leaked; the launches that use it continue.
                    std::mem::forget(forgotten);
                    Ok::<(), Error>(())
                })
                .unwrap();
            assert_eq!(surface.read_rect(0, 0, 1, 1).unwrap(), [n], "{}", device.name());
        }
        count::launch(&device, space(), &mut surface, 2).unwrap();
        assert_eq!(surface.to_vec().unwrap(), [42; WIDTH * HEIGHT]);
    }
}

/// These tests run in a separate process whose memory is limited.
#[cfg(target_os = "linux")]
mod memory {
    use std::process::Command;

    use super::*;

    /// Marks the answer of the other process in the output of the test harness.
    const ANSWER: &str = "answer: ";

    #[test]
    #[ignore = "`allocations_that_fail_are_errors` runs it in a process with little memory"]
    fn probe() {
        let device = Device::cpu_with_threads(1).unwrap();
        let mut surface = image(&device);
        count::launch(&device, space(), &mut surface, 1).unwrap();
        let refused = |result: cm::Result<()>, bytes: usize| match result {
            Err(Error::OutOfMemory { bytes: found }) => assert_eq!(found, bytes),
            other => panic!("{bytes} bytes: {other:?}"),
        };
        // Sizes that a machine may have, but not this process.
        for size in [1 << 29, 1 << 30, i32::MAX as usize] {
            refused(Buffer::<u8>::new(&device, size).map(drop), size);
            refused(Buffer::<f64>::new(&device, size / 8).map(drop), size / 8 * 8);
            refused(Surface2D::new(&device, Format::R8, size, 1).map(drop), size);
            refused(Surface2D::new(&device, Format::Rgba8, 1 << 10, size >> 12).map(drop), size >> 12 << 12);
        }
        // One buffer fits. A copy of it does not, until the buffer is dropped.
        let large = 200 << 20;
        let buffer = Buffer::<u8>::new(&device, large).unwrap();
        refused(buffer.to_vec().map(drop), large);
        drop(buffer);
        let large = Surface2D::new(&device, Format::R8, 1 << 20, 200).unwrap();
        refused(large.to_vec().map(drop), 200 << 20);
        refused(large.read_rect(4, 1, (1 << 20) - 4, 199).map(drop), ((1 << 20) - 4) * 199);
        assert_eq!(large.read_rect((1 << 20) - 4, 199, 4, 1).unwrap(), [0; 4]);
        count::launch(&device, space(), &mut surface, 1).unwrap();
        assert_eq!(surface.to_vec().unwrap(), [2; WIDTH * HEIGHT]);
        println!("\n{ANSWER}done");
    }

    #[test]
    fn allocations_that_fail_are_errors() {
        let test = std::env::current_exe().expect("a test has a path");
        let output = Command::new("sh")
            .args(["-c", "ulimit -v 400000; exec \"$@\"", "sh"])
            .arg(test)
            .args(["--exact", "faults::memory::probe", "--ignored", "--nocapture", "--test-threads=1"])
            // A simulated GPU would use memory of the process.
            .env_remove("LD_PRELOAD")
            .output()
            .expect("the program starts");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && printed.contains(&format!("{ANSWER}done")), "{output:?}");
    }
}
