//! The memory of surfaces that kernel threads share during a launch.
//!
//! It is a raw pointer. Every access is refused outside the launch that borrowed the memory, outside the part of the
//! thread, and if it writes memory that was borrowed for reading. Safe code cannot omit that check: reads and writes
//! take blocks that only `checked_surface` of the CPU backend creates, after the check here.

use cm_compiler::ir::Part;
use cm_compiler::limits::MEDIA_BYTES;
use cm_compiler::ops::Texel;
use cm_dsl::cpu::{BlockRows, CheckedBlock, Memory, Scratch, SurfaceAccess, Window, not_deterministic};
use cm_macros::inlined;

use super::copy::{self, copy_row, copy_rows};
use super::edge;
use super::surface_borrow::{Apart, Bytes, Layout, Right, SurfaceBorrow};
use super::thread::{Current, CurrentIds, Launch, RowOfThreads, SIDE_BY_SIDE, refuse_write};

/// The largest number of bytes of a media block, times the largest number of threads that run together.
const MOST_BYTES: usize = MEDIA_BYTES * SIDE_BY_SIDE;

const _: () = assert!(MOST_BYTES <= size_of::<Scratch>());

/// A surface for kernel threads: the borrowed memory, and its launch. Its fields are values, so that the compiler keeps
/// them from thread to thread, and need not load them again after every store.
///
/// # Safety
/// The borrow outlives the launch. `check` refuses the surface outside that launch, before it follows a pointer; every
/// access takes a [`CheckedBlock`], which only `check` creates. The executor runs kernel threads on
/// several OS threads only if each thread owns its part of every written surface, or if no thread of a wave writes
/// what another thread accesses. That part is the footprint or the neighbourhood, and every access is checked against
/// it, or against the parts of the threads that the same OS thread runs one after the other ([`Reach`]): so threads do not
/// race, even if the kernel's host code is not deterministic. A neighbourhood counts reads beyond the edges as reads of the
/// edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceMemory {
    /// One of the parts of a borrow.
    bytes: Bytes,
    /// The same in the borrow, for functions that are not inlined.
    kept: *const Bytes,
    /// All of them.
    parts: *const [Bytes],
    launch: Launch,
    reach: Reach,
}

/// What kernel threads that one OS thread runs one after the other may access of a surface, in any way, and what is inside of
/// it: empty if only [`is_own`] knows.
#[derive(Clone, Copy, Debug)]
struct Reach {
    threads: RowOfThreads,
    /// Columns of bytes, from one up to but not including another.
    x: [i32; 2],
    /// Rows.
    y: [i32; 2],
}

impl Reach {
    const NONE: Self = Self { threads: RowOfThreads::NONE, x: [0; 2], y: [0; 2] };

    #[inlined]
    fn of(bytes: &Bytes, threads: RowOfThreads) -> Self {
        if matches!(bytes.right, Right::Footprint(_)) { Self::of_part(bytes, threads) } else { Self::NONE }
    }

    /// Not inlined, as for buffers.
    #[inline(never)]
    fn of_part(bytes: &Bytes, threads: RowOfThreads) -> Self {
        let Layout { width, height, .. } = bytes.layout;
        let own = match bytes.right {
            Right::Footprint(own) if own.writes() => own.of_row([threads.x, threads.y], threads.count),
            _ => None,
        };
        // Surfaces have fewer columns and rows than `i32` can count; see `checked_length`.
        let inside = |[low, high]: [i64; 2], size: usize| {
            [low, high].map(|end| end.clamp(0, i32::MAX.into()).min(size as i64) as i32)
        };
        let [x, y] = own.unwrap_or_default();
        Self { threads, x: inside(x, width), y: inside(y, height) }
    }

    /// Whether these blocks are, for the running thread: safe code may have kept a surface from other threads.
    #[inlined]
    fn contains(&self, current: Current, positions: &[[i32; 2]], width: usize, rows: usize) -> bool {
        let mut all = self.threads.contains(current);
        for &[x, y] in positions {
            let (x, y) = (i64::from(x), i64::from(y));
            all &= x >= self.x[0].into() && x + width as i64 <= self.x[1].into();
            all &= y >= self.y[0].into() && y + rows as i64 <= self.y[1].into();
        }
        all
    }
}

impl SurfaceBorrow<'_> {
    /// The surface for these threads of a launch, which ends before the borrow does.
    #[inlined]
    pub(super) fn during(&self, launch: Launch, threads: RowOfThreads) -> SurfaceMemory {
        let bytes = &self.parts[0];
        let reach = Reach::of(bytes, threads);
        SurfaceMemory { bytes: *bytes, kept: bytes, parts: &raw const *self.parts, launch, reach }
    }
}

