//! A crate of random kernels: written, compiled once, and run by every execution.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use cm_test_support::process;

use super::program::{COUNTERS, GRID, PART, Program, TABLE, TILE};

/// What a kernel gave by one way: a digest, or the words of an error.
pub type Given = BTreeMap<String, String>;

/// A folder for generated crates.
#[derive(Debug)]
pub struct Batch {
    folder: PathBuf,
    /// The instruction sets of this CPU.
    sets: Vec<&'static str>,
    level_zero: bool,
}

/// The manifest of a generated crate. The kernels are compiled without most optimisations, because they are
/// run once.
const MANIFEST: &str = r#"[package]
name = "random-kernels"
version = "0.0.0"
edition = "2024"
publish = false

[dependencies]
cm = { path = "CM" }

[profile.dev]
opt-level = 1
debug = false
incremental = false

[profile.dev.package."*"]
opt-level = 2

[workspace]
"#;

impl Batch {
    /// A crate in the folder `target/random-kernels` of the workspace. Level Zero is one of the ways if there
    /// is a device.
    ///
    /// # Panics
    /// If the folder is not writable.
    pub fn new() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace");
        let folder = root.join("target/random-kernels");
        fs::create_dir_all(folder.join("src")).expect("a folder for kernels");
        let manifest = MANIFEST.replace("CM", &root.display().to_string());
        write(&folder.join("Cargo.toml"), &manifest);
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("the lockfile");
        let mut sets = vec!["baseline"];
        #[cfg(target_arch = "x86_64")]
        {
            sets.extend(is_x86_feature_detected!("avx2").then_some("avx2"));
            let wide = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            sets.extend(wide.then_some("avx512"));
        }
        Self { folder, sets, level_zero: cm::Device::level_zero().is_ok() }
    }

    /// Whether kernels are run on Level Zero.
    pub fn has_level_zero(&self) -> bool {
        self.level_zero
    }

    /// Compiles kernels and runs them by every way: what each gave. Kernels that do not compile give the
    /// compiler's words.
    ///
    /// # Panics
    /// If the folder is not writable, or cargo does not start.
    pub fn run(&self, programs: &[Program]) -> Vec<Given> {
        let mut given = vec![Given::new(); programs.len()];
        let mut compiled: Vec<usize> = (0..programs.len()).collect();
        // A kernel that does not compile hides what comes after it: without it once more.
        while let Err(errors) = self.compile(programs, &compiled) {
            let refused: Vec<usize> =
                compiled.iter().copied().filter(|n| errors.contains(&format!("k{n}.rs"))).collect();
            let refused = if refused.is_empty() { compiled.clone() } else { refused };
            for n in &refused {
                let lines = errors.lines().filter(|line| line.contains(&format!("k{n}.rs")));
                given[*n].insert("rustc".into(), lines.collect::<Vec<_>>().join("\n"));
            }
            compiled.retain(|n| !refused.contains(n));
            if compiled.is_empty() {
                return given;
            }
        }
        let program = self.folder.join("target/debug/random-kernels");
        let run = |way: &str, set: &str, engine: &str| {
            let mut command = Command::new(&program);
            command.arg(way).env("CM_CACHE", "off").env("CM_CPU_ISA", set).env("CM_CPU_ENGINE", engine);
            process::run(&mut command, &self.folder, Duration::from_secs(600))
        };
        let mut ways = vec![("interpreter", "baseline", "native", "interpreter".to_owned())];
        for set in &self.sets {
            ways.extend(
                ["1", "2"].map(|threads| (threads, *set, "ir", format!("recording, {set} on {threads}"))),
            );
            ways.extend(["1", "2"].map(|threads| (threads, *set, "native", format!("{set} on {threads}"))));
        }
        if self.level_zero {
            ways.push(("level-zero", "baseline", "native", "Level Zero".to_owned()));
        }
        for (way, set, engine, name) in ways {
            let ended = run(way, set, engine);
            let lines: BTreeMap<&str, &str> =
                ended.text.lines().filter_map(|line| line.split_once(' ')).collect();
            for n in &compiled {
                let line =
                    lines.get(format!("k{n}").as_str()).copied().unwrap_or("no result: the program ended");
                given[*n].insert(name.clone(), line.trim().to_owned());
            }
        }
        given
    }

    /// The recording of the first kernel of the crate that was run last, as text; `None` if there is none.
    pub fn recording(&self) -> Option<String> {
        let mut command = Command::new(self.folder.join("target/debug/random-kernels"));
        process::run(command.args(["interpreter", "."]), &self.folder, Duration::from_secs(60));
        fs::read_to_string(self.folder.join("k0.ir")).ok()
    }

    /// Writes the crate and compiles it, or gives the compiler's words.
    fn compile(&self, programs: &[Program], chosen: &[usize]) -> Result<(), String> {
        let src = self.folder.join("src");
        fs::create_dir_all(src.join("kernels")).expect("a folder for kernels");
        let (mut modules, mut cases) = (String::new(), String::new());
        for &n in chosen {
            let text = format!(
                "use cm::prelude::*;\nuse cm::subgroups::*;\n\n{}",
                programs[n].source(&format!("k{n}"))
            );
            write(&src.join(format!("kernels/k{n}.rs")), &text);
            modules.push_str(&format!("#[path = \"k{n}.rs\"]\nmod file{n};\npub use file{n}::k{n};\n"));
            let [table, part, counters] = programs[n].buffers;
            let [columns, rows] = programs[n].local.unwrap_or_default();
            cases.push_str(&format!("    k{n} {table} {part} {counters} {columns} {rows};\n"));
        }
        write(&src.join("kernels/mod.rs"), &modules);
        let threads = GRID.0 * GRID.1;
        let memory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../support/src/memory.rs");
        let runner = include_str!("runner.txt")
            .replace("MEMORY", &memory.display().to_string())
            .replace("WIDTH", &(GRID.0 * TILE.0).to_string())
            .replace("HEIGHT", &(GRID.1 * TILE.1).to_string())
            .replace("COLUMNS", &GRID.0.to_string())
            .replace("ROWS", &GRID.1.to_string())
            .replace("TABLE_BYTES", &TABLE.to_string())
            .replace("PART_BYTES", &(PART * threads).to_string())
            .replace("COUNTERS_BYTES", &(COUNTERS * 4 * threads).to_string())
            .replace("CASES", &cases);
        write(&src.join("main.rs"), &runner);
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "--quiet", "--offline", "--message-format=short"]).env_remove("RUSTFLAGS");
        cargo.env("CARGO_TARGET_DIR", self.folder.join("target"));
        let ended = process::run(&mut cargo, &self.folder, Duration::from_secs(3600));
        if ended.success { Ok(()) } else { Err(ended.text) }
    }
}

impl Default for Batch {
    fn default() -> Self {
        Self::new()
    }
}

fn write(file: &Path, text: &str) {
    fs::write(file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}

/// How a kernel differs from its interpretation, if it does.
#[must_use]
pub fn difference(given: &Given) -> Option<String> {
    if let Some(words) = given.get("rustc") {
        return Some(format!("rustc refuses it: {words}"));
    }
    let expected = given.get("interpreter").map_or("", String::as_str);
    if expected.starts_with("error") || expected.starts_with("no result") || expected == "panicked" {
        return Some(format!("it is not recorded: {expected}"));
    }
    let others: Vec<String> = given
        .iter()
        // A kernel may be too large for a GPU.
        .filter(|(way, result)| {
            **result != *expected && !(*way == "Level Zero" && result.contains("in registers here"))
        })
        .map(|(way, result)| format!("{way}: {result}"))
        .collect();
    if others.is_empty() { None } else { Some(format!("interpreter: {expected}, {}", others.join(", "))) }
}
