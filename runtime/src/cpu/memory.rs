//! Surface memory that kernel threads share.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

use cm_compiler::access::Claim;
use cm_dsl::cpu::{CheckedBlock, Edge, Rows, SurfaceAccess, Window, not_deterministic};

use super::copy::copy_row;
use super::edge;
use crate::{Format, Surface2D};

/// The most bytes of a media block, times the most threads side by side.
const MOST_BYTES: usize = 256 * super::executor::SIDE_BY_SIDE;

const _: () = assert!(MOST_BYTES <= size_of::<Edge>());

/// The memory of a surface for the duration of a launch, and what kernel threads may do to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lent {
    bytes: *mut u8,
    width: usize,
    /// Bytes from one row to the next, at least the width.
    pitch: usize,
    height: usize,
    format: Format,
    right: Right,
}

/// A surface as kernel threads have it: what was lent, and to which launch.
///
/// # Safety
/// What is lent outlives the launch and is made by [`Lent::read`] or [`Lent::write`] from a borrow that does so too.
/// `check` refuses it outside of that launch and does not look at it before; every access takes a [`CheckedBlock`], which only
/// comes of that. The executor runs kernel threads on several OS threads only where each has its part of every surface that is written to
/// itself. That part is the claim, and every access is held to it: what was proven of the recording holds of each run,
/// even if the kernel's host code is not deterministic.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceMemory {
    lent: *const Lent,
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
// of `SurfaceMemory`: concurrent reads of a shared borrow, or accesses of an exclusive borrow to different bytes.
unsafe impl Sync for Lent {}

impl Lent {
    /// A surface that is only read, if the CPU has it.
    pub(super) fn read(surface: &Surface2D) -> Option<Self> {
        Some(Self {
            bytes: surface.bytes()?.as_ptr().cast_mut(),
            width: surface.row_bytes(),
            pitch: surface.pitch(),
            height: surface.height(),
            format: surface.format(),
            right: Right::Read,
        })
    }

    /// A surface that is read and written, by one thread after the other or by each within its claim, if the CPU has it.
    pub(super) fn write(surface: &mut Surface2D, claim: Option<Claim>) -> Option<Self> {
        let (width, pitch) = (surface.row_bytes(), surface.pitch());
        let (height, format) = (surface.height(), surface.format());
        let right = claim.map_or(Right::Alone, Right::Claim);
        Some(Self { bytes: surface.bytes_mut()?.as_mut_ptr(), width, pitch, height, format, right })
    }

    /// Whether a block is inside.
    #[inline(always)]
    fn contains(&self, [x, y]: [i32; 2], width: usize, rows: usize) -> bool {
        x >= 0 && y >= 0 && x as usize + width <= self.width && y as usize + rows <= self.height
    }

    /// The row that stands for row `y`, which may be outside.
    #[inline(always)]
    fn nearest_row(&self, y: i32) -> usize {
        y.clamp(0, self.height as i32 - 1) as usize
    }

    /// As threads of a launch have it, which ends before the borrow does.
    pub(super) fn to(&self, launch: Launch) -> SurfaceMemory {
        SurfaceMemory { lent: self, launch }
    }
}

impl SurfaceMemory {
    /// The kernel thread that this OS thread runs, which must be one of the launch that the surface was lent to.
    #[inline(always)]
    fn running_thread(&self) -> [u32; 2] {
        let (launch, thread) = Current::thread();
        if launch != self.launch {
            used_outside();
        }
        thread
    }

    /// What was lent, as a launch that runs has it. By value: the compiler need not look again after every store.
    ///
    /// # Safety
    /// [`running_thread`](Self::running_thread) has returned, and the kernel thread runs since.
    #[inline(always)]
    unsafe fn lent(&self) -> Lent {
        // SAFETY: it is there for the launch.
        unsafe { *self.lent }
    }
}

/// What the surface of a block was lent as.
#[inline(always)]
fn lent(block: &CheckedBlock<impl Deref<Target = SurfaceMemory>>) -> Lent {
    // SAFETY: the block was checked, and nobody keeps one.
    unsafe { block.surface().lent() }
}

