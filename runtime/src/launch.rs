//! Launches: look up the recording, check the arguments against it, and run the kernel on the device.

use cm_compiler::access::{Moved, SurfaceUse, TexelAccess};
use cm_compiler::ir::View;
use cm_compiler::limits::DWORD;
use cm_dsl::kernel::Kernel;
use cm_dsl::recorder::Sampled;
use cm_dsl::sampler::is_for;
use smallvec::SmallVec;

use crate::argument::Arg;
use crate::device::{Device, Kind};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::parts::INLINE;
use crate::recording::{Recording, recording};
use crate::scope::{Enqueued, Scope};
use crate::surface::Surface2D;
use crate::thread_groups::{LaunchSpace, Threads};
use crate::{cpu, level_zero, linear_surface};

/// Runs kernel `K`. Users call `k::launch(..)`, which `#[kernel]` declares with the kernel's own parameters.
///
/// # Errors
/// If the kernel breaks a rule that is checked when it is recorded, or an argument does not fit the kernel.
pub fn launch<K: Kernel>(device: &Device, space: impl LaunchSpace, args: &mut [Arg<'_>]) -> Result<Event> {
    launched(device, &Entry::of::<K>(), space.threads(), args)
}

/// The entry point of a kernel.
struct Entry {
    recording: fn() -> Result<&'static Recording>,
    code: cpu::Code,
}

impl Entry {
    /// The entry point of kernel `K`.
    fn of<K: Kernel>() -> Self {
        Self { recording: recording::<K>, code: cpu::Code::of::<K>() }
    }
}

/// [`launch`], compiled once for all kernels.
fn launched(device: &Device, entry: &Entry, threads: Threads<'_>, args: &mut [Arg<'_>]) -> Result<Event> {
    let recording = checked((entry.recording)()?, args, threads)?;
    let (event, printed) = match device.kind() {
        Kind::Cpu(workers) => cpu::run(
            workers,
            recording,
            entry.code,
            threads,
            &mut on_cpu(recording, args)?,
            (device.checks_races(), device.engine()),
        )?,
        Kind::LevelZero(gpu) => {
            let args = on_gpu(recording, args)?;
            let (time, printed) = level_zero::run(gpu, device.register_file(), recording, threads, &args)?;
            (Event::new(time, 0), printed)
        }
    };
    device.printer().deliver(recording.name(), printed);
    Ok(event)
}

/// Runs kernel `K` some time before the scope ends. Users call `k::enqueue(..)`.
///
/// # Errors
/// The errors of [`launch`].
pub fn enqueue<K: Kernel>(
    scope: &Scope<'_>,
    space: impl LaunchSpace,
    args: &mut [Arg<'_>],
) -> Result<Enqueued> {
    enqueued(scope, &Entry::of::<K>(), space.threads(), args)
}

/// [`enqueue`], compiled once for all kernels.
fn enqueued(
    scope: &Scope<'_>,
    entry: &Entry,
    threads: Threads<'_>,
    args: &mut [Arg<'_>],
) -> Result<Enqueued> {
    match scope.device().kind() {
        // The CPU has no queue: the kernel has run when this returns.
        Kind::Cpu(_) => launched(scope.device(), entry, threads, args).map(Enqueued::done),
        Kind::LevelZero(gpu) => {
            let recording = checked((entry.recording)()?, args, threads)?;
            let args = on_gpu(recording, args)?;
            let registers = scope.device().register_file();
            let (timing, printed) =
                level_zero::enqueue(gpu, registers, recording, threads, &args, scope.batches())?;
            scope.device().printer().deliver(recording.name(), printed);
            Ok(Enqueued::on_device(timing))
        }
    }
}

/// The arguments as the CPU takes them.
fn on_cpu<'a>(
    recording: &Recording,
    args: &'a mut [Arg<'_>],
) -> Result<SmallVec<[cpu::Argument<'a>; INLINE]>> {
    let function = recording.function();
    let views = |of: usize| function.views().map(|(_, view)| view).filter(move |view| view.of == of);
    translated(recording, args.iter_mut().enumerate().map(|(of, arg)| arg.on_cpu(views(of))))
}

/// The arguments as a GPU takes them, followed by the views of surfaces that the kernel uses.
fn on_gpu<'a>(
    recording: &Recording,
    args: &'a [Arg<'_>],
) -> Result<SmallVec<[level_zero::Argument<'a>; INLINE]>> {
    let mut all = translated(recording, args.iter().map(Arg::on_gpu))?;
    let function = recording.function();
    for (param, view) in function.views() {
        let found = args[view.of].view_on_gpu(view, function.params[param].kind.is_writable());
        all.push(found.ok_or(Error::OtherDevice {
            kernel: recording.name(),
            argument: recording.declared()[view.of].name,
        })?);
    }
    Ok(all)
}

/// The arguments as the device takes them.
fn translated<T>(
    recording: &Recording,
    args: impl Iterator<Item = Option<T>>,
) -> Result<SmallVec<[T; INLINE]>> {
    args.zip(recording.declared())
        .map(|(arg, param)| arg.ok_or(Error::OtherDevice { kernel: recording.name(), argument: param.name }))
        .collect()
}

/// The recording of a kernel whose arguments fit it.
fn checked(
    recording: &'static Recording,
    args: &[Arg<'_>],
    threads: Threads<'_>,
) -> Result<&'static Recording> {
    check_kinds(recording, args)?;
    check_views(recording, args)?;
    for access in recording.summary().accesses() {
        check_access(recording, args, access)?;
    }
    for sampled in recording.samples() {
        check_sampler(recording, args, sampled)?;
    }
    check_blocks_2d(recording, args, threads)?;
    Ok(recording)
}

