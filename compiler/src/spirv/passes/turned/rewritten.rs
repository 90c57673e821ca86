//! The kernel whose matrices are held as its layouts say.

use rustc_hash::FxHashMap;

use super::layouts::Layouts;
use super::part::{Part, flipped, is_vector};
use crate::ir::{Bits, Function, Inst, Op, Operands, Region, Type, Value};
use crate::spirv::facts::defs::Defs;
use crate::spirv::passes::expand::{Expansion, expanded};

/// Writes each matrix in the ways that it is held; `None` if an instruction needs one in another way.
pub(super) fn rewritten(function: &Function, defs: &Defs<'_>, layouts: &Layouts) -> Option<Function> {
    let mut writer = Writer { defs, layouts, turned: FxHashMap::default(), is_whole: true };
    let body = expanded(function, |inst, insts| writer.write(inst, insts))?;
    writer.is_whole.then_some(Function { body, ..function.clone() })
}

struct Writer<'a> {
    defs: &'a Defs<'a>,
    layouts: &'a Layouts,
    /// The matrices with columns as rows.
    turned: FxHashMap<Value, Value>,
    /// Whether all operands were found.
    is_whole: bool,
}

/// The transposition of a matrix.
const fn transposition(ty: Type) -> Region {
    Region { offset: 0, dynamic: None, row_stride: 1, width: ty.rows, column_stride: ty.columns }
}

impl Writer<'_> {
    fn write(&mut self, inst: &Inst, insts: &mut Expansion) -> bool {
        let is_turned = match (&inst.op, inst.result) {
            (Op::Declare(variable, _) | Op::Store(variable, _), _) => {
                self.layouts.is_variable_turned(*variable)
            }
            (_, result) => result.is_some_and(|x| self.layouts.is_turned(x)),
        };
        let is_both = inst.result.is_some_and(|x| self.layouts.is_both(x));
        if !is_turned {
            return is_both && self.write_both(inst, insts);
        }
        let Some(op) = self.flipped(inst) else {
            self.is_whole = false;
            return false;
        };
        match inst.result {
            Some(x) if !is_vector(inst.ty) => {
                let own = insts.emit(op, flipped(inst.ty));
                self.turned.insert(x, own);
                match inst.op {
                    _ if !is_both => {}
                    Op::Splat(_) | Op::Constant(_) => insts.push(inst.op.clone(), Some(x), inst.ty),
                    _ => insts.push(Op::Region(own, transposition(flipped(inst.ty))), Some(x), inst.ty),
                }
            }
            Some(x) => insts.push(op, Some(x), inst.ty),
            None => insts.push(op, None, flipped(inst.ty)),
        }
        true
    }

    /// Writes a matrix with rows as rows, and with columns as rows as well.
    fn write_both(&mut self, inst: &Inst, insts: &mut Expansion) -> bool {
        let Some(x) = inst.result else { return false };
        insts.push(inst.op.clone(), Some(x), inst.ty);
        let own = match self.flipped(inst) {
            Some(op) if matches!(op, Op::Splat(_) | Op::Constant(_)) => op,
            _ => Op::Region(x, transposition(inst.ty)),
        };
        self.turned.insert(x, insts.emit(own, flipped(inst.ty)));
        true
    }

    /// An operation on matrices with columns as rows.
    fn flipped(&self, inst: &Inst) -> Option<Op> {
        let turned = |x: &Value| self.turned.get(x).copied();
        Some(match &inst.op {
            Op::Map { kind, common, saturate, operands } => {
                let operands: Option<Vec<Value>> = operands.iter().map(turned).collect();
                Op::Map {
                    kind: *kind,
                    common: *common,
                    saturate: *saturate,
                    operands: Operands::new(&operands?),
                }
            }
            Op::Constant(Bits::Each(each)) => {
                let places = transposition(inst.ty);
                Op::Constant(Bits::Each(
                    places.positions(each.len()).filter_map(|n| each.get(n).copied()).collect(),
                ))
            }
            Op::Insert(whole, region, part) => {
                let own = self.defs.get(*part)?.ty;
                let region = Part::of(*region, own, inst.ty)?.turned(own, inst.ty);
                Op::Insert(turned(whole)?, region, if is_vector(own) { *part } else { turned(part)? })
            }
            Op::Region(x, region) => {
                let of = self.defs.get(*x)?.ty;
                Op::Region(turned(x)?, Part::of(*region, inst.ty, of)?.turned(inst.ty, of))
            }
            Op::Declare(variable, init) => {
                let init = match init {
                    Some(x) => Some(turned(x)?),
                    None => None,
                };
                Op::Declare(*variable, init)
            }
            Op::Store(variable, x) => Op::Store(*variable, turned(x)?),
            op @ (Op::Load(_) | Op::Splat(_) | Op::Constant(_)) => op.clone(),
            _ => return None,
        })
    }
}
