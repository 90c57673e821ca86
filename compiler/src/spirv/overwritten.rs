//! Registers that change in place while parts of them are still used.
//!
//! A message takes whole registers as they are, so that rows at the start of a value need no copy. Where another
//! part of the value is replaced in place before, Intel's compiler copies the rows after all, however many
//! there are, with one instruction, which moves a power of two of up to 32 elements. It then refuses its own
//! code, or writes anything for the rest. Such rows are copied here.
//!
//! Of two regions of a register that are replaced one after the other, and start and go on alike, the optimiser
//! drops the first one, even if that has more rows. So the second one is spelt in another way.

use std::collections::{HashMap, HashSet};

use crate::ir::{Function, Op, Region, Type, Value};
use crate::ops::MapKind;

use super::numbers::Numbers;

/// What is used of registers after they have changed.
#[derive(Debug, Default)]
pub(super) struct Overwritten {
    rows: HashSet<Value>,
    parts: HashSet<Value>,
}

impl Overwritten {
    /// Of this kernel.
    pub(super) fn of(function: &Function, numbers: &Numbers) -> Self {
        let mut found = Self::default();
        // By the numbers of values: the register that they are, and the one whose rows they are.
        let (mut same, mut rows) = (HashMap::<u32, u32>::new(), HashMap::<u32, u32>::new());
        let (mut types, mut replaced) = (HashMap::<Value, Type>::new(), HashMap::new());
        let mut changed = HashSet::new();
        for inst in function.body.instructions() {
            let number = |x: Value| numbers.get(x);
            let bytes = |x: Value| types.get(&x).map_or(0, |ty| ty.bytes());
            let register = |x: Value| *same.get(&number(x)).unwrap_or(&number(x));
            let result = inst.result.map(number);
            match (&inst.op, result) {
                (Op::Region(x, region), Some(result)) if is_long_row(region, inst.ty) => {
                    rows.insert(result, register(*x));
                }
                // Conversions to an integer of the same size are none.
                (Op::Map { kind: MapKind::Convert, operands, .. }, Some(result))
                    if bytes(operands[0]) == inst.ty.bytes() =>
                {
                    same.insert(result, register(operands[0]));
                    rows.extend(rows.get(&number(operands[0])).map(|of| (result, *of)));
                }
                (Op::Format(x), Some(result)) if bytes(*x) == inst.ty.bytes() => {
                    same.insert(result, register(*x));
                    rows.extend(rows.get(&number(*x)).map(|of| (result, *of)));
                }
                (Op::Format(x), Some(result)) => _ = rows.insert(result, register(*x)),
                (Op::Insert(x, region, part), Some(result)) => {
                    let (into, count) = (register(*x), types.get(part).map_or(0, |ty| ty.count()));
                    changed.insert(into);
                    let before = replaced.get(&into);
                    if before.is_some_and(|(other, more)| *other == *region && count < *more) {
                        found.parts.extend(inst.result);
                    }
                    replaced.insert(result, (region.clone(), count));
                }
                (Op::Access { operands, .. }, _) => {
                    let used = operands
                        .iter()
                        .filter(|x| rows.get(&number(**x)).is_some_and(|of| changed.contains(of)));
                    found.rows.extend(used);
                }
                _ => {}
            }
            types.extend(inst.result.map(|result| (result, inst.ty)));
        }
        found
    }

    /// Whether these are rows of a register that has changed where they are written.
    pub(super) fn rows(&self, value: Value) -> bool {
        self.rows.contains(&value)
    }

    /// Whether this replaces the first rows of what was replaced before.
    pub(super) fn part(&self, inserted: Value) -> bool {
        self.parts.contains(&inserted)
    }
}

/// Whether a region is of neighbours that no single instruction moves.
fn is_long_row(region: &Region, ty: Type) -> bool {
    let count = ty.count();
    let neighbours =
        region.column_stride == 1 && (count <= region.width || region.row_stride == region.width);
    neighbours && region.dynamic.is_none() && (count > 32 || !count.is_power_of_two())
}
