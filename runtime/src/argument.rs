//! Arguments of a launch.

use std::ops::Deref;

use cm_compiler::ir::{Field, View};
use cm_dsl::elem::{Elem, ElemType, bf16, f16, tf32};
use cm_dsl::kernel::ParamKind;
use cm_dsl::registers::{Matrix, Vector};
use cm_dsl::sampler::{AddressMode, Filter, Sampler};
use smallvec::SmallVec;

use crate::buffer::{Buffer, BufferBytes};
use crate::parts::INLINE;
use crate::surface::Surface2D;
use crate::surface_3d::Surface3D;
use crate::{cpu, level_zero};

/// An argument, as `launch` passes it on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Arg<'a> {
    /// Memory that all threads share.
    Memory(Memory<'a>),
    /// A value that is the same for all threads.
    Uniform(Uniform),
}

/// Memory of one kind, borrowed for a launch: shared if the kernel reads it, exclusively if it writes it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Memory<'a> {
    /// A surface.
    Surface(Borrowed<'a, Surface2D>),
    /// A 3-D surface.
    Surface3d(Borrowed<'a, Surface3D>),
    /// A buffer.
    Buffer(Borrowed<'a, BufferBytes>),
}

/// A shared or an exclusive borrow.
#[derive(Debug)]
pub enum Borrowed<'a, T> {
    /// The kernel reads it.
    Shared(&'a T),
    /// The kernel reads and writes it.
    Exclusive(&'a mut T),
}

impl<T> Deref for Borrowed<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Shared(borrowed) => borrowed,
            Self::Exclusive(borrowed) => borrowed,
        }
    }
}

impl<T> Borrowed<'_, T> {
    fn writes(&self) -> bool {
        matches!(self, Self::Exclusive(_))
    }
}

impl Arg<'_> {
    /// The surface, if it is one; of a 3-D surface the rows of all slices.
    pub(crate) fn surface(&self) -> Option<&Surface2D> {
        match self {
            Self::Memory(Memory::Surface(surface)) => Some(surface),
            Self::Memory(Memory::Surface3d(surface)) => Some(surface.rows()),
            Self::Memory(Memory::Buffer(_)) | Self::Uniform(_) => None,
        }
    }

    /// The buffer, if it is one.
    pub(crate) fn buffer(&self) -> Option<&BufferBytes> {
        match self {
            Self::Memory(Memory::Buffer(buffer)) => Some(buffer),
            Self::Memory(Memory::Surface(_) | Memory::Surface3d(_)) | Self::Uniform(_) => None,
        }
    }

    /// Whether a parameter accepts the argument: memory of its kind with the right borrow, or a value of its size.
    pub(crate) fn fits(&self, kind: ParamKind) -> bool {
        match (self, kind) {
            (Self::Memory(Memory::Surface(surface)), ParamKind::Surface { writable }) => {
                surface.writes() || !writable
            }
            (Self::Memory(Memory::Surface3d(surface)), ParamKind::Surface3d { writable }) => {
                surface.writes() || !writable
            }
            (Self::Memory(Memory::Buffer(buffer)), ParamKind::Buffer { writable, .. }) => {
                buffer.writes() || !writable
            }
            (Self::Uniform(uniform), ParamKind::Uniform { elem, rows, columns }) => {
                uniform.elem == elem && uniform.bytes().len() == elem.bytes() * rows * columns
            }
            _ => false,
        }
    }

    /// Its description in messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Memory(Memory::Surface(Borrowed::Shared(_))) => "`&Surface2D`".into(),
            Self::Memory(Memory::Surface(Borrowed::Exclusive(_))) => "`&mut Surface2D`".into(),
            Self::Memory(Memory::Surface3d(Borrowed::Shared(_))) => "`&Surface3D`".into(),
            Self::Memory(Memory::Surface3d(Borrowed::Exclusive(_))) => "`&mut Surface3D`".into(),
            Self::Memory(Memory::Buffer(Borrowed::Shared(_))) => "`&Buffer<_>`".into(),
            Self::Memory(Memory::Buffer(Borrowed::Exclusive(_))) => "`&mut Buffer<_>`".into(),
            Self::Uniform(uniform) => {
                format!(
                    "a value of {} elements of {}",
                    uniform.bytes().len() / uniform.elem.bytes(),
                    uniform.elem
                )
            }
        }
    }

    /// The argument for the CPU, if it is on the CPU, with the views of it that the kernel uses.
    pub(crate) fn on_cpu(&mut self, views: impl Iterator<Item = View>) -> Option<cpu::Argument<'_>> {
        Some(match self {
            Self::Memory(Memory::Surface(Borrowed::Shared(surface))) => read_on_cpu(surface, views)?,
            Self::Memory(Memory::Surface(Borrowed::Exclusive(surface))) => written_on_cpu(surface, views)?,
            Self::Memory(Memory::Surface3d(Borrowed::Shared(surface))) => read_on_cpu(surface.rows(), views)?,
            Self::Memory(Memory::Surface3d(Borrowed::Exclusive(surface))) => {
                written_on_cpu(surface.rows_mut(), views)?
            }
            Self::Memory(Memory::Buffer(buffer)) => cpu::Argument::Buffer(match buffer {
                Borrowed::Shared(buffer) => cpu::BufferBorrow::shared(buffer.bytes()?),
                Borrowed::Exclusive(buffer) => cpu::BufferBorrow::exclusive(buffer.bytes_mut()?),
            }),
            Self::Uniform(uniform) => cpu::Argument::Uniform(uniform.bytes()),
        })
    }

    /// The argument for GPUs, if it is on a GPU.
    pub(crate) fn on_gpu(&self) -> Option<level_zero::Argument<'_>> {
        Some(match self {
            Self::Memory(Memory::Surface(surface)) => on_gpu(surface, None, surface.writes())?,
            Self::Memory(Memory::Surface3d(surface)) => on_gpu(surface.rows(), None, surface.writes())?,
            Self::Memory(Memory::Buffer(buffer)) => {
                level_zero::Argument::Memory { memory: buffer.device()?, writes: buffer.writes() }
            }
            Self::Uniform(uniform) => level_zero::Argument::Uniform(uniform.bytes()),
        })
    }

    /// A view of a surface for GPUs, if it is on a GPU.
    pub(crate) fn view_on_gpu(
        &self,
        View { plane, field, .. }: View,
        writes: bool,
    ) -> Option<level_zero::Argument<'_>> {
        on_gpu(self.surface()?.plane(plane)?, field, writes)
    }
}

