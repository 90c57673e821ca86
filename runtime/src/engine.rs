//! The engines that run kernels on the CPU.

use std::fmt;

/// The engine that runs kernels on a CPU device. The results are the same, bit for bit.
///
/// A kernel is compiled with its crate. If the crate is built without optimisation, its code is hundreds of times
/// slower than optimised code, and with optimisation and debug assertions ten times or more, so CPU devices execute the
/// recorded kernel instead. The environment variable
/// `CM_CPU_ENGINE` (`native` or `ir`) decides for all kernels of a program, and
/// [`Device::with_cpu_engine`](crate::Device::with_cpu_engine) for one device.
///
/// ```
/// use cm::prelude::*;
/// use cm::CpuEngine;
///
/// #[kernel]
/// fn grey(output: &mut Surface2D) {
///     output.write(thread_origin_x() * 16, thread_origin_y(), &Vector::<u8, 16>::splat(128));
/// }
///
/// for &engine in CpuEngine::ALL {
///     let device = Device::cpu()?.with_cpu_engine(engine);
///     let mut output = Surface2D::new(&device, Format::R8, 64, 64)?;
///     let event = grey::launch(&device, ThreadSpace::new(4, 64)?, &mut output)?;
///     assert_eq!(event.engine(), Some(engine));
///     assert_eq!(output.to_vec()?, [128; 64 * 64]);
/// }
/// # Ok::<(), cm::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum CpuEngine {
    /// The machine code that rustc generates for the kernel. Breakpoints in the kernel work.
    Native,
    /// The recorded kernel, which cm executes instruction by instruction. Host code of the kernel runs only once, when
    /// the kernel is recorded.
    Ir,
}

impl CpuEngine {
    /// All engines.
    pub const ALL: &[Self] = &[Self::Native, Self::Ir];

    /// The name in `CM_CPU_ENGINE`.
    ///
    /// ```
    /// use cm::CpuEngine;
    /// assert_eq!([CpuEngine::Native, CpuEngine::Ir].map(CpuEngine::name), ["native", "ir"]);
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Ir => "ir",
        }
    }
}

impl fmt::Display for CpuEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
