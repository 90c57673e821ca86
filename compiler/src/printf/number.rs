//! One element as text, in the form of Rust's formatting.

use std::fmt::{Debug, Display, LowerExp, UpperExp};

use half::f16;

use super::hole::{Align, Hole, Style};
use crate::elem::ElemType;

/// Writes the element with these bits.
pub(super) fn write(hole: &Hole, elem: ElemType, bits: u64, text: &mut String) {
    let digits = match elem {
        ElemType::F16 => float(f16::from_bits(bits as u16).to_f32(), hole),
        ElemType::F32 => float(f32::from_bits(bits as u32), hole),
        ElemType::F64 => float(f64::from_bits(bits), hole),
        integer => self::integer(integer, bits, hole),
    };
    pad(hole, signed(hole, digits), text);
}

fn integer(elem: ElemType, bits: u64, hole: &Hole) -> String {
    // The bits of a negative number, like Rust's hexadecimal numbers.
    let unsigned = elem.unsigned().integer(bits).unwrap_or_default();
    let Some(x) = elem.integer(bits) else { return String::new() };
    match (hole.style, hole.alternate) {
        (Style::Display | Style::Debug, _) => x.to_string(),
        (Style::LowerHex | Style::DebugLowerHex, false) => format!("{unsigned:x}"),
        (Style::LowerHex | Style::DebugLowerHex, true) => format!("{unsigned:#x}"),
        (Style::UpperHex | Style::DebugUpperHex, false) => format!("{unsigned:X}"),
        (Style::UpperHex | Style::DebugUpperHex, true) => format!("{unsigned:#X}"),
        (Style::Binary, false) => format!("{unsigned:b}"),
        (Style::Binary, true) => format!("{unsigned:#b}"),
        (Style::Octal, false) => format!("{unsigned:o}"),
        (Style::Octal, true) => format!("{unsigned:#o}"),
        (Style::LowerExp, _) => exponent(|| format!("{x:e}"), |digits| format!("{x:.digits$e}"), hole),
        (Style::UpperExp, _) => exponent(|| format!("{x:E}"), |digits| format!("{x:.digits$E}"), hole),
    }
}

fn exponent(shortest: impl FnOnce() -> String, rounded: impl FnOnce(usize) -> String, hole: &Hole) -> String {
    hole.precision.map_or_else(shortest, |digits| rounded(digits.into()))
}

fn float<T: Display + Debug + LowerExp + UpperExp>(x: T, hole: &Hole) -> String {
    let digits = hole.precision.map(usize::from);
    match (hole.style, digits) {
        (Style::LowerExp, None) => format!("{x:e}"),
        (Style::LowerExp, Some(digits)) => format!("{x:.digits$e}"),
        (Style::UpperExp, None) => format!("{x:E}"),
        (Style::UpperExp, Some(digits)) => format!("{x:.digits$E}"),
        (Style::Display, None) => format!("{x}"),
        (Style::Display, Some(digits)) => format!("{x:.digits$}"),
        // The verifier refuses hexadecimal floats, which Rust does not have either.
        (_, None) => format!("{x:?}"),
        (_, Some(digits)) => format!("{x:.digits$?}"),
    }
}

/// With a sign, if requested. NaN has no sign.
fn signed(hole: &Hole, digits: String) -> String {
    if hole.plus && !digits.starts_with('-') && digits != "NaN" { format!("+{digits}") } else { digits }
}

fn pad(hole: &Hole, digits: String, text: &mut String) {
    let missing = usize::from(hole.width).saturating_sub(digits.chars().count());
    let fill = |count: usize, text: &mut String| text.extend(std::iter::repeat_n(hole.fill, count));
    if hole.zero {
        // After the sign and `0x`.
        let sign = usize::from(digits.starts_with(['+', '-']));
        let prefix = ["0x", "0b", "0o"].iter().any(|prefix| digits[sign..].starts_with(prefix));
        let (before, rest) = digits.split_at(sign + if prefix && hole.alternate { 2 } else { 0 });
        text.push_str(before);
        text.extend(std::iter::repeat_n('0', missing));
        text.push_str(rest);
        return;
    }
    let left = match hole.align {
        Some(Align::Left) => 0,
        Some(Align::Center) => missing / 2,
        Some(Align::Right) | None => missing,
    };
    fill(left, text);
    text.push_str(&digits);
    fill(missing - left, text);
}
