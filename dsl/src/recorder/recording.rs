//! The recording in progress on this thread.

use std::borrow::Cow;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, Location as Caller, catch_unwind, resume_unwind};

use thiserror::Error;

use cm_compiler::access::{Analysis, Summary};
use cm_compiler::divergence::divergent_barrier;
use cm_compiler::ir::{
    Bits, Block, Function, Inst, Label, Location, Op, Param, Part, Type, Value, Variable, View,
};
use cm_compiler::limits;
use cm_compiler::verify::{BrokenRule, verify};

use super::handle::{Handle, RecordedBuffer, RecordedSurface, Recorder};
use crate::elem::{Elem, ElemType};
use crate::kernel::{self, ArgSource, Declaration, Kernel, ParamKind};
use crate::limits::Violation;

/// Operations that one kernel may record. Tutorial kernels take some hundred.
const OPERATIONS: usize = 1 << 17;
/// Bytes of stack that a recording may take; a recursion takes more.
const STACK: usize = 1 << 20;

/// What is wrong with a recorded kernel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Cause {
    /// It breaks a rule of the language.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// Code that is generic over backends has mixed up registers: a kernel that `#[kernel]` wrote does not
    /// come to this.
    #[error("{0}: registers of one recording are used in another place of it, or in another recording")]
    Unsound(Box<BrokenRule>),
    /// An argument type of the user's own binds something else than it declares, so that launches would give
    /// the kernel what it does not expect.
    #[error(
        "parameter {index} is declared as {declared}, but bound as {bound}: `Argument::KIND` and \
         `Argument::bind` of its type must agree, and so must `Kernel::PARAMS` and `Kernel::bind`"
    )]
    Parameter {
        /// Which parameter, counted from 0.
        index: usize,
        /// What the declaration says.
        declared: Box<str>,
        /// What was taken from the source of arguments.
        bound: Box<str>,
    },
}

/// A kernel breaks a rule that shows only when it is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("kernel `{kernel}` at {file}:{line}:{column}: {cause}")]
#[non_exhaustive]
pub struct RecordError {
    /// The kernel.
    pub kernel: &'static str,
    /// The source file of the line that breaks the rule.
    pub file: Cow<'static, str>,
    /// Its line.
    pub line: u32,
    /// Its column.
    pub column: u32,
    /// The rule.
    pub cause: Cause,
}

/// A kernel as recorded, and what was found out when it was checked.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// What the kernel declares.
    pub declaration: Declaration,
    /// The kernel.
    pub function: Function,
    /// What it does to its surfaces and buffers.
    pub summary: Summary,
}

/// Why a block is open.
enum Reason {
    /// A staged condition or loop, or the kernel.
    Staged,
    /// A scope, which a break may have left.
    Scope { label: Label, left: bool, caller: &'static Caller<'static> },
}

/// A block that is open.
struct Open {
    block: Block,
    reason: Reason,
    /// Whether what follows in it is never reached.
    over: bool,
}

impl Open {
    fn new(reason: Reason) -> Self {
        Self { block: Block::default(), reason, over: false }
    }

    /// Whether it is only gone through under a condition that is not known, at least from here on.
    fn is_staged(&self) -> bool {
        !matches!(self.reason, Reason::Scope { left: false, .. })
    }
}

#[derive(Default)]
struct State {
    /// The blocks that are open, the innermost one last.
    blocks: Vec<Open>,
    labels: u32,
    values: u32,
    /// How often each variable was stored.
    stores: Vec<u32>,
    operations: usize,
    stack: usize,
    /// Where the next value stands, if not where it is recorded.
    place: Option<&'static Caller<'static>>,
    /// Numbers that must be multiples of 4.
    dwords: Vec<(Value, &'static Caller<'static>)>,
    broken: Option<(Violation, &'static Caller<'static>)>,
    /// Parameters of the source.
    passed: usize,
    /// The parameters that follow them: arrays that the threads of a group share, and views of surfaces.
    declared: Vec<ParamKind>,
    /// Bytes of these arrays.
    shared_bytes: usize,
}

impl State {
    fn append(&mut self, inst: Inst) {
        if let Some(open) = self.blocks.last_mut().filter(|open| !open.over) {
            open.over = inst.op.breaks_out();
            open.block.insts.push(inst);
        }
    }

