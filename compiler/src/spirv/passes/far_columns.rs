//! Bytes that are inserted with large gaps, as bytes of dwords.
//!
//! The columns of a result are at most four elements apart: bytes of every second pixel of four bytes would be moved one by
//! one. So these pixels become a register of dwords, in which the bytes are four elements apart, and which is then inserted
//! as a whole. The other bytes of these dwords are those of the register before the first insertion; if that is a constant, so
//! are they. Of a register of which all dwords are inserted, nothing else is needed.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::elem::ElemType;
use crate::ir::{Block, Function, Inst, Op, Region, Type, Value};
use crate::limits::DWORD;

use super::expand::{Expansion, expanded, has_room};
use crate::spirv::facts::defs::Defs;

/// The fewest bytes for which this is shorter.
const LEAST: usize = 8;

/// The kernel with dwords in place of such bytes; `None` if there are none, or if registers might become scarce.
pub(crate) fn joined(function: &Function, budget: usize) -> Option<Function> {
    let defs = Defs::of(function);
    let mut chains = FxHashMap::default();
    find(&function.body, &defs, &mut chains);
    if chains.is_empty() {
        return None;
    }
    let ends: FxHashSet<Value> = chains.keys().copied().collect();
    let inner = chains.values().flat_map(|chain: &Chain| chain.results.iter().copied());
    let replaced: FxHashSet<Value> = inner.filter(|result| !ends.contains(result)).collect();
    let body = expanded(function, |inst, insts| {
        let Some(result) = inst.result else { return false };
        match chains.get(&result) {
            Some(chain) => insert(chain, &defs, inst, result, insts).is_some(),
            None => replaced.contains(&result),
        }
    })?;
    let joined = Function { body, ..function.clone() };
    has_room(function, &joined, budget).then_some(joined)
}

/// Insertions in the same register, one after the other.
struct Chain {
    /// The register before the first one.
    base: Value,
    /// Their results.
    results: Vec<Value>,
    /// The dwords that bytes are inserted in, in order, with these bytes: the place of a byte in its dword, and the data.
    groups: Vec<(Dwords, Vec<(usize, Value)>)>,
}

/// Dwords of a register.
#[derive(Clone, Copy, PartialEq)]
struct Dwords {
    region: Region,
    rows: usize,
}

/// The dwords of the bytes of an insertion, and the place of a byte in its dword.
fn dwords(inst: &Inst, defs: &Defs<'_>) -> Option<(Dwords, usize)> {
    let Op::Insert(_, to, part) = inst.op else { return None };
    let (count, step) = (defs.get(part)?.ty.count(), to.column_stride);
    let bytes = inst.ty.elem()?.bytes() == 1 && inst.ty.bytes().is_multiple_of(DWORD);
    let far = [2 * DWORD, 4 * DWORD].contains(&step) && to.width > 1 && count.is_multiple_of(to.width);
    let rows = count / to.width.max(1);
    if !bytes
        || !far
        || to.dynamic.is_some()
        || count < LEAST
        || rows > 1 && !to.row_stride.is_multiple_of(DWORD)
    {
        return None;
    }
    let (place, column_stride) = (to.offset % DWORD, step / DWORD);
    let row_stride = if rows > 1 { to.row_stride / DWORD } else { to.width * column_stride };
    let region = Region { offset: to.offset / DWORD, row_stride, column_stride, ..to };
    Some((Dwords { region, rows }, place))
}

