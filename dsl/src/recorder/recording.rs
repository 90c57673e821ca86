//! The recording in progress on this thread.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, Location as Caller, catch_unwind, resume_unwind};

use cm_compiler::ir::{Bits, Block, Inst, Label, Location, Op, Type, Value, Variable};
use cm_compiler::limits;

use super::handle::Handle;
use crate::elem::{Elem, ElemType};
use crate::kernel::ParamKind;
use crate::limits::Violation;

/// The number of operations that one kernel may record. Tutorial kernels need a few hundred.
const OPERATIONS: usize = 1 << 17;
/// Bytes of stack that a recording may use; an endless recursion uses more.
const STACK: usize = 1 << 20;

/// Why a block is open.
enum Reason {
    /// A staged condition or loop, or the kernel.
    Staged,
    /// A scope, which a break may have left.
    Scope { label: Label, left: bool, caller: &'static Caller<'static> },
}

/// An open block.
struct Open {
    block: Block,
    reason: Reason,
    /// Whether the next instruction in it is never reached.
    over: bool,
}

impl Open {
    fn new(reason: Reason) -> Self {
        Self { block: Block::default(), reason, over: false }
    }

    /// Whether it runs only under an unknown condition, at least from here on.
    fn is_staged(&self) -> bool {
        !matches!(self.reason, Reason::Scope { left: false, .. })
    }
}

/// The state of a recording.
#[derive(Default)]
pub(super) struct State {
    /// The open blocks, the innermost one last.
    blocks: Vec<Open>,
    labels: u32,
    values: u32,
    /// The number of the last store to each variable.
    last_stores: Vec<u32>,
    /// The number of stores and declarations so far.
    stores: u32,
    /// The number of open loops whose body is recorded again.
    repeated: usize,
    operations: usize,
    stack: usize,
    /// The position of the next value, if it is not where it is recorded.
    place: Option<&'static Caller<'static>>,
    /// The position of the operands of an operator, while they are recorded.
    operands: Option<&'static Caller<'static>>,
    /// Numbers that must be multiples of 4.
    pub(super) dwords: Vec<(Value, &'static Caller<'static>)>,
    /// Parameters of surfaces, and the samplers by which they are sampled.
    pub(super) samples: Vec<(usize, Value, &'static Caller<'static>)>,
    pub(super) broken: Option<(Violation, &'static Caller<'static>)>,
    /// Parameters of the source.
    pub(super) passed: usize,
    /// Bytes of the register file.
    register_file: usize,
    /// The parameters after those of the source: arrays that the threads of a group share, and views of surfaces.
    pub(super) declared: Vec<ParamKind>,
    /// Bytes of these arrays.
    pub(super) shared_bytes: usize,
    /// The number of named barriers.
    pub(super) named_barriers: usize,
}

impl State {
    /// Takes the body of the kernel.
    pub(super) fn take_body(&mut self) -> Block {
        std::mem::take(&mut self.blocks).into_iter().next().map(|open| open.block).unwrap_or_default()
    }

    /// Whether the kernel never gets to the next instruction.
    fn is_over(&self) -> bool {
        self.blocks.iter().any(|open| open.over)
    }

    fn append(&mut self, inst: Inst) {
        if let Some(open) = self.blocks.last_mut().filter(|open| !open.over) {
            open.over = inst.op.breaks_out();
            open.block.insts.push(inst);
        }
    }

    /// Ends the innermost scope: a separate block if it was left, otherwise part of the block around it.
    fn end_scope(&mut self) {
        let Some(Open { block, reason: Reason::Scope { label, left, caller }, .. }) = self.blocks.pop()
        else {
            return;
        };
        if left {
            let (op, ty, location) = (Op::Labelled(label, block), Type::CONDITION, location(caller));
            self.append(Inst { op, result: None, ty, location });
        } else {
            block.insts.into_iter().for_each(|inst| self.append(inst));
        }
    }
}

