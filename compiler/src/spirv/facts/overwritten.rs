//! Finds registers that change in place while parts of them are still used.
//!
//! A message takes whole registers, so rows at the start of a value need no copy. But if another part of the
//! value was replaced in place before, Intel's compiler copies the rows in one instruction, however many
//! there are, and such an instruction moves a power of two of at most 32 elements. The compiler then rejects
//! its own code, or writes garbage for the remaining elements. So such rows are copied explicitly.
//!
//! If two regions of a register are replaced one after the other and both have the same start and strides,
//! the optimiser drops the first replacement, even if it has more rows. So the second one is written in
//! another form.
//!
//! If bytes or words are extended and inserted in another register, and some of them are then replaced, the compiler
//! inserts the short numbers instead, unless their count is a power of two. If it negates the other register later, it
//! loses the signs. So the replacement is made in an explicit copy.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Function, Op, Region, Type, Value, Variable};
use crate::limits::DWORD;
use crate::ops::MapKind;

use super::numbers::Numbers;

/// Uses of registers after they have changed.
#[derive(Debug, Default)]
pub(crate) struct Overwritten {
    rows: FxHashSet<Value>,
    parts: FxHashSet<Value>,
    extended: FxHashSet<Value>,
}

impl Overwritten {
    /// Analyses a kernel.
    pub(crate) fn of(function: &Function, numbers: &Numbers) -> Self {
        let mut found = Self::default();
        // By value numbers: the register that a value is, and the registers that a value may be rows of.
        let (mut same, mut rows) =
            (FxHashMap::<u32, u32>::default(), FxHashMap::<u32, FxHashSet<u32>>::default());
        let mut stored = FxHashMap::<Variable, FxHashSet<u32>>::default();
        let (mut types, mut replaced) = (FxHashMap::<Value, Type>::default(), FxHashMap::default());
        let mut changed = FxHashSet::default();
        // By value numbers too: the register that longer numbers were extended from.
        let (mut short, mut placed, mut bases) =
            (FxHashMap::<u32, u32>::default(), FxHashSet::<u32>::default(), vec![]);
        for inst in function.body.instructions() {
            let number = |x: Value| numbers.get(x);
            let bytes = |x: Value| types.get(&x).map_or(0, |ty| ty.bytes());
            let register = |x: Value| *same.get(&number(x)).unwrap_or(&number(x));
            let whole = |rows: &FxHashMap<u32, FxHashSet<u32>>, x: Value| {
                rows.get(&number(x)).cloned().unwrap_or_default()
            };
            let result = inst.result.map(number);
            match (&inst.op, result) {
                (Op::Region(x, region), Some(result)) if is_long_row(region, inst.ty) => {
                    let mut of = whole(&rows, *x);
                    of.insert(register(*x));
                    rows.insert(result, of);
                }
                // The compiler looks through variables, also where ways part.
                (Op::Store(variable, x) | Op::Declare(variable, Some(x)), _) => {
                    stored.entry(*variable).or_default().extend(whole(&rows, *x));
                }
                (Op::Load(variable), Some(result)) => {
                    let of = stored.get(variable).into_iter().flatten();
                    rows.entry(result).or_default().extend(of);
                }
                // Conversions to an integer type of the same size change nothing.
                (Op::Map { kind: MapKind::Convert, operands, .. }, Some(result))
                    if bytes(operands[0]) == inst.ty.bytes() =>
                {
                    same.insert(result, register(operands[0]));
                    rows.insert(result, whole(&rows, operands[0]));
                }
                (Op::Map { kind: MapKind::Convert, operands, .. }, Some(result))
                    if bytes(operands[0]) < inst.ty.bytes() && !inst.ty.count().is_power_of_two() =>
                {
                    short.insert(result, register(operands[0]));
                }
                (Op::Format(x), Some(result)) if bytes(*x) == inst.ty.bytes() => {
                    same.insert(result, register(*x));
                    rows.insert(result, whole(&rows, *x));
                }
                (Op::Format(x), Some(result)) => _ = rows.entry(result).or_default().insert(register(*x)),
                (Op::Insert(x, region, part), Some(result)) => {
                    let (into, count) = (register(*x), types.get(part).map_or(0, |ty| ty.count()));
                    changed.insert(into);
                    placed.extend(short.get(&number(*part)));
                    bases.extend(inst.result.map(|result| (result, into)));
                    let before = replaced.get(&into);
                    if before.is_some_and(|(other, more)| *other == *region && count < *more) {
                        found.parts.extend(inst.result);
                    }
                    replaced.insert(result, (*region, count));
                }
                (Op::Access { operands, .. }, _) => {
                    let used = operands
                        .iter()
                        .filter(|x| rows.get(&number(**x)).is_some_and(|of| !of.is_disjoint(&changed)));
                    found.rows.extend(used);
                }
                _ => {}
            }
            types.extend(inst.result.map(|result| (result, inst.ty)));
        }
        let extended = bases.into_iter().filter(|(_, base)| placed.contains(base));
        found.extended = extended.map(|(inserted, _)| inserted).collect();
        found
    }

    /// Whether these are rows of a register that has changed before they are written.
    pub(crate) fn rows(&self, value: Value) -> bool {
        self.rows.contains(&value)
    }

