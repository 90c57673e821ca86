//! Templates from text.

use std::str::FromStr;

use thiserror::Error;

use super::hole::{Align, Hole, Layout, Style};
use super::template::Template;

/// Text that is not a template.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "`{hole}` is not a hole of a text that is printed: write `{{}}`, `{{row:?}}` or `{{rows:?}}`, and `{{{{` for a brace"
)]
pub struct TemplateError {
    /// The start of the invalid part.
    pub hole: String,
}

impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        let (mut template, mut rest) = (Self::default(), text);
        while let Some(at) = rest.find(['{', '}']) {
            let (before, brace) = rest.split_at(at);
            template.push_str(before);
            let wrong = || TemplateError { hole: brace.chars().take(16).collect() };
            if let Some(after) = brace.strip_prefix("{{").or_else(|| brace.strip_prefix("}}")) {
                template.push_str(&brace[..1]);
                rest = after;
                continue;
            }
            let (inside, after) =
                brace.strip_prefix('{').and_then(|inside| inside.split_once('}')).ok_or_else(wrong)?;
            // A brace as fill character, as in `{:}>4}`, comes after the end that was found.
            let (inside, after) = match (inside.ends_with(':'), after) {
                (true, after) if after.starts_with(['<', '^', '>']) => {
                    let end = after.find('}').ok_or_else(wrong)?;
                    (&brace[1..1 + inside.len() + 1 + end], &after[end + 1..])
                }
                _ => (inside, after),
            };
            template.push(hole(inside).ok_or_else(wrong)?);
            rest = after;
        }
        template.push_str(rest);
        Ok(template)
    }
}

/// Parses the text between the braces.
fn hole(inside: &str) -> Option<Hole> {
    let (name, mut spec) = inside.split_once(':').unwrap_or((inside, ""));
    let layout = Layout::ALL.into_iter().find(|layout| layout.name() == name)?;
    let mut hole = Hole::new(layout, Style::Display);
    let mut chars = spec.chars();
    if let Some(fill) = chars.next() {
        let align = |c: char| match c {
            '<' => Some(Align::Left),
            '^' => Some(Align::Center),
            '>' => Some(Align::Right),
            _ => None,
        };
        if let Some(found) = chars.next().and_then(align) {
            (hole.fill, hole.align) = (fill, Some(found));
            spec = chars.as_str();
        } else if let Some(found) = align(fill) {
            hole.align = Some(found);
            spec = &spec[1..];
        }
    }
    let mut flag = |flag: char| match spec.strip_prefix(flag) {
        Some(rest) => {
            spec = rest;
            true
        }
        None => false,
    };
    (hole.plus, hole.alternate, hole.zero) = (flag('+'), flag('#'), flag('0'));
    let number = |spec: &mut &str| {
        let digits = spec.find(|c: char| !c.is_ascii_digit()).unwrap_or(spec.len());
        let (number, rest) = spec.split_at(digits);
        *spec = rest;
        if number.is_empty() { Some(None) } else { number.parse::<u16>().ok().map(Some) }
    };
    hole.width = number(&mut spec)?.unwrap_or(0);
    if let Some(mut rest) = spec.strip_prefix('.') {
        hole.precision = Some(number(&mut rest)??);
        spec = rest;
    }
    hole.style = *Style::ALL.iter().find(|style| style.name() == spec)?;
    Some(hole)
}
