//! The instructions of a kernel and the calls of intrinsics.

use super::{Builder, Other, Val, refs};
use crate::spirv::binary::{
    ASSEMBLY, Capability, Decoration, Function, IMPORT, Instruction, NONE, Op, Operand, Word,
};
use crate::spirv::intrinsics::{Intrinsic, Param};
use crate::spirv::types::{Scalar, Ty};

impl Builder {
    /// An empty inline assembly that counts as a side effect.
    fn assembly(&mut self) -> Word {
        if let Some(id) = self.assembly {
            return id;
        }
        self.capability(Capability::AsmINTEL);
        self.extension(ASSEMBLY);
        let void = self.other(Other::Void);
        let function = self.other(Other::Function(void, vec![]));
        let target = self.declare(Op::AsmTargetINTEL, vec!["genx".into()]);
        let operands = vec![Operand::Id(function), Operand::Id(target), "".into(), "".into()];
        let id = self.define(Op::AsmINTEL, void, operands);
        self.decorate(id, Decoration::SideEffectsINTEL);
        self.assembly = Some(id);
        id
    }

    /// An instruction without a result.
    pub(in crate::spirv) fn effect(&mut self, op: Op, operands: Vec<Operand>) {
        self.block.instructions.push(Instruction::effect(op, operands));
    }

    /// An instruction with a result and literal operands.
    pub(in crate::spirv) fn op_with(&mut self, op: Op, ty: Ty, operands: Vec<Operand>) -> Val {
        let type_id = self.ty(ty);
        let id = self.fresh();
        self.block.instructions.push(Instruction::value(op, type_id, id, operands));
        Val { id, ty }
    }

    /// An instruction with a result.
    pub(in crate::spirv) fn op(&mut self, op: Op, ty: Ty, operands: &[Val]) -> Val {
        if op == Op::Select && self.selects_words(ty) {
            return self.selected_words(ty, operands);
        }
        let compares = ty.scalar == Scalar::Bool && operands.iter().any(|x| x.ty.scalar != Scalar::Bool);
        let contiguous = if op == Op::Select || compares { self.contiguous(ty, operands) } else { vec![] };
        let operands = if contiguous.is_empty() { operands } else { &contiguous };
        let ids: Vec<Word> = operands.iter().map(|x| x.id).collect();
        let result = self.op_with(op, ty, refs(&ids));
        if self.computes_one_by_one(op, ty, operands) {
            self.spread.insert(result.id);
        }
        let first = *self.computed.entry((op, ty, ids)).or_insert(result.id);
        if first != result.id {
            self.origins.insert(result.id, first);
        }
        if matches!(op, Op::UConvert | Op::SConvert)
            && ty.bits() >= 32
            && (operands[0].ty.bits() < 32 || self.extended.contains(&operands[0].id))
        {
            self.extended.insert(result.id);
        }
        if ty.scalar == Scalar::Float(16) && !matches!(op, Op::Bitcast | Op::Select) {
            self.halves.insert(result.id);
        }
        if op == Op::Bitcast && self.branched.contains(&operands[0].id) {
            self.branched.insert(result.id);
        }
        let mut alike = operands.iter().filter(|x| x.ty.count == ty.count);
        if let Some(parts) = alike.find_map(|x| self.made_of.get(&x.id).cloned()) {
            self.made_of.insert(result.id, parts);
        }
        self.follow_chosen(result, operands);
        result
    }

    /// An empty instruction that the optimiser treats as a side effect of this block.
    pub(in crate::spirv) fn effect_of_nothing(&mut self) {
        let (assembly, void) = (self.assembly(), self.other(Other::Void));
        let id = self.fresh();
        self.block.instructions.push(Instruction::value(Op::AsmCallINTEL, void, id, refs(&[assembly])));
    }

    /// Tracks results that are made from truth values element by element.
    fn follow_chosen(&mut self, result: Val, operands: &[Val]) {
        if result.ty.scalar == Scalar::Bool {
            self.chosen.insert(result.id, 0);
            return;
        }
        let own = result.ty.elem_bytes();
        let made = |x: &Val| match *self.chosen.get(&x.id).filter(|_| x.ty.count > 1)? {
            0 => Some(own),
            bytes if x.ty.count == result.ty.count => Some((bytes * own / x.ty.elem_bytes()).max(1)),
            // The same elements in other places, or the same bytes.
            bytes => Some(bytes),
        };
        if let Some(bytes) = operands.iter().filter_map(made).min() {
            self.chosen.insert(result.id, bytes);
        }
    }

    /// Calls an intrinsic. Returns its result, if it has one.
    pub(in crate::spirv) fn call(
        &mut self,
        intrinsic: Intrinsic,
        result: Option<Ty>,
        arguments: &[Val],
    ) -> Option<Val> {
        let parameters: Vec<Param> = arguments.iter().map(|x| Param::Value(x.ty)).collect();
        let types: Vec<Word> = arguments.iter().map(|x| self.ty(x.ty)).collect();
        let ids: Vec<Word> = arguments.iter().map(|x| x.id).collect();
        self.call_raw(&intrinsic.name(result, &parameters), result, &types, &ids)
    }

    pub(super) fn call_raw(
        &mut self,
        name: &str,
        result: Option<Ty>,
        types: &[Word],
        ids: &[Word],
    ) -> Option<Val> {
        let type_id = match result {
            Some(ty) => self.ty(ty),
            None => self.other(Other::Void),
        };
        let function = match self.intrinsics.get(name) {
            Some(&id) => id,
            None => self.import(name, type_id, types),
        };
        let operands = [function].into_iter().chain(ids.iter().copied()).collect::<Vec<_>>();
        let id = self.fresh();
        // In SPIR-V, even calls without a result have a number.
        let call = Instruction::value(Op::FunctionCall, type_id, id, refs(&operands));
        self.block.instructions.push(call);
        result.map(|ty| Val { id, ty })
    }

    /// Calls an intrinsic that has a result.
    pub(in crate::spirv) fn value(&mut self, intrinsic: Intrinsic, ty: Ty, arguments: &[Val]) -> Val {
        match self.call(intrinsic, Some(ty), arguments) {
            Some(value) => {
                self.follow_chosen(value, arguments);
                value
            }
            None => self.undefined(ty),
        }
    }

    /// Declares an intrinsic: an imported function without a body. The compiler identifies it by its linkage
    /// name.
    fn import(&mut self, name: &str, result: Word, types: &[Word]) -> Word {
        let function_type = self.other(Other::Function(result, types.to_vec()));
        let id = self.fresh();
        let parameters = types
            .iter()
            .map(|&ty| {
                let parameter = self.fresh();
                Instruction::value(Op::FunctionParameter, ty, parameter, vec![])
            })
            .collect();
        let head = vec![Operand::Number(NONE), Operand::Id(function_type)];
        let def = Instruction::value(Op::Function, result, id, head);
        self.imports.push(Function { def, parameters, blocks: vec![] });
        let linkage = Operand::from(Decoration::LinkageAttributes);
        let operands = vec![Operand::Id(id), linkage, Operand::from(name), Operand::Number(IMPORT)];
        self.annotations.push(Instruction::effect(Op::Decorate, operands));
        self.intrinsics.insert(name.to_owned(), id);
        id
    }
}
