//! Launches on a GPU.

use std::any::TypeId;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use cm_compiler::access::Outline;
use cm_dsl::kernel::Kernel;
use cm_dsl::trace::record;
use level_zero_sys as ze;

use super::api::call;
use super::image::Image;
use super::memory::Memory;
use super::module::Kernel as Compiled;
use super::stream::{Kept, Stream};
use super::{Gpu, LevelZeroError};
use crate::buffer::BufferBytes;
use crate::launch::parts;
use crate::{Arg, Error, Result, Surface2D, ThreadSpace};

/// Bytes that a surface or buffer takes among the arguments.
const HANDLE: usize = size_of::<u64>();

/// Records a launch of kernel `K`.
pub(crate) fn enqueue<K: Kernel>(
    gpu: &Gpu,
    space: ThreadSpace,
    args: &[Arg<'_>],
    outline: &Outline,
) -> Result<()> {
    gpu.with(|| Launch::new::<K>(gpu, space, args, outline)?.record(&mut gpu.stream(), gpu))
}

/// Runs kernel `K`, and tells how long it ran.
pub(crate) fn run<K: Kernel>(
    gpu: &Gpu,
    space: ThreadSpace,
    args: &[Arg<'_>],
    outline: &Outline,
) -> Result<Duration> {
    gpu.with(|| Launch::new::<K>(gpu, space, args, outline)?.time(&mut gpu.stream(), gpu))
}

/// A kernel with its arguments.
struct Launch {
    kernel: Compiled,
    groups: ze::ze_group_count_t,
    /// The surfaces, and whether the kernel writes them.
    images: Vec<(Arc<Image>, bool)>,
    /// The buffers, likewise.
    buffers: Vec<(Arc<Memory>, bool)>,
}

impl Launch {
    fn new<K: Kernel>(gpu: &Gpu, space: ThreadSpace, args: &[Arg<'_>], outline: &Outline) -> Result<Self> {
        check_limits::<K>(gpu, args)?;
        if parts(outline, space, args).is_none() {
            tracing::warn!(
                kernel = K::NAME,
                "kernel threads may touch the same bytes; the GPU runs them in any order"
            );
        }
        let mut kernel = gpu.kernel(TypeId::of::<K>(), || Ok(record::<K>()?))?;
        let (mut images, mut buffers) = (Vec::new(), Vec::new());
        for (index, arg) in args.iter().enumerate() {
            let other_device = || Error::OtherDevice { kernel: K::NAME, argument: K::PARAMS[index].name };
            let image = |surface: &Surface2D| {
                check_edge::<K>(surface, index, space, outline)?;
                surface.image().and_then(|image| image.on(gpu)).cloned().ok_or_else(other_device)
            };
            let memory = |buffer: &BufferBytes| {
                buffer.device().and_then(|memory| memory.on(gpu)).cloned().ok_or_else(other_device)
            };
            match arg {
                Arg::Read(surface) => images.push((index, image(surface)?, false)),
                Arg::Write(surface) => images.push((index, image(surface)?, true)),
                Arg::ReadBuffer(buffer) => buffers.push((index, memory(buffer)?, false)),
                Arg::WriteBuffer(buffer) => buffers.push((index, memory(buffer)?, true)),
                Arg::Uniform(uniform) => kernel.set(index, uniform.bytes())?,
            }
        }
        for (index, image, _) in &images {
            kernel.set(*index, &(image.handle() as usize as u64).to_ne_bytes())?;
        }
        for (index, memory, _) in &buffers {
            kernel.set(*index, &memory.address().to_ne_bytes())?;
        }
        let groups = groups(space.width(), space.height());
        let images = images.into_iter().map(|(_, image, writes)| (image, writes)).collect();
        let buffers = buffers.into_iter().map(|(_, memory, writes)| (memory, writes)).collect();
        Ok(Self { kernel, groups, images, buffers })
    }

    fn record(self, stream: &mut Stream, gpu: &Gpu) -> Result<()> {
        self.mend(stream, gpu)?;
        let (handle, groups, kept) = (self.kernel.handle(), self.groups, self.kept());
        // SAFETY: the kernel has all its arguments, which `kept` keeps with the module; the list is open.
        unsafe {
            stream.append(kept, |api, list| {
                call!(
                    api,
                    zeCommandListAppendLaunchKernel(
                        list,
                        handle,
                        &groups,
                        ptr::null_mut(),
                        0,
                        ptr::null_mut()
                    )
                )
            })
        }?;
        self.written();
        Ok(())
    }

    fn time(self, stream: &mut Stream, gpu: &Gpu) -> Result<Duration> {
        self.mend(stream, gpu)?;
        let (handle, groups, kept) = (self.kernel.handle(), self.groups, self.kept());
        self.written();
        // SAFETY: as in `record`; the launch signals the event.
        let time = unsafe {
            stream.time(kept, |api, list, event| {
                call!(api, zeCommandListAppendLaunchKernel(list, handle, &groups, event, 0, ptr::null_mut()))
            })
        }?;
        Ok(time)
    }

    /// Makes anew what lies beyond the edges of surfaces and the ends of buffers that were written.
    fn mend(&self, stream: &mut Stream, gpu: &Gpu) -> Result<()> {
        for (memory, _) in self.buffers.iter().filter(|(memory, _)| memory.is_stale()) {
            memory.clear(stream, true)?;
        }
        for (image, _) in self.images.iter().filter(|(image, _)| image.is_stale()) {
            let edge = image.edge();
            let mut kernel = gpu.padding(edge)?;
            kernel.set(0, &(image.handle() as usize as u64).to_ne_bytes())?;
            let x = i32::try_from(edge.x).unwrap_or(i32::MAX);
            kernel.set(1, &x.to_ne_bytes())?;
            let groups = groups(1, edge.threads());
            let kept: [Kept; 2] = [Arc::clone(image) as Kept, kernel.module()];
            // SAFETY: as in `record`.
            unsafe {
                stream.append(kept, |api, list| {
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
            image.set_mended();
        }
        Ok(())
    }

    fn written(&self) {
        self.images.iter().filter(|(_, writes)| *writes).for_each(|(image, _)| image.set_stale());
        self.buffers.iter().filter(|(_, writes)| *writes).for_each(|(memory, _)| memory.set_stale());
    }

    fn kept(&self) -> Vec<Kept> {
        let images = self.images.iter().map(|(image, _)| Arc::clone(image) as Kept);
        let buffers = self.buffers.iter().map(|(memory, _)| Arc::clone(memory) as Kept);
        images.chain(buffers).chain([self.kernel.module() as Kept]).collect()
    }
}

fn groups(width: usize, height: usize) -> ze::ze_group_count_t {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    ze::ze_group_count_t { groupCountX: number(width), groupCountY: number(height), groupCountZ: 1 }
}

/// Refuses reads beyond the edge of packed YUV.
fn check_edge<K: Kernel>(
    surface: &Surface2D,
    index: usize,
    space: ThreadSpace,
    outline: &Outline,
) -> Result<()> {
    let Some(access) = outline.read_outside(index, surface.extent(space)) else { return Ok(()) };
    if !surface.format().is_packed_yuv() {
        return Ok(());
    }
    Err(LevelZeroError::PackedYuvEdge {
        kernel: K::NAME,
        argument: K::PARAMS[index].name,
        format: surface.format(),
        file: access.location.file.clone().into_owned(),
        line: access.location.line,
    }
    .into())
}

/// Refuses more arguments than the device takes.
fn check_limits<K: Kernel>(gpu: &Gpu, args: &[Arg<'_>]) -> Result<()> {
    let properties = &gpu.context.properties;
    let written = args.iter().filter(|arg| matches!(arg, Arg::Write(_))).count();
    let surfaces = args.iter().filter(|arg| matches!(arg, Arg::Read(_) | Arg::Write(_))).count();
    let bytes = args.iter().map(|arg| match arg {
        Arg::Uniform(uniform) => uniform.bytes().len(),
        _ => HANDLE,
    });
    let [read_limit, write_limit] = properties.image_arguments;
    for (what, count, limit) in [
        ("surfaces", surfaces, read_limit),
        ("writable surfaces", written, write_limit),
        ("bytes of arguments", bytes.sum(), properties.argument_bytes),
    ] {
        if count > limit {
            let device = properties.name.clone();
            return Err(LevelZeroError::Arguments { kernel: K::NAME, what, count, limit, device }.into());
        }
    }
    Ok(())
}
