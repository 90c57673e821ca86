//! Finds bytes that are computed from low bytes of longer numbers and then written.
//!
//! If only the low byte of a sum is used, Intel's compiler computes bytes. A message takes rows with padding, whose
//! content is undefined, so the compiler may compute the rows in the registers of the longer numbers. It splits an
//! instruction that gives bytes into two, one for every second byte, and the first of these overwrites what the second
//! one reads. So all bits of such sums are used (`Builder::uncut`): words are computed, and bytes are only moved.
//!
//! Longer numbers that have the size of rows without padding are those of half a mask: masks are made in parts of 32
//! elements.
//!
//! What is made of bytes in rows with gaps is computed in parts that are not whole registers. The compiler joins these
//! to groups of registers, and groups of longer numbers may have the size of groups of bytes, written or not.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::dataflow::{Facts, Forward, forward};
use crate::ir::{Function, Inst, Op, Type, Value};
use crate::limits::{MASK_BITS, media_pitch};
use crate::ops::{AccessKind, Class, Effect, MapKind};

/// The bytes of a kernel that are computed from low bytes.
#[derive(Debug)]
pub(crate) struct PaddedBytes {
    facts: Facts<Bytes>,
    /// What messages write, in the registers of which longer numbers.
    written: FxHashMap<Value, Place>,
}

/// The longer numbers whose registers have the size of written rows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    /// Those of half a mask.
    HalfMask,
    /// Any, where rows are padded.
    Padded,
}

/// How numbers were made.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Bytes {
    /// Longer numbers that are in registers, or their low bytes.
    long: bool,
    /// Results of which the compiler may compute only the low bytes.
    low: bool,
    /// Such results, computed from low bytes of longer numbers.
    of_long: bool,
    /// A sum with a constant: instead of the sum, the optimiser limits the other number.
    offset: bool,
    constant: bool,
    /// Masks, or made of them.
    mask: bool,
    /// Bytes in rows with gaps, or made of them.
    gapped: bool,
}

impl PaddedBytes {
    /// The bytes of a kernel.
    pub(crate) fn of(function: &Function) -> Self {
        let (mut used, mut shared) = (FxHashSet::default(), FxHashSet::default());
        let mut sources = FxHashMap::<Value, Value>::default();
        let mut types = FxHashMap::<Value, Type>::default();
        let mut written = FxHashMap::default();
        for inst in function.body.instructions() {
            let operands: FxHashSet<Value> = inst.op.operands().into_iter().collect();
            shared.extend(operands.into_iter().filter(|x| !used.insert(*x)));
            let size = |x: &Value| types.get(x).map(|ty| ty.bytes());
            match &inst.op {
                Op::Access { kind, operands, .. } if kind.spec().effect == Effect::Write => {
                    let padded = matches!(kind, AccessKind::MediaWrite);
                    let source = |x: &Value| sources.get(x).copied();
                    for x in std::iter::successors(operands.last().copied(), source) {
                        // Surfaces in buffers are written as dwords.
                        let ty = if padded { Some(inst.ty) } else { types.get(&x).copied() };
                        let known = written.get(&x).copied();
                        let place = ty.and_then(place).filter(|place| padded || *place == Place::HalfMask);
                        written.extend(place.max(known).map(|place| (x, place)));
                    }
                }
                // These change no bytes.
                Op::Format(x) => sources.extend(inst.result.map(|result| (result, *x))),
                Op::Map { kind: MapKind::Convert, saturate: false, operands, .. }
                    if size(&operands[0]) == Some(inst.ty.bytes()) =>
                {
                    sources.extend(inst.result.map(|result| (result, operands[0])));
                }
                _ => {}
            }
            types.extend(inst.result.map(|result| (result, inst.ty)));
        }
        Self { facts: forward(&function.body, &Sums { shared }), written }
    }

    /// Whether the compiler may compute only the low bytes of this number, from low bytes of longer numbers.
    pub(crate) fn computed(&self, value: Value) -> bool {
        self.facts.get(value).is_some_and(|bytes| bytes.of_long)
    }

