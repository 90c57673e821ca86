//! Programs that must not compile. `<topic>/<rule>.rs` is one file for each rule, with rustc's output in a
//! `.stderr` file beside it and a line in `index.rs` or `other_rules.rs`.
//!
//! `TRYBUILD=overwrite cargo test --package cm-illegal-programs` updates the output; then review the difference.

mod index;
mod limits;
mod other_rules;
// Not its crate, whose dependencies would be checked with every program.
#[path = "../support/src/sources.rs"]
#[expect(unreachable_pub, dead_code, reason = "other suites use it as a module of that crate")]
mod sources;
mod without_programs;

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the workspace, seen from that of this package.
const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Words that no headline may contain: type-level numbers, and names of internal traits.
const INTERNAL: [&str; 34] = [
    "UInt<",
    "UTerm",
    "B0",
    "B1",
    "cm_dsl::",
    "__private",
    "Staged",
    "Declared",
    "Enters",
    "SameElement",
    "Stages",
    "Stored",
    "IntoScalar",
    "ScalarLike",
    "Operand<",
    "MergeSource",
    "Mask<",
    "BinaryOp",
    "Promote",
    "ShiftBy",
    "LaunchArg",
    "Fits<",
    "Inside",
    "Extent<",
    "Len<",
    "Lit<",
    "Shape<",
    "Offset<",
    "Count",
    "Condition<",
    "AtOnce",
    "LeftOf",
    "Compound",
    "LastBound",
];

/// A mistake in the type of an argument is reported at the type, in the body, and where the kernel is
/// launched.
const MOST_ERRORS: usize = 4;

/// The committed output is that of one Rust version. Other versions word some messages differently.
#[test]
fn illegal_kernels_do_not_compile() {
    let version = rustc("--version");
    let stated = env!("CARGO_PKG_RUST_VERSION");
    if !version.starts_with(&format!("rustc {stated}.")) {
        println!("skipped: the committed texts are those of Rust {stated}, this is {}", version.trim());
        return;
    }
    // If the source of the standard library is installed, rustc quotes it.
    let quotes = rustc("--print=sysroot").trim_end().to_owned() + "/lib/rustlib/src/rust/library";
    let quotes = Path::new(&quotes).exists();
    let cases = trybuild::TestCases::new();
    for program in files(Path::new("."), "rs") {
        let text = fs::read_to_string(program.with_extension("stderr")).unwrap_or_default();
        if quotes && text.contains("$RUST/") {
            println!("skipped: {}, whose text has lines of the standard library here", program.display());
        } else {
            // As in the expected text.
            cases.compile_fail(program.strip_prefix(".").expect("below this folder"));
        }
    }
}

/// Asks rustc a question and returns its output.
fn rustc(question: &str) -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let answer = std::process::Command::new(rustc).arg(question).output().expect("rustc runs").stdout;
    String::from_utf8_lossy(&answer).into_owned()
}

/// A committed output file, without its directory.
struct Text {
    name: String,
    text: String,
}

impl Text {
    /// The lines that name the errors.
    fn headlines(&self) -> impl Iterator<Item = &str> {
        self.text
            .lines()
            .filter(|line| line.starts_with("error"))
            .filter(|line| !line.starts_with("error: aborting"))
    }

    fn headline(&self) -> &str {
        self.headlines().next().unwrap_or_default()
    }

    /// Whether the output tells the user what to do: in a note, in a help, or after a colon in the headline.
    /// Errors of the borrow checker (E05..) are clear by themselves, and so are errors about format
    /// arguments, because rustc marks the placeholders.
    fn has_remedy(&self) -> bool {
        let after = self.headline().split_once(": ").map_or("", |(_, message)| message);
        self.text.contains("= note: ")
            || self.text.contains("help: ")
            || after.contains(": ")
            || self.headline().starts_with("error[E05")
            || self.name.starts_with("printf/") && self.headline().contains("argument")
    }
}

fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a folder");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|topic| topic.is_dir())
        .flat_map(|topic| fs::read_dir(topic).expect("a topic is a directory"))
        .map(|file| file.expect("a file").path())
        .filter(|file| file.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

fn texts() -> Vec<Text> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: PathBuf| Text {
        name: path.strip_prefix(directory).expect("below that folder").display().to_string(),
        text: fs::read_to_string(&path).expect("a readable text"),
    };
    files(directory, "stderr").into_iter().map(read).collect()
}

#[test]
fn every_rule_has_its_text() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rules = files(directory, "rs");
    assert!(rules.len() >= 45, "{} rules", rules.len());
    let without: Vec<_> = rules.iter().filter(|rule| !rule.with_extension("stderr").exists()).collect();
    assert!(without.is_empty(), "no text for {without:?}");
    assert_eq!(rules.len(), files(directory, "stderr").len(), "a text without its rule");
}

#[test]
fn headlines_speak_the_language_of_kernels() {
    for file in texts() {
        for word in INTERNAL {
            assert!(!file.headline().contains(word), "{}: `{word}` in: {}", file.name, file.headline());
        }
    }
}

#[test]
fn every_text_has_a_remedy() {
    for file in texts() {
        assert!(file.has_remedy(), "{}: what to do about: {}", file.name, file.headline());
    }
}

#[test]
fn one_mistake_is_not_many_errors() {
    for file in texts() {
        let errors = file.headlines().count();
        assert!((1..=MOST_ERRORS).contains(&errors), "{}: {errors} errors", file.name);
    }
}

#[test]
fn the_first_error_is_shown_at_the_users_token() {
    for file in texts() {
        let place =
            file.text.lines().find_map(|line| line.trim_start().strip_prefix("--> ")).unwrap_or_default();
        let mut parts = place.rsplitn(3, ':');
        let line = parts.nth(1).and_then(|line| line.parse::<usize>().ok()).unwrap_or_default();
        let path = parts.next().unwrap_or_default().replace("$WORKSPACE", WORKSPACE);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let source =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {place}: {error}", file.name));
        let shown = source.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        assert!(shown.trim() != "#[kernel]", "{}: the first error is shown at the attribute", file.name);
    }
}
