//! Finds registers of which all elements were replaced: nothing is left of the value that they began with.
//!
//! Kernels begin registers with constants and then write them part by part. As long as a part is left, Intel's compiler
//! knows some elements and not others; afterwards it knows only what was inserted.

use rustc_hash::FxHashMap;

use crate::ir::{Function, Op, Value};

/// The values that make up a register, for insertions that leave no other element.
#[derive(Debug, Default)]
pub(crate) struct Replaced(FxHashMap<Value, Vec<Value>>);

impl Replaced {
    pub(crate) fn of(function: &Function) -> Self {
        Self::search(function).0
    }

    /// What was found, how many elements were visited, and the owners that are still remembered.
    fn search(function: &Function) -> (Self, usize, FxHashMap<Value, Owners>) {
        let (mut found, mut visited) = (FxHashMap::default(), 0);
        let mut counts: FxHashMap<Value, usize> = FxHashMap::default();
        // How many insertions are still to come that change a register.
        let mut changes: FxHashMap<Value, usize> = FxHashMap::default();
        for inst in function.body.instructions() {
            if let Op::Insert(x, ..) = &inst.op {
                *changes.entry(*x).or_default() += 1;
            }
        }
        let mut all: FxHashMap<Value, Owners> = FxHashMap::default();
        for inst in function.body.instructions() {
            let Some(result) = inst.result else { continue };
            counts.insert(result, inst.ty.count());
            let Op::Insert(x, region, part) = &inst.op else { continue };
            if found.contains_key(x) {
                // Nothing is left of what this register began with, so nothing is left in the result either.
                found.insert(result, vec![*x, *part]);
                continue;
            }
            let later = changes.get_mut(x).map_or(0, |later| {
                *later -= 1;
                *later
            });
            // The last insertion takes the owners, which are then not copied.
            let before = if later == 0 { all.remove(x) } else { all.get(x).cloned() };
            let mut owners = before.unwrap_or_else(|| Owners::none(inst.ty.count()));
            if region.dynamic.is_none() {
                let count = counts.get(part).copied().unwrap_or_default();
                region.positions(count).for_each(|position| owners.replace(position, *part));
                visited += count;
            }
            visited += if later == 0 { 0 } else { inst.ty.count() };
            if owners.left == 0 {
                visited += inst.ty.count();
                found.insert(result, owners.distinct());
            } else if changes.contains_key(&result) {
                // The owners of a register that is not changed again are not needed.
                all.insert(result, owners);
            }
        }
        (Self(found), visited, all)
    }

    /// The values that make up the result of an insertion; `None` if it has other elements.
    pub(crate) fn parts(&self, inserted: Value) -> Option<&[Value]> {
        self.0.get(&inserted).map(Vec::as_slice)
    }
}

/// The value that each element of a register was replaced by last.
#[derive(Clone)]
struct Owners {
    of: Vec<Option<Value>>,
    /// The number of elements that were not replaced.
    left: usize,
}

impl Owners {
    fn none(count: usize) -> Self {
        Self { of: vec![None; count], left: count }
    }

    fn replace(&mut self, position: usize, part: Value) {
        if let Some(owner) = self.of.get_mut(position)
            && owner.replace(part).is_none()
        {
            self.left -= 1;
        }
    }

    /// Each owner once.
    fn distinct(mut self) -> Vec<Value> {
        self.of.sort_unstable();
        self.of.dedup();
        self.of.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::kernel;

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
        assert_eq!(parts(columns), Some(vec![1]));
        // A part that was replaced again is not among them.
        let again = "%7: u16<1x4> = add.u16 %1, %1; %8: u16<1x8> = insert %2[0| 8, 4, 2], %1;
                     %10: u16<1x8> = insert %8[0| 8, 4, 2], %7; %9: u16<1x8> = insert %10[1| 8, 4, 2], %7;";
        assert_eq!(parts(again), Some(vec![7]));
        let after = "%7: u16<1x8> = insert %2[0| 8, 4, 2], %1; %8: u16<1x8> = insert %7[1| 8, 4, 2], %1;
                     %9: u16<1x8> = insert %8[0| 8, 4, 1], %1;";
        assert_eq!(parts(after), Some(vec![8, 1]));
        assert_eq!(parts("%9: u16<1x8> = insert %2[0| 8, 4, 2], %1;"), None);
        let overlapping =
            "%8: u16<1x8> = insert %2[0| 8, 4, 1], %1; %9: u16<1x8> = insert %8[3| 8, 4, 1], %1;";
        assert_eq!(parts(overlapping), None, "the last element is left");
        let anywhere =
            "%8: u16<1x8> = insert %2[0| 8, 4, 1], %1; %9: u16<1x8> = insert %8[4 + %3| 8, 4, 1], %1;";
        assert_eq!(parts(anywhere), None, "a place known only at run time");
    }

    #[test]
    fn each_insertion_visits_its_own_elements() {
        let visited = |insertions: u32| {
            let chain = |k: u32| {
                let (from, to) = (100 + k, 101 + k);
                format!("%{to}: u16<1x8> = insert %{from}[{}| 8, 4, 1], %1;\n", k % 4)
            };
            let chain: String = (0..insertions).map(chain).collect();
            let function = kernel(&format!(
                "%0: i32 = constant 8; %1: u16<1x4> = read #0 %0, %0; %100: u16<1x8> = constant 7;
                 {chain}"
            ));
            Replaced::search(&function).1
        };
        // The last element is never replaced.
        assert_eq!(visited(100), 400);
        assert_eq!(visited(2000), 8000);
    }

    #[test]
    fn registers_that_do_not_change_again_are_forgotten() {
        let register = |k: u32| {
            let [start, first, last] = [0, 1, 2].map(|n| 100 + 3 * k + n);
            format!(
                "%{start}: u16<1x8> = constant 7; %{first}: u16<1x8> = insert %{start}[0| 8, 4, 1], %1;
                 %{last}: u16<1x8> = insert %{first}[1| 8, 4, 1], %1;\n"
            )
        };
        let registers: String = (0..2000).map(register).collect();
        let function = kernel(&format!("%0: i32 = constant 8; %1: u16<1x4> = read #0 %0, %0; {registers}"));
        assert_eq!(Replaced::search(&function).2.len(), 0);
    }
}