    /// Whether this replaces the first rows of the previous replacement.
    pub(crate) fn part(&self, inserted: Value) -> bool {
        self.parts.contains(&inserted)
    }

    /// Whether this replaces elements of a register that are also inserted elsewhere as longer numbers.
    pub(crate) fn extended(&self, inserted: Value) -> bool {
        self.extended.contains(&inserted)
    }
}

/// Whether a region is contiguous, but no single instruction moves it.
fn is_long_row(region: &Region, ty: Type) -> bool {
    let count = ty.count();
    // Elements of 64 bits are moved as pairs of dwords.
    let moved = count * ty.elem().map_or(1, |elem| elem.bytes().div_ceil(DWORD));
    region.is_contiguous(count) && region.dynamic.is_none() && (moved > 32 || !count.is_power_of_two())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::facts::numbers::Same;
    use crate::text::parse;

    /// Analyses a kernel that begins with a register of 4 x 12 bytes, `%1`.
    fn found(lines: &str) -> (Vec<Value>, Vec<Value>) {
        let function = function(lines);
        let found = Overwritten::of(&function, &Numbers::of(&function, Same::Perhaps));
        (found.rows.into_iter().collect(), found.parts.into_iter().collect())
    }

    fn function(lines: &str) -> Function {
        let start = "%0: i32 = constant 0| %1: i16<4x12> = read #0 %0, %0| %2: i16 = constant 1| ";
        let lines = format!("{start}{lines}").replace('|', " @0:1:1\n");
        let params = "input: read surface, output: write surface";
        parse(&format!("file 0 \"k.rs\" kernel k({params}) {{ {lines} }}")).unwrap()
    }

    #[test]
    fn rows_that_are_written_after_a_change() {
        let rows = "%3: i16<3x12> = region %1[0; 12, 12, 1]|";
        let change = "%4: i16<4x12> = insert %1[40; 1, 1, 1], %2|";
        let write = "write #1 %0, %0, %3: i16<3x12>|";
        assert_eq!(found(&format!("{rows} {change} {write}")).0, [Value(3)]);
        assert_eq!(found(&format!("{change} {rows} {write}")).0, [Value(3)]);
        // Nothing has changed yet, or one instruction moves the rows.
        assert!(found(&format!("{rows} {write} {change}")).0.is_empty());
        let short = rows.replace("3x12> = region %1[0; 12, 12", "1x8> = region %1[0; 8, 8");
        assert!(found(&format!("{short} {change} {}", write.replace("3x12", "1x8"))).0.is_empty());
        // The same register under another name, and its rows as other elements.
        let renamed = "var $0: i16<4x12> = %1| %5: i16<4x12> = load $0|";
        let change = change.replace("insert %1", "insert %5");
        let formatted = "%6: u32<3x6> = format %3| write #1 %0, %0, %6: u32<3x6>|";
        assert_eq!(found(&format!("{renamed} {rows} {change} {formatted}")).0, [Value(6)]);
        // Rows that went through a variable, and rows of these.
        let stored = "%7: condition = any %2| var $1: i16<3x12>| if %7 @0:1:1 { store $1, %3: i16<3x12>| }";
        let loaded = "%8: i16<3x12> = load $1| %9: i16<1x24> = region %8[0; 24, 24, 1]|";
        let change = change.replace("%5", "%1");
        let write = "write #1 %0, %0, %9: i16<1x24>|";
        assert_eq!(found(&format!("{rows} {stored} {change} {loaded} {write}")).0, [Value(9)]);
    }

    #[test]
    fn words_that_are_also_inserted_as_dwords() {
        let read = "%3: i16<1x12> = region %1[0; 12, 12, 1]| %4: i32<1x12> = convert %3|";
        let place = "%5: i32<2x12> = constant 0| %6: i32<2x12> = insert %5[0; 12, 12, 1], %4|";
        let change = "%7: i16<1x12> = insert %3[1; 1, 1, 1], %2|";
        let extended = |lines: &str| {
            let function = function(lines);
            let found = Overwritten::of(&function, &Numbers::of(&function, Same::Perhaps));
            found.extended.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(extended(&format!("{read} {place} {change}")), [Value(7)]);
        assert_eq!(extended(&format!("{read} {change} {place}")), [Value(7)]);
        assert!(extended(&format!("{read} {change}")).is_empty());
        let even = [read, place, change].join(" ").replace("12>", "8>").replace("12, 12, 1", "8, 8, 1");
        assert!(extended(&even).is_empty());
    }

    #[test]
    fn a_part_replaced_over_a_longer_one() {
        let three = "%3: i16<3x4> = constant 2| %4: i16<4x12> = insert %1[2; 12, 4, 1], %3|";
        let then = |region: &str, shape: &str| {
            found(&format!("{three} %5: i16<{shape}> = constant 3| %6: i16<4x12> = insert %4{region}, %5|")).1
        };
        assert_eq!(then("[2; 12, 4, 1]", "2x4"), [Value(6)]);
        assert!(then("[2; 12, 4, 1]", "3x4").is_empty());
        assert!(then("[14; 12, 4, 1]", "2x4").is_empty());
    }
}
