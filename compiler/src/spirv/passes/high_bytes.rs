//! Bytes of dwords that are shifted down, as in `(sum >> 8).convert::<u8>()`: they are taken from where they are. The
//! compiler would shift all bits first.

use crate::elem::ElemType;
use crate::ir::{Function, Inst, Op, Region, Type, Value};
use crate::limits::DWORD;
use crate::ops::MapKind;

use super::expand::expanded;
use crate::spirv::facts::defs::{Defs, converted};

/// The kernel without such shifts; `None` if there are none.
pub(crate) fn taken(function: &Function) -> Option<Function> {
    let defs = Defs::of(function);
    function.body.instructions().find(|inst| shifted(&defs, inst).is_some())?;
    let body = expanded(function, |inst, insts| {
        let (Some((of, ty, offset)), Some(result)) = (shifted(&defs, inst), inst.result) else {
            return false;
        };
        let (elem, width) = (inst.ty.elem().unwrap_or(ElemType::U8), ty.count());
        let bytes = insts.emit(Op::Format(of), Type::new(elem, 1, ty.bytes()));
        let region = Region { offset, dynamic: None, row_stride: ty.bytes(), width, column_stride: DWORD };
        insts.push(Op::Region(bytes, region), Some(result), inst.ty);
        true
    })?;
    Some(Function { body, ..function.clone() })
}

/// The dwords whose bytes an instruction shifts down and then takes, and which bytes.
fn shifted(defs: &Defs<'_>, inst: &Inst) -> Option<(Value, Type, usize)> {
    let (x, elem) = converted(inst)?;
    let shift = defs.get(x).filter(|_| elem.bytes() == 1 && defs.user(x).is_some())?;
    let Op::Map { kind: MapKind::Shr, common, saturate: false, operands } = &shift.op else { return None };
    let &[mut of, places] = &operands[..] else { return None };
    let places = usize::try_from(defs.number(places)?).ok()?;
    // The low bits of a longer number are where it is.
    let whole =
        |x: Value| defs.get(x)?.ty.elem().filter(|elem| !elem.is_float() && elem.bytes() >= common.bytes());
    while let Some((longer, _)) = converted(defs.get(of)?)
        .filter(|(longer, elem)| elem.bytes() >= common.bytes() && whole(*longer).is_some())
    {
        of = longer;
    }
    let inside = places.is_multiple_of(8) && (1..common.bytes()).contains(&(places / 8));
    let dwords = whole(of)?.bytes() == DWORD && inst.ty.count() > 1;
    (inside && dwords).then_some((of, defs.get(of)?.ty, places / 8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};

    /// Whether these lines, which make the bytes `%9` from the words `%1` or the dwords `%2`, are without shifts.
    fn is_taken(lines: &str) -> bool {
        let function = kernel(&format!(
            "%0: i32 = constant 3; %1: i16<2x16> = read #0 %0, %0; %2: u32<2x8> = format %1; %3: i32 = constant 8;
             %4: i32<2x8> = splat %3; %5: u16<2x8> = constant 16; {lines} write #1 %0, %0, %9: u8<2x8>;\n"
        ));
        let Some(taken) = taken(&function) else { return false };
        assert_alike(&function, &taken);
        !taken.to_string().lines().any(|line| line.contains("%9:") && line.contains("convert"))
    }

    #[test]
    fn high_bytes_are_regions() {
        assert!(is_taken("%8: u32<2x8> = shr.u32 %2, %4; %9: u8<2x8> = convert %8;"));
        assert!(is_taken(
            "%7: i32<2x8> = convert %2; %8: i32<2x8> = shr.i32 %7, %5; %9: u8<2x8> = convert %8;"
        ));
        assert!(is_taken(
            "%7: u16<2x8> = convert %2; %8: u16<2x8> = shr.u16 %7, %4; %9: u8<2x8> = convert %8;"
        ));
    }

    #[test]
    fn other_shifts_are_left() {
        let words =
            "%7: i16<2x8> = region %1[0| 16, 8, 2]; %8: i16<2x8> = shr.i16 %7, %4; %9: u8<2x8> = convert %8;";
        assert!(!is_taken(words), "words");
        assert!(!is_taken("%8: u16<2x8> = shr.u16 %2, %5; %9: u8<2x8> = convert %8;"), "no bits left");
        assert!(!is_taken("%8: u32<2x8> = shr.u32 %2, %4; %9: u8<2x8> = saturate %8;"), "limited");
        let more = "%8: u32<2x8> = shr.u32 %2, %4; %9: u8<2x8> = convert %8; %10: u8<2x32> = format %8;
            write #1 %0, %3, %10: u8<2x32>;";
        assert!(!is_taken(more), "the shifted dwords are used");
    }
}
