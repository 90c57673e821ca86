//! Checks the book, `docs/book`, without mdBook: all chapters are in the summary, all listings are run, and
//! links, includes and quotations are valid.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use cm::compiler::limits;

use super::documents::{read, root};

const SOURCE: &str = "docs/book/src";
/// The URL under which files of the repository can be read.
const REPOSITORY: &str = "https://github.com/cm-rs/cm/blob/main/";
/// Chapters with the number of listings that are not run because they read files of the reader, and of
/// listings that must not compile.
const NOT_RUN: [(&str, usize, usize); 3] =
    [("first-kernel.md", 1, 0), ("images.md", 1, 0), ("limits.md", 0, 1)];

/// A chapter: its path in `docs/book/src`, and its text.
struct Chapter {
    name: String,
    text: String,
}

/// A fenced block: the words after the fence, the nonempty line above it, and its text.
struct Block<'a> {
    language: &'a str,
    above: &'a str,
    text: String,
}

impl Chapter {
    fn blocks(&self) -> Vec<Block<'_>> {
        let mut blocks = Vec::new();
        let mut lines = self.text.lines();
        let mut above = "";
        while let Some(line) = lines.next() {
            if let Some(language) = line.trim_start().strip_prefix("```") {
                let text: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != "```").collect();
                blocks.push(Block { language, above, text: text.join("\n") });
                above = "";
            } else if !line.is_empty() {
                above = line;
            }
        }
        blocks
    }

    /// The text without blocks, definitions and code in backticks.
    fn prose(&self) -> String {
        let mut fenced = false;
        let outside = self.text.lines().filter(|line| {
            let fence = line.trim_start().starts_with("```");
            fenced ^= fence;
            !fenced && !fence && definition(line).is_none()
        });
        let prose: Vec<&str> = outside.collect();
        prose.join("\n").split('`').step_by(2).collect()
    }

    fn folder(&self) -> PathBuf {
        let path = root().join(SOURCE).join(&self.name);
        path.parent().expect("a folder").to_owned()
    }

    fn definitions(&self) -> Vec<(&str, &str)> {
        self.text.lines().filter_map(definition).collect()
    }
}

/// `[label]: target`.
fn definition(line: &str) -> Option<(&str, &str)> {
    let (label, target) = line.strip_prefix('[')?.split_once(']')?;
    Some((label, target.strip_prefix(": ")?))
}

/// The targets of inline links.
fn inline_targets(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect()
}

fn summary() -> Vec<String> {
    inline_targets(&read(&format!("{SOURCE}/SUMMARY.md"))).into_iter().map(str::to_owned).collect()
}

fn chapters() -> Vec<Chapter> {
    let chapters = summary().into_iter().map(|name| {
        let text = read(&format!("{SOURCE}/{name}"));
        Chapter { name, text }
    });
    chapters.collect()
}

/// The anchors of headings in HTML.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#'));
    let name = |heading: &str| -> String {
        let heading = heading.trim().to_lowercase().replace(' ', "-");
        heading.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    };
    headings.map(name).collect()
}

#[test]
fn the_summary_has_every_chapter() {
    let listed = summary();
    let mut found = Vec::new();
    let mut folders = vec![root().join(SOURCE)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let name = path.strip_prefix(root().join(SOURCE)).expect("in the folder");
                found.push(name.to_str().expect("a name in UTF-8").replace('\\', "/"));
            }
        }
    }
    found.retain(|name| name != "SUMMARY.md");
    let distinct: BTreeSet<_> = listed.iter().collect();
    assert_eq!(distinct.len(), listed.len(), "SUMMARY.md has a chapter twice");
    assert_eq!(distinct, found.iter().collect(), "SUMMARY.md and the chapters differ");
}

/// rustdoc runs the listings of chapters that the crate includes.
#[test]
fn every_chapter_is_among_the_doctests() {
    let (guide, library) = (read("src/guide.rs"), read("src/lib.rs"));
    for Chapter { name, .. } in chapters() {
        let included = guide.contains(&format!("\"{name}\""))
            || [&guide, &library].iter().any(|text| text.contains(&format!("\"../{SOURCE}/{name}\"")));
        assert!(included, "neither src/guide.rs nor src/lib.rs includes {name}");
    }
}

