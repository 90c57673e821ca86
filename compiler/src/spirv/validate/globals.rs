//! Types, constants, inline assembly and sources.

use super::{InvalidModule, Kind, Result, Validator, access, ensure, fail, id, literal};
use crate::spirv::binary::{Capability, DebugInstruction, Instruction, Op, Operand, StorageClass, Word};
use crate::spirv::types::{ImageKind, Scalar, Ty};

impl Validator {
    /// Checks a type or a constant.
    pub(super) fn global(&mut self, inst: &Instruction) -> Result {
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
    pub(super) fn about_sources(&self, inst: &Instruction) -> Result {
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
}
