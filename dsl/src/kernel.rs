//! Kernels as values: the interface that `#[kernel]` implements and executors use.

pub use cm_compiler::ir::ParamKind;

use cm_compiler::limits::REGISTER_FILE;
use cm_macros::inlined;

use crate::backend::Backend;
use crate::elem::{Elem, bf16, f16, tf32};
use crate::registers::{Matrix, Scalar, Vector};

/// A kernel: its parameters, and its body for every backend.
pub trait Kernel: 'static {
    /// Its name.
    const NAME: &'static str;
    /// Its file, line and column.
    const PLACE: (&'static str, u32, u32);
    /// Its parameters, in order.
    const PARAMS: &'static [Param];
    /// Whether its code is optimised. `#[kernel]` says `false` in a crate that is built without optimisation, and if
    /// operations are not [inlined](crate::cpu::INLINED).
    const OPTIMISED: bool = true;
    /// Whether the compiler simplifies its code only once before it vectorises loops: with `codegen-units = 1`, and with
    /// LTO other than thin.
    const SIMPLIFIED_ONCE: bool = false;
    /// Bytes of the register file that it is written for: `register_file` of `#[kernel]`.
    const REGISTER_FILE: usize = REGISTER_FILE;
    /// A type in a separate module. rustc compiles generic code in the module of its `Self` type, so with this type
    /// kernels are compiled in parallel, and separately in incremental builds.
    type Unit: 'static;

    /// Takes the arguments from `source`, in order, and runs the body for each item of `threads`: a kernel
    /// thread, which begins when the item is taken. The body gets copies of the arguments, so that other
    /// threads do not see changes to them.
    fn run<B: Backend>(source: &mut impl ArgSource<B>, threads: impl Iterator<Item = ()>);
}

/// The declarations of a kernel without its type. Code that needs only these is compiled once for all kernels.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// Its name.
    pub name: &'static str,
    /// Its file, line and column.
    pub place: (&'static str, u32, u32),
    /// Its parameters, in order: each field of a structure is one, with a name such as `shapes.input`.
    pub params: &'static [Param<ParamKind>],
    /// Bytes of the register file that it is written for.
    pub register_file: usize,
}

impl Declaration {
    /// The declaration of kernel `K`. It is never freed, so only a recording, which is made once, asks for it.
    #[must_use]
    pub(crate) fn of<K: Kernel>() -> Self {
        Self { name: K::NAME, place: K::PLACE, params: flat(K::PARAMS), register_file: K::REGISTER_FILE }
    }
}

/// A parameter of a kernel, or a field of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param<K = ArgumentKind> {
    /// Its name in the source.
    pub name: &'static str,
    /// The kind of argument.
    pub kind: K,
}

/// What a parameter takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgumentKind {
    /// One argument.
    One(ParamKind),
    /// A structure of arguments.
    Fields {
        /// The fields, in order.
        fields: &'static [Param],
    },
}

impl ArgumentKind {
    /// The kind of the parameter passed by `&mut`, or otherwise.
    #[must_use]
    pub const fn by(self, exclusive: bool) -> Self {
        match self {
            Self::One(kind) => Self::One(kind.by(exclusive)),
            fields @ Self::Fields { .. } => fields,
        }
    }
}

/// The parameters with the fields of structures in place of the structures.
fn flat(params: &[Param]) -> &'static [Param<ParamKind>] {
    fn add(params: &[Param], of: &str, to: &mut Vec<Param<ParamKind>>) {
        for &Param { name, kind } in params {
            let name = if of.is_empty() { name } else { &*format!("{of}.{name}").leak() };
            match kind {
                ArgumentKind::One(kind) => to.push(Param { name, kind }),
                ArgumentKind::Fields { fields } => add(fields, name, to),
            }
        }
    }
    let mut all = Vec::new();
    add(params, "", &mut all);
    all.leak()
}

/// Where a backend takes the arguments of a kernel from, one after the other.
pub trait ArgSource<B: Backend> {
    /// The next argument, a surface.
    fn surface(&mut self) -> B::Surface;
    /// The next argument, a buffer.
    fn buffer(&mut self) -> B::Buffer;
    /// The next argument, a value.
    fn uniform<T: Elem, const R: usize, const C: usize>(&mut self) -> B::Reg<T, R, C>;
}

/// The passing of registers and numbers.
#[derive(Clone, Copy, Debug)]
pub struct ByValue;

