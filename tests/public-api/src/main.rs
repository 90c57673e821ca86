//! Compares the public items of each published crate with `api/<crate>.txt`, one item a line.
//!
//! `sh check.sh public_items` compares, `sh check.sh write_public_items` rewrites the lists. Then read the
//! difference: a removed or changed line breaks users.

use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use public_api::{Builder, PublicItem};

/// The library crates whose items users name, and the internal modules of each. The list of `cm` includes the macros,
/// and the bindings of Level Zero are generated.
const CRATES: [(&str, &[&str]); 4] = [
    ("cm", &[]),
    ("cm-runtime", &[]),
    (
        "cm-dsl",
        &[
            "backend",
            "cpu",
            "in_place",
            "indexed",
            "kernel",
            "operators",
            "ops",
            "recorder",
            "sizes",
            "stage",
        ],
    ),
    ("cm-compiler", &[]),
];

/// Set if this program runs in place of rustdoc.
const AS_RUSTDOC: &str = "CM_PUBLIC_API_AS_RUSTDOC";

fn main() -> Result<ExitCode> {
    if env::var_os(AS_RUSTDOC).is_some() {
        return rustdoc();
    }
    let write = env::args().nth(1).is_some_and(|argument| argument == "--write");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.join("../..");
    let stated = stated_version(&root)?;
    let present = output(Command::new("rustc").arg("--version"))?;
    if !present.starts_with(&format!("rustc {stated}.")) {
        println!("skipped: the lists are those of Rust {stated}, this is {}", present.trim());
        return Ok(ExitCode::SUCCESS);
    }
    let mut differs = false;
    for (package, internal) in CRATES {
        let found = items(&root, package, internal)?;
        let path = here.join(format!("api/{package}.txt"));
        if write {
            fs::write(&path, &found).with_context(|| path.display().to_string())?;
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        let missing = |all: &str, line: &str| !all.lines().any(|other| other == line);
        for line in committed.lines().filter(|line| missing(&found, line)) {
            println!("{package}: - {line}");
        }
        for line in found.lines().filter(|line| missing(&committed, line)) {
            println!("{package}: + {line}");
        }
        differs |= found != committed;
    }
    if differs {
        println!(
            "\nthe public items have changed: if that is meant, write the lists anew and read the difference:"
        );
        println!("sh check.sh write_public_items");
        return Ok(ExitCode::FAILURE);
    }
    println!("the public items of {} crates are the committed ones", CRATES.len());
    Ok(ExitCode::SUCCESS)
}

/// The Rust version of the workspace.
fn stated_version(root: &Path) -> Result<String> {
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    let line = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    Ok(line.context("no rust-version in Cargo.toml")?.trim_matches('"').to_owned())
}

fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

/// The crates whose types have their traits in the list. Tables generate hundreds of implementations in the others.
const WITH_TRAITS: [&str; 1] = ["cm-runtime"];

/// Traits without methods that the compiler or a derive adds, and that users do not ask for.
const UNLISTED: [&str; 4] = ["Freeze", "StructuralPartialEq", "Unpin", "UnsafeUnpin"];

/// The public items of a crate, one a line, without duplicates.
fn items(root: &Path, package: &str, internal: &[&str]) -> Result<String> {
    output(
        Command::new("cargo")
            .current_dir(root)
            .env("RUSTDOC", env::current_exe()?)
            .env(AS_RUSTDOC, "1")
            .args(["rustdoc", "--quiet", "--lib", "--package", package, "--target-dir", "target"])
            .args(["--", "-Zunstable-options", "--output-format=json"]),
    )?;
    let name = package.replace('-', "_");
    let with_traits = WITH_TRAITS.contains(&package);
    let api = Builder::from_rustdoc_json(root.join(format!("target/doc/{name}.json")))
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(!with_traits)
        .omit_auto_derived_impls(!with_traits)
        .build()?;
    let items: Vec<(String, &PublicItem)> = api.items().map(|item| (item.to_string(), item)).collect();
    let implementations: HashSet<_> = items
        .iter()
        .filter(|(line, _)| line.starts_with("impl") && line.contains(" for "))
        .map(|(_, item)| item.id())
        .collect();
    let mut lines: Vec<String> = vec![];
    for (line, item) in items {
        let is_implemented = item.parent_id().is_some_and(|parent| implementations.contains(&parent));
        let is_listed = match line.starts_with("impl") {
            true => with_traits && is_trait_of(&line, &name),
            false => is_for_users(&line, &name, internal),
        };
        if !is_implemented && is_listed && !lines.contains(&line) {
            lines.push(line);
        }
    }
    Ok(lines.into_iter().map(|line| line + "\n").collect())
}

/// Whether a line declares an item outside of internal modules.
fn is_for_users(line: &str, name: &str, internal: &[&str]) -> bool {
    let behind = line.split_once(&format!("{name}::")).map_or("", |(_, behind)| behind);
    let module = behind.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    !internal.contains(&module)
}

/// Whether a line says that a type of this crate has a trait that users may rely on.
fn is_trait_of(line: &str, name: &str) -> bool {
    let Some((implemented, ty)) = line.split_once(" for ") else { return false };
    // Behind generics; a trait may have its own.
    let path = implemented.rsplit(' ').next().unwrap_or_default();
    let of_trait = path.split('<').next().and_then(|path| path.rsplit("::").next()).unwrap_or_default();
    ty.starts_with(&format!("{name}::")) && !UNLISTED.contains(&of_trait)
}

/// Calls rustdoc with unstable options. If cargo itself had the variable that allows them, it would rebuild
/// every dependency.
fn rustdoc() -> Result<ExitCode> {
    let status = Command::new("rustdoc").args(env::args_os().skip(1)).env("RUSTC_BOOTSTRAP", "1").status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
