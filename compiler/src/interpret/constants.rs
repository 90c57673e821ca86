//! The results of instructions with constant operands.

use rustc_hash::FxHashMap;

use super::argument::Object;
use super::group::{Places, State};
use super::thread::{At, Thread};
use crate::ir::{Grid, Inst, Value};

/// The values of a kernel that are known so far without its arguments.
#[derive(Debug, Default)]
pub(crate) struct Constants(FxHashMap<Value, Object>);

impl Constants {
    /// The bits of the elements of a value; a condition has one, 0 or 1.
    #[must_use]
    pub(crate) fn get(&self, value: Value) -> Option<&[u64]> {
        self.0.get(&value).map(|object| &object.bits[..])
    }

    /// Sets the result of an instruction to these bits.
    pub(crate) fn insert(&mut self, inst: &Inst, bits: Vec<u64>) {
        if let Some(result) = inst.result {
            self.0.insert(result, Object { ty: inst.ty, bits });
        }
    }

    /// The bits of the result, if all operands are known. The instruction has no effects and depends only on its
    /// operands.
    #[must_use]
    pub(crate) fn compute(&mut self, inst: &Inst) -> Option<Vec<u64>> {
        if !inst.op.operands().into_iter().all(|x| self.0.contains_key(&x)) {
            return None;
        }
        let (state, places) = (&mut State::with(std::mem::take(&mut self.0)), &mut Places::none());
        let grid = Grid::single([1; 3]);
        let thread = &mut Thread { places, grid, state, budget: 0, print: &mut |_| () };
        let object = thread.compute(&inst.op, inst.ty, At(&inst.location));
        self.0 = std::mem::take(&mut state.values);
        object.ok().map(|object| object.bits)
    }
}
