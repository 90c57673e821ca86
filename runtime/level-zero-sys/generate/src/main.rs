//! Writes `../src/bindings.rs` and `../src/layout.rs` from the C header of Level Zero.
//!
//! ```text
//! apt-get install libze-dev libclang-14-dev
//! cargo run --locked              # in this folder: writes the files
//! cargo run --locked -- --check   # fails if they are not what it would write
//! ```
//!
//! `--header=<path>` takes another `ze_api.h` than the installed one.

mod comments;
mod emit;
mod header;
mod layout;
mod raw;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};

fn main() -> Result<()> {
    let mut header = PathBuf::from("/usr/include/level_zero/ze_api.h");
    let mut check = false;
    for argument in env::args().skip(1) {
        match argument.strip_prefix("--header=") {
            Some(path) => header = path.into(),
            None if argument == "--check" => check = true,
            None => bail!("unknown argument `{argument}`: [--check] [--header=<path of ze_api.h>]"),
        }
    }
    let facts = header::Facts::read(&header)?;
    let raw = raw::Bindings::of(&header, &facts)?;
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("this folder has a parent")?;
    let mut stale = Vec::new();
    for (name, text) in
        [("bindings.rs", emit::bindings(&raw, &facts)?), ("layout.rs", emit::layouts(&raw, &facts)?)]
    {
        let path = crate_dir.join("src").join(name);
        let text = formatted(&text, crate_dir)?;
        if !check {
            fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
        } else if fs::read_to_string(&path).ok().as_deref() != Some(&*text) {
            stale.push(path.display().to_string());
        }
    }
    ensure!(
        stale.is_empty(),
        "not what {} of {} gives: {}; run this again without --check",
        facts.version,
        header.display(),
        stale.join(", ")
    );
    let done = if check { "up to date" } else { "written" };
    println!("{done}: {} entry points of {}", facts.entry_points.len(), facts.version);
    Ok(())
}

/// The text as `cargo fmt` leaves it: with the project's own settings, found from the folder of the crate.
fn formatted(text: &str, crate_dir: &Path) -> Result<String> {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .current_dir(crate_dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("rustfmt: rustup component add rustfmt")?;
    let mut stdin = rustfmt.stdin.take().context("a pipe was asked for")?;
    let input = text.to_owned();
    // From a thread, because rustfmt writes before it has read everything.
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = rustfmt.wait_with_output()?;
    writer.join().expect("writing does not panic")?;
    ensure!(output.status.success(), "rustfmt refuses what was generated");
    Ok(String::from_utf8(output.stdout)?)
}
