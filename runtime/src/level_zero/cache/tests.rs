//! Stored kernels are found again, and nothing else is.

use super::*;

fn key(module: &[u32]) -> Key {
    Key::new(module, "-vc-codegen", &[1; 16], [0x1912, 7], "")
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
        Key::new(&[1], "", &[1; 16], [0x1912, 7], ""),
        Key::new(&[1], "-vc-codegen", &[2; 16], [0x1912, 7], ""),
        Key::new(&[1], "-vc-codegen", &[1; 16], [0x1916, 7], ""),
        Key::new(&[1], "-vc-codegen", &[1; 16], [0x1912, 8], ""),
        Key::new(&[1], "-vc-codegen", &[1; 16], [0x1912, 7], "libigc"),
    ];
    for (i, a) in keys.iter().enumerate() {
        assert!(keys[..i].iter().all(|b| a != b), "key {i}");
    }
}

/// A replacement for a file, in a separate folder.
type Row = (&'static str, fn(&Path));

/// Writes bytes that are derived from a complete file of the first key.
fn put(path: &Path, make: impl FnOnce(Vec<u8>) -> Vec<u8>) {
    fs::write(path, make(packed(b"binary", &key(&[1])))).unwrap();
}

/// Truncates the bytes to this length.
fn cut(path: &Path, length: usize) {
    put(path, |whole| whole[..length].to_vec());
}

/// Flips one bit of this byte.
fn flip(path: &Path, at: usize) {
    put(path, |mut whole| {
        whole[at] ^= 1;
        whole
    });
}

const START: usize = MAGIC.len() + 2 * HASH;

const BROKEN: &[Row] = &[
    ("nothing", |path| put(path, |_| vec![])),
    ("something else", |path| put(path, |_| b"something else".to_vec())),
    ("zeros", |path| put(path, |whole| vec![0; whole.len()])),
    ("a program", |path| put(path, |_| b"\x7fELF\x02\x01\x01".repeat(100))),
    ("the binary alone", |path| put(path, |_| b"binary".to_vec())),
    ("a byte", |path| cut(path, 1)),
    ("half of the magic words", |path| cut(path, MAGIC.len() / 2)),
    ("the magic words", |path| cut(path, MAGIC.len())),
    ("half of the key", |path| cut(path, MAGIC.len() + HASH / 2)),
    ("no hash", |path| cut(path, MAGIC.len() + HASH)),
    ("half of the hash", |path| cut(path, MAGIC.len() + HASH + HASH / 2)),
    ("no binary", |path| cut(path, START)),
    ("half of the binary", |path| cut(path, START + 3)),
    ("one byte too few", |path| cut(path, START + 5)),
    ("one byte too many", |path| put(path, |whole| [&whole[..], b"y"].concat())),
    ("the file twice", |path| put(path, |whole| whole.repeat(2))),
    ("a byte before it", |path| put(path, |whole| [b"y", &whole[..]].concat())),
    ("another version", |path| flip(path, MAGIC.len() - 2)),
    ("another key", |path| flip(path, MAGIC.len())),
    ("another last byte of the key", |path| flip(path, MAGIC.len() + HASH - 1)),
    ("another hash", |path| flip(path, MAGIC.len() + HASH)),
    ("another first byte", |path| flip(path, START)),
    ("another last byte", |path| flip(path, START + 5)),
    ("the file of another kernel", |path| put(path, |_| packed(b"binary", &key(&[2])))),
    ("a binary of no bytes", |path| put(path, |_| packed(b"", &key(&[1])))),
    ("more bytes than all of the cache may have", |path| {
        // Without memory, on disk or elsewhere.
        File::create(path).unwrap().set_len(1 << 40).unwrap();
    }),
    #[cfg(unix)]
    ("a link to nowhere", |path| std::os::unix::fs::symlink("nowhere", path).unwrap()),
    #[cfg(unix)]
    ("a link to itself", |path| std::os::unix::fs::symlink(path, path).unwrap()),
    #[cfg(unix)]
    ("a device without end", |path| std::os::unix::fs::symlink("/dev/zero", path).unwrap()),
    #[cfg(unix)]
    ("a pipe that nobody writes to", |path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    }),
];

