//! Finds registers of which all elements were replaced: nothing is left of the value that they began with.
//!
//! Kernels begin registers with constants and then write them part by part. As long as a part is left, Intel's compiler
//! knows some elements and not others; afterwards it knows only what was inserted.

use rustc_hash::FxHashMap;

use crate::ir::{Function, Op, Value};

/// The values that make up a register, for insertions that leave no other element.
#[derive(Debug, Default)]
pub(super) struct Replaced(FxHashMap<Value, Vec<Value>>);

impl Replaced {
    pub(super) fn of(function: &Function) -> Self {
        let mut found = Self::default();
        let mut all: FxHashMap<Value, Inserted> = FxHashMap::default();
        let mut counts: FxHashMap<Value, usize> = FxHashMap::default();
        for inst in function.body.instructions() {
            let Some(result) = inst.result else { continue };
            counts.insert(result, inst.ty.count());
            let Op::Insert(x, region, part) = &inst.op else { continue };
            let mut inserted = all.get(x).cloned().unwrap_or_else(|| Inserted::none(inst.ty.count()));
            inserted.parts.push(*part);
            if region.dynamic.is_none() {
                let count = counts.get(part).copied().unwrap_or_default();
                region.positions(count).for_each(|position| inserted.mark(position));
            }
            if inserted.left == 0 {
                found.0.insert(result, inserted.parts.clone());
            }
            all.insert(result, inserted);
        }
        found
    }

    /// The values that make up the result of an insertion; `None` if it has other elements.
    pub(super) fn parts(&self, inserted: Value) -> Option<&[Value]> {
        self.0.get(&inserted).map(Vec::as_slice)
    }
}

/// What was inserted into a register so far.
#[derive(Clone)]
struct Inserted {
    parts: Vec<Value>,
    /// Whether each element was replaced.
    replaced: Vec<bool>,
    /// The number of the others.
    left: usize,
}

impl Inserted {
    fn none(count: usize) -> Self {
        Self { parts: vec![], replaced: vec![false; count], left: count }
    }

    fn mark(&mut self, position: usize) {
        if let Some(replaced) = self.replaced.get_mut(position).filter(|replaced| !**replaced) {
            *replaced = true;
            self.left -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::alike::kernel;
    use super::*;

    /// The parts of the value `%9` of these lines.
    fn parts(lines: &str) -> Option<Vec<u32>> {
        let function = kernel(&format!(
            "%0: i32 = constant 8; %1: u16<1x4> = read #0 %0, %0; %2: u16<1x8> = constant 7; %3: u32 = convert %0;
             {lines} write #1 %0, %0, %9: u16<1x8>;\n"
        ));
        Replaced::of(&function).parts(Value(9)).map(|parts| parts.iter().map(|part| part.0).collect())
    }

    #[test]
    fn insertions_that_leave_nothing_are_found() {
        let columns = "%8: u16<1x8> = insert %2[0| 8, 4, 2], %1; %9: u16<1x8> = insert %8[1| 8, 4, 2], %1;";
        assert_eq!(parts(columns), Some(vec![1, 1]));
        assert_eq!(parts("%9: u16<1x8> = insert %2[0| 8, 4, 2], %1;"), None);
        let overlapping =
            "%8: u16<1x8> = insert %2[0| 8, 4, 1], %1; %9: u16<1x8> = insert %8[3| 8, 4, 1], %1;";
        assert_eq!(parts(overlapping), None, "the last element is left");
        let anywhere =
            "%8: u16<1x8> = insert %2[0| 8, 4, 1], %1; %9: u16<1x8> = insert %8[4 + %3| 8, 4, 1], %1;";
        assert_eq!(parts(anywhere), None, "a place known only at run time");
    }
}
