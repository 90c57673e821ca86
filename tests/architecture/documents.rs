//! Checks statements of the documents against the sources: complete lists, existing files, valid links.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cm::Target;
use cm::compiler::elem::ElemType;
use cm::compiler::ops::AtomicKind;
use cm_test_support::sources::{sources, tokens};

/// The suites whose modules `docs/features.md` names.
const SUITES: [&str; 5] = ["language", "conformance", "memory", "device", "compiler"];

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The texts in backticks.
fn quoted(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The text under a heading of `docs/features.md`.
fn section<'a>(features: &'a str, heading: &str) -> &'a str {
    let start = features.find(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no section {heading}"));
    let rest = &features[start + 4..];
    &rest[..rest.find("\n## ").unwrap_or(rest.len())]
}

/// The names that follow `before` in a file, up to a closing brace: variants of an enum, functions of a
/// module.
fn names_after(path: &str, before: &[&str]) -> Vec<String> {
    let source = read(path);
    let tokens = tokens(&source);
    let found = tokens.windows(before.len() + 1).filter(|window| {
        window.iter().zip(before).all(|(token, word)| token.text == *word) && window[before.len()].is_word()
    });
    found.map(|window| window[before.len()].text.clone()).collect()
}

/// The variants of `pub enum name`.
fn variants(path: &str, name: &str) -> Vec<String> {
    let source = read(path);
    let tokens = tokens(&source);
    let start = tokens.windows(2).position(|pair| pair[0].text == "enum" && pair[1].text == name);
    let body = &tokens[start.unwrap_or_else(|| panic!("no enum {name} in {path}")) + 3..];
    let end = body.iter().position(|token| token.text == "}").expect("the end of the enum");
    body[..end].iter().filter(|token| token.is_word()).map(|token| token.text.clone()).collect()
}

#[test]
fn the_lists_of_features_are_complete() {
    let features = read("docs/features.md");
    let named = |heading: &str, names: Vec<String>| {
        let section = quoted(section(&features, heading));
        assert!(!names.is_empty(), "nothing to look for in {heading}");
        let missing: Vec<_> = names.iter().filter(|name| !section.contains(name.as_str())).collect();
        assert!(missing.is_empty(), "{heading} of docs/features.md lacks {missing:?}");
    };
    named("Elements", ElemType::ALL.iter().map(|elem| elem.name().to_owned()).collect());
    named("Surfaces", variants("runtime/src/format.rs", "Format"));
    named("Buffers", AtomicKind::ALL.iter().map(|kind| format!("{kind:?}")).collect());
    named("GPU code", Target::ALL.iter().map(|target| format!("{target:?}")).collect());
    // The matrix engine has a section of its own.
    let files = sources(&root().join("dsl/src/math")).into_iter().filter(|(file, _)| file != "dpas.rs");
    let functions = files.flat_map(|(file, _)| names_after(&format!("dsl/src/math/{file}"), &["pub", "fn"]));
    let plain = |name: &String| !name.ends_with("_sat") && !name.ends_with("_any");
    named("Built-in functions", functions.filter(plain).collect());
}

/// The chapter has one table of the variables, and one of the features.
#[test]
fn the_chapter_of_the_setup_is_complete() {
    let chapter = read("docs/book/src/setup.md");
    let named = quoted(&chapter);
    let manifest = read("Cargo.toml");
    let features = manifest.split("[features]").nth(1).and_then(|rest| rest.split("\n\n").next());
    let features = features.expect("the features").lines().filter_map(|line| line.split_once(" = "));
    let features = features.map(|(name, _)| name.to_owned()).filter(|name| name != "default");
    let sources = sources(&root().join("runtime/src"));
    let variables = sources.iter().flat_map(|(_, text)| text.split("\"CM_").skip(1)).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_uppercase() && c != '_').unwrap_or(rest.len());
        format!("CM_{}", &rest[..end])
    });
    let variables = variables.filter(|name| !name.starts_with("CM_TEST"));
    let missing: Vec<_> = features.chain(variables).filter(|name| !named.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "docs/book/src/setup.md lacks {missing:?}");
}

#[test]
fn every_suite_is_named_by_a_feature() {
    let features = read("docs/features.md");
    let named: BTreeSet<&str> =
        quoted(&features).into_iter().filter(|text| text.starts_with("tests/")).collect();
    let gone: Vec<_> = named.iter().filter(|path| !root().join(path).exists()).collect();
    assert!(gone.is_empty(), "docs/features.md names {gone:?}, which are not there");
    for suite in SUITES {
        for (file, _) in sources(&root().join("tests").join(suite)) {
            let path = format!("tests/{suite}/{file}");
            let covered = named.iter().any(|name| Path::new(&path).starts_with(name));
            // Files that only contain module declarations are exempt.
            let root = file == "main.rs" || file.ends_with("/mod.rs");
            assert!(covered || root, "no feature of docs/features.md names {path}");
        }
    }
}

