//! A device in use.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use cm_compiler::spirv::{Options, RegisterFile, Target, barrier_probe, lower, lower_with};

use super::cache::Cache;
use super::compiler_process::CompilerProcess;
use super::context::Context;
use super::debug_info::{DebugInfo, build_options};
use super::image::Image;
use super::memory::Memory;
use super::module::{Kernel, Module, Source};
use super::named_barriers;
use super::outcome::Batches;
use super::padding::{self, Padding};
use super::properties::Properties;
use super::stream::{Stream, Timing};
use super::transfer::Transfer;
use crate::error::{Error, LevelZeroError, Result};
use crate::format::Format;
use crate::recording::Recording;
use crate::rect::Rect;
use crate::rows::{Rows, RowsMut};

/// The key of a compiled kernel: the number of its recording, and the options of its module.
type KernelKey = (usize, Options);

/// A GPU with its compiled kernels and its pending commands.
pub(crate) struct Gpu {
    stream: Mutex<Stream>,
    kernels: Mutex<HashMap<KernelKey, Arc<Module>>>,
    // By the columns, because images of all sizes share these kernels.
    paddings: Mutex<HashMap<[usize; 4], Arc<Module>>>,
    /// Whether the compiler supports named barriers, after the first kernel with them.
    counts_barriers: OnceLock<bool>,
    cache: Cache,
    compiler: CompilerProcess,
    debug_info: DebugInfo,
    pub(super) context: Arc<Context>,
}

impl Gpu {
    pub(super) fn new(
        context: Arc<Context>,
        cache: Cache,
        compiler: CompilerProcess,
        debug_info: DebugInfo,
    ) -> std::result::Result<Self, LevelZeroError> {
        Ok(Self {
            stream: Mutex::new(Stream::new(Arc::clone(&context))?),
            kernels: Mutex::default(),
            paddings: Mutex::default(),
            counts_barriers: OnceLock::new(),
            cache,
            compiler,
            debug_info,
            context,
        })
    }

    /// What the program sees: its name, driver and code, why it was chosen, and whether new surfaces are in buffers.
    pub(crate) fn name(&self, reason: &str, linear: bool) -> Arc<str> {
        let properties @ Properties { name, target, .. } = &self.context.properties;
        let because = if reason.is_empty() { String::new() } else { format!("; {reason}") };
        let surfaces = if linear { ", surfaces in buffers" } else { "" };
        format!("{name} (Level Zero {}, {target} code{because}{surfaces})", properties.version()).into()
    }

    /// The generation of its modules.
    pub(crate) fn target(&self) -> Target {
        self.context.properties.target
    }

    /// Whether its surfaces are images, with media blocks. By the generation, and by what the driver says.
    pub(crate) fn has_media_blocks(&self) -> bool {
        let Properties { image_texels, target, .. } = &self.context.properties;
        *image_texels > 0 && target.has_media_blocks()
    }

    pub(super) fn stream(&self) -> MutexGuard<'_, Stream> {
        // A panic elsewhere does not damage the stream.
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Submits the recorded commands to the device, without waiting.
    pub(crate) fn submit(&self) -> Result<()> {
        Ok(self.stream().submit()?)
    }

    /// Waits until all recorded commands have completed.
    pub(crate) fn finish(&self) -> Result<()> {
        Ok(self.stream().finish()?)
    }

    /// Calls `act` unless the device is lost; if any call reports a lost device, remembers it.
    pub(super) fn with<T>(&self, act: impl FnOnce() -> Result<T>) -> Result<T> {
        self.stream().alive()?;
        let result = act();
        if let Err(Error::LevelZero(LevelZeroError::DeviceLost { call })) = &result {
            self.stream().set_lost(call);
        }
        result
    }

    /// A kernel, compiled if necessary.
    pub(super) fn kernel(&self, recording: &'static Recording, options: Options) -> Result<Kernel> {
        let options = Options { debug_info: self.debug_info.is_wanted(), ..options };
        let module = || {
            let target = self.context.properties.target;
            if recording.function().named_barriers > 0 && target.has_named_barriers() {
                self.check_named_barriers(recording.name())?;
            }
            if options.debug_info {
                let words = lower_with(recording.function(), target, options)?;
                return self.compile(recording.name(), &words, options.registers);
            }
            self.compile(recording.name(), recording.module_for(target, options)?, options.registers)
        };
        Ok(once(&self.kernels, (recording.id(), options), module)?.kernel()?)
    }

    /// Checks that the driver's compiler supports named barriers.
    fn check_named_barriers(&self, kernel: &'static str) -> Result<()> {
        let counts = match self.counts_barriers.get() {
            Some(known) => *known,
            None => {
                let function = barrier_probe();
                let words = lower(&function, self.context.properties.target)?;
                let module = self.compile(&function.name, &words, RegisterFile::Standard)?;
                let counts = named_barriers::is_counted(&module.binary()?);
                *self.counts_barriers.get_or_init(|| counts)
            }
        };
        if counts {
            return Ok(());
        }
        let Properties { name, .. } = &self.context.properties;
        Err(LevelZeroError::NoNamedBarriers { kernel, device: name.clone() }.into())
    }

