//! The kernel whose matrices are held as its layouts say.

use rustc_hash::{FxHashMap, FxHashSet};

use super::layouts::Layouts;
use super::part::{Part, flipped, is_vector, transposition};
use super::shapes::Shapes;
use crate::ir::{Bits, Function, Inst, Op, Operands, Type, Value};
use crate::ops::AccessKind;
use crate::spirv::facts::defs::Defs;
use crate::spirv::passes::expand::{Expansion, expanded};

/// Writes each matrix in the ways that it is held; `None` if an instruction needs one in another way.
pub(super) fn rewritten(
    function: &Function,
    defs: &Defs<'_>,
    shapes: &Shapes,
    layouts: &Layouts,
) -> Option<Function> {
    let memory = layouts.memory();
    let places = memory.read.values().chain(memory.written.values());
    let mut writer = Writer {
        defs,
        shapes,
        layouts,
        dropped: places.flat_map(|place| &place.between).copied().collect(),
        written: memory
            .written
            .iter()
            .flat_map(|(x, place)| place.data.iter().map(|data| (*data, *x)))
            .collect(),
        turned: FxHashMap::default(),
        is_whole: true,
    };
    let body = expanded(function, |inst, insts| writer.write(inst, insts))?;
    writer.is_whole.then_some(Function { body, ..function.clone() })
}

struct Writer<'a> {
    defs: &'a Defs<'a>,
    shapes: &'a Shapes,
    layouts: &'a Layouts,
    /// What vectors of buffers replace.
    dropped: FxHashSet<Value>,
    /// The matrices that are written as vectors, by the data of the blocks.
    written: FxHashMap<Value, Value>,
    /// The matrices with columns as rows.
    turned: FxHashMap<Value, Value>,
    /// Whether all operands were found.
    is_whole: bool,
}

impl Writer<'_> {
    fn write(&mut self, inst: &Inst, insts: &mut Expansion) -> bool {
        if inst.result.is_some_and(|x| self.dropped.contains(&x)) {
            return true;
        }
        if let Op::Access { kind: AccessKind::OwordWrite, operands, .. } = &inst.op
            && let Some((data, x)) = operands.last().and_then(|data| self.written.get_key_value(data))
        {
            return self.write_vectors(*data, *x, insts);
        }
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
        let turned = self.flipped_type(inst.ty);
        match inst.result {
            Some(x) if self.shapes.is_matrix(inst.ty) => {
                let own = insts.emit(op, turned);
                self.turned.insert(x, own);
                match inst.op {
                    _ if !is_both || self.layouts.memory().written.contains_key(&x) => {}
                    Op::Splat(_) | Op::Constant(_) => insts.push(inst.op.clone(), Some(x), inst.ty),
                    _ => insts.push(Op::Region(own, transposition(turned)), Some(x), inst.ty),
                }
            }
            Some(x) => insts.push(op, Some(x), inst.ty),
            None => insts.push(op, None, turned),
        }
        true
    }

    /// Writes a matrix with rows as rows, and with columns as rows as well.
    fn write_both(&mut self, inst: &Inst, insts: &mut Expansion) -> bool {
        let Some(x) = inst.result else { return false };
        let matrix = self.shapes.of(inst.ty);
        if let Some(place) = self.layouts.memory().read.get(&x) {
            self.turned.insert(x, place.read(matrix, insts));
            return true;
        }
        insts.push(inst.op.clone(), Some(x), inst.ty);
        let own = match self.flipped(inst) {
            Some(op) if matches!(op, Op::Splat(_) | Op::Constant(_)) => op,
            _ => Op::Region(x, transposition(matrix)),
        };
        self.turned.insert(x, insts.emit(own, flipped(matrix)));
        true
    }

    /// Writes the matrix `x` as vectors in place of the last one of its blocks, and nothing in place of the others.
    fn write_vectors(&mut self, data: Value, x: Value, insts: &mut Expansion) -> bool {
        let place = self.layouts.memory().written.get(&x).filter(|place| place.data.last() == Some(&data));
        if let Some(place) = place {
            match (self.turned.get(&x), self.defs.get(x)) {
                (Some(turned), Some(inst)) => place.write(*turned, self.shapes.of(inst.ty), insts),
                _ => self.is_whole = false,
            }
        }
        true
    }

    fn flipped_type(&self, ty: Type) -> Type {
        flipped(self.shapes.of(ty))
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
                let places = transposition(self.shapes.of(inst.ty));
                Op::Constant(Bits::Each(
                    places.positions(each.len()).filter_map(|n| each.get(n).copied()).collect(),
                ))
            }
            Op::Insert(whole, region, part) => {
                let own = self.defs.get(*part)?.ty;
                let matrix = self.shapes.of(inst.ty);
                let region = Part::of(*region, own, matrix)?.turned(own, matrix);
                Op::Insert(turned(whole)?, region, if is_vector(own) { *part } else { turned(part)? })
            }
            Op::Region(x, region) => {
                let of = self.shapes.of(self.defs.get(*x)?.ty);
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