/// The state at the start of a loop.
///
/// The body of a loop is recorded twice, and only the second recording is kept. A copy of a variable that was made before the
/// loop is older than the stores of the first recording, wherever these are in the body, so the second one finds its loads.
#[derive(Debug)]
pub(super) struct Start {
    labels: u32,
    values: u32,
    variables: usize,
    operations: usize,
    dwords: usize,
    samples: usize,
    named_barriers: usize,
    /// Whether each open block ran only under an unknown condition.
    staged: Vec<bool>,
}

thread_local! {
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
}

/// Ends a recording from inside; it unwinds without a message.
struct Stop;

/// The panic message for a register that is used outside its recording: nothing sensible can be recorded.
const OUTSIDE: &str =
    "a register of a kernel is used where no kernel is recorded: registers do not outlive their kernel";

pub(super) fn with<T>(change: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(|state| change(state.as_mut().expect(OUTSIDE)))
}

/// Records what `run` does, in a kernel with this number of parameters and a register file of this number of bytes.
pub(super) fn recorded(passed: usize, register_file: usize, run: impl FnOnce()) -> State {
    let fresh = State {
        stack: stack_position(),
        blocks: vec![Open::new(Reason::Staged)],
        passed,
        register_file,
        ..State::default()
    };
    // A kernel that launches another one while it is recorded has its own state again afterwards.
    let outer = STATE.replace(Some(fresh));
    // A panic leaves only the state behind, which is dropped.
    let result = catch_unwind(AssertUnwindSafe(run));
    let state = STATE.replace(outer).unwrap_or_default();
    if let Err(panic) = result
        && !panic.is::<Stop>()
    {
        resume_unwind(panic);
    }
    state
}

#[inline(never)]
fn stack_position() -> usize {
    // An address in this frame: the function is not inlined, and the variable must be in memory.
    let here = 0u8;
    std::hint::black_box(&raw const here) as usize
}

/// Stops a recording that does not end.
fn count(caller: &'static Caller<'static>) {
    let position = stack_position();
    let stop = with(|state| {
        state.operations += 1;
        let violation = if state.operations > OPERATIONS {
            Violation::TooManyOperations { limit: OPERATIONS }
        } else if state.stack.abs_diff(position) > STACK {
            // The absolute difference, because stacks may grow in either direction.
            Violation::Recursion
        } else {
            return false;
        };
        state.broken.get_or_insert((violation, caller));
        true
    });
    // Outside `with`: unwinding must not leave the state borrowed.
    if stop {
        resume_unwind(Box::new(Stop));
    }
}

/// An iteration of a host loop, which counts as an operation.
#[track_caller]
pub(super) fn host_round() {
    count(Caller::caller());
}

/// Appends an instruction without a result.
#[track_caller]
pub(super) fn effect(op: Op, ty: Type) {
    effect_at(op, ty, Caller::caller());
}

/// Appends an instruction without a result, with the position `caller`.
pub(super) fn effect_at(op: Op, ty: Type, caller: &'static Caller<'static>) {
    push(op, None, ty, caller);
}

/// Appends an instruction; returns its result.
#[track_caller]
pub(super) fn value(op: Op, ty: Type) -> Value {
    let caller = with(|state| state.place.take().or(state.operands)).unwrap_or(Caller::caller());
    count(caller);
    value_at(op, ty, location(caller))
}

/// Begins to record the operands of an operator, with its position.
pub(super) fn begin_operands(operator: &'static Caller<'static>) {
    with(|state| state.operands = Some(operator));
}

/// Ends the operands. The next value is the operator, at its position.
pub(super) fn end_operands(operator: &'static Caller<'static>) {
    with(|state| (state.operands, state.place) = (None, Some(operator)));
}

/// Appends an instruction with the position `location`; returns its result.
pub(super) fn value_at(op: Op, ty: Type, location: Location) -> Value {
    with(|state| {
        state.values += 1;
        let result = Value(state.values - 1);
        state.append(Inst { op, result: Some(result), ty, location });
        result
    })
}

/// Declares a variable.
#[track_caller]
pub(super) fn variable(init: Option<Value>, ty: Type) -> Handle {
    variable_at(init, ty, Caller::caller())
}

