//! Types as a kernel writes them, and their counterparts on a backend.

use cm_compiler::ir::Plane;
use cm_compiler::limits;
use cm_macros::{inlined, op};

use crate::backend::{Backend, Condition, Staged, require};
use crate::elem::{Elem, HostInteger, bf16, f16, tf32};
use crate::limits::{Fits, LitBytes, Shape};
use crate::registers::{Lit, Matrix, Scalar, Vector, host_element};

/// A [`Staged`] type that fits the register file. `#[kernel]` asks for it wherever sizes are known.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kernel type",
    label = "not a kernel type",
    note = "kernels use numbers, `bool`, `usize`, `Matrix`, `Vector`, surfaces, tuples and arrays of these, and \
            structures and `enum`s with `#[registers]`",
    note = "a number of a type parameter `T: Elem` is `Scalar<T>`"
)]
pub trait Declared<B: Backend>: Staged<B> {
    /// The type on backend `B`.
    type Ty;
}

/// A [`Staged`] type that fits a register file of `FILE` bytes, for kernels that declare one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kernel type",
    label = "not a kernel type",
    note = "kernels use numbers, `bool`, `usize`, `Matrix`, `Vector`, surfaces, tuples and arrays of these, and \
            structures and `enum`s with `#[registers]`",
    note = "a number of a type parameter `T: Elem` is `Scalar<T>`"
)]
pub trait DeclaredIn<B: Backend, const FILE: usize>: Staged<B> {
    /// The type on backend `B`.
    type Ty;
}

/// A value that an annotation, an assignment or a return type `X` accepts. `M`, [`Open`] or [`Settled`], says how its
/// element type is found.
#[diagnostic::on_unimplemented(
    message = "expected `{X}`, found `{Self}`",
    label = "not `{X}`",
    note = "shapes must be equal: take a region with `.select` or `.row(i)`; `.format::<T>()` makes a vector of a column or matrix, \
            `.format::<T, R, C>()` a matrix of a vector",
    note = "a number is not a register: `x.assign(0)` writes it to all elements, and `Vector::splat(0)` is a register of them",
    note = "a helper that gives a register to a kernel needs `#[function]`"
)]
pub trait Enters<X: Staged<B>, B: Backend, M = Open> {
    /// The value.
    #[track_caller]
    fn enter(self) -> X::Ty;
}

/// Equal element types.
#[diagnostic::on_unimplemented(
    message = "expected elements of type `{Self}`, found `{V}`: write `.convert()`",
    label = "`{V}`, not `{Self}`",
    note = "element types do not change by themselves: `.convert()` is CM's assignment conversion, \
            `.saturate()` its `SAT` form, and `x.assign(e)` converts as well",
    note = "the literals `0` and `0.5` are `i32` and `f64`, as in CM: write `0u32` and `0.5f32`, or `let mut x: u32 = 0;`"
)]
pub trait SameElement<V: Elem>: Elem {
    /// The unchanged register.
    fn same<B: Backend, const R: usize, const C: usize>(x: B::Reg<V, R, C>) -> B::Reg<Self, R, C>;
}

impl<T: Elem> SameElement<T> for T {
    #[inlined]
    fn same<B: Backend, const R: usize, const C: usize>(x: B::Reg<T, R, C>) -> B::Reg<T, R, C> {
        x
    }
}

/// The element type of an operator's result, if it is also `T`.
#[diagnostic::on_unimplemented(
    message = "expected elements of type `{T}`, but this operator gives `{Self}`: write `(..).convert()`",
    label = "`{Self}`, not `{T}`",
    note = "operators give the promoted type, as in CM: `(a * b).convert()` converts the result as CM's \
            assignment does, `.saturate()` is its `SAT` form, and `x.assign(a * b)` converts as well",
    note = "the literals `0` and `0.5` are `i32` and `f64`, as in CM: write `0u32` and `0.5f32`, or `let mut x: u32 = 0;`"
)]
pub trait ResultElement<T: Elem>: Elem {
    /// The unchanged register.
    fn same<B: Backend, const R: usize, const C: usize>(x: B::Reg<Self, R, C>) -> B::Reg<T, R, C>;
}

impl<T: Elem> ResultElement<T> for T {
    #[inlined]
    fn same<B: Backend, const R: usize, const C: usize>(x: B::Reg<T, R, C>) -> B::Reg<T, R, C> {
        x
    }
}

