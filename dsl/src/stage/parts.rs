//! Arrays of registers as variables, and the parts of variables: elements of arrays, and fields of structures.

use cm_compiler::limits;
use cm_macros::{inlined, op};
use num_traits::ToPrimitive;

use super::simd::{ChangedIn, LaneMask, OfLanes};
use super::staged::Enters;
use crate::backend::{Backend, Condition, Stages, Stored};
use crate::elem::{Elem, HostInteger, f16};
use crate::registers::{IntoScalar, Scalar, host_element};

impl<B: Backend, V: Stages<B>, const N: usize> Stages<B> for [V; N] {
    type Var = [V::Var; N];
    #[op]
    fn stage(self) -> [V::Var; N] {
        self.map(Stages::stage)
    }
}

impl<B: Backend, V: Stored<B>, const N: usize> Stored<B> for [V; N] {
    type Name = [V::Name; N];
    const HOST: bool = V::HOST;
    #[op]
    fn declare(self) -> Self {
        self.map(Stored::declare)
    }
    #[op]
    fn undefined() -> Self {
        [(); N].map(|()| V::undefined())
    }
    #[op]
    fn load(&self) -> Self {
        self.each_ref().map(Stored::load)
    }
    #[op]
    fn put(&mut self, value: Self) {
        for (element, value) in self.iter_mut().zip(value) {
            element.put(value);
        }
    }
}

impl<M: LaneMask<B>, B: Backend, V: ChangedIn<M, B, OfLanes>, const N: usize> ChangedIn<M, B, OfLanes>
    for [V; N]
{
    #[op]
    fn changed(self, old: Self, mask: M) -> Self {
        let mut old = old.into_iter();
        self.map(|new| match old.next() {
            Some(old) => new.changed(old, mask),
            None => new,
        })
    }
}

/// A variable whose elements `x[i]` are variables.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array of registers",
    label = "`[..]` takes an element of an array",
    note = "an element of a register is `m.get(i, j)`, or `m.get_mut(i, j)` to write it; a row is `m.row(i)`",
    note = "surfaces and buffers are read and written by blocks, `.read`, `.write`, or by single elements, \
            `.read_scattered`, `.write_scattered`"
)]
pub trait HasElements {
    /// The number of elements.
    // Not a method: rustc would name it where a method of this name is missing.
    fn count(array: &Self) -> usize;
}

impl<V, const N: usize> HasElements for [V; N] {
    fn count(_: &Self) -> usize {
        N
    }
}

impl<A: HasElements + ?Sized> HasElements for &A {
    fn count(array: &Self) -> usize {
        A::count(array)
    }
}

impl<A: HasElements + ?Sized> HasElements for &mut A {
    fn count(array: &Self) -> usize {
        A::count(array)
    }
}

/// The index of an element of an array of registers.
#[diagnostic::on_unimplemented(
    message = "an array of registers is indexed by a host number, not by `{Self}`",
    label = "not a host number",
    note = "the registers of an array are chosen when the kernel is recorded: a loop over a host range, `for i in \
            0..4`, goes through them. A `let mut` of type `usize` is a host number as well: `let mut i: usize = 0;`",
    note = "rows are chosen while the kernel runs: make the array a matrix with a row for each vector, and write \
            `m.row(i)`, `m.row_mut(i)`"
)]
pub trait ElementIndex: Sized {
    /// The number.
    fn number(index: Self) -> i128;
}

#[diagnostic::do_not_recommend]
impl<T: HostInteger> ElementIndex for T {
    fn number(index: Self) -> i128 {
        index.to_i128()
    }
}

/// The index `i` of an element of `array`, if there is one.
#[op]
pub fn element<B: Backend, A: HasElements + ?Sized, I: ElementIndex>(array: &A, i: I) -> usize {
    let (index, count) = (I::number(i), A::count(array));
    match limits::array_element(index, count) {
        Ok(index) => index,
        Err(broken) => {
            B::violation(broken);
            // The recording ends with the error, immediately if there is no element.
            0
        }
    }
}

/// Parts that are variables.
#[derive(Debug)]
pub struct OfVariables;

/// Parts that are memory: fields of structures of arguments.
#[derive(Debug)]
pub struct OfMemory;

