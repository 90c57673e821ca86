//! Numbers and flags at the start of a text.

use crate::generation::Generation;

/// A decimal number at the start, and the rest.
pub(crate) fn number(text: &str) -> Option<(u16, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// An integer at the start, decimal or hexadecimal, with a sign; and the rest.
pub(crate) fn integer(text: &str) -> Option<(i128, &str)> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = digits.strip_prefix("0x").map_or((10, digits), |rest| (16, rest));
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let value = i128::from(u64::from_str_radix(&digits[..end], radix).ok()?);
    Some((if negative { -value } else { value }, &digits[end..]))
}

/// A flag register at the start, as its first bit; and the rest.
pub(crate) fn flag(text: &str, generation: Generation) -> Result<(u8, &str), String> {
    let bad = || format!("{text} is no flag register");
    let (register, rest) = text.strip_prefix('f').and_then(number).ok_or_else(bad)?;
    let (half, rest) = match rest.strip_prefix('.').and_then(number) {
        Some((half, rest)) => (half, rest),
        None => (0, rest),
    };
    if register >= generation.flag_registers() || half > 1 {
        return Err(bad());
    }
    Ok((u8::try_from(register * 32 + half * 16).map_err(|_| bad())?, rest))
}