    /// The kernel that writes the padding of an image. It is compiled when the first launch that needs it is prepared, before
    /// that launch has the stream to itself.
    pub(super) fn padding(&self, padding: Padding) -> Result<Kernel> {
        let module = || {
            let function = padding::kernel(padding.columns);
            let words = lower(&function, self.context.properties.target)?;
            self.compile(&function.name, &words, RegisterFile::Standard)
        };
        Ok(once(&self.paddings, padding.columns, module)?.kernel()?)
    }

    fn compile(&self, name: &str, words: &[u32], registers: RegisterFile) -> Result<Module> {
        let options = build_options(registers, self.debug_info.is_wanted());
        let source = Source { name, words, options: &options };
        Ok(Module::new(Arc::clone(&self.context), source, &self.cache, &self.compiler, &self.debug_info)?)
    }
}

/// The value of a key in the map, created if it is missing. Not created under the lock, because compiling takes long.
fn once<K: std::hash::Hash + Eq>(
    map: &Mutex<HashMap<K, Arc<Module>>>,
    key: K,
    make: impl FnOnce() -> Result<Module>,
) -> Result<Arc<Module>> {
    let locked = || map.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = locked().get(&key) {
        return Ok(Arc::clone(known));
    }
    // Created without the lock; if two are created at once, the first one stays.
    let made = Arc::new(make()?);
    Ok(Arc::clone(locked().entry(key).or_insert(made)))
}

/// The memory of a surface on a device.
pub(crate) struct DeviceImage {
    image: Arc<Image>,
    gpu: Arc<Gpu>,
}

impl DeviceImage {
    /// Creates an image with the bytes of these rows, or with zeros: of a 3-D surface with so many slices, the rows of
    /// all slices.
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        format: Format,
        [width, height]: [usize; 2],
        slices: Option<usize>,
        rows: Option<Rows<'_>>,
    ) -> Result<Self> {
        let image = gpu.with(|| {
            let image = Arc::new(Image::new(Arc::clone(&gpu.context), format, [width, height], slices)?);
            let mut stream = gpu.stream();
            image.write(&mut stream, Rect { x: 0, y: 0, width, height }, rows)?;
            stream.finish()?;
            Ok(image)
        })?;
        Ok(Self { image, gpu: Arc::clone(gpu) })
    }

    /// Writes the bytes of these rows to a part of the image. Waits for the copy, or adds its batch to `batches`.
    pub(crate) fn write(&mut self, part: Rect, rows: Rows<'_>, batches: Option<&Batches>) -> Result<()> {
        self.gpu.with(|| {
            let mut stream = self.gpu.stream();
            let outcome = self.image.write(&mut stream, part, Some(rows))?;
            match batches {
                None => stream.finish()?,
                Some(batches) => batches.note(outcome),
            }
            Ok(())
        })
    }

    /// The bytes of a part of the image, rows without padding.
    pub(crate) fn read(&self, part: Rect) -> Result<DeviceBytes> {
        DeviceBytes::new(&self.gpu, |stream| self.image.read(stream, part))
    }

    /// Whether it is on this device.
    pub(crate) fn is_on(&self, gpu: &Gpu) -> bool {
        self.on(gpu).is_some()
    }

    /// The image, if it is on this device.
    pub(super) fn on(&self, gpu: &Gpu) -> Option<&Arc<Image>> {
        self.image.is_of(&gpu.context).then_some(&self.image)
    }
}

/// The memory of a buffer on a device. A clone is the same memory.
#[derive(Clone)]
pub(crate) struct DeviceMemory {
    memory: Arc<Memory>,
    /// The bytes that belong to the buffer.
    bytes: Range<usize>,
    gpu: Arc<Gpu>,
}

