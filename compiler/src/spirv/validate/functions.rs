//! The kernel, and the functions that it calls.

use rustc_hash::FxHashSet;

use super::typing::is_typed;
use super::{InvalidModule, Kind, Result, Validator, ensure, fail, id};
use crate::spirv::binary::{Function, Instruction, Op, Operand, StorageClass, Word};
use crate::spirv::intrinsics::{self, Param};
use crate::spirv::types::Ty;

impl Validator {
    pub(super) fn function(&mut self, function: &Function) -> Result {
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
        let always: FxHashSet<Word> = self
            .constants
            .iter()
            .chain(&self.sources)
            .copied()
            .chain(function.parameters.iter().filter_map(|p| p.result))
            .collect();
        // The values that are defined at the start of each block; `None` if no path to it was found yet.
        let mut known: Vec<Option<FxHashSet<Word>>> = vec![None; labels.len()];
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
                    let joined: FxHashSet<Word> = match &known[next] {
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
