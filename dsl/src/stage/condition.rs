//! `if`, `while`, `&&` and `||`, on host conditions and on staged ones.

use std::marker::PhantomData;

use cm_macros::{inlined, op};

use crate::backend::{Backend, Condition};

/// Host conditions. Where a backend computes values, its conditions are host conditions too.
impl<B: Backend> Condition<B> for bool {
    // This side is decided when `&&` or `||` is reached; only the other side is left.
    type Both<C: Condition<B>> = C;
    // The arm that must still run.
    type Arms = std::option::IntoIter<bool>;
    type Loop = ();

    #[inlined]
    fn known(value: bool) -> Self {
        value
    }

    #[op]
    fn into_cond(self) -> B::Cond {
        <B::Cond as Condition<B>>::known(self)
    }

    #[op]
    fn and<C: Condition<B>>(self, other: impl FnOnce() -> C) -> C {
        if self { other() } else { C::known(false) }
    }

    #[op]
    fn or<C: Condition<B>>(self, other: impl FnOnce() -> C) -> C {
        if self { C::known(true) } else { other() }
    }

    #[inlined]
    fn branch(self) -> Self::Arms {
        Some(self).into_iter()
    }

    #[inlined]
    fn begin_loop() {}

    #[inlined]
    fn enter_loop((): &mut ()) -> bool {
        // An exit that ended the loop may be recorded only.
        !B::unreached()
    }

    #[op]
    fn test_loop(self, (): &mut ()) -> bool {
        B::host_round();
        self
    }
}

/// `a && b`.
#[op]
pub fn and<B: Backend, L: Condition<B>, R: Condition<B>>(a: L, b: impl FnOnce() -> R) -> L::Both<R> {
    a.and(b)
}

/// `a || b`.
#[op]
pub fn or<B: Backend, L: Condition<B>, R: Condition<B>>(a: L, b: impl FnOnce() -> R) -> L::Both<R> {
    a.or(b)
}

/// `if condition`.
#[op]
pub fn branch<B: Backend, C: Condition<B>>(condition: C) -> C::Arms {
    condition.branch()
}

/// A `while` in progress; the type of the condition is inferred from [`While::test`].
#[derive(Debug)]
pub struct While<B: Backend, C: Condition<B>> {
    state: C::Loop,
    backend: PhantomData<B>,
}

/// `while`, before its condition is evaluated.
#[op]
#[must_use]
pub fn while_loop<B: Backend, C: Condition<B>>() -> While<B, C> {
    While { state: C::begin_loop(), backend: PhantomData }
}

impl<B: Backend, C: Condition<B>> While<B, C> {
    /// Whether to evaluate the condition (again).
    #[inlined]
    pub fn enter(&mut self) -> bool {
        C::enter_loop(&mut self.state)
    }

    /// Whether to run the body.
    #[op]
    pub fn test(&mut self, condition: C) -> bool {
        condition.test_loop(&mut self.state)
    }
}