#[test]
fn every_listing_is_run() {
    let mut listings = 0;
    for chapter in chapters() {
        let (mut not_run, mut not_compiled) = (0, 0);
        for Block { language, above, text } in chapter.blocks() {
            let name = &chapter.name;
            match language {
                "rust" => listings += 1,
                "rust,no_run" => not_run += 1,
                "rust,compile_fail" => not_compiled += 1,
                // rustdoc does not know this language. It is used for code from files, which other tests run.
                "rs" => {
                    let quoted = quotation(above).is_some();
                    let included = text.starts_with("{{#include ") && text.lines().count() == 1;
                    assert!(quoted || included, "{name}: code is neither run nor from a file:\n{text}");
                }
                "text" | "toml" | "console" | "c" | "cpp" => {}
                _ => panic!("{name}: `{language}` is not the language of a listing:\n{text}"),
            }
        }
        let expected = NOT_RUN.iter().find(|(name, ..)| *name == chapter.name);
        let expected = expected.map_or((0, 0), |(_, not_run, not_compiled)| (*not_run, *not_compiled));
        assert_eq!((not_run, not_compiled), expected, "{}: listings that do not run", chapter.name);
    }
    assert!(listings > 30, "{listings} listings");
}

/// `<!-- from path -->` above a block means that its lines are in that file, in this order.
fn quotation(above: &str) -> Option<&str> {
    above.strip_prefix("<!-- from ")?.strip_suffix(" -->")
}

#[test]
fn quotations_are_in_their_files() {
    let mut quotations = 0;
    for chapter in chapters() {
        for block in chapter.blocks() {
            let Some(path) = quotation(block.above) else { continue };
            let file = read(path);
            let mut lines = file.lines().map(str::trim);
            for line in block.text.lines().map(str::trim) {
                let found = line.is_empty() || lines.any(|original| original == line);
                assert!(found, "{}: {path} does not have this line there: {line}", chapter.name);
            }
            quotations += 1;
        }
    }
    assert!(quotations > 2);
}

/// `{{#include path}}` and `{{#include path:anchor}}` of mdBook, for programs that `tests/examples` runs.
#[test]
fn includes_are_parts_of_programs() {
    let programs = read("examples/Cargo.toml");
    for chapter in chapters() {
        for include in chapter.text.split("{{#include ").skip(1) {
            let include = include.split_once("}}").expect("the end of an include").0;
            let (path, anchor) =
                include.split_once(':').map_or((include, None), |(path, anchor)| (path, Some(anchor)));
            let file = chapter.folder().join(path);
            let text =
                fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {path}: {error}", chapter.name));
            let program = path.split_once("/examples/").and_then(|(_, path)| path.split('/').next());
            let program = program.unwrap_or_else(|| panic!("{}: {path} is not of an example", chapter.name));
            assert!(
                programs.contains(&format!("name = \"{program}\"")),
                "{}: no example {program}",
                chapter.name
            );
            if let Some(anchor) = anchor {
                for end in ["ANCHOR", "ANCHOR_END"] {
                    let mark = format!("// {end}: {anchor}");
                    let marks = text.lines().filter(|line| line.trim() == mark).count();
                    assert_eq!(marks, 1, "{}: {path} and `{mark}`", chapter.name);
                }
            }
        }
    }
}

#[test]
fn every_program_is_named() {
    let chapters = chapters();
    let programs = read("examples/Cargo.toml");
    let programs: Vec<_> = programs.split("[[example]]\nname = \"").skip(1).collect();
    assert!(programs.len() > 20);
    for program in programs.iter().filter_map(|rest| rest.split('"').next()) {
        let named = chapters.iter().any(|chapter| chapter.text.contains(&format!("`{program}`")));
        assert!(named, "no chapter of the book names the example `{program}`");
    }
}

