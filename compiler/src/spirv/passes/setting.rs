//! What passes depend on, besides the kernel.

use super::dispatch::Dispatch;
use super::media_rows::Blocks;
use crate::spirv::register_file::RegisterFile;
use crate::spirv::target::Target;

/// The options that distinguish the modules of a kernel.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {
    /// The size of the register file.
    pub registers: RegisterFile,
    /// How threads are launched.
    pub dispatch: Dispatch,
    /// Whether surfaces are buffers instead of images.
    pub linear: bool,
    /// Whether buffers end where arguments say, because one of them is a slice that ends inside its buffer. After the
    /// parameters of the kernel, the module then has an `i32` for each buffer: the number of its bytes.
    pub ends: bool,
    /// Whether the module has the source location of each instruction.
    pub debug_info: bool,
}
/// The target and the launch, as far as passes depend on them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) options: Options,
    /// The target whose registers the module is made for.
    pub(crate) form: Target,
    /// The target whose instructions it uses.
    pub(crate) target: Target,
}

impl Setting {
    /// Bytes of the register file.
    pub(crate) const fn budget(&self) -> usize {
        self.options.registers.registers() * self.form.register_bytes()
    }

    /// The blocks of a surface: messages of images, or of the 2-D blocks of a buffer. Surfaces in buffers of other targets
    /// have none.
    pub(crate) fn blocks(&self) -> Option<Blocks> {
        match self.options.linear {
            false => Some(Blocks::Media),
            true => self.target.has_2d_blocks().then_some(Blocks::InBuffers),
        }
    }
}
