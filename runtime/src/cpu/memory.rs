//! Surface memory that kernel threads share.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use cm_dsl::cpu::{Environment, SurfaceAccess};
use cm_dsl::plan::Claim;

use super::edge;
use super::linear::BufferMemory;
use crate::{Format, Surface2D};

/// The memory of a surface for the duration of a launch.
///
/// # Safety
/// It is made by [`SurfaceMemory::read`] or [`SurfaceMemory::write`] from a borrow that outlives the launch, and
/// `enter_block`, which comes before every access, refuses it outside of that launch. The executor runs kernel threads on several OS threads only where each has its part of every
/// surface that is written to itself. That part is the claim, and every access is held to it: what was proven of the
/// recording holds of each run, even if the kernel's host code is not deterministic.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceMemory {
    bytes: *mut u8,
    width: usize,
    /// Bytes from one row to the next, at least the width.
    pitch: usize,
    height: usize,
    format: Format,
    right: Right,
    /// The launch that the memory was lent to.
    launch: Launch,
}

/// A launch. What it was lent cannot be used in another one, wherever a kernel's host code kept it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Launch(u64);

impl Launch {
    /// Of plain Rust: no launch.
    const NONE: Self = Self(0);

    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// What a kernel thread may do to a surface.
#[derive(Clone, Copy, Debug)]
enum Right {
    /// Read it: the surface is borrowed by others as well.
    Read,
    /// Read and write all of it: kernel threads run one after the other.
    Alone,
    /// Read and write what it has to itself: kernel threads run at the same time.
    Claim(Claim),
}

// SAFETY: the pointer is to plain bytes that outlive the launch. Which threads may use it at a time is the contract
// of the type: concurrent reads of a shared borrow, or accesses of an exclusive borrow to different bytes.
unsafe impl Sync for SurfaceMemory {}

impl SurfaceMemory {
    /// A surface that is only read, if the CPU has it.
    pub(super) fn read(surface: &Surface2D, launch: Launch) -> Option<Self> {
        Some(Self {
            bytes: surface.bytes()?.as_ptr().cast_mut(),
            width: surface.row_bytes(),
            pitch: surface.pitch(),
            height: surface.height(),
            format: surface.format(),
            right: Right::Read,
            launch,
        })
    }

    /// A surface that is read and written, by one thread after the other or by each within its claim, if the CPU has it.
    pub(super) fn write(surface: &mut Surface2D, claim: Option<Claim>, launch: Launch) -> Option<Self> {
        let (width, pitch) = (surface.row_bytes(), surface.pitch());
        let (height, format) = (surface.height(), surface.format());
        let right = claim.map_or(Right::Alone, Right::Claim);
        Some(Self { bytes: surface.bytes_mut()?.as_mut_ptr(), width, pitch, height, format, right, launch })
    }
}

impl SurfaceAccess for SurfaceMemory {
    #[inline(always)]
    fn enter_block(&self, x: i32, y: i32, width: usize, rows: usize, writes: bool) {
        let (launch, origin) = CURRENT.get();
        assert!(
            launch == self.launch,
            "a surface of a launch is used outside of it: kernels do not keep their arguments"
        );
        match &self.right {
            Right::Alone => {}
            Right::Read => assert!(!writes, "a kernel writes a surface that it was given to read"),
            Right::Claim(claim) => {
                // A read that would be moved to the edge leaves the claim, whatever its coordinates.
                let inside =
                    x >= 0 && y >= 0 && x as usize + width <= self.width && y as usize + rows <= self.height;
                let legal = if writes { claim.writes() } else { inside || !claim.writes() };
                assert!(
                    legal && claim.covers(origin, x, y, width, rows),
                    "the host code of a kernel computes other coordinates than when it was recorded: kernels must be \
                     deterministic"
                );
            }
        }
    }

    #[inline(always)]
    fn read_row(&self, x: i32, y: i32, row: &mut [u8]) {
        let y = y.clamp(0, self.height as i32 - 1) as usize;
        let start = y * self.pitch;
        if x >= 0 && x as usize + row.len() <= self.width {
            // SAFETY: `y < height` and `x + len <= width`, so the source lies inside row `y`, and all rows, a pitch apart,
            // inside the bytes of the surface; `row` is memory of this thread. Races are excluded by the contract of the type.
            unsafe { self.bytes.add(start + x as usize).copy_to_nonoverlapping(row.as_mut_ptr(), row.len()) };
        } else {
            self.read_edge(x, start, row);
        }
    }

    #[inline(always)]
    fn write_row(&mut self, x: i32, y: i32, row: &[u8]) {
        if y < 0 || y as usize >= self.height {
            return;
        }
        let first = i64::from(x).clamp(0, self.width as i64);
        let end = (i64::from(x) + row.len() as i64).clamp(first, self.width as i64);
        let skipped = (first - i64::from(x)) as usize;
        let len = (end - first) as usize;
        if len == 0 {
            return;
        }
        let source = &row[skipped..skipped + len];
        let start = y as usize * self.pitch + first as usize;
        // SAFETY: `y < height` and `first + len <= width`, so the target lies inside the surface; `enter_block` refuses
        // writes to one that was not borrowed exclusively; `row` is memory of this thread. Races are excluded by the
        // contract of the type.
        unsafe { self.bytes.add(start).copy_from_nonoverlapping(source.as_ptr(), len) };
    }
}

impl SurfaceMemory {
    /// A row that is partly outside.
    #[cold]
    #[inline(never)]
    fn read_edge(&self, x: i32, start: usize, row: &mut [u8]) {
        for (i, byte) in row.iter_mut().enumerate() {
            let column = edge::column(self.format, self.width, i64::from(x) + i as i64);
            // SAFETY: `column < width` by the rule, and `start` is that of a row of the surface. Races are excluded by
            // the contract of the type.
            *byte = unsafe { self.bytes.add(start + column).read() };
        }
    }
}

thread_local! {
    /// The launch, and the kernel thread, that this OS thread runs.
    static CURRENT: Cell<(Launch, [u32; 2])> = const { Cell::new((Launch::NONE, [0, 0])) };
}

/// The environment of kernel threads in the executor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Executor;

impl Executor {
    /// Makes this OS thread run kernel thread `origin`.
    #[inline(always)]
    pub(super) fn enter(launch: Launch, origin: [u32; 2]) {
        CURRENT.set((launch, origin));
    }

    /// The launch and the kernel thread that this OS thread runs.
    #[inline(always)]
    pub(super) fn current() -> (Launch, [u32; 2]) {
        CURRENT.get()
    }
}

/// Brings back the kernel thread that this OS thread was running: kernels may launch kernels in their host code, and
/// waiting for these a worker takes up other work.
#[derive(Debug)]
pub(super) struct Interrupted((Launch, [u32; 2]));

impl Interrupted {
    pub(super) fn new() -> Self {
        Self(CURRENT.get())
    }
}

impl Drop for Interrupted {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

impl Environment for Executor {
    type Surface = SurfaceMemory;
    type Buffer = BufferMemory;

    #[inline(always)]
    fn thread_origin() -> [u32; 2] {
        CURRENT.get().1
    }
}
