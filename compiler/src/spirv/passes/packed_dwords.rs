//! Packs bytes into dwords on registers of 64 bytes. The bytes are computed in dwords and inserted in every
//! fourth byte of a register, as for the channels of texels. The hardware has no regions of bytes with gaps
//! there, so the compiler would move the bytes of each channel four times.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::elem::ElemType;
use crate::ir::{Bits, Block, Function, Inst, Op, Region, Type, Value};
use crate::ops::MapKind;

use super::expand::Expansion;
use crate::spirv::target::Target;

/// Bytes of a dword.
const BYTES: usize = 4;

/// The longest chain of insertions that is followed. Places that are replaced later count.
const LONGEST: usize = 16;

/// The kernel with packed dwords; `None` if there are none.
pub(crate) fn packed(function: &Function, form: Target) -> Option<Function> {
    if form.register_bytes() < 64 {
        return None;
    }
    let mut pass = Pass { insts: Expansion::of(function)?, changed: false };
    let body = pass.block(&function.body);
    pass.changed.then(|| Function { body, ..function.clone() })
}

struct Pass {
    /// The instructions that pack.
    insts: Expansion,
    changed: bool,
}

impl Pass {
    fn block(&mut self, block: &Block) -> Block {
        let mut defs: FxHashMap<Value, Inst> = FxHashMap::default();
        let mut insts = vec![];
        for inst in &block.insts {
            let mut inst = inst.clone();
            for inner in inst.op.blocks_mut() {
                *inner = self.block(inner);
            }
            defs.extend(inst.result.map(|result| (result, inst.clone())));
            match channels(&inst, &defs) {
                Some(channels) => {
                    self.changed = true;
                    self.pack(&inst, &channels, &mut insts);
                }
                None => insts.push(inst),
            }
        }
        Block { insts }
    }

    /// Emits the dwords in place of the last instruction that inserts bytes.
    fn pack(&mut self, inst: &Inst, channels: &Channels, insts: &mut Vec<Inst>) {
        let dwords = |elem| channels.ty.with_elem(elem);
        let packed_ty = dwords(ElemType::U32);
        let (made, ()) = self.insts.at(&inst.location, |insts| {
            // If this came last, the optimiser would turn it into byte operations.
            let mut whole = (channels.others > 0).then(|| insts.constant(channels.others, packed_ty));
            for (place, channel) in &channels.bytes {
                let ty = dwords(channel.elem);
                let [zero, most, places] =
                    [0, 0xff, 8 * *place as u64].map(|number| insts.constant(number, ty));
                let mut combined = |kind, a, b| insts.map(kind, channel.elem, &[a, b], ty);
                let limited = match (channel.saturated, channel.elem.is_signed()) {
                    (false, _) => combined(MapKind::And, channel.numbers, most),
                    (true, false) => combined(MapKind::Min, channel.numbers, most),
                    (true, true) => {
                        let positive = combined(MapKind::Max, channel.numbers, zero);
                        combined(MapKind::Min, positive, most)
                    }
                };
                let shifted = if *place > 0 { combined(MapKind::Shl, limited, places) } else { limited };
                let bits = insts.emit(Op::convert(shifted, ElemType::U32), packed_ty);
                whole = Some(match whole {
                    Some(others) => insts.map(MapKind::Or, ElemType::U32, &[others, bits], packed_ty),
                    None => bits,
                });
            }
            if let Some(whole) = whole {
                insts.push(Op::Format(whole), inst.result, inst.ty);
            }
        });
        insts.extend(made);
    }
}

/// The bytes that make up dwords.
struct Channels {
    ty: Type,
    bytes: BTreeMap<usize, Channel>,
    /// The constant bits of the remaining bytes.
    others: u64,
}

/// One byte of each dword, taken from 32-bit numbers.
#[derive(Clone, Copy)]
struct Channel {
    numbers: Value,
    elem: ElemType,
    saturated: bool,
}

/// The bytes that an instruction and those before it insert, if they make up dwords.
fn channels(last: &Inst, defs: &FxHashMap<Value, Inst>) -> Option<Channels> {
    let mut bytes = BTreeMap::new();
    let mut inst = last;
    let Op::Insert(_, _, value) = &last.op else { return None };
    let ty = defs.get(value)?.ty;
    for _ in 0..LONGEST {
        let Op::Insert(x, region, value) = &inst.op else { break };
        let place = place(region, ty.count(), inst.ty)?;
        if defs.get(value)?.ty != ty {
            return None;
        }
        bytes.entry(place).or_insert(channel(*value, defs)?);
        if bytes.len() == BYTES {
            break;
        }
        inst = defs.get(x)?;
    }
    let left = (0..BYTES).filter(|place| !bytes.contains_key(place));
    let others = match inst.op {
        _ if bytes.len() == BYTES => 0,
        Op::Constant(Bits::Splat(bits)) => left.map(|place| (bits & 0xff) << (8 * place)).sum(),
        _ => return None,
    };
    // With fewer channels, packing is not shorter.
    (bytes.len() + 1 >= BYTES).then_some(Channels { ty, bytes, others })
}