    /// Ends the innermost scope: a block of its own if it was left, otherwise part of the block around it.
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

thread_local! {
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
}

/// Ends a recording from inside; it unwinds without a message.
struct Stop;

/// What a register that is used outside its recording leads to: nothing sensible can be recorded.
const OUTSIDE: &str =
    "a register of a kernel is used where no kernel is recorded: registers do not outlive their kernel";

fn with<T>(change: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(|state| change(state.as_mut().expect(OUTSIDE)))
}

#[inline(never)]
fn stack_position() -> usize {
    // An address of this frame: not inlined, and of a variable that must be in memory.
    let here = 0u8;
    std::hint::black_box(&raw const here) as usize
}

/// A recording that does not end is stopped.
fn count(caller: &'static Caller<'static>) {
    let position = stack_position();
    let stop = with(|state| {
        state.operations += 1;
        let violation = if state.operations > OPERATIONS {
            Violation::TooManyOperations { limit: OPERATIONS }
        } else if state.stack.abs_diff(position) > STACK {
            // The difference, because stacks may grow either way.
            Violation::Recursion
        } else {
            return false;
        };
        state.broken.get_or_insert((violation, caller));
        true
    });
    // Outside of `with`: unwinding must not leave the state borrowed.
    if stop {
        resume_unwind(Box::new(Stop));
    }
}

/// A round of a host loop, which counts as an operation.
#[track_caller]
pub(super) fn host_round() {
    count(Caller::caller());
}

/// Appends an instruction without a result.
#[track_caller]
pub(super) fn effect(op: Op, ty: Type) {
    effect_at(op, ty, Caller::caller());
}

/// Appends an instruction without a result that stands at `caller`.
pub(super) fn effect_at(op: Op, ty: Type, caller: &'static Caller<'static>) {
    push(op, None, ty, caller);
}

/// Appends an instruction; gives its result.
#[track_caller]
pub(super) fn value(op: Op, ty: Type) -> Value {
    let caller = with(|state| state.place.take()).unwrap_or(Caller::caller());
    count(caller);
    value_at(op, ty, location(caller))
}

/// The next value stands here.
pub(super) fn locate(place: &'static Caller<'static>) {
    with(|state| state.place = Some(place));
}

/// Appends an instruction that stands at `location`; gives its result.
fn value_at(op: Op, ty: Type, location: Location) -> Value {
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
    let caller = Caller::caller();
    let variable = with(|state| {
        state.stores.push(0);
        Variable(state.stores.len() as u32 - 1)
    });
    push(Op::Declare(variable, init), None, ty, caller);
    Handle::Variable(variable, 0)
}

/// The value of a register now.
#[track_caller]
pub(super) fn load(register: Handle, ty: Type) -> Value {
    match register {
        Handle::Value(value) => value,
        Handle::Variable(variable, stores) => {
            if with(|state| state.stores.get(variable.0 as usize) != Some(&stores)) {
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

/// Gives a register a value: stores a variable, or lets the name stand for another value, as a `let mut` of
/// an ordinary generic function does.
#[track_caller]
pub(super) fn store(register: &mut Handle, value: Value, ty: Type) {
    match register {
        Handle::Value(old) => *old = value,
        Handle::Variable(variable, stores) => {
            effect(Op::Store(*variable, value), ty);
            with(|state| {
                if let Some(count) = state.stores.get_mut(variable.0 as usize) {
                    *count += 1;
                    *stores = *count;
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
    with(|state| state.append(Inst { op, result, ty, location: location(caller) }));
}

fn location(caller: &'static Caller<'static>) -> Location {
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

/// Opens a scope; gives its number.
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

/// Leaves a scope. If it is known that the kernel does so, the code that is recorded is to leave it as well:
/// true. Otherwise what follows is the way on which the kernel stays.
#[track_caller]
pub(super) fn leave_scope(number: u32) -> bool {
    let caller = Caller::caller();
    count(caller);
    with(|state| {
        let Some(at) = scope_at(state, number) else { return false };
        // A scope inside that was left under a condition still has to come to its end.
        if !state.blocks[at + 1..].iter().any(Open::is_staged) {
            return true;
        }
        if state.blocks.iter().any(|open| open.over) {
            // The kernel does not come here.
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

/// Ends a scope, and those inside that were left by the code that is recorded.
pub(super) fn close_scope(number: u32) {
    with(|state| {
        if let Some(at) = scope_at(state, number) {
            while state.blocks.len() > at {
                state.end_scope();
            }
        }
    });
}

/// Staged conditions and loops that are open, and scopes that one of these has left.
pub(super) fn depth() -> usize {
    with(|state| state.blocks.iter().filter(|open| open.is_staged()).count().saturating_sub(1))
}

/// Notes a broken rule; the first one is reported.
#[track_caller]
pub(super) fn violation(violation: Violation) {
    let caller = Caller::caller();
    with(|state| {
        state.broken.get_or_insert((violation, caller));
    });
}

/// Notes a number that must be a multiple of 4.
#[track_caller]
pub(super) fn whole_dwords(x: Value) {
    let caller = Caller::caller();
    with(|state| state.dwords.push((x, caller)));
}

/// Declares an array that the threads of a group share.
#[track_caller]
pub(super) fn shared(elem: ElemType, elements: usize) -> RecordedBuffer {
    if depth() > 0 {
        // On the CPU the threads of a group would not agree which array it is.
        violation(Violation::SharedUnderCondition);
    }
    if let Err(broken) = limits::shared_elements(elements) {
        violation(broken);
    }
    let (param, bytes) = with(|state| {
        let start = state.shared_bytes;
        state.shared_bytes = limits::shared_end(start, elements.saturating_mul(elem.bytes()));
        state.declared.push(ParamKind::Shared { elem, elements });
        (state.passed + state.declared.len() - 1, state.shared_bytes)
    });
    if let Err(broken) = limits::shared(bytes) {
        violation(broken);
    }
    RecordedBuffer(param)
}

/// Part of a surface: the parameter that stands for it, which is declared when the kernel first takes it.
#[track_caller]
pub(super) fn part(surface: &RecordedSurface, part: Part, writes: bool) -> RecordedSurface {
    let param = surface.0;
    let shown = with(|state| match param.checked_sub(state.passed).and_then(|n| state.declared.get(n)) {
        Some(ParamKind::View { view, .. }) => *view,
        _ => View::whole(param),
    });
    let Some(wanted) = shown.part(part) else {
        violation(Violation::PartOfPart);
        return RecordedSurface(param);
    };
    if wanted == View::whole(wanted.of) {
        return RecordedSurface(wanted.of);
    }
    RecordedSurface(with(|state| {
        let is_wanted = |kind: &ParamKind| matches!(kind, ParamKind::View { view, .. } if *view == wanted);
        let place = state.declared.iter().position(is_wanted).unwrap_or_else(|| {
            state.declared.push(ParamKind::View { view: wanted, writable: false });
            state.declared.len() - 1
        });
        if let ParamKind::View { writable, .. } = &mut state.declared[place] {
            *writable |= writes;
        }
        state.passed + place
    }))
}

/// The names of the parameters that follow those of the source.
fn name(params: &[kernel::Param], kind: ParamKind, arrays: &mut usize) -> String {
    match kind {
        ParamKind::View { view: View { of, plane, field }, .. } => {
            let name = params.get(of).map_or("", |param| param.name);
            let field = field.map_or(String::new(), |field| format!("_{}", field.name()));
            format!("{name}_{}{field}", plane.name())
        }
        _ => {
            *arrays += 1;
            format!("slm{}", *arrays - 1)
        }
    }
}

/// What was bound to a parameter.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Surface,
    Buffer,
    Uniform(Type),
}

impl Bound {
    /// What a parameter is declared to take; `None` if nothing here binds it.
    fn declared(kind: ParamKind) -> Option<Self> {
        match kind {
            ParamKind::Surface { .. } => Some(Self::Surface),
            ParamKind::Buffer { .. } => Some(Self::Buffer),
            ParamKind::Uniform { elem, rows, columns } => Some(Self::Uniform(Type::new(elem, rows, columns))),
            _ => None,
        }
    }

    fn describe(bound: Option<Self>) -> Box<str> {
        match bound {
            None => "nothing".into(),
            Some(Self::Surface) => "a surface".into(),
            Some(Self::Buffer) => "a buffer".into(),
            Some(Self::Uniform(ty)) => format!("a value of type {ty}").into(),
        }
    }
}

/// Arguments by their position.
struct Positions(Vec<Bound>, Location);

impl Positions {
    fn next(&mut self, bound: Bound) -> usize {
        self.0.push(bound);
        self.0.len() - 1
    }

    /// What is bound otherwise than it is declared, if something is.
    fn mismatch(&self, params: &[kernel::Param]) -> Option<Cause> {
        (0..self.0.len().max(params.len())).find_map(|index| {
            let declared = params.get(index).and_then(|param| Bound::declared(param.kind));
            let bound = self.0.get(index).copied();
            let [declared_text, bound_text] = [declared, bound].map(Bound::describe);
            let cause = Cause::Parameter { index, declared: declared_text, bound: bound_text };
            (declared != bound).then_some(cause)
        })
    }
}

impl ArgSource<Recorder> for Positions {
    fn surface(&mut self) -> RecordedSurface {
        RecordedSurface(self.next(Bound::Surface))
    }

    fn buffer(&mut self) -> RecordedBuffer {
        RecordedBuffer(self.next(Bound::Buffer))
    }

    fn uniform<T: Elem, const R: usize, const C: usize>(&mut self) -> Handle {
        let ty = Type::new(T::TYPE, R, C);
        let index = self.next(Bound::Uniform(ty));
        Handle::Value(value_at(Op::Argument(index), ty, self.1.clone()))
    }
}

/// Records a kernel.
///
/// # Errors
/// If the kernel breaks a rule that shows only now.
pub fn record<K: Kernel>() -> Result<Recorded, RecordError> {
    recorded(Declaration::of::<K>(), K::Unit::run::<K>)
}

/// Kernels on the recorder, in functions of [`Kernel::Unit`].
trait InUnit {
    #[inline(never)]
    fn run<K: Kernel>(positions: &mut Positions) {
        K::run::<Recorder>(positions);
    }
}

impl<T> InUnit for T {}

/// The same of what is declared and this code: compiled once for all kernels.
fn recorded(declaration: Declaration, run: fn(&mut Positions)) -> Result<Recorded, RecordError> {
    let Declaration { name: kernel, place, params } = declaration;
    let fresh = State {
        stack: stack_position(),
        blocks: vec![Open::new(Reason::Staged)],
        passed: params.len(),
        ..State::default()
    };
    // A kernel that launches another one while it is recorded has its own state again afterwards.
    let outer = STATE.replace(Some(fresh));
    let start = Location { file: place.0.into(), line: place.1, column: place.2 };
    let mut positions = Positions(vec![], start.clone());
    // Whatever a panic leaves behind is in the state, which is dropped.
    let result = catch_unwind(AssertUnwindSafe(|| {
        run(&mut positions);
    }));
    let state = STATE.replace(outer).unwrap_or_default();
    if let Err(panic) = result
        && !panic.is::<Stop>()
    {
        resume_unwind(panic);
    }
    let broken =
        |cause, Location { file, line, column }| Err(RecordError { kernel, file, line, column, cause });
    // Before the verifier: what was recorded after a broken rule may be wrong.
    if let Some((violation, caller)) = state.broken {
        return broken(violation.into(), location(caller));
    }
    if let Some(cause) = positions.mismatch(params) {
        return broken(cause, start);
    }
    let passed = params.iter().map(|param| Param { name: param.name.into(), kind: param.kind });
    let mut arrays = 0;
    let declared =
        state.declared.iter().map(|kind| Param { name: name(params, *kind, &mut arrays), kind: *kind });
    let all = passed.chain(declared).collect();
    let body = state.blocks.into_iter().next().map(|open| open.block).unwrap_or_default();
    let function = Function { name: kernel.into(), params: all, body };
    // In every build: code that is generic over backends can mix up registers.
    if let Err(error) = verify(&function) {
        let nowhere = Location { file: "".into(), line: 0, column: 0 };
        return broken(Cause::Unsound(error.rule), error.location.unwrap_or(nowhere));
    }
    if let Some(barrier) = divergent_barrier(&function) {
        return broken(Violation::DivergentBarrier.into(), barrier.clone());
    }
    let analysis = Analysis::of(&function);
    if let Some(index) = analysis.broken_dword(state.dwords.iter().map(|(value, _)| *value)) {
        return broken(Violation::MediaBlockIoColumns.into(), location(state.dwords[index].1));
    }
    let summary = analysis.into_summary();
    if let Some(access) = summary.misaligned_write() {
        return broken(Violation::MediaWriteColumn.into(), access.location.clone());
    }
    if let Some((alignment, location)) = summary.misaligned_block() {
        return broken(Violation::BlockAlignment { alignment }.into(), location.clone());
    }
    if let Some((violation, location)) = summary.broken_block_2d() {
        return broken(violation.into(), location.clone());
    }
    Ok(Recorded { declaration, function, summary })
}