/// A field of a structure that a function has a reference of.
pub trait Part<B: Backend, K>: Sized {
    /// Its value now.
    #[track_caller]
    fn read(part: &Self) -> Self;
}

impl<B: Backend, V: Stored<B>> Part<B, OfVariables> for V {
    #[op]
    fn read(part: &V) -> V {
        part.load()
    }
}

impl<B: Backend, X> Part<B, OfMemory> for &X {
    #[op]
    fn read(part: &Self) -> Self {
        part
    }
}

/// Reads a field of a structure by reference.
#[op]
pub fn part<B: Backend, K, P: Part<B, K>>(x: &P) -> P {
    P::read(x)
}

/// Fields of the type of the value.
#[derive(Debug)]
pub struct OfSame;

/// Fields that are staged numbers, of host numbers.
#[derive(Debug)]
pub struct OfNumbers;

/// Fields that are conditions, of `bool`.
#[derive(Debug)]
pub struct OfConditions;

/// A host value for a field of type `V` of a new structure.
#[diagnostic::on_unimplemented(
    message = "expected `{V}`, found `{Self}`",
    label = "not the type of the field",
    note = "a number takes the type of a field that is a number; a register is `Vector::splat(0)`"
)]
pub trait FieldValue<V, B: Backend, K>: Sized {
    /// The value of the field.
    #[track_caller]
    fn field(value: Self) -> V;
}

impl<V, B: Backend> FieldValue<V, B, OfSame> for V {
    #[inlined]
    fn field(value: V) -> V {
        value
    }
}

impl<B: Backend> FieldValue<B::Cond, B, OfConditions> for bool {
    #[op]
    fn field(value: bool) -> B::Cond {
        Condition::<B>::into_cond(value)
    }
}

macro_rules! numbers {
    ($($t:ident)*) => {$(
        #[doc(hidden)]
        impl<T: Elem, B: Backend> FieldValue<Scalar<T, B>, B, OfNumbers> for $t {
            #[op]
            fn field(value: $t) -> Scalar<T, B> {
                host_element::<T, B, _>(value)
            }
        }
    )*};
}

cm_compiler::for_each_element!(numbers);
numbers! { usize isize }

/// An element of a vector in `Vector::from_array([..])`, of which syntax does not show whether it is staged.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element of this vector",
    label = "not a number of the type of the elements",
    note = "elements are numbers of one type: write `x as i32` or `.convert::<i32>()`"
)]
pub trait ElementValue<T: Elem, B: Backend> {
    /// The element.
    #[track_caller]
    fn element(self) -> Scalar<T, B>;
}

impl<T: Elem, B: Backend> ElementValue<T, B> for Scalar<T, B> {
    #[inlined]
    fn element(self) -> Self {
        self
    }
}

macro_rules! element_values {
    ($($t:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        #[doc(hidden)]
        impl<B: Backend> ElementValue<$t, B> for $t {
            #[op]
            fn element(self) -> Scalar<$t, B> {
                Scalar::constant(self)
            }
        }
    )*};
}

cm_compiler::for_each_element!(element_values);

/// An element of a vector.
#[op]
pub fn element_value<B: Backend, T: Elem, X: ElementValue<T, B>>(x: X) -> Scalar<T, B> {
    x.element()
}

/// A literal among the operands of a function that takes elements of one type.
#[op]
pub fn literal_operand<B: Backend, T: Elem, H: IntoScalar<B> + ToPrimitive>(number: H) -> Scalar<T, B> {
    host_element(number)
}

/// The value of a field of a new structure.
#[op]
pub fn field<B: Backend, K, V, X: FieldValue<V, B, K>>(x: X) -> V {
    X::field(x)
}

/// A field that takes the result of an operator. The type of the field decides first: from that of the result rustc would
/// conclude the type of the field.
pub trait TakesResult<X, B: Backend, M>: Sized {
    /// The value of the field.
    #[track_caller]
    fn take(result: X) -> Self;
}

impl<X: Enters<V::Name, B, M>, B: Backend, M, V: Stored<B>> TakesResult<X, B, M> for V {
    #[inlined]
    fn take(result: X) -> V {
        result.enter()
    }
}

/// The result of an operator as a field of a new structure.
#[op]
pub fn field_result<B: Backend, M, V: TakesResult<X, B, M>, X>(x: X) -> V {
    V::take(x)
}
