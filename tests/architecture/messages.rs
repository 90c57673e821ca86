//! Every message for users names a cause and a remedy, which a colon or a semicolon separates.

use crate::documents::read;

/// The sources of the messages, and what is before each text.
const MESSAGES: [(&str, &str); 8] = [
    ("macros/src/messages.rs", ": &str ="),
    ("compiler/src/limits/violation.rs", "#[error("),
    ("compiler/src/ir/barrier.rs", "#[error("),
    ("compiler/src/ir/dependency.rs", "#[error("),
    ("compiler/src/ir/named_barrier.rs", "#[error("),
    ("compiler/src/spirv/error.rs", "#[error("),
    ("runtime/src/error/mod.rs", "#[error("),
    ("runtime/src/error/level_zero.rs", "#[error("),
];

#[test]
fn messages_name_a_remedy() {
    for (path, before) in MESSAGES {
        let source = read(path);
        let texts: Vec<String> = source.split(before).skip(1).filter_map(literal).collect();
        assert!(texts.len() > 2, "{path} has no messages");
        for text in texts {
            let plain = without_values(&text);
            // The place comes first, and other messages are only forwarded.
            let rest = plain.trim_start_matches([':', ' ']);
            let has_remedy = rest.is_empty() || rest.contains(": ") || rest.contains("; ");
            assert!(has_remedy, "{path}: no remedy in `{text}`");
        }
    }
}

/// The string literal at the start, with its lines joined.
fn literal(source: &str) -> Option<String> {
    let text = source.trim_start().strip_prefix('"')?;
    let end = text.match_indices('"').find(|(at, _)| !text[..*at].ends_with('\\'))?.0;
    Some(text[..end].split("\\\n").map(str::trim_start).collect())
}

/// A message without the values in braces.
fn without_values(text: &str) -> String {
    text.split('{').map(|part| part.split_once('}').map_or(part, |(_, after)| after)).collect()
}
