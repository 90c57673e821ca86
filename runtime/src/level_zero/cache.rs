//! Compiled kernels on disk, so that the next start of a program need not compile them.
//!
//! A file is named by a hash of the module, the compiler's options, the device, the driver's version and the installed
//! compiler. A file is complete or does not exist; an unreadable or damaged file is replaced. The size of the folder is bounded: the least
//! recently used files are removed. Several processes share it without a lock: a file that another process removed is
//! created again.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

/// `off`, or the folder for compiled kernels.
const VARIABLE: &str = "CM_CACHE";
/// The first bytes of files. The number is the version of the format.
const MAGIC: &[u8] = b"cm compiled kernel 1\n";
const HASH: usize = 32;
/// The largest number of bytes of files in a folder.
const LIMIT: u64 = 256 << 20;
/// The extension of files that are being written.
const UNFINISHED: &str = "tmp";
/// A process that writes a file for longer than this has been ended.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// A folder of compiled kernels. Problems with it are not errors: the kernels are compiled instead.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
    limit: u64,
}

/// The key of a compiled kernel: everything it was made from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Key([u8; HASH]);

impl Key {
    /// The key of everything that the compiler's output depends on.
    pub(crate) fn new(
        module: &[u32],
        options: &str,
        uuid: &[u8],
        [model, driver]: [u32; 2],
        compiler: &str,
    ) -> Self {
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
        part(compiler.as_bytes());
        Self(hash.finalize().into())
    }

    /// The name of its file.
    pub(super) fn file(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + ".bin"
    }
}

impl Cache {
    /// The folder that `CM_CACHE` names, or the user's.
    pub(crate) fn of_process() -> &'static Self {
        static CACHE: OnceLock<Cache> = OnceLock::new();
        CACHE.get_or_init(|| match std::env::var_os(VARIABLE) {
            Some(value) if value == "off" || value.is_empty() => Self { folder: None, limit: LIMIT },
            Some(folder) => Self::in_folder(Path::new(&folder)),
            None => Self { folder: user_folder(), limit: LIMIT },
        })
    }

    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self { folder: Some(folder.to_owned()), limit: LIMIT }
    }

    /// A cache in this folder; off if there is none.
    #[cfg(test)]
    pub(super) fn at(folder: Option<&Path>) -> Self {
        Self { folder: folder.map(Path::to_owned), limit: LIMIT }
    }

    /// The folder; `None` if the cache is off.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The kernel that was stored under the key.
    pub(crate) fn load(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.folder.as_ref()?.join(key.file());
        let bytes = match read(&path, self.limit) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::debug!(path = %path.display(), %error, "a compiled kernel cannot be read");
                return None;
            }
        };
        let binary = unpacked(&bytes, key);
        if binary.is_some() {
            used(&path);
        } else {
            tracing::debug!(path = %path.display(), "not a compiled kernel, or a broken one: it is made \
                again");
        }
        binary.map(<[u8]>::to_vec)
    }

    /// Stores a compiled kernel.
    pub(crate) fn store(&self, key: &Key, binary: &[u8]) {
        let Some(folder) = &self.folder else { return };
        let bytes = packed(binary, key);
        if bytes.len() as u64 > self.limit {
            return;
        }
        if let Err(error) = write(folder, &key.file(), &bytes) {
            tracing::debug!(folder = %folder.display(), %error, "a compiled kernel cannot be stored");
        }
        if let Err(error) = evict(folder, &key.file(), self.limit) {
            tracing::debug!(folder = %folder.display(), %error, "old kernels cannot be removed");
        }
    }
}

/// The folder of this user, by the rules of the system.
fn user_folder() -> Option<PathBuf> {
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let of = |variable| std::env::var_os(variable).map(PathBuf::from).and_then(absolute);
    let folder = if cfg!(windows) {
        of("LOCALAPPDATA")?.join("cm").join("cache")
    } else {
        let home = || std::env::home_dir().and_then(absolute).map(|home| home.join(".cache"));
        of("XDG_CACHE_HOME").or_else(home)?.join("cm")
    };
    Some(folder.join("kernels"))
}

