//! Instructions without a value: variables, branches and loops.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::elem::ElemType;
use crate::ir::{Block, Inst, Label, Op as Ir, Type, Value, Variable};

use super::lowering::{Def, Lowering, Result};
use crate::spirv::binary::{Op, Operand};
use crate::spirv::emit::control::{Joined, Way};
use crate::spirv::types::Ty;

impl<'a> Lowering<'a> {
    /// Instructions without a value.
    pub(crate) fn effect(&mut self, inst: &'a Inst) -> Result<()> {
        match &inst.op {
            Ir::Declare(variable, init) => {
                let number = self.loop_flags.contains(*variable);
                let ty = if number { Type::scalar(ElemType::U32) } else { inst.ty };
                let pointer = self.builder.variable(ty.into());
                self.variables.insert(*variable, (pointer, ty));
                if let Some(init) = init {
                    self.store(*variable, *init)?;
                }
            }
            Ir::Store(variable, x) => self.store(*variable, *x)?,
            Ir::If(condition, then, other) => {
                // This comes before the blocks are lowered, because variables that they declare are not
                // joined.
                let joined = Joined::of(&[then, other], &self.variables);
                let vector = self.chosen_vector(*condition, inst);
                let condition = self.val(*condition)?;
                let branch = self.builder.branch(condition);
                let assembly = self.target.takes_assembly();
                let merged = assembly && (vector.is_some() || merges(then, other));
                let mut vector = vector.filter(|_| !assembly);
                for (way, block) in [(Way::First, then), (Way::Second, other)] {
                    self.builder.begin_way(&branch, way);
                    if merged && way == Way::First {
                        self.builder.effect_of_nothing();
                    }
                    self.block(block)?;
                    if !block.breaks_out() {
                        if let Some(vector) = vector.take_if(|vector| block.stored().contains(vector)) {
                            let (pointer, ty) = self.variable(vector)?;
                            self.builder.store_hidden(pointer, ty.into());
                        }
                        self.builder.end_way(&branch, &joined, way);
                    }
                }
                if !inst.op.breaks_out() {
                    self.builder.end_branch(&branch);
                }
            }
            // A loop that never repeats is an `if`.
            Ir::Loop(test, condition, body) if body.breaks_out() => {
                self.block(test)?;
                let condition = self.val(*condition)?;
                let branch = self.builder.branch(condition);
                self.builder.begin_way(&branch, Way::First);
                self.block(body)?;
                self.builder.begin_way(&branch, Way::Second);
                self.builder.end_way(&branch, &Joined::of(&[], &self.variables), Way::Second);
                self.builder.end_branch(&branch);
            }
            Ir::Loop(test, condition, body) => {
                self.payloads_of([test, body])?;
                let joined = Joined::of_loop(&[test, body], &self.variables, &self.sharing);
                let repeat = self.builder.begin_loop(&joined);
                self.block(test)?;
                let condition = self.val(*condition)?;
                self.builder.begin_round(&repeat, condition);
                self.block(body)?;
                self.builder.end_loop(&repeat, &joined);
            }
            Ir::Labelled(label, block) => {
                let joined = Joined::of(&[block], &self.variables);
                let end = self.builder.begin_labelled(joined);
                self.ends.insert(*label, end);
                self.block(block)?;
                if !block.breaks_out() {
                    self.leave(*label)?;
                }
                if let Some(end) = self.ends.remove(label) {
                    self.builder.end_labelled(&end);
                }
            }
            Ir::Break(label) => self.leave(*label)?,
            _ => return Err(self.malformed("a value without a place for it")),
        }
        Ok(())
    }

    /// A vector that a branch stores, if the branch must not become a selection: where the same condition also selects
    /// something else, the compiler selects vectors that are then inserted by a single flag.
    fn chosen_vector(&self, condition: Value, branch: &Inst) -> Option<Variable> {
        let stored: BTreeSet<Variable> = branch.op.blocks().flat_map(Block::stored).collect();
        let others = stored.len() > 1 || self.repeated.contains(&condition);
        let is_vector = |x: &Variable| self.variables.get(x).is_some_and(|(_, ty)| ty.count() > 1);
        stored.into_iter().find(is_vector).filter(|_| others)
    }

    /// Goes to the end of the labelled block.
    fn leave(&mut self, label: Label) -> Result<()> {
        match self.ends.get_mut(&label) {
            Some(end) => {
                self.builder.leave(end);
                Ok(())
            }
            None => Err(self.malformed(format!("{label} labels no block around it"))),
        }
    }

    fn store(&mut self, variable: Variable, x: Value) -> Result<()> {
        let (pointer, ty) = self.variable(variable)?;
        let mut x = self.def(x)?;
        if self.loop_flags.contains(variable) && x.val.ty == Ty::BOOL {
            x = Def { val: self.builder.numbers(x.val, Ty::from(ty).scalar), ty, ..x };
        }
        if Ty::from(x.ty) != Ty::from(ty) {
            return Err(self.malformed(format!("{} stored in a variable of {ty}", x.ty)));
        }
        if self.builder.skewed.contains(&x.val.id) || self.builder.has_rows_between(x.val, Ty::I32) {
            self.builder.skewed.insert(pointer);
        }
        self.builder.follow_parts(pointer, x.val.id);
        self.builder.follow_cut(pointer, x.val.id);
        self.builder.effect(Op::Store, vec![Operand::Id(pointer), Operand::Id(x.val.id)]);
        Ok(())
    }
}

/// Whether the compiler may merge two branches because both replace a region of the same type. It selects the
/// data to write by a single flag, and does not repeat the flag for each element. The compilers that know Xe2
/// do not have this fault.
fn merges(then: &Block, other: &Block) -> bool {
    let replaced = |block: &Block| -> FxHashSet<Ty> {
        block
            .instructions()
            .filter(|inst| matches!(inst.op, Ir::Insert(..)))
            .map(|inst| inst.ty.into())
            .collect()
    };
    !replaced(then).is_disjoint(&replaced(other))
}
