//! Processes that are killed, that share a folder, that may not write, and full disks. Each of these processes is this
//! program, run again.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::*;

/// Names the folder for the other process.
const FOLDER: &str = "CM_TEST_CACHE_FOLDER";
/// The text that it prints when it begins to store a kernel.
const BEGUN: &str = "begun";
/// Keys that processes use at the same time.
const KEYS: u32 = 4;

fn key(number: u32) -> Key {
    Key::new(&[number], "-vc-codegen", &[1; 16], [0x1912, 7], "")
}

/// A binary that takes time to write.
fn binary(number: u32) -> Vec<u8> {
    let byte = u8::try_from(number).unwrap_or(u8::MAX);
    (0..1 << 18).map(|n: u32| n.to_le_bytes()[1] ^ byte).collect()
}

fn folder() -> PathBuf {
    PathBuf::from(std::env::var_os(FOLDER).expect("the test that starts this says where"))
}

/// Stores and loads until it is killed or has done enough.
#[test]
#[ignore = "other tests run it in processes of their own"]
fn user_of_a_cache() {
    let cache = Cache::at(Some(&folder()));
    for number in (0..KEYS).cycle().take(40) {
        println!("\n{BEGUN}");
        cache.store(&key(number), &binary(number));
        let next = (number + 1) % KEYS;
        let found = cache.load(&key(next));
        assert!(found.is_none_or(|found| found == binary(next)), "a kernel is another");
    }
}

/// Stores once, and says whether the file exists.
#[test]
#[ignore = "other tests run it in processes of their own"]
fn stores_once() {
    let cache = Cache::at(Some(&folder()));
    cache.store(&key(0), &binary(0));
    println!("\nstored {}", cache.load(&key(0)).is_some_and(|found| found == binary(0)));
}

fn command(probe: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
    let name = format!("level_zero::cache::faults::{probe}");
    command.args(["--exact", &name, "--ignored", "--nocapture", "--test-threads=1"]).env(FOLDER, folder);
    command
}

/// Starts a process and waits until it has begun this number of times.
fn begun(probe: &str, folder: &Path, times: usize) -> Child {
    let mut child = command(probe, folder).stdout(Stdio::piped()).spawn().expect("the program starts");
    let mut said = String::new();
    let out = child.stdout.as_mut().expect("it is piped");
    while said.matches(BEGUN).count() < times {
        let mut byte = [0];
        assert_eq!(out.read(&mut byte).expect("it speaks"), 1, "{said}");
        said.push(char::from(byte[0]));
    }
    child
}

/// Every file is complete, and the cache continues to work.
fn assert_whole(folder: &Path, when: &str) {
    let cache = Cache::at(Some(folder));
    for number in 0..KEYS {
        if folder.join(key(number).file()).exists() {
            assert!(
                cache.load(&key(number)).is_some_and(|found| found == binary(number)),
                "{when}: {number}"
            );
        }
    }
    cache.store(&key(KEYS), b"next");
    assert_eq!(cache.load(&key(KEYS)).as_deref(), Some(&b"next"[..]), "{when}");
}

#[test]
fn a_process_that_is_killed_leaves_whole_files() {
    let folder = tempfile::tempdir().unwrap();
    for times in 1..=12 {
        let mut child = begun("user_of_a_cache", folder.path(), times);
        // On Unix this is SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        assert_whole(folder.path(), "killed");
    }
}

/// A limit on the length of files ends the process in the middle of writing one.
#[cfg(target_os = "linux")]
#[test]
fn a_process_that_is_killed_while_it_writes_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let output =
        limited(&command("stores_once", folder.path()), folder.path(), "ulimit -c 0").output().unwrap();
    assert_eq!(output.status.code(), None, "a signal ends it: {output:?}");
    assert!(!folder.path().join(key(0).file()).exists());
    assert_whole(folder.path(), "killed while it writes");
    assert_eq!(stores(&mut command("stores_once", folder.path())), "true");
}

/// A process that can write only short files.
#[cfg(target_os = "linux")]
fn limited(probe: &Command, folder: &Path, first: &str) -> Command {
    let mut shell = Command::new("sh");
    let line = format!("{first}; ulimit -f 100; exec \"$@\"");
    shell.args(["-c", &line, "sh"]).arg(probe.get_program()).args(probe.get_args()).env(FOLDER, folder);
    shell
}

#[test]
fn processes_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let children: Vec<Child> = (0..2).map(|_| begun("user_of_a_cache", folder.path(), 1)).collect();
    for mut child in children {
        // The rest of its output.
        io::copy(child.stdout.as_mut().unwrap(), &mut io::sink()).unwrap();
        assert!(child.wait().unwrap().success());
    }
    assert_whole(folder.path(), "shared");
    let files = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    assert!(files.into_iter().all(|path| path.extension().unwrap() == "bin"), "nothing unfinished is left");
}

/// The output of a process that stores once.
fn stores(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.lines().find_map(|line| line.strip_prefix("stored ")).expect("it says so").to_owned()
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_is_no_error() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    let folder = tempfile::tempdir().unwrap();
    let locked = folder.path().join("locked");
    fs::create_dir(&locked).unwrap();
    for path in [folder.path(), &locked] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o555)).unwrap();
    }
    let mut probe = command("stores_once", &locked);
    if fs::write(locked.join("probe"), "").is_ok() {
        // The superuser may write anywhere; the user `nobody` may not.
        fs::remove_file(locked.join("probe")).unwrap();
        probe.uid(65534).gid(65534);
        if let Err(error) = probe.output() {
            eprintln!("skipped: this user may write anywhere, and nobody cannot run this program: {error}");
            return;
        }
    }
    assert_eq!(stores(&mut probe), "false");
    // A kernel stored by another user is loaded, although its use cannot be recorded.
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(locked.join(key(0).file()), packed(&binary(0), &key(0))).unwrap();
    fs::set_permissions(locked.join(key(0).file()), fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    assert_eq!(stores(&mut probe), "true");
    assert_eq!(fs::read_dir(&locked).unwrap().count(), 1, "nothing was written");
    for path in [folder.path(), &locked] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// A limit on the length of files has the same effect as a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_error_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // Without the signal, whose default is to end the process.
    let mut shell = limited(&command("stores_once", folder.path()), folder.path(), "trap '' XFSZ");
    assert_eq!(stores(&mut shell), "false");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing unfinished is left");
    assert_eq!(stores(&mut command("stores_once", folder.path())), "true");
}
