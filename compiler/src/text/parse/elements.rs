//! Parses element types and the elements of constants.

use half::f16;

use crate::elem::ElemType;
use crate::ir::Kind;

/// An element type by its name.
pub(super) fn elem_type(name: &str) -> Option<ElemType> {
    ElemType::ALL.iter().copied().find(|elem| elem.name() == name)
}

/// The bits of an element; `0x..` is bits as they are.
pub(super) fn bits(kind: Kind, text: &str) -> Option<u64> {
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok();
    }
    let Kind::Elem(elem) = kind else { return None };
    Some(match elem {
        ElemType::U8 => text.parse::<u8>().ok()?.into(),
        ElemType::I8 => (text.parse::<i8>().ok()? as u8).into(),
        ElemType::U16 => text.parse::<u16>().ok()?.into(),
        ElemType::I16 => (text.parse::<i16>().ok()? as u16).into(),
        ElemType::U32 => text.parse::<u32>().ok()?.into(),
        ElemType::I32 => (text.parse::<i32>().ok()? as u32).into(),
        ElemType::U64 => text.parse().ok()?,
        ElemType::I64 => text.parse::<i64>().ok()? as u64,
        // Printed as `f32`, which is exact.
        ElemType::F16 => f16::from_f32(float::<f32>(text)?).to_bits().into(),
        ElemType::F32 => float::<f32>(text)?.to_bits().into(),
        ElemType::F64 => float::<f64>(text)?.to_bits(),
    })
}

/// A number or infinity. NaNs are written by their bits.
fn float<T: std::str::FromStr>(text: &str) -> Option<T> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let allowed = digits == "inf" || digits.starts_with(|c: char| c.is_ascii_digit());
    if allowed { text.parse().ok() } else { None }
}
