//! The device: a render node of the kernel's i915 driver, for one process.
//!
//! The library of `cm-simulator-preload` calls it in place of the C library: [`open`], [`close`] and [`request`].

mod abi;
mod address_space;
mod buffers;
mod contexts;
/// The files that the driver looks at, besides the render node.
pub mod files;
mod ioctls;
mod node;
mod parameters;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::os::fd::{IntoRawFd, RawFd};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::log::{Level, error, note};
use crate::settings::Settings;
use crate::streamer;
use abi::Errno;
use node::Node;

/// The open nodes by descriptor.
static NODES: Mutex<BTreeMap<RawFd, Arc<Node>>> = Mutex::new(BTreeMap::new());
/// How many there are, so that a process without any does no work.
static OPEN: AtomicUsize = AtomicUsize::new(0);
/// The process that opened them. A child of `fork` has no command streamers: to it the descriptor is a file.
static OWNER: AtomicU32 = AtomicU32::new(0);

fn nodes() -> MutexGuard<'static, BTreeMap<RawFd, Arc<Node>>> {
    NODES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether this process has open nodes.
fn any() -> bool {
    OPEN.load(Ordering::Relaxed) > 0 && OWNER.load(Ordering::Relaxed) == std::process::id()
}

/// Opens the render node and gives its descriptor.
///
/// # Errors
///
/// An error number of the C library: no descriptor, no memory, or a setting with a bad value, which is written to stderr.
pub fn open() -> Result<RawFd, i32> {
    let settings = Settings::of_process().as_ref().map_err(|bad| {
        error(format_args!("{bad}"));
        libc::EINVAL
    })?;
    streamer::report_at_exit(settings);
    let (node, descriptor) = Node::open(settings).map_err(|Errno(number)| number)?;
    let descriptor = descriptor.into_raw_fd();
    OWNER.store(std::process::id(), Ordering::Relaxed);
    nodes().insert(descriptor, Arc::new(node));
    OPEN.fetch_add(1, Ordering::Relaxed);
    note(
        Level::Submissions,
        format_args!("the render node is open: descriptor {descriptor}, device {:#x}", settings.product.id),
    );
    Ok(descriptor)
}

/// What to do before a descriptor is closed, whether or not it is a node's.
pub fn close(descriptor: RawFd) {
    if !any() {
        return;
    }
    // The node ends after the lock: it closes a descriptor of its own.
    let Some(node) = nodes().remove(&descriptor) else { return };
    OPEN.fetch_sub(1, Ordering::Relaxed);
    node.close();
    note(Level::Submissions, format_args!("the render node is closed: descriptor {descriptor}"));
}

/// Answers a request of the type `d` with this number. `None` where the descriptor is not a node's; an error number of the
/// C library where the request fails.
///
/// # Safety
///
/// `argument` is what the kernel expects for this request.
pub unsafe fn request(descriptor: RawFd, number: u8, argument: *mut c_void) -> Option<Result<(), i32>> {
    if !any() {
        return None;
    }
    let node = nodes().get(&descriptor).cloned()?;
    // SAFETY: the caller's promise.
    let answer = unsafe { ioctls::answer(&node, number, argument) };
    Some(answer.map_err(|Errno(number)| number))
}
