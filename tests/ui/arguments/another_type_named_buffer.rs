//! `#[kernel]` recognises buffers by their name.

use std::ops::Deref;

use cm::Backend;
use cm::dsl::buffer::LinearBuffer;
use cm::dsl::kernel::{ArgSource, Argument, ArgumentKind, ByReference};
use cm::prelude::{Surface2D, kernel};

type Bytes = cm::Buffer<u8>;

struct Buffer<T: cm::elem::Elem>(cm::Buffer<T>);

impl Deref for Buffer<u8> {
    type Target = Bytes;
    fn deref(&self) -> &Bytes {
        &self.0
    }
}

struct Bound<B: Backend>(LinearBuffer<u8, B>);

impl<B: Backend> Deref for Bound<B> {
    type Target = LinearBuffer<u8, B>;
    fn deref(&self) -> &LinearBuffer<u8, B> {
        &self.0
    }
}

impl Argument<ByReference> for Buffer<u8> {
    type Host = Bytes;
    type Bound<B: Backend> = Bound<B>;
    type Lent<'l, B: Backend> = &'l mut Bound<B>;
    const KIND: ArgumentKind = <Bytes as Argument<ByReference>>::KIND;
    fn bind<B: Backend>(source: &mut impl ArgSource<B>) -> Bound<B> {
        Bound(<Bytes as Argument<ByReference>>::bind(source))
    }
    fn copy<B: Backend>(bound: &Bound<B>) -> Bound<B> {
        Bound(<Bytes as Argument<ByReference>>::copy(&bound.0))
    }
    fn lend<B: Backend>(bound: &mut Bound<B>) -> &mut Bound<B> {
        bound
    }
}

#[kernel]
fn k(input: &Buffer<u8>, output: &mut Surface2D) {
    let v = input.read::<16>(0);
    output.write(0, 0, &v.select::<8, 1>(4));
}

fn main() {}