/// Checks the number and the kinds of the arguments.
fn check_kinds(recording: &Recording, args: &[Arg<'_>]) -> Result<()> {
    let (kernel, declared) = (recording.name(), recording.declared());
    // The launches that `#[kernel]` declares fit; arguments and kernels can also be written by hand.
    let params = recording.function().passed();
    if args.len() != declared.len() {
        return Err(Error::ArgumentCount { kernel, expected: declared.len(), found: args.len() });
    }
    for ((arg, param), of) in args.iter().zip(params).zip(declared) {
        if !arg.fits(param.kind) {
            return Err(Error::ArgumentKind {
                kernel,
                argument: of.name,
                expected: param.kind,
                found: arg.describe(),
            });
        }
    }
    Ok(())
}

/// Checks that surfaces have the planes and fields that the kernel accesses.
fn check_views(recording: &Recording, args: &[Arg<'_>]) -> Result<()> {
    let kernel = recording.name();
    for (_, View { of, plane, field }) in recording.function().views() {
        let Some(surface) = args[of].surface() else { continue };
        let argument = recording.declared()[of].name;
        let Some(shown) = surface.plane(plane) else {
            return Err(Error::NoPlane { kernel, argument, format: surface.format(), plane });
        };
        if field.is_some_and(|field| field.rows(shown.height()) == 0) {
            return Err(Error::NoField { kernel, argument, plane });
        }
    }
    Ok(())
}

/// Checks that the format and the rows of a surface suit an access.
fn check_access(recording: &Recording, args: &[Arg<'_>], access: &SurfaceUse) -> Result<()> {
    let View { of, plane, .. } = recording.function().shown(access.argument);
    let whole = args[of].surface();
    let Some((whole, surface)) = whole.and_then(|whole| Some((whole, whole.plane(plane)?))) else {
        return Ok(());
    };
    let alignment = surface.format().alignment();
    if access.block_column().is_some_and(|x| !x.starts_at_multiple_of(alignment as i64)) {
        return Err(Error::ArgumentFormat {
            kernel: recording.name(),
            argument: recording.declared()[of].name,
            format: whole.format(),
            alignment,
            file: access.location.file.clone().into_owned(),
            line: access.location.line,
        });
    }
    linear_surface::check(recording, surface, access)?;
    match access.moved {
        Moved::Texels(texels) => check_texels(recording, surface, access, texels),
        _ => Ok(()),
    }
}

/// Checks that the texels of a typed access are the same on all devices.
fn check_texels(
    recording: &Recording,
    surface: &Surface2D,
    access: &SurfaceUse,
    TexelAccess { elem, atomic, .. }: TexelAccess,
) -> Result<()> {
    let (kernel, argument) = (recording.name(), recording.declared()[access.argument].name);
    let (file, line) = (access.location.file.clone().into_owned(), access.location.line);
    let (format, row) = (surface.format(), surface.width() * surface.format().texel_bytes());
    if !format.is_typed() {
        return Err(Error::TypedFormat { kernel, argument, format, file, line });
    }
    if atomic && !format.texel().is_atomic() {
        return Err(Error::TypedAtomic { kernel, argument, format, file, line });
    }
    if !format.texel().takes(elem) {
        return Err(Error::TypedElement { kernel, argument, format, elem, file, line });
    }
    // Images have padding behind other rows, which would be inside. Those of 3-D surfaces have none.
    if surface.slices().is_none() && !row.is_multiple_of(DWORD) {
        return Err(Error::TypedRows { kernel, argument, row, file, line });
    }
    Ok(())
}

/// Checks that a sampler was made for surfaces like the one that it samples.
fn check_sampler(recording: &Recording, args: &[Arg<'_>], sampled: &Sampled) -> Result<()> {
    let Sampled { surface, sampler, location } = sampled;
    let found = args.get(*surface).and_then(Arg::surface);
    let (Some(found), Some(Arg::Uniform(values))) = (found, args.get(*sampler)) else { return Ok(()) };
    let dimensions = if found.slices().is_some() { 3 } else { 2 };
    if is_for(values.bytes(), dimensions, found.format().texel()) {
        return Ok(());
    }
    Err(Error::OtherSampler {
        kernel: recording.name(),
        argument: recording.declared()[*surface].name,
        sampler: recording.declared()[*sampler].name,
        format: found.format(),
        dimensions,
        file: location.file.clone().into_owned(),
        line: location.line,
    })
}

/// Checks the rows of 2-D blocks, which may depend on arguments.
fn check_blocks_2d(recording: &'static Recording, args: &[Arg<'_>], threads: Threads<'_>) -> Result<()> {
    if recording.summary().blocks_2d().is_empty() {
        return Ok(());
    }
    let uniform = |n: usize| match args.get(n) {
        Some(Arg::Uniform(uniform)) => Some(uniform.bytes()),
        _ => None,
    };
    let (_, summary) = recording.within(threads, uniform);
    for block in summary.blocks_2d() {
        let Some(buffer) = args.get(block.argument).and_then(Arg::buffer) else { continue };
        block.check(buffer.byte_len()).map_err(|violation| Error::Block2d {
            kernel: recording.name(),
            argument: recording.declared()[block.argument].name,
            file: block.location.file.clone().into_owned(),
            line: block.location.line,
            violation: Box::new(violation),
        })?;
    }
    Ok(())
}
