//! Checks that the index is complete: every limit in the sources has its programs, and every program has its
//! limit.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::index::{LIMITS, Limit};
use super::other_rules::{FORMATS, RUST, SYNTAX};
use super::sources::{Token, sources, tokens};
use super::without_programs::{NEVER_FIRST, RECORDED};
use super::{Text, WORKSPACE, texts};

/// The sources with limits.
const SOURCES: [&str; 3] = ["compiler/src", "dsl/src", "runtime/src"];

fn all_sources() -> String {
    let root = Path::new(WORKSPACE);
    SOURCES.iter().flat_map(|folder| sources(&root.join(folder))).map(|(_, text)| text).collect()
}

/// The first string literal of a text, and the rest of the text from its closing quote.
fn literal(text: &str) -> (String, &str) {
    let text = &text[text.find('"').expect("a literal") + 1..];
    let mut escaped = false;
    let end = text.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    let (literal, rest) = text.split_at(end.expect("its end"));
    // A literal may continue on the next line.
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
    for text in sources.split("on_unimplemented(").skip(1) {
        let (_, text) = text.split_once("message").expect("a message");
        if text.trim_start_matches([' ', '=']).starts_with('$') {
            // A macro declares these traits: `leaf Name, "message"`.
            continue;
        }
        let (message, rest) = literal(text);
        let words = tokens(&rest[1..]);
        let name = words.iter().skip_while(|token| !token.is("trait")).nth(1).expect("a trait");
        found.insert(name.text.clone(), message);
    }
    for (at, leaf) in sources.match_indices("leaf ") {
        let starts_the_line =
            sources[..at].rsplit('\n').next().is_some_and(|before| before.trim().is_empty());
        let text = &sources[at + leaf.len()..];
        if starts_the_line && !text.starts_with('$') {
            found.insert(word(text).to_owned(), literal(text).0);
        }
    }
    found
}

/// The tokens after the leading attributes.
fn behind_attributes(mut tokens: &[Token]) -> &[Token] {
    while let [hash, open, ..] = tokens
        && hash.is("#")
        && open.is("[")
    {
        tokens = &tokens[1 + group(&tokens[1..])..];
    }
    tokens
}

/// The number of tokens from an opening bracket to its closing bracket; 1 if the first token is not a
/// bracket.
fn group(tokens: &[Token]) -> usize {
    let mut depth = 0;
    for (n, token) in tokens.iter().enumerate() {
        match &*token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return n + 1;
        }
    }
    tokens.len()
}

/// The variants of `Violation`.
fn violations(sources: &str) -> BTreeSet<String> {
    let all = tokens(sources);
    let is_enum = |at: &[Token]| at[0].is("enum") && at[1].is("Violation");
    let start = all.windows(2).position(is_enum).expect("the enum") + 2;
    let mut rest = &all[start..start + group(&all[start..]) - 1];
    let mut found = BTreeSet::new();
    // A variant starts after the opening bracket of the enum or after a comma.
    while let [_, behind @ ..] = rest
        && let [name, after @ ..] = behind_attributes(behind)
    {
        found.insert(name.text.clone());
        rest = after;
        while let [token, ..] = rest
            && !token.is(",")
        {
            rest = &rest[group(rest)..];
        }
    }
    found
}

/// The test functions of a source, whatever other attributes and qualifiers they have.
fn test_functions(source: &str) -> BTreeSet<String> {
    let all = tokens(source);
    let mut found = BTreeSet::new();
    for (at, _) in all.iter().enumerate().filter(|(_, token)| token.is("#")) {
        if !all[at + 1..].iter().zip(["[", "test", "]"]).all(|(token, text)| token.is(text)) {
            continue;
        }
        let mut rest = behind_attributes(&all[at..]);
        while let [word, after @ ..] = rest {
            match &*word.text {
                "fn" => {
                    found.extend(after.first().map(|name| name.text.clone()));
                    break;
                }
                "pub" | "const" | "async" | "unsafe" | "extern" => rest = after,
                "(" => rest = &rest[group(rest)..],
                _ => break,
            }
        }
    }
    found
}

/// Whether a headline has this message, in which each `{..}` matches any text.
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

/// The committed output files, by the names of their programs.
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
        let text = fs::read_to_string(Path::new(WORKSPACE).join(file))
            .unwrap_or_else(|error| panic!("{violation}: {file}: {error}"));
        assert!(test_functions(&text).contains(*test), "{violation}: no test `{test}` in {file}");
    }
}

#[test]
fn every_program_is_in_the_index() {
    let texts = by_program();
    let of_limits = LIMITS.iter().flat_map(|limit| limit.programs);
    let mut listed: Vec<&str> = of_limits.chain(SYNTAX).chain(RUST).chain(FORMATS).copied().collect();
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
        let lint = texts[*program].text.contains("the lint level is defined here");
        let by_rust = headline.starts_with("error[") && !headline.starts_with("error[E0277]");
        assert!(by_rust || lint, "{program}: not refused by Rust: {headline}");
    }
    for program in FORMATS {
        let headline = texts[*program].headline();
        let by_format =
            ["argument", "format trait", "std::fmt::"].iter().any(|words| headline.contains(words));
        assert!(by_format, "{program}: not refused by `format_args!`: {headline}");
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

#[test]
fn limits_are_found_however_they_are_spelt() {
    let source = r##"
        #[error("a, b")] pub(crate) enum Violation { #[error("`C` {x}, {y}")] A { x: usize, y: [u8; 2] }, B,
            /// D
            Tuple(usize, Option<usize>), Last }
        #[rustc::on_unimplemented( message="one, \"x\"", note = "the trait Wrong")]
        pub(crate) unsafe trait One<const N: usize> {}
        #[diagnostic::on_unimplemented(message = $message)] pub trait $leaf<Base> {}
            leaf $leaf:ident, $message:literal;
        leaf Two,
            "two, \
             three", "label";
    "##;
    assert_eq!(violations(source), ["A", "B", "Last", "Tuple"].map(str::to_owned).into());
    let expected = [("One", "one, \\\"x\\\""), ("Two", "two, three")];
    assert_eq!(traits(source), expected.map(|(name, message)| (name.into(), message.into())).into());
}

#[test]
fn tests_are_found_however_they_are_spelt() {
    let source = r##"
        #[test]
        fn plain() {}
        #[test] #[should_panic(expected = "fn no")]
        /// About it.
        pub(crate) fn visible<const N: usize>(x: [(); N]) {}
            #[should_panic]
            #[ test ]
            pub const unsafe extern "C" fn qualified
                () {}
        proptest! { #[test] fn random(x: u8) {} }
        // #[test] fn comment() {}
        "#[test] fn literal() {}";
        #[cfg(test)] fn helper() {}
        #[test] mod module { fn inner() {} }
        fn called() { plain() }
    "##;
    assert_eq!(test_functions(source), ["plain", "qualified", "random", "visible"].map(str::to_owned).into());
}
