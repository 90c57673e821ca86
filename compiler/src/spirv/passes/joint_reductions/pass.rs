//! A pass over a kernel that joins reductions.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::elem::ElemType;
use crate::ir::{Bits, Function, Inst, Op, Region, Type, Value};
use crate::limits::LANES;
use crate::ops::MapKind;

use super::super::expand::{Expansion, uses};
use crate::spirv::target::Target;

/// What reductions must have in common.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Alike {
    pub(super) kind: MapKind,
    pub(super) common: ElemType,
    /// The type of the elements, and how many there are.
    pub(super) elem: ElemType,
    pub(super) count: usize,
}

pub(super) struct Pass {
    form: Target,
    /// The most bytes of the register of joint reductions.
    pub(super) most: usize,
    /// The bytes of the largest one of these registers.
    pub(super) largest: usize,
    /// The instructions of the joint reductions.
    pub(super) insts: Expansion,
    pub(super) types: FxHashMap<Value, Type>,
    /// The registers that are regions of others.
    pub(super) regions: FxHashMap<Value, (Value, Region)>,
    /// The absolute values, which are operand modifiers where a reduction adds them.
    sizes: FxHashSet<Value>,
    /// The elements of constants.
    pub(super) constants: FxHashMap<Value, (Type, u64)>,
    pub(super) uses: FxHashMap<Value, usize>,
    pub(super) changed: bool,
}

impl Pass {
    /// A pass whose joint registers have at most so many bytes.
    pub(super) fn new(function: &Function, form: Target, most: usize) -> Option<Self> {
        let mut pass = Self {
            form,
            most,
            largest: 0,
            insts: Expansion::of(function)?,
            types: FxHashMap::default(),
            regions: FxHashMap::default(),
            sizes: FxHashSet::default(),
            constants: FxHashMap::default(),
            uses: uses(&function.body),
            changed: false,
        };
        for inst in function.body.instructions() {
            let Some(result) = inst.result else { continue };
            match &inst.op {
                Op::Constant(Bits::Splat(bits)) => _ = pass.constants.insert(result, (inst.ty, *bits)),
                Op::Region(x, region) => _ = pass.regions.insert(result, (*x, *region)),
                Op::Map { kind: MapKind::Abs, .. } => _ = pass.sizes.insert(result),
                Op::Map { kind: MapKind::Convert, operands, .. } if pass.sizes.contains(&operands[0]) => {
                    pass.sizes.insert(result);
                }
                _ => {}
            }
            pass.types.insert(result, inst.ty);
        }
        Some(pass)
    }

    /// Notes the types of instructions that were made.
    pub(super) fn typed(&mut self, made: &[Inst]) {
        self.types.extend(made.iter().filter_map(|inst| Some((inst.result?, inst.ty))));
    }

    /// What a reduction has in common with those that it can be computed with.
    pub(super) fn alike(&self, inst: &Inst) -> Option<Alike> {
        let Op::Reduce { kind, common, operand } = inst.op else { return None };
        let ty = self.types.get(&operand)?;
        let (elem, count) = (ty.elem()?, ty.count());
        // Rows of bytes and of 64-bit elements would be moved one by one.
        let sizes = [2, 4].contains(&common.bytes()) && elem.bytes() <= 4;
        let apart = !self.sizes.contains(&operand);
        (sizes && apart && count > 1 && count.is_power_of_two()).then_some(Alike {
            kind,
            common,
            elem,
            count,
        })
    }

    /// The elements of an instruction whose operands are halves of rows: these are in two registers.
    fn lanes_of_rows(&self, elem: ElemType) -> usize {
        (self.form.register_bytes() / elem.bytes()).min(LANES)
    }

    /// The length of the rows from which on several are combined at once.
    pub(super) fn width(&self, alike: Alike) -> usize {
        self.lanes_of_rows(alike.common).min(alike.count)
    }

    /// How many instructions `rows` joint reductions save.
    pub(super) fn gain(&self, alike: Alike, rows: usize, copied: bool) -> i64 {
        let lanes = self.lanes_of_rows(alike.common);
        let steps =
            std::iter::successors(Some(self.width(alike) / 2), |n| Some(n / 2)).take_while(|n| *n > 0);
        let saved: usize = steps.map(|left| rows - (rows * left).div_ceil(lanes)).sum();
        saved as i64 - if copied { rows as i64 } else { 0 }
    }
}
