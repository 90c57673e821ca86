//! A file of the kernel cache is either what was stored under its key, or is rejected.
//!
//! An input that begins with `#` is a file. Any other input is the difference from a valid file: its length,
//! and the bits that differ.
#![no_main]
#![allow(dead_code, reason = "the parts that read and write files")]

#[path = "../../runtime/src/level_zero/cache.rs"]
mod cache;

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use cache::{Cache, Key};
use libfuzzer_sys::fuzz_target;

struct Stored {
    key: Key,
    cache: Cache,
    /// The file for the key, and its contents.
    file: PathBuf,
    whole: Vec<u8>,
    // The folder is removed with the process.
    _folder: tempfile::TempDir,
}

static STORED: LazyLock<Stored> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let (key, cache) =
        (Key::new(&[1, 2, 3], "-vc-codegen", &[1; 16], [0x1912, 7], ""), Cache::in_folder(folder.path()));
    cache.store(&key, b"binary");
    let file =
        fs::read_dir(folder.path()).expect("a folder").next().expect("a file").expect("an entry").path();
    let whole = fs::read(&file).expect("it is there");
    Stored { key, cache, file, whole, _folder: folder }
});

fuzz_target!(|input: &[u8]| {
    let Stored { key, cache, file, whole, .. } = &*STORED;
    let bytes = match input {
        [b'#', bytes @ ..] => bytes.to_vec(),
        [shorter, difference @ ..] => {
            let mut bytes = whole.clone();
            bytes.resize((2 * whole.len()).saturating_sub(usize::from(*shorter)), 0);
            bytes.iter_mut().zip(difference).for_each(|(byte, bits)| *byte ^= bits);
            bytes
        }
        [] => whole.clone(),
    };
    fs::write(file, &bytes).expect("it is written");
    match cache.load(key) {
        // Anything that is accepted has the hash of its binary, as if it had been stored.
        Some(binary) => {
            assert!(!binary.is_empty());
            cache.store(key, &binary);
            assert_eq!(fs::read(file).expect("it is there"), bytes, "this is not what was stored");
        }
        None => assert_ne!(&bytes, whole, "a whole file is not taken"),
    }
});
