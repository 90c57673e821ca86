//! Surface memory that kernel threads share.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use cm_compiler::access::Claim;
use cm_compiler::limits::MEDIA_BYTES;
use cm_dsl::cpu::{Avx2, Edge, Environment, Rows, SurfaceAccess, Window, not_deterministic};

use super::copy::copy_row;
use super::edge;
use super::linear::BufferMemory;
use crate::{Format, Surface2D};

/// The most bytes of a media block, times the most threads side by side.
const MOST_BYTES: usize = MEDIA_BYTES * super::executor::SIDE_BY_SIDE;

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
/// `enter_blocks`, which comes before every access, refuses it outside of that launch and does not look at it before.
/// The executor runs kernel threads on several OS threads only where each has its part of every surface that is written to
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

    /// What was lent, after `enter_blocks` has found that this is the launch that it was lent to. By value: the compiler
    /// need not look again after every store.
    #[inline(always)]
    fn lent(&self) -> Lent {
        // SAFETY: it is there for the launch.
        unsafe { *self.lent }
    }
}

impl SurfaceAccess for SurfaceMemory {
    #[inline(always)]
    fn enter_block(&self, x: i32, y: i32, width: usize, rows: usize, writes: bool) {
        self.enter_blocks(&[[x, y]], width, rows, writes);
    }

    #[inline(always)]
    fn enter_blocks(&self, positions: &[[i32; 2]], width: usize, rows: usize, writes: bool) {
        let ([column, row], lent) = (self.running_thread(), self.lent());
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
    fn enter_again(&self) {
        self.running_thread();
    }

    #[inline(always)]
    fn inside(&self, [x, y]: [i32; 2], width: usize, rows: usize) -> Option<Window<'_>> {
        let lent = self.lent();
        if !lent.contains([x, y], width, rows) {
            return None;
        }
        // SAFETY: the block is inside of the surface, whose rows are a pitch apart, for the launch; `enter_again` refuses to go
        // on after it. A kernel thread that writes the surface borrows it alone meanwhile; races are excluded by the contract of
        // the type.
        unsafe {
            let start = lent.bytes.add(y as usize * lent.pitch + x as usize);
            Some(Window::from_raw(start, lent.pitch, width, rows))
        }
    }

    #[inline(always)]
    fn write_block(&mut self, [x, y]: [i32; 2], width: usize, rows: usize, from: Rows<'_>) {
        let (lent, Rows { block, offset, pitch }) = (self.lent(), from);
        assert!(
            rows == 0 || offset + (rows - 1) * pitch + width <= block.len(),
            "rows lie inside of their block"
        );
        if lent.contains([x, y], width, rows) {
            let start = y as usize * lent.pitch + x as usize;
            for r in 0..rows {
                // SAFETY: the block is inside of the surface, row `r` inside of `block` by the assertion;
                // `enter_blocks` refuses writes to a surface that was not borrowed exclusively. Races are excluded by the
                // contract of the type.
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
            self.write_edge_block([x, y], width, rows, edge);
        }
    }

    #[inline(always)]
    fn read_row(&self, x: i32, y: i32, row: &mut [u8]) {
        let lent = self.lent();
        let y = y.clamp(0, lent.height as i32 - 1) as usize;
        let start = y * lent.pitch;
        if x >= 0 && x as usize + row.len() <= lent.width {
            // SAFETY: `y < height` and `x + len <= width`, so the source lies inside row `y`, and all rows, a pitch apart,
            // inside the bytes of the surface; `row` is memory of this thread. Races are excluded by the contract of the type.
            unsafe { lent.bytes.add(start + x as usize).copy_to_nonoverlapping(row.as_mut_ptr(), row.len()) };
        } else {
            self.read_edge(x, start, row);
        }
    }

    #[inline(always)]
    fn write_row(&mut self, x: i32, y: i32, row: &[u8]) {
        let lent = self.lent();
        if y < 0 || y as usize >= lent.height {
            return;
        }
        let first = i64::from(x).clamp(0, lent.width as i64);
        let end = (i64::from(x) + row.len() as i64).clamp(first, lent.width as i64);
        let skipped = (first - i64::from(x)) as usize;
        let len = (end - first) as usize;
        if len == 0 {
            return;
        }
        let source = &row[skipped..skipped + len];
        let start = y as usize * lent.pitch + first as usize;
        // SAFETY: `y < height` and `first + len <= width`, so the target lies inside the surface; `enter_block` refuses
        // writes to one that was not borrowed exclusively; `row` is memory of this thread. Races are excluded by the
        // contract of the type.
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

impl SurfaceMemory {
    /// Writes a block that is partly outside.
    #[cold]
    #[inline(never)]
    fn write_edge_block(&mut self, [x, y]: [i32; 2], width: usize, rows: usize, block: [u8; MOST_BYTES]) {
        for r in 0..rows {
            self.write_row(x, y.saturating_add(r as i32), &block[r * width..(r + 1) * width]);
        }
    }

    /// A row that is partly outside.
    #[cold]
    #[inline(never)]
    fn read_edge(&self, x: i32, start: usize, row: &mut [u8]) {
        let lent = self.lent();
        for (i, byte) in row.iter_mut().enumerate() {
            let column = edge::column(lent.format, lent.width, i64::from(x) + i as i64);
            // SAFETY: `column < width` by the rule, and `start` is that of a row of the surface. Races are excluded by
            // the contract of the type.
            *byte = unsafe { lent.bytes.add(start + column).read() };
        }
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
    fn get() -> Self {
        CURRENT.try_with(Cell::get).unwrap_or(Self::NONE)
    }

    #[inline(always)]
    fn origin(self) -> [u32; 2] {
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

/// The environment of kernel threads in the executor, whose operations may use [`AVX2`] or [`AVX512`] or nothing but the
/// [`BASELINE`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Executor<const MAY_USE: u8>;

pub(super) const BASELINE: u8 = 0;
pub(super) const AVX2: u8 = 1;
pub(super) const AVX512: u8 = 2;

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

impl<const MAY_USE: u8> Environment for Executor<MAY_USE> {
    type Surface = SurfaceMemory;
    type Buffer = BufferMemory;
    // SAFETY: the executor runs kernels with these environments by an unsafe function, which demands this.
    const AVX2: Option<Avx2> = if MAY_USE >= AVX2 { Some(unsafe { Avx2::new_unchecked() }) } else { None };
    const AVX512: bool = MAY_USE == AVX512;

    #[inline(always)]
    fn thread_origin() -> [u32; 2] {
        Current::get().origin()
    }
}
