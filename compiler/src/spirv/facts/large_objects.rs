//! Finds parts of large objects that are used after the object has changed.
//!
//! Intel's compiler reads a region of a register where it is used. If the register has changed by then, the compiler keeps
//! a copy of the whole register, and so it does if several instructions move a region to a place that is only known at
//! run time. There is room for a copy of a small object, but not for one that fills half of the register file: the compiler
//! spills, or fails, because it cannot spill registers at computed places. So such parts are copied explicitly.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Function, Op, Value, Variable};
use crate::limits::REGISTER_FILE;

/// Parts of objects that only the larger register files have room for.
#[derive(Debug, Default)]
pub(crate) struct LargeObjects {
    late: FxHashSet<Value>,
    moved: FxHashSet<Value>,
}

/// The first and the last instruction of a loop.
type Rounds = (usize, usize);

/// A part that was read.
struct Part {
    object: Value,
    read: usize,
    /// Its last use so far.
    used: usize,
}

impl LargeObjects {
    /// Analyses a kernel.
    pub(crate) fn of(function: &Function) -> Self {
        let mut found = Self::default();
        // The object that a value is: of a variable, the value that was stored, or loaded first.
        let (mut objects, mut stored) =
            (FxHashMap::<Value, Value>::default(), FxHashMap::<Variable, Value>::default());
        let (mut parts, mut of) =
            (FxHashMap::<Value, Part>::default(), FxHashMap::<Value, FxHashSet<Value>>::default());
        let mut changed = FxHashMap::<Value, Vec<usize>>::default();
        let mut loops = Vec::<Rounds>::new();
        for (at, inst) in function.body.instructions().enumerate() {
            loops.retain(|(_, end)| at <= *end);
            if matches!(inst.op, Op::Loop(..)) {
                let inside = inst.op.blocks().map(|block| block.instructions().count());
                loops.push((at, at + inside.sum::<usize>()));
            }
            let operands = inst.op.operands();
            for part in operands.iter().filter_map(|x| of.get(x)).flatten() {
                if let Some(part) = parts.get_mut(part) {
                    // The next round of a loop uses the part again, after all changes of this one.
                    let around = loops.iter().filter(|(start, _)| part.read < *start).map(|(_, end)| *end);
                    part.used = part.used.max(around.max().unwrap_or(at));
                }
            }
            let is_large = inst.ty.bytes() >= REGISTER_FILE;
            match (&inst.op, inst.result) {
                (Op::Declare(variable, Some(x)) | Op::Store(variable, x), _) if is_large => {
                    let object = *objects.get(x).unwrap_or(x);
                    if let Some(old) = stored.insert(*variable, object)
                        && old != object
                    {
                        changed.entry(old).or_default().push(at);
                    }
                }
                (Op::Load(variable), Some(result)) if is_large => {
                    let object = *stored.entry(*variable).or_insert(result);
                    objects.insert(result, object);
                }
                (Op::Format(x), Some(result)) if is_large => {
                    objects.insert(result, *objects.get(x).unwrap_or(x));
                }
                (Op::Insert(x, region, _), Some(result)) if is_large => {
                    changed.entry(*objects.get(x).unwrap_or(x)).or_default().push(at);
                    objects.insert(result, result);
                    if region.dynamic.is_some() {
                        found.moved.insert(result);
                    }
                }
                (Op::Region(x, _), Some(result)) if objects.contains_key(x) && !is_large => {
                    parts.insert(result, Part { object: objects[x], read: at, used: at });
                    of.insert(result, [result].into_iter().collect());
                }
                (Op::Region(..) | Op::Format(_) | Op::Splat(_), Some(result)) => {
                    let all = operands.iter().filter_map(|x| of.get(x)).flatten().copied();
                    let all: FxHashSet<Value> = all.collect();
                    if !all.is_empty() {
                        of.insert(result, all);
                    }
                }
                (_, Some(result)) if is_large => _ = objects.insert(result, result),
                _ => {}
            }
        }
        let is_late = |part: &Part| {
            let changes = changed.get(&part.object);
            changes.into_iter().flatten().any(|change| (part.read..=part.used).contains(change))
        };
        found.late = parts.iter().filter(|(_, part)| is_late(part)).map(|(value, _)| *value).collect();
        found
    }

    /// Whether this part is used after its object has changed, or to change it.
    pub(crate) fn late(&self, part: Value) -> bool {
        self.late.contains(&part)
    }

    /// Whether a part of a large object is replaced at a place that is not known, with this result.
    pub(crate) fn moved(&self, inserted: Value) -> bool {
        self.moved.contains(&inserted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::kernel;

    /// Whether `%3`, a row of a variable of 4096 or of 2048 bytes, is copied.
    fn late(lines: &str) -> bool {
        let found = |rows: usize| {
            let lines = lines.replace("ROWS", &rows.to_string());
            let function = kernel(&format!(
                "%0: i32 = constant 0; %1: f32<{rows}x64> = constant 1; var $0: f32<{rows}x64> = %1;
                 %2: f32<{rows}x64> = load $0; %3: f32<1x64> = region %2[64| 64, 64, 1]; {lines}\n"
            ));
            LargeObjects::of(&function).late(Value(3))
        };
        assert!(!found(8), "small objects are left as they are");
        found(16)
    }

    #[test]
    fn parts_are_late_if_the_object_changes_first() {
        let change = "%4: f32<1x64> = constant 2; %5: f32<ROWSx64> = insert %2[0| 64, 64, 1], %4;
                      store $0, %5: f32<ROWSx64>;";
        let read = "%6: f32<1x64> = add.f32 %3, %3;";
        assert!(late(&format!("{change} {read}")));
        assert!(!late(&format!("{read} {change}")));
        assert!(
            late(&format!("%7: f32 = region %3[2| 1, 1, 1]; {change} %8: f32 = add.f32 %7, %7;")),
            "a part of it"
        );
        assert!(late("%5: f32<ROWSx64> = insert %2[0| 64, 64, 1], %3;"), "moved inside of the object");
        assert!(!late(change), "nothing is used");
    }

    #[test]
    fn a_whole_new_object_is_a_change() {
        let (change, read) = ("store $0, %1: f32<ROWSx64>;", "%6: f32<1x64> = add.f32 %3, %3;");
        let other = "%9: f32<ROWSx64> = constant 3;";
        let change = change.replace("%1", "%9");
        assert!(late(&format!("{other} {change} {read}")));
        assert!(!late(&format!("{other} {read} {change}")));
    }

    #[test]
    fn a_change_in_a_loop_is_a_change_before_the_next_round() {
        let change = "%4: f32<1x64> = constant 2; %5: f32<ROWSx64> = insert %2[0| 64, 64, 1], %4;
                      store $0, %5: f32<ROWSx64>;";
        let read = "%6: f32<1x64> = add.f32 %3, %3;";
        let rounds = |inside: &str, after: &str| {
            format!(
                "loop @0:1:1 {{ %7: i32 = constant 1; %8: condition = any %7; }} while %8 {{ {inside} }} {after}"
            )
        };
        assert!(late(&rounds(&format!("{read} {change}"), "")));
        assert!(!late(&rounds(read, change)), "changed after the loop");
        let own = "%9: f32<1x64> = region %2[64| 64, 64, 1]; %10: f32<1x64> = add.f32 %9, %9;";
        assert!(!late(&rounds(&format!("{own} {change}"), "")), "not used in the loop");
    }
}
