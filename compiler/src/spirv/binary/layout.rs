//! The sections of a module, in the order that SPIR-V requires.

use super::numbers::Op;
use super::{DecodeError, Instruction, Word};

const MAGIC: Word = 0x0723_0203;
/// The version 1.0. Intel's compilers take 1.0 to 1.4; OpenCL environments from the time of media blocks take
/// 1.0.
const VERSION: Word = 0x0001_0000;
/// The tool that wrote the module. This is the number of rspirv: cm has none of its own, and drivers do not
/// read it.
const GENERATOR: Word = 0x000f_0000;
const SCHEMA: Word = 0;

/// A basic block.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(in crate::spirv) struct Block {
    /// The number of the block.
    pub(in crate::spirv) label: Word,
    /// The instructions after the label. The last one ends the block.
    pub(in crate::spirv) instructions: Vec<Instruction>,
}

/// A function. One without blocks is imported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::spirv) struct Function {
    /// The `OpFunction` instruction.
    pub(in crate::spirv) def: Instruction,
    /// The parameters.
    pub(in crate::spirv) parameters: Vec<Instruction>,
    /// The body.
    pub(in crate::spirv) blocks: Vec<Block>,
}

/// A module.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(in crate::spirv) struct Module {
    /// The bound: the largest number of a result, plus 1.
    pub(in crate::spirv) bound: Word,
    /// The instructions before the types, in order.
    pub(in crate::spirv) preamble: Vec<Instruction>,
    /// Types and constants.
    pub(in crate::spirv) globals: Vec<Instruction>,
    /// Functions without a body come before those with one.
    pub(in crate::spirv) functions: Vec<Function>,
}

/// The section of a preamble instruction; `None` for other instructions.
const fn section(op: Op) -> Option<u32> {
    match op {
        Op::Capability => Some(0),
        Op::Extension => Some(1),
        Op::ExtInstImport => Some(2),
        Op::MemoryModel => Some(3),
        Op::EntryPoint => Some(4),
        Op::ExecutionMode => Some(5),
        Op::String => Some(6),
        Op::Decorate => Some(7),
        _ => None,
    }
}

/// Whether an instruction is a type or a constant.
const fn is_global(op: Op) -> bool {
    matches!(
        op,
        Op::TypeVoid
            | Op::TypeBool
            | Op::TypeInt
            | Op::TypeFloat
            | Op::TypeVector
            | Op::TypeImage
            | Op::TypePointer
            | Op::TypeFunction
            | Op::TypeBufferSurfaceINTEL
            | Op::Undef
            | Op::Constant
            | Op::ConstantTrue
            | Op::ConstantFalse
            | Op::ConstantComposite
            | Op::AsmTargetINTEL
            | Op::AsmINTEL
            | Op::ExtInst
    )
}

impl Module {
    /// The words of the module.
    pub(in crate::spirv) fn encode(&self) -> Vec<Word> {
        let mut words = vec![MAGIC, VERSION, GENERATOR, self.bound, SCHEMA];
        for instruction in self.preamble.iter().chain(&self.globals) {
            instruction.encode(&mut words);
        }
        for function in &self.functions {
            function.encode(&mut words);
        }
        words
    }

    /// Decodes a module.
    pub(in crate::spirv) fn decode(words: &[Word]) -> Result<Self, DecodeError> {
        let [MAGIC, VERSION, _, bound, SCHEMA, rest @ ..] = words else {
            return Err(DecodeError::Header);
        };
        let mut module = Self { bound: *bound, ..Self::default() };
        let mut function = None;
        let (mut rest, mut place) = (rest, 0);
        while !rest.is_empty() {
            let (instruction, behind) = Instruction::decode(rest, words.len() - rest.len())?;
            rest = behind;
            let op = instruction.op;
            let wrong = DecodeError::Place { op };
            match (&mut function, section(op)) {
                (None, Some(section)) if section >= place => {
                    place = section;
                    module.preamble.push(instruction);
                }
                (_, Some(_)) => return Err(wrong),
                (None, None) if op == Op::Function => {
                    function = Some(Function { def: instruction, parameters: vec![], blocks: vec![] });
                }
                (None, None) if module.functions.is_empty() && is_global(op) => {
                    place = u32::MAX;
                    module.globals.push(instruction);
                }
                (None, None) => return Err(wrong),
                (Some(open), None) if op == Op::FunctionEnd => {
                    if open.blocks.last().is_some_and(|block| !block.has_ended()) {
                        return Err(wrong);
                    }
                    module.functions.extend(function.take());
                }
                (Some(open), None) => open.take(instruction).map_err(|()| wrong)?,
            }
        }
        if function.is_some() { Err(DecodeError::Unfinished) } else { Ok(module) }
    }
}

impl Block {
    fn has_ended(&self) -> bool {
        self.instructions
            .last()
            .is_some_and(|last| matches!(last.op, Op::Return | Op::Branch | Op::BranchConditional))
    }
}

impl Function {
    fn encode(&self, words: &mut Vec<Word>) {
        self.def.encode(words);
        for parameter in &self.parameters {
            parameter.encode(words);
        }
        for block in &self.blocks {
            Instruction::untyped(Op::Label, block.label, vec![]).encode(words);
            for instruction in &block.instructions {
                instruction.encode(words);
            }
        }
        Instruction::effect(Op::FunctionEnd, vec![]).encode(words);
    }

    /// Appends an instruction if it may follow the existing ones.
    fn take(&mut self, instruction: Instruction) -> Result<(), ()> {
        let in_head = self.blocks.is_empty();
        let open = self.blocks.last_mut().filter(|block| !block.has_ended());
        match (instruction.op, instruction.result, open) {
            (Op::Label, Some(label), None) => self.blocks.push(Block { label, instructions: vec![] }),
            (Op::FunctionParameter, ..) if in_head => self.parameters.push(instruction),
            (Op::Label | Op::FunctionParameter | Op::Function, ..) | (.., None) => return Err(()),
            (.., Some(block)) => block.instructions.push(instruction),
        }
        Ok(())
    }
}
