//! Level Zero faults of a machine, each in a separate process that runs this program again. Also the cache of
//! compiled kernels, which outlives processes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use cm::prelude::*;
use cm::{Error, LevelZeroError};
use cm_test_support::process::is_required;

/// Marks the answer of the other process in the output of the test harness.
const ANSWER: &str = "answer: ";
/// A time limit that only a hanging process exceeds.
const PATIENCE: Duration = Duration::from_secs(120);

const WIDTH: usize = 64;
const HEIGHT: usize = 16;

/// The line before the loop of the kernel, three lines long.
const LOOP: u32 = line!() + 6;

/// Adds twice a number to every byte, one after the other.
#[kernel]
fn count(input: &Surface2D, output: &mut Surface2D, rounds: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut m = input.read::<u8, 4, 16>(x, y);
    for _ in 0..rounds {
        m += 2;
    }
    output.write(x, y, &m);
}

fn run(device: &Device, input: &Surface2D, output: &mut Surface2D, rounds: u32) -> cm::Result<Event> {
    count::launch(device, ThreadSpace::new(WIDTH / 16, HEIGHT / 4)?, input, output, rounds)
}

fn image(device: &Device) -> cm::Result<Surface2D> {
    Surface2D::from_bytes(device, Format::R8, WIDTH, HEIGHT, &[5; WIDTH * HEIGHT])
}

macro_rules! variants {
    ($($variant:ident)*) => {
        /// The name of the variant, and the message.
        pub(crate) fn named(error: &Error) -> String {
            let variant = match error {
                $(Error::LevelZero(LevelZeroError::$variant { .. }) => stringify!($variant),)*
                Error::Environment { .. } => "Environment",
                _ => "another variant",
            };
            format!("{variant}: {error}")
        }
    };
}

variants! { DeviceLost NoDevice NoDriver NoLoader TooOld TurnedOff }

fn show<T>(result: cm::Result<T>) -> String {
    result.map_or_else(|error| named(&error), |_| "no error".to_owned())
}

/// Prints the available devices.
#[test]
#[ignore = "other tests run it in processes with other environments"]
fn probe_devices() {
    let name = |device: cm::Result<Device>| match device {
        Ok(device) => device.name().to_owned(),
        Err(error) => named(&error),
    };
    println!("\n{ANSWER}gpu {}", name(Device::level_zero()));
    println!("{ANSWER}all {}", show(Device::level_zero_devices()));
    println!("{ANSWER}best {}", name(Device::best()));
    let problem = cm::diagnose().problem().cloned().map(|problem| named(&Error::LevelZero(problem)));
    println!("{ANSWER}problem {}", problem.as_deref().unwrap_or("none"));
}

/// Runs a kernel that faults, and then uses the device again.
#[test]
#[ignore = "other tests run it in processes with other environments"]
fn probe_fault() {
    let device = Device::best().expect("a device");
    println!("\n{ANSWER}best {}", device.name());
    let input = image(&device).expect("a surface");
    let mut output = Surface2D::new(&device, Format::R8, WIDTH, HEIGHT).expect("a surface");
    println!("{ANSWER}short {}", show(run(&device, &input, &mut output, 3)));
    println!("{ANSWER}fault {}", show(run(&device, &input, &mut output, 100_000)));
    println!("{ANSWER}launch {}", show(run(&device, &input, &mut output, 3)));
    let enqueued =
        device.scope(|scope| count::enqueue(scope, ThreadSpace::new(1, 1)?, &input, &mut output, 3));
    println!("{ANSWER}scope {}", show(enqueued));
    println!("{ANSWER}download {}", show(input.to_vec()));
    println!("{ANSWER}upload {}", show(output.write_bytes(&[1; WIDTH * HEIGHT])));
    println!("{ANSWER}surface {}", show(Surface2D::new(&device, Format::R8, 4, 4)));
    drop((input, output, device));
    println!("{ANSWER}dropped true");
}

/// A launch on the GPU.
#[test]
#[ignore = "other tests run it in processes with other environments"]
fn probe_launch() {
    let device = Device::level_zero().expect("a GPU");
    let (input, mut output) = (image(&device).unwrap(), image(&device).unwrap());
    run(&device, &input, &mut output, 4).unwrap();
    println!("\n{ANSWER}right {}", output.to_vec().unwrap() == [13; WIDTH * HEIGHT]);
}

