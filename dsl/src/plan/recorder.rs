//! The recording in progress on this thread.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};

use super::outline::{Access, Outline, RecordError};
use super::{Plan, PlannedSurface};
use crate::backend::Backend;
use crate::elem::Elem;
use crate::kernel::{ArgSource, Kernel};
use crate::limits::Violation;

/// Operations that one kernel may record. Tutorial kernels take some hundred.
const OPERATIONS: usize = 1 << 20;
/// Bytes of stack that a recording may take; a recursion takes more.
const STACK: usize = 1 << 20;

#[derive(Default)]
struct State {
    operations: usize,
    depth: usize,
    loops: usize,
    staged: bool,
    stack: usize,
    accesses: Vec<Access>,
    broken: Option<(Violation, &'static Location<'static>)>,
}

thread_local! {
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
}

/// Ends a recording from inside; it unwinds without a message.
struct Stop;

fn with<T>(default: T, change: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(|state| state.as_mut().map_or(default, change))
}

#[inline(never)]
fn stack_position() -> usize {
    let here = 0u8;
    std::hint::black_box(&raw const here) as usize
}

/// Counts an operation; a recording that does not end is stopped.
#[track_caller]
pub(super) fn count() {
    let location = Location::caller();
    let position = stack_position();
    let stop = with(false, |state| {
        state.operations += 1;
        let violation = if state.operations > OPERATIONS {
            Violation::TooManyOperations { limit: OPERATIONS }
        } else if state.stack.abs_diff(position) > STACK {
            Violation::Recursion
        } else {
            return false;
        };
        state.broken.get_or_insert((violation, location));
        true
    });
    if stop {
        resume_unwind(Box::new(Stop));
    }
}

/// Notes a broken rule; the first one is reported.
#[track_caller]
pub(super) fn violation(violation: Violation) {
    let location = Location::caller();
    with((), |state| {
        state.broken.get_or_insert((violation, location));
    });
}

/// Opens (or closes) a staged `if` or loop.
pub(super) fn nest(open: bool, is_loop: bool) {
    with((), |state| {
        state.staged = true;
        let change = |n: usize| if open { n + 1 } else { n.saturating_sub(1) };
        state.depth = change(state.depth);
        if is_loop {
            state.loops = change(state.loops);
        }
    });
}

/// Staged conditions and loops that are open.
pub(super) fn depth() -> usize {
    with(0, |state| state.depth)
}

/// Staged loops that are open.
pub(super) fn loops() -> usize {
    with(0, |state| state.loops)
}

/// Notes an access.
pub(super) fn access(access: Access) {
    with((), |state| state.accesses.push(access));
}

/// Arguments by their position.
struct Positions(usize);

impl ArgSource<Plan> for Positions {
    fn surface(&mut self) -> PlannedSurface {
        let argument = self.0;
        self.0 += 1;
        PlannedSurface { argument }
    }

    fn uniform<T: Elem, const R: usize, const C: usize>(&mut self) -> <Plan as Backend>::Reg<T, R, C> {
        self.0 += 1;
        super::backend::Value::UNKNOWN
    }
}

pub(super) fn record<K: Kernel>() -> Result<Outline, RecordError> {
    let fresh = State { stack: stack_position(), ..State::default() };
    // A kernel that launches another one while it is recorded has its own state again afterwards.
    let outer = STATE.replace(Some(fresh));
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut args = K::bind::<Plan>(&mut Positions(0));
        K::run::<Plan>(&mut args);
    }));
    let state = STATE.replace(outer).unwrap_or_default();
    if let Err(panic) = result
        && !panic.is::<Stop>()
    {
        resume_unwind(panic);
    }
    match state.broken {
        Some((violation, location)) => Err(RecordError::new(K::NAME, violation, location)),
        None => Ok(Outline::new(state.accesses, state.staged, state.operations)),
    }
}
