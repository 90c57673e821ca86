//! Launches on a GPU: the arguments of the kernel, and its command.
//!
//! The padding of images and buffers that were written since the last launch is rewritten first. A thread space with
//! dependencies is one command for each line of threads that may run at the same time. The lines of a wave may overlap;
//! the stream has a barrier between waves, since they use the same arguments.

use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use cm_compiler::ir::{Grid, Line, Waves};
use cm_compiler::spirv::{
    Dispatch, LINE_DWORDS, LinearShape, Options, PRINTF_BYTES, RegisterFile, Target, line_argument, pointers,
    pointers_with_linear_surfaces, printed_lines, printf_filled_bytes,
};
use level_zero_sys as ze;
use smallvec::SmallVec;

use super::api::call;
use super::argument::Argument;
use super::gpu::{DeviceTiming, Gpu};
use super::image::Image;
use super::memory::Memory;
use super::module::Kernel;
use super::outcome::Batches;
use super::stream::{Stream, Timing, Used};
use super::values::{HANDLE, NUMBER, Values};
use crate::error::{LevelZeroError, Result};
use crate::printf::Printed;
use crate::recording::Recording;
use crate::thread_groups::Threads;

/// Records a launch of a kernel, and adds its batch to `batches`. If the kernel prints, waits and returns the output.
pub(crate) fn enqueue(
    gpu: &Arc<Gpu>,
    registers: RegisterFile,
    recording: &'static Recording,
    threads: Threads<'_>,
    args: &[Argument<'_>],
    batches: &Batches,
) -> Result<(DeviceTiming, Printed)> {
    gpu.with(|| {
        let launch = Launch::new(gpu, registers, recording, threads, args)?;
        let (timing, printed) = launch.record(&mut gpu.stream(), gpu)?;
        batches.note(timing.outcome());
        Ok((DeviceTiming::new(timing, gpu), printed))
    })
}

/// Runs a kernel; returns its run time and its output.
pub(crate) fn run(
    gpu: &Arc<Gpu>,
    registers: RegisterFile,
    recording: &'static Recording,
    threads: Threads<'_>,
    args: &[Argument<'_>],
) -> Result<(Duration, Printed)> {
    gpu.with(|| {
        let launch = Launch::new(gpu, registers, recording, threads, args)?;
        let mut stream = gpu.stream();
        let (timing, printed) = launch.record(&mut stream, gpu)?;
        Ok((stream.elapsed(&timing)?, printed))
    })
}

/// A kernel with its arguments.
struct Launch {
    kernel: Kernel,
    /// The commands, one after the other.
    passes: Vec<Pass>,
    /// The surfaces, and whether the kernel writes them.
    images: Vec<(Arc<Image>, bool)>,
    /// The buffers, likewise.
    buffers: Vec<(Arc<Memory>, bool)>,
    /// The output buffer, if the kernel prints.
    output: Option<Arc<Memory>>,
    recording: &'static Recording,
}

/// The largest number of planes that a launch has as commands of their own.
const PLANES: usize = 1 << 16;

/// A command of a launch.
struct Pass {
    groups: ze::ze_group_count_t,
    /// The argument that selects the line of threads, with its index.
    line: Option<(usize, [u32; LINE_DWORDS])>,
    /// Whether it may overlap with the command before it: both are lines of a wave.
    joins: bool,
}

impl Pass {
    /// Appends the command to a list. The command signals the event, if that is not null.
    ///
    /// # Safety
    /// The kernel has all its other arguments, which live until the command has completed; the list is open, and the
    /// event belongs to its context.
    unsafe fn append(
        &self,
        kernel: &mut Kernel,
        api: &ze::Api,
        list: ze::ze_command_list_handle_t,
        event: ze::ze_event_handle_t,
    ) -> std::result::Result<(), LevelZeroError> {
        if let Some((number, line)) = self.line {
            let bytes: SmallVec<[u8; size_of::<[u32; LINE_DWORDS]>()]> =
                line.iter().flat_map(|dword| dword.to_ne_bytes()).collect();
            kernel.set(number, &bytes)?;
        }
        let (handle, groups) = (kernel.handle(), &self.groups);
        // SAFETY: guaranteed by the caller. The list copies the arguments.
        unsafe {
            call!(api, zeCommandListAppendLaunchKernel(list, handle, groups, event, 0, ptr::null_mut()))
        }
    }
}

/// The passes of threads that wait for each other: one for each line of each wave. `number` is that of the argument with the
/// line.
fn passes_of_waves(waves: &Waves, space: [u32; 2], number: usize) -> Vec<Pass> {
    let lines = (0..waves.count()).flat_map(|wave| waves.lines(wave).enumerate());
    let pass = |(n, line): (usize, Line)| Pass {
        groups: groups([line.count, 1, 1]),
        line: Some((number, line_argument(line, space))),
        joins: n > 0,
    };
    lines.map(pass).collect()
}

impl Launch {
    fn new(
        gpu: &Gpu,
        registers: RegisterFile,
        recording: &'static Recording,
        threads: Threads<'_>,
        args: &[Argument<'_>],
    ) -> Result<Self> {
        let uniform = |n: usize| match args.get(n) {
            Some(Argument::Uniform(bytes)) => Some(*bytes),
            _ => None,
        };
        let (grid, summary) = recording.within(threads, uniform);
        let [x, y, z] = grid.groups;
        // A kernel that does not use groups takes planes of threads one by one.
        let (planes, times) = if recording.uses_groups() { (z, 1) } else { (1, z) };
        let plane = Grid { groups: [x, y, planes], ..grid };
        let dispatch = recording.dispatch(threads, plane, gpu.context.properties.target);
        // The hardware knows the ends of buffers, but not those of slices that end before, and not which bytes are whole
        // elements.
        let ended = ended(recording, args);
        check_limits(gpu, recording, dispatch, args, ended)?;
        check_groups(gpu, recording, plane, times)?;
        let launched = dispatch.grid(plane);
        let linear = is_linear(args);
        if linear && args.iter().any(|arg| matches!(arg, Argument::Image { .. })) {
            return Err(LevelZeroError::MixedSurfaces { kernel: recording.name() }.into());
        }
        let values = Values::of(gpu, recording, args, (grid, &summary))?;
        let proven = recording.proven((grid, &summary), threads, values.shared.iter().copied());
        // Threads that wait for each other have an order.
        let ordered = recording.has_teams(threads) || proven.threads_are_apart;
        if proven.parts.is_err() || !ordered {
            tracing::warn!(
                kernel = recording.name(),
                "kernel threads may touch the same bytes; the GPU runs them in any order"
            );
        }
        let options = Options { registers, dispatch, linear, ends: ended, ..Options::default() };
        let mut kernel = gpu.kernel(recording, options)?;
        let mut number = values.set(&mut kernel, ended)?;
        let output = match recording.prints() {
            true => Some(Arc::new(Memory::new(Arc::clone(&gpu.context), PRINTF_BYTES)?)),
            false => None,
        };
        let waves = proven.waves(threads);
        let passes = match waves {
            None => {
                let pass = |_| Pass { groups: groups(launched.groups), line: None, joins: false };
                (0..times).map(pass).collect()
            }
            Some(waves) => passes_of_waves(waves, [x, y], number),
        };
        number += usize::from(waves.is_some());
        if let Some(output) = &output {
            kernel.set(number, &output.address().to_ne_bytes())?;
            number += 1;
        }
        let pointers = pointers_of(recording, gpu.context.properties.target, linear);
        values.set_pointers(&mut kernel, number, &pointers)?;
        kernel.set_group_size(launched.local)?;
        let Values { images, buffers, .. } = values;
        for (image, _) in images.iter().filter(|(image, _)| image.is_stale()) {
            gpu.padding(image.padding())?;
        }
        Ok(Self { kernel, passes, images, buffers, output, recording })
    }

    /// Its output, after the device has completed the launch.
    fn printed(output: Option<Arc<Memory>>, recording: &Recording, stream: &mut Stream) -> Result<Printed> {
        let Some(output) = output else { return Ok(Printed::default()) };
        let dwords = |bytes: &[u8]| -> Vec<u32> {
            bytes.as_chunks().0.iter().map(|dword| u32::from_ne_bytes(*dword)).collect()
        };
        // The buffer is large, and most launches print little.
        let first = output.with_bytes(stream, 0..4, dwords)?;
        let filled = printf_filled_bytes(first.first().copied().unwrap_or(0));
        let dwords = output.with_bytes(stream, 0..filled, dwords)?;
        let (lines, dropped) = printed_lines(recording.function(), &dwords);
        Ok(Printed { lines, dropped })
    }

    fn record(mut self, stream: &mut Stream, gpu: &Gpu) -> Result<(Timing, Printed)> {
        self.mend(stream, gpu)?;
        // Before the launch: if recording fails half-way, the kernel may still write.
        self.written();
        let (used, passes) = (self.used(), &self.passes);
        let joins: Vec<bool> = passes.iter().map(|pass| pass.joins).collect();
        // SAFETY: the kernel has all its arguments, which are in `used` together with the module; the list is open, and
        // the launches signal the events.
        let timing = unsafe {
            stream.append_timed(&used, &joins, |n, api, list, event| {
                passes[n].append(&mut self.kernel, api, list, event)
            })
        }?;
        Ok((timing, Self::printed(self.output, self.recording, stream)?))
    }

    /// Rewrites the data beyond the edges of written surfaces and beyond the ends of written buffers, and clears the
    /// output buffer.
    fn mend(&self, stream: &mut Stream, gpu: &Gpu) -> Result<()> {
        for (memory, _) in &self.buffers {
            memory.mend(stream)?;
        }
        if let Some(output) = &self.output {
            output.clear(stream)?;
        }
        for (image, _) in self.images.iter().filter(|(image, _)| image.is_stale()) {
            let padding = image.padding();
            let mut kernel = gpu.padding(padding)?;
            kernel.set(0, &(image.handle() as usize as u64).to_ne_bytes())?;
            let x = i32::try_from(padding.x).unwrap_or(i32::MAX);
            kernel.set(1, &x.to_ne_bytes())?;
            let groups = groups([1, u32::try_from(padding.threads()).unwrap_or(u32::MAX), 1]);
            kernel.set_group_size([1; 3])?;
            let used = [Used::written(image), Used::read(kernel.module())];
            // SAFETY: as in `record`.
            let outcome = unsafe {
                stream.append(&used, |api, list| {
                    call!(
                        api,
                        zeCommandListAppendLaunchKernel(
                            list,
                            kernel.handle(),
                            &groups,
                            ptr::null_mut(),
                            0,
                            ptr::null_mut()
                        )
                    )
                })
            }?;
            image.set_mended(outcome);
        }
        Ok(())
    }

    fn written(&self) {
        self.images.iter().filter(|(_, writes)| *writes).for_each(|(image, _)| image.set_stale());
        self.buffers.iter().filter(|(_, writes)| *writes).for_each(|(memory, _)| memory.set_stale());
    }

    fn used(&self) -> Vec<Used> {
        let images = self.images.iter().map(|(image, writes)| Used::with(image, *writes));
        let buffers = self.buffers.iter().map(|(memory, writes)| Used::with(memory, *writes));
        let output = self.output.iter().map(Used::written);
        images.chain(buffers).chain(output).chain([Used::read(self.kernel.module())]).collect()
    }
}

/// Whether a buffer is a slice that ends before its memory, or ends inside of an element.
fn ended(recording: &Recording, args: &[Argument<'_>]) -> bool {
    recording.bound().zip(args).any(|(index, arg)| match arg {
        Argument::Memory { memory, .. } => {
            !memory.is_to_the_end() || !recording.has_whole_elements(index, memory.len())
        }
        Argument::Image { .. } | Argument::Linear { .. } | Argument::Uniform(_) => false,
    })
}

/// Whether surfaces are in buffers.
fn is_linear(args: &[Argument<'_>]) -> bool {
    args.iter().any(|arg| matches!(arg, Argument::Linear { .. }))
}

/// The parameters whose addresses the kernel takes as well.
fn pointers_of(recording: &Recording, target: Target, linear: bool) -> Vec<usize> {
    let of = if linear { pointers_with_linear_surfaces } else { pointers };
    of(recording.function(), target)
}

fn groups([x, y, z]: [u32; 3]) -> ze::ze_group_count_t {
    ze::ze_group_count_t { groupCountX: x, groupCountY: y, groupCountZ: z }
}

/// Refuses more groups, and more threads per group, than the device supports, and more than one command each for
/// `times` planes.
fn check_groups(gpu: &Gpu, recording: &'static Recording, grid: Grid, times: u32) -> Result<()> {
    let properties = &gpu.context.properties;
    let [groups, local] = [grid.groups, grid.local].map(|numbers| numbers.map(|n| n as usize));
    let [most_groups, most_threads] = [properties.groups, properties.group_threads];
    for (what, count, limit) in [
        ("threads in a group", grid.group_size(), properties.group_size),
        ("bytes of shared memory in a group", recording.function().shared_bytes(), properties.shared_bytes),
        ("threads in a row of a group", local[0], most_threads[0]),
        ("rows in a group", local[1], most_threads[1]),
        ("planes in a group", local[2], most_threads[2]),
        ("groups in a row", groups[0], most_groups[0]),
        ("rows of groups", groups[1], most_groups[1]),
        ("planes of groups", groups[2], most_groups[2]),
        ("planes of groups, one after the other", times as usize, PLANES),
    ] {
        if count > limit {
            let (kernel, device) = (recording.name(), properties.name.clone());
            return Err(LevelZeroError::Groups { kernel, what, count, limit, device }.into());
        }
    }
    Ok(())
}

/// Refuses more arguments than the device supports. `ended` if the kernel takes the ends of its buffers.
fn check_limits(
    gpu: &Gpu,
    recording: &'static Recording,
    dispatch: Dispatch,
    args: &[Argument<'_>],
    ended: bool,
) -> Result<()> {
    let properties = &gpu.context.properties;
    let image =
        |arg: &Argument<'_>| if let Argument::Image { writes, .. } = arg { Some(*writes) } else { None };
    let images = || args.iter().filter_map(image);
    let bytes = args.iter().map(|arg| match arg {
        Argument::Uniform(bytes) => bytes.len(),
        Argument::Image { field: Some(_), .. } => HANDLE + NUMBER,
        Argument::Linear { .. } => HANDLE + LinearShape::BYTES,
        Argument::Memory { .. } if ended => HANDLE + NUMBER,
        Argument::Image { field: None, .. } | Argument::Memory { .. } => HANDLE,
    });
    let output = if recording.prints() { HANDLE } else { 0 };
    let linear = is_linear(args);
    let pointers = pointers_of(recording, properties.target, linear).len() * HANDLE;
    let line = if dispatch == Dispatch::Line { size_of::<[u32; LINE_DWORDS]>() } else { 0 };
    let [read_limit, write_limit] = properties.image_arguments;
    for (what, count, limit) in [
        ("surfaces", images().count(), read_limit),
        ("writable surfaces", images().filter(|writes| *writes).count(), write_limit),
        ("bytes of arguments", bytes.sum::<usize>() + output + line + pointers, properties.argument_bytes),
    ] {
        if count > limit {
            let (kernel, device) = (recording.name(), properties.name.clone());
            return Err(LevelZeroError::Arguments { kernel, what, count, limit, device }.into());
        }
    }
    Ok(())
}
