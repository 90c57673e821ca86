//! Source locations in a module, for debuggers, profilers and the simulated GPU, as the extended instructions
//! `OpenCL.DebugInfo.100`.
//!
//! A kernel is one function. Code that was inlined from helpers in other files is a lexical block of the
//! kernel in that file.

use std::collections::BTreeMap;

use crate::ir::Location;
use crate::spirv::binary::{DEBUG_INFO, DebugInstruction, Instruction, Op, Operand, Word};

/// The version of the extended instructions.
const VERSION: u32 = 0x10000;
/// The version of DWARF that the compiler writes.
const DWARF: u32 = 4;
/// The closest language that SPIR-V has a number for: `OpenCL_C`. Rust has none.
const LANGUAGE: u32 = 3;
/// `FlagIsPublic`.
const PUBLIC: u32 = 0b11;
/// `FlagIsDefinition`.
const DEFINITION: u32 = 1 << 3;

/// The debug information of a kernel, and the location of its last instruction.
#[derive(Debug)]
pub(super) struct Debug {
    /// The number of the extended instruction set.
    set: Word,
    /// The result type of extended instructions.
    void: Word,
    /// The file contents of every source: empty.
    no_text: Word,
    /// The function of the kernel, and its debug function.
    pub(super) kernel: Word,
    function: Word,
    /// The strings of the module.
    pub(super) strings: Vec<Instruction>,
    /// The instructions among the types and constants.
    pub(super) globals: Vec<Instruction>,
    /// For each file, the string of its name, and the scope of its instructions: the kernel, or a block of
    /// it.
    files: BTreeMap<String, (Word, Word)>,
    /// The location of the last instruction of this block.
    last: Option<Location>,
}

/// The next result number.
fn fresh(bound: &mut Word) -> Word {
    *bound += 1;
    *bound - 1
}

/// A location, as operands.
fn numbers(at: &Location) -> [Operand; 2] {
    [at.line, at.column].map(Operand::Number)
}

impl Debug {
    /// The debug information of a kernel that begins at this location. `bound` is the next result number.
    pub(super) fn new(bound: &mut Word, void: Word, name: &str, at: &Location) -> Self {
        let [set, no_text, kernel] = [(); 3].map(|()| fresh(bound));
        let (strings, globals, files) = Default::default();
        let mut debug = Self { set, void, no_text, kernel, function: 0, strings, globals, files, last: None };
        debug.strings.push(Instruction::untyped(Op::String, no_text, vec!["".into()]));
        let [name, file] = [name, &at.file].map(|text| debug.string(bound, text));
        let source = debug.source(bound, file);
        let [version, dwarf, language] = [VERSION, DWARF, LANGUAGE].map(Operand::Number);
        let unit = vec![version, dwarf, Operand::Id(source), language];
        let unit = debug.global(bound, DebugInstruction::DebugCompilationUnit, unit);
        let ty = vec![Operand::Number(PUBLIC), Operand::Id(void)];
        let ty = debug.global(bound, DebugInstruction::DebugTypeFunction, ty);
        let [line, column] = numbers(at);
        let flags = Operand::Number(PUBLIC | DEFINITION);
        let [name, ty, source, unit, kernel] = [name, ty, source, unit, kernel].map(Operand::Id);
        let function = vec![name.clone(), ty, source, line.clone(), column, unit, name, flags, line, kernel];
        debug.function = debug.global(bound, DebugInstruction::DebugFunction, function);
        debug.files.insert(at.file.to_string(), (file, debug.function));
        debug
    }

    /// The instruction that imports the instruction set.
    pub(super) fn import(&self) -> Instruction {
        Instruction::untyped(Op::ExtInstImport, self.set, vec![DEBUG_INFO.into()])
    }

    /// The instructions that give the next instructions of the block this location.
    pub(super) fn at(&mut self, bound: &mut Word, at: &Location) -> Vec<Instruction> {
        let last = self.last.replace(at.clone());
        if last.as_ref() == Some(at) {
            return vec![];
        }
        let (file, scope) = self.file(bound, at);
        let mut said = vec![];
        if last.is_none_or(|last| last.file != at.file) {
            said.push(self.extended(bound, DebugInstruction::DebugScope, vec![Operand::Id(scope)]));
        }
        let [line, column] = numbers(at);
        said.push(Instruction::effect(Op::Line, vec![Operand::Id(file), line, column]));
        said
    }

    /// Locations do not extend beyond a block.
    pub(super) fn end_block(&mut self) {
        self.last = None;
    }

