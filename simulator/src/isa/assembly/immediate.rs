//! Immediate numbers of instructions.

use super::super::numbers::half_from_f64;
use super::super::operand::Type;
use super::scan::integer;

/// The bits of a number of a type.
pub(crate) fn immediate(text: &str, ty: Type) -> Result<u64, String> {
    let bad = || format!("{text} is no number of its type");
    let value = match ty {
        Type::Hf | Type::F | Type::Df => return float(text, ty).ok_or_else(bad),
        _ => integer(text),
    };
    match value {
        Some((value, "")) => Ok(value as u64),
        _ => Err(bad()),
    }
}

fn float(text: &str, ty: Type) -> Option<u64> {
    let (sign, exponent, quiet): (u64, u64, u64) = match ty {
        Type::Hf => (1 << 15, 0x7c00, 0x200),
        Type::F => (1 << 31, 0x7f80_0000, 0x40_0000),
        _ => (1 << 63, 0x7ff << 52, 1 << 51),
    };
    let (negative, magnitude) = text.strip_prefix('-').map_or((0, text), |rest| (sign, rest));
    if magnitude.contains("inf") {
        return Some(negative | exponent);
    }
    if magnitude.contains("nan") {
        let payload = match magnitude.split_once('(') {
            Some((_, payload)) => u64::try_from(integer(payload.strip_suffix(')')?)?.0).ok()?,
            None => 0,
        };
        let quiet = if magnitude.starts_with('s') { 0 } else { quiet };
        return Some(negative | exponent | quiet | payload);
    }
    if let Some(digits) = magnitude.strip_prefix("0x") {
        let bits = if digits.contains('p') { None } else { u64::from_str_radix(digits, 16).ok() };
        return match bits {
            Some(bits) => Some(negative ^ bits),
            None => hexadecimal(digits).map(|value| bits_of(value, ty) | negative),
        };
    }
    magnitude.parse().ok().map(|value| bits_of(value, ty) | negative)
}

/// `1.8p3`, without its prefix.
fn hexadecimal(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once('p')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut value = 0.0;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let exponent = exponent.parse::<i32>().ok()?.checked_sub(4 * i32::try_from(fraction.len()).ok()?)?;
    Some(value * 2_f64.powi(exponent))
}

fn bits_of(value: f64, ty: Type) -> u64 {
    match ty {
        Type::Hf => half_from_f64(value, super::super::numbers::Rounding::Nearest).into(),
        Type::F => (value as f32).to_bits().into(),
        _ => value.to_bits(),
    }
}
