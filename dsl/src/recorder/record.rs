//! Recording a kernel: its arguments, and the checks of the result.

use std::panic::Location as Caller;

use cm_compiler::access::{Analysis, Summary};
use cm_compiler::divergence::divergent_barrier;
use cm_compiler::ir::{Function, Location, Op, Param, Type, Value, View};
use cm_compiler::limits;
use cm_compiler::verify::{BrokenRule, verify};

use super::error::{Cause, RecordError};
use super::handle::{Handle, RecordedBuffer, RecordedSurface, Recorder};
use super::recording::{self, location, value_at};
use crate::elem::Elem;
use crate::kernel::{self, ArgSource, Declaration, Kernel, ParamKind};
use crate::limits::Violation;

/// A recorded kernel, and the results of its checks.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The declaration of the kernel.
    pub declaration: Declaration,
    /// The kernel.
    pub function: Function,
    /// Its accesses to surfaces and buffers.
    pub summary: Summary,
    /// Its samples by samplers that are arguments.
    pub samples: Vec<Sampled>,
}

/// A surface that a kernel samples.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// The number of its parameter.
    pub surface: usize,
    /// The number of the sampler's parameter.
    pub sampler: usize,
    /// The first sample.
    pub location: Location,
}

/// The samples by arguments, one for each surface and sampler.
fn by_arguments(function: &Function, samples: Vec<(usize, Value, &'static Caller<'static>)>) -> Vec<Sampled> {
    let mut found: Vec<Sampled> = vec![];
    for (surface, value, caller) in samples {
        let mut arguments = function.body.instructions().filter_map(|inst| match inst.op {
            Op::Argument(n) if inst.result == Some(value) => Some(n),
            _ => None,
        });
        if let Some(sampler) = arguments.next()
            && !found.iter().any(|known| (known.surface, known.sampler) == (surface, sampler))
        {
            found.push(Sampled { surface, sampler, location: location(caller) });
        }
    }
    found
}

/// The names of the parameters after those of the source.
fn name(params: &[kernel::Param<ParamKind>], kind: ParamKind, arrays: &mut usize) -> String {
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

/// The kind of argument that was bound to a parameter.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Surface,
    Buffer,
    Uniform(Type),
}

impl Bound {
    /// The declared kind of a parameter; `None` if nothing here binds it.
    fn declared(kind: ParamKind) -> Option<Self> {
        match kind {
            ParamKind::Surface { .. } | ParamKind::Surface3d { .. } => Some(Self::Surface),
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

    /// The first argument that is not bound as declared, if any.
    fn mismatch(&self, params: &[kernel::Param<ParamKind>]) -> Option<Cause> {
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
/// If the kernel breaks a rule that is checked only now.
pub fn record<K: Kernel>() -> Result<Recorded, RecordError> {
    recorded(Declaration::of::<K>(), K::Unit::run::<K>)
}

/// Kernels on the recorder, in functions of [`Kernel::Unit`].
trait InUnit {
    #[inline(never)]
    fn run<K: Kernel>(positions: &mut Positions) {
        K::run::<Recorder>(positions, std::iter::once(()));
    }
}

impl<T> InUnit for T {}

/// [`record`] for a declaration and its code; compiled once for all kernels.
fn recorded(declaration: Declaration, run: fn(&mut Positions)) -> Result<Recorded, RecordError> {
    let Declaration { name: kernel, place, params, register_file } = declaration;
    let start = Location { file: place.0.into(), line: place.1, column: place.2 };
    let mut positions = Positions(vec![], start.clone());
    let mut state = recording::recorded(params.len(), register_file, || run(&mut positions));
    let broken =
        |cause, Location { file, line, column }| Err(RecordError { kernel, file, line, column, cause });
    // Before the verifier: instructions after a broken rule may be wrong.
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
    let (body, named_barriers) = (state.take_body(), state.named_barriers);
    let function = Function { name: kernel.into(), params: all, named_barriers, register_file, body };
    if let Some(barrier) = function.body.instructions().find(|inst| inst.op.is_group_barrier())
        && named_barriers > 0
        && let Err(violation) = limits::named_barriers(named_barriers, true)
    {
        return broken(violation.into(), barrier.location.clone());
    }
    if let Some(access) = function.mixed_accesses() {
        return broken(Violation::TypedAndBlocks.into(), access.location.clone());
    }
    // In every build: code that is generic over backends can mix up registers.
    if let Err(error) = verify(&function) {
        let nowhere = Location { file: "".into(), line: 0, column: 0 };
        let cause = match *error.rule {
            BrokenRule::Limit(limit) => limit.into(),
            _ => Cause::Unsound(error.rule),
        };
        return broken(cause, error.location.unwrap_or(nowhere));
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
    let samples = by_arguments(&function, state.samples);
    Ok(Recorded { declaration, function, summary, samples })
}
