//! What an executor adds to the CPU backend.
#![allow(unsafe_code)]

use std::fmt::Debug;

use super::checked::{CheckedBlock, CheckedBytes};
use super::window::Window;

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
    /// Whatever is done with it happens on a CPU that has AVX2. As a constant of an [`Environment`] it is in the hands of whoever
    /// can name that type: only code that runs on such CPUs.
    #[must_use]
    pub const unsafe fn new_unchecked() -> Self {
        Self(())
    }
}

/// Rows of a surface, with the edge rule of its format. Nothing is read or written that was not checked before.
pub trait SurfaceAccess: Debug {
    /// Whether the running kernel threads, side by side, may touch these blocks, each of `rows` rows of `width` bytes. An
    /// executor refuses by a panic what they may not.
    fn check(&self, positions: &[[i32; 2]], width: usize, rows: usize, writes: bool);
    /// Fills `bytes` with row `r` of a block, all of it; positions outside repeat the edge texel.
    fn read_row(block: &CheckedBlock<&Self>, r: usize, bytes: &mut [u8]);
    /// Stores `bytes` as row `r` of a block, all of it; bytes outside are dropped.
    fn write_row(block: &mut CheckedBlock<&mut Self>, r: usize, bytes: &[u8]);

    /// Comes before every use of a block that is read in place. An executor refuses by a panic what the kernel may not touch
    /// any more.
    #[inline(always)]
    fn check_again(&self) {}

    /// The rows of a block where they are, if they can be read there.
    #[inline(always)]
    #[must_use]
    fn inside<'a>(_: &CheckedBlock<&'a Self>) -> Option<Window<'a>> {
        None
    }

    /// Stores the rows of a block.
    #[inline(always)]
    fn write_block(block: &mut CheckedBlock<&mut Self>, from: Rows<'_>)
    where
        Self: Sized,
    {
        for r in 0..block.rows() {
            let at = from.offset + r * from.pitch;
            Self::write_row(block, r, &from.block[at..at + block.width()]);
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

/// Bytes of a buffer, by their offset. Nothing is read or written that was not checked before.
pub trait BufferAccess: Debug {
    /// Whether the running kernel thread, or one by its number among those side by side, may touch a block, by its first byte
    /// and its bytes, or any elements. An executor refuses by a panic what it may not.
    fn check(&self, thread: usize, block: Option<(u32, usize)>, writes: bool);
    /// Fills `bytes`, as many as there are in `from`; those outside are 0.
    fn read(from: &CheckedBytes<&Self>, bytes: &mut [u8]);
    /// Stores `bytes`, as many as there are in `to`; those outside are dropped.
    fn write(to: &mut CheckedBytes<&mut Self>, bytes: &[u8]);
}

/// Plain Rust: no surfaces, no buffers, and the thread at (0, 0).
#[derive(Clone, Copy, Debug)]
pub struct Detached;

/// The surfaces and buffers of an environment without them. There are no values of it.
#[derive(Clone, Copy, Debug)]
pub enum NoSurface {}

impl SurfaceAccess for NoSurface {
    fn check(&self, _: &[[i32; 2]], _: usize, _: usize, _: bool) {
        match *self {}
    }

    fn read_row(block: &CheckedBlock<&Self>, _: usize, _: &mut [u8]) {
        match **block.surface() {}
    }

    fn write_row(block: &mut CheckedBlock<&mut Self>, _: usize, _: &[u8]) {
        match **block.surface() {}
    }
}

impl BufferAccess for NoSurface {
    fn check(&self, _: usize, _: Option<(u32, usize)>, _: bool) {
        match *self {}
    }

    fn read(from: &CheckedBytes<&Self>, _: &mut [u8]) {
        match **from.memory() {}
    }

    fn write(to: &mut CheckedBytes<&mut Self>, _: &[u8]) {
        match **to.memory() {}
    }
}

impl Environment for Detached {
    type Surface = NoSurface;
    type Buffer = NoSurface;

    fn thread_origin() -> [u32; 2] {
        [0, 0]
    }
}
