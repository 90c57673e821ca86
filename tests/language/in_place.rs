//! Blocks that `#[kernel]` reads in place are what blocks are, whatever is done with them.

use std::ops::Deref;

use cm::dsl::address::Coordinate;
use cm::dsl::backend::Backend;
use cm::dsl::kernel::{ArgSource, Argument, ByReference, ParamKind};
use cm::dsl::registers::Offset;
use cm::elem::Elem;
use cm::prelude::*;
use cm::surface::Surface;

/// A surface that is read from column 16 on.
struct Shifted(Surface2D);

impl Deref for Shifted {
    type Target = Surface2D;
    fn deref(&self) -> &Surface2D {
        &self.0
    }
}

/// What the kernel has of it.
struct ShiftedSurface<B: Backend>(Surface<B>);

impl<B: Backend> Deref for ShiftedSurface<B> {
    type Target = Surface<B>;
    fn deref(&self) -> &Surface<B> {
        &self.0
    }
}

impl<B: Backend> ShiftedSurface<B> {
    fn read<T: Elem, const R: usize, const C: usize>(
        &self,
        x: i32,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B> {
        self.0.read_any(x + 16, y)
    }
}

impl Argument<ByReference> for Shifted {
    type Host = Surface2D;
    type Bound<B: Backend> = ShiftedSurface<B>;
    const KIND: ParamKind = ParamKind::Surface { writable: false };
    fn bind<B: Backend>(source: &mut impl ArgSource<B>) -> ShiftedSurface<B> {
        ShiftedSurface(Surface::new(source.surface()))
    }
}

#[kernel]
fn its_own_read(input: &Shifted, output: &mut Surface2D) {
    let block = input.read::<u8, 1, 16>(0, 0);
    output.write(0, 0, &block.select::<1, 1, 16, 1>(0, 0));
}

/// The first 16 bytes that a kernel writes, of a surface that counts.
fn first_row<A>(
    launch: impl Fn(&Device, ThreadSpace, &A, &mut Surface2D) -> cm::Result<Event>,
    input: impl Fn(Surface2D) -> A,
) -> Vec<u8> {
    let device = Device::cpu().unwrap();
    let data: Vec<u8> = (0..=255).collect();
    let input = input(Surface2D::from_bytes(&device, Format::R8, 32, 8, &data).unwrap());
    let mut output = Surface2D::new(&device, Format::R8, 16, 1).unwrap();
    launch(&device, ThreadSpace::new(1, 1).unwrap(), &input, &mut output).unwrap();
    output.to_vec().unwrap()
}

#[test]
fn other_surfaces_keep_their_own_read() {
    let expected: Vec<u8> = (16..32).collect();
    assert_eq!(first_row(its_own_read::launch, Shifted), expected);
}

/// Closures that take the block along, one of which outlives its name.
#[kernel]
fn taken_along(input: &Surface2D, output: &mut Surface2D) {
    let block = input.read::<u8, 8, 32>(0, 0);
    let lower = move |i: usize| block.row(i).select::<8, 1>(4);
    let upper = move |i: usize| block.row(i).select::<8, 1>(8);
    let outlives = {
        let block = input.read::<u8, 8, 32>(0, 0);
        move |i: usize| block.row(i).select::<8, 1>(16)
    };
    let mut out = Matrix::<u8, 1, 16>::splat(0);
    out.select_mut::<1, 1, 8, 1>(0, 0).assign((lower(0) + upper(1)).convert::<u8>().format::<u8, 1, 8>());
    out.select_mut::<1, 1, 8, 1>(0, 8).assign(outlives(2).format::<u8, 1, 8>());
    output.write(0, 0, &out);
}

#[test]
fn closures_take_blocks_along() {
    let lower = (0..8).map(|c| (4 + c) + (32 + 8 + c));
    let expected: Vec<u8> = lower.chain((0..8).map(|c| 64 + 16 + c)).collect();
    assert_eq!(first_row(taken_along::launch, |input| input), expected);
}

/// A name is the same if it is written raw, and what a macro does with it may be anything.
#[kernel]
fn names(input: &Surface2D, output: &mut Surface2D) {
    let block = input.read::<u8, 8, 32>(0, 0);
    let mut sum: Matrix<u8, 1, 16> = block.select::<1, 1, 16, 1>(0, 3);
    let whole: Matrix<u8, 8, 32> = r#block;
    let r#raw = input.read::<u8, 8, 32>(0, 1);
    sum += raw.select::<1, 1, 16, 1>(0, 5);
    sum ^= whole.select::<1, 1, 16, 1>(2, 7);
    output.write(0, 0, &sum);
}

#[test]
fn raw_names_are_names() {
    let expected: Vec<u8> = (0..16).map(|c| ((3 + c) + (32 + 5 + c)) ^ (64 + 7 + c)).collect();
    assert_eq!(first_row(names::launch, |input| input), expected);
}
