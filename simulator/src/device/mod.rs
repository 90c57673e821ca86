//! The device: a render node of the kernel's i915 driver, for one process.
//!
//! The library of `cm-simulator-preload` calls it instead of the C library: [`open`], [`close`] and
//! [`request`].

mod abi;
mod address_space;
mod buffers;
mod contexts;
/// The files that the driver reads, apart from the render node.
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
/// The number of open nodes, so that a process without any does no work.
static OPEN: AtomicUsize = AtomicUsize::new(0);
/// The process that opened them. A child of `fork` has no command streamers, so there the descriptor is an
/// ordinary file.
static OWNER: AtomicU32 = AtomicU32::new(0);

fn nodes() -> MutexGuard<'static, BTreeMap<RawFd, Arc<Node>>> {
    NODES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether this process has open nodes.
fn any() -> bool {
    OPEN.load(Ordering::Relaxed) > 0 && OWNER.load(Ordering::Relaxed) == std::process::id()
}

/// Opens the render node. Returns its descriptor.
///
/// # Errors
///
/// An error number of the C library: no descriptor, no memory, or a setting with a bad value, which is
/// reported on stderr.
pub fn open() -> Result<RawFd, i32> {
    let settings = Settings::of_process().as_ref().map_err(|bad| {
        error(format_args!("{bad}"));
        libc::EINVAL
    })?;
    streamer::report_at_exit(settings);
    let (node, descriptor) = Node::open(settings).map_err(|Errno(number)| number)?;
    let descriptor = descriptor.into_raw_fd();
    let mut nodes = nodes();
    if OWNER.swap(std::process::id(), Ordering::Relaxed) != std::process::id() {
        // Those of the parent are not dropped: that would wait for command streamers which are not here.
        std::mem::forget(std::mem::take(&mut *nodes));
        OPEN.store(0, Ordering::Relaxed);
    }
    nodes.insert(descriptor, Arc::new(node));
    OPEN.fetch_add(1, Ordering::Relaxed);
    drop(nodes);
    note(
        Level::Submissions,
        format_args!("the render node is open: descriptor {descriptor}, device {:#x}", settings.product.id),
    );
    Ok(descriptor)
}

/// Must be called before any descriptor is closed. It closes the node with this descriptor, if there is one.
pub fn close(descriptor: RawFd) {
    if !any() {
        return;
    }
    // The node is dropped after the lock is released, because it closes its own descriptor.
    let Some(node) = nodes().remove(&descriptor) else { return };
    OPEN.fetch_sub(1, Ordering::Relaxed);
    node.close();
    note(Level::Submissions, format_args!("the render node is closed: descriptor {descriptor}"));
}

/// Answers a request of type `d` with this number. `None` if the descriptor is not that of a node; an error
/// number of the C library if the request fails.
///
/// # Safety
///
/// `argument` is what the kernel expects for this request.
pub unsafe fn request(descriptor: RawFd, number: u8, argument: *mut c_void) -> Option<Result<(), i32>> {
    if !any() {
        return None;
    }
    let node = nodes().get(&descriptor).cloned()?;
    // SAFETY: guaranteed by the caller.
    let answer = unsafe { ioctls::answer(&node, number, argument) };
    Some(answer.map_err(|Errno(number)| number))
}
