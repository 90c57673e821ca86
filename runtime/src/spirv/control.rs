//! Conditions and loops.

use cm_dsl::ir::{Block, Value};
use rspirv::dr::Operand;
use spirv::{LoopControl, Op};

use super::LowerError;
use super::lower::Lowering;

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
    /// The compiler is not to unroll it: where it puts the first round before the loop, variables may have to be copied
    /// to each other at once on the way out, and it copies them one after the other in the wrong order.
    pub(super) fn repeat(&mut self, test: &Block, condition: Value, body: &Block) -> Result {
        let (head, inside) = (self.builder.fresh(), self.builder.fresh());
        let (next, end) = (self.builder.fresh(), self.builder.fresh());
        self.builder.end_block(Op::Branch, &[head]);
        self.builder.begin_block(head);
        self.block(test)?;
        let condition = self.val(condition)?;
        let control = Operand::LoopControl(LoopControl::DONT_UNROLL);
        self.builder.effect(Op::LoopMerge, vec![Operand::IdRef(end), Operand::IdRef(next), control]);
        self.builder.end_block(Op::BranchConditional, &[condition.id, inside, end]);
        self.builder.begin_block(inside);
        self.block(body)?;
        self.builder.end_block(Op::Branch, &[next]);
        self.builder.begin_block(next);
        self.builder.end_block(Op::Branch, &[head]);
        self.builder.begin_block(end);
        Ok(())
    }
}
