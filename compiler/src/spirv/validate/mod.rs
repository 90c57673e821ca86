//! Checks modules of this dialect.
//!
//! The validator of SPIRV-Tools rejects vectors of other lengths than 2, 3, 4, 8 and 16. This one accepts
//! only what [`lower`] emits: an instruction that is not listed here is an error.
//!
//! [`lower`]: crate::spirv::lower()

mod functions;
mod globals;
mod typing;

use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use super::binary::{
    ASSEMBLY, AccessQualifier, Capability, DEBUG_INFO, Decoration, ExecutionMode, Instruction, Module, Op,
    Operand, StorageClass, Word,
};
use super::types::{ImageKind, ParameterAccess, Ty};

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
    capabilities: FxHashSet<Capability>,
    needed: FxHashSet<Capability>,
    kinds: FxHashMap<Word, Kind>,
    /// The types of values.
    values: FxHashMap<Word, Word>,
    constants: FxHashSet<Word>,
    functions: FxHashMap<Word, (Word, Vec<Word>)>,
    names: FxHashMap<Word, String>,
    entries: FxHashSet<Word>,
    /// The targets of inline assembly.
    assemblers: FxHashSet<Word>,
    /// Instructions that are decorated as side effects.
    effects: FxHashSet<Word>,
    kernels: FxHashSet<Word>,
    /// The extended instruction set, strings, and debug instructions.
    sources: FxHashSet<Word>,
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

    fn define(&mut self, result: Word, ty: Word) -> Result {
        ensure(self.values.insert(result, ty).is_none(), || format!("%{result} is defined twice"))
    }
}
