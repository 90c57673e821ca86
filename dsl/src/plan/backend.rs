//! Operations on what is known without data.

use std::ops::Not;
use std::panic::Location;

use super::outline::Access;
use super::{Affine, Plan, PlannedSurface, recorder};
use crate::backend::{Axis, Backend, Region};
use crate::elem::{Elem, Int};
use crate::limits::Violation;
use crate::ops::{BinaryKind, BinaryOp, UnaryOp};
use crate::stage::{Condition, Stages, Stored};

/// A register: an affine scalar, or anything.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    known: Option<Affine>,
    /// A variable: inside a loop its value may be one of a later round.
    variable: bool,
}

impl Value {
    pub(super) const UNKNOWN: Self = Self { known: None, variable: false };

    fn known(known: Option<Affine>) -> Self {
        Self { known, variable: false }
    }

    fn now(self) -> Option<Affine> {
        if self.variable && recorder::loops() > 0 { None } else { self.known }
    }
}

/// A condition: never known.
#[derive(Clone, Copy, Debug)]
pub struct Truth;

impl Not for Truth {
    type Output = Self;

    fn not(self) -> Self {
        self
    }
}

/// Both arms, one after the other.
#[derive(Debug)]
pub struct Arms(u8);

/// A loop, once.
#[derive(Debug)]
pub struct Once(bool);

impl Backend for Plan {
    type Reg<T: Elem, const R: usize, const C: usize> = Value;
    type Cond = Truth;
    type Place<'a> = &'a mut Value;
    type Surface = PlannedSurface;
    type Branch = Arms;
    type Loop = Once;

    fn constant<T: Elem, const R: usize, const C: usize>(x: [[T; C]; R]) -> Value {
        recorder::count();
        if R != 1 || C != 1 || T::TYPE.is_float() {
            return Value::UNKNOWN;
        }
        let x: i64 = x.as_flattened()[0].as_();
        Value::known(Affine::constant(x).of_type(T::TYPE))
    }

    fn splat<T: Elem, const R: usize, const C: usize>(x: Value) -> Value {
        recorder::count();
        if R == 1 && C == 1 { Value::known(x.now()) } else { Value::UNKNOWN }
    }

    fn unary<O: UnaryOp<T>, T: Elem, const R: usize, const C: usize>(_: Value) -> Value {
        recorder::count();
        Value::UNKNOWN
    }

    fn binary<O: BinaryOp<P>, P: Elem, T: Elem, V: Elem, const R: usize, const C: usize>(
        a: Value,
        b: Value,
    ) -> Value {
        recorder::count();
        if R != 1 || C != 1 {
            return Value::UNKNOWN;
        }
        let convert = |x: Value, from| x.now().and_then(|x| x.converted(from, P::TYPE));
        let (Some(a), Some(b)) = (convert(a, T::TYPE), convert(b, V::TYPE)) else { return Value::UNKNOWN };
        let result = match O::KIND {
            BinaryKind::Add => a.add(b),
            BinaryKind::Sub => b.scaled(-1).and_then(|b| a.add(b)),
            BinaryKind::Mul => a.mul(b),
            BinaryKind::Shl if b.x == 0 && b.y == 0 && (0..32).contains(&b.constant) => {
                a.scaled(1 << b.constant)
            }
            _ => None,
        };
        Value::known(result.and_then(|x| x.of_type(P::TYPE)))
    }

    fn convert<T: Elem, V: Elem, const R: usize, const C: usize>(x: Value) -> Value {
        recorder::count();
        Value::known(x.now().and_then(|x| x.converted(T::TYPE, V::TYPE)))
    }

    fn saturate<T: Elem, V: Elem, const R: usize, const C: usize>(_: Value) -> Value {
        recorder::count();
        Value::UNKNOWN
    }

