//! What tells one installation of Intel's compiler from another.
//!
//! The compiler is a library beside the driver, with packages and versions of its own, which no call reports. So its files
//! are looked at, in the folders where packages put them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

/// The names of the compiler's library, of which drivers load one.
const LIBRARIES: [&str; 2] = ["libigc.so.1", "libigc.so.2"];
/// The folders of the packages of distributions and of Intel.
const FOLDERS: [&str; 5] =
    ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib", "/usr/local/lib64"];
/// How the names of the variables start that change what the compiler does.
const VARIABLES: &str = "IGC_";

/// A text that differs after an update of the compiler, and with other settings of it. Empty on Windows, where the compiler
/// is a part of the driver.
pub(super) fn identity() -> &'static str {
    static IDENTITY: OnceLock<String> = OnceLock::new();
    IDENTITY.get_or_init(|| {
        if cfg!(windows) {
            return String::new();
        }
        let named = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let loaded = fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let folders = std::env::split_paths(&named).chain(FOLDERS.map(PathBuf::from)).chain(beside(&loaded));
        described(folders, std::env::vars_os())
    })
}

/// The folders of the driver and the compiler, if this process has loaded them: a line for each mapped part of a file.
fn beside(maps: &str) -> impl Iterator<Item = PathBuf> {
    let files = maps.lines().filter_map(|line| line.find('/').map(|start| Path::new(&line[start..])));
    let named = |file: &&Path| {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("libze_intel_gpu.so") || name.starts_with("libigc.so")
    };
    files.filter(named).filter_map(|file| file.parent().map(Path::to_owned))
}

/// The libraries in these folders with their sizes and times, and the compiler's variables.
fn described(
    folders: impl Iterator<Item = PathBuf>,
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> String {
    let files = folders.flat_map(|folder| LIBRARIES.map(|name| folder.join(name)));
    let files = files.filter_map(|path| {
        let found = fs::metadata(&path).ok()?;
        let time = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Some(format!("{path:?} {} {}", found.len(), time.unwrap_or_default().as_nanos()))
    });
    let variables = variables.filter(|(name, _)| name.to_string_lossy().starts_with(VARIABLES));
    // In order, and once: folders can be named twice.
    let all: BTreeSet<String> =
        files.chain(variables.map(|(name, value)| format!("{name:?}={value:?}"))).collect();
    all.into_iter().collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(folder: &Path, variables: &[(&str, &str)]) -> String {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        described([folder.to_owned(), folder.to_owned()].into_iter(), variables)
    }

    #[test]
    fn updates_and_settings_are_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let mut seen = vec![of(path, &[("LANG", "C")])];
        assert_eq!(seen[0], "");
        for (name, bytes) in [("libigc.so.1", "first"), ("libigc.so.1", "second"), ("libigc.so.2", "third")] {
            fs::write(path.join(name), bytes).unwrap();
            seen.push(of(path, &[]));
        }
        // The same size at another time.
        let later = fs::File::options().write(true).open(path.join("libigc.so.2")).unwrap();
        later.set_modified(UNIX_EPOCH + std::time::Duration::from_secs(5)).unwrap();
        seen.push(of(path, &[]));
        seen.push(of(path, &[("IGC_DisableSpill", "1")]));
        seen.push(of(path, &[("IGC_DisableSpill", "0")]));
        assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), seen.len(), "{seen:?}");
        assert_eq!(of(path, &[]), of(path, &[]));
        assert_eq!(seen[4].lines().count(), 2, "each library once");
    }

    #[test]
    fn libraries_of_the_process_are_found() {
        let maps = "7f0000000000-7f0000001000 r-xp 00000000 fe:01 123    /opt/intel gpu/libze_intel_gpu.so.1.3.1\n\
                    7f0000001000-7f0000002000 rw-p 00000000 00:00 0\n\
                    7f0000002000-7f0000003000 r--p 00000000 fe:01 124    /usr/lib/libc.so.6\n";
        assert_eq!(beside(maps).collect::<Vec<_>>(), [PathBuf::from("/opt/intel gpu")]);
    }
}
