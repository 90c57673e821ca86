//! The index is complete and true: every limit in the sources has its program, and every program its limit.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::index::{LIMITS, Limit, NEVER_FIRST, RECORDED, RUST, SYNTAX};
use super::{Text, texts};

/// The sources with limits.
const SOURCES: [&str; 3] = ["compiler/src", "dsl/src", "runtime/src"];

fn sources(folder: &Path, all: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, all);
        } else {
            all.push_str(&fs::read_to_string(&path).expect("a readable source"));
        }
    }
}

fn all_sources() -> String {
    let mut all = String::new();
    for folder in SOURCES {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut all);
    }
    all
}

/// The first literal of a text, and what stands behind it.
fn literal(text: &str) -> (String, &str) {
    let text = &text[text.find('"').expect("a literal") + 1..];
    let mut escaped = false;
    let end = text.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    let (literal, rest) = text.split_at(end.expect("its end"));
    // A line may go on in the next one.
    let joined = literal.split("\\\n").enumerate();
    let joined = joined.map(|(n, part)| if n == 0 { part } else { part.trim_start() });
    (joined.collect(), rest)
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The traits with a message, and their messages.
fn traits(sources: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for text in sources.split("#[diagnostic::on_unimplemented(").skip(1) {
        if text.trim_start().starts_with("message = $") {
            // A macro makes these: `leaf Name, "message"`.
            continue;
        }
        let (message, rest) = literal(&text[text.find("message = ").expect("a message")..]);
        let (_, rest) = rest.split_once("trait ").expect("a trait");
        found.insert(word(rest).to_owned(), message);
    }
    for text in sources.split("\n    leaf ").skip(1) {
        found.insert(word(text).to_owned(), literal(text).0);
    }
    found
}

/// The variants of `Violation`.
fn violations(sources: &str) -> BTreeSet<String> {
    let (_, text) = sources.split_once("pub enum Violation {\n").expect("the enum");
    let (body, _) = text.split_once("\n}\n").expect("its end");
    let variants = body.lines().filter_map(|line| line.strip_prefix("    "));
    let variants = variants.filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
    variants.map(|line| word(line).to_owned()).collect()
}

/// Whether a headline is this message, in which `{..}` stands for anything.
fn is_message(headline: &str, message: &str) -> bool {
    let Some((_, mut rest)) = headline.split_once(": ") else { return false };
    for (n, part) in message.split('{').enumerate() {
        let part = if n == 0 { part } else { part.split_once('}').map_or("", |(_, part)| part) };
        match rest.find(part) {
            Some(at) if n > 0 || at == 0 => rest = &rest[at + part.len()..],
            _ => return false,
        }
    }
    rest.is_empty() || message.ends_with('}')
}

/// The committed texts by the name of their program.
fn by_program() -> BTreeMap<String, Text> {
    texts().into_iter().map(|text| (text.name.trim_end_matches(".stderr").to_owned(), text)).collect()
}

#[test]
fn every_limit_has_a_program() {
    let sources = all_sources();
    let traits = traits(&sources);
    assert!(traits.len() > 60, "{traits:?}");
    let texts = by_program();
    for Limit { name, programs, .. } in LIMITS {
        let message =
            traits.get(*name).unwrap_or_else(|| panic!("there is no trait `{name}` with a message"));
        assert!(!programs.is_empty(), "`{name}` has no program");
        for program in *programs {
            let text = texts.get(*program).unwrap_or_else(|| panic!("`{name}`: there is no {program}"));
            let headline = text.headline();
            assert!(is_message(headline, message), "{program}: not the message of `{name}`: {headline}");
        }
    }
    let mut listed: Vec<&str> = LIMITS.iter().map(|limit| limit.name).collect();
    listed.extend(NEVER_FIRST.iter().map(|(name, _)| *name));
    let once: BTreeSet<&str> = listed.iter().copied().collect();
    assert_eq!(once.len(), listed.len(), "a limit stands twice in the index");
    let all: BTreeSet<&str> = traits.keys().map(String::as_str).collect();
    assert_eq!(all.difference(&once).collect::<Vec<_>>(), [] as [&&str; 0], "not in the index");
    assert_eq!(once.difference(&all).collect::<Vec<_>>(), [] as [&&str; 0], "in the index only");
}

#[test]
fn every_violation_has_a_program_or_a_test() {
    let violations = violations(&all_sources());
    assert!(violations.len() > 20, "{violations:?}");
    let stated = LIMITS.iter().filter_map(|limit| limit.violation);
    let shown: BTreeSet<String> =
        stated.chain(RECORDED.iter().map(|(violation, ..)| *violation)).map(str::to_owned).collect();
    assert_eq!(violations, shown);
    for (violation, file, test) in RECORDED {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file))
            .unwrap_or_else(|error| panic!("{violation}: {file}: {error}"));
        assert!(text.contains(&format!("#[test]\nfn {test}(")), "{violation}: no test `{test}` in {file}");
    }
}

#[test]
fn every_program_is_in_the_index() {
    let texts = by_program();
    let of_limits = LIMITS.iter().flat_map(|limit| limit.programs);
    let mut listed: Vec<&str> = of_limits.chain(SYNTAX).chain(RUST).copied().collect();
    listed.sort_unstable();
    let programs: Vec<&str> = texts.keys().map(String::as_str).collect();
    for program in &programs {
        assert!(listed.contains(program), "{program} is not in the index");
    }
    assert_eq!(listed, programs, "a program stands twice in the index, or is not there");
    for program in SYNTAX {
        assert!(texts[*program].headline().starts_with("error: "), "{program}: not refused by the macros");
    }
    for program in RUST {
        let headline = texts[*program].headline();
        let by_rust = headline.starts_with("error[") && !headline.starts_with("error[E0277]");
        assert!(by_rust, "{program}: not refused by Rust: {headline}");
    }
}

#[test]
fn messages_are_compared_with_their_gaps() {
    assert!(is_message("error[E0277]: `x` is no `y`", "`{Self}` is no `{T}`"));
    assert!(is_message("error[E0277]: a size of zero: no", "a size of zero: no"));
    assert!(!is_message("error[E0277]: `x` is no `y`, or", "`{Self}` is no `{T}`"));
    assert!(!is_message("error[E0277]: not `x`", "`{Self}`"));
    assert_eq!(literal(r#" "a \"b\" c" d"#), (r#"a \"b\" c"#.into(), "\" d"));
}
