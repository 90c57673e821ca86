//! What an executor adds to the CPU backend.

use std::fmt::Debug;

/// Surfaces, buffers and thread coordinates, given by an executor.
pub trait Environment: Copy + Debug + 'static {
    /// A surface argument.
    type Surface: SurfaceAccess;
    /// A buffer argument.
    type Buffer: BufferAccess;
    /// The coordinates of the kernel thread that this OS thread runs.
    fn thread_origin() -> [u32; 2];
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
}

/// Bytes of a buffer, by their offset.
pub trait BufferAccess: Debug {
    /// Comes before every access: to a block, by its first byte and its bytes, or to any elements. An executor refuses by a
    /// panic what the kernel may not touch.
    fn enter(&self, block: Option<(u32, usize)>, writes: bool);
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
    fn enter(&self, _: Option<(u32, usize)>, _: bool) {
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