/// The position in its dword of each byte of a region, if the region has one byte of each dword.
fn place(region: &Region, count: usize, whole: Type) -> Option<usize> {
    let Region { offset, row_stride, width, column_stride, dynamic: None } = *region else { return None };
    let rows = count <= width || row_stride == width * BYTES;
    let each = column_stride == BYTES && rows && count * BYTES == whole.count() && offset < BYTES;
    (each && whole.elem() == Some(ElemType::U8) && count > 1).then_some(offset)
}

/// The numbers that bytes are converted from, if these are 32-bit integers.
fn channel(value: Value, defs: &FxHashMap<Value, Inst>) -> Option<Channel> {
    let Op::Map { kind: MapKind::Convert, saturate, operands, .. } = &defs.get(&value)?.op else {
        return None;
    };
    let numbers = *operands.first()?;
    let elem = defs.get(&numbers)?.ty.elem()?;
    let dword = elem.bytes() == BYTES && !elem.is_float();
    dword.then_some(Channel { numbers, elem, saturated: *saturate })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};

    const START: &str = "%0: i32 = constant 3; %1: u8<2x8> = read #0 %0, %0; %2: i32<2x8> = constant 700;
        %3: i32<2x8> = mul.i32 %1, %2; %4: i32<2x8> = constant 90000; %5: i32<2x8> = sub.i32 %3, %4;
        %6: u32<2x8> = mul.u32 %5, %3; %7: u8<2x8> = saturate %5; %8: u8<2x8> = convert %5;
        %9: u8<2x8> = saturate %6; %10: u8<2x32> = constant 77; ";

    /// The packed kernel for these lines, which write the value `last`; `None` if it does not change.
    fn lines(lines: &str, last: u32) -> Option<Function> {
        let function = kernel(&format!("{START}{lines} write #1 %0, %0, %{last}: u8<2x32>;\n"));
        assert_eq!(packed(&function, Target::XeHpg), None);
        let packed = packed(&function, Target::XeHpc)?;
        assert_alike(&function, &packed);
        Some(packed)
    }

    #[test]
    fn channels_are_dwords() {
        let three =
            "%11: u8<2x32> = insert %10[2| 32, 8, 4], %7; %12: u8<2x32> = insert %11[0| 32, 8, 4], %8;
            %13: u8<2x32> = insert %12[3| 32, 8, 4], %9;";
        assert!(lines(three, 13).is_some());
        let four = format!("{three} %14: u8<2x32> = insert %13[1| 32, 8, 4], %7;");
        assert!(lines(&four, 14).is_some());
        let again = format!("{three} %14: u8<2x32> = insert %13[2| 32, 8, 4], %9;");
        assert!(lines(&again, 14).is_some());
    }

    /// Each insertion replaces the bytes of the one before the last.
    #[test]
    fn long_chains_are_not_followed() {
        let mut text = String::new();
        let last = (11..30_011).fold(10, |before, next| {
            text +=
                &format!("%{next}: u8<2x32> = insert %{before}[{}| 32, 8, 4], %{}; ", next % 2, 7 + next % 2);
            next
        });
        assert!(lines(&text, last).is_none());
    }

    #[test]
    fn other_bytes_are_left() {
        let two = "%11: u8<2x32> = insert %10[2| 32, 8, 4], %7; %12: u8<2x32> = insert %11[0| 32, 8, 4], %8;";
        assert!(lines(two, 12).is_none(), "two channels");
        let bytes = format!("{two} %13: u8<2x32> = insert %12[3| 32, 8, 4], %1;");
        assert!(lines(&bytes, 13).is_none(), "bytes that were read");
        let pairs =
            "%11: u8<2x32> = insert %10[2| 32, 8, 2], %7; %12: u8<2x32> = insert %11[0| 32, 8, 2], %8;
            %13: u8<2x32> = insert %12[1| 32, 8, 2], %9;";
        assert!(lines(pairs, 13).is_none(), "other distances");
    }
}
