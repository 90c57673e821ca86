//! Conditions, branches and loops while they are recorded.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};
use std::panic::Location as Caller;

use super::handle::{Handle, Recorder};
use super::recording::{self, Start};
use crate::backend::{Backend, Condition, Stages, Stored};
use cm_compiler::ir::{Block, Op, Type, Value};

/// A staged condition.
#[derive(Clone, Copy, Debug)]
pub struct Truth {
    handle: Handle,
    /// Its value, if host values alone decide it. Only the arms and loops that run then are recorded.
    known: Option<bool>,
}

impl Truth {
    #[track_caller]
    pub(super) fn new(op: Op) -> Self {
        Self::of(Handle::Value(recording::value(op, Type::CONDITION)))
    }

    /// What no host value decides.
    fn of(handle: Handle) -> Self {
        Self { handle, known: None }
    }

    /// Its value now.
    #[track_caller]
    pub(super) fn now(self) -> Value {
        recording::load(self.handle, Type::CONDITION)
    }

    /// Both sides, computed. A side that is `decisive` decides.
    #[track_caller]
    fn both(self, other: Self, join: fn(Value, Value) -> Op, decisive: bool) -> Self {
        let known = match (self.known, other.known) {
            (Some(one), _) | (_, Some(one)) if one == decisive => Some(decisive),
            (Some(_), known) => known,
            (known, Some(_)) => known,
            (None, None) => None,
        };
        Self { known, ..Self::new(join(self.now(), other.now())) }
    }

    /// `self`, joined with another side, which decides if this one is `open`. A side that only computes runs in any case:
    /// that is shorter than a branch. What a host value on one of the sides decides is known.
    #[track_caller]
    fn joined<C>(self, other: impl FnOnce() -> C, join: fn(Value, Value) -> Op, open: bool) -> Self
    where
        C: Condition<Recorder>,
    {
        if let Some(known) = self.known {
            return if known == open { other().into_cond() } else { self };
        }
        // Loaded before the other side is recorded, because that side may store it.
        let this = self.now();
        recording::open();
        let other = other().into_cond();
        let known = other.known.filter(|known| *known != open);
        let other = other.now();
        if recording::close_computed() {
            return Self { known, ..Self::new(join(this, other)) };
        }
        let caller = Caller::caller();
        let mut result = recording::condition_outside(!open);
        recording::store(&mut result, other, Type::CONDITION);
        let mut arms = [recording::close(), Block::default()];
        if !open {
            arms.reverse();
        }
        let [then, otherwise] = arms;
        recording::effect_at(Op::If(this, then, otherwise), Type::CONDITION, caller);
        Self { known, ..Self::of(Handle::Value(recording::load(result, Type::CONDITION))) }
    }
}

/// An `if` in progress.
#[derive(Debug)]
pub struct Arms {
    condition: Value,
    /// The arm that runs, if that is known.
    known: Option<bool>,
    then: Option<Block>,
    opened: bool,
    caller: &'static Caller<'static>,
}

/// A loop in progress.
#[derive(Debug)]
pub struct Rounds {
    head: Option<(Block, Value)>,
    pass: Pass,
    caller: &'static Caller<'static>,
}

/// A recording of the body of a loop.
#[derive(Debug)]
enum Pass {
    /// Not yet begun. Holds the state before it, if this is the first of two.
    Before(Option<Start>),
    /// The first of two.
    First(Start),
    /// The second of two.
    Second,
    /// The only one.
    Only,
}

impl Arms {
    #[track_caller]
    fn begin(condition: Truth) -> Self {
        let (now, known) = (condition.now(), condition.known);
        Self { condition: now, known, then: None, opened: false, caller: Caller::caller() }
    }
}

impl Iterator for Arms {
    type Item = bool;

    fn next(&mut self) -> Option<bool> {
        let first = !std::mem::replace(&mut self.opened, true);
        if let Some(arm) = self.known {
            return first.then_some(arm);
        }
        if first {
            recording::open();
            return Some(true);
        }
        let block = recording::close();
        match self.then.take() {
            None => {
                self.then = Some(block);
                recording::open();
                Some(false)
            }
            Some(then) => {
                // At the `if`: the caller here is the `for` that the macro generates for it.
                recording::effect_at(Op::If(self.condition, then, block), Type::CONDITION, self.caller);
                None
            }
        }
    }
}

