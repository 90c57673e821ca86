//! `let mut` and value-`if`: variables of the kernel.

use std::marker::PhantomData;

use cm_compiler::ir::Plane;
use cm_compiler::limits;
use cm_macros::{inlined, op};

use super::staged::{Enters, Masks};
use crate::backend::{Backend, Condition, Stages, Stored, require};
use crate::elem::{Elem, HostInteger, bf16, f16, tf32};
use crate::limits::Violation;
use crate::registers::{IntoScalar, Matrix, Scalar, Vector};

/// `let mut x = init`.
#[op]
pub fn variable<B: Backend, V: Stages<B>>(init: V) -> V::Var {
    init.stage().declare()
}

/// The value of an arm of a value-`if`.
#[op]
pub fn stage<B: Backend, V: Stages<B>>(value: V) -> V::Var {
    value.stage()
}

/// Reads a variable.
#[op]
pub fn load<B: Backend, V: Stored<B>>(x: &V) -> V {
    x.load()
}

/// The nesting depth of a variable's declaration: the number of staged conditions and loops around it.
#[inlined]
#[must_use]
pub fn mark<B: Backend>() -> usize {
    B::depth()
}

/// `x = value`, of a variable that was declared at `mark`.
#[op]
pub fn store<B: Backend, M, V: Stored<B>, X: Enters<V::Name, B, M>>(x: &mut V, value: X, mark: usize) {
    touch::<B, V>(x, mark);
    x.put(value.enter());
}

/// Before `x += value`: a host variable must not change under a staged condition or loop.
#[op]
pub fn touch<B: Backend, V: Stored<B>>(_: &V, mark: usize) {
    if V::HOST && B::depth() != mark {
        B::violation(Violation::HostStore);
    }
}

/// A reference that is passed on to a function, which may change what it refers to: a variable, or memory.
#[derive(Debug)]
pub struct PassedOn<'a, B, V> {
    referent: &'a V,
    backend: PhantomData<B>,
}

impl<'a, B: Backend, V> PassedOn<'a, B, V> {
    /// The reference.
    #[inlined]
    pub fn new(referent: &'a V) -> Self {
        Self { referent, backend: PhantomData }
    }
}

impl<B: Backend, V: Stored<B>> PassedOn<'_, B, V> {
    /// The same as [`touch`].
    #[op]
    pub fn touch(&self, mark: usize) {
        touch::<B, V>(self.referent, mark);
    }
}

/// What is no variable: memory, which the kernel changes. (rustc prefers the method above where it exists.)
pub trait Untouched {
    /// Nothing.
    #[inlined]
    fn touch(&self, _: usize) {}
}

impl<B, V> Untouched for PassedOn<'_, B, V> {}

/// At the start of a method that changes its structure, of which only the caller knows the declaration.
#[op]
pub fn changes<B: Backend, V: Stored<B>>(_: &V) {
    if V::HOST && B::depth() != 0 {
        B::violation(Violation::HostStore);
    }
}

/// A function with the name of one of `std::mem` that exchanges variables by reference, if it is another one.
#[op]
pub fn own_function<B: Backend, F>(function: F) -> F {
    if std::any::type_name::<F>().starts_with("core::mem::") {
        B::violation(Violation::Exchange);
    }
    function
}

/// A number without a type as the value of an arm of an `if` or `match`, another arm of which has the type `Self`.
#[diagnostic::on_unimplemented(
    message = "the arms have different types: `{Self}` and a number",
    label = "not the type of the other arms",
    note = "all arms have one type: write the number as this type, e.g. `Vector::<i32, 8>::splat(0)`"
)]
pub trait FromNumber<N> {
    /// The number.
    #[track_caller]
    fn from_number(number: N) -> Self;
    /// The type has the number.
    ///
    /// # Errors
    /// If it is an integer that the type lacks.
    #[inlined]
    fn fits(_: &N) -> Result<(), Violation> {
        Ok(())
    }
}

/// A number without a type in an arm, where the other arms have the type `V`.
#[op]
pub fn number_of_others<B: Backend, V: FromNumber<N>, N>(number: N) -> V {
    require::<B>(V::fits(&number));
    V::from_number(number)
}

/// A number, or a reference to one, that an iterator gives.
pub trait Folded {
    /// The number.
    type Number;
}

impl<T: Elem, B: Backend> Folded for Scalar<T, B> {
    type Number = Self;
}