#[test]
fn the_number_of_illegal_programs_is_theirs() {
    let programs: usize = fs::read_dir(root().join("tests/ui"))
        .expect("the programs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .map(|folder| sources(&folder).len())
        .sum();
    let expected = format!("{programs} programs that must not compile");
    assert!(read("README.md").contains(&expected), "the README does not say \"{expected}\"");
}

#[test]
fn the_open_faults_are_listed() {
    let folder = "tests/random_kernels/open";
    let files = fs::read_dir(root().join(folder)).expect("the kernels").map(|entry| entry.expect("an entry"));
    let names = files.map(|entry| entry.file_name().into_string().expect("a name in UTF-8"));
    let kernels: Vec<String> = names
        .filter_map(|name| Some(name.strip_suffix(".ir")?.trim_start_matches("seed_").to_owned()))
        .collect();
    let expected = format!("{} faults are not fixed", kernels.len());
    assert!(read("docs/features.md").contains(&expected), "docs/features.md does not say \"{expected}\"");
    let page = read(&format!("{folder}/README.md"));
    let missing: Vec<_> = kernels.iter().filter(|name| !page.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "{folder}/README.md lacks {missing:?}");
}

#[test]
fn rows_of_illegal_programs_name_programs_that_exist() {
    let page = read("docs/illegal-programs.md").replace("\\|", "or");
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| ") && line[2..].starts_with(|c: char| c.is_ascii_digit()))
        .map(|line| line.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    let numbers: Vec<usize> = rows.iter().map(|row| row[0].parse().expect("a number")).collect();
    assert_eq!(numbers, (1..=74).collect::<Vec<_>>());
    for row in rows {
        let [number, _, who, why] = row[..] else { panic!("not four cells: {row:?}") };
        let programs: Vec<&str> = quoted(why).into_iter().filter(|name| is_program(name)).collect();
        match who {
            "check" => assert!(!programs.is_empty(), "row {number} shows no program"),
            "rustc" | "recording" | "legal" | "no form" => {}
            _ => panic!("row {number}: who is `{who}`?"),
        }
        for program in programs {
            for extension in ["rs", "stderr"] {
                let path = format!("tests/ui/{program}.{extension}");
                assert!(root().join(&path).exists(), "row {number}: no {path}");
            }
        }
    }
}

/// Whether a name has the form `topic/rule`.
fn is_program(name: &str) -> bool {
    name.split_once('/').is_some_and(|(topic, rule)| !topic.contains('.') && !rule.contains(['.', '/']))
}

/// The files and folders in a folder, without those that are not committed.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| !path.ends_with("target") && !path.ends_with(".git")).collect()
}

/// The documents in some folders.
fn documents(folders: &[&str]) -> Vec<PathBuf> {
    let all = folders.iter().flat_map(|folder| entries(&root().join(folder)));
    all.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// Whether a text in backticks is the path of a file or folder, not other code.
fn is_path(text: &str) -> bool {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    let file = [".rs", ".md", ".sh", ".py", ".toml"].iter().any(|end| text.strip_suffix(end) > Some(""));
    plain && (file || text.trim_end_matches('/').contains('/'))
}

/// A path in a document is the end of the path of a file or folder: `access/wave.rs`, also without the extension.
#[test]
fn paths_in_documents_exist() {
    /// They are made by programs.
    const NOT_COMMITTED: [&str; 2] = ["fuzz/corpus", "target/random-kernels"];

    let mut all = entries(root());
    let mut next = 0;
    while next < all.len() {
        if all[next].is_dir() {
            let inside = entries(&all[next]);
            all.extend(inside);
        }
        next += 1;
    }
    let exists =
        |name: &str| all.iter().any(|path| path.ends_with(name) || path.with_extension("").ends_with(name));
    let documents = documents(&["", "docs", "docs/book/src", "docs/book/src/tutorials", "simulator"]);
    assert!(documents.len() > 40);
    for document in documents {
        let text = fs::read_to_string(&document).expect("a document");
        let prose = text.split("```").step_by(2).collect::<String>();
        for name in quoted(&prose).into_iter().filter(|text| is_path(text) && !NOT_COMMITTED.contains(text)) {
            assert!(exists(name), "{}: there is no `{name}`", document.display());
        }
    }
}

#[test]
fn links_lead_somewhere() {
    let documents = documents(&["", "docs"]);
    assert!(documents.len() > 5);
    for document in documents {
        let text = fs::read_to_string(&document).expect("a document");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            let outside = target.contains("://") || target.contains("::") || target.is_empty();
            let found = document.parent().is_some_and(|folder| folder.join(target).exists());
            assert!(outside || found, "{}: {target} leads nowhere", document.display());
        }
    }
}
