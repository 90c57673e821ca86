//! The arrows of ARCHITECTURE.md: which crate may know which, which module of a crate may know which, and
//! that files of a folder do not import each other in a circle. Every import is read from the sources; what
//! is wrong is named by its line.

mod arrows;
mod made_up;
mod modules;
mod orders;
mod tokens;

use std::fs;
use std::path::Path;

use modules::Modules;
use orders::CRATES;

/// The sources of a folder, by their names from there on.
fn sources(folder: &Path, before: &str, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = format!("{before}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            sources(&path, &format!("{name}/"), found);
        } else if name.ends_with(".rs") {
            found.push((name, fs::read_to_string(&path).expect("a readable source")));
        }
    }
}

#[test]
fn imports_follow_the_arrows() {
    let names = CRATES.map(|of| of.name);
    let mut wrong = Vec::new();
    for of in CRATES {
        let mut found = Vec::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(of.folder), "", &mut found);
        let modules = Modules::new(of.folder, &found);
        let violations = of.violations(&modules, &names);
        wrong.extend(violations.iter().map(|violation| format!("{}: {violation}", of.name)));
    }
    assert!(wrong.is_empty(), "{} against the arrows:\n{}", wrong.len(), wrong.join("\n"));
}