#[test]
fn unfinished_files_that_others_left_are_in_nobodys_way() {
    let (folder, one) = (tempfile::tempdir().unwrap(), key(&[1]));
    let next = NUMBER.load(Ordering::Relaxed);
    for number in next..next + NAMES / 2 {
        fs::write(folder.path().join(unfinished_name(&one.file(), number)), "").unwrap();
    }
    let cache = at(folder.path());
    cache.store(&one, b"binary");
    assert_eq!(cache.load(&one).as_deref(), Some(&b"binary"[..]));
}

#[test]
fn broken_and_foreign_files_are_not_taken_and_made_again() {
    let one = key(&[1]);
    for (what, make) in BROKEN {
        let folder = tempfile::tempdir().unwrap();
        let cache = at(folder.path());
        make(&folder.path().join(one.file()));
        assert_eq!(cache.load(&one), None, "{what}");
        cache.store(&one, b"binary");
        assert_eq!(cache.load(&one).as_deref(), Some(&b"binary"[..]), "{what}");
        let files = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files, 1, "{what}: nothing unfinished is left");
    }
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

/// A file of the cache that was last used this number of seconds ago.
fn aged(cache: &Cache, number: u32, seconds: u64) {
    let path = cache.folder().unwrap().join(key(&[number]).file());
    let time = SystemTime::now() - Duration::from_secs(seconds);
    File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
}

#[test]
fn what_was_not_used_for_longest_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let binary = [7; 100];
    let file = packed(&binary, &key(&[0])).len() as u64;
    let cache = Cache { limit: 3 * file, ..at(folder.path()) };
    for number in [1, 2, 3] {
        cache.store(&key(&[number]), &binary);
        aged(&cache, number, u64::from(100 - number));
    }
    let foreign = folder.path().join("notes.bin");
    fs::write(&foreign, [0; 10_000]).unwrap();
    // The oldest file is used, so the second one has to go.
    assert!(cache.load(&key(&[1])).is_some());
    cache.store(&key(&[4]), &binary);
    let there = |number| cache.folder().unwrap().join(key(&[number]).file()).exists();
    assert_eq!([1, 2, 3, 4].map(there), [true, false, true, true]);
    aged(&cache, 1, 20);
    aged(&cache, 4, 10);
    // A kernel that needs the space of two.
    cache.store(&key(&[5]), &[7; 200]);
    assert_eq!([1, 3, 4, 5].map(there), [false, false, true, true]);
    // A kernel that does not fit at all removes nothing.
    cache.store(&key(&[6]), &[7; 1000]);
    assert_eq!([4, 5, 6].map(there), [true, true, false]);
    assert!(foreign.exists(), "other files are left alone");
}

#[test]
fn what_ended_processes_left_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let cache = at(folder.path());
    let leave = |name: &str, age| {
        let path = folder.path().join(format!("{}.{name}.{UNFINISHED}", key(&[1]).file()));
        let file = File::create_new(&path).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
        path
    };
    let (old, new) = (leave("1-0", 2 * ABANDONED), leave("2-0", ABANDONED / 2));
    cache.store(&key(&[2]), b"binary");
    assert!(!old.exists() && new.exists());
}

#[test]
fn many_at_once_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let binary = |number: u32| number.to_le_bytes().repeat(100);
    let file = packed(&binary(0), &key(&[0])).len() as u64;
    let cache = Cache { limit: 5 * file, ..at(folder.path()) };
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let cache = &cache;
            scope.spawn(move || {
                for round in 0..50 {
                    let number = (round * (thread + 3)) % 20;
                    cache.store(&key(&[number]), &binary(number));
                    let found = cache.load(&key(&[(number + 1) % 20]));
                    assert!(found.is_none_or(|found| found == binary((number + 1) % 20)));
                }
            });
        }
    });
    cache.store(&key(&[99]), &binary(99));
    assert_eq!(cache.load(&key(&[99])), Some(binary(99)));
    let files = || fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap());
    assert!(files().map(|file| file.metadata().unwrap().len()).sum::<u64>() <= cache.limit);
    assert!(files().all(|file| file.path().extension().unwrap() == "bin"), "nothing unfinished is left");
}
