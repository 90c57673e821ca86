//! The rows and columns of registers: those that they have, or for vectors those that a kernel takes of them.

use rustc_hash::FxHashMap;

use super::part::{is_matrix, is_vector};
use crate::ir::{Function, Op, Type, Value};
use crate::limits::DWORD;
use crate::spirv::facts::defs::Defs;

/// The columns of vectors of which every so manieth element is taken, by their elements.
pub(super) struct Shapes(FxHashMap<usize, usize>);

impl Shapes {
    /// Those of a kernel: the distances that most parts of dwords have. Shorter elements have instructions of their own.
    pub(super) fn taken(function: &Function, defs: &Defs<'_>) -> Self {
        let mut votes = FxHashMap::<usize, FxHashMap<usize, usize>>::default();
        let ty = |x: Value| defs.get(x).map(|inst| inst.ty);
        for inst in function.body.instructions() {
            let (whole, region, part) = match inst.op {
                Op::Region(of, region) => (ty(of), region, Some(inst.ty)),
                Op::Insert(_, region, part) => (Some(inst.ty), region, ty(part)),
                _ => continue,
            };
            let (Some(whole), Some(part)) = (whole, part) else { continue };
            let dwords = whole.elem().is_some_and(|elem| elem.bytes() == DWORD);
            let step = region.column_stride;
            let steps =
                region.dynamic.is_none() && part.count() > 1 && region.width == part.count() && step > 1;
            if whole.rows == 1 && is_vector(part) && dwords && steps && whole.count().is_multiple_of(step) {
                *votes.entry(whole.count()).or_default().entry(step).or_default() += 1;
            }
        }
        let most =
            |steps: FxHashMap<usize, usize>| steps.into_iter().max_by_key(|(step, votes)| (*votes, *step));
        Self(votes.into_iter().filter_map(|(count, steps)| Some((count, most(steps)?.0))).collect())
    }

    /// A type with these rows and columns.
    pub(super) fn of(&self, ty: Type) -> Type {
        match self.0.get(&ty.count()) {
            Some(columns) if ty.rows == 1 && ty.elem().is_some_and(|elem| elem.bytes() == DWORD) => {
                Type { rows: ty.columns / columns, columns: *columns, ..ty }
            }
            _ => ty,
        }
    }

    /// Whether a type has rows and columns.
    pub(super) fn is_matrix(&self, ty: Type) -> bool {
        is_matrix(self.of(ty))
    }
}