/// Finds the chains of a block, by the result of the last insertion.
fn find(block: &Block, defs: &Defs<'_>, chains: &mut FxHashMap<Value, Chain>) {
    let own: FxHashSet<Value> = block.insts.iter().filter_map(|inst| inst.result).collect();
    let mut before: FxHashMap<Value, Chain> = FxHashMap::default();
    for inst in &block.insts {
        inst.op.blocks().for_each(|inner| find(inner, defs, chains));
        let (Op::Insert(base, _, part), Some(result)) = (&inst.op, inst.result) else { continue };
        let Some((dwords, place)) = dwords(inst, defs) else { continue };
        let new = || Chain { base: *base, results: vec![], groups: vec![] };
        let mut chain = before.remove(base).unwrap_or_else(new);
        match chain.groups.iter_mut().find(|(own, _)| *own == dwords) {
            Some((_, parts)) => parts.push((place, *part)),
            None => chain.groups.push((dwords, vec![(place, *part)])),
        }
        chain.results.push(result);
        let next = defs.user(result).filter(|next| next.result.is_some_and(|next| own.contains(&next)));
        let continues = next.is_some_and(|next| matches!(next.op, Op::Insert(x, ..) if x == result));
        match continues && next.is_some_and(|next| self::dwords(next, defs).is_some()) {
            true => _ = before.insert(result, chain),
            false if chain.is_disjoint() => _ = chains.insert(result, chain),
            false => {}
        }
    }
}

impl Chain {
    /// How many dwords have such bytes.
    fn dwords(&self) -> usize {
        self.groups.iter().map(|(Dwords { region, rows }, _)| rows * region.width).sum()
    }

    /// Whether no dword belongs to two groups, so that their order does not matter.
    fn is_disjoint(&self) -> bool {
        let mut seen = FxHashSet::default();
        let positions =
            |Dwords { region, rows }: Dwords| (0..rows * region.width).map(move |n| region.position(n));
        self.groups.iter().flat_map(|(dwords, _)| positions(*dwords)).all(|place| seen.insert(place))
    }
}

/// The dwords of the register before a chain.
enum Before {
    /// All are this number.
    Equal(u64),
    Register(Value),
}

