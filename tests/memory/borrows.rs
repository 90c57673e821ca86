//! A kernel thread borrows its surfaces for the duration of a launch: host code that keeps or swaps them
//! gains nothing.

use std::any::Any;
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

use cm::Backend;
use cm::CpuEngine;
use cm::dsl::kernel::{ArgSource, Argument, ArgumentKind, ByReference, ParamKind};
use cm::in_place::reader;
use cm::prelude::*;
use cm::surface::Surface;

thread_local! {
    static KEPT: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// An argument that keeps the surface it is given.
struct Keeping(Surface2D);

impl Deref for Keeping {
    type Target = Surface2D;
    fn deref(&self) -> &Surface2D {
        &self.0
    }
}

impl DerefMut for Keeping {
    fn deref_mut(&mut self) -> &mut Surface2D {
        &mut self.0
    }
}

impl Argument<ByReference> for Keeping {
    type Host = Surface2D;
    type Bound<B: Backend> = ();
    type Lent<'l, B: Backend> = &'l mut ();
    const KIND: ArgumentKind = ArgumentKind::One(ParamKind::Surface { writable: true });
    fn bind<B: Backend>(source: &mut impl ArgSource<B>) {
        let surface = Surface::<B>::new(source.surface());
        KEPT.with_borrow_mut(|kept| kept.push(Box::new(surface)));
    }
    fn copy<B: Backend>((): &()) {}
    fn lend<B: Backend>(bound: &mut ()) -> &mut () {
        bound
    }
}

/// Writes to everything that was kept for this backend.
fn scribble<B: Backend>(_: &Surface<B>) {
    KEPT.with_borrow_mut(|kept| {
        for any in kept {
            if let Some(surface) = any.downcast_mut::<Surface<B>>() {
                surface.write(0, 0, &Matrix::<u8, 1, 16, B>::splat_any(66u8));
            }
        }
    });
}

#[kernel]
fn keep(_kept: &mut Keeping) {}

#[kernel]
fn use_kept(output: &mut Surface2D) {
    scribble(output);
}

#[test]
#[should_panic(expected = "a surface of a launch is used outside of it")]
fn a_kept_surface_cannot_be_used() {
    let device = Device::cpu().unwrap().with_cpu_engine(CpuEngine::Native);
    let one = ThreadSpace::new(1, 1).unwrap();
    let mut kept = Keeping(Surface2D::new(&device, Format::R8, 1000, 1).unwrap());
    keep::launch(&device, one, &mut kept).unwrap();
    let mut output = Surface2D::new(&device, Format::R8, 1000, 1).unwrap();
    let _ = use_kept::launch(&device, one, &mut output);
}

/// An argument that keeps a block, and everything needed to use it.
struct KeepingBlock(Surface2D);

impl Deref for KeepingBlock {
    type Target = Surface2D;
    fn deref(&self) -> &Surface2D {
        &self.0
    }
}

impl Argument<ByReference> for KeepingBlock {
    type Host = Surface2D;
    type Bound<B: Backend> = &'static Surface<B>;
    type Lent<'l, B: Backend> = &'l mut &'static Surface<B>;
    const KIND: ArgumentKind = ArgumentKind::One(ParamKind::Surface { writable: false });
    fn bind<B: Backend>(source: &mut impl ArgSource<B>) -> &'static Surface<B> {
        Box::leak(Box::new(Surface::new(source.surface())))
    }
    /// In a kernel thread, which may read.
    fn copy<B: Backend>(&surface: &&'static Surface<B>) -> &'static Surface<B> {
        let block = reader(surface, Box::leak(Box::new(B::scratch()))).read_any::<u8, 1, 16>(0, 0);
        KEPT_USES.with_borrow_mut(|kept| {
            kept.push(Box::new(move || {
                let _ = block.select_any::<1, 1, 16, 1>(0, 0);
            }));
        });
        surface
    }
    fn lend<'l, B: Backend>(bound: &'l mut &'static Surface<B>) -> Self::Lent<'l, B> {
        bound
    }
}

thread_local! {
    static KEPT_USES: RefCell<Vec<Box<dyn Fn()>>> = const { RefCell::new(Vec::new()) };
}

#[kernel]
fn keep_block(_kept: &KeepingBlock) {}

#[test]
#[should_panic(expected = "a block of a launch is used outside of it")]
fn a_kept_block_cannot_be_read() {
    let device = Device::cpu_with_threads(1).unwrap().with_cpu_engine(CpuEngine::Native);
    let kept = KeepingBlock(Surface2D::new(&device, Format::R8, 4096, 16).unwrap());
    keep_block::launch(&device, ThreadSpace::new(1, 1).unwrap(), &kept).unwrap();
    drop(kept);
    let last = KEPT_USES.with_borrow_mut(Vec::pop).expect("the one of the launch");
    last();
}

/// Writes both surfaces, then swaps them where only the host sees it.
#[kernel]
fn exchanging(a: &mut Surface2D, b: &mut Surface2D) {
    let x = thread_origin_x();
    a.write(x * 4, 0, &Matrix::<u8, 1, 4>::splat(1));
    b.write(x * 4, 0, &Matrix::<u8, 1, 4>::splat(2));
    exchange(a, b);
}

fn exchange<T>(a: &mut T, b: &mut T) {
    std::mem::swap(a, b);
}

#[test]
fn threads_do_not_see_each_others_arguments() {
    for workers in [1, 2, 3] {
        let device = Device::cpu_with_threads(workers).unwrap();
        let mut a = Surface2D::new(&device, Format::R8, 4360, 1).unwrap();
        let mut b = Surface2D::new(&device, Format::R8, 4360, 1).unwrap();
        exchanging::launch(&device, ThreadSpace::new(1090, 1).unwrap(), &mut a, &mut b).unwrap();
        assert!(a.to_vec().unwrap().iter().all(|&byte| byte == 1), "{workers} workers");
        assert!(b.to_vec().unwrap().iter().all(|&byte| byte == 2), "{workers} workers");
    }
}
