//! Division of floats.

use spirv::Op;

use super::module::{Builder, Val};

impl Builder {
    /// `a / b`, rounded correctly.
    pub(super) fn float_divide(&mut self, a: Val, b: Val, _known: Option<u64>) -> Val {
        self.op(Op::FDiv, a.ty, &[a, b])
    }
}