/// In the book, a link leads to a file beside it. In the documentation of the crate, `src/guide/links.md`
/// redefines the references of chapters, so all links in the chapters that it shows must be such references.
#[test]
fn links_of_the_book_lead_somewhere() {
    let redefined = read("src/guide/links.md");
    let shown = |name: &str| !name.starts_with("tutorials");
    for chapter in chapters() {
        let prose = chapter.prose();
        let definitions = chapter.definitions();
        for (label, target) in &definitions {
            let used = prose.contains(&format!("[{label}]"));
            assert!(used, "{}: nothing leads to [{label}]", chapter.name);
            let here = target.starts_with("http") || redefined.contains(&format!("[{label}]: "));
            assert!(here || !shown(&chapter.name), "src/guide/links.md lacks [{label}] of {}", chapter.name);
        }
        let inline = inline_targets(&prose);
        for target in definitions.iter().map(|(_, target)| *target).chain(inline.iter().copied()) {
            let name = &chapter.name;
            if let Some(path) = target.strip_prefix(REPOSITORY) {
                let path = path.split('#').next().unwrap_or_default();
                assert!(root().join(path).exists(), "{name}: {target} leads nowhere");
            } else if !target.contains("://") {
                let (path, anchor) =
                    target.split_once('#').map_or((target, None), |(path, name)| (path, Some(name)));
                let file = if path.is_empty() {
                    chapter.folder().join(name.rsplit('/').next().expect("a name"))
                } else {
                    chapter.folder().join(path)
                };
                assert!(file.exists(), "{name}: {target} leads nowhere");
                let inside = file.starts_with(root().join(SOURCE)) && !path.contains("../../");
                assert!(
                    inside,
                    "{name}: {target} leaves the book: {REPOSITORY}.. leads to files of the repository"
                );
                if let Some(anchor) = anchor {
                    let text = fs::read_to_string(&file).expect("a chapter");
                    assert!(anchors(&text).contains(anchor), "{name}: no heading {target}");
                }
            }
        }
        let relative: Vec<_> =
            inline.into_iter().filter(|target| !target.contains("://") && !target.starts_with('#')).collect();
        assert!(
            relative.is_empty() || !shown(&chapter.name),
            "{}: write {relative:?} as references, which src/guide/links.md can redefine",
            chapter.name
        );
    }
}

#[test]
fn the_sizes_of_the_limits_are_those_of_the_compiler() {
    let chapter = read(&format!("{SOURCE}/limits.md"));
    let sizes = [
        ("a register object", limits::REGISTER_FILE),
        ("all live values together", limits::REGISTER_FILE),
        ("a media block", limits::MEDIA_WIDTH),
        ("a media block", limits::MEDIA_BYTES),
        ("a row of a written media block", limits::DWORD),
        ("an oword block", limits::OWORD),
        ("an oword block", limits::OWORD_BLOCK),
        ("an integer mask", limits::MASK_BITS),
        ("shared local memory of a group", limits::SHARED_BYTES / 1024),
        ("threads of a group", limits::GROUP_THREADS),
        ("a thread space", limits::THREAD_SPACE),
        ("threads that a thread waits for", limits::DEPENDENCIES),
    ];
    for (what, size) in sizes {
        let row = chapter.lines().find_map(|line| line.strip_prefix(&format!("| {what} | ")));
        let row = row.unwrap_or_else(|| panic!("limits.md has no row {what}"));
        let said = row.split(|c: char| !c.is_ascii_digit()).any(|number| number == size.to_string());
        assert!(said, "limits.md, {what}: {size} is not in {row}");
    }
}

/// An undefined reference would be shown as text.
#[test]
fn references_are_defined() {
    for chapter in chapters() {
        let defined: BTreeSet<&str> = chapter.definitions().into_iter().map(|(label, _)| label).collect();
        let prose = chapter.prose();
        for label in prose.split("][").skip(1).filter_map(|rest| rest.split(']').next()) {
            assert!(defined.contains(label), "{}: [{label}] is not defined", chapter.name);
        }
    }
}
