//! A device in use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cm_compiler::spirv::{Dispatch, RegisterFile, Target, lower};

use super::cache::Cache;
use super::compiler_process::CompilerProcess;
use super::context::Context;
use super::image::Image;
use super::memory::Memory;
use super::module::{Kernel, Module, Source};
use super::padding::{self, Padding};
use super::properties::Properties;
use super::stream::Stream;
use crate::error::{Error, LevelZeroError, Result};
use crate::format::Format;
use crate::recording::Recording;
use crate::rect::Rect;

/// A GPU with what was compiled for it and the commands on their way to it.
pub(crate) struct Gpu {
    stream: Mutex<Stream>,
    /// By the number of their recording, the register file, the kind of launch, and whether surfaces are in buffers.
    kernels: Mutex<HashMap<(usize, RegisterFile, Dispatch, bool), Arc<Module>>>,
    // By the columns, since images of all sizes share these kernels.
    paddings: Mutex<HashMap<[usize; 4], Arc<Module>>>,
    cache: Cache,
    compiler: CompilerProcess,
    pub(super) context: Arc<Context>,
}

impl Gpu {
    pub(super) fn new(
        context: Arc<Context>,
        cache: Cache,
        compiler: CompilerProcess,
    ) -> std::result::Result<Self, LevelZeroError> {
        Ok(Self {
            stream: Mutex::new(Stream::new(Arc::clone(&context))?),
            kernels: Mutex::default(),
            paddings: Mutex::default(),
            cache,
            compiler,
            context,
        })
    }

    /// Its name, its driver and its code, without the closing bracket.
    pub(crate) fn name(&self) -> String {
        let Properties { name, target, .. } = &self.context.properties;
        format!("{name} (Level Zero {}, {target} code", self.context.properties.version())
    }

    /// Whether it has images with media blocks.
    pub(crate) fn has_media_blocks(&self) -> bool {
        let Properties { image_texels, target, .. } = &self.context.properties;
        *image_texels > 0 && *target != Target::XeHpc
    }

    pub(super) fn stream(&self) -> MutexGuard<'_, Stream> {
        // What panics elsewhere leaves the stream whole.
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until everything that was recorded is done.
    pub(crate) fn finish(&self) -> Result<()> {
        Ok(self.stream().finish()?)
    }

    /// Does something with the device, unless it is lost; remembers that it is, whichever call says so.
    pub(super) fn with<T>(&self, act: impl FnOnce() -> Result<T>) -> Result<T> {
        self.stream().alive()?;
        let result = act();
        if let Err(Error::LevelZero(LevelZeroError::DeviceLost { call })) = &result {
            self.stream().set_lost(call);
        }
        result
    }

    /// A kernel, compiled if it was not yet; `linear` if its surfaces are in buffers.
    pub(super) fn kernel(
        &self,
        recording: &'static Recording,
        registers: RegisterFile,
        dispatch: Dispatch,
        linear: bool,
    ) -> Result<Kernel> {
        let module = || {
            let words = recording.module_for(self.context.properties.target, registers, dispatch, linear)?;
            self.compile(recording.name(), words, registers)
        };
        Ok(once(&self.kernels, (recording.id(), registers, dispatch, linear), module)?.kernel()?)
    }

    /// The kernel that makes the padding of an image.
    pub(super) fn padding(&self, padding: Padding) -> Result<Kernel> {
        let module = || {
            let function = padding::kernel(padding.columns);
            let words = lower(&function, self.context.properties.target)?;
            self.compile(&function.name, &words, RegisterFile::Standard)
        };
        Ok(once(&self.paddings, padding.columns, module)?.kernel()?)
    }

    fn compile(&self, name: &str, words: &[u32], registers: RegisterFile) -> Result<Module> {
        let source = Source { name, words, registers };
        Ok(Module::new(Arc::clone(&self.context), source, &self.cache, &self.compiler)?)
    }
}

/// What the map holds under the key, made if it is not there. Not under the lock: compiling takes its time.
fn once<K: std::hash::Hash + Eq>(
    map: &Mutex<HashMap<K, Arc<Module>>>,
    key: K,
    make: impl FnOnce() -> Result<Module>,
) -> Result<Arc<Module>> {
    let locked = || map.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = locked().get(&key) {
        return Ok(Arc::clone(known));
    }
    // Made without the lock, since compiling takes long; of two that are made at once the first one stays.
    let made = Arc::new(make()?);
    Ok(Arc::clone(locked().entry(key).or_insert(made)))
}

/// The memory of a surface on a device.
pub(crate) struct DeviceImage {
    image: Arc<Image>,
    gpu: Arc<Gpu>,
}

impl DeviceImage {
    /// A new one with these bytes, or with zeros.
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        format: Format,
        width: usize,
        height: usize,
        bytes: Option<&[u8]>,
    ) -> Result<Self> {
        let image = gpu.with(|| {
            let image = Arc::new(Image::new(Arc::clone(&gpu.context), format, width, height)?);
            image.write(&mut gpu.stream(), Rect { x: 0, y: 0, width, height }, bytes)?;
            Ok(image)
        })?;
        Ok(Self { image, gpu: Arc::clone(gpu) })
    }

    /// Gives a part of it these bytes, rows without padding.
    pub(crate) fn write(&mut self, part: Rect, bytes: &[u8]) -> Result<()> {
        self.gpu.with(|| Ok(self.image.write(&mut self.gpu.stream(), part, Some(bytes))?))
    }

    /// The bytes of a part of it, rows without padding.
    pub(crate) fn read(&self, part: Rect, to: &mut [u8]) -> Result<()> {
        self.gpu.with(|| Ok(self.image.read(&mut self.gpu.stream(), part, to)?))
    }

    /// The image, if it is on this device.
    pub(super) fn on(&self, gpu: &Gpu) -> Option<&Arc<Image>> {
        self.image.is_of(&gpu.context).then_some(&self.image)
    }
}

/// The memory of a buffer on a device.
pub(crate) struct DeviceMemory {
    memory: Arc<Memory>,
    gpu: Arc<Gpu>,
}

impl DeviceMemory {
    /// A new one of so many bytes: these, or zeros.
    pub(crate) fn new(gpu: &Arc<Gpu>, len: usize, bytes: Option<&[u8]>) -> Result<Self> {
        let memory = gpu.with(|| {
            let memory = Arc::new(Memory::new(Arc::clone(&gpu.context), len)?);
            match bytes {
                Some(bytes) => memory.write(&mut gpu.stream(), bytes)?,
                None => memory.clear(&mut gpu.stream(), false)?,
            }
            Ok(memory)
        })?;
        Ok(Self { memory, gpu: Arc::clone(gpu) })
    }

    /// Gives it these bytes: all of them.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.gpu.with(|| Ok(self.memory.write(&mut self.gpu.stream(), bytes)?))
    }

    /// Its bytes.
    pub(crate) fn read(&self, to: &mut [u8]) -> Result<()> {
        self.gpu.with(|| Ok(self.memory.read(&mut self.gpu.stream(), to)?))
    }

    /// The memory, if it is on this device.
    pub(super) fn on(&self, gpu: &Gpu) -> Option<&Arc<Memory>> {
        self.memory.is_of(&gpu.context).then_some(&self.memory)
    }
}

impl std::fmt::Debug for DeviceMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceMemory").field("device", &self.gpu.name()).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for DeviceImage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceImage").field("device", &self.gpu.name()).finish_non_exhaustive()
    }
}
