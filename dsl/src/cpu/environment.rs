//! What an executor adds to the CPU backend.

use std::fmt::Debug;

/// Surfaces and thread coordinates, given by an executor.
pub trait Environment: Copy + Debug + 'static {
    /// A surface argument.
    type Surface: SurfaceAccess;
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

/// Plain Rust: no surfaces, and the thread at (0, 0).
#[derive(Clone, Copy, Debug)]
pub struct Detached;

/// The surface of an environment without surfaces. There are no values of it.
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

impl Environment for Detached {
    type Surface = NoSurface;

    fn thread_origin() -> [u32; 2] {
        [0, 0]
    }
}
