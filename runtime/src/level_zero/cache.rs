//! Compiled kernels on disk, so that the next start of a program need not compile them.
//!
//! A file is named by a hash of the module, the compiler's options, the device and the driver's version. It
//! is complete or not there; a file that cannot be read, or is not what was stored, is made again.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sha2::{Digest, Sha256};

/// `off`, or the folder for compiled kernels.
const VARIABLE: &str = "CM_CACHE";
/// What files begin with. The number counts the changes of their form.
const MAGIC: &[u8] = b"cm compiled kernel 1\n";
const HASH: usize = 32;

/// A folder of compiled kernels. Nothing that goes wrong with it is an error: then kernels are compiled.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
}

/// What a compiled kernel was made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Key([u8; HASH]);

impl Key {
    /// Of everything that the compiler's output depends on.
    pub(crate) fn new(module: &[u32], options: &str, uuid: &[u8], model: u32, driver: u32) -> Self {
        let mut hash = Sha256::new();
        // Each part with its length, so that no two lists of parts are the same bytes.
        let mut part = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        part(env!("CARGO_PKG_VERSION").as_bytes());
        part(bytemuck::cast_slice(module));
        part(options.as_bytes());
        part(uuid);
        part(&model.to_le_bytes());
        part(&driver.to_le_bytes());
        Self(hash.finalize().into())
    }

    fn file(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + ".bin"
    }
}

impl Cache {
    /// The folder that `CM_CACHE` names, or the user's.
    pub(crate) fn of_process() -> &'static Self {
        static CACHE: OnceLock<Cache> = OnceLock::new();
        CACHE.get_or_init(|| match std::env::var_os(VARIABLE) {
            Some(value) if value == "off" || value.is_empty() => Self { folder: None },
            Some(folder) => Self { folder: Some(folder.into()) },
            None => {
                let folders = directories::ProjectDirs::from("", "", "cm");
                Self { folder: folders.map(|folders| folders.cache_dir().join("kernels")) }
            }
        })
    }

    /// One in this folder; off if there is none.
    #[cfg(test)]
    pub(super) fn at(folder: Option<&Path>) -> Self {
        Self { folder: folder.map(Path::to_owned) }
    }

    /// Where it is; `None` if it is off.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// What was stored under the key.
    pub(crate) fn load(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.folder.as_ref()?.join(key.file());
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::debug!(path = %path.display(), %error, "a compiled kernel cannot be read");
                return None;
            }
        };
        let binary = unpacked(&bytes, key);
        if binary.is_none() {
            tracing::debug!(path = %path.display(), "not a compiled kernel, or a broken one: it is made \
                again");
        }
        binary.map(<[u8]>::to_vec)
    }

    /// Stores a compiled kernel.
    pub(crate) fn store(&self, key: &Key, binary: &[u8]) {
        let Some(folder) = &self.folder else { return };
        if let Err(error) = write(folder, &key.file(), &packed(binary, key)) {
            tracing::debug!(folder = %folder.display(), %error, "a compiled kernel cannot be stored");
        }
    }
}

/// Writes a file that is complete or not there, whatever others do at the same time.
fn write(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(folder.join(name)).map_err(|error| error.error)?;
    Ok(())
}

/// Magic, key, hash of the binary, binary.
fn packed(binary: &[u8], key: &Key) -> Vec<u8> {
    [MAGIC, &key.0, Sha256::digest(binary).as_slice(), binary].concat()
}

fn unpacked<'a>(bytes: &'a [u8], key: &Key) -> Option<&'a [u8]> {
    let (found, rest) = bytes.strip_prefix(MAGIC)?.split_at_checked(HASH)?;
    let (hash, binary) = rest.split_at_checked(HASH)?;
    let whole = found == key.0 && !binary.is_empty() && Sha256::digest(binary).as_slice() == hash;
    whole.then_some(binary)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(module: &[u32]) -> Key {
        Key::new(module, "-vc-codegen", &[1; 16], 0x1912, 7)
    }

    fn at(folder: &Path) -> Cache {
        Cache::at(Some(folder))
    }

    #[test]
    fn what_is_stored_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = at(&folder.path().join("not/yet/there"));
        assert_eq!(cache.load(&key(&[1])), None);
        cache.store(&key(&[1]), b"first");
        cache.store(&key(&[2]), b"second");
        assert_eq!(cache.load(&key(&[1])).as_deref(), Some(&b"first"[..]));
        cache.store(&key(&[1]), b"another");
        assert_eq!(cache.load(&key(&[1])).as_deref(), Some(&b"another"[..]));
        let files = fs::read_dir(cache.folder().unwrap()).unwrap().count();
        assert_eq!(files, 2, "no temporary files are left");
    }

    #[test]
    fn everything_counts() {
        let keys = [
            key(&[1]),
            key(&[1, 0]),
            Key::new(&[1], "", &[1; 16], 0x1912, 7),
            Key::new(&[1], "-vc-codegen", &[2; 16], 0x1912, 7),
            Key::new(&[1], "-vc-codegen", &[1; 16], 0x1916, 7),
            Key::new(&[1], "-vc-codegen", &[1; 16], 0x1912, 8),
        ];
        for (i, a) in keys.iter().enumerate() {
            assert!(keys[..i].iter().all(|b| a != b), "key {i}");
        }
    }

    #[test]
    fn broken_and_foreign_files_are_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let cache = at(folder.path());
        let (one, two) = (key(&[1]), key(&[2]));
        let whole = packed(b"binary", &one);
        let mut flipped = whole.clone();
        *flipped.last_mut().unwrap() ^= 1;
        let shorter = |n: usize| whole[..n].to_vec();
        let broken = [
            vec![],
            b"something else".to_vec(),
            shorter(3),
            shorter(MAGIC.len() + 5),
            shorter(MAGIC.len() + HASH + 5),
            shorter(MAGIC.len() + 2 * HASH),
            shorter(whole.len() - 1),
            flipped,
            packed(b"binary", &two),
        ];
        for bytes in broken {
            fs::write(folder.path().join(one.file()), &bytes).unwrap();
            assert_eq!(cache.load(&one), None, "{bytes:?}");
        }
        cache.store(&one, b"binary");
        assert_eq!(cache.load(&one).as_deref(), Some(&b"binary"[..]));
    }

    #[test]
    fn nothing_that_goes_wrong_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "in the way").unwrap();
        for cache in [at(&file), at(&file.join("below")), at(Path::new("/proc/nowhere")), Cache::at(None)] {
            cache.store(&key(&[1]), b"binary");
            assert_eq!(cache.load(&key(&[1])), None);
        }
        // A folder where the file should be.
        let cache = at(folder.path());
        fs::create_dir(folder.path().join(key(&[1]).file())).unwrap();
        cache.store(&key(&[1]), b"binary");
        assert_eq!(cache.load(&key(&[1])), None);
    }
}