impl Rounds {
    #[track_caller]
    pub(super) fn begin() -> Self {
        Self { head: None, pass: Pass::Before(recording::open_loop()), caller: Caller::caller() }
    }

    pub(super) fn enter(&mut self) -> bool {
        let body = match std::mem::replace(&mut self.pass, Pass::Only) {
            Pass::Before(start) => {
                self.pass = start.map_or(Pass::Only, Pass::First);
                return true;
            }
            Pass::First(start) => {
                self.pass = Pass::Second;
                recording::open_again(&start);
                return true;
            }
            Pass::Second => recording::close_again(),
            Pass::Only => recording::close(),
        };
        if let Some((head, condition)) = self.head.take() {
            // At the loop, like `if`.
            recording::effect_at(Op::Loop(head, condition, body), Type::CONDITION, self.caller);
        }
        false
    }

    #[track_caller]
    pub(super) fn test(&mut self, condition: Truth) -> bool {
        let now = condition.now();
        if condition.known == Some(false) {
            // No round is recorded: what its condition does is done once.
            let head = match self.pass {
                Pass::Second => recording::close_again(),
                _ => recording::close(),
            };
            recording::append(head);
            return false;
        }
        self.head = Some((recording::close(), now));
        recording::open();
        true
    }
}

impl Not for Truth {
    type Output = Self;

    #[track_caller]
    fn not(self) -> Self {
        Self { known: self.known.map(|known| !known), ..Self::new(Op::Not(self.now())) }
    }
}

/// Both sides are computed.
macro_rules! operators {
    ($($operator:ident $method:ident $assigning:ident $assign:ident: ($a:ident, $b:ident) => $both:expr;)*) => {$(
        impl $operator for Truth {
            type Output = Self;

            #[track_caller]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $both
            }
        }

        impl $assigning for Truth {
            #[track_caller]
            fn $assign(&mut self, other: Self) {
                self.put($operator::$method(*self, other));
            }
        }
    )*};
}

operators! {
    BitAnd bitand BitAndAssign bitand_assign: (a, b) => a.both(b, Op::And, false);
    BitOr bitor BitOrAssign bitor_assign: (a, b) => a.both(b, Op::Or, true);
    BitXor bitxor BitXorAssign bitxor_assign: (a, b) => (a & !b) | (!a & b);
}

impl Stages<Recorder> for Truth {
    type Var = Self;

    fn stage(self) -> Self {
        self
    }
}

impl Stored<Recorder> for Truth {
    type Name = bool;

    fn declare(self) -> Self {
        let init = self.now();
        Self::of(recording::variable(Some(init), Type::CONDITION))
    }

    fn undefined() -> Self {
        Self::of(recording::variable(None, Type::CONDITION))
    }

    fn load(&self) -> Self {
        Self::of(Handle::Value(self.now()))
    }

    fn put(&mut self, value: Self) {
        let value = value.now();
        recording::store(&mut self.handle, value, Type::CONDITION);
        // The arm or the loop that stores it may not run.
        self.known = None;
    }
}

impl Condition<Recorder> for Truth {
    type Both<C: Condition<Recorder>> = Self;
    type Arms = Arms;
    type Loop = Rounds;

    fn known(value: bool) -> Self {
        Self { known: Some(value), ..Self::new(Op::Known(value)) }
    }

    fn into_cond(self) -> Self {
        self
    }

    fn and<C: Condition<Recorder>>(self, other: impl FnOnce() -> C) -> Self {
        self.joined(other, Op::And, true)
    }

    fn or<C: Condition<Recorder>>(self, other: impl FnOnce() -> C) -> Self {
        self.joined(other, Op::Or, false)
    }

    fn branch(self) -> Arms {
        Arms::begin(self)
    }

    fn begin_loop() -> Rounds {
        Recorder::begin_loop()
    }

    fn enter_loop(state: &mut Rounds) -> bool {
        state.enter()
    }

    fn test_loop(self, state: &mut Rounds) -> bool {
        state.test(self)
    }
}