impl SurfaceMemory {
    /// Whether threads have parts of it, so that [`check`](SurfaceAccess::check) depends on the running thread.
    pub(super) fn has_parts(&self) -> bool {
        match self.bytes.right {
            Right::Read | Right::Alone | Right::Nothing => false,
            Right::Footprint(_) | Right::Apart(_) => true,
        }
    }
}

/// Whether a thread may access a block while others run; `inside` says that it reads nothing beyond the edges. All arguments
/// are passed by value: values with an address would be kept in memory for every access. It is cold, so that vectors stay in
/// registers where it is not called.
///
/// # Safety
/// The bytes are those of a borrow for a launch that runs.
#[cold]
#[inline(never)]
unsafe fn is_own(
    bytes: *const Bytes,
    [column, row]: [u32; 2],
    [x, y]: [i32; 2],
    [width, rows]: [usize; 2],
    writes: bool,
    inside: bool,
) -> bool {
    // SAFETY: as the caller says.
    let right = unsafe { &(*bytes).right };
    let apart = match right {
        Right::Footprint(footprint) => {
            let written = footprint.writes();
            // A write that is not in the recording is refused, and a read that would be moved to the edge is outside the
            // footprint, whatever its coordinates.
            return writes <= written
                && (inside || writes || !written)
                && footprint.covers([column, row], CurrentIds::z, [x, y], [width, rows]);
        }
        // SAFETY: the borrow keeps it on the heap, and outlives its launch.
        Right::Apart(apart) => unsafe { &**apart },
        Right::Read => refuse_write("surface"),
        Right::Alone | Right::Nothing => return false,
    };
    // Typed accesses, the only ones to 3-D surfaces, are inside, and 3-D surfaces have fewer rows than `i32` can count.
    let in_slice = |slice: usize| [y % slice as i32, y / slice as i32];
    match apart {
        Apart::InWave(neighbourhood, slice) => {
            let y = slice.map_or(y, |slice| in_slice(slice)[0]);
            neighbourhood.covers([column, row], [x, y], [width, rows], writes)
        }
        Apart::Slices(footprint, slice) => {
            let [y, z] = in_slice(*slice);
            // As above.
            writes <= footprint.writes() && footprint.covers([column, row], CurrentIds::z(), [x, y, z], width)
        }
    }
}

impl Memory for SurfaceMemory {
    type Kept = Launch;

    #[inlined]
    fn kept(&self) -> Launch {
        self.launch
    }

    #[inlined]
    fn is_constant(&self) -> bool {
        matches!(self.bytes.right, Right::Read)
    }
}

impl SurfaceAccess for SurfaceMemory {
    #[inlined]
    fn check(&self, positions: &[[i32; 2]], width: usize, rows: usize, writes: bool) {
        let current = self.launch.running("surface");
        let surface = &self.bytes;
        if surface.right.is_free(writes) || self.reach.contains(current, positions, width, rows) {
            return;
        }
        let [column, row] = current.origin();
        let mut covered = true;
        for (n, &position) in positions.iter().enumerate() {
            let (origin, inside) = ([column + n as u32, row], surface.contains(position, width, rows));
            // SAFETY: this is a kernel thread of the launch.
            covered &= unsafe { is_own(self.kept, origin, position, [width, rows], writes, inside) };
        }
        if !covered {
            not_deterministic("coordinates");
        }
    }

    fn texels(&self) -> (Texel, [u32; 3]) {
        let Layout { format, width, height, slices, .. } = self.bytes.layout;
        let (texel, slices) = (format.texel(), slices.map_or(1, |slices| slices.get().into()));
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        (texel, [width / texel.bytes(), height / slices, slices].map(number))
    }

    fn part(&self, part: Part) -> Self {
        self.launch.running("surface");
        // The launch has checked the recorded parts.
        let Some(wanted) = self.bytes.shows.part(part) else { not_deterministic("parts of a surface") };
        // SAFETY: this is a kernel thread of the launch, for all of which the borrow keeps its parts.
        let parts = unsafe { &*self.parts };
        match parts.iter().find(|part| part.shows == wanted) {
            Some(bytes) => {
                let reach = Reach::of(bytes, self.reach.threads);
                Self { bytes: *bytes, kept: bytes, reach, ..*self }
            }
            None => not_deterministic("parts of a surface"),
        }
    }

