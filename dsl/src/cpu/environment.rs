//! What an executor adds to the CPU backend.
#![allow(unsafe_code)]

use std::fmt::Debug;
use std::marker::PhantomData;

use super::window::{Edge, Window};

/// Surfaces, buffers and thread coordinates, given by an executor.
pub trait Environment: Copy + Debug + 'static {
    /// A surface argument.
    type Surface: SurfaceAccess;
    /// A buffer argument.
    type Buffer: BufferAccess;
    /// Proof that the CPU has AVX2, where kernels are compiled for instructions that only it has.
    const AVX2: Option<Avx2> = None;
    /// Whether the compiler may use AVX-512 as well.
    const AVX512: bool = false;
    /// The coordinates of the kernel thread that this OS thread runs; of several side by side, those of the first.
    fn thread_origin() -> [u32; 2];
}

/// Proof that the CPU has AVX2.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// The proof.
    ///
    /// # Safety
    /// Whatever is done with it happens on a CPU that has AVX2.
    #[must_use]
    pub const unsafe fn new_unchecked() -> Self {
        Self(())
    }
}

/// Rows of a surface, by byte column and row, with the edge rule of its format.
pub trait SurfaceAccess: Debug {
    /// Comes before the rows of every block: `width` bytes, `rows` rows. An executor refuses by a panic what the kernel
    /// may not touch.
    fn enter_block(&self, x: i32, y: i32, width: usize, rows: usize, writes: bool);
    /// Fills `row` with the bytes from column `x` of row `y`; positions outside repeat the edge texel.
    fn read_row(&self, x: i32, y: i32, row: &mut [u8]);
    /// Stores `row` at column `x` of row `y`; bytes outside are dropped.
    fn write_row(&mut self, x: i32, y: i32, row: &[u8]);

    /// [`enter_block`](Self::enter_block) for kernel threads side by side, with the positions of their blocks.
    #[inline(always)]
    fn enter_blocks(&self, positions: &[[i32; 2]], width: usize, rows: usize, writes: bool) {
        for &[x, y] in positions {
            self.enter_block(x, y, width, rows, writes);
        }
    }

    /// Comes before every use of a block that is read in place. An executor refuses by a panic what the kernel may not touch
    /// any more.
    #[inline(always)]
    fn enter_again(&self) {}

    /// The `width` bytes from column `x` on of `rows` rows from row `y` on, where they are, if they can be read there.
    #[inline(always)]
    fn inside(&self, _at: [i32; 2], _width: usize, _rows: usize) -> Option<Window<'_>> {
        None
    }

    /// The same bytes: where they are, or copied to `edge`.
    ///
    /// # Panics
    /// If they are more bytes than `edge` has.
    #[inline(always)]
    fn window<'a>(&'a self, at: [i32; 2], width: usize, rows: usize, edge: &'a mut Edge) -> Window<'a> {
        match self.inside(at, width, rows) {
            Some(window) => window,
            None => self.edge_window(&[at], width, rows, edge),
        }
    }

    /// Blocks of `rows` rows of `width` bytes, one beside the other, copied to `edge`.
    ///
    /// # Panics
    /// If they are more bytes than `edge` has.
    #[cold]
    #[inline(never)]
    fn edge_window<'a>(
        &self,
        positions: &[[i32; 2]],
        width: usize,
        rows: usize,
        edge: &'a mut Edge,
    ) -> Window<'a> {
        let (pitch, bytes) = (positions.len() * width, edge.write([0; size_of::<Edge>()]));
        for r in 0..rows {
            for (n, &[x, y]) in positions.iter().enumerate() {
                let at = r * pitch + n * width;
                self.read_row(x, y.saturating_add(r as i32), &mut bytes[at..at + width]);
            }
        }
        Window::new(bytes, pitch, rows)
    }

    /// Stores `rows` rows of `width` bytes from column `x` of row `y` on.
    #[inline(always)]
    fn write_block(&mut self, [x, y]: [i32; 2], width: usize, rows: usize, from: Rows<'_>) {
        for r in 0..rows {
            let at = from.offset + r * from.pitch;
            self.write_row(x, y.saturating_add(r as i32), &from.block[at..at + width]);
        }
    }
}

/// Ends a kernel thread that is elsewhere than its recording said: an executor relies on that where threads run at the same time
/// or side by side.
///
/// # Panics
/// Always.
#[cold]
#[inline(never)]
pub fn not_deterministic() -> ! {
    panic!(
        "the host code of a kernel computes other coordinates than when it was recorded: kernels must be deterministic"
    )
}

/// Rows inside of a block that is in registers.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The whole block.
    pub block: &'a [u8],
    /// Its byte where the first row starts.
    pub offset: usize,
    /// Bytes from one row to the next.
    pub pitch: usize,
}

/// Bytes of a buffer, by their offset.
pub trait BufferAccess: Debug {
    /// Comes before every access of a thread, by its number among those side by side: to a block, by its first byte and its
    /// bytes, or to any elements. An executor refuses by a panic what the kernel may not touch.
    fn enter(&self, thread: usize, block: Option<(u32, usize)>, writes: bool);
    /// Fills `bytes` with those from `offset` on; bytes outside are 0.
    fn read(&self, offset: u32, bytes: &mut [u8]);
    /// Stores `bytes` from `offset` on; bytes outside are dropped.
    fn write(&mut self, offset: u32, bytes: &[u8]);
}

/// Plain Rust: no surfaces, no buffers, and the thread at (0, 0).
#[derive(Clone, Copy, Debug)]
pub struct Detached;

/// The surfaces and buffers of an environment without them. There are no values of it.
#[derive(Clone, Copy, Debug)]
pub enum NoSurface {}

impl SurfaceAccess for NoSurface {
    fn enter_block(&self, _: i32, _: i32, _: usize, _: usize, _: bool) {
        match *self {}
    }

    fn read_row(&self, _: i32, _: i32, _: &mut [u8]) {
        match *self {}
    }

    fn write_row(&mut self, _: i32, _: i32, _: &[u8]) {
        match *self {}
    }
}

impl BufferAccess for NoSurface {
    fn enter(&self, _: usize, _: Option<(u32, usize)>, _: bool) {
        match *self {}
    }

    fn read(&self, _: u32, _: &mut [u8]) {
        match *self {}
    }

    fn write(&mut self, _: u32, _: &[u8]) {
        match *self {}
    }
}

impl Environment for Detached {
    type Surface = NoSurface;
    type Buffer = NoSurface;

    fn thread_origin() -> [u32; 2] {
        [0, 0]
    }
}

/// The CPU backend in an environment; in plain Rust there is none.
///
/// It runs `N` kernel threads side by side, neighbours in their row of the thread space: every register holds those of
/// all of them. More than one is for kernels without staged conditions and loops, whose threads have what they
/// write to themselves and read at columns that do not wrap between them, and at most [`MOST_SIDE_BY_SIDE`](super::MOST_SIDE_BY_SIDE).
#[derive(Debug)]
pub struct Cpu<E: Environment = Detached, const N: usize = 1>(PhantomData<E>);

impl<E: Environment, const N: usize> Clone for Cpu<E, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E: Environment, const N: usize> Copy for Cpu<E, N> {}