impl<T: Elem, B: Backend> Folded for &Scalar<T, B> {
    type Number = Scalar<T, B>;
}

/// `items.fold(first, f)` from a number without a type, which has that of the items.
#[op]
pub fn fold<B: Backend, I, N, F>(items: I, first: N, f: F) -> <I::Item as Folded>::Number
where
    I: Iterator<Item: Folded<Number: FromNumber<N>>>,
    F: FnMut(<I::Item as Folded>::Number, I::Item) -> <I::Item as Folded>::Number,
{
    items.fold(number_of_others::<B, _, _>(first), f)
}

impl<T: Elem, B: Backend> FromNumber<i64> for Scalar<T, B> {
    #[op]
    fn from_number(number: i64) -> Self {
        Self::constant(T::cast_from(number))
    }
    #[inlined]
    fn fits(number: &i64) -> Result<(), Violation> {
        if T::FLOAT { Ok(()) } else { limits::integer(number.to_i128(), T::RANGE) }
    }
}

macro_rules! float_numbers {
    ($($t:ident)*) => {$(
        impl<B: Backend> FromNumber<f64> for Scalar<$t, B> {
            #[op]
            fn from_number(number: f64) -> Self {
                Self::constant(<$t as crate::elem::Convert>::cast_from(number))
            }
        }
    )*};
}

float_numbers! { f16 f32 f64 bf16 tf32 }

/// A combination of masks in an arm, where the other arms have the type `V`.
#[op]
pub fn combined<B: Backend, V: Stored<B>, X: Enters<V::Name, B, Masks>>(value: X) -> V {
    value.enter()
}

/// The result of a value-`if`: every executed arm sets it.
#[derive(Debug)]
pub struct Slot<B: Backend, V: Stored<B>> {
    value: V,
    mark: usize,
    backend: PhantomData<B>,
}

impl<B: Backend, V: Stored<B>> Slot<B, V> {
    /// Before the arms.
    #[op]
    #[expect(clippy::new_without_default, reason = "its place in the recording matters")]
    #[must_use]
    pub fn new() -> Self {
        Self { value: V::undefined(), mark: mark::<B>(), backend: PhantomData }
    }

    /// At the end of an arm.
    #[op]
    pub fn set(&mut self, value: V) {
        touch::<B, V>(&self.value, self.mark);
        self.value.put(value);
    }

    /// The same, of a number without a type.
    #[op]
    pub fn set_number<N>(&mut self, number: N)
    where
        V: FromNumber<N>,
    {
        self.set(number_of_others::<B, V, N>(number));
    }

    /// The same, of a combination of masks, which is a mask if the other arms are.
    #[op]
    pub fn set_combined<X: Enters<V::Name, B, Masks>>(&mut self, value: X) {
        self.set(combined::<B, V, X>(value));
    }

    /// After the arms.
    #[op]
    pub fn get(self) -> V {
        self.value.load()
    }
}

macro_rules! registers {
    ($reg:ident, $ty:ty, $name:ty, $r:tt, $c:tt; $($params:tt)*) => {
        #[doc(hidden)]
        impl<T: Elem, B: Backend, $($params)*> Stages<B> for $ty {
            type Var = Self;
            #[inlined]
            fn stage(self) -> Self {
                self
            }
        }

        #[doc(hidden)]
        impl<T: Elem, B: Backend, $($params)*> Stored<B> for $ty {
            type Name = $name;
            #[op]
            fn declare(self) -> Self {
                $reg::from_reg(B::variable(self.into_reg()))
            }
            #[op]
            fn undefined() -> Self {
                $reg::from_reg(B::undefined())
            }
            #[op]
            fn load(&self) -> Self {
                $reg::from_reg(B::load(&self.into_reg()))
            }
            #[op]
            fn put(&mut self, value: Self) {
                B::store(self.reg_mut(), value.into_reg());
            }
        }
    };
}

registers!(Matrix, Matrix<T, R, C, B>, Matrix<T, R, C>, R, C; const R: usize, const C: usize);
registers!(Vector, Vector<T, N, B>, Vector<T, N>, 1, N; const N: usize);

