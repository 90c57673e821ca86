//! Errors of Level Zero, with cause and remedy.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

use crate::format::Format;

/// The reason why a kernel cannot run through Level Zero. Its message names the cause and the remedy.
///
/// After an error of a launch, the surfaces and buffers that its kernel writes may have any contents: a launch of
/// several commands, such as that of a thread space with dependencies, may have run in part.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LevelZeroError {
    /// The program was built without the feature `level-zero`.
    #[error(
        "no Level Zero in this program: build it for Linux or Windows with cm's feature `level-zero`, or run \
         on the CPU with CM_DEVICE=cpu"
    )]
    TurnedOff,
    /// The loader library is not installed.
    #[error(
        "no Level Zero loader: {tried}; install it (Debian and Ubuntu: libze1, Fedora: oneapi-level-zero, \
         Windows: Intel's graphics driver), or run on the CPU with CM_DEVICE=cpu"
    )]
    NoLoader {
        /// The names that were tried, each with the system's message.
        tried: String,
    },
    /// The loader found no driver.
    #[error(
        "no Level Zero driver: {detail}; install Intel's compute driver (Debian: intel-opencl-icd, Ubuntu: \
         libze-intel-gpu1, Fedora: intel-compute-runtime), or run on the CPU with CM_DEVICE=cpu"
    )]
    NoDriver {
        /// The attempts.
        detail: String,
    },
    /// There is a driver, but no GPU for it.
    #[error(
        "no Level Zero device: {detail}; check that the GPU is enabled and its kernel driver (i915 or xe) \
         loaded, or run on the CPU with CM_DEVICE=cpu"
    )]
    NoDevice {
        /// The devices that were found instead.
        detail: String,
    },
    /// There is a GPU, but this user may not open it.
    #[error(
        "no permission to use the GPU: {node} cannot be opened ({reason}); add the user to the group that \
         owns it (`sudo usermod -aG render $USER`, then log in again), or run on the CPU with CM_DEVICE=cpu",
        node = node.display()
    )]
    NoPermission {
        /// The device file.
        node: PathBuf,
        /// The message of the system.
        reason: String,
    },
    /// The loader or the driver lacks a function.
    #[error(
        "the Level Zero driver is too old: it lacks {missing}; update the loader and Intel's compute driver, \
         or run on the CPU with CM_DEVICE=cpu"
    )]
    TooOld {
        /// The function, or the version that is needed.
        missing: String,
    },
    /// A device number that does not exist.
    #[error("there is no Level Zero device {index}: the last one is {last}; choose one of \
             them", last = count - 1)]
    NoSuchDevice {
        /// Its number, from 0.
        index: usize,
        /// The number of devices.
        count: usize,
    },
    /// The device has no images of this format.
    #[error(
        "{device} has no images of format {format}: run this kernel on the CPU, or bind a surface of another \
         format"
    )]
    Format {
        /// The device.
        device: String,
        /// The format.
        format: Format,
    },
    /// A surface that is too large for the device.
    #[error(
        "a surface of {width} x {height} texels of {format} is too large for {device}, whose images have at \
         most {limit} texels in each dimension: split it, or use a format with wider texels"
    )]
    SurfaceTooLarge {
        /// Texels of a row.
        width: usize,
        /// Rows.
        height: usize,
        /// The format.
        format: Format,
        /// The device.
        device: String,
        /// The largest width and height in texels.
        limit: usize,
    },
    /// A 3-D surface that is too large for the device.
    #[error(
        "a 3-D surface of {width} x {height} x {depth} texels is too large for {device}, whose 3-D images have at most \
         {limit} texels in each dimension: split it"
    )]
    Surface3dTooLarge {
        /// Texels of a row.
        width: usize,
        /// Rows of a slice.
        height: usize,
        /// Slices.
        depth: usize,
        /// The device.
        device: String,
        /// The largest size in each dimension.
        limit: usize,
    },
    /// A launch with surfaces in images and surfaces in buffers.
    #[error(
        "kernel `{kernel}` takes surfaces in images and surfaces in buffers: create all of them with the same device, \
         with `with_surfaces_in_buffers` or without"
    )]
    MixedSurfaces {
        /// The kernel.
        kernel: &'static str,
    },
    /// A read that may reach beyond the edge of a packed YUV surface, where GPUs differ.
    #[error(
        "argument `{argument}` of kernel `{kernel}` is a surface of format {format}, and line {line} of {file} may \
         read beyond its edge, where GPUs differ: keep the read inside, or run the kernel on the CPU"
    )]
    PackedYuvEdge {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The format of the surface.
        format: Format,
        /// The source file of the read.
        file: String,
        /// Its line.
        line: u32,
    },
    /// A surface over the memory of a buffer, on a GPU.
    #[error(
        "surfaces over buffers are made on the CPU only: copy the rows into a surface of the GPU, or use \
         `Device::cpu()`"
    )]
    LinearSurface,
    /// More arguments than the device supports.
    #[error(
        "kernel `{kernel}` takes {count} {what}, but {device} passes at most {limit}: split the kernel, or \
         pass more of it in surfaces"
    )]
    Arguments {
        /// The kernel.
        kernel: &'static str,
        /// The kind of argument.
        what: &'static str,
        /// The number that the kernel takes.
        count: usize,
        /// The largest supported number.
        limit: usize,
        /// The device.
        device: String,
    },
    /// Groups that the device does not support.
    #[error(
        "kernel `{kernel}` is launched with {count} {what}, but {device} takes at most {limit}: use smaller or \
         fewer groups"
    )]
    Groups {
        /// The kernel.
        kernel: &'static str,
        /// The quantity that is too large.
        what: &'static str,
        /// Its value.
        count: usize,
        /// The limit.
        limit: usize,
        /// The device.
        device: String,
    },
    /// The driver's compiler refused a kernel.
    #[error(
        "the driver's compiler refused kernel `{kernel}` for {device}: update the driver, run the kernel on \
         the CPU, or report this with the log:\n{log}"
    )]
    Build {
        /// The kernel.
        kernel: String,
        /// The device.
        device: String,
        /// The log of the compiler.
        log: String,
    },
    /// The driver's compiler leaves the number of named barriers out of its binaries.
    #[error(
        "kernel `{kernel}` has named barriers, but the compiler of the driver for {device} leaves their number out of its \
         binaries, so that a launch would hang: update the driver (IGC 2.40 states the number), use `barrier()`, or run \
         the kernel on the CPU"
    )]
    NoNamedBarriers {
        /// The kernel.
        kernel: &'static str,
        /// The device.
        device: String,
    },
    /// A signal ended the program that `CM_COMPILER` names, which compiles kernels.
    #[error(
        "the compiler crashed on kernel `{kernel}` for {device} ({reason}): update the driver, run the kernel \
         on the CPU, or report this with the text of `{kernel}::ir()`"
    )]
    CompilerCrashed {
        /// The kernel.
        kernel: String,
        /// The device.
        device: String,
        /// How the program ended, and what it wrote to its standard error.
        reason: String,
    },
    /// The program that `CM_COMPILER` names ended without an answer.
    #[error(
        "CM_COMPILER names {program}, which ended without compiling kernel `{kernel}` for {device} ({reason}): name a \
         program of this version of cm that calls `cm::compile_for_parent`, such as the example `compile`; if it is one, \
         update the driver, or run the kernel on the CPU",
        program = program.display()
    )]
    CompilerAnswer {
        /// The program.
        program: PathBuf,
        /// The kernel.
        kernel: String,
        /// The device.
        device: String,
        /// How the program ended, and what it wrote to its standard error.
        reason: String,
    },
    /// The program that `CM_COMPILER` names could not be started.
    #[error(
        "CM_COMPILER names {program}, which cannot be started ({reason}): name a program that calls \
         `cm::compile_for_parent`, such as the example `compile`, or unset the variable",
        program = program.display()
    )]
    CompilerStart {
        /// The program.
        program: PathBuf,
        /// The message of the system.
        reason: String,
    },
    /// A kernel with debug information could not be written to the folder that `CM_DEBUG_INFO` names.
    #[error(
        "the debug information of kernel `{kernel}` cannot be written to {folder} ({reason}): let CM_DEBUG_INFO name a \
         folder that can be written, or unset it",
        folder = folder.display()
    )]
    DebugInfo {
        /// The kernel.
        kernel: String,
        /// The folder.
        folder: PathBuf,
        /// The message of the system.
        reason: String,
    },
    /// The driver's compiler accepted the module but left the kernel out.
    #[error(
        "the driver's compiler left kernel `{kernel}` out for {device}: update the driver, run the kernel on \
         the CPU, or report this with the log:\n{log}"
    )]
    NoKernel {
        /// The kernel.
        kernel: String,
        /// The device.
        device: String,
        /// The log of the compiler.
        log: String,
    },
    /// No memory on the host.
    #[error("out of host memory in {call}: free some, or use smaller surfaces")]
    OutOfHostMemory {
        /// The Level Zero function.
        call: &'static str,
    },
    /// No memory on the device.
    #[error("out of device memory in {call}: drop surfaces that are no longer used, or use smaller ones")]
    OutOfDeviceMemory {
        /// The Level Zero function.
        call: &'static str,
    },
    /// The device stopped answering.
    #[error(
        "the device was lost in {call}: a kernel faulted or ran too long, or the GPU was reset (the system's \
         log says which); its surfaces are gone, so start the program again"
    )]
    DeviceLost {
        /// The Level Zero function.
        call: &'static str,
    },
    /// Another error of the driver.
    #[error(
        "{call} gave {name} (0x{code:08x}): print `cm::diagnose()` to see what is installed; updating the driver \
         may help"
    )]
    Call {
        /// The Level Zero function.
        call: &'static str,
        /// The name of the result.
        name: String,
        /// Its number.
        code: u32,
    },
}

/// The message, as that of [`Error`](crate::Error).
impl fmt::Debug for LevelZeroError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl LevelZeroError {
    /// The first sentence of the message, for the name of the device that is used instead.
    pub(crate) fn reason(&self) -> String {
        let message = self.to_string();
        message.split_once(": ").map_or(message.clone(), |(cause, _)| cause.to_owned())
    }

    /// Whether there is too little memory, of the device or of the host for the device.
    #[cfg(feature = "level-zero")]
    pub(crate) const fn is_memory(&self) -> bool {
        matches!(self, Self::OutOfHostMemory { .. } | Self::OutOfDeviceMemory { .. })
    }

    /// Whether there simply is no GPU to use, so that the CPU is the best device.
    pub(crate) const fn is_absence(&self) -> bool {
        matches!(
            self,
            Self::TurnedOff | Self::NoLoader { .. } | Self::NoDriver { .. } | Self::NoDevice { .. }
        )
    }
}