/// The passing of surfaces and buffers.
#[derive(Clone, Copy, Debug)]
pub struct ByReference;

/// The type of a parameter that is passed by `P`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel argument, or not in this way",
    label = "not a kernel argument",
    note = "by value kernels take numbers (`u32`, `f32`, ..), `Vector` and `Matrix`, by reference \
            `&Surface2D`, `&Surface3D`, `&Buffer<T>`, and the same with `&mut`; structures of these need \
            `#[derive(Arguments)]`; a host size is a const generic: `fn k<const N: usize>(..)`"
)]
pub trait Argument<P> {
    /// The type itself: an illegal type is reported only here.
    type Host;
    /// The argument on a backend.
    type Bound<B: Backend>;
    /// The argument as the body of a kernel has it.
    type Lent<'l, B: Backend>;
    /// The kind of parameter. A surface or buffer is writable where the parameter is `&mut`, see [`ArgumentKind::by`].
    const KIND: ArgumentKind;
    /// Takes the argument from a source, once for many kernel threads: no kernel thread runs yet.
    fn bind<B: Backend>(source: &mut impl ArgSource<B>) -> Self::Bound<B>;
    /// A copy for a kernel thread.
    fn copy<B: Backend>(bound: &Self::Bound<B>) -> Self::Bound<B>;
    /// Gives the copy to the body.
    fn lend<B: Backend>(bound: &mut Self::Bound<B>) -> Self::Lent<'_, B>;
}

#[doc(hidden)]
impl<T: Elem, const R: usize, const C: usize> Argument<ByValue> for Matrix<T, R, C> {
    type Host = Self;
    type Bound<B: Backend> = Matrix<T, R, C, B>;
    type Lent<'l, B: Backend> = Matrix<T, R, C, B>;
    const KIND: ArgumentKind = ArgumentKind::One(ParamKind::Uniform { elem: T::TYPE, rows: R, columns: C });
    #[inlined]
    fn bind<B: Backend>(source: &mut impl ArgSource<B>) -> Matrix<T, R, C, B> {
        Matrix::from_reg(source.uniform::<T, R, C>())
    }
    #[inlined]
    fn copy<B: Backend>(bound: &Matrix<T, R, C, B>) -> Matrix<T, R, C, B> {
        *bound
    }
    #[inlined]
    fn lend<B: Backend>(bound: &mut Matrix<T, R, C, B>) -> Matrix<T, R, C, B> {
        *bound
    }
}

#[doc(hidden)]
impl<T: Elem, const N: usize> Argument<ByValue> for Vector<T, N> {
    type Host = Self;
    type Bound<B: Backend> = Vector<T, N, B>;
    type Lent<'l, B: Backend> = Vector<T, N, B>;
    const KIND: ArgumentKind = ArgumentKind::One(ParamKind::Uniform { elem: T::TYPE, rows: 1, columns: N });
    #[inlined]
    fn bind<B: Backend>(source: &mut impl ArgSource<B>) -> Vector<T, N, B> {
        Vector::from_reg(source.uniform::<T, 1, N>())
    }
    #[inlined]
    fn copy<B: Backend>(bound: &Vector<T, N, B>) -> Vector<T, N, B> {
        *bound
    }
    #[inlined]
    fn lend<B: Backend>(bound: &mut Vector<T, N, B>) -> Vector<T, N, B> {
        *bound
    }
}

macro_rules! numbers {
    ($($t:ident)*) => {$(
        #[doc(hidden)]
        impl Argument<ByValue> for $t {
            type Host = Self;
            type Bound<B: Backend> = Scalar<$t, B>;
            type Lent<'l, B: Backend> = Scalar<$t, B>;
            const KIND: ArgumentKind =
                ArgumentKind::One(ParamKind::Uniform { elem: <$t as Elem>::TYPE, rows: 1, columns: 1 });
            #[inlined]
            fn bind<B: Backend>(source: &mut impl ArgSource<B>) -> Scalar<$t, B> {
                Scalar::from_reg(source.uniform::<$t, 1, 1>())
            }
            #[inlined]
            fn copy<B: Backend>(bound: &Scalar<$t, B>) -> Scalar<$t, B> {
                *bound
            }
            #[inlined]
            fn lend<B: Backend>(bound: &mut Scalar<$t, B>) -> Scalar<$t, B> {
                *bound
            }
        }
    )*};
}

cm_compiler::for_each_element!(numbers);
crate::for_each_storage!(numbers);