    #[inlined]
    fn inside<'a>(block: &CheckedBlock<&'a Self>) -> Option<Window<'a>> {
        let (surface, [x, y], width, rows) =
            (&block.surface().bytes, block.position(), block.width(), block.rows());
        if !surface.contains([x, y], width, rows) {
            return None;
        }
        // SAFETY: the block is inside the surface, whose rows are a pitch apart, for the launch. It is kept only if the
        // surface is constant, and `check_again` refuses to go on after the launch. Others are read at once; races are
        // excluded by the contract of the type.
        unsafe {
            let start = surface.start.add(y as usize * surface.layout.pitch + x as usize);
            prefetch_rows(start, surface, width, rows);
            Some(Window::from_raw(start, surface.layout.pitch, width, rows))
        }
    }

    #[inlined]
    fn write_block(to: &mut CheckedBlock<&mut Self>, from: BlockRows<'_>) {
        let (surface, [x, y], width, rows) = (&to.surface().bytes, to.position(), to.width(), to.rows());
        let BlockRows { block, offset, pitch } = from;
        assert!(
            rows == 0 || offset + (rows - 1) * pitch + width <= block.len(),
            "rows lie inside of their block"
        );
        if surface.contains([x, y], width, rows) {
            let start = y as usize * surface.layout.pitch + x as usize;
            prefetch_rows(surface.start.wrapping_add(start), surface, width, rows);
            for r in 0..rows {
                // SAFETY: the block is inside the surface, row `r` inside of `block` by the assertion;
                // `check` refuses writes to a surface that was not borrowed exclusively. Races are excluded
                // by the contract of the type.
                unsafe {
                    let at = offset + r * pitch;
                    copy_row(
                        block.as_ptr().add(at),
                        surface.start.add(start + r * surface.layout.pitch),
                        width,
                        at,
                    );
                }
            }
        } else {
            // A copy for a function that is not inlined, so the block itself needs no address.
            let mut edge = [0; MOST_BYTES];
            for r in 0..rows {
                let at = offset + r * pitch;
                edge[r * width..(r + 1) * width].copy_from_slice(&block[at..at + width]);
            }
            // SAFETY: `check` refuses writes to a surface that was not borrowed exclusively. Races are excluded by the
            // contract of the type.
            unsafe { write_edge_block(surface.start, surface.layout, [x, y], [width, rows], edge) };
        }
    }

    #[inlined]
    fn read_row(block: &CheckedBlock<&Self>, r: usize, bytes: &mut [u8]) {
        assert!(bytes.len() == block.width(), "a row is read as a whole");
        let (surface, [x, _]) = (&block.surface().bytes, block.position());
        let y = surface.nearest_row(block.row(r));
        let start = y * surface.layout.pitch;
        if x >= 0 && x as usize + bytes.len() <= surface.layout.width {
            // SAFETY: `y < height` and `x + len <= width`, so the source lies inside row `y`, and all rows, a
            // pitch apart, inside the bytes of the surface; `bytes` is memory of this thread. Races are
            // excluded by the contract of the type.
            unsafe {
                surface.start.add(start + x as usize).copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len());
            };
        } else {
            read_edge(&block.of_copy(&mut None), r, bytes);
        }
    }

    fn read_rows(block: &CheckedBlock<&Self>, bytes: &mut [u8]) {
        let (surface, [x, y], width, rows) =
            (&block.surface().bytes, block.position(), block.width(), block.rows());
        assert!(bytes.len() == width * rows, "a block is read as a whole");
        if surface.contains([x, y], width, rows) {
            let pitch = surface.layout.pitch;
            // SAFETY: the block is inside the surface, whose rows are a pitch apart; `bytes` is memory of
            // this thread. Races are excluded by the contract of the type.
            unsafe {
                let start = surface.start.add(y as usize * pitch + x as usize);
                copy_rows(start, bytes.as_mut_ptr(), [pitch, width], [rows, width]);
            }
            return;
        }
        for (r, row) in bytes.chunks_exact_mut(width).enumerate() {
            Self::read_row(block, r, row);
        }
    }

    fn write_rows(block: &mut CheckedBlock<&mut Self>, bytes: &[u8]) {
        let (surface, [x, y], width, rows) =
            (&block.surface().bytes, block.position(), block.width(), block.rows());
        assert!(bytes.len() == width * rows, "a block is written as a whole");
        if surface.contains([x, y], width, rows) {
            let pitch = surface.layout.pitch;
            // SAFETY: as in `read_rows`; `check` refuses writes to a surface that was not borrowed exclusively.
            unsafe {
                let start = surface.start.add(y as usize * pitch + x as usize);
                copy_rows(bytes.as_ptr(), start, [width, pitch], [rows, width]);
            }
            return;
        }
        for (r, row) in bytes.chunks_exact(width).enumerate() {
            Self::write_row(block, r, row);
        }
    }

    #[inlined]
    fn write_row(block: &mut CheckedBlock<&mut Self>, r: usize, bytes: &[u8]) {
        assert!(bytes.len() == block.width(), "a row is written as a whole");
        let (surface, [x, _], y) = (&block.surface().bytes, block.position(), block.row(r));
        // SAFETY: `check` refuses writes to a surface that was not borrowed exclusively. Races are excluded by the
        // contract of the type.
        unsafe { write_inside(surface.start, surface.layout, [x, y], bytes) };
    }
}