impl SurfaceAccess for SurfaceMemory {
    #[inline(always)]
    fn check(&self, positions: &[[i32; 2]], width: usize, rows: usize, writes: bool) {
        let [column, row] = self.running_thread();
        // SAFETY: this is a kernel thread of the launch.
        let lent = unsafe { self.lent() };
        match &lent.right {
            Right::Alone => {}
            Right::Read if writes => written_though_read(),
            Right::Read => {}
            Right::Claim(claim) => {
                let mut covered = writes <= claim.writes();
                for (n, &[x, y]) in positions.iter().enumerate() {
                    // A read that would be moved to the edge leaves the claim, whatever its coordinates.
                    covered &= writes || !claim.writes() || lent.contains([x, y], width, rows);
                    covered &= claim.covers([column + n as u32, row], x, y, width, rows);
                }
                if !covered {
                    not_deterministic();
                }
            }
        }
    }

    #[inline(always)]
    fn check_again(&self) {
        self.running_thread();
    }

    #[inline(always)]
    fn inside<'a>(block: &CheckedBlock<&'a Self>) -> Option<Window<'a>> {
        let (lent, [x, y], width, rows) = (lent(block), block.position(), block.width(), block.rows());
        if !lent.contains([x, y], width, rows) {
            return None;
        }
        // SAFETY: the block is inside of the surface, whose rows are a pitch apart, for the launch; `check_again` refuses to go
        // on after it. A kernel thread that writes the surface borrows it alone meanwhile; races are excluded by the contract of
        // the type.
        unsafe {
            let start = lent.bytes.add(y as usize * lent.pitch + x as usize);
            Some(Window::from_raw(start, lent.pitch, width, rows))
        }
    }

    #[inline(always)]
    fn write_block(to: &mut CheckedBlock<&mut Self>, from: Rows<'_>) {
        let (lent, [x, y], width, rows) = (lent(to), to.position(), to.width(), to.rows());
        let Rows { block, offset, pitch } = from;
        assert!(
            rows == 0 || offset + (rows - 1) * pitch + width <= block.len(),
            "rows lie inside of their block"
        );
        if lent.contains([x, y], width, rows) {
            let start = y as usize * lent.pitch + x as usize;
            for r in 0..rows {
                // SAFETY: the block is inside of the surface, row `r` inside of `block` by the assertion; `check` refuses
                // writes to a surface that was not borrowed exclusively. Races are excluded by the contract of the type.
                unsafe {
                    let at = offset + r * pitch;
                    copy_row(block.as_ptr().add(at), lent.bytes.add(start + r * lent.pitch), width, at);
                }
            }
        } else {
            let mut edge = [0; MOST_BYTES];
            for r in 0..rows {
                let at = offset + r * pitch;
                edge[r * width..(r + 1) * width].copy_from_slice(&block[at..at + width]);
            }
            write_edge_block(&mut to.again(), edge);
        }
    }

    #[inline(always)]
    fn read_row(block: &CheckedBlock<&Self>, r: usize, bytes: &mut [u8]) {
        assert!(bytes.len() == block.width(), "a row is read as a whole");
        let (lent, [x, _]) = (lent(block), block.position());
        let y = lent.nearest_row(block.row(r));
        let start = y * lent.pitch;
        if x >= 0 && x as usize + bytes.len() <= lent.width {
            // SAFETY: `y < height` and `x + len <= width`, so the source lies inside row `y`, and all rows, a pitch apart,
            // inside the bytes of the surface; `bytes` is memory of this thread. Races are excluded by the contract of the type.
            unsafe {
                lent.bytes.add(start + x as usize).copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len())
            };
        } else {
            read_edge(block, r, bytes);
        }
    }

    #[inline(always)]
    fn write_row(block: &mut CheckedBlock<&mut Self>, r: usize, bytes: &[u8]) {
        assert!(bytes.len() == block.width(), "a row is written as a whole");
        let (lent, [x, _], y) = (lent(block), block.position(), block.row(r));
        if y < 0 || y as usize >= lent.height {
            return;
        }
        let first = i64::from(x).clamp(0, lent.width as i64);
        let end = (i64::from(x) + bytes.len() as i64).clamp(first, lent.width as i64);
        let skipped = (first - i64::from(x)) as usize;
        let len = (end - first) as usize;
        if len == 0 {
            return;
        }
        let source = &bytes[skipped..skipped + len];
        let start = y as usize * lent.pitch + first as usize;
        // SAFETY: `y < height` and `first + len <= width`, so the target lies inside the surface; `check` refuses writes to one
        // that was not borrowed exclusively; `bytes` is memory of this thread. Races are excluded by the contract of the type.
        unsafe { lent.bytes.add(start).copy_from_nonoverlapping(source.as_ptr(), len) };
    }
}

