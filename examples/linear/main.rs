//! `linear`: the 3x3 box filter of the CM tutorials over a test card, an image, or a folder of images.
//!
//! ```text
//! cargo run --release --example linear                                  # a test card, to linear.png
//! cargo run --release --example linear -- photo.jpg soft.png --compare
//! cargo run --release --example linear -- photos/ soft/ --kernel linearslide
//! cargo run --release --example linear -- --list-devices
//! cargo run --release --example linear -- --registers --emit ir linear1d2.ir
//! ```

mod batch;
mod card;
mod compare;
mod files;
mod filter;
mod inspect;
mod job;
pub mod kernels;
mod options;
mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Parser;

use filter::{Filter, Passes};
use job::{Job, Source};
use options::Options;

/// The file of the filtered test card.
const CARD_OUTPUT: &str = "linear.png";
/// Timed passes over a single image.
const PASSES: u32 = 5;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report::complain(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    if options.list_devices {
        report::devices()?;
    }
    check_forms(options)?;
    let inspected = inspect::run(options)? || options.list_devices;
    match (&options.input, &options.output) {
        (Some(input), Some(output)) if input.is_dir() => folder(input, output, options),
        (Some(input), Some(output)) => single(Source::File(input), output, options),
        // Without an image, the program is done.
        _ if inspected => Ok(()),
        // The option parser accepts INPUT only together with OUTPUT.
        _ => single(Source::Card, Path::new(CARD_OUTPUT), options),
    }
}

fn folder(input: &Path, output: &Path, options: &Options) -> Result<()> {
    if let Some(Some(file)) = &options.compare {
        bail!(
            "{}: every image of a folder gets a comparison of its own; give --compare without a file name",
            file.display()
        );
    }
    files::check_folder(output)?;
    check_replaced(input, output, options)?;
    let filter = open(options, options.repeat.map_or(Passes::First, Passes::Warm))?;
    batch::run(input, output, options.compare.is_some(), &filter)
}

fn single(source: Source<'_>, output: &Path, options: &Options) -> Result<()> {
    files::check_target(output)?;
    if let Source::File(input) = source {
        check_replaced(input, output, options)?;
    }
    let compare = compare_target(source, output, options)?;
    let filter = open(options, Passes::Warm(options.repeat.unwrap_or(PASSES)))?;
    report::say(Job { source, output, compare: compare.as_deref() }.run(&filter)?)
}

/// Prevents accidental replacement of originals.
fn check_replaced(input: &Path, output: &Path, options: &Options) -> Result<()> {
    if files::same_file(input, output) && !options.in_place {
        bail!(
            "{}: the output is the input; choose another output, or replace the input with --in-place",
            output.display()
        );
    }
    Ok(())
}

/// Prevents that `--registers` or `--emit` replaces an original, or that a file is written twice.
fn check_forms(options: &Options) -> Result<()> {
    let forms = inspect::targets(options);
    for (n, (option, file)) in forms.iter().enumerate() {
        let shown = file.display();
        if let Some((other, _)) = forms[..n].iter().find(|(_, other)| files::same_file(file, other)) {
            bail!("{shown}: {other} and {option} cannot write one file");
        }
        let (Some(input), Some(output)) = (&options.input, &options.output) else { continue };
        let (is_original, is_output) = if input.is_dir() {
            (batch::is_image_of(file, input), batch::is_image_of(file, output))
        } else {
            let compare = options.compare.as_ref().map(|choice| comparison(choice, output));
            let is_written = std::iter::once(output).chain(&compare).any(|path| files::same_file(file, path));
            (files::same_file(file, input), is_written)
        };
        if is_original {
            bail!("{shown}: {option} would replace an original; choose another file");
        }
        if is_output {
            bail!("{shown}: the images and {option} cannot write one file");
        }
    }
    Ok(())
}

/// The file of a comparison.
fn comparison(choice: &Option<PathBuf>, output: &Path) -> PathBuf {
    choice.clone().unwrap_or_else(|| compare::beside(output))
}

fn compare_target(source: Source<'_>, output: &Path, options: &Options) -> Result<Option<PathBuf>> {
    let Some(choice) = &options.compare else { return Ok(None) };
    let target = comparison(choice, output);
    files::check_target(&target)?;
    if files::same_file(&target, output) {
        bail!("{}: the output and the comparison cannot be one file", target.display());
    }
    if let Source::File(input) = source {
        check_replaced(input, &target, options)?;
    }
    Ok(Some(target))
}

fn open(options: &Options, passes: Passes) -> Result<Filter> {
    let filter = Filter::open(options, passes)?;
    report::say(format_args!("device: {}", filter.device_name()))?;
    Ok(filter)
}