    /// The string of the name of a file, and the scope of its instructions.
    fn file(&mut self, bound: &mut Word, at: &Location) -> (Word, Word) {
        if let Some(&known) = self.files.get(&*at.file) {
            return known;
        }
        let name = self.string(bound, &at.file);
        let source = self.source(bound, name);
        let [line, column] = numbers(at);
        let place = vec![Operand::Id(source), line, column, Operand::Id(self.function)];
        let block = self.global(bound, DebugInstruction::DebugLexicalBlock, place);
        self.files.insert(at.file.to_string(), (name, block));
        (name, block)
    }

    fn string(&mut self, bound: &mut Word, text: &str) -> Word {
        let id = fresh(bound);
        self.strings.push(Instruction::untyped(Op::String, id, vec![text.into()]));
        id
    }

    fn source(&mut self, bound: &mut Word, name: Word) -> Word {
        let operands = vec![Operand::Id(name), Operand::Id(self.no_text)];
        self.global(bound, DebugInstruction::DebugSource, operands)
    }

    /// Adds an extended instruction to the types and constants. Returns its number.
    fn global(&mut self, bound: &mut Word, which: DebugInstruction, operands: Vec<Operand>) -> Word {
        let id = *bound;
        let instruction = self.extended(bound, which, operands);
        self.globals.push(instruction);
        id
    }

    /// An extended instruction with the next number.
    fn extended(&self, bound: &mut Word, which: DebugInstruction, mut operands: Vec<Operand>) -> Instruction {
        operands.splice(0..0, [Operand::Id(self.set), which.into()]);
        Instruction::value(Op::ExtInst, self.void, fresh(bound), operands)
    }
}

#[cfg(test)]
mod tests {
    use crate::spirv::binary::{Instruction, Module, Op, Operand};
    use crate::spirv::{RegisterFile, Target, lower, lower_with_debug_info, validate};
    use crate::text::parse;

    const KERNEL: &str = "file 0 \"kernel.rs\"\nfile 1 \"helper.rs\"\nkernel k(a: read surface, z: write surface) {\n  \
        %0: i32 = constant 0 @0:10:1\n  %1: u8<2x8> = read #0 %0, %0 @0:20:5\n  \
        %2: u8<2x8> = add.u8 %1, %1 @1:3:7\n  %3: condition = any %2 @0:30:2\n  if %3 @0:30:2 {\n    \
        write #1 %0, %0, %2: u8<2x8> @0:31:9\n  }\n}\n";

    fn text(module: &Module, id: &Operand) -> String {
        let Operand::Id(id) = id else { panic!("{id:?} is no number") };
        let is = |inst: &&Instruction| inst.op == Op::String && inst.result == Some(*id);
        match &module.preamble.iter().find(is).expect("a string").operands[..] {
            [Operand::Text(text)] => text.clone(),
            operands => panic!("{operands:?}"),
        }
    }

    #[test]
    fn instructions_have_the_file_and_line_of_the_source() {
        let function = parse(KERNEL).unwrap();
        for &target in Target::ALL {
            let words = lower_with_debug_info(&function, target, RegisterFile::Standard).unwrap();
            validate(&words).unwrap();
            let module = Module::decode(&words).unwrap();
            let mut found = vec![];
            for block in &module.functions.last().unwrap().blocks {
                let mut at = None;
                for inst in &block.instructions {
                    if let (Op::Line, [file, Operand::Number(line), Operand::Number(column)]) =
                        (inst.op, &inst.operands[..])
                    {
                        at = Some((text(&module, file), *line, *column));
                    } else if matches!(inst.op, Op::IAdd | Op::FunctionCall) {
                        found.push((inst.op, at.clone().expect("a line at the start of each block")));
                    }
                }
            }
            for (op, file, line, column) in [
                (Op::FunctionCall, "kernel.rs", 20, 5),
                (Op::IAdd, "helper.rs", 3, 7),
                (Op::FunctionCall, "kernel.rs", 31, 9),
            ] {
                let place = (op, (file.to_owned(), line, column));
                assert!(found.contains(&place), "no {place:?} for {target}: {found:?}");
            }
        }
    }

    #[test]
    fn modules_say_it_only_if_asked() {
        let module = Module::decode(&lower(&parse(KERNEL).unwrap(), Target::Gen9).unwrap()).unwrap();
        let all = module.functions.iter().flat_map(|function| &function.blocks);
        let all = all.flat_map(|block| &block.instructions).chain(&module.preamble).chain(&module.globals);
        let said =
            all.filter(|inst| matches!(inst.op, Op::Line | Op::ExtInst | Op::ExtInstImport | Op::String));
        assert_eq!(said.count(), 0);
    }
}
