//! The built examples, which tests run as programs.

use std::path::{Path, PathBuf};

/// The path of a built example: a test runs in `target/<profile>/deps`, and examples are in `examples` beside
/// it.
pub fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let profile = test.parent().and_then(Path::parent).expect("target/<profile>/deps");
    let path = profile.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.is_file(),
        "{} is missing: a plain `cargo test` builds it, and so does `cargo build --examples` (for this profile)",
        path.display()
    );
    path
}
