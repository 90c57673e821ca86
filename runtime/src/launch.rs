//! Launches: record once, check the arguments, run.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use cm_compiler::access::{Claim, Outline, Segment, outline};
use cm_dsl::kernel::Kernel;
use cm_dsl::trace::{RecordError, record};
use smallvec::SmallVec;

use crate::device::Kind;
use crate::{
    Arg, Device, Error, Event, Result, Scope, Surface2D, ThreadSpace, cpu, level_zero, linear_surface,
};

type Recorded = std::result::Result<Arc<Outline>, RecordError>;

/// The outline of every kernel that was launched.
static OUTLINES: RwLock<Option<HashMap<TypeId, Recorded>>> = RwLock::new(None);

/// The outline of a kernel; it is recorded before its first launch.
fn recorded<K: Kernel>() -> Recorded {
    let id = TypeId::of::<K>();
    let known = OUTLINES
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .as_ref()
        .and_then(|all| all.get(&id).cloned());
    if let Some(known) = known {
        return known;
    }
    // Not under the lock: the kernel is the user's code.
    let recorded = record::<K>().map(|function| Arc::new(outline(&function)));
    let mut all = OUTLINES.write().unwrap_or_else(PoisonError::into_inner);
    all.get_or_insert_with(HashMap::new).entry(id).or_insert(recorded).clone()
}

/// Runs kernel `K`. Users call `k::launch(..)`, which `#[kernel]` declares with the kernel's own parameters.
///
/// # Errors
/// If the kernel breaks a rule that shows when it is recorded, or an argument does not fit it.
pub fn launch<K: Kernel>(device: &Device, space: ThreadSpace, args: &mut [Arg<'_>]) -> Result<Event> {
    let outline = checked::<K>(args)?;
    match device.kind() {
        Kind::Cpu(workers) => cpu::run::<K>(workers, space, args, &outline),
        Kind::LevelZero(gpu) => Ok(Event::new(level_zero::run::<K>(gpu, space, args, &outline)?, 0)),
    }
}

/// Runs kernel `K` some time before the scope ends. Users call `k::enqueue(..)`.
///
/// # Errors
/// As [`launch`].
pub fn enqueue<K: Kernel>(scope: &Scope<'_>, space: ThreadSpace, args: &mut [Arg<'_>]) -> Result<()> {
    let outline = checked::<K>(args)?;
    match scope.device().kind() {
        Kind::Cpu(workers) => cpu::run::<K>(workers, space, args, &outline).map(drop),
        Kind::LevelZero(gpu) => level_zero::enqueue::<K>(gpu, space, args, &outline),
    }
}

/// The outline of a kernel whose arguments fit it.
fn checked<K: Kernel>(args: &[Arg<'_>]) -> Result<Arc<Outline>> {
    let outline = recorded::<K>()?;
    for access in outline.accesses() {
        if let Some(surface) = surface(&args[access.argument]) {
            let alignment = surface.format().alignment();
            if access.x.is_some_and(|x| !x.is_multiple_of(alignment as i64)) {
                return Err(Error::ArgumentFormat {
                    kernel: K::NAME,
                    argument: K::PARAMS[access.argument].name,
                    format: surface.format(),
                    alignment,
                    file: access.location.file.clone().into_owned(),
                    line: access.location.line,
                });
            }
            linear_surface::check::<K>(surface, access)?;
        }
    }
    Ok(outline)
}

/// Arguments of which a launch on the CPU needs no allocation.
pub(crate) const INLINE: usize = 16;

/// What each kernel thread has to itself of an argument.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    /// All that it may do to one that is not written.
    Any,
    /// Of a surface.
    Surface(Claim),
    /// Of a buffer.
    Buffer(Segment),
}

/// What each kernel thread has to itself of every argument that is written; `None` where that is not proven.
pub(crate) fn parts(
    outline: &Outline,
    space: ThreadSpace,
    args: &[Arg<'_>],
) -> Option<SmallVec<[Part; INLINE]>> {
    args.iter()
        .enumerate()
        .map(|(argument, arg)| match arg {
            Arg::Write(surface) => outline.claim(argument, surface.extent(space)).map(Part::Surface),
            Arg::WriteBuffer(_) => outline.segment(argument, space.width(), space.height()).map(Part::Buffer),
            Arg::Read(_) | Arg::ReadBuffer(_) | Arg::Uniform(_) => Some(Part::Any),
        })
        .collect()
}

fn surface<'a>(arg: &'a Arg<'_>) -> Option<&'a Surface2D> {
    match arg {
        Arg::Read(surface) => Some(surface),
        Arg::Write(surface) => Some(surface),
        Arg::ReadBuffer(_) | Arg::WriteBuffer(_) | Arg::Uniform(_) => None,
    }
}