/// The answers of a probe in a process with these variables.
fn probe(test: &str, variables: &[(&str, &OsStr)]) -> BTreeMap<String, String> {
    let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
    command.args([
        "--exact",
        &format!("level_zero_errors::{test}"),
        "--ignored",
        "--nocapture",
        "--test-threads=1",
    ]);
    for variable in
        ["CM_DEVICE", "CM_NUM_THREADS", "CM_CACHE", "CM_LEVEL_ZERO_LOADER", "ZE_ENABLE_ALT_DRIVERS"]
    {
        command.env_remove(variable);
    }
    // The tests of the cache say where it is; the others leave no files.
    command.env("CM_CACHE", "off");
    for (name, value) in variables {
        if value.is_empty() {
            command.env_remove(name)
        } else {
            command.env(name, value)
        };
    }
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
    let mut stdout = child.stdout.take().expect("it is piped");
    let reader = thread::spawn(move || {
        let mut printed = String::new();
        stdout.read_to_string(&mut printed).map(|_| printed)
    });
    let start = Instant::now();
    let status = loop {
        match child.try_wait().expect("it is a child") {
            Some(status) => break status,
            None if start.elapsed() > PATIENCE => {
                child.kill().expect("it can be ended");
                panic!("{test} with {variables:?} hangs");
            }
            None => thread::sleep(Duration::from_millis(20)),
        }
    };
    let printed = reader.join().expect("it reads").expect("text");
    assert!(status.success(), "{test} with {variables:?}: {status}: {printed}");
    let answers = printed.lines().filter_map(|line| line.strip_prefix(ANSWER)?.split_once(' '));
    answers.map(|(what, answer)| (what.to_owned(), answer.to_owned())).collect()
}

#[track_caller]
fn says(answer: &str, words: &[&str]) {
    for word in words {
        assert!(answer.contains(word), "`{answer}` does not say `{word}`");
    }
}

/// Why there is no GPU here, if there is none.
fn here() -> Option<LevelZeroError> {
    match Device::level_zero() {
        Ok(_) => None,
        Err(Error::LevelZero(reason)) => Some(reason),
        Err(error) => panic!("{error}"),
    }
}

/// Whether to skip a test because there is no GPU.
fn skipped() -> bool {
    let Some(reason) = here() else { return false };
    assert!(!is_required("CM_REQUIRE_LEVEL_ZERO"), "CM_REQUIRE_LEVEL_ZERO is set: {reason}");
    eprintln!("skipped: {reason}");
    true
}

/// All answers must report a missing GPU, and the CPU must be chosen for that reason.
#[track_caller]
fn absent(answers: &BTreeMap<String, String>, error: &str, words: &[&str], reason: &str) {
    says(&answers["gpu"], &[error, "CM_DEVICE=cpu"]);
    says(&answers["gpu"], words);
    says(&answers["all"], &[error]);
    says(&answers["problem"], &[error]);
    says(&answers["best"], &["CPU (", reason]);
}

#[cfg(feature = "level-zero")]
#[test]
fn no_loader() {
    let answers = probe("probe_devices", &[("CM_LEVEL_ZERO_LOADER", "/not/there.so".as_ref())]);
    absent(&answers, "NoLoader", &["/not/there.so", "No such file", "libze1"], "no Level Zero loader");
    // Not a library at all.
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let answers = probe("probe_devices", &[("CM_LEVEL_ZERO_LOADER", manifest.as_ref())]);
    absent(&answers, "NoLoader", &[manifest], "no Level Zero loader");
    // If Level Zero is requested by name, the CPU does not replace it.
    let answers = probe(
        "probe_devices",
        &[("CM_LEVEL_ZERO_LOADER", "/not/there.so".as_ref()), ("CM_DEVICE", "level-zero".as_ref())],
    );
    says(&answers["best"], &["NoLoader"]);
}

#[cfg(feature = "level-zero")]
#[test]
fn a_library_without_the_functions() {
    // The C library is a library, but no loader.
    let answers = probe("probe_devices", &[("CM_LEVEL_ZERO_LOADER", "libc.so.6".as_ref())]);
    if answers["gpu"].contains("NoLoader") {
        eprintln!("skipped: {}", answers["gpu"]);
        return;
    }
    says(&answers["gpu"], &["TooOld", "zeInit", "update the loader"]);
    // This error does not mean that there is no GPU, so the CPU is not chosen silently.
    says(&answers["best"], &["TooOld"]);
}

#[cfg(feature = "level-zero")]
#[test]
fn no_driver() {
    if let Some(reason @ LevelZeroError::NoLoader { .. }) = here() {
        eprintln!("skipped: {reason}");
        return;
    }
    let answers = probe("probe_devices", &[("ZE_ENABLE_ALT_DRIVERS", "/nonexistent.so".as_ref())]);
    absent(
        &answers,
        "NoDriver",
        &["ZE_ENABLE_ALT_DRIVERS names /nonexistent.so", "intel-opencl-icd"],
        "no Level Zero driver",
    );
}

#[cfg(feature = "level-zero")]
#[test]
fn no_device() {
    match here() {
        Some(LevelZeroError::NoDevice { .. }) => {}
        Some(reason) => return eprintln!("skipped: {reason}"),
        None => return eprintln!("skipped: there is a device"),
    }
    let answers = probe("probe_devices", &[]);
    absent(&answers, "NoDevice", &["i915 or xe"], "no Level Zero device");
}