    /// Whether it may do so in place if `result` consists of these low bytes, or of the limited number: then the
    /// longer numbers are those that the optimiser limits.
    pub(crate) fn in_place(&self, value: Value, result: Option<Value>, limited: bool) -> bool {
        let place = result.and_then(|result| self.written.get(&result));
        let bytes = self.facts.get(value).copied().unwrap_or_default();
        let groups = bytes.gapped && self.facts.ty(value).is_some_and(|ty| ty.count() >= LEAST_GROUP);
        let alike = groups || place.is_some_and(|place| *place == Place::Padded || bytes.mask);
        alike && if limited { bytes.offset } else { bytes.of_long }
    }
}

/// The longer numbers whose registers may have the size of all rows of these bytes, as a message takes them.
fn place(ty: Type) -> Option<Place> {
    if !is_bytes(ty) || !ty.rows.is_power_of_two() {
        return None;
    }
    let half = ty.count() == 2 * MASK_BITS;
    if media_pitch(ty.columns) != ty.columns { Some(Place::Padded) } else { half.then_some(Place::HalfMask) }
}

/// Whether a message leaves gaps between the rows of these bytes.
fn has_gaps(ty: Type) -> bool {
    is_bytes(ty) && ty.rows > 1 && media_pitch(ty.columns) != ty.columns
}

fn is_bytes(ty: Type) -> bool {
    ty.elem().is_some_and(|elem| elem.bytes() == 1)
}

/// The bytes of the smallest group of registers.
const LEAST_GROUP: usize = 2 * 32;

struct Sums {
    /// What several instructions use.
    shared: FxHashSet<Value>,
}

impl Sums {
    fn mask(&self, ty: Type) -> Option<Bytes> {
        Some(Bytes { mask: true, ..self.unknown(ty) })
    }

    /// Elements of registers, in rows with gaps or not.
    fn moved(&self, ty: Type, gapped: bool) -> Bytes {
        Bytes { gapped: gapped && is_bytes(ty), ..self.unknown(ty) }
    }
}

impl Forward for Sums {
    type Fact = Bytes;

    fn unknown(&self, ty: Type) -> Bytes {
        let long = ty.count() > 1 && ty.elem().is_some_and(|elem| elem.bytes() > 1);
        Bytes { long, ..Bytes::default() }
    }

    fn join(&self, a: &Bytes, b: &Bytes) -> Bytes {
        Bytes {
            long: a.long || b.long,
            low: a.low || b.low,
            of_long: a.of_long || b.of_long,
            offset: a.offset || b.offset,
            constant: a.constant && b.constant,
            mask: a.mask || b.mask,
            gapped: a.gapped || b.gapped,
        }
    }

    fn widen(&self, joined: Bytes, _: Type, _: usize) -> Bytes {
        // There are few facts, and they change only once.
        joined
    }

