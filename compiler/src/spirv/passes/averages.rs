//! Averages of numbers whose sum is a word, as half of their sum: three instructions instead of four. Without the sum, which
//! might not fit the type, an average needs the bits that both numbers have and half of the others. Of bytes these would be
//! bytes, which most instructions take only as words.

use crate::ir::{Function, Inst, Op, Value};
use crate::limits::DWORD;
use crate::ops::MapKind;
use crate::simplify::Ranges;

use super::expand::expanded;

/// The kernel with sums in place of these averages; `None` if there are none.
pub(crate) fn summed(function: &Function) -> Option<Function> {
    let is_average = |inst: &Inst| matches!(inst.op, Op::Map { kind: MapKind::Avg, .. });
    function.body.instructions().find(|inst| is_average(inst))?;
    let (ranges, mut changed) = (Ranges::of(function), false);
    let body = expanded(function, |inst, insts| {
        let (Some([a, b]), Some(result)) = (words(inst, &ranges), inst.result) else { return false };
        let Op::Map { common, .. } = inst.op else { return false };
        let sum = insts.map(MapKind::Add, common, &[a, b], inst.ty);
        let one = insts.constant(1, inst.ty);
        let more = insts.map(MapKind::Add, common, &[sum, one], inst.ty);
        insts.push(Op::map(MapKind::Shr, common, &[more, one]), Some(result), inst.ty);
        changed = true;
        true
    })?;
    changed.then(|| Function { body, ..function.clone() })
}

/// The numbers of an average of dwords, if one more than their sum is a word of either kind.
fn words(inst: &Inst, ranges: &Ranges) -> Option<[Value; 2]> {
    let Op::Map { kind: MapKind::Avg, common, saturate: false, operands } = &inst.op else { return None };
    let &[a, b] = &operands[..] else { return None };
    if common.bytes() != DWORD {
        return None;
    }
    let (first, second) = (ranges.bounds(a, *common)?, ranges.bounds(b, *common)?);
    let (low, high) = (first.0 + second.0, first.1 + second.1 + 1);
    let signed = low >= i64::from(i16::MIN) && high <= i64::from(i16::MAX);
    (signed || low >= 0 && high <= i64::from(u16::MAX)).then_some([a, b])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};

    /// Whether the average `%9` of these lines becomes a sum.
    fn is_summed(lines: &str) -> bool {
        let function = kernel(&format!(
            "%0: i32 = constant 3; %1: u8<2x32> = read #0 %0, %0; %2: i8<2x32> = format %1; {lines}
             %10: u8<8x32> = format %9; write #1 %0, %0, %10: u8<8x32>;\n"
        ));
        let Some(summed) = summed(&function) else { return false };
        assert_alike(&function, &summed);
        true
    }

    #[test]
    fn averages_of_bytes_are_sums() {
        assert!(is_summed("%9: i32<2x32> = avg.i32 %1, %1;"));
        assert!(is_summed("%9: i32<2x32> = avg.i32 %1, %2;"));
        assert!(is_summed("%9: u32<2x32> = avg.u32 %1, %1;"));
        let half = "%3: i32<2x32> = constant 64; %4: i32<2x32> = mul.i32 %2, %3;";
        assert!(is_summed(&format!("{half} %9: i32<2x32> = avg.i32 %4, %4;")), "-16384 and 16256");
    }

    #[test]
    fn other_averages_stay() {
        assert!(!is_summed("%9: u32<2x32> = avg.u32 %1, %2;"), "-1 is the largest number");
        let words = "%3: i32<2x32> = constant 257; %4: i32<2x32> = mul.i32 %1, %3;";
        assert!(!is_summed(&format!("{words} %9: i32<2x32> = avg.i32 %4, %1;")), "65535 + 255");
        let mixed = "%3: i32<2x32> = constant 200; %4: i32<2x32> = mul.i32 %1, %3;";
        assert!(!is_summed(&format!("{mixed} %9: i32<2x32> = avg.i32 %4, %2;")), "51000 and -128");
        assert!(
            !is_summed("%3: i16<2x32> = avg.i16 %1, %2; %9: i32<2x32> = convert %3;"),
            "words fit already"
        );
    }
}
