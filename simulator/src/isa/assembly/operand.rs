//! Parses operands.

use super::super::operand::{File, Operand, Place, Region, Type};
use super::immediate::immediate;
use super::scan::{integer, number};

/// The position of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Destination,
    Source,
    Branch,
}

/// The operand of `sync`: a list of tokens such as `($1,$3)`, or a number with or without its type.
pub(crate) fn awaited(text: &str) -> Result<(Operand, Option<Type>), String> {
    let Some(list) = text.strip_prefix('(').and_then(|list| list.strip_suffix(')')) else {
        let untyped = is_number(text) && !text.contains(':');
        return if untyped {
            operand(&format!("{text}:ud"), Kind::Source)
        } else {
            operand(text, Kind::Source)
        };
    };
    let mut tokens = 0_u64;
    for token in list.split(',') {
        let number = token.strip_prefix('$').and_then(|token| token.parse::<u32>().ok());
        let number = number.filter(|&number| number < 32).ok_or_else(|| format!("{token} is no token"))?;
        tokens |= 1 << number;
    }
    let place = Place::Immediate(tokens);
    Ok((Operand { place, ..Operand::absent() }, Some(Type::Ud)))
}

/// An operand, and its type if that is written.
pub(crate) fn operand(text: &str, kind: Kind) -> Result<(Operand, Option<Type>), String> {
    let mut operand = Operand::absent();
    let bad = || format!("{text} is no operand");
    let mut rest = text;
    if kind == Kind::Destination {
        if let Some(after) = rest.strip_prefix("(sat)") {
            operand.saturate = true;
            rest = after;
        }
    } else {
        if rest.starts_with(['L', '_']) || kind == Kind::Branch && is_name(rest) {
            operand.place = Place::Target(rest.to_owned());
            return Ok((operand, None));
        }
        if rest.starts_with('-') && !is_number(rest) {
            operand.negate = true;
            rest = &rest[1..];
        }
        if let Some(after) = rest.strip_prefix('~') {
            operand.invert = true;
            rest = after;
        }
        if let Some(after) = rest.strip_prefix("(abs)") {
            operand.absolute = true;
            rest = after;
        }
        if is_number(rest) {
            let (value, ty) = rest.rsplit_once(':').ok_or("a number without a type")?;
            operand.ty = type_of(ty)?;
            operand.place = Place::Immediate(immediate(value, operand.ty)?);
            return Ok((operand.clone(), Some(operand.ty)));
        }
    }
    if let Some(after) = rest.strip_prefix("null") {
        operand.place = Place::Null;
        // The subregister of `null` has no meaning.
        rest = after.strip_prefix('.').and_then(number).map_or(after, |(_, rest)| rest);
    } else if let Some(after) = rest.strip_prefix("r[a0.") {
        let (subregister, after) = number(after).ok_or_else(bad)?;
        let after = after.strip_prefix(',').unwrap_or(after);
        let (plus, after) =
            if after.starts_with(']') { (0, after) } else { integer(after).ok_or_else(bad)? };
        operand.place = Place::Indirect {
            subregister: u8::try_from(subregister).ok().filter(|&n| n < 16).ok_or_else(bad)?,
            plus: i16::try_from(plus).map_err(|_| bad())?,
            row: None,
        };
        rest = after.strip_prefix(']').ok_or_else(bad)?;
    } else {
        let (file, after) = File::of(rest).ok_or_else(|| format!("not supported: operand {text}"))?;
        operand.place = Place::Direct(file);
        (operand.start.0, rest) = number(after).unwrap_or((0, after));
        if let Some(after) = rest.strip_prefix(".nomme") {
            operand.extension = Some(8);
            rest = after;
        } else if let Some(after) = rest.strip_prefix(".mme") {
            let (register, after) = number(after).ok_or_else(bad)?;
            operand.extension = Some(u8::try_from(register).ok().filter(|&n| n < 8).ok_or_else(bad)?);
            rest = after;
        } else if let Some(after) = rest.strip_prefix('.') {
            (operand.start.1, rest) =
                number(after).ok_or_else(|| format!("not supported: the channels of {text}"))?;
            if operand.start.1 > 127 {
                return Err(format!("{text}: there is no such element"));
            }
        }
    }
    rest = region(&mut operand, rest, kind).ok_or_else(bad)?;
    let ty = match rest.strip_prefix(':') {
        Some(ty) => Some(type_of(ty)?),
        None if rest.is_empty() => None,
        None => return Err(format!("not supported: operand {text}")),
    };
    Ok((operand, ty))
}

/// A region, if there is one, and the rest of the text.
fn region<'a>(operand: &mut Operand, text: &'a str, kind: Kind) -> Option<&'a str> {
    let Some(text) = text.strip_prefix('<') else { return Some(text) };
    let (inside, rest) = text.split_once('>')?;
    let strides = |text: &str| -> Option<u16> { text.parse().ok().filter(|&n| n <= 64) };
    operand.region = if let Some((rows, row)) = inside.split_once(';') {
        let rows = strides(rows)?;
        if let Some((row, step)) = row.split_once(',') {
            Region::Rows(rows, strides(row)?, strides(step)?)
        } else {
            // In instructions with three sources: rows of as many elements as are contiguous.
            let step = strides(row)?;
            Region::Rows(rows, rows.checked_div(step).unwrap_or(1).max(1), step)
        }
    } else if let Some((row, step)) = inside.split_once(',') {
        let row = strides(row)?;
        if let (Place::Indirect { row: rows, .. }, Kind::Source) = (&mut operand.place, kind) {
            *rows = Some(u8::try_from(row).ok().filter(|&n| n > 0)?);
        }
        Region::Addresses(row, strides(step)?)
    } else {
        Region::Step(strides(inside)?)
    };
    Some(rest)
}

fn type_of(text: &str) -> Result<Type, String> {
    Type::of(text).ok_or_else(|| format!("not supported: type {text}"))
}

fn is_number(text: &str) -> bool {
    let magnitude = text.strip_prefix(['-', '+']).unwrap_or(text);
    magnitude.starts_with(|c: char| c.is_ascii_digit())
        || ["inf", "qnan", "snan", "nan"].iter().any(|name| magnitude.starts_with(name))
}

/// A name that is not a register.
fn is_name(text: &str) -> bool {
    let is_register = File::of(text).is_some_and(|(_, rest)| rest.chars().all(|c| c.is_ascii_digit()));
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text != "null"
        && !is_register
}