    fn transfer(&self, inst: &Inst, facts: &Facts<Bytes>) -> Option<Bytes> {
        let fact = |x: &Value| facts.get(*x).copied().unwrap_or_default();
        match &inst.op {
            Op::Constant(_) => Some(Bytes { constant: true, ..Bytes::default() }),
            Op::Access { kind: AccessKind::MediaRead, .. } if has_gaps(inst.ty) => {
                Some(Bytes { gapped: true, ..Bytes::default() })
            }
            Op::Region(x, region) => {
                let rows = region.width < inst.ty.count();
                let gaps = rows && region.row_stride != region.width * region.column_stride;
                Some(self.moved(inst.ty, fact(x).gapped || gaps))
            }
            Op::Format(x) => Some(self.moved(inst.ty, fact(x).gapped)),
            Op::Load(variable) => {
                let gapped = facts.variable(*variable).is_some_and(|bytes| bytes.gapped);
                Some(self.moved(inst.ty, gapped))
            }
            Op::Map { kind, .. } if kind.class().is_comparison() => self.mask(inst.ty),
            Op::UnpackMask(_) => self.mask(inst.ty),
            Op::Splat(x) => Some(Bytes { constant: fact(x).constant, ..Bytes::default() }),
            Op::Map { kind, common, saturate, operands } if !common.is_float() => {
                let all = operands.iter().map(fact).reduce(|a, b| self.join(&a, &b))?;
                let low = kind.class().is_cut_early();
                let shared = inst.result.is_some_and(|result| self.shared.contains(&result));
                match kind.class() {
                    Class::Conversion if *saturate => {
                        let of_long = all.of_long && all.offset;
                        Some(Bytes { long: true, low: false, of_long, ..all })
                    }
                    // Computed bytes that several instructions use are words.
                    Class::Conversion => Some(Bytes { long: all.long || all.low && shared, ..all }),
                    _ if low && !saturate => {
                        let constant = operands.iter().any(|x| fact(x).constant);
                        let offset = constant && matches!(kind, MapKind::Add | MapKind::Sub);
                        Some(Bytes { long: all.long || shared, low: true, of_long: all.long, offset, ..all })
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    /// Whether the low bytes `%9` of `%8`, made by these lines, may be computed in place when they are written in rows.
    fn in_place(lines: &str, shape: &str) -> bool {
        let start = "%0: i32 = constant 0| %1: u8<SHAPE> = read #0 %0, %0| %2: u8<SHAPE> = constant 3|";
        let end = "%9: u8<SHAPE> = convert %8| write #1 %0, %0, %9: u8<SHAPE>|";
        let lines = format!("{start} {lines}| {end}").replace("SHAPE", shape).replace('|', " @0:1:1\n");
        let params = "i: read surface, o: write surface";
        let function = parse(&format!("file 0 \"k.rs\" kernel k({params}) {{ {lines} }}")).unwrap();
        PaddedBytes::of(&function).in_place(Value(8), Some(Value(9)), false)
    }

    #[test]
    fn sums_of_masks_in_rows_of_the_size_of_half_a_mask() {
        let mask = "%3: u16<SHAPE> = lt.i32 %1, %2| %8: i32<SHAPE> = add.i32 %3, %1";
        assert!(in_place(mask, "4x16") && in_place(mask, "1x64") && in_place(mask, "4x24"));
        assert!(!in_place(mask, "4x32") && !in_place(mask, "4x8"));
        let longer = "%3: i32<SHAPE> = mul.i32 %1, %1| %4: i32<SHAPE> = shr.i32 %3, %2";
        assert!(!in_place(&format!("{longer}| %8: i32<SHAPE> = add.i32 %4, %2"), "4x16"));
    }

    #[test]
    fn sums_of_longer_numbers_of_rows_with_gaps() {
        let sum = "%3: i32<SHAPE> = shr.i32 %1, %1| %8: i32<SHAPE> = xor.i32 %1, %3";
        assert!(in_place(sum, "7x12") && in_place(sum, "5x14"));
        assert!(!in_place(sum, "5x12") && !in_place(sum, "7x16"));
    }

    #[test]
    fn sums_of_longer_numbers_in_padded_rows() {
        let square = "%3: i32<SHAPE> = mul.i32 %1, %1| %4: i32<SHAPE> = shr.i32 %3, %2|";
        let sum = format!("{square} %8: i32<SHAPE> = add.i32 %4, %2");
        assert!(in_place(&sum, "4x24") && in_place(&sum, "1x28"));
        assert!(!in_place(&sum, "4x32") && !in_place(&sum, "6x24"));
        // Bytes that are only moved, and bytes that are not in longer registers.
        assert!(!in_place(&format!("{square} %8: i32<SHAPE> = convert %4"), "4x24"));
        assert!(!in_place("%8: i32<SHAPE> = add.i32 %1, %2", "4x24"));
        // Several instructions use the sum of bytes.
        let twice =
            "%3: i32<SHAPE> = add.i32 %1, %2| %4: u8<SHAPE> = convert %3| %5: i32<SHAPE> = convert %4|";
        assert!(in_place(
            &format!("{twice} %6: i32<SHAPE> = shl.i32 %5, %4| %8: i32<SHAPE> = neg %5"),
            "4x24"
        ));
    }
}
