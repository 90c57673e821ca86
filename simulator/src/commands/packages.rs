//! The system libraries that the simulator needs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A shared library.
#[derive(Debug)]
pub(super) struct Library {
    /// The name of its file.
    pub(super) file: &'static str,
    /// Its purpose.
    pub(super) role: &'static str,
    /// The Debian package that contains it.
    pub(super) package: &'static str,
}

pub(super) const LIBRARIES: [Library; 4] = [
    Library { file: "libze_loader.so.1", role: "Level Zero's loader", package: "libze1" },
    Library { file: "libze_intel_gpu.so.1", role: "Intel's driver", package: "intel-opencl-icd" },
    Library { file: "libigc.so.1", role: "Intel's compiler", package: "libigc1" },
    Library { file: "libiga64.so.1", role: "Intel's disassembler", package: "libigc1" },
];

/// Folders of libraries, besides those of `LD_LIBRARY_PATH` and those that `ldconfig` lists.
const FOLDERS: [&str; 6] =
    ["/usr/lib/x86_64-linux-gnu", "/usr/local/lib", "/usr/lib64", "/lib64", "/usr/lib", "/lib"];

impl Library {
    /// The path of the library.
    pub(super) fn find(&self, search_path: Option<&OsStr>) -> Option<PathBuf> {
        let listed = search_path.into_iter().flat_map(std::env::split_paths);
        let mut folders = listed.chain(FOLDERS.map(PathBuf::from));
        let found = folders.find(|folder| !folder.as_os_str().is_empty() && folder.join(self.file).exists());
        found.map(|folder| folder.join(self.file)).or_else(|| self.in_cache(Path::new("/etc/ld.so.cache")))
    }

    /// Its path in the cache of `ldconfig`, whose strings end with zeros.
    fn in_cache(&self, cache: &Path) -> Option<PathBuf> {
        let bytes = std::fs::read(cache).ok()?;
        let mut strings =
            bytes.split(|byte| *byte == 0).filter_map(|string| std::str::from_utf8(string).ok());
        let end = format!("/{}", self.file);
        strings.find(|string| string.starts_with('/') && string.ends_with(&end)).map(PathBuf::from)
    }
}

/// The libraries that are missing.
pub(super) fn missing() -> Vec<&'static Library> {
    let search_path = std::env::var_os("LD_LIBRARY_PATH");
    LIBRARIES.iter().filter(|library| library.find(search_path.as_deref()).is_none()).collect()
}

/// The command that installs them on Debian.
pub(super) fn remedy(missing: &[&Library]) -> String {
    let mut packages: Vec<_> = missing.iter().map(|library| library.package).collect();
    packages.sort_unstable();
    packages.dedup();
    format!("apt-get install {}", packages.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_found_by_path_and_in_the_list() {
        let folder = std::env::temp_dir().join(format!("cm-simulator-packages-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let none = Library { file: "libnone-such.so.1", role: "nothing", package: "none" };
        assert_eq!(none.find(Some(folder.as_os_str())), None);
        std::fs::write(folder.join(none.file), "").expect("a file");
        assert_eq!(none.find(Some(folder.as_os_str())), Some(folder.join(none.file)));
        let cache = folder.join("ld.so.cache");
        std::fs::write(&cache, b"\x01libnone-such.so.1\0/opt/libnone-such.so.1\0/opt/other.so\0")
            .expect("a file");
        assert_eq!(none.in_cache(&cache), Some(PathBuf::from("/opt/libnone-such.so.1")));
        std::fs::remove_dir_all(&folder).expect("to be removed");
    }

    #[test]
    fn the_remedy_names_each_package_once() {
        let all: Vec<_> = LIBRARIES.iter().collect();
        assert_eq!(remedy(&all), "apt-get install intel-opencl-icd libigc1 libze1");
    }
}