/// A surface that the kernel reads on the CPU.
fn read_on_cpu<'a>(surface: &'a Surface2D, views: impl Iterator<Item = View>) -> Option<cpu::Argument<'a>> {
    let planes = surface.planes().map(|plane| Some((plane.bytes()?, plane.layout())));
    cpu::SurfaceBorrow::shared(planes, views).map(cpu::Argument::Surface)
}

/// A surface that the kernel reads and writes on the CPU.
fn written_on_cpu<'a>(
    surface: &'a mut Surface2D,
    views: impl Iterator<Item = View>,
) -> Option<cpu::Argument<'a>> {
    cpu::SurfaceBorrow::exclusive(surface.planes_mut(), views).map(cpu::Argument::Surface)
}

/// A plane, or a field of it, for GPUs.
fn on_gpu(surface: &Surface2D, field: Option<Field>, writes: bool) -> Option<level_zero::Argument<'_>> {
    if let Some(image) = surface.image() {
        return Some(level_zero::Argument::Image { image, field, writes });
    }
    let (memory, first, shape) = surface.in_buffer(field)?;
    Some(level_zero::Argument::Linear { memory, first, shape, writes })
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

/// The arguments of a launch, in order.
#[derive(Debug, Default)]
pub struct Args<'a>(SmallVec<[Arg<'a>; INLINE]>);

impl<'a> Args<'a> {
    /// No arguments yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// All of them, as `launch` takes them.
    pub fn as_mut_slice(&mut self) -> &mut [Arg<'a>] {
        &mut self.0
    }
}

/// A value that can be passed to a kernel: one argument, or a structure of several, `#[derive(Arguments)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel",
    label = "not a kernel argument",
    note = "kernels take `&Surface2D`, `&Surface3D`, `&Buffer<T>`, the same with `&mut`, by value \
            numbers, `Vector` and `Matrix`, and structures of these with `#[derive(Arguments)]`"
)]
pub trait LaunchArgs<'a> {
    /// Appends its arguments.
    fn append(self, args: &mut Args<'a>);
}

impl<'a, A: LaunchArg<'a>> LaunchArgs<'a> for A {
    fn append(self, args: &mut Args<'a>) {
        args.0.push(self.into_arg());
    }
}

/// A value that is one argument.
pub trait LaunchArg<'a> {
    /// The argument.
    fn into_arg(self) -> Arg<'a>;
}

impl<'a> LaunchArg<'a> for &'a Surface2D {
    fn into_arg(self) -> Arg<'a> {
        Arg::Memory(Memory::Surface(Borrowed::Shared(self)))
    }
}

impl<'a> LaunchArg<'a> for &'a mut Surface2D {
    fn into_arg(self) -> Arg<'a> {
        Arg::Memory(Memory::Surface(Borrowed::Exclusive(self)))
    }
}

impl<'a> LaunchArg<'a> for &'a Surface3D {
    fn into_arg(self) -> Arg<'a> {
        Arg::Memory(Memory::Surface3d(Borrowed::Shared(self)))
    }
}

impl<'a> LaunchArg<'a> for &'a mut Surface3D {
    fn into_arg(self) -> Arg<'a> {
        Arg::Memory(Memory::Surface3d(Borrowed::Exclusive(self)))
    }
}

impl<'a, T: Elem> LaunchArg<'a> for &'a Buffer<T> {
    fn into_arg(self) -> Arg<'a> {
        Arg::Memory(Memory::Buffer(Borrowed::Shared(self.erased())))
    }
}

impl<'a, T: Elem> LaunchArg<'a> for &'a mut Buffer<T> {
    fn into_arg(self) -> Arg<'a> {
        Arg::Memory(Memory::Buffer(Borrowed::Exclusive(self.erased_mut())))
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

impl<'a, F: Filter, A: AddressMode> LaunchArg<'a> for Sampler<F, A> {
    fn into_arg(self) -> Arg<'a> {
        self.values().into_arg()
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

cm_compiler::for_each_element!(numbers);
cm_dsl::for_each_storage!(numbers);
