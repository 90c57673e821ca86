//! Splits the text into tokens.

use super::error::ParseError;

/// A piece of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A word or number: letters, digits, `_`, `.`, a sign before and in the exponent.
    Atom(String),
    /// Text in quotes, without its escapes.
    Quoted(String),
    /// Anything else.
    Mark(char),
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Atom(text) => write!(f, "`{text}`"),
            Self::Quoted(text) => write!(f, "{text:?}"),
            Self::Mark(mark) => write!(f, "`{mark}`"),
        }
    }
}

/// The pieces with their lines. `//` begins a comment.
pub(super) fn tokens(text: &str) -> Result<Vec<(u32, Token)>, ParseError> {
    let mut tokens = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            if rest.starts_with("//") {
                break;
            }
            let (token, len) = if first == '"' {
                let (text, len) = quoted(&rest[1..]).ok_or_else(|| ParseError {
                    line,
                    expected: "text that ends with `\"`, with the escapes `\\\\`, `\\\"` and `\\u{..}`"
                        .into(),
                    found: format!("`{rest}`"),
                })?;
                (Token::Quoted(text), len + 1)
            } else {
                match atom(rest) {
                    0 => (Token::Mark(first), first.len_utf8()),
                    len => (Token::Atom(rest[..len].to_owned()), len),
                }
            };
            tokens.push((line, token));
            rest = rest[len..].trim_start();
        }
    }
    Ok(tokens)
}

/// The length of the atom at the start of the text, 0 if there is none.
fn atom(text: &str) -> usize {
    let bytes = text.as_bytes();
    let inside = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.');
    let sign = usize::from(bytes[0] == b'-');
    if !bytes.get(sign).is_some_and(inside) {
        return 0;
    }
    let number = bytes[sign].is_ascii_digit() && !text[sign..].starts_with("0x");
    let mut len = sign;
    while let Some(c) = bytes.get(len) {
        // `1e-7` is one number; in `0x1e` the `e` is a digit.
        let exponent = number && *c == b'-' && bytes[len - 1] == b'e';
        if !inside(c) && !exponent {
            break;
        }
        len += 1;
    }
    len
}

/// The text before the closing quote, and the length with it.
fn quoted(text: &str) -> Option<(String, usize)> {
    let mut unescaped = String::new();
    let mut rest = text;
    loop {
        let c = rest.chars().next()?;
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => return Some((unescaped, text.len() - rest.len())),
            '\\' => {
                if let Some(hex) = rest.strip_prefix("u{") {
                    let (code, after) = hex.split_once('}')?;
                    unescaped.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
                    rest = after;
                } else {
                    let c = rest.chars().next().filter(|c| matches!(c, '"' | '\\'))?;
                    unescaped.push(c);
                    rest = &rest[1..];
                }
            }
            c => unescaped.push(c),
        }
    }
}
