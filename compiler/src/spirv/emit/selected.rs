//! Selections between numbers that are not contiguous.
//!
//! On registers of 64 bytes, Intel's compiler splits a selection of two such numbers into two of one number, and both
//! read the first flag. It makes selections of two numbers of the remainders of longer ones.

use crate::spirv::binary::Op;
use crate::spirv::module::{Builder, Val};
use crate::spirv::types::{Scalar, Ty};

impl Builder {
    /// Whether bytes are selected as words: the compiler also splits computations of two bytes that it merges with a
    /// selection.
    pub(crate) const fn selects_words(&self, ty: Ty) -> bool {
        self.long_registers && ty.bits() == 8 && is_paired(ty.count)
    }

    /// A selection between bytes, as words.
    pub(crate) fn selected_words(&mut self, ty: Ty, operands: &[Val]) -> Val {
        let words = ty.int(16);
        let wide = |builder: &mut Self, x: &Val| {
            if x.ty != ty {
                return *x;
            }
            let wide = builder.op(Op::UConvert, words, &[*x]);
            if builder.has_gaps(*x) { builder.apart_twice(wide) } else { wide }
        };
        let operands: Vec<Val> = operands.iter().map(|x| wide(self, x)).collect();
        let selected = self.op(Op::Select, words, &operands);
        let whole = self.uncut(selected);
        let bytes = self.op(Op::UConvert, ty, &[whole]);
        self.cut.insert(bytes.id);
        self.low_bytes.insert(bytes.id);
        bytes
    }

    /// Two opaque copies, one of the other: the compiler merges a selection into the second one.
    pub(crate) fn apart_twice(&mut self, x: Val) -> Val {
        let own = self.apart(x);
        self.hidden(own)
    }

    /// The operands of a selection or a comparison, contiguous where that matters.
    pub(crate) fn contiguous(&mut self, ty: Ty, operands: &[Val]) -> Vec<Val> {
        let several = self.long_registers && ty.count > 1;
        let own = |builder: &mut Self, x: &Val| {
            if !several || x.ty.count != ty.count || x.ty.scalar == Scalar::Bool {
                return *x;
            }
            if x.ty.bits() == 64 {
                return if builder.has_broken_rows(*x) { builder.longs_together(*x) } else { *x };
            }
            if builder.spread.contains(&x.id) {
                return builder.hidden(*x);
            }
            if !builder.has_gaps(*x) {
                return *x;
            }
            if x.ty.bits() > 8 { builder.apart_twice(*x) } else { builder.apart_from_longer(*x) }
        };
        operands.iter().map(|x| own(self, x)).collect()
    }

    /// Whether the compiler computes pairs of words or bytes with gaps one by one. It merges a comparison or a selection
    /// of the results into that, as it would into a copy.
    pub(crate) fn computes_one_by_one(&self, op: Op, ty: Ty, operands: &[Val]) -> bool {
        if matches!(op, Op::UConvert | Op::SConvert) {
            // The optimiser compares the short numbers.
            return operands.iter().any(|x| self.spread.contains(&x.id));
        }
        let moves = matches!(op, Op::Select | Op::Bitcast);
        let short = ty.count > 1 && ty.scalar != Scalar::Bool && ty.bits() <= 16;
        self.long_registers && short && !moves && operands.iter().any(|x| self.has_gaps(*x))
    }

    /// A mask that is selected, or the lowest bits of a mask. The compiler makes words of the highest bits of compared dwords,
    /// and of the lowest bits of dwords, between gaps.
    pub(crate) fn contiguous_mask(&mut self, x: Val) -> Val {
        if !self.long_registers || !is_paired(x.ty.count) {
            return x;
        }
        self.apart_twice(x)
    }

    /// A number of which only low bits are used, all of whose bits are used if it was selected: otherwise the optimiser
    /// selects the low bits, between gaps.
    pub(crate) fn whole_selection(&mut self, x: Val, bits: u32) -> Val {
        let gaps = self.long_registers && is_paired(x.ty.count) && x.ty.bits() > bits;
        if gaps && self.chosen.contains_key(&x.id) { self.uncut(x) } else { x }
    }

    /// A selection with other elements. The newest compiler crashes if two selected words are joined to one number of
    /// which only the low byte is used, so all bits of that number are used.
    pub(crate) fn joined_selection(&mut self, x: Val, ty: Ty) -> Val {
        let formatted = self.format(x, ty);
        if ty.count != 1 || ty.bits() != 2 * x.ty.bits() || x.ty.bits() != 16 {
            return formatted;
        }
        let whole = self.format(formatted, ty.int(ty.bits()));
        let used = self.uncut(whole);
        self.format(used, ty)
    }

    /// Whether 64-bit numbers are several rows that do not fill registers: the compiler takes the flags of the first row for
    /// the second one.
    fn has_broken_rows(&self, x: Val) -> bool {
        self.rows
            .get(&x.id)
            .is_some_and(|rows| rows.width < rows.positions.len() && !rows.width.is_multiple_of(8))
    }

    /// Whether two numbers that are selected at once have a gap between them.
    pub(crate) fn has_gaps(&self, x: Val) -> bool {
        let gaps = self.rows.get(&x.id).is_some_and(|rows| {
            let pairs = rows.width == 1 || is_paired(rows.width) || is_paired(rows.positions.len());
            pairs && rows.positions.windows(2).next().is_some_and(|at| at[0] + 1 != at[1])
        });
        gaps || self.cut.contains(&x.id) && is_paired(x.ty.count)
    }
}

/// Whether an instruction takes two numbers if these are split into powers of two.
const fn is_paired(count: usize) -> bool {
    count & 2 != 0
}