/// The element type of a value may follow from its destination:
/// `let x: Vector<u8, 8> = v.convert()`.
#[derive(Debug)]
pub struct Open;

/// The value is the result of an operator, whose element type follows from the operands alone. With `Open`
/// rustc would take the destination's type for it while the type of a literal operand is open, and report
/// an associated type that differs.
#[derive(Debug)]
pub struct Settled;

/// The value is a combination of masks by `&`, `|` or `^`, whose elements are promoted. It is a mask as well, of `u16`.
#[derive(Debug)]
pub struct Masks;

/// The elements that a combination by `&`, `|` or `^` can have: the promoted ones, or those of masks.
#[diagnostic::on_unimplemented(
    message = "expected elements of type `{Self}`, but this operator gives `{V}`: write `(..).convert()`",
    label = "`{V}`, not `{Self}`",
    note = "`(..).convert()` converts the combination; only of masks, registers of `u16`, it is a mask as well"
)]
pub trait MaskElement<V: Elem>: Elem {
    /// The register.
    fn mask<B: Backend, const R: usize, const C: usize>(x: B::Reg<V, R, C>) -> B::Reg<Self, R, C>;
}

impl MaskElement<i32> for u16 {
    #[op]
    fn mask<B: Backend, const R: usize, const C: usize>(x: B::Reg<i32, R, C>) -> B::Reg<u16, R, C> {
        crate::backend::convert::<B, i32, u16, R, C>(x)
    }
}

macro_rules! combined {
    ($($t:ident)*) => {$(
        impl<V: Elem> MaskElement<V> for $t
        where
            V: ResultElement<$t>,
        {
            #[inlined]
            fn mask<B: Backend, const R: usize, const C: usize>(x: B::Reg<V, R, C>) -> B::Reg<$t, R, C> {
                V::same::<B, R, C>(x)
            }
        }
    )*};
}

// Of all elements except `u16`: syntax does not show of every operand that it is a mask.
combined! { u8 i8 i16 u32 i32 u64 i64 f16 f32 f64 bf16 tf32 }

/// Elements `V` where elements `T` are expected.
pub trait Elements<T: Elem, V: Elem> {
    /// The unchanged register.
    fn same<B: Backend, const R: usize, const C: usize>(x: B::Reg<V, R, C>) -> B::Reg<T, R, C>;
}

impl<T: SameElement<V>, V: Elem> Elements<T, V> for Open {
    #[inlined]
    fn same<B: Backend, const R: usize, const C: usize>(x: B::Reg<V, R, C>) -> B::Reg<T, R, C> {
        T::same::<B, R, C>(x)
    }
}

impl<T: Elem, V: ResultElement<T>> Elements<T, V> for Settled {
    #[inlined]
    fn same<B: Backend, const R: usize, const C: usize>(x: B::Reg<V, R, C>) -> B::Reg<T, R, C> {
        V::same::<B, R, C>(x)
    }
}

impl<T: MaskElement<V>, V: Elem> Elements<T, V> for Masks {
    #[inlined]
    fn same<B: Backend, const R: usize, const C: usize>(x: B::Reg<V, R, C>) -> B::Reg<T, R, C> {
        T::mask::<B, R, C>(x)
    }
}

/// A combination of masks that is the argument of a function, whose parameter says the elements `T`.
pub trait Passes<T: Elem> {
    /// The argument.
    type Argument;
    /// The same.
    #[track_caller]
    fn pass(self) -> Self::Argument;
}

/// `f((a < b) | (c > d))`. The second argument is a literal. Its type is that of the elements which the parameter has, or `i32`,
/// that of the operators, if the function takes any elements.
#[op]
pub fn passed<T: Elem, V: Passes<T>>(x: V, _like: T) -> V::Argument {
    x.pass()
}

/// `let _: X = x`.
#[op]
pub fn enter<B: Backend, M, X: Staged<B>, V: Enters<X, B, M>>(x: V) -> X::Ty {
    x.enter()
}

macro_rules! types {
    ($($name:ty => $ty:ty, [$($params:tt)*], $($bound:ty: $elem:ident)?;)*) => {$(
        #[doc(hidden)]
        impl<B: Backend, $($params)*> Staged<B> for $name {
            type Ty = $ty;
        }
        #[doc(hidden)]
        impl<B: Backend, $($params)*> Declared<B> for $name
        where
            $($bound: Fits<$elem>,)?
        {
            type Ty = $ty;
        }
        #[doc(hidden)]
        impl<B: Backend, $($params)* const FILE: usize> DeclaredIn<B, FILE> for $name
        where
            $($bound: Fits<$elem, FILE>,)?
        {
            type Ty = $ty;
        }
    )*};
}