impl DeviceMemory {
    /// Creates a buffer of `len` bytes: the bytes of rows with another pitch, or zeros. As many bytes as `behind` follow it
    /// in memory, which kernels may read.
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        (len, behind): (usize, usize),
        rows: Option<Rows<'_>>,
        pitch: usize,
    ) -> Result<Self> {
        let memory = gpu.with(|| {
            let memory = Arc::new(Memory::new(Arc::clone(&gpu.context), len + behind)?);
            let mut stream = gpu.stream();
            match rows {
                Some(rows) => drop(memory.write(&mut stream, 0..len, rows, pitch, true)?),
                None if memory.is_on_host() => {}
                None => memory.clear(&mut stream)?,
            }
            Ok(memory)
        })?;
        Ok(Self { memory, bytes: 0..len, gpu: Arc::clone(gpu) })
    }

    /// Limits the buffer to these bytes of the memory. They start at a multiple of 64 and are inside.
    pub(crate) fn set_bytes(&mut self, bytes: Range<usize>) {
        self.bytes = bytes;
    }

    /// The number of bytes of the memory.
    pub(crate) fn memory_len(&self) -> usize {
        self.memory.len()
    }

    /// The number of bytes of the buffer.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether the buffer ends where its memory does.
    pub(super) fn is_to_the_end(&self) -> bool {
        self.bytes.end == self.memory.len()
    }

    /// Overwrites the whole buffer with the bytes of these rows with another pitch. Waits for the copy, or adds its batch
    /// to `batches`.
    pub(crate) fn write(&mut self, rows: Rows<'_>, pitch: usize, batches: Option<&Batches>) -> Result<()> {
        self.gpu.with(|| {
            let (stream, bytes) = (&mut self.gpu.stream(), self.bytes.clone());
            let outcome = self.memory.write(stream, bytes, rows, pitch, batches.is_none())?;
            if let Some(batches) = batches {
                batches.note(outcome);
            }
            Ok(())
        })
    }

    /// Waits for its bytes, and copies a part of them: rows with a pitch from byte `start` on.
    pub(crate) fn copy_to(&self, start: usize, pitch: usize, to: RowsMut<'_>) -> Result<()> {
        if !self.memory.is_on_host() {
            // Others may use the stream in the meantime.
            return self.read()?.copy_to(start, pitch, to);
        }
        self.gpu.with(|| {
            let copy = |bytes: &[u8]| to.copy_from(&bytes[start..], pitch);
            Ok(self.memory.with_bytes(&mut self.gpu.stream(), self.bytes.clone(), copy)?)
        })
    }

    /// Its bytes at this time.
    pub(crate) fn read(&self) -> Result<DeviceBytes> {
        DeviceBytes::new(&self.gpu, |stream| self.memory.read(stream, self.bytes.clone()))
    }

    /// Whether it is on this device.
    pub(crate) fn is_on(&self, gpu: &Gpu) -> bool {
        self.on(gpu).is_some()
    }

    /// The memory, if it is on this device.
    pub(super) fn on(&self, gpu: &Gpu) -> Option<&Arc<Memory>> {
        self.memory.is_of(&gpu.context).then_some(&self.memory)
    }

    /// The address that a kernel gets.
    pub(super) fn address(&self) -> u64 {
        self.memory.address() + self.bytes.start as u64
    }
}

/// A pending copy of bytes from a device.
pub(crate) struct DeviceBytes {
    /// The transfer; `None` only during the drop.
    transfer: Option<Transfer>,
    gpu: Arc<Gpu>,
}

impl DeviceBytes {
    /// Records a copy. It is submitted with all earlier commands when somebody waits or the batch is full.
    fn new(
        gpu: &Arc<Gpu>,
        read: impl FnOnce(&mut Stream) -> std::result::Result<Transfer, LevelZeroError>,
    ) -> Result<Self> {
        let transfer = gpu.with(|| Ok(read(&mut gpu.stream())?))?;
        Ok(Self { transfer: Some(transfer), gpu: Arc::clone(gpu) })
    }

    /// Waits for the bytes, and copies a part of them: rows with a pitch from byte `start` on.
    pub(crate) fn copy_to(&self, start: usize, pitch: usize, to: RowsMut<'_>) -> Result<()> {
        let Some(transfer) = &self.transfer else { unreachable!("it is not dropped yet") };
        // The copied bytes are valid, even if the device is lost by now.
        let bytes = transfer.wait(&mut self.gpu.stream())?;
        to.copy_from(&bytes[start..], pitch);
        Ok(())
    }
}

impl Drop for DeviceBytes {
    fn drop(&mut self) {
        if let Some(transfer) = self.transfer.take() {
            transfer.end(&mut self.gpu.stream());
        }
    }
}

/// A launch on a device, with its timestamps.
pub(crate) struct DeviceTiming {
    timing: Timing,
    gpu: Arc<Gpu>,
}

impl DeviceTiming {
    pub(super) fn new(timing: Timing, gpu: &Arc<Gpu>) -> Self {
        Self { timing, gpu: Arc::clone(gpu) }
    }

    /// Waits for the launch; returns its run time.
    pub(crate) fn elapsed(&self) -> Result<Duration> {
        Ok(self.gpu.stream().elapsed(&self.timing)?)
    }
}

impl std::fmt::Debug for DeviceBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceBytes")
            .field("device", &self.gpu.context.properties.name)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for DeviceTiming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceTiming")
            .field("device", &self.gpu.context.properties.name)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for DeviceMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceMemory")
            .field("device", &self.gpu.context.properties.name)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for DeviceImage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceImage")
            .field("device", &self.gpu.context.properties.name)
            .finish_non_exhaustive()
    }
}
