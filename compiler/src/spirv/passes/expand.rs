//! Rewrites kernels in which one instruction is expanded into several.

use rustc_hash::FxHashMap;

use crate::elem::ElemType;
use crate::ir::{Bits, Block, Function, Inst, Location, Op, Type, Value, Variable};
use crate::ops::MapKind;
use crate::pressure::RegisterReport;

/// Whether the registers of a rewritten kernel leave a quarter of `budget` bytes to the compiler.
pub(crate) fn fits(function: &Function, budget: usize) -> bool {
    leaves_a_quarter(peak(function), budget)
}

/// Whether the registers of a kernel [fit](fits) after it was rewritten, or are no more than those of the kernel before.
pub(crate) fn has_room(before: &Function, after: &Function, budget: usize) -> bool {
    let needed = peak(after);
    leaves_a_quarter(needed, budget) || needed <= peak(before)
}

const fn leaves_a_quarter(needed: usize, budget: usize) -> bool {
    needed <= budget / 4 * 3
}

/// The most bytes of registers that are needed at once.
fn peak(function: &Function) -> usize {
    RegisterReport::of_verified(function).peak().bytes
}

/// How many operands each value is.
pub(crate) fn uses(body: &Block) -> FxHashMap<Value, usize> {
    let mut uses = FxHashMap::default();
    for x in body.instructions().flat_map(|inst| inst.op.operands()) {
        *uses.entry(x).or_default() += 1;
    }
    uses
}

/// The instructions that replace others.
pub(crate) struct Expansion {
    /// The number of the next value.
    next: u32,
    /// The number of the next variable.
    variables: u32,
    types: FxHashMap<Value, Type>,
    insts: Vec<Inst>,
    /// The source location of the replaced instruction.
    location: Location,
}

impl Expansion {
    /// No instructions yet. Their values and variables have numbers that a kernel does not use. `None` if the kernel is
    /// empty.
    pub(crate) fn of(function: &Function) -> Option<Self> {
        let location = function.body.insts.first()?.location.clone();
        Some(Self {
            next: function.body.next_value(),
            variables: function.body.next_variable(),
            types: FxHashMap::default(),
            insts: vec![],
            location,
        })
    }

    /// The instructions that `write` adds, at this source location, and its result.
    pub(crate) fn at<T>(
        &mut self,
        location: &Location,
        write: impl FnOnce(&mut Self) -> T,
    ) -> (Vec<Inst>, T) {
        self.location.clone_from(location);
        let (block, written) = self.nested(write);
        (block.insts, written)
    }

    /// Adds an instruction.
    pub(crate) fn emit(&mut self, op: Op, ty: Type) -> Value {
        let value = Value(self.next);
        self.next += 1;
        self.push(op, Some(value), ty);
        value
    }

    /// Adds an instruction. `result` is the number of its result, if it has one.
    pub(crate) fn push(&mut self, op: Op, result: Option<Value>, ty: Type) {
        self.insts.push(Inst { op, result, ty, location: self.location.clone() });
    }

    /// A constant with the same bits in each element.
    pub(crate) fn constant(&mut self, bits: u64, ty: Type) -> Value {
        self.emit(Op::Constant(Bits::Splat(bits)), ty)
    }

    /// A constant `i32`.
    pub(crate) fn i32(&mut self, x: i64) -> Value {
        self.constant(u64::from(x as i32 as u32), Type::scalar(ElemType::I32))
    }

    /// A scalar in each element.
    pub(crate) fn splat(&mut self, x: Value, ty: Type) -> Value {
        if ty.count() == 1 { x } else { self.emit(Op::Splat(x), ty) }
    }

    /// An operation that is computed in the type `common`.
    pub(crate) fn map(&mut self, kind: MapKind, common: ElemType, operands: &[Value], ty: Type) -> Value {
        self.emit(Op::map(kind, common, operands), ty)
    }

    /// An operation on two `i32`.
    pub(crate) fn map_i32(&mut self, kind: MapKind, a: Value, b: Value) -> Value {
        self.map(kind, ElemType::I32, &[a, b], Type::scalar(ElemType::I32))
    }

    /// The next variable.
    pub(crate) fn variable(&mut self) -> Variable {
        self.variables += 1;
        Variable(self.variables - 1)
    }

    /// A register whose elements may have any bits.
    pub(crate) fn undefined(&mut self, ty: Type) -> Value {
        let variable = self.variable();
        self.push(Op::Declare(variable, None), None, ty);
        self.emit(Op::Load(variable), ty)
    }

    /// Collects the instructions that `write` adds in a block.
    pub(crate) fn nested<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> (Block, T) {
        let outer = std::mem::take(&mut self.insts);
        let written = write(self);
        (Block { insts: std::mem::replace(&mut self.insts, outer) }, written)
    }

    /// The type of a value of the kernel.
    pub(crate) fn ty(&self, value: Value) -> Option<Type> {
        self.types.get(&value).copied()
    }

    fn block(&mut self, block: &Block, replace: &mut impl FnMut(&Inst, &mut Self) -> bool) -> Block {
        let (block, ()) = self.nested(|expansion| {
            for inst in &block.insts {
                expansion.types.extend(inst.result.map(|result| (result, inst.ty)));
                expansion.location.clone_from(&inst.location);
                if replace(inst, expansion) {
                    continue;
                }
                let mut inst = inst.clone();
                for block in inst.op.blocks_mut() {
                    *block = expansion.block(block, replace);
                }
                expansion.insts.push(inst);
            }
        });
        block
    }
}

/// The body of a kernel with replaced instructions. For each instruction, `replace` either emits a
/// replacement and returns `true`, or returns `false`.
pub(crate) fn expanded(
    function: &Function,
    mut replace: impl FnMut(&Inst, &mut Expansion) -> bool,
) -> Option<Block> {
    let mut expansion = Expansion::of(function)?;
    Some(expansion.block(&function.body, &mut replace))
}

/// Splits `count` elements into powers of two of at most `most`, as messages carry them: the start and the count of each.
pub(crate) fn parts(count: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let part = 1 << (count - at).min(most).checked_ilog2()?;
        at += part;
        Some((at - part, part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::kernel;

    #[test]
    fn a_rewritten_kernel_may_need_what_it_needed_before() {
        let of = |lines: &str| {
            kernel(&format!(
                "%0: i32 = constant 3; %1: u32<4x16> = read #0 %0, %0; {lines} write #1 %0, %0, %9: u32<4x16>;\n"
            ))
        };
        let short = of("%9: u32<4x16> = add.u32 %1, %1;");
        let long = of("%2: u32<4x16> = read #0 %0, %0; %9: u32<4x16> = add.u32 %1, %2;");
        assert!(has_room(&short, &long, 4096) && fits(&long, 4096));
        assert!(!has_room(&short, &long, 256) && !fits(&short, 256));
        assert!(has_room(&long, &short, 256) && has_room(&long, &long, 256));
    }
}