/// Declares a variable, with the position `caller`.
fn variable_at(init: Option<Value>, ty: Type, caller: &'static Caller<'static>) -> Handle {
    let (variable, store) = with(|state| {
        state.stores += 1;
        state.last_stores.push(state.stores);
        (Variable(state.last_stores.len() as u32 - 1), state.stores)
    });
    push(Op::Declare(variable, init), None, ty, caller);
    Handle::Variable(variable, store)
}

/// The value of a register now.
#[track_caller]
pub(super) fn load(register: Handle, ty: Type) -> Value {
    match register {
        Handle::Value(value) => value,
        Handle::Variable(variable, store) => {
            if with(|state| state.last_stores.get(variable.0 as usize) != Some(&store)) {
                violation(Violation::StaleCopy);
            }
            value(Op::Load(variable), ty)
        }
    }
}

/// The value of a register of elements `T` now.
#[track_caller]
pub(super) fn now<T: Elem, const R: usize, const C: usize>(x: Handle) -> Value {
    load(x, Type::new(T::TYPE, R, C))
}

/// Assigns a value to a register: stores a variable, or makes the name refer to another value, like a `let mut` of
/// an ordinary generic function.
#[track_caller]
pub(super) fn store(register: &mut Handle, value: Value, ty: Type) {
    match register {
        Handle::Value(old) => *old = value,
        Handle::Variable(variable, store) => {
            effect(Op::Store(*variable, value), ty);
            with(|state| {
                state.stores += 1;
                if let Some(last) = state.last_stores.get_mut(variable.0 as usize) {
                    *last = state.stores;
                    *store = state.stores;
                }
            });
        }
    }
}

/// A constant number.
#[track_caller]
pub(super) fn number(elem: ElemType, bits: u64) -> Value {
    value(Op::Constant(Bits::Splat(bits)), Type::scalar(elem))
}

fn push(op: Op, result: Option<Value>, ty: Type, caller: &'static Caller<'static>) {
    count(caller);
    with(|state| {
        if let Err(broken) = limits::value(ty.bytes()) {
            state.broken.get_or_insert((broken, caller));
        }
        state.append(Inst { op, result, ty, location: location(caller) });
    });
}

pub(super) fn location(caller: &'static Caller<'static>) -> Location {
    Location { file: caller.file().into(), line: caller.line(), column: caller.column() }
}

/// Opens the block of a staged condition or loop.
pub(super) fn open() {
    with(|state| state.blocks.push(Open::new(Reason::Staged)));
}

/// Closes the innermost block.
pub(super) fn close() -> Block {
    with(|state| state.blocks.pop().map(|open| open.block).unwrap_or_default())
}

/// Adds a closed block to the innermost one.
pub(super) fn append(block: Block) {
    with(|state| block.insts.into_iter().for_each(|inst| state.append(inst)));
}

/// Closes the innermost block and adds it to the block around it, if it may run whether its values are needed or not.
/// Otherwise it stays open, and the result is false.
pub(super) fn close_computed() -> bool {
    with(|state| {
        let computes = |open: &mut Open| open.block.insts.iter().all(|inst| inst.op.only_computes());
        let Some(open) = state.blocks.pop_if(computes) else { return false };
        open.block.insts.into_iter().for_each(|inst| state.append(inst));
        true
    })
}

/// Declares a condition in the block around the innermost one, as a known truth.
#[track_caller]
pub(super) fn condition_outside(known: bool) -> Handle {
    let caller = Caller::caller();
    let open = with(|state| state.blocks.pop());
    let known = value_at(Op::Known(known), Type::CONDITION, location(caller));
    let condition = variable_at(Some(known), Type::CONDITION, caller);
    with(|state| state.blocks.extend(open));
    condition
}

/// Opens the block of a loop. Returns the state now, if its body must be recorded twice: inside a repeated body once is
/// enough.
pub(super) fn open_loop() -> Option<Start> {
    let start = with(|state| {
        (state.repeated == 0).then(|| Start {
            labels: state.labels,
            values: state.values,
            variables: state.last_stores.len(),
            operations: state.operations,
            dwords: state.dwords.len(),
            samples: state.samples.len(),
            named_barriers: state.named_barriers,
            staged: state.blocks.iter().map(Open::is_staged).collect(),
        })
    });
    open();
    start
}

