//! Devices.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use cm_compiler::spirv::{RegisterFile, Target};

use crate::cpu::Workers;
use crate::engine::CpuEngine;
use crate::environment;
use crate::error::{Error, Result};
use crate::level_zero::{self, Gpu};
use crate::limits;
use crate::printf::{Printer, PrintfOutput};

/// A device that runs kernels: the CPU, or an Intel GPU through Level Zero. CM: `CmDevice`.
///
/// | To use | Call |
/// |---|---|
/// | a GPU if Level Zero finds one, otherwise the CPU | [`Device::best`] |
/// | the CPU | [`Device::cpu`], [`Device::cpu_with_threads`] |
/// | a GPU | [`Device::level_zero`], [`Device::level_zero_at`], [`Device::level_zero_devices`] |
///
/// Surfaces and buffers of a GPU belong to it. Those of the CPU can be used with all CPU devices. Cloning is cheap: a clone
/// is the same device.
///
/// ```
/// use cm::prelude::*;
/// println!("{}", Device::best()?.name());
/// # Ok::<(), cm::Error>(())
/// ```
#[derive(Clone)]
pub struct Device {
    name: Arc<str>,
    /// Why this device was chosen; empty if the program names it.
    reason: Arc<str>,
    kind: Kind,
    printer: Printer,
    /// The register file of kernels on a GPU.
    registers: RegisterFile,
    races: bool,
    /// The engine of all kernels on a CPU device; `None` chooses the best one for each kernel.
    engine: Option<CpuEngine>,
    /// Whether new surfaces on a GPU are in buffers, even if it has images.
    linear: bool,
}

// A launch that panics leaves the device as it was: `tests/device/faults.rs` launches again.
impl UnwindSafe for Device {}
impl RefUnwindSafe for Device {}

/// Whether devices detect races on shared local memory by default.
const RACES: bool = cfg!(debug_assertions);

/// The part of the device that runs kernels.
#[derive(Clone)]
pub(crate) enum Kind {
    /// Worker threads.
    Cpu(Workers),
    /// A Level Zero device.
    LevelZero(Arc<Gpu>),
}

impl Device {
    /// The largest number of worker threads of a CPU device.
    pub const MAX_THREADS: usize = limits::WORKERS;

    /// Opens the first Level Zero GPU. Without a Level Zero loader, without a driver, or if the driver finds no GPU, it opens
    /// the CPU.
    ///
    /// The environment variable `CM_DEVICE` overrides the choice: `cpu`, `level-zero`, or `level-zero:1` for
    /// the second GPU. The [`name`](Self::name) and a `tracing` event say which device was chosen and why.
    ///
    /// # Errors
    /// [`Error::Environment`] if the value of `CM_DEVICE` is not one of these; [`Error::LevelZero`] if
    /// `CM_DEVICE` names a GPU that cannot be opened, or if the GPU that was found cannot be used (no permission, an old
    /// driver); otherwise the errors of [`cpu`](Self::cpu).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::best()?;
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn best() -> Result<Self> {
        let device = match environment::choice("CM_DEVICE", Choice::parse)? {
            Some(Choice::Cpu) => Self::cpu_because("CM_DEVICE=cpu")?,
            Some(Choice::LevelZero(index, value)) => Self::gpu(index, &format!("CM_DEVICE={value}"))?,
            None => match Self::gpu(0, "") {
                // A GPU that the driver finds but that cannot be used is an error, not a reason to run slowly.
                Err(Error::LevelZero(absent)) if absent.is_absence() => Self::cpu_because(&absent.reason())?,
                found => found?,
            },
        };
        tracing::info!(device = device.name(), "device chosen");
        Ok(device)
    }

    /// Opens the CPU. Kernels run on all cores, in the rayon pool of the thread that launches them.
    ///
    /// Three environment variables change this. `CM_NUM_THREADS` sets the number of threads of one pool for all
    /// such devices. `CM_CPU_ISA` (`baseline`, `avx2` or `avx512`) sets the instruction set, for comparisons
    /// and debugging. `CM_CPU_ENGINE` (`native` or `ir`) sets the engine that runs kernels; see [`CpuEngine`].
    ///
    /// # Errors
    /// [`Error::Environment`] if `CM_NUM_THREADS` is not a number of threads, if `CM_CPU_ISA` is not an
    /// instruction set of this machine, or if `CM_CPU_ENGINE` is not an engine.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::cpu()?;
    /// assert!(device.name().starts_with("CPU"));
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn cpu() -> Result<Self> {
        Self::cpu_because("")
    }

