//! The counterparts of kernel types on a backend: names of types, variables and conditions.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::Backend;

/// A type that a kernel may name: numbers, `bool`, host sizes, registers, surfaces, tuples and arrays of
/// them, and structures of registers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kernel type",
    label = "not a kernel type",
    note = "kernels use numbers, `bool`, `usize`, `Matrix`, `Vector`, surfaces, tuples and arrays of these, and \
            structures and `enum`s with `#[registers]`",
    note = "a number of a type parameter `T: Elem` is `Scalar<T>`"
)]
pub trait Staged<B: Backend> {
    /// The type on backend `B`.
    type Ty;
}

/// A value that `let mut x = ..` accepts. Host numbers become staged scalars; host sizes (`usize`, `isize`), a `Plane` and
/// `enum`s stay on the host and cannot change under a staged condition.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a variable of a kernel",
    label = "`let mut` of this type",
    note = "`let mut` takes numbers, `bool`, registers, tuples and arrays of these, and `#[registers]` structures; anything else is \
            a plain `let`"
)]
pub trait Stages<B: Backend> {
    /// The variable.
    type Var: Stored<B>;
    /// Its initial value.
    #[track_caller]
    fn stage(self) -> Self::Var;
}

/// The type of a variable.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be assigned in a kernel",
    label = "not a variable of a kernel",
    note = "only what `let mut` declared is assigned; places are written with `.assign(..)`",
    note = "if a reference is expected, write `&` before the name"
)]
pub trait Stored<B: Backend>: Copy {
    /// Its type as a kernel writes it.
    type Name: Staged<B, Ty = Self>;
    /// Whether it lives on the host.
    const HOST: bool = false;
    /// A new variable.
    #[track_caller]
    fn declare(self) -> Self;
    /// A new variable whose value does not matter.
    #[track_caller]
    fn undefined() -> Self;
    /// Its value now.
    #[track_caller]
    fn load(&self) -> Self;
    /// Stores a value in it.
    #[track_caller]
    fn put(&mut self, value: Self);
}

/// A condition of an `if` or `while`: a host `bool`, or the result of staged comparisons, `any()` and `all()`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a condition",
    label = "not a condition",
    note = "conditions compare scalars; a register mask becomes one with `.any()` or `.all()`; `&` and `|` combine masks"
)]
pub trait Condition<B: Backend>:
    Copy
    + Not<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
    + Stages<B, Var = B::Cond>
{
    /// The type of `self && other`.
    type Both<C: Condition<B>>: Condition<B>;
    /// The arms of an `if` to run: `true` for the first, `false` for `else`.
    type Arms: Iterator<Item = bool>;
    /// A loop in progress.
    type Loop;

    /// A condition known now.
    #[track_caller]
    fn known(value: bool) -> Self;
    /// As the backend's own condition.
    #[track_caller]
    fn into_cond(self) -> B::Cond;
    /// `self && other`.
    #[track_caller]
    fn and<C: Condition<B>>(self, other: impl FnOnce() -> C) -> Self::Both<C>;
    /// `self || other`.
    #[track_caller]
    fn or<C: Condition<B>>(self, other: impl FnOnce() -> C) -> Self::Both<C>;
    /// Begins an `if`.
    #[track_caller]
    fn branch(self) -> Self::Arms;
    /// Begins a loop.
    #[track_caller]
    fn begin_loop() -> Self::Loop;
    /// Whether to evaluate the condition (again).
    fn enter_loop(state: &mut Self::Loop) -> bool;
    /// Whether to run the body.
    #[track_caller]
    fn test_loop(self, state: &mut Self::Loop) -> bool;
}