#[cfg(not(feature = "level-zero"))]
#[test]
fn turned_off() {
    let answers = probe("probe_devices", &[]);
    absent(&answers, "TurnedOff", &["feature `level-zero`"], "no Level Zero in this program");
}

#[test]
fn a_kernel_that_faults_is_a_lost_device_and_not_the_cpu() {
    if skipped() {
        return;
    }
    if std::env::var_os("CM_SIMULATOR").is_none() {
        // Do not do this to a real GPU.
        eprintln!("skipped: not a simulated GPU");
        return;
    }
    let answers = probe("probe_fault", &[("CM_SIMULATOR_INSTRUCTIONS", "1000".as_ref())]);
    says(&answers["best"], &["Level Zero"]);
    says(&answers["short"], &["no error"]);
    for what in ["fault", "launch", "scope", "download", "upload", "surface"] {
        says(
            &answers[what],
            &["DeviceLost", "the device was lost in zeCommandQueue", "start the program again"],
        );
    }
    assert_eq!(answers["dropped"], "true");
    // The same kernel without the instruction limit.
    let answers = probe("probe_fault", &[]);
    for what in ["short", "fault", "launch", "scope", "download", "upload", "surface"] {
        says(&answers[what], &["no error"]);
    }
}

#[test]
fn a_fault_names_the_line_of_the_kernel() {
    if skipped() || std::env::var_os("CM_SIMULATOR").is_none() {
        eprintln!("skipped: not a simulated GPU");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (kernels, log) = (folder.path().join("kernels"), folder.path().join("log"));
    let variables = [
        ("CM_SIMULATOR_INSTRUCTIONS", "1000".as_ref()),
        ("CM_SIMULATOR_LOG_FILE", log.as_os_str()),
        ("CM_DEBUG_INFO", kernels.as_os_str()),
    ];
    says(&probe("probe_fault", &variables)["fault"], &["DeviceLost"]);
    let said = fs::read_to_string(&log).unwrap();
    let (_, place) = said.split_once("level_zero_errors.rs:").unwrap_or_else(|| panic!("no line in {said}"));
    let line: u32 = place.split(':').next().unwrap().parse().unwrap();
    assert!((LOOP + 1..=LOOP + 3).contains(&line), "{said}");
    says(&said, &["1000 instructions without an end"]);
    // The kernel works as without debug information.
    says(&probe("probe_launch", &[("CM_DEBUG_INFO", kernels.as_os_str())])["right"], &["true"]);
}

/// The compiled kernels in a folder and its subfolders, with their bytes and times.
fn compiled(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(compiled(&path));
        } else if path.extension().is_some_and(|extension| extension == "bin") {
            let time = fs::metadata(&path).and_then(|data| data.modified()).expect("a time");
            found.insert(path.clone(), (fs::read(&path).expect("a file"), time));
        }
    }
    found
}

fn launches(variables: &[(&str, &OsStr)]) {
    assert_eq!(probe("probe_launch", variables)["right"], "true", "{variables:?}");
}

#[cfg(unix)]
#[test]
fn compiled_kernels_are_kept_for_the_next_process() {
    if skipped() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("not yet there");
    let here = [("CM_CACHE", cache.as_os_str())];
    launches(&here);
    let first = compiled(&cache);
    assert_eq!(first.len(), 1, "one kernel was compiled");
    let file = first.keys().next().unwrap();
    let bytes = &first[file].0;

    // A launch that compiles replaces the file by a new one. A launch that loads the file updates its time of
    // use.
    let number = || fs::metadata(file).unwrap().ino();
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let opened = File::options().write(true).open(file).unwrap();
    opened.set_modified(old).unwrap();
    let before = number();
    launches(&here);
    let second = compiled(&cache);
    assert_eq!((second.len(), number()), (1, before), "taken as it is");
    assert!(second[file].1 != old, "its use is noted");

    for broken in [&b"not a kernel"[..], &[], &bytes[..bytes.len() / 2]] {
        fs::write(file, broken).unwrap();
        let before = number();
        launches(&here);
        let mended = compiled(&cache);
        assert_eq!(mended.len(), 1);
        assert!(&mended[file].0 == bytes && number() != before, "compiled anew");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_cache_is_the_users_or_off() {
    if skipped() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let user = ("XDG_CACHE_HOME", folder.path().as_os_str());
    launches(&[user, ("CM_CACHE", "off".as_ref())]);
    assert_eq!(compiled(folder.path()), BTreeMap::new());
    launches(&[user, ("CM_CACHE", "".as_ref())]);
    assert_eq!(compiled(&folder.path().join("cm/kernels")).len(), 1);
}
