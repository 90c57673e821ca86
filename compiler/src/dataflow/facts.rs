//! Facts of values and variables.

use rustc_hash::FxHashMap;

use crate::elem::ElemType;
use crate::ir::{Block, Type, Value, Variable};

/// The facts about the values and variables of a kernel.
#[derive(Clone, Debug)]
pub struct Facts<F> {
    pub(super) types: FxHashMap<Value, Type>,
    pub(super) values: FxHashMap<Value, F>,
    pub(super) variables: FxHashMap<Variable, F>,
}

impl<F> Facts<F> {
    /// The types of the values of a block, without facts.
    pub(super) fn of(block: &Block) -> Self {
        let types = block.instructions().filter_map(|inst| Some((inst.result?, inst.ty))).collect();
        Self { types, values: FxHashMap::default(), variables: FxHashMap::default() }
    }

    /// The fact of a value.
    #[must_use]
    pub fn get(&self, value: Value) -> Option<&F> {
        self.values.get(&value)
    }

    /// The fact of a variable, if it is stored or loaded at all.
    #[must_use]
    pub fn variable(&self, variable: Variable) -> Option<&F> {
        self.variables.get(&variable)
    }

    /// The type of a value.
    #[must_use]
    pub fn ty(&self, value: Value) -> Option<Type> {
        self.types.get(&value).copied()
    }

    /// The element type of a value, unless it is a condition.
    #[must_use]
    pub fn elem(&self, value: Value) -> Option<ElemType> {
        self.ty(value)?.elem()
    }
}

/// The number of rounds after which a variable that keeps changing is no longer followed.
pub(super) const ROUNDS: usize = 3;