    /// Opens the CPU with its own pool of `threads` worker threads.
    ///
    /// # Errors
    /// [`Error::ThreadCount`] if `threads` is 0 or above [`MAX_THREADS`](Self::MAX_THREADS);
    /// [`Error::Threads`] if the system cannot start them; [`Error::Environment`] for `CM_CPU_ISA` and
    /// `CM_CPU_ENGINE`, as for [`cpu`](Self::cpu).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let single = Device::cpu_with_threads(1)?;
    /// assert!(Device::cpu_with_threads(0).is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn cpu_with_threads(threads: usize) -> Result<Self> {
        let workers = Workers::new(threads)?;
        Self::of_workers(workers, "")
    }

    /// Opens the first GPU that Level Zero finds. Each call in a process returns the same device.
    ///
    /// # Errors
    /// [`Error::LevelZero`], which says what is missing: the loader, a driver, a device, or the permission to
    /// use it.
    ///
    /// ```
    /// use cm::prelude::*;
    /// match Device::level_zero() {
    ///     Ok(gpu) => println!("{}", gpu.name()),
    ///     Err(reason) => println!("{reason}"),
    /// }
    /// ```
    pub fn level_zero() -> Result<Self> {
        Self::gpu(0, "")
    }

    /// Opens GPU number `index`, from 0, of the GPUs that Level Zero finds: the same number as in
    /// `CM_DEVICE=level-zero:N`.
    ///
    /// # Errors
    /// The errors of [`level_zero`](Self::level_zero), and
    /// [`LevelZeroError::NoSuchDevice`](crate::LevelZeroError) if there are fewer GPUs.
    ///
    /// ```
    /// use cm::prelude::*;
    /// if let Ok(second) = Device::level_zero_at(1) {
    ///     println!("{}", second.name());
    /// }
    /// ```
    pub fn level_zero_at(index: usize) -> Result<Self> {
        Self::gpu(index, "")
    }

    /// Opens every GPU that Level Zero finds, in the order of `CM_DEVICE=level-zero:N`.
    ///
    /// # Errors
    /// The errors of [`level_zero`](Self::level_zero).
    ///
    /// ```
    /// use cm::prelude::*;
    /// for gpu in Device::level_zero_devices().unwrap_or_default() {
    ///     println!("{}", gpu.name());
    /// }
    /// ```
    pub fn level_zero_devices() -> Result<Vec<Self>> {
        (0..level_zero::count()?).map(|index| Self::gpu(index, "")).collect()
    }

    /// A description of the device for people: instruction set and worker threads, or GPU and driver; why it was chosen;
    /// and whether its surfaces are in buffers. Programs ask [`is_gpu`](Self::is_gpu) and [`target`](Self::target).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::cpu_with_threads(2)?;
    /// assert!(device.name().starts_with("CPU (") && device.name().contains("2 threads"), "{}", device.name());
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the device is a GPU, not the CPU.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert!(!Device::cpu()?.is_gpu());
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub const fn is_gpu(&self) -> bool {
        matches!(self.kind, Kind::LevelZero(_))
    }

    /// Returns the same device with a handler for the output of `printf!` in kernels. CM:
    /// `CmDevice::FlushPrintBuffer`.
    ///
    /// The handler gets the output of launches on the returned device and on its clones: once per launch that prints,
    /// in the host thread that launches, when the launch has completed. In a [scope](Self::scope), `enqueue` waits for
    /// a launch that prints. Without a handler the lines go to the standard output ([`PrintfOutput::print`]).
    /// Surfaces and buffers can be used with both devices.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    ///
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn hello() {
    ///     printf!("thread {}", thread_origin_x());
    /// }
    ///
    /// let printed = Arc::new(Mutex::new(String::new()));
    /// let text = Arc::clone(&printed);
    /// let device = Device::best()?
    ///     .with_printf_handler(move |output| text.lock().unwrap().push_str(&output.to_string()));
    /// hello::launch(&device, ThreadSpace::new(2, 1)?)?;
    /// assert_eq!(*printed.lock().unwrap(), "thread 0\nthread 1\n");
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use = "the device itself keeps its handler"]
    pub fn with_printf_handler(&self, handler: impl Fn(&PrintfOutput) + Send + Sync + 'static) -> Self {
        Self { printer: Printer::with(handler), ..self.clone() }
    }

    /// Returns the same device with or without race detection on shared local memory. By default, builds with debug
    /// assertions detect races.
    ///
    /// Two accesses to a byte of an [`slm`](../cm/slm/fn.slm.html) array are a race if two threads of a group make
    /// them without a barrier in between, one of them writes, and they are not both atomic. The launch then returns
    /// [`Error::Group`], which names both lines. Only the CPU detects races. It keeps about 80 bytes per byte of shared
    /// memory, and accesses take longer.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn late(output: &mut Buffer<u32>) {
    ///     let shared = slm::<u32, 8>();
    ///     shared.write(local_id(0) * 16, &Vector::<u32, 4>::splat(1));
    ///     // Here a `barrier()` is missing.
    ///     output.write(local_id(0) * 16, &shared.read::<4>((1 - local_id(0)) * 16));
    /// }
    ///
    /// let device = Device::cpu()?.with_race_checks(true);
    /// let mut output = Buffer::<u32>::new(&device, 8)?;
    /// let error = late::launch(&device, ThreadGroups::new([1, 1, 1], [2, 1, 1])?, &mut output).unwrap_err();
    /// assert!(error.to_string().contains("without a barrier between them"));
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use = "the device itself stays as it is"]
    pub fn with_race_checks(&self, on: bool) -> Self {
        Self { races: on, ..self.clone() }
    }

    pub(crate) fn checks_races(&self) -> bool {
        self.races
    }

    /// Returns the same device, where this engine runs all kernels on the CPU. By default `CM_CPU_ENGINE` decides, or
    /// how the crate of the kernel is built; see [`CpuEngine`]. It has no effect on a GPU.
    ///
    /// ```
    /// use cm::prelude::*;
    /// use cm::CpuEngine;
    ///
    /// #[kernel]
    /// fn sevens(output: &mut Buffer<u32>) {
    ///     output.write(0, &Vector::<u32, 8>::splat(7));
    /// }
    ///
    /// let device = Device::cpu()?.with_cpu_engine(CpuEngine::Ir);
    /// let mut output = Buffer::<u32>::new(&device, 8)?;
    /// sevens::launch(&device, ThreadSpace::new(1, 1)?, &mut output)?;
    /// assert_eq!(output.to_vec()?, [7; 8]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use = "the device itself stays as it is"]
    pub fn with_cpu_engine(&self, engine: CpuEngine) -> Self {
        Self { engine: Some(engine), ..self.clone() }
    }

    pub(crate) fn engine(&self) -> Option<CpuEngine> {
        self.engine
    }

    /// Returns the same device with the large register file of 256 registers for kernels. CM: the compiler option
    /// `-Qxcm_doubleGRF`.
    ///
    /// Kernels whose objects need more than 128 registers then fit, but half as many threads run at a time. It has no
    /// effect on the CPU, which has no register file. Surfaces and buffers can be used with both devices.
    ///
    /// # Errors
    /// Launches return [`LowerError::RegisterFile`](cm_compiler::spirv::LowerError) on GPUs before Xe-HPG, which have
    /// only the standard register file. Without it, launches of kernels for a larger register file
    /// (`#[kernel(register_file = 16384)]`) return `LowerError::SmallRegisterFile`.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn zeros(output: &mut Surface2D) {
    ///     output.write(0, 0, &Matrix::<u8, 8, 32>::splat(0));
    /// }
    ///
    /// let device = Device::cpu()?.with_large_register_file();
    /// let mut output = Surface2D::new(&device, Format::R8, 32, 8)?;
    /// zeros::launch(&device, ThreadSpace::new(1, 1)?, &mut output)?;
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use = "the device itself keeps its register file"]
    pub fn with_large_register_file(&self) -> Self {
        Self { registers: RegisterFile::Large, ..self.clone() }
    }

    pub(crate) const fn register_file(&self) -> RegisterFile {
        self.registers
    }

    /// Returns the same device, where new surfaces are in buffers. On Ponte Vecchio and from Xe2 on all surfaces are in buffers
    /// ([why](Target::has_media_blocks)); on other GPUs this is for comparisons and tests. It has no effect on the CPU.
    ///
    /// Kernels then read and write surfaces by messages to buffers. They give the same bytes, including at the edges,
    /// and support reads beyond the edges of packed YUV, but take more instructions. All surfaces of a launch are
    /// either in images or in buffers.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn copy(input: &Surface2D, output: &mut Surface2D) {
    ///     output.write(0, 0, &input.read::<u8, 8, 32>(-4, -4));
    /// }
    ///
    /// let device = Device::best()?.with_surfaces_in_buffers();
    /// println!("{}: {}", device.name(), device.has_surfaces_in_buffers());
    /// let input = Surface2D::from_bytes(&device, Format::R8, 2, 1, &[1, 2])?;
    /// let mut output = Surface2D::new(&device, Format::R8, 8, 2)?;
    /// copy::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
    /// assert_eq!(output.to_vec()?, [[1, 1, 1, 1, 1, 2, 2, 2]; 2].concat());
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use = "the device itself stays as it is"]
    pub fn with_surfaces_in_buffers(&self) -> Self {
        match &self.kind {
            Kind::Cpu(_) => self.clone(),
            Kind::LevelZero(gpu) => Self { linear: true, name: gpu.name(&self.reason, true), ..self.clone() },
        }
    }

    /// Whether new surfaces on this device are in buffers: on Ponte Vecchio, on Xe2 and later
    /// ([why](Target::has_media_blocks)), and after [`with_surfaces_in_buffers`](Self::with_surfaces_in_buffers).
    /// Otherwise surfaces on a GPU are images, which kernels read and write by media blocks.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert!(!Device::cpu()?.has_surfaces_in_buffers());
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub const fn has_surfaces_in_buffers(&self) -> bool {
        self.linear
    }

    /// The generation that modules for this device are made for; `None` for the CPU. Its methods say what the GPU has.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Device::cpu()?.target(), None);
    /// let device = Device::best()?;
    /// if let Some(target) = device.target() {
    ///     println!("{target}: {} sums in a row of dpas", target.dpas_lanes().unwrap_or(0));
    /// }
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub fn target(&self) -> Option<Target> {
        match &self.kind {
            Kind::Cpu(_) => None,
            Kind::LevelZero(gpu) => Some(gpu.target()),
        }
    }

    pub(crate) fn printer(&self) -> &Printer {
        &self.printer
    }

    fn new(name: Arc<str>, reason: &str, kind: Kind, linear: bool) -> Self {
        let (reason, printer, registers) = (reason.into(), Printer::new(), RegisterFile::Standard);
        Self { name, reason, kind, printer, registers, races: RACES, engine: None, linear }
    }

    fn cpu_because(reason: &str) -> Result<Self> {
        Self::of_workers(Workers::from_environment()?, reason)
    }

    fn of_workers(workers: Workers, reason: &str) -> Result<Self> {
        Ok(Self::new(workers.name(reason)?, reason, Kind::Cpu(workers), false))
    }

    fn gpu(index: usize, reason: &str) -> Result<Self> {
        Ok(Self::of(level_zero::open(index)?, reason))
    }

    /// A GPU that was chosen for a reason.
    pub(crate) fn of(gpu: Arc<Gpu>, reason: &str) -> Self {
        let linear = !gpu.has_media_blocks();
        Self::new(gpu.name(reason, linear), reason, Kind::LevelZero(gpu), linear)
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.kind
    }
}

/// The device that `CM_DEVICE` names.
enum Choice {
    Cpu,
    /// The GPU with this number, and the whole value.
    LevelZero(usize, String),
}

impl Choice {
    fn parse(value: &str) -> std::result::Result<Self, &'static str> {
        let index = match value {
            "cpu" => return Ok(Self::Cpu),
            "level-zero" => Some(0),
            _ => value.strip_prefix("level-zero:").and_then(|index| index.parse().ok()),
        };
        let index = index.ok_or("`cpu`, `level-zero` or `level-zero:N`")?;
        Ok(Self::LevelZero(index, value.to_owned()))
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("name", &self.name).finish_non_exhaustive()
    }
}