/// Discards the first recording of a loop, and opens its block again. The numbers of stores go on.
pub(super) fn open_again(start: &Start) {
    with(|state| {
        (state.labels, state.values, state.operations) = (start.labels, start.values, start.operations);
        state.last_stores.truncate(start.variables);
        state.dwords.truncate(start.dwords);
        state.samples.truncate(start.samples);
        state.named_barriers = start.named_barriers;
        state.blocks.truncate(start.staged.len());
        for (open, was_staged) in state.blocks.iter_mut().zip(&start.staged) {
            if let Reason::Scope { left, .. } = &mut open.reason {
                *left = *was_staged;
            }
        }
        state.repeated += 1;
    });
    open();
}

/// Closes the block of a loop that was recorded twice.
pub(super) fn close_again() -> Block {
    with(|state| state.repeated -= 1);
    close()
}

/// Opens a scope; returns its number.
#[track_caller]
pub(super) fn open_scope() -> u32 {
    let caller = Caller::caller();
    with(|state| {
        state.labels += 1;
        let label = Label(state.labels - 1);
        state.blocks.push(Open::new(Reason::Scope { label, left: false, caller }));
        label.0
    })
}

/// The block of a scope that is open.
fn scope_at(state: &State, number: u32) -> Option<usize> {
    let is_scope = |open: &Open| matches!(open.reason, Reason::Scope { label, .. } if label.0 == number);
    state.blocks.iter().rposition(is_scope)
}

/// Leaves a scope. Returns true if the kernel is known to leave, so that the recorded code must leave it as well.
/// Otherwise the recording continues with the path on which the kernel stays.
#[track_caller]
pub(super) fn leave_scope(number: u32) -> bool {
    let caller = Caller::caller();
    count(caller);
    with(|state| {
        let Some(at) = scope_at(state, number) else { return false };
        // An inner scope that was left under a condition must still reach its end.
        if !state.blocks[at + 1..].iter().any(Open::is_staged) {
            return true;
        }
        if state.is_over() {
            // The kernel does not get here.
            return false;
        }
        let op = Op::Break(Label(number));
        state.append(Inst { op, result: None, ty: Type::CONDITION, location: location(caller) });
        if let Reason::Scope { left, .. } = &mut state.blocks[at].reason {
            *left = true;
        }
        false
    })
}

/// Whether the kernel never gets to the next instruction.
pub(super) fn is_over() -> bool {
    with(|state| state.is_over())
}

/// Ends a scope, and the inner scopes that the recorded code has left.
pub(super) fn close_scope(number: u32) {
    with(|state| {
        if let Some(at) = scope_at(state, number) {
            while state.blocks.len() > at {
                state.end_scope();
            }
        }
    });
}

/// The number of open staged conditions and loops, and of scopes that one of these has left.
pub(super) fn depth() -> usize {
    with(|state| state.blocks.iter().filter(|open| open.is_staged()).count().saturating_sub(1))
}

/// Records a broken rule; the first one is reported.
#[track_caller]
pub(super) fn violation(violation: Violation) {
    let caller = Caller::caller();
    // There is no register with which the recording could continue.
    let stop = matches!(violation, Violation::ArrayElement { count: 0, .. });
    with(|state| {
        // What the kernel never reaches breaks no rule. A host variable, however, changes there all the same.
        let always = stop || violation == Violation::HostStore;
        if always || !state.is_over() {
            state.broken.get_or_insert((violation, caller));
        }
    });
    if stop {
        resume_unwind(Box::new(Stop));
    }
}

/// Bytes of the register file that the kernel is written for.
pub(super) fn register_file() -> usize {
    with(|state| state.register_file)
}

/// Records that a surface is sampled.
#[track_caller]
pub(super) fn samples(surface: usize, sampler: Value) {
    let caller = Caller::caller();
    with(|state| state.samples.push((surface, sampler, caller)));
}

/// Records a number that must be a multiple of 4.
#[track_caller]
pub(super) fn whole_dwords(x: Value) {
    let caller = Caller::caller();
    with(|state| state.dwords.push((x, caller)));
}
