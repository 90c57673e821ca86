//! The values and variables in scope.

use rustc_hash::{FxHashMap, FxHashSet};

use super::error::{BrokenRule, Result};
use crate::ir::{Label, Region, Type, Value, Variable};

/// The type of a value or variable, and whether its block is still open.
#[derive(Clone, Copy, Debug)]
struct Entry {
    ty: Type,
    open: bool,
}

/// The definitions in the open blocks, in order.
#[derive(Clone, Copy, Debug)]
enum Defined {
    Value(Value),
    Variable(Variable),
}

/// Numbers of values and variables are below this: passes of the lowering number on from the largest.
const NUMBERS: u32 = 1 << 31;

/// Values and variables so far.
#[derive(Default, Debug)]
pub(super) struct Scope {
    values: FxHashMap<Value, Entry>,
    variables: FxHashMap<Variable, Entry>,
    open: Vec<Defined>,
    /// All labels so far, and those of the open blocks.
    labels: FxHashSet<Label>,
    open_labels: Vec<Label>,
}

impl Scope {
    /// Marks the start of a block.
    pub(super) fn mark(&self) -> usize {
        self.open.len()
    }

    /// Ends the block that began at the mark.
    pub(super) fn leave(&mut self, mark: usize) {
        for defined in self.open.drain(mark..) {
            let entry = match defined {
                Defined::Value(value) => self.values.get_mut(&value),
                Defined::Variable(variable) => self.variables.get_mut(&variable),
            };
            if let Some(entry) = entry {
                // Kept, so that its number stays in use and the error can say why it is out of scope.
                entry.open = false;
            }
        }
    }

    pub(super) fn define(&mut self, value: Value, ty: Type) -> Result<()> {
        if value.0 >= NUMBERS {
            return Err(BrokenRule::ValueNumber { value });
        }
        if self.values.insert(value, Entry { ty, open: true }).is_some() {
            return Err(BrokenRule::Redefined { value });
        }
        self.open.push(Defined::Value(value));
        Ok(())
    }

    pub(super) fn declare(&mut self, variable: Variable, ty: Type) -> Result<()> {
        if variable.0 >= NUMBERS {
            return Err(BrokenRule::VariableNumber { variable });
        }
        if self.variables.insert(variable, Entry { ty, open: true }).is_some() {
            return Err(BrokenRule::Redeclared { variable });
        }
        self.open.push(Defined::Variable(variable));
        Ok(())
    }

    /// Begins the block of a label.
    pub(super) fn enter_labelled(&mut self, label: Label) -> Result<()> {
        if !self.labels.insert(label) {
            return Err(BrokenRule::Relabelled { label });
        }
        self.open_labels.push(label);
        Ok(())
    }

    /// Ends the innermost labelled block.
    pub(super) fn leave_labelled(&mut self) {
        self.open_labels.pop();
    }

    pub(super) fn labelled(&self, label: Label) -> Result<()> {
        if self.open_labels.contains(&label) { Ok(()) } else { Err(BrokenRule::Unlabelled { label }) }
    }

    pub(super) fn value(&self, value: Value) -> Result<Type> {
        match self.values.get(&value) {
            Some(entry) if entry.open => Ok(entry.ty),
            Some(_) => Err(BrokenRule::OutOfScope { value }),
            None => Err(BrokenRule::Undefined { value }),
        }
    }

    pub(super) fn variable(&self, variable: Variable) -> Result<Type> {
        match self.variables.get(&variable) {
            Some(entry) if entry.open => Ok(entry.ty),
            Some(_) => Err(BrokenRule::VariableOutOfScope { variable }),
            None => Err(BrokenRule::Undeclared { variable }),
        }
    }
}

impl Region {
    /// Whether two of the `count` elements of the region, which is inside an object, are the same element.
    pub(crate) fn overlaps(&self, count: usize) -> bool {
        // Then only neighbours in a row can be the same element.
        let rows_apart = count <= self.width || self.row_stride > (self.width - 1) * self.column_stride;
        if rows_apart {
            return self.column_stride == 0 && self.width > 1;
        }
        let mut all: Vec<usize> = self.positions(count).collect();
        all.sort_unstable();
        all.windows(2).any(|pair| pair[0] == pair[1])
    }
}
