//! What an executor adds to the CPU backend.

use std::fmt::Debug;

/// Surfaces and thread coordinates, given by an executor.
pub trait Environment: Copy + Debug + 'static {
    /// A surface argument.
    type Surface: SurfaceAccess;
    /// The coordinates of the kernel thread that this OS thread runs; of several side by side, those of the first.
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

    /// [`enter_block`](Self::enter_block) for kernel threads side by side, with the positions of their blocks.
    #[inline(always)]
    fn enter_blocks(&self, positions: &[[i32; 2]], width: usize, rows: usize, writes: bool) {
        for &[x, y] in positions {
            self.enter_block(x, y, width, rows, writes);
        }
    }

    /// Fills `block` with blocks of `rows` rows of `width` bytes: row after row, and in each those of the blocks one after
    /// the other.
    #[inline(always)]
    fn read_blocks(&self, positions: &[[i32; 2]], width: usize, rows: usize, block: &mut [u8]) {
        let pitch = positions.len() * width;
        for r in 0..rows {
            for (n, &[x, y]) in positions.iter().enumerate() {
                let at = r * pitch + n * width;
                self.read_row(x, y.saturating_add(r as i32), &mut block[at..at + width]);
            }
        }
    }

    /// Stores `rows` rows of `width` bytes, `pitch` bytes apart, from column `x` of row `y` on.
    #[inline(always)]
    fn write_block(&mut self, [x, y]: [i32; 2], width: usize, rows: usize, block: &[u8], pitch: usize) {
        for r in 0..rows {
            self.write_row(x, y.saturating_add(r as i32), &block[r * pitch..r * pitch + width]);
        }
    }
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