/// The bytes of a file that the cache can have written. A pipe would block, and a device may never end.
fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let about = fs::metadata(path)?;
    if !about.is_file() || about.len() > limit {
        return Err(io::Error::other("not a regular file, or one that is too large"));
    }
    let mut bytes = Vec::new();
    // Another process may be writing to it at this moment.
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Records the use of a file: its modification time is the time of its last use.
fn used(path: &Path) {
    let touched =
        File::options().append(true).open(path).and_then(|file| file.set_modified(SystemTime::now()));
    if let Err(error) = touched {
        // The file then counts as older than it is, or another process has just removed it.
        tracing::debug!(path = %path.display(), %error, "the use of a compiled kernel cannot be noted");
    }
}

/// Removes the least recently used files until the others have at most `limit` bytes. `keep` stays. Files that do not
/// belong to the cache are not touched.
fn evict(folder: &Path, keep: &str, limit: u64) -> io::Result<()> {
    let (mut stored, mut bytes) = (vec![], 0);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        let Some(name) = name.to_str().filter(|name| is_ours(name)) else { continue };
        // Files that another process has removed in the meantime use no space.
        let Ok(about) = entry.metadata() else { continue };
        if !about.is_file() {
            continue;
        }
        let time = about.modified()?;
        if path.extension().is_some_and(|extension| extension == UNFINISHED) {
            // A process that was ended left this file.
            if time.elapsed().is_ok_and(|age| age > ABANDONED) {
                remove(&path);
            }
            continue;
        }
        bytes += about.len();
        if name != keep {
            stored.push((time, about.len(), path));
        }
    }
    stored.sort();
    for (_, length, path) in stored {
        if bytes <= limit {
            break;
        }
        remove(&path);
        bytes -= length;
    }
    Ok(())
}

/// Whether the cache uses such file names: a key in hexadecimal digits, with or without an extension.
fn is_ours(name: &str) -> bool {
    let key = name.split_once('.').map(|(key, _)| key);
    key.is_some_and(|key| key.len() == 2 * HASH && key.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path) {
        // Another process was faster, or has it open on a system that does not allow this.
        tracing::debug!(path = %path.display(), %error, "a compiled kernel cannot be removed");
    }
}

/// Writes a file that is complete or does not exist, whatever others do at the same time.
pub(super) fn write(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let (unfinished, mut file) = unfinished(folder, name)?;
    let written = file.write_all(bytes).and_then(|()| {
        // Windows cannot rename open files.
        drop(file);
        fs::rename(&unfinished, folder.join(name))
    });
    if written.is_err() {
        remove(&unfinished);
    }
    written
}

/// The number of the next unfinished file of this process.
static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// How many names of unfinished files are tried.
const NAMES: usize = 100;

/// A new file under a name that no other thread or process uses. Another process with the same number may have left
/// such files, or share the folder over a network; then the file has the next name.
fn unfinished(folder: &Path, name: &str) -> io::Result<(PathBuf, File)> {
    let mut made = Err(io::ErrorKind::AlreadyExists.into());
    for _ in 0..NAMES {
        let path = folder.join(unfinished_name(name, NUMBER.fetch_add(1, Ordering::Relaxed)));
        made = File::create_new(&path).map(|file| (path, file));
        if !made.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists) {
            break;
        }
    }
    made
}

fn unfinished_name(name: &str, number: usize) -> String {
    format!("{name}.{}-{number}.{UNFINISHED}", std::process::id())
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

// By their paths: the fuzz target `cache` has this file too.
#[cfg(test)]
#[path = "cache/faults.rs"]
mod faults;
#[cfg(test)]
#[path = "cache/tests.rs"]
mod tests;
