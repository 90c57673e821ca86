//! A module that says where its instructions come from.

use super::debug::Debug;
use super::{Builder, Other};
use crate::ir::Location;
use crate::spirv::binary::Word;

impl Builder {
    /// From here on instructions say where they come from. The kernel begins at a place of the source.
    pub(in crate::spirv) fn describe_sources(&mut self, name: &str, at: &Location) {
        let void = self.other(Other::Void);
        self.debug = Some(Debug::new(&mut self.bound, void, name, at));
    }

    /// The next instructions come from this place of the source, if the module says so at all.
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
