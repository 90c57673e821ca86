//! Files that are generated and committed.

use std::path::Path;

/// Compares a text with the committed file at this path from the root of the workspace. `CM_BLESS=1` writes the file; then read
/// the difference.
///
/// # Panics
/// If they differ.
#[track_caller]
pub fn check(path: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    if std::env::var_os("CM_BLESS").is_some() {
        std::fs::write(&file, text).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    // Ends of texts of different lengths differ.
    let lines = || text.lines().map(Some).chain([None]).zip(committed.lines().map(Some).chain([None]));
    let differs = lines().find(|(found, committed)| found != committed);
    assert!(text == committed, "{path} has changed: {differs:?}; `CM_BLESS=1` writes the new text");
}