types! {
    Matrix<T, R, C> => Matrix<T, R, C, B>, [T: Elem, const R: usize, const C: usize,], Shape<R, C>: T;
    Vector<T, N> => Vector<T, N, B>, [T: Elem, const N: usize,], Shape<1, N>: T;
    Scalar<T> => Scalar<T, B>, [T: Elem,],;
    bool => B::Cond, [],;
    usize => usize, [],;
    isize => isize, [],;
    Plane => Plane, [],;
    () => (), [],;
}

#[doc(hidden)]
impl<T: Elem, V: Elem, const R: usize, const C: usize, B: Backend, M: Elements<T, V>>
    Enters<Matrix<T, R, C>, B, M> for Matrix<V, R, C, B>
{
    #[inlined]
    fn enter(self) -> Matrix<T, R, C, B> {
        Matrix::from_reg(M::same::<B, R, C>(self.into_reg()))
    }
}

#[doc(hidden)]
impl<T: MaskElement<V>, V: Elem, const R: usize, const C: usize, B: Backend> Passes<T>
    for Matrix<V, R, C, B>
{
    type Argument = Matrix<T, R, C, B>;
    #[inlined]
    fn pass(self) -> Matrix<T, R, C, B> {
        Matrix::from_reg(T::mask::<B, R, C>(self.into_reg()))
    }
}

#[doc(hidden)]
impl<T: MaskElement<V>, V: Elem, const N: usize, B: Backend> Passes<T> for Vector<V, N, B> {
    type Argument = Vector<T, N, B>;
    #[inlined]
    fn pass(self) -> Vector<T, N, B> {
        Vector::from_reg(T::mask::<B, 1, N>(self.into_reg()))
    }
}

#[doc(hidden)]
impl<T: Elem, V: Elem, const N: usize, B: Backend, M: Elements<T, V>> Enters<Vector<T, N>, B, M>
    for Vector<V, N, B>
{
    #[inlined]
    fn enter(self) -> Vector<T, N, B> {
        Vector::from_reg(M::same::<B, 1, N>(self.into_reg()))
    }
}

/// A number of a type parameter.
#[doc(hidden)]
impl<T: Elem, V: Elem, B: Backend, M: Elements<T, V>> Enters<Scalar<T>, B, M> for Scalar<V, B> {
    #[inlined]
    fn enter(self) -> Scalar<T, B> {
        Scalar::from_reg(M::same::<B, 1, 1>(self.into_reg()))
    }
}

/// One row: `let v: Vector<u8, 16> = surface.read(x, y)`, where the annotation decides how many elements are read.
#[diagnostic::do_not_recommend]
#[doc(hidden)]
impl<T: Elem, V: Elem, const N: usize, B: Backend, M: Elements<T, V>> Enters<Vector<T, N>, B, M>
    for Matrix<V, 1, N, B>
{
    #[inlined]
    fn enter(self) -> Vector<T, N, B> {
        Vector::from_reg(M::same::<B, 1, N>(self.into_reg()))
    }
}

impl<C: Condition<B>, B: Backend, M> Enters<bool, B, M> for C {
    #[op]
    fn enter(self) -> B::Cond {
        self.into_cond()
    }
}

impl<B: Backend, M> Enters<(), B, M> for () {
    #[inlined]
    fn enter(self) {}
}

impl<B: Backend, M> Enters<Plane, B, M> for Plane {
    #[inlined]
    fn enter(self) -> Plane {
        self
    }
}

