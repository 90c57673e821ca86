//! Checks modules of this dialect.
//!
//! The validator of SPIRV-Tools rejects vectors of other lengths than 2, 3, 4, 8 and 16. This one accepts
//! only what [`lower`] emits: an instruction that is not listed here is an error.
//!
//! [`lower`]: super::lower()

mod typing;

use std::collections::{HashMap, HashSet};

use thiserror::Error;

use super::binary::{
    ASSEMBLY, AccessQualifier, Capability, DEBUG_INFO, DebugInstruction, Decoration, ExecutionMode, Function,
    Instruction, Module, Op, Operand, StorageClass, Word,
};
use super::intrinsics::{self, Param};
use super::types::{ImageKind, ParameterAccess, Scalar, Ty};
use typing::is_typed;

/// The rule that a module breaks.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("not a valid module of the vector compiler: {0}")]
pub struct InvalidModule(String);

type Result<T = ()> = std::result::Result<T, InvalidModule>;

fn fail<T>(what: impl Into<String>) -> Result<T> {
    Err(InvalidModule(what.into()))
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result {
    if holds { Ok(()) } else { fail(what()) }
}

#[derive(Clone, PartialEq, Debug)]
enum Kind {
    Void,
    Value(Ty),
    Image(ImageKind, ParameterAccess),
    Buffer(ParameterAccess),
    Pointer(StorageClass, Ty),
    Function(Word, Vec<Word>),
}

/// Checks a module: that it decodes, its types and operands, that values are defined before they are used on
/// every way through the kernel, its capabilities, and the names and signatures of intrinsics.
///
/// # Errors
/// If it breaks a rule.
pub fn validate(words: &[u32]) -> Result {
    let module = Module::decode(words).map_err(|e| InvalidModule(e.to_string()))?;
    let mut validator = Validator::default();
    validator.frame(&module)?;
    for inst in &module.globals {
        validator.global(inst)?;
    }
    for function in &module.functions {
        validator.function(function)?;
    }
    validator.used_capabilities()
}

#[derive(Default)]
struct Validator {
    capabilities: HashSet<Capability>,
    needed: HashSet<Capability>,
    kinds: HashMap<Word, Kind>,
    /// The types of values.
    values: HashMap<Word, Word>,
    constants: HashSet<Word>,
    functions: HashMap<Word, (Word, Vec<Word>)>,
    names: HashMap<Word, String>,
    entries: HashSet<Word>,
    /// The targets of inline assembly.
    assemblers: HashSet<Word>,
    /// Instructions that are decorated as side effects.
    effects: HashSet<Word>,
    kernels: HashSet<Word>,
    /// The extended instruction set, strings, and debug instructions.
    sources: HashSet<Word>,
}

fn id(operand: Option<&Operand>) -> Result<Word> {
    match operand {
        Some(Operand::Id(id)) => Ok(*id),
        _ => fail("an operand is not a number of a value"),
    }
}

fn literal(operand: Option<&Operand>) -> Result<u32> {
    match operand {
        Some(Operand::Number(x)) => Ok(*x),
        _ => fail("an operand is not a literal"),
    }
}

fn access(operand: Option<&Operand>) -> Result<ParameterAccess> {
    match AccessQualifier::from_word(literal(operand)?) {
        Some(AccessQualifier::ReadOnly) => Ok(ParameterAccess::Read),
        Some(AccessQualifier::WriteOnly) => Ok(ParameterAccess::Write),
        Some(AccessQualifier::ReadWrite) => Ok(ParameterAccess::ReadWrite),
        None => fail("an image or buffer without access"),
    }
}

impl Validator {
    /// Checks the instructions before the types.
    fn frame(&mut self, module: &Module) -> Result {
        self.needed.extend([
            Capability::Addresses,
            Capability::Linkage,
            Capability::Kernel,
            Capability::VectorComputeINTEL,
        ]);
        let (mut extension, mut assembly, mut models) = (false, false, 0);
        for inst in &module.preamble {
            match inst.op {
                Op::Capability => {
                    self.capabilities.extend(Capability::from_word(literal(inst.operands.first())?));
                }
                Op::Extension => {
                    extension |= inst.operands == ["SPV_INTEL_vector_compute".into()];
                    assembly |= inst.operands == [ASSEMBLY.into()];
                }
                Op::MemoryModel => models += 1,
                Op::EntryPoint => _ = self.entries.insert(id(inst.operands.get(1))?),
                Op::ExecutionMode => self.mode(inst)?,
                Op::ExtInstImport => {
                    ensure(inst.operands == [DEBUG_INFO.into()], || "an unknown set of instructions".into())?;
                    self.sources.extend(inst.result);
                }
                Op::String => self.sources.extend(inst.result),
                _ => self.annotation(inst)?,
            }
        }
        ensure(extension, || "the extension is not named".into())?;
        let needed = self.capabilities.contains(&Capability::AsmINTEL);
        ensure(assembly == needed, || "the extension of assembly is not named".into())?;
        ensure(models == 1, || "there is not exactly one memory model".into())?;
        ensure(self.entries.len() == 1, || "there is not exactly one entry point".into())?;
        ensure(self.kernels == self.entries, || "the kernel is not decorated as one".into())
    }

    fn mode(&mut self, inst: &Instruction) -> Result {
        ensure(self.entries.contains(&id(inst.operands.first())?), || "a mode of no kernel".into())?;
        if inst.operands.get(1) == Some(&ExecutionMode::DenormPreserve.into()) {
            self.needed.insert(Capability::DenormPreserve);
        }
        Ok(())
    }

    fn annotation(&mut self, inst: &Instruction) -> Result {
        let target = id(inst.operands.first())?;
        match Decoration::from_word(literal(inst.operands.get(1))?) {
            Some(Decoration::LinkageAttributes) => {
                let Some(Operand::Text(name)) = inst.operands.get(2) else {
                    return fail("a function without a name");
                };
                ensure(!self.names.values().any(|known| known == name), || {
                    format!("{name} is imported twice")
                })?;
                self.names.insert(target, name.clone());
            }
            Some(Decoration::VectorComputeFunctionINTEL) => _ = self.kernels.insert(target),
            Some(Decoration::SideEffectsINTEL) => _ = self.effects.insert(target),
            Some(Decoration::MediaBlockIOINTEL) => {}
            None => return fail("a decoration that is not known"),
        }
        Ok(())
    }

    fn used_capabilities(&self) -> Result {
        match self.needed.difference(&self.capabilities).next() {
            Some(missing) => fail(format!("the capability {missing:?} is not declared")),
            None => Ok(()),
        }
    }

    fn kind(&self, id: Word) -> Result<&Kind> {
        self.kinds.get(&id).ok_or_else(|| InvalidModule(format!("%{id} is not a type")))
    }

    fn ty(&self, id: Word) -> Result<Ty> {
        match self.kind(id)? {
            Kind::Value(ty) => Ok(*ty),
            kind => fail(format!("{kind:?} is not the type of a value")),
        }
    }

    fn type_of(&self, value: Word) -> Result<Ty> {
        match self.values.get(&value) {
            Some(&ty) => self.ty(ty),
            None => fail(format!("%{value} is not a value")),
        }
    }

    /// Checks a type or a constant.
    fn global(&mut self, inst: &Instruction) -> Result {
        let Some(result) = inst.result else { return fail("a global without a number") };
        let operands = &inst.operands;
        let kind = match inst.op {
            Op::TypeVoid => Kind::Void,
            Op::TypeBool => Kind::Value(Ty::BOOL),
            Op::TypeInt => {
                let bits = literal(operands.first())?;
                ensure(literal(operands.get(1))? == 0, || "an integer type with a sign".into())?;
                match bits {
                    8 => self.needed.insert(Capability::Int8),
                    16 => self.needed.insert(Capability::Int16),
                    64 => self.needed.insert(Capability::Int64),
                    32 => false,
                    _ => return fail("an integer type of odd size"),
                };
                Kind::Value(Ty::new(Scalar::Int(bits), 1))
            }
            Op::TypeFloat => {
                let bits = literal(operands.first())?;
                match bits {
                    16 => self.needed.insert(Capability::Float16),
                    64 => self.needed.insert(Capability::Float64),
                    32 => false,
                    _ => return fail("a float type of odd size"),
                };
                Kind::Value(Ty::new(Scalar::Float(bits), 1))
            }
            Op::TypeVector => {
                let (one, count) = (self.ty(id(operands.first())?)?, literal(operands.get(1))?);
                match count {
                    0 | 1 => return fail("a vector of less than two elements"),
                    2..=4 => {}
                    8 | 16 => _ = self.needed.insert(Capability::Vector16),
                    _ => _ = self.needed.insert(Capability::VectorAnyINTEL),
                }
                ensure(one.count == 1, || "a vector of vectors".into())?;
                Kind::Value(one.times(count as usize))
            }
            Op::TypeImage => {
                self.needed.insert(Capability::ImageBasic);
                let dimensions = [literal(operands.get(1))?, literal(operands.get(3))?];
                match ImageKind::with_dimensions(dimensions) {
                    Some(kind) => Kind::Image(kind, access(operands.last())?),
                    None => return fail("an image of other dimensions"),
                }
            }
            Op::TypeBufferSurfaceINTEL => Kind::Buffer(access(operands.last())?),
            Op::TypePointer => match StorageClass::from_word(literal(operands.first())?) {
                Some(class) => Kind::Pointer(class, self.ty(id(operands.get(1))?)?),
                None => return fail("a pointer to no memory"),
            },
            Op::TypeFunction => {
                let all = inst.ids();
                for &ty in &all {
                    self.kind(ty)?;
                }
                let Some((&result, parameters)) = all.split_first() else {
                    return fail("a function without a type");
                };
                Kind::Function(result, parameters.to_vec())
            }
            Op::AsmTargetINTEL => {
                self.assemblers.insert(result);
                return Ok(());
            }
            Op::AsmINTEL => return self.assembly(inst, result),
            Op::ExtInst => {
                self.about_sources(inst)?;
                self.sources.insert(result);
                return Ok(());
            }
            _ => return self.constant(inst, result),
        };
        // SPIR-V allows each type only once.
        ensure(!self.kinds.values().any(|known| *known == kind), || format!("{kind:?} is declared twice"))?;
        self.kinds.insert(result, kind);
        Ok(())
    }

    /// Checks inline assembly: it must be empty, without operands and result.
    fn assembly(&mut self, inst: &Instruction, result: Word) -> Result {
        self.needed.insert(Capability::AsmINTEL);
        let Kind::Function(given, taken) = self.kind(id(inst.operands.first())?)?.clone() else {
            return fail("assembly of a type that is no function's");
        };
        ensure(self.assemblers.contains(&id(inst.operands.get(1))?), || "assembly for no target".into())?;
        let empty = inst.operands[2..] == ["".into(), "".into()];
        let nothing = self.kind(given)? == &Kind::Void && taken.is_empty();
        ensure(empty && nothing && inst.result_type == Some(given), || "assembly that is not empty".into())?;
        ensure(self.effects.contains(&result), || "assembly without an effect".into())?;
        self.functions.insert(result, (given, taken));
        Ok(())
    }

    /// Checks a debug instruction: it may only refer to earlier instructions, and to the kernel.
    fn about_sources(&self, inst: &Instruction) -> Result {
        let mut ids = inst.ids();
        if inst.operands.get(1) == Some(&DebugInstruction::DebugFunction.into()) {
            ensure(ids.pop().is_some_and(|last| self.entries.contains(&last)), || {
                "a function of the sources that is not the kernel".into()
            })?;
        }
        let void = |id: &Word| self.kinds.get(id) == Some(&Kind::Void);
        ensure(inst.result_type.as_ref().is_some_and(void), || "a value made of sources".into())?;
        ensure(ids.iter().all(|id| self.sources.contains(id) || void(id)), || {
            format!("{:?} of what is not about sources", inst.op)
        })
    }

    fn constant(&mut self, inst: &Instruction, result: Word) -> Result {
        let Some(type_id) = inst.result_type else { return fail("a constant without a type") };
        let ty = self.ty(type_id)?;
        let fits = match inst.op {
            Op::ConstantTrue | Op::ConstantFalse => ty == Ty::BOOL,
            Op::Undef => true,
            Op::Constant => match inst.operands.first() {
                Some(Operand::Wide(_)) => ty.count == 1 && ty.bits() == 64,
                Some(Operand::Number(bits)) => {
                    ty.count == 1 && ty.bits() <= 32 && (ty.bits() == 32 || bits >> ty.bits() == 0)
                }
                _ => false,
            },
            Op::ConstantComposite => {
                let parts = inst.ids();
                let same = parts.iter().all(|part| self.constants.contains(part))
                    && parts.iter().try_fold(true, |all, &part| {
                        Ok::<_, InvalidModule>(all && self.type_of(part)? == ty.one())
                    })?;
                parts.len() == ty.count && ty.count > 1 && same
            }
            op => return fail(format!("{op:?} is not expected outside of functions")),
        };
        ensure(fits, || format!("%{result} is not a constant of its type"))?;
        self.constants.insert(result);
        self.define(result, type_id)
    }

    fn define(&mut self, result: Word, ty: Word) -> Result {
        ensure(self.values.insert(result, ty).is_none(), || format!("%{result} is defined twice"))
    }

    fn function(&mut self, function: &Function) -> Result {
        let def = &function.def;
        let Some(number) = def.result else { return fail("a function without a number") };
        let Kind::Function(result, parameters) = self.kind(id(def.operands.get(1))?)?.clone() else {
            return fail("a function of a type that is not one");
        };
        let types: Vec<Word> = function.parameters.iter().filter_map(|p| p.result_type).collect();
        ensure(types == parameters && def.result_type == Some(result), || {
            format!("function %{number} is not of its type")
        })?;
        if function.blocks.is_empty() {
            let Some(name) = self.names.get(&number) else { return fail("a function without body and name") };
            let value = match self.kind(result)? {
                Kind::Void => None,
                _ => Some(self.ty(result)?),
            };
            let mut signature = vec![];
            for &ty in &parameters {
                signature.push(match self.kind(ty)? {
                    Kind::Value(ty) => Param::Value(*ty),
                    Kind::Image(kind, access) => Param::Image(*kind, *access),
                    Kind::Buffer(access) => Param::Buffer(*access),
                    kind => return fail(format!("{kind:?} as a parameter of {name}")),
                });
            }
            ensure(intrinsics::is_known(name, value, &signature), || {
                format!("there is no intrinsic {name}: {signature:?} -> {value:?}")
            })?;
            self.functions.insert(number, (result, parameters));
            return Ok(());
        }
        ensure(self.kernels.contains(&number), || "a function that is not the kernel".into())?;
        for parameter in &function.parameters {
            if let (Some(result), Some(ty)) = (parameter.result, parameter.result_type) {
                self.define(result, ty)?;
            }
        }
        // Collect the types of all values. `dominance` checks that they are defined before they are used.
        for block in &function.blocks {
            for inst in &block.instructions {
                if let (Some(result), Some(ty)) = (inst.result, inst.result_type) {
                    self.define(result, ty)?;
                }
            }
        }
        self.dominance(function)?;
        for inst in function.blocks.iter().flat_map(|block| &block.instructions) {
            self.inst(inst).map_err(|e| InvalidModule(format!("{:?}: {}", inst.op, e.0)))?;
        }
        Ok(())
    }

    /// Checks that values are defined before they are used, on every path.
    fn dominance(&self, function: &Function) -> Result {
        let labels: Vec<Word> = function.blocks.iter().map(|block| block.label).collect();
        let place = |label: Word| labels.iter().position(|&l| l == label);
        let always: HashSet<Word> = self
            .constants
            .iter()
            .chain(&self.sources)
            .copied()
            .chain(function.parameters.iter().filter_map(|p| p.result))
            .collect();
        // The values that are defined at the start of each block; `None` if no path to it was found yet.
        let mut known: Vec<Option<HashSet<Word>>> = vec![None; labels.len()];
        known[0] = Some(always);
        let mut changed = true;
        while changed {
            changed = false;
            for (at, block) in function.blocks.iter().enumerate() {
                let Some(mut defined) = known[at].clone() else { continue };
                defined.extend(block.instructions.iter().filter_map(|inst| inst.result));
                let Some(last) = block.instructions.last() else { return fail("an empty block") };
                let targets = match last.op {
                    Op::Return => vec![],
                    Op::Branch => last.ids(),
                    Op::BranchConditional => last.ids()[1..].to_vec(),
                    op => return fail(format!("a block ends in {op:?}")),
                };
                for target in targets {
                    let Some(next) = place(target) else { return fail("a branch to no block") };
                    ensure(next != 0, || "a branch to the first block".into())?;
                    let joined: HashSet<Word> = match &known[next] {
                        None => defined.clone(),
                        Some(before) => before.intersection(&defined).copied().collect(),
                    };
                    if known[next].as_ref() != Some(&joined) {
                        known[next] = Some(joined);
                        changed = true;
                    }
                }
            }
        }
        for (block, known) in function.blocks.iter().zip(known) {
            let Some(mut defined) = known else { return fail("a block that no way leads to") };
            for inst in &block.instructions {
                for used in inst.ids() {
                    let fine = defined.contains(&used)
                        || labels.contains(&used)
                        || self.functions.contains_key(&used);
                    ensure(fine, || format!("{:?} uses %{used} before it is defined", inst.op))?;
                }
                defined.extend(inst.result);
            }
        }
        Ok(())
    }

    fn inst(&self, inst: &Instruction) -> Result {
        let all = inst.ids();
        match inst.op {
            Op::Return | Op::Branch | Op::LoopMerge => return Ok(()),
            Op::Line => {
                return ensure(all.iter().all(|file| self.sources.contains(file)), || {
                    "a line of no file".into()
                });
            }
            Op::ExtInst => return self.about_sources(inst),
            Op::BranchConditional => {
                return ensure(all.len() == 3 && self.type_of(all[0])? == Ty::BOOL, || {
                    "not a condition".into()
                });
            }
            Op::FunctionCall | Op::AsmCallINTEL => return self.call(inst, &all),
            Op::Variable | Op::Load | Op::Store => return self.memory(inst, &all),
            Op::ConvertPtrToU => return self.address(inst, &all),
            _ => {}
        }
        let Some(result) = inst.result_type else { return fail("no type") };
        let result = self.ty(result)?;
        let types = all.iter().map(|&x| self.type_of(x)).collect::<Result<Vec<Ty>>>()?;
        let literals: Vec<u32> = inst
            .operands
            .iter()
            .filter_map(|operand| match operand {
                Operand::Number(x) => Some(*x),
                _ => None,
            })
            .collect();
        ensure(is_typed(inst.op, result, &types, &literals), || {
            format!("the operands {types:?} {literals:?} do not give {result:?}")
        })
    }

    fn call(&self, inst: &Instruction, all: &[Word]) -> Result {
        let Some((function, arguments)) = all.split_first() else { return fail("a call of nothing") };
        let Some((result, parameters)) = self.functions.get(function) else {
            return fail("a call of a function that is not imported");
        };
        let types: Option<Vec<Word>> = arguments.iter().map(|x| self.values.get(x).copied()).collect();
        ensure(inst.result_type == Some(*result) && types.as_ref() == Some(parameters), || {
            format!("the arguments of {:?} are not its parameters", self.names.get(function))
        })
    }

    /// Checks an address of device memory.
    fn address(&self, inst: &Instruction, all: &[Word]) -> Result {
        let [pointer] = all else { return fail("not one pointer") };
        let kind = self.values.get(pointer).map(|ty| self.kind(*ty)).transpose()?;
        let ty = inst.result_type.map(|ty| self.ty(ty)).transpose()?;
        let fits =
            matches!(kind, Some(Kind::Pointer(StorageClass::CrossWorkgroup, _))) && ty == Some(Ty::I64);
        ensure(fits, || "not an address of memory of the device".into())
    }

    fn memory(&self, inst: &Instruction, all: &[Word]) -> Result {
        let pointer = |id: Option<&Word>| match id.and_then(|id| self.values.get(id)) {
            Some(&ty) => match self.kind(ty)? {
                Kind::Pointer(StorageClass::Function, ty) => Ok(*ty),
                _ => fail("not a variable"),
            },
            None => fail("not a value"),
        };
        let fits = match inst.op {
            Op::Variable => pointer(inst.result.as_ref()).is_ok(),
            Op::Load => {
                let Some(ty) = inst.result_type else { return fail("no type") };
                pointer(all.first())? == self.ty(ty)?
            }
            _ => all.len() == 2 && pointer(all.first())? == self.type_of(all[1])?,
        };
        ensure(fits, || "not of the variable's type".into())
    }
}