/// The insertions of a chain.
fn insert(chain: &Chain, defs: &Defs<'_>, inst: &Inst, result: Value, insts: &mut Expansion) -> Option<()> {
    let elem = inst.ty.elem()?;
    let known = defs.number(chain.base).map(|byte| u32::from_ne_bytes([byte as u8; DWORD]).into());
    let all = Type::new(ElemType::U32, 1, inst.ty.bytes() / DWORD);
    let before = match known {
        Some(dword) => Before::Equal(dword),
        None => Before::Register(insts.emit(Op::Format(chain.base), all)),
    };
    let mut whole = match before {
        _ if chain.dwords() == all.count() => insts.undefined(all),
        Before::Equal(dword) => insts.constant(dword, all),
        Before::Register(before) => before,
    };
    for (Dwords { region, rows }, parts) in &chain.groups {
        let (width, ty) = (region.width, Type::new(ElemType::U32, *rows, region.width));
        let bytes = Type::new(elem, *rows, width * DWORD);
        // No dword belongs to two groups.
        let old = match before {
            Before::Equal(dword) => insts.constant(dword, ty),
            Before::Register(before) => insts.emit(Op::Region(before, *region), ty),
        };
        let mut dwords = insts.emit(Op::Format(old), bytes);
        for (place, part) in parts {
            let to = Region { offset: *place, row_stride: width * DWORD, column_stride: DWORD, ..*region };
            dwords = insts.emit(Op::Insert(dwords, to, *part), bytes);
        }
        let new = insts.emit(Op::Format(dwords), ty);
        whole = insts.emit(Op::Insert(whole, *region, new), all);
    }
    insts.push(Op::Format(whole), Some(result), inst.ty);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};

    /// The column strides of the insertions in `%1`, of which the last one is `%9`, after this pass; `None` if it changes
    /// nothing.
    fn strides(lines: &str) -> Option<Vec<usize>> {
        let function = kernel(&format!(
            "%0: i32 = constant 3; %1: u8<4x64> = read #0 %0, %0; %2: u8<2x8> = region %1[5| 64, 8, 3];
             %3: u8<2x8> = region %1[9| 128, 8, 2]; %4: u8<1x16> = region %1[70| 16, 16, 1]; {lines} write #1 %0, %0, %9: u8<4x64>;\n"
        ));
        let joined = joined(&function, 4096)?;
        assert_alike(&function, &joined);
        let stride = |inst: &Inst| match inst.op {
            Op::Insert(_, region, _) => Some(region.column_stride),
            _ => None,
        };
        Some(joined.body.instructions().filter_map(stride).collect())
    }

    #[test]
    fn bytes_of_every_second_pixel() {
        let one = "%9: u8<4x64> = insert %1[6| 128, 8, 8], %2;";
        assert_eq!(strides(one), Some(vec![4, 2]));
        let three = "%5: u8<4x64> = insert %1[0| 128, 8, 8], %2; %6: u8<4x64> = insert %5[1| 128, 8, 8], %3;
            %9: u8<4x64> = insert %6[68| 128, 8, 8], %3;";
        assert_eq!(strides(three), Some(vec![4, 4, 2, 4, 2]));
        let mixed = "%5: u8<4x64> = insert %1[0| 128, 8, 8], %2; %6: u8<4x64> = insert %5[5| 128, 8, 8], %3;
            %9: u8<4x64> = insert %6[0| 128, 8, 8], %3;";
        assert_eq!(strides(mixed), Some(vec![4, 4, 2, 4, 2]), "the last one of the same bytes");
        let four = "%9: u8<4x64> = insert %1[13| 16, 16, 16], %4;";
        assert_eq!(strides(four), Some(vec![4, 4]));
    }

    /// The values of dwords that the chain on `%10` takes from before: constants, registers and parts of them, and undefined
    /// ones.
    fn before(base: &str, lines: &str) -> [usize; 3] {
        let function = kernel(&format!(
            "%0: i32 = constant 3; %1: u8<4x64> = read #0 %0, %0; %2: u8<4x8> = region %1[5| 64, 8, 3]; {base} {lines}
             write #1 %0, %0, %9: u8<4x64>;\n"
        ));
        let joined = joined(&function, 4096).expect("a chain");
        assert_alike(&function, &joined);
        let dwords = joined.body.instructions().filter(|inst| inst.ty.elem() == Some(ElemType::U32));
        let mut counts = [0; 3];
        for inst in dwords {
            match inst.op {
                Op::Constant(_) => counts[0] += 1,
                Op::Format(Value(10)) | Op::Region(..) => counts[1] += 1,
                Op::Load(_) => counts[2] += 1,
                _ => {}
            }
        }
        counts
    }

    #[test]
    fn only_what_is_needed_of_the_register_before() {
        let (constant, register) = ("%10: u8<4x64> = constant 200;", "%10: u8<4x64> = add.u8 %1, %1;");
        let one = "%9: u8<4x64> = insert %10[6| 64, 8, 8], %2;";
        assert_eq!(before(register, one), [0, 2, 0]);
        assert_eq!(before(constant, one), [2, 0, 0]);
        let all = "%6: u8<4x64> = insert %10[6| 64, 8, 8], %2; %9: u8<4x64> = insert %6[1| 64, 8, 8], %2;";
        assert_eq!(before(register, all), [0, 3, 1], "each part is of the register before");
        assert_eq!(before(constant, all), [2, 0, 1]);
    }

    #[test]
    fn other_insertions_stay() {
        assert_eq!(strides("%9: u8<4x64> = insert %1[6| 128, 8, 4], %2;"), None);
        assert_eq!(strides("%9: u8<4x64> = insert %1[6| 66, 8, 8], %2;"), None, "rows within dwords");
        let read = "%5: u8<4x64> = insert %1[0| 128, 8, 8], %2; %6: u8<2x8> = region %5[0| 64, 8, 1];
            %9: u8<4x64> = insert %5[1| 128, 8, 8], %6;";
        assert_eq!(strides(read), Some(vec![4, 2, 4, 2]), "read in between");
        let across = "%5: u8<4x64> = insert %1[0| 64, 8, 8], %2; %9: u8<4x64> = insert %5[65| 64, 8, 8], %3;";
        assert_eq!(strides(across), None, "some dwords belong to both");
    }
}