/// Scalars are named by their element type, so each has its own implementation.
macro_rules! scalars {
    ($($t:ident)*) => {$(
        #[doc(hidden)]
        impl<B: Backend> Stages<B> for $t {
            type Var = Scalar<$t, B>;
            #[op]
            fn stage(self) -> Scalar<$t, B> {
                self.into_scalar()
            }
        }

        #[doc(hidden)]
        impl<B: Backend> Stages<B> for Scalar<$t, B> {
            type Var = Self;
            #[inlined]
            fn stage(self) -> Self {
                self
            }
        }

        #[doc(hidden)]
        impl<B: Backend> Stored<B> for Scalar<$t, B> {
            type Name = $t;
            #[op]
            fn declare(self) -> Self {
                Scalar::from_reg(B::variable(self.into_reg()))
            }
            #[op]
            fn undefined() -> Self {
                Scalar::from_reg(B::undefined())
            }
            #[op]
            fn load(&self) -> Self {
                Scalar::from_reg(B::load(&self.into_reg()))
            }
            #[op]
            fn put(&mut self, value: Self) {
                B::store(self.reg_mut(), value.into_reg());
            }
        }
    )*};
}

cm_compiler::for_each_element!(scalars);
crate::for_each_storage!(scalars);

macro_rules! host_numbers {
    ($($t:ident)*) => {$(
        impl FromNumber<i64> for $t {
            #[inlined]
            fn from_number(number: i64) -> $t {
                number as $t
            }
            #[inlined]
            fn fits(number: &i64) -> Result<(), Violation> {
                limits::integer(number.to_i128(), $t::LIMITS)
            }
        }
    )*};
}

cm_compiler::for_each_integer!(host_numbers);
host_numbers! { usize isize }

/// Values of the host, each with any one of its type.
macro_rules! host_values {
    ($($t:ident: $any:expr;)*) => {$(
        #[doc(hidden)]
        impl<B: Backend> Stages<B> for $t {
            type Var = $t;
            #[inlined]
            fn stage(self) -> $t {
                self
            }
        }

        #[doc(hidden)]
        impl<B: Backend> Stored<B> for $t {
            type Name = $t;
            const HOST: bool = true;
            #[inlined]
            fn declare(self) -> $t {
                self
            }
            #[inlined]
            fn undefined() -> $t {
                $any
            }
            #[inlined]
            fn load(&self) -> $t {
                *self
            }
            #[inlined]
            fn put(&mut self, value: $t) {
                *self = value;
            }
        }
    )*};
}

host_values! {
    usize: 0;
    isize: 0;
    Plane: Plane::Y;
}

// The value of an arm of an `if` or `match` without a value.
impl<B: Backend> Stages<B> for () {
    type Var = ();
    #[inlined]
    fn stage(self) {}
}

impl<B: Backend> Stored<B> for () {
    type Name = ();
    #[inlined]
    fn declare(self) {}
    #[inlined]
    fn undefined() {}
    #[inlined]
    fn load(&self) {}
    #[inlined]
    fn put(&mut self, (): ()) {}
}

impl<B: Backend> Stages<B> for bool {
    // Staged even if it starts as a host value: it may be stored under a staged condition.
    type Var = B::Cond;
    #[op]
    fn stage(self) -> B::Cond {
        Condition::<B>::into_cond(self)
    }
}

macro_rules! tuples {
    ($(($($v:ident $i:tt),*);)*) => {$(
        impl<B: Backend, $($v: Stages<B>),*> Stages<B> for ($($v,)*) {
            type Var = ($($v::Var,)*);
            #[op]
            fn stage(self) -> Self::Var {
                ($(self.$i.stage(),)*)
            }
        }

        impl<B: Backend, $($v: Stored<B>),*> Stored<B> for ($($v,)*) {
            type Name = ($($v::Name,)*);
            const HOST: bool = $($v::HOST)||*;
            #[op]
            fn declare(self) -> Self {
                ($(self.$i.declare(),)*)
            }
            #[op]
            fn undefined() -> Self {
                ($($v::undefined(),)*)
            }
            #[op]
            fn load(&self) -> Self {
                ($(self.$i.load(),)*)
            }
            #[op]
            fn put(&mut self, value: Self) {
                $(self.$i.put(value.$i);)*
            }
        }
    )*};
}

tuples! {
    (V0 0, V1 1);
    (V0 0, V1 1, V2 2);
    (V0 0, V1 1, V2 2, V3 3);
    (V0 0, V1 1, V2 2, V3 3, V4 4);
    (V0 0, V1 1, V2 2, V3 3, V4 4, V5 5);
}
