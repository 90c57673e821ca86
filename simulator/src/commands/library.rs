//! The library to preload: `cm-simulator-preload`.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The name of its file.
const FILE: &str = "libcm_simulator_preload.so";

/// The library beside a program, or in `deps`, where cargo puts it for programs and for tests. If there are
/// several, the newest one, because cargo updates them at different times.
pub(super) fn beside(program: &Path) -> Option<PathBuf> {
    let folder = program.parent()?;
    let time =
        |path: &PathBuf| path.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let folders = [Some(folder.to_owned()), Some(folder.join("deps")), folder.parent().map(Path::to_owned)];
    folders
        .into_iter()
        .flatten()
        .map(|folder| folder.join(FILE))
        .filter(|path| path.is_file())
        .max_by_key(time)
}

/// The library of this program, or instructions for the user.
pub(super) fn find() -> Result<PathBuf, String> {
    let program =
        std::env::current_exe().map_err(|why| format!("cannot find this program's own file: {why}"))?;
    beside(&program).ok_or_else(|| {
        let release = if cfg!(debug_assertions) { "" } else { " --release" };
        format!(
            "{FILE} is not beside {}; build it with: cargo build{release} -p cm-simulator-preload",
            program.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{File, create_dir_all};
    use std::time::Duration;

    #[test]
    fn the_newest_library_is_taken() {
        let root = std::env::temp_dir().join(format!("cm-simulator-library-{}", std::process::id()));
        create_dir_all(root.join("deps")).expect("a folder");
        let program = root.join("cm-simulator");
        assert_eq!(beside(&program), None);
        let old = File::create(root.join(FILE)).expect("a file");
        assert_eq!(beside(&program), Some(root.join(FILE)));
        old.set_modified(SystemTime::now() - Duration::from_secs(60)).expect("a time");
        File::create(root.join("deps").join(FILE)).expect("a file");
        assert_eq!(beside(&program), Some(root.join("deps").join(FILE)));
        // A program in `deps`, like tests.
        assert_eq!(beside(&root.join("deps/test")), Some(root.join("deps").join(FILE)));
        std::fs::remove_dir_all(&root).expect("to be removed");
    }
}
