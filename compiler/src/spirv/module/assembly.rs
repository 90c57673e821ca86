//! The words of a finished module.

use rspirv::binary::Assemble;
use rspirv::dr::{Function, Instruction, Module, ModuleHeader, Operand};
use spirv::{Capability, Decoration, FunctionControl, Op, Word};

use super::{Builder, Other};

impl Builder {
    /// The module, with the kernel under its name.
    pub(in crate::spirv) fn finish(mut self, name: &str) -> Vec<Word> {
        let void = self.other(Other::Void);
        let types: Vec<Word> = self.parameters.iter().filter_map(|p| p.result_type).collect();
        let function_type = self.other(Other::Function(void, types));
        let kernel = self.fresh();
        // Without this the compiler succeeds and emits no kernel.
        self.decorate(kernel, Decoration::VectorComputeFunctionINTEL);
        if let Some(entry) = self.blocks.first_mut() {
            // SPIR-V wants all variables at the start of the first block.
            entry.instructions.splice(0..0, self.variables);
        }
        let function = Function {
            def: Some(Instruction::new(
                Op::Function,
                Some(void),
                Some(kernel),
                vec![Operand::FunctionControl(FunctionControl::NONE), Operand::IdRef(function_type)],
            )),
            end: Some(Instruction::new(Op::FunctionEnd, None, None, vec![])),
            parameters: self.parameters,
            blocks: self.blocks,
        };
        let mut module = Module::new();
        let mut header = ModuleHeader::new(self.bound);
        // Intel's compilers take 1.0 to 1.4; OpenCL environments of the age of media blocks take 1.0.
        header.set_version(1, 0);
        module.header = Some(header);
        module.capabilities = self
            .capabilities
            .iter()
            .filter_map(|&c| Capability::from_u32(c))
            .map(|c| Instruction::new(Op::Capability, None, None, vec![Operand::Capability(c)]))
            .collect();
        module.extensions = self
            .extensions
            .iter()
            .map(|&name| {
                Instruction::new(Op::Extension, None, None, vec![Operand::LiteralString(name.to_owned())])
            })
            .collect();
        module.memory_model = Some(Instruction::new(
            Op::MemoryModel,
            None,
            None,
            vec![
                Operand::AddressingModel(spirv::AddressingModel::Physical64),
                Operand::MemoryModel(spirv::MemoryModel::OpenCL),
            ],
        ));
        module.entry_points = vec![Instruction::new(
            Op::EntryPoint,
            None,
            None,
            vec![
                Operand::ExecutionModel(spirv::ExecutionModel::Kernel),
                Operand::IdRef(kernel),
                Operand::LiteralString(name.to_owned()),
            ],
        )];
        module.execution_modes = self
            .modes
            .iter()
            .map(|&(mode, operand)| {
                let mut operands = vec![Operand::IdRef(kernel), Operand::ExecutionMode(mode)];
                operands.extend(operand.map(Operand::LiteralBit32));
                Instruction::new(Op::ExecutionMode, None, None, operands)
            })
            .collect();
        module.annotations = self.annotations;
        module.types_global_values = self.globals;
        // SPIR-V wants functions without a body before those with one.
        module.functions = self.imports;
        module.functions.push(function);
        module.assemble()
    }
}
