//! The words of a finished module.

use super::debug::Debug;
use super::{Builder, Other};
use crate::spirv::binary::{
    Decoration, Function, Instruction, KERNEL, Module, NONE, OPENCL, Op, Operand, PHYSICAL_64, Word,
};

impl Builder {
    /// Finishes the module; the kernel gets this name.
    pub(in crate::spirv) fn finish(mut self, name: &str) -> Vec<Word> {
        let void = self.other(Other::Void);
        let types: Vec<Word> = self.parameters.iter().filter_map(|p| p.result_type).collect();
        let function_type = self.other(Other::Function(void, types));
        let kernel = self.kernel();
        // Without this decoration, the compiler succeeds but emits no kernel.
        self.decorate(kernel, Decoration::VectorComputeFunctionINTEL);
        let preamble = self.preamble(kernel, name);
        if let Some(entry) = self.blocks.first_mut() {
            // SPIR-V requires all variables at the start of the first block.
            entry.instructions.splice(0..0, self.variables);
        }
        let head = vec![Operand::Number(NONE), Operand::Id(function_type)];
        let def = Instruction::value(Op::Function, void, kernel, head);
        // SPIR-V requires functions without a body before those with one.
        let mut functions = self.imports;
        functions.push(Function { def, parameters: self.parameters, blocks: self.blocks });
        Module { bound: self.bound, preamble, globals: self.globals, functions }.encode()
    }

    /// The instructions before the types.
    fn preamble(&mut self, kernel: Word, name: &str) -> Vec<Instruction> {
        let capability = |&c| Instruction::effect(Op::Capability, vec![Operand::from(c)]);
        let extension = |&name: &&str| Instruction::effect(Op::Extension, vec![Operand::from(name)]);
        let mode = |&(mode, operand): &(_, Option<u32>)| {
            let mut operands = vec![Operand::Id(kernel), Operand::from(mode)];
            operands.extend(operand.map(Operand::Number));
            Instruction::effect(Op::ExecutionMode, operands)
        };
        let model = vec![Operand::Number(PHYSICAL_64), Operand::Number(OPENCL)];
        let entry = vec![Operand::Number(KERNEL), Operand::Id(kernel), Operand::from(name)];
        let mut preamble: Vec<Instruction> = self.capabilities.iter().map(capability).collect();
        preamble.extend(self.extensions.iter().map(extension));
        preamble.extend(self.debug.as_ref().map(Debug::import));
        preamble.push(Instruction::effect(Op::MemoryModel, model));
        preamble.push(Instruction::effect(Op::EntryPoint, entry));
        preamble.extend(self.modes.iter().map(mode));
        if let Some(debug) = self.debug.take() {
            preamble.extend(debug.strings);
            self.globals.extend(debug.globals);
        }
        preamble.append(&mut self.annotations);
        preamble
    }
}