    fn region<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        _: &Value,
        _: Region<Self>,
    ) -> Value {
        recorder::count();
        Value::UNKNOWN
    }

    fn iselect<T: Elem, const R: usize, const C: usize, const N: usize>(_: &Value, _: Value) -> Value {
        recorder::count();
        Value::UNKNOWN
    }

    fn format<T: Elem, V: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        _: &Value,
    ) -> Value {
        recorder::count();
        Value::UNKNOWN
    }

    fn merge<M: Int, T: Elem, const R: usize, const C: usize>(_: Value, _: Value, _: Value) -> Value {
        recorder::count();
        Value::UNKNOWN
    }

    fn unpack_mask<const R: usize, const C: usize>(_: Value) -> Value {
        recorder::count();
        Value::UNKNOWN
    }

    fn any<T: Elem, const R: usize, const C: usize>(_: Value) -> Truth {
        recorder::count();
        Truth
    }

    fn all<T: Elem, const R: usize, const C: usize>(_: Value) -> Truth {
        recorder::count();
        Truth
    }

    fn variable<T: Elem, const R: usize, const C: usize>(init: Value) -> Value {
        recorder::count();
        Value { known: init.now(), variable: true }
    }

    fn load<T: Elem, const R: usize, const C: usize>(x: &Value) -> Value {
        recorder::count();
        Value::known(x.now())
    }

    fn store<T: Elem, const R: usize, const C: usize>(x: &mut Value, value: Value) {
        recorder::count();
        x.known = if recorder::depth() == 0 { value.now() } else { None };
    }

    fn place<T: Elem, const R: usize, const C: usize>(x: &mut Value) -> &mut Value {
        x
    }

    fn narrow<'a, T: Elem>(place: Self::Place<'a>, _: usize, _: Region<Self>) -> Self::Place<'a> {
        place
    }

    fn format_place<'a, T: Elem>(place: Self::Place<'a>, _: usize) -> Self::Place<'a> {
        place
    }

    fn load_place<T: Elem, const R: usize, const C: usize>(_: &&mut Value) -> Value {
        recorder::count();
        Value::UNKNOWN
    }

    fn store_place<T: Elem, const R: usize, const C: usize>(place: &mut &mut Value, _: Value) {
        recorder::count();
        place.known = None;
    }

    fn branch(Truth: Truth) -> Arms {
        recorder::count();
        recorder::nest(true, false);
        Arms(0)
    }

    fn arm(branch: &mut Arms) -> Option<bool> {
        branch.0 += 1;
        match branch.0 {
            1 => Some(true),
            2 => Some(false),
            _ => {
                recorder::nest(false, false);
                None
            }
        }
    }

    fn begin_loop() -> Once {
        recorder::count();
        recorder::nest(true, true);
        Once(true)
    }

    fn enter_loop(state: &mut Once) -> bool {
        let first = std::mem::take(&mut state.0);
        if !first {
            recorder::nest(false, true);
        }
        first
    }

    fn test_loop(_: &mut Once, Truth: Truth) -> bool {
        true
    }

    fn depth() -> usize {
        recorder::depth()
    }

    fn thread_origin(axis: Axis) -> Value {
        recorder::count();
        let (x, y) = match axis {
            Axis::X => (1, 0),
            Axis::Y => (0, 1),
        };
        Value::known(Some(Affine { x, y, constant: 0 }))
    }

    #[track_caller]
    fn media_read<T: Elem, const R: usize, const C: usize>(
        surface: &PlannedSurface,
        x: Value,
        y: Value,
    ) -> Value {
        recorder::count();
        access::<T, R, C>(surface, false, x, y, Location::caller());
        Value::UNKNOWN
    }

    #[track_caller]
    fn media_write<T: Elem, const R: usize, const C: usize>(
        surface: &mut PlannedSurface,
        x: Value,
        y: Value,
        _: Value,
    ) {
        recorder::count();
        if let Some(known) = x.now()
            && !known.is_multiple_of(4)
        {
            recorder::violation(Violation::MediaWriteColumn);
        }
        access::<T, R, C>(surface, true, x, y, Location::caller());
    }

    #[track_caller]
    fn violation(violation: Violation) {
        recorder::violation(violation);
    }
}

fn access<T: Elem, const R: usize, const C: usize>(
    surface: &PlannedSurface,
    writes: bool,
    x: Value,
    y: Value,
    location: &'static Location<'static>,
) {
    let (x, y, width) = (x.now(), y.now(), C * T::TYPE.bytes());
    recorder::access(Access { argument: surface.argument, writes, x, y, width, rows: R, location });
}

impl Stages<Plan> for Truth {
    type Var = Self;

    fn stage(self) -> Self {
        self
    }
}

impl Stored<Plan> for Truth {
    type Name = bool;

    fn declare(self) -> Self {
        self
    }

    fn undefined() -> Self {
        Self
    }

    fn load(&self) -> Self {
        *self
    }

    fn put(&mut self, _: Self) {}
}

impl Condition<Plan> for Truth {
    type Both<C: Condition<Plan>> = Self;
    type Branch = Arms;
    type Loop = Once;

    fn known(_: bool) -> Self {
        Self
    }

    fn into_cond(self) -> Self {
        self
    }

    #[track_caller]
    fn and<C: Condition<Plan>>(self, other: impl FnOnce() -> C) -> Self {
        other().into_cond()
    }

    #[track_caller]
    fn or<C: Condition<Plan>>(self, other: impl FnOnce() -> C) -> Self {
        other().into_cond()
    }

    #[track_caller]
    fn branch(self) -> Arms {
        Plan::branch(self)
    }

    fn arm(branch: &mut Arms) -> Option<bool> {
        Plan::arm(branch)
    }

    #[track_caller]
    fn begin_loop() -> Once {
        Plan::begin_loop()
    }

    fn enter_loop(state: &mut Once) -> bool {
        Plan::enter_loop(state)
    }

    #[track_caller]
    fn test_loop(self, state: &mut Once) -> bool {
        Plan::test_loop(state, self)
    }
}