#[cold]
#[inline(never)]
fn used_outside() -> ! {
    panic!("a surface of a launch is used outside of it: kernels do not keep their arguments")
}

#[cold]
#[inline(never)]
fn written_though_read() -> ! {
    panic!("a kernel writes a surface that it was given to read")
}

/// Writes a block that is partly outside.
#[cold]
#[inline(never)]
fn write_edge_block(to: &mut CheckedBlock<&mut SurfaceMemory>, bytes: [u8; MOST_BYTES]) {
    let width = to.width();
    for r in 0..to.rows() {
        SurfaceMemory::write_row(to, r, &bytes[r * width..(r + 1) * width]);
    }
}

/// Row `r` of a block, which is partly outside.
#[cold]
#[inline(never)]
fn read_edge(block: &CheckedBlock<&SurfaceMemory>, r: usize, row: &mut [u8]) {
    let (lent, [x, _]) = (lent(block), block.position());
    let start = lent.nearest_row(block.row(r)) * lent.pitch;
    for (i, byte) in row.iter_mut().enumerate() {
        let column = edge::column(lent.format, lent.width, i64::from(x) + i as i64);
        // SAFETY: `column < width` by the rule, and `start` that of a row of the surface. Races are excluded by
        // the contract of the type.
        *byte = unsafe { lent.bytes.add(start + column).read() };
    }
}

/// The kernel thread that an OS thread runs; of several side by side, the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Current {
    launch: Launch,
    /// `x` below, `y` above: written and read at once, never half of it.
    origin: u64,
}

impl Current {
    /// Of plain Rust.
    const NONE: Self = Self { launch: Launch::NONE, origin: 0 };

    #[inline(always)]
    fn new(launch: Launch, x: u32, y: u32) -> Self {
        Self { launch, origin: u64::from(y) << 32 | u64::from(x) }
    }

    /// Makes this OS thread run the kernel thread at `(x, y)`.
    #[inline(always)]
    pub(super) fn enter(launch: Launch, x: u32, y: u32) {
        let current = Self::new(launch, x, y);
        // Not `set`, which is not inlined before all of the program is linked. There is no error: a cell without a destructor is
        // always there.
        let _ = CURRENT.try_with(|cell| cell.set(current));
    }

    /// That of this OS thread. Not by `LocalKey::get`, for the reason given in `enter`.
    #[inline(always)]
    pub(super) fn get() -> Self {
        CURRENT.try_with(Cell::get).unwrap_or(Self::NONE)
    }

    #[inline(always)]
    pub(super) fn origin(self) -> [u32; 2] {
        [self.origin as u32, (self.origin >> 32) as u32]
    }

    /// The launch and the kernel thread that this OS thread runs; of several side by side, the first.
    #[inline(always)]
    pub(super) fn thread() -> (Launch, [u32; 2]) {
        let current = Self::get();
        (current.launch, current.origin())
    }
}

thread_local! {
    static CURRENT: Cell<Current> = const { Cell::new(Current::NONE) };
}

/// Brings back the kernel thread that this OS thread was running: kernels may launch kernels in their host code, and
/// waiting for these a worker takes up other work.
#[derive(Debug)]
pub(super) struct Interrupted(Current);

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
