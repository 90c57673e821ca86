//! The source locations of the instructions of a module.

use super::debug::Debug;
use super::{Builder, Other};
use crate::ir::Location;
use crate::spirv::binary::Word;

impl Builder {
    /// From here on, instructions have source locations. The kernel begins at `at`.
    pub(in crate::spirv) fn describe_sources(&mut self, name: &str, at: &Location) {
        let void = self.other(Other::Void);
        self.debug = Some(Debug::new(&mut self.bound, void, name, at));
    }

    /// The next instructions come from this location, if the module has source locations.
    pub(in crate::spirv) fn at(&mut self, at: &Location) {
        if let Some(debug) = &mut self.debug {
            self.block.instructions.extend(debug.at(&mut self.bound, at));
        }
    }

    /// The number of the kernel.
    pub(super) fn kernel(&mut self) -> Word {
        match &self.debug {
            Some(debug) => debug.kernel,
            None => self.fresh(),
        }
    }
}
