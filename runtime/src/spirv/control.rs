//! Conditions and loops.

use std::collections::HashSet;

use cm_dsl::ir::{Block, Op as Ir, Value, Variable};
use rspirv::dr::Operand;
use spirv::{LoopControl, Op, Word};

use super::LowerError;
use super::lower::Lowering;
use super::module::Val;

type Result = std::result::Result<(), LowerError>;

impl Lowering<'_> {
    /// One of two blocks.
    pub(super) fn branch(&mut self, condition: Value, then: &Block, other: &Block) -> Result {
        let condition = self.val(condition)?;
        let (then_id, other_id, end) = (self.builder.fresh(), self.builder.fresh(), self.builder.fresh());
        self.builder.end_block(Op::BranchConditional, &[condition.id, then_id, other_id]);
        for (id, block) in [(then_id, then), (other_id, other)] {
            self.builder.begin_block(id);
            self.block(block)?;
            self.builder.end_block(Op::Branch, &[end]);
        }
        self.builder.begin_block(end);
        Ok(())
    }

    /// A test and, as long as it holds, a body.
    ///
    /// The compiler is not to unroll it. Where it puts the first round before the loop, values of both share registers,
    /// and bytes taken from words in place are overwritten before they are read; variables behind it are mixed up.
    pub(super) fn repeat(&mut self, test: &Block, condition: Value, body: &Block) -> Result {
        let (head, inside) = (self.builder.fresh(), self.builder.fresh());
        let (next, end) = (self.builder.fresh(), self.builder.fresh());
        self.builder.end_block(Op::Branch, &[head]);
        self.builder.begin_block(head);
        let mut own = HashSet::new();
        [test, body].into_iter().for_each(|block| read_or_declared(block, &mut own));
        let outer = self.loop_reads.replace(own);
        self.block(test)?;
        let condition = self.val(condition)?;
        let control = Operand::LoopControl(LoopControl::DONT_UNROLL);
        self.builder.effect(Op::LoopMerge, vec![Operand::IdRef(end), Operand::IdRef(next), control]);
        self.builder.end_block(Op::BranchConditional, &[condition.id, inside, end]);
        self.builder.begin_block(inside);
        self.block(body)?;
        self.loop_reads = outer;
        self.builder.end_block(Op::Branch, &[next]);
        self.builder.begin_block(next);
        self.builder.end_block(Op::Branch, &[head]);
        self.builder.begin_block(end);
        Ok(())
    }

    /// What is stored in a variable, spelt so that the compiler does not take it for another variable.
    ///
    /// Where ways join it copies variables one after the other although they change at once, so that no variable may
    /// be given what another one was before its change. From the first branch on a copy becomes a value of its own.
    /// And what a loop stores in a variable that it does not read the compiler would compute behind the loop, of what
    /// other variables were; so it is kept in the loop, by bits of the value before that are always 0.
    ///
    /// Wrong code is still possible: one of 1500 random programs, with nested conditions, gives another variable's bytes,
    /// for a reason that is not known yet.
    pub(super) fn stored(&mut self, variable: Variable, pointer: Word, x: Val) -> Val {
        if self.builder.in_entry() {
            return x;
        }
        let copied = self.loaded.get(&x.id).is_some_and(|&from| from != variable);
        let x = if copied { self.builder.own(x) } else { x };
        if self.loop_reads.as_ref().is_none_or(|reads| reads.contains(&variable)) {
            return x;
        }
        let before = self.builder.op_with(Op::Load, x.ty, vec![Operand::IdRef(pointer)]);
        let bits = x.ty.int(x.ty.bits());
        let (new, before) = (self.builder.format(x, bits), self.builder.format(before, bits));
        let zeros = self.builder.hidden_zeros(bits);
        let before = self.builder.op(Op::BitwiseAnd, bits, &[before, zeros]);
        let kept = self.builder.op(Op::BitwiseOr, bits, &[new, before]);
        self.builder.format(kept, x.ty)
    }
}

/// The variables that a block reads or declares.
fn read_or_declared(block: &Block, variables: &mut HashSet<Variable>) {
    for inst in &block.insts {
        if let Ir::Load(variable) | Ir::Declare(variable, _) = &inst.op {
            variables.insert(*variable);
        }
        inst.op.blocks().into_iter().flatten().for_each(|inner| read_or_declared(inner, variables));
    }
}