macro_rules! numbers {
    ($($t:ident)*) => {$(
        types! { $t => Scalar<$t, B>, [],; }

        #[doc(hidden)]
        impl<V: Elem, B: Backend, M: Elements<$t, V>> Enters<$t, B, M> for Scalar<V, B> {
            #[inlined]
            fn enter(self) -> Scalar<$t, B> {
                Scalar::from_reg(M::same::<B, 1, 1>(self.into_reg()))
            }
        }

        cm_compiler::for_each_element!(numbers @hosts $t;);
        numbers!(@hosts $t; usize isize);
        numbers!(@literals $t);
    )*};
    (@literals $t:ident) => {
        // Where a method of the library takes an offset. A method of a structure may have its name.
        #[diagnostic::do_not_recommend]
        #[doc(hidden)]
        impl<B: Backend, M, const I: usize> Enters<$t, B, M> for Lit<I> {
            #[op]
            fn enter(self) -> Scalar<$t, B> {
                Enters::<$t, B, M>::enter(I)
            }
        }
        #[diagnostic::do_not_recommend]
        #[doc(hidden)]
        impl<B: Backend, M, const I: usize, const LOW: usize> Enters<$t, B, M> for LitBytes<I, LOW> {
            #[op]
            fn enter(self) -> Scalar<$t, B> {
                Enters::<$t, B, M>::enter(I)
            }
        }
    };
    (@hosts $t:ident; $($host:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        #[doc(hidden)]
        impl<B: Backend, M> Enters<$t, B, M> for $host {
            #[op]
            fn enter(self) -> Scalar<$t, B> {
                host_element::<$t, B, _>(self)
            }
        }
    )*};
    (@storage $t:ident) => {
        #[diagnostic::do_not_recommend]
        #[doc(hidden)]
        impl<B: Backend, M> Enters<$t, B, M> for $t {
            #[inlined]
            fn enter(self) -> Scalar<$t, B> {
                Scalar::constant(self)
            }
        }
    };
}

cm_compiler::for_each_element!(numbers);

macro_rules! storage {
    ($($t:ident)*) => {$(
        numbers! { $t }
        numbers! { @storage $t }
    )*};
}

crate::for_each_storage!(storage);

macro_rules! sizes {
    ($($t:ident: $($from:ident)*;)*) => {$($(
        #[diagnostic::do_not_recommend]
        #[doc(hidden)]
        impl<B: Backend, M> Enters<$t, B, M> for $from {
            #[op]
            fn enter(self) -> $t {
                require::<B>(limits::integer(self.to_i128(), $t::LIMITS));
                self as $t
            }
        }
    )*)*};
}

sizes! {
    usize: u8 u16 u32 i32 usize;
    isize: u8 i8 u16 i16 i32 isize;
}

impl<X: Staged<B>, B: Backend, const N: usize> Staged<B> for [X; N] {
    type Ty = [X::Ty; N];
}

impl<X: Declared<B>, B: Backend, const N: usize> Declared<B> for [X; N] {
    type Ty = [<X as Declared<B>>::Ty; N];
}

impl<X: DeclaredIn<B, FILE>, B: Backend, const N: usize, const FILE: usize> DeclaredIn<B, FILE> for [X; N] {
    type Ty = [<X as DeclaredIn<B, FILE>>::Ty; N];
}

impl<X: Staged<B>, V: Enters<X, B, M>, B: Backend, M, const N: usize> Enters<[X; N], B, M> for [V; N] {
    #[op]
    fn enter(self) -> [X::Ty; N] {
        self.map(Enters::enter)
    }
}

macro_rules! tuples {
    ($(($($x:ident $v:ident $i:tt),*);)*) => {$(
        impl<B: Backend, $($x: Staged<B>),*> Staged<B> for ($($x,)*) {
            type Ty = ($($x::Ty,)*);
        }
        impl<B: Backend, $($x: Declared<B>),*> Declared<B> for ($($x,)*) {
            type Ty = ($(<$x as Declared<B>>::Ty,)*);
        }
        impl<B: Backend, $($x: DeclaredIn<B, FILE>,)* const FILE: usize> DeclaredIn<B, FILE> for ($($x,)*) {
            type Ty = ($(<$x as DeclaredIn<B, FILE>>::Ty,)*);
        }
        impl<B: Backend, M, $($x: Staged<B>, $v: Enters<$x, B, M>),*> Enters<($($x,)*), B, M> for ($($v,)*) {
            #[op]
            fn enter(self) -> ($($x::Ty,)*) {
                ($(self.$i.enter(),)*)
            }
        }
    )*};
}

tuples! {
    (X0 V0 0, X1 V1 1);
    (X0 V0 0, X1 V1 1, X2 V2 2);
    (X0 V0 0, X1 V1 1, X2 V2 2, X3 V3 3);
    (X0 V0 0, X1 V1 1, X2 V2 2, X3 V3 3, X4 V4 4);
    (X0 V0 0, X1 V1 1, X2 V2 2, X3 V3 3, X4 V4 4, X5 V5 5);
}
