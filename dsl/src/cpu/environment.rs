//! What an executor adds to the CPU backend.
#![allow(unsafe_code)]

use std::fmt::Debug;
use std::marker::PhantomData;
use std::panic::Location;

use cm_compiler::ir::{Grid, Part, RowIds};
use cm_compiler::ops::{SyncKind, Texel};
use cm_compiler::printf::{Printed, Template};

use super::checked_buffer::{BufferAccess, CheckedBytes};
use super::checked_surface::{CheckedBlock, SurfaceAccess};
use super::clock;
use super::readable::Memory;

/// Surfaces, buffers and thread coordinates, given by an executor.
pub trait Environment: Copy + Debug + 'static {
    /// A surface argument.
    type Surface: SurfaceAccess;
    /// A buffer argument.
    type Buffer: BufferAccess<Kept = <Self::Surface as Memory>::Kept> + Copy;
    /// Proof that the CPU has AVX2, where kernels are compiled for instructions that only it has.
    const AVX2: Option<Avx2> = None;
    /// Proof that the CPU has AVX-512 as well, where kernels are compiled for it.
    const AVX512: Option<Avx512> = None;
    /// The instructions for products of matrices, if the CPU has them and they may be used.
    #[must_use]
    fn products() -> Option<Products> {
        None
    }
    /// The coordinates of the kernel thread that this OS thread runs; of several side by side, those of the
    /// first.
    fn thread_origin() -> [u32; 2];

    /// The ids that the threads of its row have in common.
    #[must_use]
    fn row_ids() -> RowIds {
        let [x, y] = Self::thread_origin();
        RowIds::new(Grid::single([1; 3]), [x, y, 0])
    }

    /// An array of so many bytes that the kernel threads of a group share: the next one of the running thread.
    ///
    /// # Panics
    /// In plain Rust.
    #[must_use]
    fn shared(_bytes: usize) -> Self::Buffer {
        panic!("shared local memory is that of a group of kernel threads: call `slm` in a kernel")
    }

    /// The running kernel thread waits for those of its group at this place in the source, or signals them, with the
    /// operands of the kind.
    fn sync(_kind: SyncKind, _operands: &[u32], _at: &'static Location<'static>) {}

    /// Takes a line that the kernel thread at these coordinates prints. In plain Rust it goes to the standard
    /// output.
    fn print(_thread: [u32; 2], template: &Template, values: &[Printed]) {
        println!("{}", template.render(values));
    }

    /// A time that never goes back: nanoseconds, where there is a clock.
    #[must_use]
    fn clock() -> u64 {
        clock::now()
    }
}

/// Bytes of the largest vectors that the compiler may use in code for an environment. Where it has only smaller ones, it
/// divides these.
pub(super) const fn vector<E: Environment>() -> usize {
    if E::AVX512.is_some() { 64 } else { 32 }
}

/// What an executor's surfaces and buffers keep with blocks that are read in place.
pub(super) type KeptOf<E> = <<E as Environment>::Surface as Memory>::Kept;

/// Proof that the CPU has AVX2, F16C and FMA.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// The proof, if there is AVX2, and F16C and FMA, which CPUs with AVX2 have.
    #[must_use]
    pub fn detect() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        let detected = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("fma");
        #[cfg(not(target_arch = "x86_64"))]
        let detected = false;
        detected.then_some(Self(()))
    }

    /// The proof as a constant of an [`Environment`]: operations are functions without values of it, and the
    /// compiler must see that there is only one way.
    ///
    /// # Safety
    /// Whoever can name the environment has a value that [`detect`](Self::detect) gave.
    #[must_use]
    pub const unsafe fn new_unchecked() -> Self {
        Self(())
    }
}

/// Proof that the CPU has AVX-512 with byte, word and doubleword instructions, at all vector lengths; and AVX2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Avx512(Avx2);

impl Avx512 {
    /// The proof, if there are these extensions.
    #[must_use]
    pub fn detect() -> Option<Self> {
        let avx2 = Avx2::detect()?;
        // These must be all features that executors compile kernels for.
        #[cfg(target_arch = "x86_64")]
        let detected = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        #[cfg(not(target_arch = "x86_64"))]
        let detected = false;
        detected.then_some(Self(avx2))
    }

    /// The proof that the CPU has AVX2.
    #[must_use]
    pub const fn avx2(self) -> Avx2 {
        self.0
    }

    /// The proof as a constant of an [`Environment`], as [`Avx2::new_unchecked`].
    ///
    /// # Safety
    /// Whoever can name the environment has a value that [`detect`](Self::detect) gave.
    #[must_use]
    pub const unsafe fn new_unchecked() -> Self {
        // SAFETY: as the caller says; such a value has the proof of AVX2.
        Self(unsafe { Avx2::new_unchecked() })
    }
}

/// Proof that the CPU has AVX2, and which of its extensions multiply bytes.
#[derive(Clone, Copy, Debug)]
pub struct Products {
    #[cfg(target_arch = "x86_64")]
    vnni: Option<Vnni>,
}

/// The extensions that have `vpdpbusd`.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Vnni {
    /// AVX-VNNI.
    Avx,
    /// AVX512-VNNI, with registers of 32 bytes.
    Avx512,
}

impl Products {
    /// What this CPU has. AVX-512 is not used unless the caller says so.
    #[cfg(target_arch = "x86_64")]
    #[must_use]
    pub fn detect(_: Avx2, avx512: bool) -> Self {
        let evex = avx512 && is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("avx512vnni");
        let vex = || is_x86_feature_detected!("avxvnni").then_some(Vnni::Avx);
        Self { vnni: if evex { Some(Vnni::Avx512) } else { vex() } }
    }

    /// The extension that multiplies bytes, which the CPU has.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn vnni(self) -> Option<Vnni> {
        self.vnni
    }
}

/// Plain Rust: no surfaces, no buffers, and the thread at (0, 0).
#[derive(Clone, Copy, Debug)]
pub struct Detached;

/// The surfaces and buffers of an environment without them. There are no values of it.
#[derive(Clone, Copy, Debug)]
pub enum NoSurface {}

impl Memory for NoSurface {
    type Kept = ();

    fn kept(&self) {
        match *self {}
    }

    fn is_constant(&self) -> bool {
        match *self {}
    }
}

impl SurfaceAccess for NoSurface {
    fn check(&self, _: &[[i32; 2]], _: usize, _: usize, _: bool) {
        match *self {}
    }

    fn texels(&self) -> (Texel, [u32; 3]) {
        match *self {}
    }

    fn part(&self, _: Part) -> Self {
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
    fn check<const N: usize>(&self, _: usize, _: [u32; N], _: usize, _: bool) {
        match *self {}
    }

    fn check_elements<S: Iterator<Item = (usize, u32)>>(&self, _: impl FnOnce() -> S, _: usize, _: bool) {
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

/// The CPU backend in an environment; in plain Rust there is none.
///
/// It runs `N` kernel threads side by side, neighbours in their row of the thread space: every register holds
/// those of all of them. More than one is for kernels without staged conditions and loops, whose threads have
/// what they write to themselves and read at columns that do not wrap between them, and at most
/// [`MOST_SIDE_BY_SIDE`](super::MOST_SIDE_BY_SIDE).
#[derive(Debug)]
pub struct Cpu<E: Environment = Detached, const N: usize = 1>(PhantomData<E>);

impl<E: Environment, const N: usize> Clone for Cpu<E, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E: Environment, const N: usize> Copy for Cpu<E, N> {}