/// Prefetches memory after or below the rows of a block that starts here, if that helps in a surface of this layout. It is the
/// same for reads and writes: prefetching for only one of them gains nothing.
#[inlined]
fn prefetch_rows(start: *const u8, surface: &Bytes, width: usize, rows: usize) {
    let layout = surface.layout;
    let (below, after) = (
        matches!(width, copy::NARROWEST_DOWN..=copy::WIDEST_DOWN),
        matches!(width, copy::NARROWEST..=copy::WIDEST),
    );
    // One or two rows without a condition: the compiler would not put together what is computed before and after it.
    let always = rows <= 2 && !after;
    if below && (always || surface.ahead > 0 && rows <= copy::ROWS_DOWN / 2) {
        prefetch_below(start, surface, [width, rows]);
    } else if after && layout.pitch.wrapping_mul(layout.height) >= copy::LARGE_SURFACE {
        for r in 0..rows {
            copy::prefetch::<{ copy::AHEAD_IN_ROW }>(start.wrapping_add(r * layout.pitch));
        }
    }
}

/// Prefetches the rows that threads which go down the surface reach later.
#[inlined]
fn prefetch_below(start: *const u8, surface: &Bytes, [width, rows]: [usize; 2]) {
    for r in 0..rows {
        let row = start.wrapping_add(r * surface.layout.pitch);
        for line in (0..width).step_by(64) {
            copy::prefetch_far(row, surface.ahead + line);
        }
    }
}

/// Writes a row of bytes at `(x, y)`, without those that are outside of the surface.
///
/// # Safety
/// The surface starts at `start`, and may be written now.
#[inlined]
unsafe fn write_inside(start: *mut u8, layout: Layout, [x, y]: [i32; 2], row: &[u8]) {
    if y < 0 || y as usize >= layout.height {
        return;
    }
    // In `i64`, because the end of the row may exceed `i32`.
    let first = i64::from(x).clamp(0, layout.width as i64);
    let end = (i64::from(x) + row.len() as i64).clamp(first, layout.width as i64);
    let skipped = (first - i64::from(x)) as usize;
    let len = (end - first) as usize;
    if len == 0 {
        return;
    }
    let inside = &row[skipped..skipped + len];
    // SAFETY: `y < height` and `first + len <= width`, so the target lies inside the surface; `row` is memory of this
    // thread.
    unsafe {
        let to = start.add(y as usize * layout.pitch + first as usize);
        to.copy_from_nonoverlapping(inside.as_ptr(), len);
    }
}

/// Writes a block of `rows` rows of `width` bytes at `(x, y)` that is partly outside. It takes only what it
/// needs of the surface: the rest would be copied for every thread.
///
/// # Safety
/// As for [`write_inside`].
#[cold]
#[inline(never)]
unsafe fn write_edge_block(
    start: *mut u8,
    layout: Layout,
    [x, y]: [i32; 2],
    [width, rows]: [usize; 2],
    block: [u8; MOST_BYTES],
) {
    for r in 0..rows {
        let row = &block[r * width..(r + 1) * width];
        // Rows below the last one of `i32` are outside.
        // SAFETY: as the caller says.
        unsafe { write_inside(start, layout, [x, y.saturating_add(r as i32)], row) };
    }
}

/// Row `r` of a block that is partly outside.
#[cold]
#[inline(never)]
fn read_edge(block: &CheckedBlock<&SurfaceMemory>, r: usize, row: &mut [u8]) {
    let (surface, [x, _]) = (&block.surface().bytes, block.position());
    let start = surface.nearest_row(block.row(r)) * surface.layout.pitch;
    let Layout { format, width, .. } = surface.layout;
    // The bytes inside of the surface are contiguous. They start at byte `before` of the row of the block.
    let x = i64::from(x);
    let first = x.clamp(0, width as i64);
    let before = ((first - x).max(0) as usize).min(row.len());
    let inside = (width - first as usize).min(row.len() - before);
    // SAFETY: `first + inside <= width`, `before + inside <= len`, and `start` is the start of a row of the
    // surface; `row` is memory of this thread. Races are excluded by the contract of the type.
    unsafe {
        let source = surface.start.add(start + first as usize);
        source.copy_to_nonoverlapping(row.as_mut_ptr().add(before), inside);
    }
    let period = format.alignment();
    for outside in [0..before, before + inside..row.len()] {
        for i in outside.clone() {
            row[i] = if i - outside.start < period {
                let column = edge::column(format, width, x + i as i64);
                // SAFETY: `column < width` by the rule, and `start` that of a row of the surface. Races as above.
                unsafe { surface.start.add(start + column).read() }
            } else {
                row[i - period]
            };
        }
    }
}
