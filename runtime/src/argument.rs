//! Arguments of a launch.

use cm_dsl::elem::{Elem, ElemType, f16};
use cm_dsl::registers::{Matrix, Vector};

use crate::Surface2D;
use crate::buffer::{Buffer, BufferBytes};

/// An argument, as `launch` passes it on.
#[derive(Debug)]
pub enum Arg<'a> {
    /// A surface that the kernel reads.
    Read(&'a Surface2D),
    /// A surface that the kernel reads and writes.
    Write(&'a mut Surface2D),
    /// A buffer that the kernel reads.
    ReadBuffer(&'a BufferBytes),
    /// A buffer that the kernel reads and writes.
    WriteBuffer(&'a mut BufferBytes),
    /// A value that is the same for all threads.
    Uniform(Uniform),
}

/// The value of a uniform argument.
#[derive(Clone, Debug)]
pub struct Uniform {
    elem: ElemType,
    bytes: Bytes,
}

/// Numbers need no allocation.
#[derive(Clone, Debug)]
enum Bytes {
    Number([u8; 8]),
    Register(Box<[u8]>),
}

impl Uniform {
    fn number<T: Elem>(x: T) -> Self {
        let mut bytes = [0; 8];
        bytes[..T::TYPE.bytes()].copy_from_slice(bytemuck::bytes_of(&x));
        Self { elem: T::TYPE, bytes: Bytes::Number(bytes) }
    }

    fn register<T: Elem>(elements: &[T]) -> Self {
        Self { elem: T::TYPE, bytes: Bytes::Register(bytemuck::cast_slice(elements).into()) }
    }

    /// The element type.
    #[must_use]
    pub const fn elem(&self) -> ElemType {
        self.elem
    }

    /// The elements, row by row.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Number(bytes) => &bytes[..self.elem.bytes()],
            Bytes::Register(bytes) => bytes,
        }
    }
}

/// What can be passed to a kernel.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel",
    label = "not a kernel argument",
    note = "kernels take `&Surface2D`, `&mut Surface2D`, `&Buffer<T>`, `&mut Buffer<T>`, and by value numbers, `Vector` and `Matrix`"
)]
pub trait LaunchArg<'a> {
    /// The argument.
    fn into_arg(self) -> Arg<'a>;
}

impl<'a> LaunchArg<'a> for &'a Surface2D {
    fn into_arg(self) -> Arg<'a> {
        Arg::Read(self)
    }
}

impl<'a> LaunchArg<'a> for &'a mut Surface2D {
    fn into_arg(self) -> Arg<'a> {
        Arg::Write(self)
    }
}

impl<'a, T: Elem> LaunchArg<'a> for &'a Buffer<T> {
    fn into_arg(self) -> Arg<'a> {
        Arg::ReadBuffer(self.erased())
    }
}

impl<'a, T: Elem> LaunchArg<'a> for &'a mut Buffer<T> {
    fn into_arg(self) -> Arg<'a> {
        Arg::WriteBuffer(self.erased_mut())
    }
}

impl<'a, T: Elem, const R: usize, const C: usize> LaunchArg<'a> for Matrix<T, R, C> {
    fn into_arg(self) -> Arg<'a> {
        Arg::Uniform(Uniform::register(self.to_array().as_flattened()))
    }
}

impl<'a, T: Elem, const N: usize> LaunchArg<'a> for Vector<T, N> {
    fn into_arg(self) -> Arg<'a> {
        Arg::Uniform(Uniform::register(&self.to_array()))
    }
}

macro_rules! numbers {
    ($($t:ident)*) => {$(
        impl<'a> LaunchArg<'a> for $t {
            fn into_arg(self) -> Arg<'a> {
                Arg::Uniform(Uniform::number(self))
            }
        }
    )*};
}

numbers! { u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64 }
