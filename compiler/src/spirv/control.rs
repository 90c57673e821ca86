//! Conditions and loops.

use std::collections::BTreeSet;

use crate::ir::{Block, Op as Ir, Value, Variable};
use rspirv::dr::Operand;
use spirv::{LoopControl, Op, Word};

use super::error::LowerError;
use super::lower::Lowering;
use super::types::Ty;

type Result = std::result::Result<(), LowerError>;

impl<'a> Lowering<'a> {
    /// One of two blocks.
    pub(super) fn branch(&mut self, condition: Value, then: &'a Block, other: &'a Block) -> Result {
        let condition = self.val(condition)?;
        let (then_id, other_id, end) = (self.builder.fresh(), self.builder.fresh(), self.builder.fresh());
        self.builder.end_block(Op::BranchConditional, &[condition.id, then_id, other_id]);
        let joined = self.joined([then, other]);
        for (id, block, way) in [(then_id, then, Way::First), (other_id, other, Way::Second)] {
            self.builder.begin_block(id);
            self.block(block)?;
            self.arrive(&joined, way);
            self.builder.end_block(Op::Branch, &[end]);
        }
        self.builder.begin_block(end);
        Ok(())
    }

    /// A test and, as long as it holds, a body.
    ///
    /// The compiler is not to unroll it. Where it puts the first round before the loop, values of both share registers,
    /// and bytes taken from words in place are overwritten before they are read; variables behind it are mixed up.
    pub(super) fn repeat(&mut self, test: &'a Block, condition: Value, body: &'a Block) -> Result {
        let (head, inside) = (self.builder.fresh(), self.builder.fresh());
        let (next, end) = (self.builder.fresh(), self.builder.fresh());
        let joined = self.joined([test, body]);
        self.arrive(&joined, Way::First);
        self.builder.end_block(Op::Branch, &[head]);
        self.builder.begin_block(head);
        self.block(test)?;
        let condition = self.val(condition)?;
        let control = Operand::LoopControl(LoopControl::DONT_UNROLL);
        self.builder.effect(Op::LoopMerge, vec![Operand::IdRef(end), Operand::IdRef(next), control]);
        self.builder.end_block(Op::BranchConditional, &[condition.id, inside, end]);
        self.builder.begin_block(inside);
        self.block(body)?;
        self.arrive(&joined, Way::Second);
        self.builder.end_block(Op::Branch, &[next]);
        self.builder.begin_block(next);
        self.builder.end_block(Op::Branch, &[head]);
        self.builder.begin_block(end);
        Ok(())
    }

    /// The variables that the blocks store and that are not theirs, if another one of these is of the same size.
    ///
    /// Where ways join, the compiler copies the variables that it has not in their registers already one after the other
    /// at the end of each way. What is right in their order is not in the order that it takes: by the registers that they
    /// go to. Variables share registers if one is computed of another one in place, so that a variable which is still to be
    /// copied may be overwritten by another one. Registers are shared by variables of one size only.
    fn joined(&self, blocks: [&Block; 2]) -> Vec<(Word, Ty)> {
        let mut stored = BTreeSet::new();
        blocks.into_iter().for_each(|block| stores(block, &mut stored));
        let stored: Vec<(Word, Ty)> = stored
            .iter()
            .filter_map(|variable| self.variables.get(variable))
            .filter(|(_, ty)| ty.elem().is_some())
            .map(|&(pointer, ty)| (pointer, Ty::from(ty)))
            .collect();
        let of_size = |bytes| stored.iter().filter(|(_, ty)| ty.bytes() == bytes).count();
        stored.iter().copied().filter(|(_, ty)| of_size(ty.bytes()) > 1).collect()
    }

    /// The end of a way: each variable becomes a value that nothing else uses, whose registers therefore are no other
    /// variable's, in whatever order they are copied.
    fn arrive(&mut self, joined: &[(Word, Ty)], way: Way) {
        for &(pointer, ty) in joined {
            let x = self.builder.op_with(Op::Load, ty, vec![Operand::IdRef(pointer)]);
            let dwords = ty.bytes() / 4;
            let bits = if ty.bytes().is_multiple_of(4) { Ty::I32.times(dwords) } else { ty.int(ty.bits()) };
            let (x, zeros) = (self.builder.format(x, bits), self.builder.hidden_zeros(bits));
            let own = match way {
                Way::First => self.builder.op(Op::IAdd, bits, &[x, zeros]),
                Way::Second => {
                    let ones = self.builder.op(Op::Not, bits, &[zeros]);
                    self.builder.op(Op::BitwiseAnd, bits, &[x, ones])
                }
            };
            let own = self.builder.format(own, ty);
            self.builder.effect(Op::Store, vec![Operand::IdRef(pointer), Operand::IdRef(own.id)]);
        }
    }
}

/// One of the two ways to a place where ways join. The same operation on both would be moved behind the place, and one of
/// two equal ones in a row would be dropped.
#[derive(Clone, Copy, Debug)]
enum Way {
    First,
    Second,
}

/// The variables that a block stores.
fn stores(block: &Block, variables: &mut BTreeSet<Variable>) {
    for inst in &block.insts {
        if let Ir::Store(variable, _) = &inst.op {
            variables.insert(*variable);
        }
        inst.op.blocks().into_iter().flatten().for_each(|inner| stores(inner, variables));
    }
}
